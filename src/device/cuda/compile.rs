//! Turns a device unit into machine code for one architecture, with the names that its kernels got; needs no GPU.
//!
//! Must not choose options beyond those that a record shows.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::cache::Cache;
use super::{api, toolkit};
use crate::device::paths::without_paths;
use crate::device::{Build, DeviceError};
use crate::plan::launch::Code;

/// A compiled unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// Machine code.
    pub cubin: Vec<u8>,
    /// The symbol of each kernel, by the name or name expression that a row launches it by.
    pub lowered: BTreeMap<String, String>,
    /// The compiler's messages, paths stripped: registers, spills, warnings.
    pub log: String,
    /// All options that can change the code, in order, paths left out.
    pub options: Vec<String>,
    /// NVRTC's version, such as `13.0`.
    pub nvrtc: Option<String>,
}

/// Compiles the device unit of `code` for `architecture` (`sm_90`); `kernels` are plain names or name expressions.
///
/// # Errors
/// [`DeviceError::Missing`] without NVRTC, [`DeviceError::Compile`] with the author's file and line.
pub fn compile(code: &Code, architecture: &str, kernels: &[String]) -> Result<Compiled, DeviceError> {
    compile_or(&Cache::default(), code, architecture, kernels)
}

/// The same, where `cache` has not what it made of it before.
///
/// # Errors
/// As for [`compile`].
pub(super) fn compile_or(cache: &Cache, code: &Code, architecture: &str, kernels: &[String]) -> Result<Compiled, DeviceError> {
    toolkit::load_nvrtc()?;
    let mut options = vec![format!("--gpu-architecture={architecture}"), "--ptxas-options=-v".to_owned()];
    options.extend(code.options.iter().cloned());
    let mut given = options.clone();
    // Headers of the toolkit are found only where a unit asks for one: a plain kernel compiles the same with and without it.
    let includes = code.device.contains("#include") || code.headers.values().any(|text| text.contains("#include"));
    if includes {
        given.extend(toolkit::include_folder().map(|folder| format!("--include-path={}", folder.display())));
    }
    let version = api::nvrtc_version();
    // From 12.9 on, NVRTC keeps what it made, and gives it back without the messages that came with it.
    if version.is_some_and(|version| version >= (12, 9)) {
        given.push("--no-cache".into());
    }
    let make = || match api::compile(&code.device, &code.source, &code.headers, &given, kernels) {
        Ok(unit) if unit.cubin.is_empty() => Err(DeviceError::Other(format!(
            "NVRTC made no machine code for {architecture}; the options may ask for `compute_` instead of `sm_`"
        ))),
        Ok(unit) => Ok(Compiled { cubin: unit.cubin, lowered: unit.lowered, log: lasting(&unit.log), options: Vec::new(), nvrtc: None }),
        Err(log) => Err(DeviceError::Compile { compiler: "nvrtc".into(), log: without_paths(&log) }),
    };
    // Files that a unit finds by itself may change without a word, and so may an NVRTC that is not known.
    let is_whole = !includes && !given.iter().any(|option| reads_files(option));
    let compiled = match toolkit::loaded_nvrtc().filter(|_| is_whole) {
        Some(nvrtc) => cache.get_or(&made_from(&nvrtc, code, &given, kernels), make),
        None => make(),
    };
    let nvrtc = version.map(|(major, minor)| format!("{major}.{minor}"));
    compiled.map(|compiled| Compiled { options, nvrtc, ..compiled })
}

/// Whether `option` names files, or a place of files.
fn reads_files(option: &str) -> bool {
    ["include", "pch", "options-file", "-optf"].iter().any(|word| option.contains(word))
}

/// All that machine code is made from, so that no two units have the same: each part with its length.
fn made_from(nvrtc: &str, code: &Code, given: &[String], kernels: &[String]) -> String {
    let counts = [given.len(), kernels.len()].map(|count| count.to_string());
    let parts = [nvrtc, env!("CARGO_PKG_VERSION"), &code.source, &code.device].into_iter().chain(counts.iter().map(String::as_str));
    let headers = code.headers.iter().flat_map(|(name, text)| [name, text]).map(String::as_str);
    let parts = parts.chain(given.iter().chain(kernels).map(String::as_str)).chain(headers);
    parts.map(|part| format!("{}:{part}\n", part.len())).collect()
}

/// Compiles `code` once for each of `builds`, side by side; in their order.
///
/// # Errors
/// As for [`compile`]; of several that fail, the first one's.
pub fn compile_all(code: &Code, architecture: &str, builds: &[Build]) -> Result<Vec<Compiled>, DeviceError> {
    compile_all_or(&Cache::default(), code, architecture, builds)
}

/// The same, where `cache` has not what it made of one before.
///
/// # Errors
/// As for [`compile_all`].
pub(super) fn compile_all_or(cache: &Cache, code: &Code, architecture: &str, builds: &[Build]) -> Result<Vec<Compiled>, DeviceError> {
    let one = |build: &Build| {
        let options = [&code.options[..], &build.options[..]].concat();
        compile_or(cache, &Code { options, ..code.clone() }, architecture, &build.kernels)
    };
    // All of them first, so that which failure is told does not hang on the order of threads.
    builds.par_iter().map(one).collect::<Vec<_>>().into_iter().collect()
}

/// What a log says of the code: without paths, and without how long compiling took, so that equal code has equal messages.
fn lasting(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.contains("Compile time =")).collect();
    without_paths(&lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARCHITECTURES: [&str; 7] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

    fn code(device: &str) -> Code {
        let options = vec!["--std=c++17".to_owned()];
        Code { source: "a.cu".into(), device: device.into(), host: String::new(), headers: BTreeMap::new(), options }
    }

    /// What compiling gives, or `None` and a message where NVRTC is not installed.
    fn attempt(code: &Code, architecture: &str, kernels: &[&str]) -> Option<Result<Compiled, DeviceError>> {
        let kernels: Vec<String> = kernels.iter().map(|&name| name.to_owned()).collect();
        match compile(code, architecture, &kernels) {
            Err(error @ DeviceError::Missing { .. }) => {
                eprintln!("skipped: {error}");
                None
            }
            other => Some(other),
        }
    }

    fn log_of(result: Result<Compiled, DeviceError>) -> String {
        match result {
            Err(DeviceError::Compile { log, .. }) => log,
            other => panic!("compiled: {other:?}"),
        }
    }

    #[test]
    fn the_kernels_around_a_sample_compile_for_every_architecture() {
        use super::super::{canary, timing};
        for (source, kernels) in [(timing::SOURCE, &timing::KERNELS[..]), (canary::SOURCE, &canary::KERNELS[..])] {
            for architecture in ARCHITECTURES {
                let Some(compiled) = attempt(&code(source), architecture, kernels) else { return };
                let compiled = compiled.unwrap();
                assert!(compiled.cubin.starts_with(b"\x7fELF"), "{architecture}");
                assert_eq!(compiled.lowered[kernels[0]], kernels[0]);
                assert!(!compiled.log.contains("warning"), "{architecture}: {}", compiled.log);
                // What is said to stay in registers does.
                assert_eq!(compiled.log.matches("0 bytes spill stores").count(), kernels.len(), "{architecture}: {}", compiled.log);
            }
        }
    }

    #[test]
    fn a_template_is_found_by_its_name_expression() {
        let unit = code("template <int N> __global__ void scale(float *x) { for (int i = 0; i < N; ++i) x[i] *= N; }\n");
        let Some(compiled) = attempt(&unit, "sm_90", &["scale<4>", "scale<8>"]) else { return };
        let compiled = compiled.unwrap();
        assert_eq!(compiled, attempt(&unit, "sm_90", &["scale<4>", "scale<8>"]).unwrap().unwrap(), "equal code, equal result");
        assert_eq!(compiled.lowered["scale<8>"], "_Z5scaleILi8EEvPf");
        assert_eq!(compiled.options, ["--gpu-architecture=sm_90", "--ptxas-options=-v", "--std=c++17"]);
        assert!(compiled.nvrtc.is_some_and(|version| version.contains('.')));
    }

    /// Kernels of the kinds that a sweep may have: a template, dynamic shared memory, a register budget, values kept in registers.
    const VARIANTS: &str = "template <int N> __global__ void add(const float *x, float *y, unsigned long long n) {\n\
        float v[N];\n\
        unsigned long long at = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x, all = gridDim.x * (unsigned long long)blockDim.x;\n\
        for (int i = 0; i < N; ++i) v[i] = at + i * all < n ? x[at + i * all] : 0.0f;\n\
        for (int i = 0; i < N; ++i) if (at + i * all < n) y[at + i * all] = v[i] * 2.0f;\n}\n\
        __global__ void __launch_bounds__(256, 4) bounded(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }\n\
        extern __shared__ float tile[];\n\
        extern \"C\" __global__ void staged(const float *x, float *y, unsigned long long *clock) {\n\
        long long start = clock64();\n\
        tile[threadIdx.x] = x[threadIdx.x];\n__syncthreads();\n\
        y[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];\n\
        if (threadIdx.x == 0) clock[0] = clock64() - start;\n}\n\
        extern \"C\" __global__ void held(const float *x, float *y) {\n\
        float v[64];\n\
        for (int i = 0; i < 64; ++i) v[i] = x[i * blockDim.x + threadIdx.x];\n\
        for (int k = 0; k < 100; ++k) for (int i = 0; i < 64; ++i) v[i] = v[i] * v[(i + 7) % 64] + v[(i + 31) % 64];\n\
        for (int i = 0; i < 64; ++i) y[i * blockDim.x + threadIdx.x] = v[i];\n}\n";

    #[test]
    fn kernels_of_every_kind_and_options_of_rows_compile_for_every_architecture() {
        let unit = code(VARIANTS);
        let build = |options: &[&str], kernels: &[&str]| Build {
            options: options.iter().map(|&option| option.to_owned()).collect(),
            kernels: kernels.iter().map(|&kernel| kernel.to_owned()).collect(),
        };
        let builds = [
            build(&[], &["add<1>", "add<8>", "bounded", "held", "staged"]),
            build(&["--maxrregcount=32"], &["held"]),
            build(&["--maxrregcount=128", "-DUNUSED"], &["held"]),
        ];
        for architecture in ARCHITECTURES {
            let all = match compile_all(&unit, architecture, &builds) {
                Err(error @ DeviceError::Missing { .. }) => return eprintln!("skipped: {error}"),
                all => all.unwrap_or_else(|error| panic!("{architecture}: {error}")),
            };
            let lowered: Vec<Vec<&str>> = all.iter().map(|built| built.lowered.keys().map(String::as_str).collect()).collect();
            assert_eq!(lowered, [&["add<1>", "add<8>", "bounded", "held", "staged"][..], &["held"], &["held"]], "{architecture}");
            assert_eq!(all[1].options.last().map(String::as_str), Some("--maxrregcount=32"));
            let spilled = |built: &Compiled| {
                let stores =
                    built.log.lines().filter_map(|line| line.split(" bytes spill stores").next()?.rsplit(' ').next()?.parse::<u32>().ok());
                stores.max().unwrap_or(0)
            };
            let (tight, ample) = (spilled(&all[1]), spilled(&all[2]));
            assert!(tight > ample, "{architecture}: 64 values do not fit in 32 registers: {tight} B and {ample} B\n{}", all[1].log);
            assert!(all.iter().all(|built| built.cubin.starts_with(b"\x7fELF")));
        }
        let mut broken = builds.to_vec();
        broken[1].options.push("-DUNUSED(".to_owned());
        broken[2].kernels.push("hold".to_owned());
        let refused = compile_all(&unit, "sm_90", &broken);
        assert!(matches!(refused, Err(DeviceError::Compile { .. })), "{refused:?}");
    }

    #[test]
    fn several_threads_compile_what_one_does() {
        let unit = code(VARIANTS);
        let build = |cap: u32| Build { options: vec![format!("--maxrregcount={cap}")], kernels: vec!["held".into(), "add<8>".into()] };
        let builds: Vec<Build> = (3..9).map(|eighth| build(eighth * 8)).collect();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| compile_all(&unit, "sm_90", &builds))
        };
        let (one, several) = (on(1), on(4));
        if let Err(error @ DeviceError::Missing { .. }) = &one {
            return eprintln!("skipped: {error}");
        }
        assert_eq!(one.unwrap(), several.unwrap());
    }

    #[test]
    fn what_machine_code_is_made_from_tells_units_apart() {
        let made = |nvrtc: &str, code: &Code, kernels: &[&str]| {
            let kernels: Vec<String> = kernels.iter().map(|&name| name.to_owned()).collect();
            made_from(nvrtc, code, &code.options, &kernels)
        };
        let plain = code("__global__ void k() {}\n");
        let with = |change: fn(&mut Code)| {
            let mut other = plain.clone();
            change(&mut other);
            made("13.0", &other, &["k"])
        };
        let all = [
            made("13.0", &plain, &["k"]),
            made("13.1", &plain, &["k"]),
            made("13.0", &plain, &["k", "l"]),
            made("13.0", &plain, &["k\n1:l"]),
            with(|code| code.device.push(' ')),
            with(|code| code.source = "b.cu".into()),
            with(|code| code.options.push("k".into())),
            with(|code| _ = code.headers.insert("a.h".into(), String::new())),
        ];
        let different: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        assert_eq!(all[0], made("13.0", &plain.clone(), &["k"]), "equal units are made from the same");
    }

    #[test]
    fn a_cache_gives_what_the_compiler_gave() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let unit = code("extern \"C\" __global__ void k(float *x) { x[0] = 1; }\n");
        let Some(fresh) = attempt(&unit, "sm_90", &["k"]) else { return };
        let fresh = fresh.unwrap();
        for _ in 0..2 {
            assert_eq!(compile_or(&cache, &unit, "sm_90", &["k".into()]), Ok(fresh.clone()));
        }
        let kept = || std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(kept(), usize::from(cfg!(target_os = "linux")));
        // A unit that looks into files of the system is compiled each time.
        let includes = code("#include \"a.h\"\n__global__ void k(float *x) { x[0] = 1; }\n");
        let includes = Code { headers: BTreeMap::from([("a.h".into(), String::new())]), ..includes };
        compile_or(&cache, &includes, "sm_90", &["k".into()]).unwrap();
        assert_eq!(kept(), usize::from(cfg!(target_os = "linux")));
    }

    #[test]
    fn errors_point_into_the_authors_file() {
        let unit = code("#line 41 \"block-size.cu\"\n__global__ void k(float *x) {\n    x[0] = nonsense;\n}\n");
        let Some(result) = attempt(&unit, "sm_90", &["k"]) else { return };
        let log = log_of(result);
        assert!(log.contains("block-size.cu(42): error") && log.contains("nonsense"), "{log}");
        let Some(result) = attempt(&code("__global__ void k(float *x) {}\n"), "sm_90", &["luma"]) else { return };
        assert!(log_of(result).contains("luma"));
        let Some(result) = attempt(&code("__global__ void k() {}\n"), "sm_1", &["k"]) else { return };
        assert!(log_of(result).contains("gpu-architecture"));
    }

    #[test]
    fn local_headers_are_given_in_memory() {
        let mut unit = code("#include \"size.h\"\n__global__ void k(float *x) { x[SIZE] = 1; }\n");
        unit.headers.insert("size.h".into(), "#define SIZE 7\n".into());
        let Some(compiled) = attempt(&unit, "sm_90", &["k"]) else { return };
        compiled.unwrap();
        unit.headers.clear();
        let Some(result) = attempt(&unit, "sm_90", &["k"]) else { return };
        assert!(log_of(result).contains("size.h"));
    }
}
