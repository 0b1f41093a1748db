//! Turns machine code into the opcodes of its kernels, with a disassembler of NVIDIA's where one is installed.
//!
//! Must not let a path get into a record. Two programs print the same lines: `nvdisasm`, and `cuobjdump`, which calls it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use super::toolkit;
use crate::base::sass::Opcodes;
use crate::device::paths::without_paths;

/// The disassemblers that are tried, each with the options that make it list code.
const PROGRAMS: [(&str, &[&str]); 2] = [("nvdisasm", &["--print-code"]), ("cuobjdump", &["--dump-sass"])];

/// A disassembler that was found and answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disassembler {
    program: PathBuf,
    options: &'static [&'static str],
    /// What it is, such as `nvdisasm 13.0.85`.
    pub version: String,
}

impl Disassembler {
    /// The first that is installed: in the toolkit, on the PATH or among Python's packages.
    ///
    /// # Errors
    /// One sentence that says what to install.
    pub fn find() -> Result<Self, String> {
        let found = PROGRAMS.iter().find_map(|(name, options)| {
            let program = toolkit::tool(name)?;
            let version = version(&Command::new(&program).arg("--version").output().ok()?.stdout)?;
            Some(Self { program, options, version: format!("{name} {version}") })
        });
        found.ok_or_else(|| {
            "neither nvdisasm nor cuobjdump is installed: they come with the CUDA toolkit and with `pip install nvidia-cuda-nvdisasm`"
                .to_owned()
        })
    }

    /// The opcodes of every kernel of `cubin`, by its symbol.
    ///
    /// # Errors
    /// Why the program lists nothing; one sentence without paths.
    pub(super) fn opcodes(&self, cubin: &[u8]) -> Result<BTreeMap<String, Opcodes>, String> {
        let failed = |why: &dyn std::fmt::Display| format!("{} can't list the code: {}", self.version, without_paths(&why.to_string()));
        let mut file = tempfile::Builder::new().suffix(".cubin").tempfile().map_err(|error| failed(&error))?;
        file.write_all(cubin).and_then(|()| file.flush()).map_err(|error| failed(&error))?;
        let output = Command::new(&self.program).args(self.options).arg(file.path()).output().map_err(|error| failed(&error))?;
        let opcodes = opcodes(&String::from_utf8_lossy(&output.stdout));
        if !output.status.success() || opcodes.is_empty() {
            let words = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
            return Err(failed(if words.is_empty() { &output.status } else { &words }));
        }
        Ok(opcodes)
    }
}

/// `13.0.85` out of `…, release 13.0, V13.0.85`.
fn version(printed: &[u8]) -> Option<String> {
    let printed = String::from_utf8_lossy(printed);
    let version = printed.lines().find_map(|line| line.split_once("release "))?.1.rsplit_once('V')?.1.trim();
    (!version.is_empty() && version.bytes().all(|b| b.is_ascii_digit() || b == b'.')).then(|| version.to_owned())
}

/// The opcodes of every function in a listing. What pads a function after its last instruction is left out.
fn opcodes(listing: &str) -> BTreeMap<String, Opcodes> {
    let mut functions: BTreeMap<String, Opcodes> = BTreeMap::new();
    let mut current = None;
    for line in listing.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("Function : ") {
            current = Some(name.trim());
        } else if let Some(section) = line.strip_prefix(".section\t").or_else(|| line.strip_prefix(".section ")) {
            current = section.trim().strip_prefix(".text.").map(|name| name.split(',').next().unwrap_or_default());
        } else if let (Some(name), Some(opcode)) = (current, opcode(line)) {
            functions.entry(name.to_owned()).or_default().push(opcode);
        }
    }
    functions.values_mut().for_each(|opcodes| opcodes.trim_end("NOP"));
    functions
}

/// The opcode of a line `/*0010*/ @!P0 BRA …;`: what follows the address and, if there is one, the predicate.
fn opcode(line: &str) -> Option<&str> {
    let (address, rest) = line.strip_prefix("/*")?.split_once("*/")?;
    if address.is_empty() || !address.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let mut words = rest.split([' ', '\t', ';']).filter(|word| !word.is_empty());
    words.find(|word| !word.starts_with('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_programs_lines_are_read() {
        let nvdisasm = "\t.target\tsm_90\n\n//--------------------- .text.l --------------------------\n\
            \t.section\t.text.l,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=62\"\n\t.align\t128\n        .global         l\nl:\n.text.l:\n\
            \x20       /*0000*/                   LDC R1, c[0x0][0x28] ;\n        /*0010*/              @!P0 BRA `(.L_x_1) ;\n\
            \x20       .type           $l$_Z6helperfi,@function\n$l$_Z6helperfi:\n.L_x_1:\n\
            \x20       /*0020*/                   LDG.E R2, desc[UR4][R2.64] ;\n        /*0030*/                   LDG.E R3, desc[UR4][R2.64+0x4] ;\n\
            \x20       /*0040*/               @P1 EXIT ;\n        /*0050*/                   NOP;\n        /*0060*/                   NOP;\n.L_x_3:\n\
            \t.section\t.nv.constant3,\"a\",@progbits\n        /*0000*/ \t.byte\t0x04, 0x2f\n\
            \t.section\t.text._Z1kv,\"ax\",@progbits\n        /*0000*/                   EXIT ;\n";
        let cuobjdump = "\tcode for sm_90\n\t\tFunction : l\n\t.headerflags\t@\"EF_CUDA_SM90\"\n\
            \x20       /*0000*/                   LDC R1, c[0x0][0x28] ;      /* 0x00000a00ff017624 */\n\
            \x20                                                              /* 0x000fc800078e00ff */\n\
            \x20       /*0010*/              @!P0 BRA 0x20 ;                  /* 0x0000580000047ab9 */\n\
            \x20       /*0020*/                   LDG.E R2, [R2.64] ;         /* 0x0000580000047ab9 */\n\
            \x20       /*0030*/                   LDG.E R3, [R2.64+0x4] ;     /* 0x0000580000047ab9 */\n\
            \x20       /*0040*/               @P1 EXIT ;                      /* 0x0000580000047ab9 */\n\
            \x20       /*0050*/                   NOP;                        /* 0x0000580000047ab9 */\n\t\t..........\n\n\
            \t\tFunction : _Z1kv\n        /*0000*/                   EXIT ;\n";
        for listing in [nvdisasm, cuobjdump] {
            let found = opcodes(listing);
            let texts: Vec<(&str, String)> = found.iter().map(|(name, opcodes)| (name.as_str(), opcodes.to_string())).collect();
            assert_eq!(texts, [("_Z1kv", "EXIT".to_owned()), ("l", "LDC BRA LDG.E*2 EXIT".to_owned())]);
        }
        assert!(opcodes("nvdisasm error   : Unrecognized elf\n").is_empty());
    }

    #[test]
    fn a_version_is_a_number() {
        let printed = b"nvdisasm: NVIDIA (R) CUDA disassembler\nCuda compilation tools, release 13.2, V13.2.86\nBuild cuda_13.2.r13.2\n";
        assert_eq!(version(printed).as_deref(), Some("13.2.86"));
        assert_eq!(version(b"command not found"), None);
    }
}
