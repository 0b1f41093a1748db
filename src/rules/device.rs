//! Holds the runs of a device to each other: what is in a card's silicon is the same in every run of it.
//!
//! Must not know what a card should have; the runs say it, and those that are alone with what they say are the odd ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;
use crate::evidence::Run;
use crate::plan::launch::DeviceFacts;

pub(super) static RULE: Rule = Rule {
    id: "evidence-device",
    protects: "readers from a record of another card that was given this one's name, or whose facts were edited",
    example: "a run of nvidia-h200 says that it has 114 SMs, and three others say 132",
    occasion: Occasion::Build,
    check: Check::Whole(check),
};

/// What no driver or setting changes: clocks and memory follow settings, the rest is how the card was made.
fn silicon(gpu: &DeviceFacts) -> [(&'static str, u64); 13] {
    let (major, minor) = gpu.compute_capability;
    [
        ("compute capability times ten", u64::from(major) * 10 + u64::from(minor)),
        ("SMs", gpu.sms.into()),
        ("threads a warp", gpu.warp_size.into()),
        ("threads an SM", gpu.threads_per_sm.into()),
        ("blocks an SM", gpu.blocks_per_sm.into()),
        ("threads a block", gpu.threads_per_block.into()),
        ("registers an SM", gpu.registers_per_sm.into()),
        ("registers a block", gpu.registers_per_block.into()),
        ("bytes of shared memory an SM", gpu.shared_bytes_per_sm.into()),
        ("bytes of shared memory a block", gpu.shared_bytes_per_block.into()),
        ("bytes of shared memory a block that opts in", gpu.shared_bytes_per_block_optin.into()),
        ("bytes of second-level cache", gpu.l2_bytes),
        ("bits of memory bus", gpu.memory_bus_bits.into()),
    ]
}

fn check(checked: &Checked<'_>, problems: &mut Problems) {
    let mut devices: BTreeMap<&str, Vec<(&Arc<Run>, &DeviceFacts)>> = BTreeMap::new();
    for run in checked.evidence.all() {
        if let Some(gpu) = &run.record.header.identity.gpu {
            devices.entry(run.device()).or_default().push((run, gpu));
        }
    }
    for (device, runs) in devices {
        let all: Vec<_> = runs.iter().map(|(_, gpu)| silicon(gpu)).collect();
        let mut alike: BTreeMap<&[(&str, u64); 13], usize> = BTreeMap::new();
        all.iter().for_each(|facts| *alike.entry(facts).or_default() += 1);
        let agreeing = |facts: &[(&str, u64); 13]| alike.get(facts).copied().unwrap_or_default();
        // Of several that are as many, the first: two runs that differ are one problem, not two.
        let Some(usual) = all.iter().rev().max_by_key(|facts| agreeing(facts)) else { continue };
        for ((run, _), facts) in runs.iter().zip(&all) {
            let differing = facts.iter().zip(usual).find(|(own, other)| own != other);
            let Some(((what, own), (_, other))) = differing else { continue };
            let others = match agreeing(usual) {
                1 => "another run of it says".to_owned(),
                count => format!("{count} other runs of it say"),
            };
            let message = format!("the run says that {device} has {own} {what}, and {others} {other}");
            problems.push(
                Problem::error(RULE.id, Span::top(&run.name), message)
                    .hint("one name is one card: restore the record from version control, or delete it and measure again"),
            );
        }
    }
}
