//! Turns the facts of a device into the size of the launches that lessonc brings itself.
//!
//! Must not know how they are launched. Equal devices get equal canaries, so that their times can be compared for years; one that
//! does other work gets another name.

use crate::evidence::canary::Canary;
use crate::plan::launch::DeviceFacts;

/// The size of a canary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CanaryPlan {
    /// Launches in a sample.
    pub launches: u32,
    /// What one launch does: bytes read and written, or operations.
    pub work: u64,
    /// Blocks.
    pub grid: u32,
    /// Threads a block.
    pub block: u32,
}

/// Threads a block, of either canary.
const BLOCK: u32 = 256;
/// A copy reads four times the second-level cache and writes as much, so that nothing of it is found there by the next.
const CACHES: u64 = 4;
/// Copies in a sample.
const COPIES: u32 = 4;
/// Chains of multiply-adds a thread, and links of each in a turn of the loop; as in canary.cu.
const CHAINS: u64 = 4;
const LINKS: u64 = 16;
/// Turns of the loop.
pub const TURNS: u32 = 1024;

/// Bytes that a copy reads; a multiple of a vector's.
#[must_use]
pub fn copied_bytes(gpu: &DeviceFacts) -> u64 {
    gpu.l2_bytes.saturating_mul(CACHES) / 16 * 16
}

/// The size of `canary` on `gpu`.
#[must_use]
pub fn plan(canary: Canary, gpu: &DeviceFacts) -> CanaryPlan {
    match canary {
        Canary::Copy => CanaryPlan { launches: COPIES, work: 2 * copied_bytes(gpu), grid: gpu.sms * 8, block: BLOCK },
        Canary::Fma => {
            // Four blocks are resident on an SM of any device, and eight warps for each of its schedulers hide the latency.
            let grid = gpu.sms * 4;
            let threads = u64::from(grid) * u64::from(BLOCK);
            CanaryPlan { launches: 1, work: threads * CHAINS * LINKS * u64::from(TURNS) * 2, grid, block: BLOCK }
        }
    }
}
