//! Turns one canary into its result in one round, as a row is measured but for the outputs, which are nobody's.
//!
//! Must not know the rows, nor which device it is given.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::course::sweep::TimingPolicy;
use crate::device::canary::{CanaryPlan, plan};
use crate::device::{Device, Fault, Sample};
use crate::evidence::canary::{Canary, CanaryResult};
use crate::evidence::record::Outcome;
use crate::evidence::verdict;
use crate::plan::launch::DeviceFacts;

use super::row::{in_time, warm_up};

/// All that is needed to measure a canary in a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CanaryTask {
    /// The round, from 1.
    pub round: u32,
    /// Which.
    pub canary: Canary,
    /// Launches in a sample.
    pub launches: u32,
    /// What a launch does.
    pub work: u64,
    /// How rows are timed.
    pub timing: TimingPolicy,
}

impl CanaryTask {
    /// The canaries of round `round` on `gpu`, in their order: mirrored on even rounds, as rows are.
    pub fn of_round(round: u32, gpu: &DeviceFacts, timing: &TimingPolicy) -> [Self; 2] {
        let mut order = Canary::ALL;
        if round.is_multiple_of(2) {
            order.reverse();
        }
        order.map(|canary| {
            let CanaryPlan { launches, work, .. } = plan(canary, gpu);
            Self { round, canary, launches, work, timing: timing.clone() }
        })
    }

    /// The result of this canary if it never came to run, and why.
    #[must_use]
    pub fn lost(&self, outcome: Outcome) -> CanaryResult {
        CanaryResult {
            round: self.round,
            canary: self.canary,
            outcome,
            launches: self.launches,
            work: self.work,
            spans_ns: Vec::new(),
            clock_mhz: Vec::new(),
            throttle_before: None,
            throttle_after: None,
            warmup_launches: 0,
        }
    }
}

/// Measures the canary of `task`; `None` where the device has none.
pub fn measure(device: &mut dyn Device, task: &CanaryTask) -> Option<CanaryResult> {
    device.allow(Duration::from_secs(task.timing.limit_s.into()));
    let first = device.canary(task.canary).transpose()?;
    let mut result = task.lost(Outcome::Ok);
    result.outcome = first.and_then(|first| steps(device, task, first, &mut result)).unwrap_or_else(Outcome::from);
    Some(result)
}

fn steps(device: &mut dyn Device, task: &CanaryTask, first: Sample, result: &mut CanaryResult) -> Result<Outcome, Fault> {
    let deadline = device.now() + Duration::from_secs(task.timing.limit_s.into());
    // The sample that showed that there is a canary is the first of its warm-up.
    let mut first = Some(first);
    let mut take = |device: &mut dyn Device| match first.take() {
        Some(sample) => Ok(sample),
        None => sample(device, task),
    };
    result.warmup_launches = warm_up(device, &task.timing, task.launches, deadline, &mut take)?;
    result.throttle_before = device.condition().throttle;
    for _ in 0..task.timing.samples {
        in_time(device, &task.timing, deadline)?;
        let sample = sample(device, task)?;
        result.spans_ns.push(sample.span_ns);
        result.clock_mhz.push(sample.clock_mhz);
    }
    result.throttle_after = device.condition().throttle;
    Ok(verdict::throttled(&result.clock_mhz, [&result.throttle_before, &result.throttle_after]).unwrap_or(Outcome::Ok))
}

fn sample(device: &mut dyn Device, task: &CanaryTask) -> Result<Sample, Fault> {
    device.canary(task.canary)?.ok_or_else(|| Fault::Runtime("the canary is gone".to_owned()))
}
