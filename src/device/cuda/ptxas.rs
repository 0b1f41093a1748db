//! Turns the messages of `--ptxas-options=-v` into what each kernel of a unit uses, by its symbol.
//!
//! Must not know which kernel a row asks for.

use std::collections::BTreeMap;

/// What the assembler says of one kernel. Functions that it calls and that were not inlined have messages of their own, which
/// do not count here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Registers a thread.
    pub(super) registers: u32,
    /// Its stack frame, bytes a thread.
    pub(super) stack_bytes: u32,
    /// Bytes stored to local memory for want of registers.
    pub(super) spill_store_bytes: u32,
    /// Bytes loaded from there.
    pub(super) spill_load_bytes: u32,
    /// Static shared memory a block, bytes.
    pub(super) shared_bytes: u32,
}

/// The usage of every kernel that `log` says all of: that it was compiled, its stack and spills, and its registers.
pub(super) fn usages(log: &str) -> BTreeMap<String, Usage> {
    let mut usages = BTreeMap::new();
    let (mut kernel, mut function) = ("", "");
    let mut usage = None;
    for line in log.lines() {
        if let Some(rest) = after(line, "Compiling entry function '") {
            (kernel, usage) = (rest.split('\'').next().unwrap_or_default(), None);
        } else if let Some(name) = after(line, "Function properties for ") {
            function = name.trim();
        } else if line.contains("bytes stack frame") {
            let [stack_bytes, spill_store_bytes, spill_load_bytes] =
                ["bytes stack frame", "bytes spill stores", "bytes spill loads"].map(|what| number_before(line, what).unwrap_or(0));
            if function == kernel {
                usage = Some(Usage { stack_bytes, spill_store_bytes, spill_load_bytes, ..Usage::default() });
            }
        } else if let Some(rest) = after(line, "Used ")
            && let Some(usage) = usage.take()
            && let Some(registers) = number_before(rest, "registers")
        {
            let shared_bytes = number_before(rest, "bytes smem").unwrap_or(0);
            usages.insert(kernel.to_owned(), Usage { registers, shared_bytes, ..usage });
        }
    }
    usages
}

fn after<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    line.split_once(words).map(|(_, rest)| rest)
}

/// The number that stands before `words` in `text`.
fn number_before(text: &str, words: &str) -> Option<u32> {
    let (before, _) = text.split_once(words)?;
    before.split_whitespace().next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage([registers, stack_bytes, spill_store_bytes, spill_load_bytes, shared_bytes]: [u32; 5]) -> Usage {
        Usage { registers, stack_bytes, spill_store_bytes, spill_load_bytes, shared_bytes }
    }

    #[test]
    fn each_kernel_of_a_unit_has_its_own() {
        // As NVRTC 13.0 prints it for sm_90, with one option that overrides and a function that was not inlined.
        let log = "ptxas info    : Overriding maximum register limit 256 for 'spill' with  32 of maxrregcount option\n\
            ptxas info    : 0 bytes gmem, 256 bytes cmem[3]\n\
            ptxas info    : Compiling entry function 'l' for 'sm_90'\n\
            ptxas info    : Function properties for l\n\
            ptxas         .     160 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
            ptxas info    : Used 26 registers, used 0 barriers, 160 bytes cumulative stack size\n\
            ptxas info    : Function properties for _Z6helperfi\n\
            ptxas         .     8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n\
            ptxas info    : Compiling entry function '_Z5spillILi64EEvPKfPfi' for 'sm_90'\n\
            ptxas info    : Function properties for _Z5spillILi64EEvPKfPfi\n\
            ptxas         .     840 bytes stack frame, 1248 bytes spill stores, 1292 bytes spill loads\n\
            ptxas info    : Used 32 registers, used 1 barriers, 840 bytes cumulative stack size, 512 bytes smem\n";
        let expected = [("_Z5spillILi64EEvPKfPfi", usage([32, 840, 1248, 1292, 512])), ("l", usage([26, 160, 0, 0, 0]))];
        assert_eq!(usages(log), expected.map(|(name, usage)| (name.to_owned(), usage)).into());
    }

    #[test]
    fn older_messages_and_those_of_sm_75_are_read_too() {
        let log = "ptxas info    : Compiling entry function 'axpy' for 'sm_75'\n\
            ptxas info    : Function properties for axpy\n    0 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n\
            ptxas info    : Used 10 registers, 16 bytes smem, 380 bytes cmem[0]\n";
        assert_eq!(usages(log), [("axpy".to_owned(), usage([10, 0, 4, 8, 16]))].into());
    }

    #[test]
    fn a_log_that_does_not_say_it_gives_nothing() {
        let cut = "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Function properties for k\n";
        let other = "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Function properties for f\n\
            ptxas         .     8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : Used 9 registers\n";
        for log in ["", "a.cu(3): warning #177-D: variable was declared but never referenced", cut, other] {
            assert_eq!(usages(log), BTreeMap::new(), "{log}");
        }
    }
}
