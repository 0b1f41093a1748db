//! Turns an installed CUDA toolkit, or NVIDIA's Python wheels, into a loaded NVRTC and a folder of headers.
//!
//! Must not let a path get into a record. Searched, in this order: what the loader finds by itself; `CUDA_HOME`, `CUDA_PATH`; the
//! folder of `nvcc`; `/usr/local/cuda`; the active Python environment; what `python3` on the PATH searches.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::api;
use crate::device::DeviceError;

/// Makes NVRTC callable.
///
/// # Errors
/// [`DeviceError::Missing`] with what to install.
pub(super) fn load_nvrtc() -> Result<(), DeviceError> {
    let load = |roots: Vec<PathBuf>| roots.iter().flat_map(|root| libraries(root)).any(|pair| api::load_nvrtc(&pair));
    if api::nvrtc_is_present() || load(toolkits()) || load(python_folders(true)) {
        return Ok(());
    }
    Err(DeviceError::Missing {
        what: "NVRTC".into(),
        why: "no libnvrtc on the loader's path, below CUDA_HOME, CUDA_PATH or nvcc, or in Python's nvidia packages".into(),
        remedy:
            "Install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc`; if it is installed elsewhere, add its folder to LD_LIBRARY_PATH"
                .into(),
    })
}

/// What tells the NVRTC that is loaded from every other one: its files, with size and time. `None` where the system doesn't show which
/// files are loaded.
pub(super) fn loaded_nvrtc() -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let library = maps.lines().filter_map(|line| line.find('/').map(|at| Path::new(&line[at..]))).find(|path| is_nvrtc(path))?;
    // Its table of built-ins is loaded by the first compilation only, and lies beside it.
    let tables = entries(library.parent()?).into_iter().filter(|path| is_table(path));
    let told = |path: &Path| {
        let metadata = path.metadata().ok()?;
        let changed = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(format!("{} {} {}", path.display(), metadata.len(), changed.as_nanos()))
    };
    let all: Option<Vec<String>> = std::iter::once(library.to_owned()).chain(tables).map(|path| told(&path)).collect();
    all.map(|all| all.join(" "))
}

/// The folder that holds CUDA's device headers (`cuda_fp16.h` and the like), if one is found.
pub(super) fn include_folder() -> Option<PathBuf> {
    let found = |roots: Vec<PathBuf>| {
        let below = ["include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"];
        roots.iter().flat_map(|root| below.iter().map(|part| root.join(part))).find(|folder| folder.join("cuda_fp16.h").is_file())
    };
    found(toolkits()).or_else(|| found(python_folders(true)))
}

/// The program `name` of the toolkit: on the PATH, below a toolkit's root, or in Python's packages.
pub(super) fn tool(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let on_path =
        std::env::var_os("PATH").iter().flat_map(std::env::split_paths).map(|folder| folder.join(&file)).find(|path| path.is_file());
    let below = |roots: Vec<PathBuf>| roots.iter().map(|root| root.join("bin").join(&file)).find(|path| path.is_file());
    on_path.or_else(|| below(toolkits())).or_else(|| below(python_folders(true)))
}

/// Folders that a toolkit may be rooted in.
fn toolkits() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(std::env::var_os).map(PathBuf::from).collect();
    for folder in std::env::var_os("PATH").iter().flat_map(std::env::split_paths) {
        let nvcc = folder.join(format!("nvcc{}", std::env::consts::EXE_SUFFIX));
        if let Ok(nvcc) = nvcc.canonicalize() {
            roots.extend(nvcc.parent().and_then(Path::parent).map(Path::to_owned));
        }
    }
    roots.push("/usr/local/cuda".into());
    roots.extend(python_folders(false));
    roots
}

/// The `nvidia/*` folders of Python's site-packages: of the active environment, or of all that `python3` searches.
fn python_folders(ask: bool) -> Vec<PathBuf> {
    let mut sites = Vec::new();
    if ask {
        let output = Command::new("python3").args(["-c", "import sys; print('\\n'.join(sys.path))"]).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        sites.extend(text.lines().filter(|line| !line.is_empty()).map(PathBuf::from));
    } else {
        for prefix in ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(std::env::var_os).map(PathBuf::from) {
            sites.extend(entries(&prefix.join("lib")).into_iter().map(|python| python.join("site-packages")));
            sites.push(prefix.join("Lib").join("site-packages"));
        }
    }
    sites.iter().flat_map(|site| entries(&site.join("nvidia"))).collect()
}

/// The NVRTC libraries below a root, the newest name first, each after its table of built-ins: NVRTC opens that by its bare name,
/// which the loader knows only once it is loaded.
fn libraries(root: &Path) -> Vec<Vec<PathBuf>> {
    let below = ["lib64", "lib", "bin", "bin/x86_64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
    let mut found = Vec::new();
    for part in below {
        let files = entries(&root.join(part));
        let tables: Vec<&PathBuf> = files.iter().filter(|path| is_table(path)).collect();
        for library in files.iter().rev().filter(|path| is_nvrtc(path)) {
            found.push(tables.iter().copied().chain([library]).cloned().collect());
        }
    }
    found
}

/// Whether a file is NVRTC and not its table of built-ins, its other build or a stub.
fn is_nvrtc(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (name.starts_with("libnvrtc.so") || (name.starts_with("nvrtc64_") && name.ends_with(".dll"))) && !name.contains("alt")
}

/// Whether a file is NVRTC's table of built-ins.
fn is_table(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (name.starts_with("libnvrtc-builtins.so") || (name.starts_with("nvrtc-builtins64_") && name.ends_with(".dll"))) && !name.contains("alt")
}

/// What a folder holds, by name; nothing if it is none.
fn entries(folder: &Path) -> BTreeSet<PathBuf> {
    std::fs::read_dir(folder).map(|all| all.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_compiler_itself_is_taken() {
        let cases = [
            ("lib/libnvrtc.so.13", true),
            ("lib/libnvrtc.so", true),
            ("bin/nvrtc64_130_0.dll", true),
            ("lib/libnvrtc-builtins.so.13.0", false),
            ("lib/libnvrtc.alt.so.13", false),
            ("bin/nvrtc64_130_0.alt.dll", false),
            ("lib/libnvrtc_static.a", false),
        ];
        for (path, expected) in cases {
            assert_eq!(is_nvrtc(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn the_newest_library_of_a_root_comes_first() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("lib")).unwrap();
        for name in ["libnvrtc.so.12", "libnvrtc.so.13", "libother.so", "libnvrtc-builtins.so.13.0"] {
            std::fs::write(root.path().join("lib").join(name), "").unwrap();
        }
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        let names: Vec<Vec<String>> = libraries(root.path()).iter().map(|pair| pair.iter().map(name).collect()).collect();
        let table = "libnvrtc-builtins.so.13.0";
        assert_eq!(names, [[table, "libnvrtc.so.13"], [table, "libnvrtc.so.12"]]);
        assert!(entries(&root.path().join("no")).is_empty());
    }
}
