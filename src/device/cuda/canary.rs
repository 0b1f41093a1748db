//! Turns the canaries into launches on memory of their own, made when the first is asked for.
//!
//! Must not time them; a sample is taken of a canary as of a row.

use super::api::{Arguments, Failure, Gpu, Memory, Module};
use super::timing::Staged;
use crate::device::canary::{CanaryPlan, TURNS, copied_bytes, plan};
use crate::device::host::number_bytes;
use crate::evidence::canary::Canary;
use crate::plan::launch::{Argument, DeviceFacts};

/// The source of the canaries' kernels.
pub(super) const SOURCE: &str = include_str!("canary.cu");
/// Their names in it.
pub(super) const KERNELS: [&str; 2] = ["canary_copy", "canary_fma"];

/// Both canaries, ready to be launched.
pub(super) struct Canaries {
    copy: Staged,
    fma: Staged,
    _memory: [Memory; 3],
}

impl Canaries {
    /// The canaries of `module`, which was made from [`SOURCE`]; `None` where the device has too little memory left for a copy.
    pub(super) fn new(gpu: &Gpu, module: &Module, facts: &DeviceFacts) -> Result<Option<Self>, Failure> {
        let bytes = copied_bytes(facts);
        let (free, _) = gpu.free_bytes()?;
        let Some(size) = usize::try_from(bytes).ok().filter(|_| bytes.saturating_mul(2) < free as u64) else { return Ok(None) };
        let (from, to, sink) = (gpu.memory(size)?, gpu.memory(size)?, gpu.memory(4)?);
        // No zeros: what is moved costs power, and so does a bit that changes.
        gpu.fill(&from, from.bytes(), 0x5A)?;
        gpu.fill(&to, to.bytes(), 0xA5)?;
        let cell = |value: u64| value.to_ne_bytes();
        let staged = |kernel: &str, plan: CanaryPlan, arguments: Vec<[u8; 8]>| -> Result<Staged, Failure> {
            let (grid, block) = ([plan.grid, 1, 1], [plan.block, 1, 1]);
            Ok(Staged { function: module.function(kernel)?, grid, block, shared: 0, arguments: Arguments::new(arguments) })
        };
        let copied = vec![cell(to.address()), cell(from.address()), cell(bytes / 16)];
        let numbers = [Argument::U32(TURNS), Argument::F32(0.999), Argument::F32(0.001)];
        let mut multiplied = vec![cell(sink.address())];
        multiplied.extend(numbers.iter().map(number_bytes));
        let copy = staged(KERNELS[0], plan(Canary::Copy, facts), copied)?;
        let fma = staged(KERNELS[1], plan(Canary::Fma, facts), multiplied)?;
        Ok(Some(Self { copy, fma, _memory: [from, to, sink] }))
    }

    /// The launch of `canary`.
    pub(super) fn staged(&self, canary: Canary) -> &Staged {
        match canary {
            Canary::Copy => &self.copy,
            Canary::Fma => &self.fma,
        }
    }
}
