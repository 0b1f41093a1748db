//! Turns a device unit into machine code for one architecture, with the names that its kernels got; needs no GPU.
//!
//! Must not choose options beyond those that a record shows.

use std::collections::BTreeMap;

use super::{api, toolkit};
use crate::device::DeviceError;
use crate::device::paths::without_paths;
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
    /// All options in order, paths left out.
    pub options: Vec<String>,
    /// NVRTC's version, such as `13.0`.
    pub nvrtc: Option<String>,
}

/// Compiles the device unit of `code` for `architecture` (`sm_90`); `kernels` are plain names or name expressions.
///
/// # Errors
/// [`DeviceError::Missing`] without NVRTC, [`DeviceError::Compile`] with the author's file and line.
pub fn compile(code: &Code, architecture: &str, kernels: &[String]) -> Result<Compiled, DeviceError> {
    toolkit::load_nvrtc()?;
    let mut options = vec![format!("--gpu-architecture={architecture}"), "--ptxas-options=-v".to_owned()];
    options.extend(code.options.iter().cloned());
    let mut given = options.clone();
    // Headers of the toolkit are found only where a unit asks for one: a plain kernel compiles the same with and without it.
    if code.device.contains("#include") || code.headers.values().any(|text| text.contains("#include")) {
        given.extend(toolkit::include_folder().map(|folder| format!("--include-path={}", folder.display())));
    }
    let nvrtc = api::nvrtc_version().map(|(major, minor)| format!("{major}.{minor}"));
    match api::compile(&code.device, &code.source, &code.headers, &given, kernels) {
        Ok(unit) if unit.cubin.is_empty() => Err(DeviceError::Other(format!(
            "NVRTC made no machine code for {architecture}; the options may ask for `compute_` instead of `sm_`"
        ))),
        Ok(unit) => Ok(Compiled { cubin: unit.cubin, lowered: unit.lowered, log: without_paths(&unit.log), options, nvrtc }),
        Err(log) => Err(DeviceError::Compile { compiler: "nvrtc".into(), log: without_paths(&log) }),
    }
}
