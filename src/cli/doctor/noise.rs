//! Turns ten seconds of measuring one thing twice into the noise of this machine: whatever differs is noise.
//!
//! Must not leave evidence: it takes place in a folder of its own.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::base::problem::Problem;
use crate::base::statistics::{half_width, mean, standard_deviation};
use crate::course::sweep::{CachePolicy, Element, Role, TimingPolicy};
use crate::device::choice::GpuChoice;
use crate::evidence::record::{Outcome, Record};
use crate::measure::anonymous::Anonymous;
use crate::measure::experiment::Experiment;
use crate::measure::planning::Start;
use crate::measure::run::{Settings, run};
use crate::measure::{Progress, time_text};
use crate::plan::fingerprint::Fingerprint;
use crate::plan::launch::{Argument, BufferPlan, Code, Data, Launch, Shape};

use super::super::measure::devices;
use super::{Finding, State};

/// Copies a large array: what most lessons are limited by, and no more than a second of any GPU.
const SOURCE: &str = "extern \"C\" __global__ void steady(const float4 *x, float4 *y, unsigned long long n)\n{\n    \
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < n; i += (unsigned long long)gridDim.x * blockDim.x)\n        \
    y[i] = x[i];\n}\n";
/// Elements of each array, 512 MiB.
const ELEMENTS: u64 = 128 << 20;
/// Threads of a block.
const THREADS: u32 = 256;
/// A spread between rounds up to which MEASURING promises what it promises.
const STEADY: f64 = 0.005;

/// What the two equal rows show.
pub(super) fn noise(fake: bool, gpu: Option<&GpuChoice>) -> Vec<Finding> {
    match measure(fake, gpu) {
        Ok(record) => findings(&record),
        Err(error) => vec![Finding::new("noise", State::Missing, format!("nothing could be measured: {error:#}")).needed()],
    }
}

/// Hears nothing.
struct Silent;

impl Progress for Silent {
    fn phase(&mut self, _words: &str) {}
    fn rounds(&mut self, _rows: usize, _rounds: u32, _finished: usize) {}
    fn row(&mut self, _round: u32, _label: &str, _outcome: &Outcome) {}
    fn note(&mut self, _words: &str) {}
}

fn measure(fake: bool, gpu: Option<&GpuChoice>) -> Result<Record> {
    let mut workers = if fake { devices::plain_fake() } else { devices::cuda(gpu) };
    measured(&mut *workers.start, workers.grace)
}

/// The record of the experiment, by processes that `start` makes.
fn measured(start: &mut Start<'_>, grace: Duration) -> Result<Record> {
    let folder = tempfile::tempdir().context("cannot make a folder for the processes of the rounds")?;
    let settings = Settings {
        root: folder.path(),
        home: folder.path(),
        private: None,
        workspace: folder.path(),
        seed: 1,
        only_rows: &[],
        allow_busy: true,
        anew: false,
        began: Instant::now(),
        now: &|| time_text(chrono::Utc::now()),
        grace,
        interrupted: &AtomicBool::new(false),
        anonymous: Anonymous::here(),
        replayed: None,
        recorded: None,
    };
    Ok(run(&experiment(), &settings, start, &mut Silent).map_err(crate::measure::Stop::into_error)?.record)
}

/// Two rows of the same launch.
fn experiment() -> Experiment<'static> {
    let shape = || Shape { kernel: "steady".to_owned(), block: [THREADS, 1, 1], shared_bytes: 0, options: Vec::new() };
    let buffer = |name: &str| BufferPlan { name: name.to_owned(), role: Role::Scratch, element: Element::F32, count: ELEMENTS };
    let argument = |name: &str| Argument::Buffer(name.to_owned());
    Experiment {
        sweep: "noise".to_owned(),
        rows: ["a", "b"].map(|label| (label.to_owned(), Vec::new())).to_vec(),
        code: Code {
            source: "steady.cu".to_owned(),
            device: SOURCE.to_owned(),
            host: String::new(),
            headers: Default::default(),
            options: Vec::new(),
        },
        data: vec![Data { buffers: vec![buffer("x"), buffer("y")], inputs: Vec::new(), check: None }],
        data_of: vec![0; 2],
        reads: Vec::new(),
        timing: TimingPolicy { cache: CachePolicy::Cold, rounds: 11, samples: 20, warmup_ms: 100, limit_s: 30, time: true },
        fingerprint: Fingerprint::of(vec!["the noise of a machine".to_owned()]),
        shape: Box::new(move |_, _| Ok::<_, Problem>(shape())),
        launch: Box::new(move |_, device, residency| {
            let grid = [(residency.blocks_per_sm * device.sms).max(1), 1, 1];
            let arguments = vec![argument("x"), argument("y"), Argument::U64(ELEMENTS / 4)];
            Ok(Launch { shape: shape(), grid, arguments, bytes: Some(8 * ELEMENTS), flop: None })
        }),
    }
}

fn findings(record: &Record) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.push(match record.footer.as_ref().and_then(|footer| footer.tick_ns) {
        Some(tick) => Finding::ok("timer tick", format!("{tick} ns")),
        None => Finding::new("timer tick", State::Unknown, "all spans were equal"),
    });
    let clocks: Vec<u32> = record.results.iter().flat_map(|result| result.clock_mhz.iter().copied()).filter(|&mhz| mhz > 0).collect();
    let range = clocks.iter().min().zip(clocks.iter().max()).map(|(low, high)| format!("SM clock {low} to {high} MHz under load"));
    let lists = record.results.iter().flat_map(|result| result.throttle_before.iter().chain(&result.throttle_after));
    let mut reasons: Vec<&str> = lists.flatten().map(String::as_str).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let held = if reasons.is_empty() { "nothing holds them down".to_owned() } else { format!("held by {}", reasons.join(", ")) };
    findings.push(match range {
        Some(range) => Finding::ok("clocks", format!("{range}; {held}")),
        None => Finding::new("clocks", State::Unknown, held),
    });
    findings.push(equal_rows(record));
    findings
}

/// How far the two equal rows lie apart, and how sure that is.
fn equal_rows(record: &Record) -> Finding {
    let rounds = record.round_ns(0).into_iter().zip(record.round_ns(1));
    let pairs: Vec<(f64, f64)> = rounds.filter_map(|(a, b)| Some((libm::log(a?), libm::log(b?)))).collect();
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    let first: Vec<f64> = pairs.iter().map(|(a, _)| *a).collect();
    let Some(((between, difference), time)) = standard_deviation(&first).zip(mean(&differences)).zip(mean(&first)) else {
        let why = record.results.iter().find_map(|result| result.outcome.why()).unwrap_or("too few rounds were ok");
        return Finding::new("noise", State::Missing, format!("nothing could be measured: {why}")).needed();
    };
    let quantum = record.quantum_ns(0) / libm::exp(time);
    let sure = half_width(&differences, quantum, 0.99);
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    let words = format!(
        "rounds spread by {}; two equal rows differ by {}, known to {}",
        percent(between),
        percent(difference.abs()),
        percent(sure)
    );
    if between <= STEADY {
        Finding::ok("noise", words)
    } else {
        Finding::new("noise", State::Poor, words).remedy(
            "Rounds should spread by 0.5 % or less: see that nothing else runs, that the card is cool, and that its clocks are steady",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::device::fake::{Fake, FakeSpec};
    use crate::measure::worker::Worker;

    /// The findings on a fake device of this noise.
    fn on(spec: FakeSpec) -> Vec<Finding> {
        let spec = std::sync::Arc::new(spec);
        let mut start = |round| Ok(Worker::Here(Box::new(Fake::new(spec.clone(), round)) as Box<dyn Device>));
        findings(&measured(&mut start, crate::measure::run::GRACE).unwrap())
    }

    #[test]
    fn a_noisy_machine_is_told_from_a_steady_one() {
        let steady = on(FakeSpec::default());
        assert_eq!(steady[2].state, State::Ok, "{steady:?}");
        let noisy = on(FakeSpec { noise: 0.05, ..FakeSpec::default() });
        assert_eq!((noisy[2].state, noisy[2].needed), (State::Poor, false), "{noisy:?}");
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn its_kernel_compiles() {
        match crate::device::cuda::compile::compile(&experiment().code, "sm_90", &["steady".to_owned()]) {
            Err(error @ crate::device::DeviceError::Missing { .. }) => eprintln!("skipped: {error}"),
            compiled => assert!(!compiled.unwrap().log.contains("warning")),
        }
    }
}
