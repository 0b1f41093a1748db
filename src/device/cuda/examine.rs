//! Turns a compiled unit into exact facts of its kernels: registers, stack, spills, memory, opcodes; needs no GPU.
//!
//! Must not choose what is compiled, nor count anything: counts are computed from the opcodes by whoever wants them.

use std::collections::BTreeMap;

pub use super::disassembler::Disassembler;

use super::compile::Compiled;
use super::{api, cubin, ptxas, toolkit};
use crate::device::DeviceError;
use crate::evidence::compiled::CompileFacts;

/// What the toolkit of this machine can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolkit {
    /// NVRTC's version, such as `13.0`.
    pub nvrtc: String,
    /// The architectures that it compiles for, such as `sm_90`, in ascending order.
    pub architectures: Vec<String>,
    /// The disassembler, or why there is none.
    pub disassembler: Result<Disassembler, String>,
}

impl Toolkit {
    /// The one that is installed.
    ///
    /// # Errors
    /// [`DeviceError::Missing`] without NVRTC.
    pub fn find() -> Result<Self, DeviceError> {
        toolkit::load_nvrtc()?;
        let silent = |what: &str| DeviceError::Other(format!("NVRTC does not say {what}"));
        let (major, minor) = api::nvrtc_version().ok_or_else(|| silent("its version"))?;
        let architectures = api::nvrtc_architectures().ok_or_else(|| silent("which architectures it compiles for"))?;
        Ok(Self {
            nvrtc: format!("{major}.{minor}"),
            architectures: architectures.iter().map(|number| format!("sm_{number}")).collect(),
            disassembler: Disassembler::find(),
        })
    }
}

/// What a unit's kernels use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The facts of each kernel, by the name that it was asked for by.
    pub kernels: BTreeMap<String, CompileFacts>,
    /// Why there are no opcodes, if there are none.
    pub without_opcodes: Option<String>,
}

/// The facts of every kernel of `compiled` that was asked for.
///
/// # Errors
/// When the compiler did not say what a kernel uses.
pub fn examine(compiled: &Compiled, disassembler: &Result<Disassembler, String>) -> Result<Examined, DeviceError> {
    let usages = ptxas::usages(&compiled.log);
    let const_bytes =
        cubin::constant_bytes(&compiled.cubin).ok_or_else(|| DeviceError::Other("NVRTC's machine code is no ELF file".into()))?;
    let listed = disassembler.as_ref().map_err(Clone::clone).and_then(|disassembler| disassembler.opcodes(&compiled.cubin));
    let mut kernels = BTreeMap::new();
    for (name, symbol) in &compiled.lowered {
        let usage = usages.get(symbol).ok_or_else(|| {
            DeviceError::Other(format!("the compiler's messages do not say what `{name}` uses; do the options silence them?"))
        })?;
        let facts = CompileFacts {
            registers: usage.registers,
            stack_bytes: usage.stack_bytes,
            spill_store_bytes: usage.spill_store_bytes,
            spill_load_bytes: usage.spill_load_bytes,
            static_shared_bytes: usage.shared_bytes,
            const_bytes,
            opcodes: listed.as_ref().ok().and_then(|all| all.get(symbol).cloned()),
        };
        kernels.insert(name.clone(), facts);
    }
    let lacking = kernels.values().any(|facts| facts.opcodes.is_none());
    let without_opcodes = lacking.then(|| listed.err().unwrap_or_else(|| "the disassembler lists no code of a kernel".to_owned()));
    Ok(Examined { kernels, without_opcodes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sass::OpcodePattern;
    use crate::device::cuda::compile::compile;
    use crate::plan::launch::Code;

    const SPILL: &str = "__constant__ float table[64];\n\
        template <int N> __global__ void spill(const float *x, float *y, int n)\n{\n    __shared__ float tile[128];\n    float a[N];\n\
        #pragma unroll\n    for (int i = 0; i < N; ++i) a[i] = x[i * n + threadIdx.x] * table[i];\n    tile[threadIdx.x & 127] = a[0];\n\
        __syncthreads();\n    for (int k = 0; k < n; ++k) {\n#pragma unroll\n        for (int i = 0; i < N; ++i)\n\
        a[i] = a[i] * a[(i + 7) % N] + tile[(i + k) & 127];\n    }\n#pragma unroll\n    for (int i = 0; i < N; ++i)\n\
        y[i * n + threadIdx.x] = a[i];\n}\n\
        __global__ void frame(float *y, int n)\n{\n    float local[200];\n    for (int i = 0; i < 200; ++i) local[i] = y[i];\n    y[0] = local[n];\n}\n";

    fn examined(toolkit: &Toolkit, architecture: &str, options: &[&str]) -> Examined {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let code = Code { source: "spill.cu".into(), device: SPILL.into(), host: String::new(), headers: BTreeMap::new(), options };
        let compiled = compile(&code, architecture, &["spill<64>".to_owned(), "frame".to_owned()]).expect("it compiles");
        examine(&compiled, &toolkit.disassembler).expect("the compiler says what they use")
    }

    /// The toolkit, or `None` and a message where NVRTC is not installed.
    fn toolkit() -> Option<Toolkit> {
        match Toolkit::find() {
            Err(error @ DeviceError::Missing { .. }) => {
                eprintln!("skipped: {error}");
                None
            }
            other => Some(other.expect("NVRTC answers")),
        }
    }

    #[test]
    fn facts_of_a_kernel_that_spills_are_plausible_and_repeat() {
        let Some(toolkit) = toolkit() else { return };
        for architecture in ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"] {
            assert!(toolkit.architectures.iter().any(|known| known == architecture), "{architecture}: {:?}", toolkit.architectures);
            let (free, tight) = (examined(&toolkit, architecture, &[]), examined(&toolkit, architecture, &["--maxrregcount=32"]));
            let [free_spill, tight_spill] = [&free, &tight].map(|examined| &examined.kernels["spill<64>"]);
            assert!(free_spill.registers > 64 && free_spill.spill_store_bytes == 0, "{architecture}: {free_spill:?}");
            assert!(tight_spill.registers <= 32, "{architecture}: {tight_spill:?}");
            assert!(tight_spill.spill_store_bytes >= 4 * 32 && tight_spill.spill_load_bytes >= 4 * 32, "{architecture}: {tight_spill:?}");
            assert!(tight_spill.stack_bytes >= 4 * 32, "{architecture}: {tight_spill:?}");
            assert_eq!((free_spill.static_shared_bytes, free_spill.const_bytes), (512, 256), "{architecture}");
            let frame = &free.kernels["frame"];
            assert_eq!((frame.stack_bytes, frame.spill_store_bytes, frame.static_shared_bytes), (800, 0, 0), "{architecture}");
            assert_eq!(free, examined(&toolkit, architecture, &[]), "{architecture}: equal code, equal facts");
        }
    }

    #[test]
    fn opcodes_agree_with_what_the_compiler_says() {
        let Some(toolkit) = toolkit() else { return };
        if let Err(why) = &toolkit.disassembler {
            eprintln!("skipped: {why}");
            return;
        }
        for architecture in ["sm_75", "sm_90", "sm_120"] {
            let (free, tight) = (examined(&toolkit, architecture, &[]), examined(&toolkit, architecture, &["--maxrregcount=32"]));
            assert_eq!((&free.without_opcodes, &tight.without_opcodes), (&None, &None));
            let count = |examined: &Examined, pattern: &str| {
                let opcodes = examined.kernels["spill<64>"].opcodes.as_ref().expect("they were listed");
                opcodes.count(&OpcodePattern::parse(pattern).expect("an opcode"))
            };
            assert_eq!((count(&free, "STL"), count(&free, "LDL")), (0, 0), "{architecture}: no spills, no local memory");
            assert!(count(&tight, "STL") > 0 && count(&tight, "LDL") > 0, "{architecture}");
            assert!(count(&free, "LDG") == 64 && count(&free, "STG") == 64, "{architecture}: one load and one store an element");
            assert!(count(&free, "FFMA") >= 64, "{architecture}");
        }
    }

    #[test]
    fn silenced_messages_are_an_error_and_not_a_zero() {
        let Some(toolkit) = toolkit() else { return };
        let code = Code {
            source: "k.cu".into(),
            device: "__global__ void k() {}".into(),
            host: String::new(),
            headers: BTreeMap::new(),
            options: Vec::new(),
        };
        let mut compiled = compile(&code, "sm_90", &["k".to_owned()]).expect("it compiles");
        compiled.log.clear();
        assert!(matches!(examine(&compiled, &toolkit.disassembler), Err(DeviceError::Other(why)) if why.contains("`k`")));
    }
}
