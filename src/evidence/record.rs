//! Turns a run into lines of JSON and back: a versioned header, the rows as planned, a line a row and round, a footer.
//!
//! Must not know the course: a record can be read, checked and shown in ten years without its sources at hand. The
//! format holds every field from the first version on; what could not be learned is `null`, with its reason under
//! `unknown`. Times are integer nanoseconds, never quotients.

mod data;
mod kind;
mod outcome;
mod private;
pub(super) mod samples;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::compiled::RowCompiled;
use super::output::Output;
use super::profiled::RowProfiled;
use crate::base::digest::Digest;
use crate::base::name::same_label;
use crate::base::statistics::median_of;
use crate::course::sweep::TimingPolicy;
use crate::plan::launch::{BufferPlan, Check, Code, Data, DeviceFacts, HostCall, Launch, Read, Residency};

use super::canary::CanaryResult;

pub use self::kind::RunKind;
pub use self::outcome::Outcome;
pub use self::private::Private;

/// The version of the format that this program writes. From the second on, lines of a row or a canary in a round leave out or tell shortly
/// what is as one expects (`evidence::lines`); what they say is the same.
pub const VERSION: u32 = 2;

/// A span counts from this many of the timer's ticks on: its last tick is then half a percent of it.
pub const LEAST_TICKS: u64 = 200;

/// One run, whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The first line.
    pub header: Header,
    /// One line a planned row, in the order of the plan.
    pub rows: Vec<RowPlan>,
    /// One line a row and round, in the order they were measured.
    pub results: Vec<RowResult>,
    /// One line a canary and round, in the order they were measured; empty where the device has none.
    pub canaries: Vec<CanaryResult>,
    /// One line a row of a compile sweep, in the order of the plan.
    pub compiled: Vec<RowCompiled>,
    /// One line a row of a profile sweep, in the order of the plan.
    pub profiled: Vec<RowProfiled>,
    /// What a program printed: one line a row and round, in the order they were run.
    pub outputs: Vec<Output>,
    /// The last line; a record without one was cut short and is never current.
    pub footer: Option<Footer>,
}

/// A line of a record, told apart by its `line` member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum Line {
    /// The first.
    Header(Box<Header>),
    /// A planned row.
    Row(Box<RowPlan>),
    /// A row in a round.
    Result(Box<RowResult>),
    /// A canary in a round.
    Canary(Box<CanaryResult>),
    /// A row of a compile sweep.
    Compiled(Box<RowCompiled>),
    /// A row of a profile sweep.
    Profiled(Box<RowProfiled>),
    /// What a program printed for a row in a round.
    Output(Box<Output>),
    /// The last.
    Footer(Footer),
}

/// What a run was, where and under which circumstances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`VERSION`] of the program that began it.
    pub version: u32,
    /// The sweep.
    pub sweep: String,
    /// What was done for each row; left out of the line for a kernel, which came first.
    #[serde(default, skip_serializing_if = "RunKind::is_kernel")]
    pub kind: RunKind,
    /// The slug of the device, as in the file's name.
    pub device: String,
    /// When the run began, UTC, `YYYY-MM-DDTHH:MM:SSZ`.
    pub started: String,
    /// What must be equal for two runs to be comparable.
    pub identity: Identity,
    /// What may differ and explains differences.
    pub circumstance: Circumstance,
    /// The seed of the order of rows.
    pub order_seed: u64,
    /// The lines whose digest is the fingerprint, so that a later difference can be shown and not only noticed.
    pub fingerprint_lines: Vec<String>,
    /// The code that was compiled, as it was.
    pub code: Code,
    /// The compilers' messages, by compiler, paths stripped.
    pub logs: BTreeMap<String, String>,
    /// Why a field is `null`, by the field's name.
    pub unknown: BTreeMap<String, String>,
}

/// A difference in any of these makes two runs not comparable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The GPU: name, compute capability, SMs, L2, bus width, ECC, MIG and the rest of what the driver says; `None` where none
    /// was used.
    pub gpu: Option<DeviceFacts>,
    /// Memory clock under load, MHz.
    pub memory_clock_mhz: Option<u32>,
    /// NVIDIA driver branch, such as `580`.
    pub driver_branch: Option<String>,
    /// CUDA version of the driver, such as `13.0`.
    pub driver_cuda: Option<String>,
    /// NVRTC version, such as `13.0.88` or `13.0`.
    pub nvrtc: Option<String>,
    /// Toolkit (nvcc) version, where one was used.
    pub toolkit: Option<String>,
    /// The profiler, where one counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profiler: Option<String>,
    /// The disassembler that listed machine code, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disassembler: Option<String>,
    /// The host compiler that built the host regions, its version line.
    pub host_compiler: Option<String>,
    /// Architecture of the cubin, such as `sm_90`; those of a compile sweep, parted by spaces.
    pub architecture: String,
    /// Options given to NVRTC, in order.
    pub compile_options: Vec<String>,
    /// Digest of the fingerprint's lines.
    pub fingerprint: Digest,
    /// Buffers and their sizes.
    pub buffers: Vec<BufferPlan>,
    /// The data generator: the calls that filled the inputs (seeds are among their arguments).
    pub inputs: Vec<HostCall>,
    /// How outputs were judged.
    pub check: Option<Check>,
    /// What rows worked on that worked on other buffers, inputs or checks than these; they are counted from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_data: Vec<Data>,
    /// How rows were timed.
    pub timing: TimingPolicy,
    /// Bytes read to evict the cache before a cold sample.
    pub flush_bytes: Option<u64>,
}

/// What may differ between comparable runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Circumstance {
    /// Digest of the GPU's UUID.
    pub uuid_digest: Option<String>,
    /// VBIOS version.
    pub vbios: Option<String>,
    /// Full driver version, such as `580.159.03`.
    pub driver: Option<String>,
    /// Power limit, milliwatts.
    pub power_limit_mw: Option<u32>,
    /// Performance state under load, such as `P0`.
    pub pstate: Option<String>,
    /// Whether persistence mode is on.
    pub persistence: Option<bool>,
    /// Locked or application clocks, in words.
    pub clock_locks: Option<String>,
    /// Other processes that used the GPU when the run began.
    pub other_processes: Option<u32>,
    /// Model of the host's processor.
    pub host_cpu: Option<String>,
    /// Kernel of the operating system, name and release.
    pub kernel: Option<String>,
    /// Hypervisor or sandbox, where it shows.
    pub hypervisor: Option<String>,
    /// Version of lessonc.
    pub lessonc: String,
    /// Commit of the course.
    pub commit: Option<String>,
    /// Whether the course had uncommitted changes.
    pub dirty: Option<bool>,
    /// `CUDA_*` variables of the environment that could matter, by name; values that hold a path are left out.
    pub cuda_environment: BTreeMap<String, String>,
    /// The timer's tick as the planning pass saw it, nanoseconds: warm samples were sized by it and held to it.
    pub planned_tick_ns: Option<u64>,
    /// How often the run was compared with an earlier one while it was measured, which decided whether it took more rounds; left
    /// out of the line if it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looks: Option<u32>,
    /// The program that measured: `cuda`, `fake`. A record of the fake device is never published.
    pub backend: String,
    /// Course-relative path of the record that was replayed, for the replay device.
    pub replayed: Option<String>,
    /// Why the GPU was busy when the run began and was measured on all the same, as leave was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub busy: Vec<String>,
    /// The labels of the rows that were asked for, where not all were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_rows: Vec<String>,
    /// Whom it was made for, where that is not everybody; such a record is never evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private: Option<Private>,
}

/// A row as planned, and what driver and compiler said of it before anything was timed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowPlan {
    /// Its label.
    pub label: String,
    /// Its own values in the manifest's order, exact, printed as `amount unit`.
    pub values: Vec<(String, String)>,
    /// The launch; `None` if planning it failed, the outcome says why.
    pub launch: Option<Launch>,
    /// The driver's answer.
    pub residency: Option<Residency>,
    /// Launches in a sample, fixed for all rounds.
    pub launches_per_sample: u32,
    /// The words of the command that was run, for a program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Set if the row could not be planned on this device at all; such a row has no results.
    pub skipped: Option<String>,
    /// What it works on: 0 for what the identity names first.
    #[serde(default, skip_serializing_if = "data::is_first")]
    pub data: u32,
    /// The figures that are read back after each sample.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Read>,
}

/// The receipt of one comparison of outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Elements compared.
    pub elements: u64,
    /// Elements out of tolerance.
    pub wrong: u64,
    /// The first of them: buffer, index, got, expected.
    pub first_wrong: Option<String>,
    /// Largest relative error over floating-point outputs, as printed by `{:e}`; `0` if there is none.
    pub largest_relative: String,
}

/// One row in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowResult {
    /// Round, from 1.
    pub round: u32,
    /// Index of the row among the planned rows.
    pub row: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// The span of each sample, nanoseconds; empty unless the row was timed.
    #[serde(deserialize_with = "samples::read")]
    pub spans_ns: Vec<u64>,
    /// SM clock of each sample, MHz, from cycles over nanoseconds around it.
    #[serde(deserialize_with = "samples::read")]
    pub clock_mhz: Vec<u32>,
    /// Span of an empty event pair in this round, nanoseconds.
    pub empty_pair_ns: Option<u64>,
    /// The comparison before the samples.
    pub before: Option<Receipt>,
    /// The comparison after them.
    pub after: Option<Receipt>,
    /// Throttle reasons of the driver before the samples, by name.
    pub throttle_before: Option<Vec<String>>,
    /// And after.
    pub throttle_after: Option<Vec<String>>,
    /// Temperature after the samples, degrees Celsius.
    pub temperature_c: Option<u32>,
    /// Launches of warm-up.
    pub warmup_launches: u32,
    /// What was read back after each sample, by the figure's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reads: BTreeMap<String, Vec<i64>>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Footer {
    /// When the run ended, UTC, like `started`.
    pub ended: String,
    /// Whether every row was tried in every round.
    pub complete: bool,
    /// The smallest step seen between spans, nanoseconds: the timer's tick as the data show it.
    pub tick_ns: Option<u64>,
    /// When a run that was cut short was gone on with, in order; empty for a run in one piece.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<Resumed>,
    /// How long the run took on the wall from planning to its last row, milliseconds; `None` for one in several pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    /// SHA-256 of all lines before this one, each with its LF.
    pub digest: Digest,
}

/// Where a run that was cut short was gone on with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resumed {
    /// When, UTC, like `started`.
    pub at: String,
    /// After how many results.
    pub results: u32,
}

impl Record {
    /// Whether every row was tried in every round.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.footer.as_ref().is_some_and(|footer| footer.complete)
    }

    /// The index of the row `label`, whichever spaces it is written with.
    #[must_use]
    pub fn row_index(&self, label: &str) -> Option<usize> {
        self.rows.iter().position(|row| same_label(&row.label, label))
    }

    /// The results of row `row`, in the order they were measured.
    pub fn results_of(&self, row: usize) -> impl Iterator<Item = &RowResult> {
        self.results.iter().filter(move |result| result.row as usize == row)
    }

    /// For each round from the first, the time of one launch of row `row` in nanoseconds: the median over the round's
    /// samples, by the launches of a sample. `None` where the row was not `ok`: a lost round is never zero.
    #[must_use]
    pub fn round_ns(&self, row: usize) -> Vec<Option<f64>> {
        let launches = self.launches_in_a_sample(row);
        self.by_round(row, |result| Some(median_of(result.spans_ns.iter().map(|&span| span as f64))? / launches))
    }

    /// [`Record::round_ns`] of each row.
    #[must_use]
    pub fn rounds_ns(&self) -> Vec<Vec<Option<f64>>> {
        (0..self.rows.len()).map(|row| self.round_ns(row)).collect()
    }

    fn launches_in_a_sample(&self, row: usize) -> f64 {
        self.rows.get(row).map_or(1.0, |row| f64::from(row.launches_per_sample))
    }

    /// For each round from the first, the median SM clock of row `row` in MHz; `None` where the row was not `ok`.
    #[must_use]
    pub fn round_clock_mhz(&self, row: usize) -> Vec<Option<f64>> {
        self.by_round(row, |result| median_of(result.clock_mhz.iter().map(|&mhz| mhz.into())))
    }

    /// For each round from the first, the median of what was read back as `name` in row `row`; `None` where the row was not `ok`.
    #[must_use]
    pub fn round_reads(&self, row: usize, name: &str) -> Vec<Option<f64>> {
        self.by_round(row, |result| median_of(result.reads.get(name)?.iter().map(|&read| read as f64)))
    }

    /// The timer's tick as the data show it, nanoseconds; one if not known.
    #[must_use]
    pub fn tick_ns(&self) -> f64 {
        self.footer.as_ref().and_then(|footer| footer.tick_ns).unwrap_or(1).max(1) as f64
    }

    /// The smallest step that a time of row `row` can make, nanoseconds a launch: the timer's tick, one if not known.
    #[must_use]
    pub fn quantum_ns(&self, row: usize) -> f64 {
        self.tick_ns() / self.launches_in_a_sample(row)
    }

    fn by_round(&self, row: usize, value: impl Fn(&RowResult) -> Option<f64>) -> Vec<Option<f64>> {
        let mut rounds = vec![None; self.header.identity.timing.rounds as usize];
        for result in self.results_of(row).filter(|result| result.outcome == Outcome::Ok) {
            if let Some(place) = (result.round as usize).checked_sub(1).and_then(|round| rounds.get_mut(round)) {
                *place = value(result);
            }
        }
        rounds
    }
}

#[cfg(test)]
pub(crate) mod tests;
