//! Turns installed programs and libraries into findings: compilers, the toolkit, the profiler, version control.
//!
//! Must not open a device.

use std::path::Path;
use std::process::Command;

use crate::device::host;

use super::{Finding, State};

/// What of the tools is there.
pub(super) fn tools() -> Vec<Finding> {
    let mut findings = vec![git(), host_compiler()];
    findings.extend(toolkit());
    findings.push(counters());
    findings
}

/// The first line that holds a digit of what `program --version` prints.
fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").env("LC_ALL", "C").output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // nvcc and ncu say their version last.
    text.lines().rev().find(|line| line.contains("ersion ") || line.contains("release ")).map(|line| line.trim().to_owned())
}

fn git() -> Finding {
    match version(Path::new("git")) {
        Some(version) => Finding::ok("git", version),
        None => Finding::new("git", State::Missing, "not installed").remedy("Install git, so that records say which commit was measured"),
    }
}

fn host_compiler() -> Finding {
    match host::compiler_version() {
        Ok(version) => Finding::ok("C++ compiler", version),
        Err(error) => Finding::new("C++ compiler", State::Missing, "none of c++, g++ and clang++ runs, nor does $CXX")
            .remedy(format!("Sweeps fill and check their buffers with it. {}", remedy(error)))
            .needed(),
    }
}

/// What to do about `error`.
fn remedy(error: crate::device::DeviceError) -> String {
    match error {
        crate::device::DeviceError::Missing { remedy, .. } => remedy,
        error => error.to_string(),
    }
}

#[cfg(feature = "cuda")]
fn toolkit() -> Vec<Finding> {
    use crate::device::cuda::{self, examine::Toolkit};
    let mut findings = Vec::new();
    match Toolkit::find() {
        Ok(found) => {
            let (first, last) = (found.architectures.first(), found.architectures.last());
            let range = first.zip(last).map(|(first, last)| format!(", for {first} to {last}")).unwrap_or_default();
            let place = loaded("nvrtc").map(|place| format!(", {place}")).unwrap_or_default();
            findings.push(Finding::ok("NVRTC", format!("{}{range}{place}", found.nvrtc)));
            findings.push(match found.disassembler {
                Ok(disassembler) => Finding::ok("disassembler", disassembler.version),
                Err(why) => Finding::new("disassembler", State::Missing, why).remedy("Only counts of opcodes need it"),
            });
        }
        Err(error) => {
            findings.push(Finding::new("NVRTC", State::Missing, "not found").remedy(remedy(error)).needed());
            findings.push(Finding::new("disassembler", State::Unknown, "is looked for where NVRTC is"));
        }
    }
    let program = |name: &'static str, what: &str| match cuda::program(name) {
        Some(place) => {
            Finding::ok(name, format!("{}, {}", version(&place).unwrap_or_else(|| "of unknown version".to_owned()), place.display()))
        }
        None => Finding::new(name, State::Missing, "not found").remedy(format!("{what}; it comes with the CUDA toolkit")),
    };
    findings.push(program("nvcc", "Only programs of a course that are compiled as a whole need it"));
    findings.push(program("ncu", "Only hardware counters need it"));
    findings
}

#[cfg(not(feature = "cuda"))]
fn toolkit() -> Vec<Finding> {
    vec![
        Finding::new("NVRTC", State::Missing, "this lessonc was built without support for GPUs")
            .remedy("Install it with its default features")
            .needed(),
    ]
}

/// Where the library whose file's name holds `name` was loaded from.
#[cfg(feature = "cuda")]
fn loaded(name: &str) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().filter_map(|line| line.split_once('/')).map(|(_, path)| format!("/{path}")).find(|path| {
        let file = path.rsplit('/').next().unwrap_or_default();
        file.contains(name) && !file.contains("builtins")
    })
}

/// Whether this user may read hardware counters.
fn counters() -> Finding {
    let name = "counters";
    let Ok(parameters) = std::fs::read_to_string("/proc/driver/nvidia/params") else {
        return Finding::new(name, State::Unknown, "the driver does not say who may read hardware counters");
    };
    let capabilities = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    may_read_counters(&parameters, &capabilities)
}

/// The bit of Linux's capabilities that the driver asks for.
const CAP_SYS_ADMIN: u32 = 21;

/// The same from the driver's parameters and this process's status.
fn may_read_counters(parameters: &str, status: &str) -> Finding {
    let name = "counters";
    let restricted = parameters.lines().find_map(|line| line.strip_prefix("RmProfilingAdminOnly:")).map(str::trim);
    let capabilities = status.lines().find_map(|line| line.strip_prefix("CapEff:")).map(str::trim);
    let admin = capabilities.and_then(|bits| u64::from_str_radix(bits, 16).ok()).is_some_and(|bits| bits >> CAP_SYS_ADMIN & 1 == 1);
    match (restricted, admin) {
        (Some("0"), _) => Finding::ok(name, "every user may read hardware counters"),
        (Some(_), true) => Finding::ok(name, "only administrators may read hardware counters, and this user is one"),
        (Some(_), false) => Finding::new(name, State::Missing, "only administrators may read hardware counters (ERR_NVGPUCTRPERM)")
            .remedy("Load the driver's module with NVreg_RestrictProfilingToAdminUsers=0, on the host if this is a container"),
        (None, _) => Finding::new(name, State::Unknown, "the driver does not say who may read hardware counters"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_says_who_may_read_counters() {
        let cases = [
            ("RmProfilingAdminOnly: 0\n", "", State::Ok),
            ("X: 1\nRmProfilingAdminOnly: 1\n", "CapEff:\t000001ffffffffff\n", State::Ok),
            ("RmProfilingAdminOnly: 1\n", "CapEff:\t00000000a80425fb\n", State::Missing),
            ("RmProfilingAdminOnly: 1\n", "", State::Missing),
            ("X: 1\n", "CapEff:\t000001ffffffffff\n", State::Unknown),
        ];
        for (parameters, status, expected) in cases {
            assert_eq!(may_read_counters(parameters, status).state, expected, "{parameters}{status}");
        }
    }

    #[test]
    fn a_version_is_one_line() {
        assert!(version(Path::new("git")).is_some_and(|text| text.starts_with("git version") && !text.contains('\n')));
        assert_eq!(version(Path::new("/nonexistent/nvcc")), None);
    }
}
