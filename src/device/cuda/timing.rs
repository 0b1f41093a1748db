//! Turns a staged launch into one span of time and the SM clock around it.
//!
//! Must not know rounds, medians of samples or verdicts. What is queued for a sample, in this order, on one stream:
//!
//! 1. a *gate*, a one-thread kernel that waits for a word in host memory. Everything below is queued behind it before the host
//!    opens it, so that the queue never runs dry inside the span;
//! 2. if the cache is to be cold, a kernel that *reads* twice the cache's size, so that no dirty lines are written back inside
//!    the span. It is behind the gate, and keeps the SMs awake until the launch;
//! 3. a clock *probe* on every SM, the first event, the launches, the second event, a probe again. The probes lie outside the
//!    events.
//!
//! The SM clock is cycles over global time between the two probes. Cycle counters belong to an SM, so stamps are paired by SM
//! (a probe puts a block on each) and the median over the SMs seen twice is the clock: all SMs share one clock, so a stray pair
//! can't move it. How coarse ticks are dealt with stands beside the kernel in `probe.cu`.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::api::{Arguments, Event, Failure, Function, Gpu, Memory, Module, Pinned};
use crate::device::host::number_bytes;
use crate::device::{Fault, Sample, SamplePlan};
use crate::plan::launch::Argument;

/// The source of the kernels around a sample.
pub(super) const SOURCE: &str = include_str!("probe.cu");
/// Their names in it.
pub(super) const KERNELS: [&str; 3] = ["gate", "evict", "probe"];

/// SM numbers that can be stamped; far more than any GPU has.
const SLOTS: usize = 1024;
/// Bytes of a stamp: nanoseconds and cycles.
const STAMP: usize = 16;
/// Least time between the two stamps of an SM.
const WINDOW_NS: u64 = 20_000;
/// How long the gate waits for the host. A host that was held up longer takes the sample again.
const GATE_NS: u64 = 500_000_000;
/// Launches that are queued before the gate opens. The driver's queue holds about a thousand entries; were it to fill while the
/// gate is shut, host and device would wait for each other.
const AHEAD: u32 = 256;
/// Times that a sample is taken again because the gate gave up.
const TRIES: u32 = 3;
/// Empty pairs whose median is the cost of a pair.
const EMPTY_PAIRS: usize = 31;

/// A launch with its arguments in place.
pub(super) struct Staged {
    pub(super) function: Function,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared: u32,
    pub(super) arguments: Arguments,
}

impl Staged {
    /// Queues it once.
    pub(super) fn launch(&self, gpu: &Gpu) -> Result<(), Fault> {
        gpu.launch(&self.function, self.grid, self.block, self.shared, &self.arguments).map_err(|failure| Fault::Launch(failure.0))
    }
}

/// The kernels, buffers and events around a sample; made and warmed up once a process.
pub(super) struct Clockwork {
    gate: Function,
    evict: Function,
    probe: Function,
    first: Event,
    second: Event,
    /// Word 0 is the gate's ticket, word 1 the last ticket that it did not wait for.
    words: Pinned,
    before: Memory,
    after: Memory,
    zeros: Memory,
    stamps_before: Pinned,
    stamps_after: Pinned,
    cache: Memory,
    sink: Memory,
    ticket: u32,
    sms: u32,
}

impl Clockwork {
    /// Loads the kernels of `module`, which was made from [`SOURCE`], and takes samples of nothing until every helper has run.
    pub(super) fn new(gpu: &Gpu, module: &Module, sms: u32, evicted_bytes: u64, limit: Duration) -> Result<Self, Fault> {
        let make = || -> Result<Self, Failure> {
            let stamps = || gpu.memory(SLOTS * STAMP);
            let made = Self {
                gate: module.function(KERNELS[0])?,
                evict: module.function(KERNELS[1])?,
                probe: module.function(KERNELS[2])?,
                first: gpu.event()?,
                second: gpu.event()?,
                words: gpu.pinned(64)?,
                before: stamps()?,
                after: stamps()?,
                zeros: stamps()?,
                stamps_before: gpu.pinned(SLOTS * STAMP)?,
                stamps_after: gpu.pinned(SLOTS * STAMP)?,
                cache: gpu.memory(usize::try_from(evicted_bytes).unwrap_or(usize::MAX))?,
                sink: gpu.memory(4)?,
                ticket: 0,
                sms,
            };
            gpu.fill(&made.zeros, made.zeros.bytes(), 0)?;
            gpu.fill(&made.cache, made.cache.bytes(), 0x5A)?;
            Ok(made)
        };
        let mut made = make().map_err(|failure| Fault::Runtime(failure.0))?;
        for _ in 0..3 {
            // With the gate open from the start, so that a debugger or a profiler, which runs launches one by one, can follow.
            made.next_ticket();
            made.open_gate();
            made.queue(gpu, None, SamplePlan { launches: 0, evict: true })?;
            wait(gpu, limit)?;
        }
        Ok(made)
    }

    /// One sample of `staged`, or of nothing.
    pub(super) fn sample(&mut self, gpu: &Gpu, staged: Option<&Staged>, plan: SamplePlan, limit: Duration) -> Result<Sample, Fault> {
        for _ in 0..TRIES {
            self.next_ticket();
            let queued = self.queue(gpu, staged, plan);
            // Whatever happened, nothing may stay behind a shut gate.
            self.open_gate();
            queued?;
            wait(gpu, limit)?;
            if self.words.word(1).load(Ordering::Acquire) != self.ticket {
                return self.read(gpu);
            }
        }
        Err(Fault::Timeout(format!(
            "{TRIES} times the host could not queue a sample within {} ms; does a debugger, a profiler or CUDA_LAUNCH_BLOCKING run launches one by one?",
            GATE_NS / 1_000_000
        )))
    }

    fn next_ticket(&mut self) {
        self.ticket = self.ticket.wrapping_add(1).max(1);
    }

    fn open_gate(&self) {
        self.words.word(0).store(self.ticket, Ordering::Release);
    }

    /// The span of an event pair around nothing: what measuring itself costs.
    pub(super) fn empty_pair_ns(&mut self, gpu: &Gpu, limit: Duration) -> Result<u64, Fault> {
        let plan = SamplePlan { launches: 0, evict: true };
        let spans: Result<Vec<u64>, Fault> =
            (0..EMPTY_PAIRS).map(|_| self.sample(gpu, None, plan, limit).map(|sample| sample.span_ns)).collect();
        let mut spans = spans?;
        spans.sort_unstable();
        Ok(spans[EMPTY_PAIRS / 2])
    }

    fn queue(&mut self, gpu: &Gpu, staged: Option<&Staged>, plan: SamplePlan) -> Result<(), Fault> {
        let own = |failure: Failure| Fault::Runtime(format!("while queueing a sample: {}", failure.0));
        let cell = |value: u64| value.to_ne_bytes();
        let short = |value: u32| number_bytes(&Argument::U32(value));
        let one = [1, 1, 1];
        let words = self.words.address().map_err(own)?;
        let probe = |to: &Memory, earlier: &Memory| {
            let arguments = Arguments::new(vec![cell(to.address()), cell(earlier.address()), cell(WINDOW_NS), short(SLOTS as u32)]);
            gpu.launch(&self.probe, [self.sms, 1, 1], [32, 1, 1], 0, &arguments)
        };
        gpu.fill(&self.before, self.before.bytes(), 0).map_err(own)?;
        gpu.fill(&self.after, self.after.bytes(), 0).map_err(own)?;
        gpu.launch(&self.gate, one, one, 0, &Arguments::new(vec![cell(words), short(self.ticket), cell(GATE_NS)])).map_err(own)?;
        if plan.evict {
            let vectors = self.cache.bytes() as u64 / 16;
            let arguments = Arguments::new(vec![cell(self.cache.address()), cell(vectors), cell(self.sink.address())]);
            gpu.launch(&self.evict, [self.sms * 4, 1, 1], [256, 1, 1], 0, &arguments).map_err(own)?;
        }
        probe(&self.before, &self.zeros).map_err(own)?;
        gpu.record(&self.first).map_err(own)?;
        if let Some(staged) = staged {
            for launched in 0..plan.launches {
                if launched == AHEAD {
                    self.open_gate();
                }
                staged.launch(gpu)?;
            }
        }
        gpu.record(&self.second).map_err(own)?;
        probe(&self.after, &self.before).map_err(own)?;
        gpu.copy_out(&mut self.stamps_before, &self.before, 0, SLOTS * STAMP).map_err(own)?;
        gpu.copy_out(&mut self.stamps_after, &self.after, 0, SLOTS * STAMP).map_err(own)
    }

    fn read(&self, gpu: &Gpu) -> Result<Sample, Fault> {
        let ms = gpu.elapsed_ms(&self.first, &self.second).map_err(|failure| Fault::Runtime(failure.0))?;
        let clock = clock_mhz(&stamps(self.stamps_before.bytes()), &stamps(self.stamps_after.bytes()));
        let clock_mhz = clock.ok_or_else(|| Fault::Runtime("no SM was seen by both clock probes".into()))?;
        Ok(Sample { span_ns: nanoseconds(ms), clock_mhz })
    }
}

/// Waits until all queued work is done. Polls, so that work that never ends becomes a fault and not a hanging process.
pub(super) fn wait(gpu: &Gpu, limit: Duration) -> Result<(), Fault> {
    let start = Instant::now();
    let mut polls = 0_u32;
    while !gpu.finished().map_err(|failure| Fault::Runtime(failure.0))? {
        if start.elapsed() > limit {
            gpu.give_up();
            return Err(Fault::Timeout(format!("the kernel did not come back within {:.0} s", limit.as_secs_f64())));
        }
        polls = polls.saturating_add(1);
        if polls > 100 {
            std::thread::sleep(Duration::from_micros(20));
        }
    }
    Ok(())
}

/// The driver's milliseconds as nanoseconds. An `f32` of milliseconds resolves a nanosecond up to 16 ms, and better than
/// one part in eight million beyond; a pair is always near, never an epoch.
fn nanoseconds(ms: f32) -> u64 {
    (f64::from(ms) * 1e6).round().max(0.0) as u64
}

/// Nanoseconds and cycles of every SM, zero where it was not stamped.
fn stamps(bytes: &[u8]) -> Vec<(u64, u64)> {
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_ne_bytes);
    bytes.chunks_exact(STAMP).map(|stamp| (number(&stamp[..8]), number(&stamp[8..]))).collect()
}

/// The median over the SMs stamped twice of cycles over time, MHz.
fn clock_mhz(before: &[(u64, u64)], after: &[(u64, u64)]) -> Option<u32> {
    let mut clocks: Vec<u64> = before
        .iter()
        .zip(after)
        .filter(|(before, after)| before.0 > 0 && after.0 > before.0 && after.1 > before.1)
        .map(|(before, after)| {
            let (ns, cycles) = (after.0 - before.0, after.1 - before.1);
            (cycles.saturating_mul(1000) + ns / 2) / ns
        })
        .collect();
    clocks.sort_unstable();
    clocks.get(clocks.len() / 2).and_then(|&mhz| u32::try_from(mhz).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_the_median_over_sms_that_were_stamped_twice() {
        let before = [(1000, 50), (0, 0), (1000, 7), (1000, 9), (1000, 5)];
        let after = [(501_000, 990_050), (501_000, 1), (501_000, 990_007), (0, 0), (501_000, 10)];
        assert_eq!(clock_mhz(&before, &after), Some(1980));
        assert_eq!(clock_mhz(&before[1..2], &after[1..2]), None);
        assert_eq!(clock_mhz(&[], &[]), None);
    }

    #[test]
    fn spans_are_whole_nanoseconds() {
        for (ms, expected) in [(0.0, 0), (0.512_352, 512_352), (0.001_536, 1536), (-1.0, 0)] {
            assert_eq!(nanoseconds(ms), expected);
        }
    }
}
