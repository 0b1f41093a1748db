//! Turns what a profiler counted in a row's launches into a line of a record, and finds where such a record contradicts itself.
//!
//! Must not know profilers. Counters never supply a time: a kernel under a profiler runs otherwise than by itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::plan::fingerprint::Fingerprint;

use super::consistent::{Contradiction, footer, holds, time};
use super::record::{Outcome, Record};

/// A row of a profile sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowProfiled {
    /// Index of the row among the planned rows.
    pub row: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// The profiled launches, in order: values by metric, in bytes, nanoseconds, percent or numbers.
    pub launches: Vec<BTreeMap<String, f64>>,
    /// What limits the blocks on an SM, in words.
    pub limited_by: Option<String>,
}

/// Fewest profiled launches of a row.
pub const LEAST_LAUNCHES: usize = 3;
/// The metric of achieved occupancy, percent.
pub const ACHIEVED: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";
/// The metric of theoretical occupancy, percent.
pub const THEORETICAL: &str = "sm__maximum_warps_per_active_cycle_pct";
/// The metric of bytes moved to and from memory.
pub const DRAM_BYTES: &str = "dram__bytes.sum";
/// Time under the profiler: a diagnosis of the pass, never a time of the kernel.
pub const DURATION: &str = "gpu__time_duration.sum";
/// What limits the blocks on an SM: blocks that each allows.
pub const LIMITS: [(&str, &str); 4] = [
    ("launch__occupancy_limit_blocks", "blocks"),
    ("launch__occupancy_limit_registers", "registers"),
    ("launch__occupancy_limit_shared_mem", "shared memory"),
    ("launch__occupancy_limit_warps", "warps"),
];
/// The counter may exceed the limit by this much, points: it is an average that is rounded.
pub const TOLERANCE: f64 = 0.5;

impl Record {
    /// What was profiled of row `row`.
    #[must_use]
    pub fn profiled_of(&self, row: usize) -> Option<&RowProfiled> {
        self.profiled.iter().find(|profiled| profiled.row as usize == row)
    }

    /// The share of an SM's warps that the driver lets row `row` have, as a whole number of threads over all.
    #[must_use]
    pub fn theoretical(&self, row: usize) -> Option<(u32, u32)> {
        let gpu = self.header.identity.gpu.as_ref()?;
        let row = self.rows.get(row)?;
        let (launch, residency) = (row.launch.as_ref()?, row.residency.as_ref()?);
        let warp = gpu.warp_size.max(1);
        let threads: u32 = launch.shape.block.iter().try_fold(1_u32, |product, &side| product.checked_mul(side))?;
        Some((residency.blocks_per_sm.checked_mul(threads.div_ceil(warp))?.checked_mul(warp)?, gpu.threads_per_sm))
    }
}

/// The first line at which `record`, which is of a profile sweep, contradicts itself.
pub(super) fn first_fault(record: &Record) -> Result<(), (usize, String)> {
    header(record).map_err(|why| (1, why))?;
    let first = 2 + record.rows.len();
    let asked = record.asked();
    for (index, profiled) in record.profiled.iter().enumerate() {
        let in_order = asked.get(index) == Some(&profiled.row);
        holds(in_order, || format!("row {} comes out of order", profiled.row)).map_err(|why| (first + index, why))?;
        row(profiled).map_err(|why| (first + index, format!("row {} {why}", profiled.row)))?;
    }
    let all = record.profiled.len() == record.rows.iter().filter(|row| row.skipped.is_none()).count();
    holds(all || !record.is_complete(), || "the run is said to be complete, and rows are missing".to_owned())
        .and_then(|()| footer(record))
        .map_err(|why| (first + record.profiled.len(), why))
}

fn header(record: &Record) -> Contradiction {
    let (header, identity) = (&record.header, &record.header.identity);
    time(&header.started)?;
    let slug = identity.gpu.as_ref().map(crate::plan::launch::DeviceFacts::slug);
    holds(slug.as_ref() == Some(&header.device), || format!("the GPU is not the device `{}`", header.device))?;
    let digest = Fingerprint::of(header.fingerprint_lines.clone()).digest;
    holds(digest == identity.fingerprint, || "the fingerprint is not the digest of its lines".to_owned())
}

fn row(profiled: &RowProfiled) -> Contradiction {
    let count = profiled.launches.len();
    let ok = profiled.outcome == Outcome::Ok;
    holds(ok == (count > 0), || format!("is `{}` with {count} launches", profiled.outcome.word()))?;
    holds(!ok || count >= LEAST_LAUNCHES, || format!("has {count} profiled launches, and {LEAST_LAUNCHES} are the least"))?;
    let mut values = profiled.launches.iter().flat_map(BTreeMap::values);
    holds(values.all(|value| value.is_finite() && *value >= 0.0), || "has a counter that counts backwards".to_owned())
}
