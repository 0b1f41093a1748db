//! Turns a sweep's code into all that its processes load: machine code, and a library of its host regions.
//!
//! Must not need a GPU.

use std::collections::BTreeMap;

use super::cache::Cache;
use super::compile::{self, Compiled};
use super::{canary, timing};
use crate::device::host::{self, HostBuilt};
use crate::device::{DeviceError, Setup};
use crate::plan::launch::Code;

/// All that a sweep compiles.
pub(super) struct Units {
    pub(super) probes: Compiled,
    pub(super) canaries: Compiled,
    /// The sweep's own, in the order of its builds.
    pub(super) compiled: Vec<Compiled>,
    pub(super) host: Option<HostBuilt>,
}

/// Compiles the sweep's device units, the kernels around a sample, the canaries and the host unit side by side: none needs another, and the host's
/// compiler takes longest by far. Device code comes out of `cache` where it is there. Where several are wrong, the device unit's messages
/// come first.
///
/// # Errors
/// What is missing, or what a compiler refuses.
pub(super) fn units(setup: &Setup, architecture: &str, cache: &Cache) -> Result<Units, DeviceError> {
    let own = |source: &str, text: &str, kernels: &[&str]| {
        let options = vec!["--std=c++17".into()];
        let code = Code { source: source.into(), device: text.into(), host: String::new(), headers: BTreeMap::new(), options };
        compile::compile_or(cache, &code, architecture, &kernels.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    };
    let lost = || DeviceError::Other("a compiler's thread was lost".into());
    std::thread::scope(|scope| {
        let host = scope.spawn(|| host::is_needed(setup).then(|| host::build(setup)).transpose());
        let probes = scope.spawn(|| own("probe.cu", timing::SOURCE, &timing::KERNELS));
        let canaries = scope.spawn(|| own("canary.cu", canary::SOURCE, &canary::KERNELS));
        let compiled = compile::compile_all_or(cache, &setup.code, architecture, &setup.builds);
        let (host, probes, canaries) = (host.join(), probes.join(), canaries.join());
        Ok(Units {
            compiled: compiled?,
            probes: probes.map_err(|_| lost())??,
            canaries: canaries.map_err(|_| lost())??,
            host: host.map_err(|_| lost())??,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::course::sweep::{Element, Role};
    use crate::device::Build;
    use crate::plan::launch::{Argument, BufferPlan, Data, HostCall};

    /// A sweep of this device and host code, in `workspace`.
    fn setup(device: &str, host: &str, workspace: &Path) -> Setup {
        let headers = BTreeMap::new();
        Setup {
            sweep: "a".into(),
            code: Code { source: "a.cu".into(), device: device.into(), host: host.into(), headers, options: Vec::new() },
            builds: vec![Build { options: Vec::new(), kernels: vec!["k".into()] }],
            data: vec![Data {
                buffers: vec![BufferPlan { name: "x".into(), role: Role::In, element: Element::F32, count: 4 }],
                inputs: vec![HostCall { function: "fill".into(), arguments: vec![Argument::Buffer("x".into())] }],
                check: None,
            }],
            data_of: Vec::new(),
            read: Vec::new(),
            workspace: workspace.to_owned(),
        }
    }

    #[test]
    fn what_a_sweep_compiles_is_compiled_side_by_side_with_the_messages_of_each() {
        let folder = tempfile::tempdir().unwrap();
        let (device, host) = (
            "extern \"C\" __global__ void k(float *x) { int unused; x[0] = 1; }\n",
            "#line 7 \"a.cu\"\nvoid fill(float *x) { int z; x[0] = 1; }\n",
        );
        let found = match units(&setup(device, host, folder.path()), "sm_90", &Cache::default()) {
            Err(error @ DeviceError::Missing { .. }) => return eprintln!("skipped: {error}"),
            found => found.unwrap(),
        };
        assert!(found.probes.cubin.starts_with(b"\x7fELF") && found.compiled[0].lowered["k"] == "k");
        // Warnings of code that is taken name the author's file and line, too.
        let warned = |log: &str, place: &str| log.lines().any(|line| line.starts_with(place) && line.contains("warning"));
        assert!(warned(&found.compiled[0].log, "a.cu(1)"), "{}", found.compiled[0].log);
        let host_log = found.host.unwrap().log;
        assert!(warned(&host_log, "a.cu:7:"), "{host_log}");
        let both = (device.replace("= 1", "= nonsense"), host.replace("= 1", "= nonsense"));
        let wrong = |device: &str, host: &str| match units(&setup(device, host, folder.path()), "sm_90", &Cache::default()) {
            Err(DeviceError::Compile { compiler, log }) => (compiler, log),
            _ => panic!("it compiled"),
        };
        assert_eq!(wrong(&both.0, &both.1).0, "nvrtc");
        let (compiler, log) = wrong(device, &both.1);
        assert!(compiler == "c++" && log.contains("a.cu:7:"), "{log}");
    }
}
