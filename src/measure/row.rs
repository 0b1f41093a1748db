//! Turns one planned row into its result in one round: the procedure of the measuring protocol, step by step.
//!
//! Must not know other rows, other rounds, or which device it is given.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::course::sweep::{CachePolicy, TimingPolicy};
use crate::device::took::{Part, Took};
use crate::device::{Device, Fault, Sample, SamplePlan, WARMUP_PATIENCE};
use crate::evidence::record::{Outcome, Receipt, RowResult};
use crate::evidence::verdict::{self, median};
use crate::plan::launch::{Launch, Read};

/// Launches of warm-up at least, however long they take.
const WARMUP_LAUNCHES: u32 = 3;
/// Spans in a window of the warm-up; two windows in a row must agree.
const WINDOW: usize = 10;
/// How far the medians of two windows may lie apart once the row has settled.
const SETTLED: f64 = 0.005;

/// All that is needed to measure a row in a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The round, from 1.
    pub round: u32,
    /// The row's index.
    pub row: u32,
    /// The launch.
    pub launch: Launch,
    /// Launches in a sample.
    pub launches: u32,
    /// The least span of a warm sample, nanoseconds; cold spans are held to the empty pair instead.
    pub least_span_ns: u64,
    /// How rows are timed.
    pub timing: TimingPolicy,
    /// Whether a launch changes its own input, so that only a single launch after a restore can be checked.
    pub in_place: bool,
    /// Whether its outputs are checked.
    pub checked: bool,
    /// What is read back after each sample.
    pub reads: Vec<Read>,
}

impl Task {
    fn sample_plan(&self) -> SamplePlan {
        SamplePlan { launches: self.launches, evict: self.timing.cache == CachePolicy::Cold }
    }
}

/// Measures the row of `task`; whatever happens is its result. And how long its parts took.
pub fn measure(device: &mut dyn Device, task: &Task) -> (RowResult, Took) {
    let mut result = untried(task.round, task.row);
    let mut watch = Watch { since: device.now(), took: Took::default() };
    result.outcome = steps(device, task, &mut result, &mut watch).unwrap_or_else(Outcome::from);
    (result, watch.took)
}

/// Launches the row of `task` once and looks at what it left; whatever happens is its result.
pub fn check(device: &mut dyn Device, task: &Task) -> RowResult {
    let mut result = untried(task.round, task.row);
    device.allow(Duration::from_secs(task.timing.limit_s.into()));
    result.outcome = match launch_once(device, task, &mut result) {
        Ok(()) => wrong(result.before.as_ref(), "after one launch").unwrap_or(Outcome::Ok),
        Err(fault) => fault.into(),
    };
    result
}

fn launch_once(device: &mut dyn Device, task: &Task, result: &mut RowResult) -> Result<(), Fault> {
    device.stage(task.row, &task.launch)?;
    device.reset_outputs()?;
    device.launch()?;
    result.before = device.check()?;
    for read in &task.reads {
        let figure = device.read(read)?;
        result.reads.insert(read.name.clone(), vec![figure]);
    }
    Ok(())
}

/// Counts the time of a row by its parts.
struct Watch {
    /// When the part in hand began.
    since: Duration,
    took: Took,
}

impl Watch {
    /// What went on until now was `part`, but for what the device has an own word for.
    fn was(&mut self, device: &mut dyn Device, part: Part) {
        let now = device.now();
        self.took.add_rest(part, now.saturating_sub(self.since), &device.took());
        self.since = now;
    }
}

/// The result of a row that never came to run; its outcome is to be set.
#[must_use]
pub fn untried(round: u32, row: u32) -> RowResult {
    RowResult {
        round,
        row,
        outcome: Outcome::Ok,
        spans_ns: Vec::new(),
        clock_mhz: Vec::new(),
        empty_pair_ns: None,
        before: None,
        after: None,
        throttle_before: None,
        throttle_after: None,
        temperature_c: None,
        warmup_launches: 0,
        reads: BTreeMap::new(),
    }
}

fn steps(device: &mut dyn Device, task: &Task, result: &mut RowResult, watch: &mut Watch) -> Result<Outcome, Fault> {
    let limit = Duration::from_secs(task.timing.limit_s.into());
    let deadline = device.now() + limit;
    device.allow(limit);
    let is_measured = task.timing.time || !task.reads.is_empty();
    if !is_measured && !task.checked {
        // What driver and compiler say was asked for when the row was planned.
        return Ok(Outcome::Ok);
    }
    device.stage(task.row, &task.launch)?;
    result.empty_pair_ns = Some(device.empty_pair_ns()?);

    device.reset_outputs()?;
    device.launch()?;
    watch.was(device, Part::Prepare);
    result.before = device.check()?;
    watch.was(device, Part::Compare);
    if let Some(wrong) = wrong(result.before.as_ref(), "before the samples") {
        return Ok(wrong);
    }

    if !is_measured {
        return Ok(Outcome::Ok);
    }
    let mut take = |device: &mut dyn Device| device.sample(task.sample_plan());
    result.warmup_launches = warm_up(device, &task.timing, task.launches, deadline, &mut take)?;

    watch.was(device, Part::WarmUp);
    // A right answer left over from the check must not pass for one of the samples.
    device.reset_outputs()?;
    watch.was(device, Part::Prepare);
    result.throttle_before = device.condition().throttle;
    watch.was(device, Part::State);
    for _ in 0..task.timing.samples {
        in_time(device, &task.timing, deadline)?;
        let sample = device.sample(task.sample_plan())?;
        if task.timing.time {
            result.spans_ns.push(sample.span_ns);
        }
        result.clock_mhz.push(sample.clock_mhz);
        for read in &task.reads {
            let figure = device.read(read)?;
            result.reads.entry(read.name.clone()).or_default().push(figure);
        }
    }
    watch.was(device, Part::Samples);
    let condition = device.condition();
    (result.throttle_after, result.temperature_c) = (condition.throttle, condition.temperature_c);
    watch.was(device, Part::State);

    if task.in_place {
        // After many launches on its own output no reference can tell right from wrong; one more launch can be judged.
        device.reset_outputs()?;
        device.launch()?;
    }
    result.after = device.check()?;
    watch.was(device, Part::Compare);
    if let Some(wrong) = wrong(result.after.as_ref(), "after the samples") {
        return Ok(wrong);
    }
    Ok(verdict::of_samples(result, &task.timing, task.launches, task.least_span_ns))
}

/// Launches as the samples will (`take` takes one, of `of_sample` launches), helpers included, for the least time and until two windows in a row agree; how many
/// launches that took. A row that does not settle goes on to its samples: their spread will show it.
pub(super) fn warm_up(
    device: &mut dyn Device,
    timing: &TimingPolicy,
    of_sample: u32,
    deadline: Duration,
    take: &mut dyn FnMut(&mut dyn Device) -> Result<Sample, Fault>,
) -> Result<u32, Fault> {
    let least = Duration::from_millis(timing.warmup_ms.into());
    let started = device.now();
    let (mut launches, mut spans) = (0u32, Vec::new());
    loop {
        in_time(device, timing, deadline)?;
        spans.push(take(device)?.span_ns);
        launches = launches.saturating_add(of_sample);
        let elapsed = device.now().saturating_sub(started);
        let enough = launches >= WARMUP_LAUNCHES && elapsed >= least;
        if enough && (settled(&spans) || elapsed >= least * WARMUP_PATIENCE) {
            return Ok(launches);
        }
    }
}

/// Whether the medians of the last two windows agree.
fn settled(spans: &[u64]) -> bool {
    let Some(tail) = spans.len().checked_sub(2 * WINDOW).map(|at| &spans[at..]) else { return false };
    let (before, now) = tail.split_at(WINDOW);
    let (before, now) = (median(before) as f64, median(now) as f64);
    (now - before).abs() <= SETTLED * before
}

pub(super) fn in_time(device: &mut dyn Device, timing: &TimingPolicy, deadline: Duration) -> Result<(), Fault> {
    if device.now() < deadline { Ok(()) } else { Err(Fault::Timeout(format!("over the row's limit of {} s", timing.limit_s))) }
}

fn wrong(receipt: Option<&Receipt>, when: &str) -> Option<Outcome> {
    let receipt = receipt.filter(|receipt| receipt.wrong > 0)?;
    let first = receipt.first_wrong.as_ref().map(|first| format!("; first {first}")).unwrap_or_default();
    Some(Outcome::Incorrect(format!("{} of {} elements wrong {when}{first}", receipt.wrong, receipt.elements)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_settles_when_two_windows_agree() {
        let falling: Vec<u64> = (0..20).map(|n| 1000 - 10 * n).collect();
        assert!(!settled(&falling));
        assert!(!settled(&[1000; 19]));
        assert!(settled(&[1000; 20]));
        assert!(settled(&[&falling[..], &[805; 20]].concat()));
    }
}
