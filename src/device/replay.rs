//! Turns a record back into the device that made it.
//!
//! Must not know how the record is compared with the new one. What the record does not hold (the spans of warm-up, the
//! time that passed) is made up so that the procedure takes the same steps again.

use std::sync::Arc;
use std::time::Duration;

use super::{Built, Condition, Device, DeviceError, Fault, Machine, Sample, SamplePlan, Setup};
use crate::evidence::canary::{Canary, CanaryResult};
use crate::evidence::record::{Outcome, Receipt, Record, RowResult};
use crate::plan::launch::{Launch, Read, Residency, Shape};

/// A span that no sizing finds too short.
const LONG_NS: u64 = 1 << 40;

/// The device of a record, in one round; 0 is planning.
pub struct Replay {
    record: Arc<Record>,
    round: u32,
    /// Rows that the record skips, in the order in which their residency will be asked for.
    skipped: std::vec::IntoIter<String>,
    row: u32,
    result: Option<RowResult>,
    canary: Option<CanaryResult>,
    launched: bool,
    conditions: u32,
    checks: u32,
    probes: u64,
    warmed: u32,
    taken: usize,
    clock: Duration,
}

impl Replay {
    /// The device of `record` as the processes of round `round` met it.
    #[must_use]
    pub fn new(record: Arc<Record>, round: u32) -> Self {
        let skipped: Vec<String> = record.rows.iter().filter_map(|row| row.skipped.clone()).collect();
        Self {
            record,
            round,
            skipped: skipped.into_iter(),
            row: 0,
            result: None,
            canary: None,
            launched: false,
            conditions: 0,
            checks: 0,
            probes: 0,
            warmed: 0,
            taken: 0,
            clock: Duration::ZERO,
        }
    }

    /// The fault with which the recorded row ended, if it was one.
    fn fault(&self) -> Option<Fault> {
        fault_of(&self.result.as_ref()?.outcome)
    }

    /// The launches of warm-up that the record holds of what is being measured.
    fn warmup_launches(&self) -> Option<u32> {
        let row = self.result.as_ref().map(|result| result.warmup_launches);
        row.or_else(|| self.canary.as_ref().map(|canary| canary.warmup_launches))
    }

    /// The fault, where the record shows that it came at this step or where the step leaves no trace: `reached` says
    /// whether the record holds what a later step leaves.
    fn faults_unless(&self, reached: impl FnOnce(&RowResult) -> bool) -> Result<(), Fault> {
        match (self.fault(), &self.result) {
            (Some(fault), Some(result)) if !reached(result) => Err(fault),
            _ => Ok(()),
        }
    }

    /// A made-up sample of planning: long enough exactly from the recorded number of launches on, and stepping by the
    /// recorded tick.
    fn probe(&mut self, plan: SamplePlan) -> Sample {
        self.probes += 1;
        let needed = self.record.rows.get(self.row as usize).map_or(1, |row| row.launches_per_sample);
        let tick = self.record.header.circumstance.planned_tick_ns;
        let step = tick.unwrap_or(0) * (self.probes % 2);
        // Where nothing is sized, the span only carries the tick.
        Sample { span_ns: if plan.launches >= needed { LONG_NS + step } else { step }, clock_mhz: 0 }
    }
}

/// The fault that `outcome` was, if it was one.
fn fault_of(outcome: &Outcome) -> Option<Fault> {
    match outcome {
        Outcome::Launch(why) => Some(Fault::Launch(why.clone())),
        Outcome::Runtime(why) => Some(Fault::Runtime(why.clone())),
        Outcome::Timeout(why) => Some(Fault::Timeout(why.clone())),
        _ => None,
    }
}

impl Device for Replay {
    fn machine(&mut self) -> Result<Machine, DeviceError> {
        let header = &self.record.header;
        Ok(Machine {
            gpu: header.identity.gpu.clone().ok_or_else(|| DeviceError::Other("the record names no GPU that could be replayed".into()))?,
            driver_branch: header.identity.driver_branch.clone(),
            driver_cuda: header.identity.driver_cuda.clone(),
            circumstance: header.circumstance.clone(),
            unknown: header.unknown.clone(),
        })
    }

    fn build(&mut self, _setup: &Setup) -> Result<Built, DeviceError> {
        let (identity, logs) = (&self.record.header.identity, self.record.header.logs.clone());
        Ok(Built {
            nvrtc: identity.nvrtc.clone(),
            host_compiler: identity.host_compiler.clone(),
            architecture: identity.architecture.clone(),
            options: identity.compile_options.clone(),
            logs,
        })
    }

    fn residency(&mut self, shape: &Shape) -> Result<Residency, DeviceError> {
        let asked = self.record.rows.iter().find(|row| row.launch.as_ref().is_some_and(|launch| launch.shape == *shape));
        match asked.and_then(|row| row.residency.clone()) {
            Some(residency) => Ok(residency),
            None => Err(DeviceError::Other(self.skipped.next().unwrap_or_else(|| "the replayed record has no such row".to_owned()))),
        }
    }

    fn make_inputs(&mut self, _setup: &Setup) -> Result<(), DeviceError> {
        Ok(())
    }

    fn open(&mut self, _setup: &Setup) -> Result<(), DeviceError> {
        Ok(())
    }

    fn stage(&mut self, row: u32, launch: &Launch) -> Result<(), Fault> {
        let recorded = self.record.rows.get(row as usize).and_then(|row| row.launch.as_ref());
        if recorded != Some(launch) {
            return Err(Fault::Launch("the replayed record launches this row otherwise".to_owned()));
        }
        (self.row, self.launched, self.conditions, self.checks, self.warmed, self.taken) = (row, false, 0, 0, 0, 0);
        self.canary = None;
        self.result = self.record.results_of(row as usize).find(|result| result.round == self.round).cloned();
        self.faults_unless(|result| result.empty_pair_ns.is_some())
    }

    fn empty_pair_ns(&mut self) -> Result<u64, Fault> {
        Ok(self.result.as_ref().and_then(|result| result.empty_pair_ns).unwrap_or(0))
    }

    fn reset_outputs(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn launch(&mut self) -> Result<(), Fault> {
        // The second launch of a row that works in place comes after its samples, whose faults are found there.
        let first = !std::mem::replace(&mut self.launched, true);
        if first { self.faults_unless(|result| result.before.is_some() || result.warmup_launches > 0) } else { Ok(()) }
    }

    fn check(&mut self) -> Result<Option<Receipt>, Fault> {
        self.checks += 1;
        if self.checks > 1 {
            self.faults_unless(|_| false)?;
        }
        Ok(self.result.as_ref().and_then(|result| if self.checks == 1 { result.before.clone() } else { result.after.clone() }))
    }

    fn sample(&mut self, plan: SamplePlan) -> Result<Sample, Fault> {
        let Some(result) = &self.result else { return Ok(self.probe(plan)) };
        if self.conditions == 0 {
            self.faults_unless(|result| result.warmup_launches > 0)?;
            self.warmed = self.warmed.saturating_add(plan.launches);
            return Ok(Sample { span_ns: 1, clock_mhz: 0 });
        }
        // A row that is not timed keeps the clocks of its samples, and no spans.
        let span_ns = result.spans_ns.get(self.taken).copied().unwrap_or(0);
        let Some(&clock_mhz) = result.clock_mhz.get(self.taken) else {
            return Err(self.fault().unwrap_or_else(|| Fault::Runtime("the replayed record has no more samples".to_owned())));
        };
        self.taken += 1;
        Ok(Sample { span_ns, clock_mhz })
    }

    fn canary(&mut self, canary: Canary) -> Result<Option<Sample>, Fault> {
        if self.canary.as_ref().is_none_or(|staged| staged.canary != canary) {
            let recorded = self.record.canaries.iter().find(|result| result.canary == canary && result.round == self.round);
            (self.result, self.canary) = (None, recorded.cloned());
            (self.conditions, self.warmed, self.taken) = (0, 0, 0);
        }
        let Some(recorded) = &self.canary else { return Ok(None) };
        let fault = || fault_of(&recorded.outcome);
        if self.conditions == 0 {
            if let (0, Some(fault)) = (recorded.warmup_launches, fault()) {
                return Err(fault);
            }
            self.warmed = self.warmed.saturating_add(recorded.launches);
            return Ok(Some(Sample { span_ns: 1, clock_mhz: 0 }));
        }
        let Some((&span_ns, &clock_mhz)) = recorded.spans_ns.get(self.taken).zip(recorded.clock_mhz.get(self.taken)) else {
            return Err(fault().unwrap_or_else(|| Fault::Runtime("the replayed record has no more samples".to_owned())));
        };
        self.taken += 1;
        Ok(Some(Sample { span_ns, clock_mhz }))
    }

    fn read(&mut self, read: &Read) -> Result<i64, Fault> {
        let recorded = self.result.as_ref().and_then(|result| result.reads.get(&read.name)?.get(self.taken.checked_sub(1)?));
        let lost = || self.fault().unwrap_or_else(|| Fault::Runtime(format!("the replayed record has no more of `{}`", read.name)));
        recorded.copied().ok_or_else(lost)
    }

    fn condition(&mut self) -> Condition {
        self.conditions += 1;
        let header = &self.record.header;
        let (pstate, memory_clock_mhz) = (header.circumstance.pstate.clone(), header.identity.memory_clock_mhz);
        let result = self.result.as_ref();
        let row = result.map(|result| (&result.throttle_before, &result.throttle_after));
        let throttle = row.or_else(|| self.canary.as_ref().map(|canary| (&canary.throttle_before, &canary.throttle_after)));
        let throttle = throttle.and_then(|(before, after)| if self.conditions == 1 { before.clone() } else { after.clone() });
        Condition { throttle, temperature_c: result.and_then(|result| result.temperature_c), pstate, memory_clock_mhz }
    }

    fn now(&mut self) -> Duration {
        let Some(warmup_launches) = self.warmup_launches() else {
            self.clock += Duration::from_secs(1);
            return self.clock;
        };
        // Time stands still until the recorded launches of warm-up are made; then its patience is over.
        let warmup = Duration::from_millis(self.record.header.identity.timing.warmup_ms.into());
        let over = self.warmed > 0 && self.warmed >= warmup_launches;
        if over { self.clock + warmup * super::WARMUP_PATIENCE } else { self.clock }
    }
}
