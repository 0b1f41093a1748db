//! Turns made-up sweeps into records with the fake device, and records into themselves with the replay.
//!
//! Must not need a GPU, a clock or patience.

mod cut_short;
mod looks;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;

use super::anonymous::Anonymous;
use super::experiment::Experiment;
use super::journal::Written;
use super::run::{REPLAYS, Settings, run};
use super::worker::Worker;
use super::{Progress, Stop, journal};
use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;
use crate::course::sweep::{CachePolicy, Element, Role, TimingPolicy};
use crate::device::fake::{Fake, FakeFault, FakeSpec, FaultKind};
use crate::device::replay::Replay;
use crate::evidence::record::{Outcome, Record};
use crate::evidence::{self, Evidence, consistent, lines, order, transcript};
use crate::plan::fingerprint::Fingerprint;
use crate::plan::launch::{Argument, BufferPlan, Check, Code, Data, HostCall, Launch, Shape};
use crate::plan::lines as planned;
use crate::tree::SourceTree;

/// Hears nothing, and asks to stop after some rows.
struct Silent<'a> {
    rows_left: usize,
    interrupted: &'a AtomicBool,
    notes: Vec<String>,
}

impl Progress for Silent<'_> {
    fn phase(&mut self, _words: &str) {}
    fn rounds(&mut self, _rows: usize, _rounds: u32, _finished: usize) {}
    fn row(&mut self, _round: u32, _label: &str, _outcome: &Outcome) {
        self.rows_left -= 1;
        self.interrupted.store(self.rows_left == 0, Ordering::Relaxed);
    }
    fn note(&mut self, words: &str) {
        self.notes.push(words.to_owned());
    }
}

const THREADS: [u32; 4] = [64, 128, 256, 512];

/// A sweep over block sizes whose launches follow from the device.
fn experiment(cache: CachePolicy) -> Experiment<'static> {
    let count = 1 << 20;
    let code = Code {
        source: "copy.cu".to_owned(),
        device: "#line 1 \"copy.cu\"\n__global__ void copy() {}\n".to_owned(),
        host: String::new(),
        headers: Default::default(),
        options: vec!["--std=c++17".to_owned()],
    };
    let buffers = vec![BufferPlan { name: "y".to_owned(), role: Role::Out, element: Element::F32, count }];
    let check = Check::Reference {
        call: HostCall { function: "expect".to_owned(), arguments: vec![Argument::Buffer("y".to_owned())] },
        relative: 1e-6,
        absolute: 0.1,
    };
    let timing = TimingPolicy { cache, rounds: 3, samples: 5, warmup_ms: 2, limit_s: 30, time: true };
    let mut lines = planned::code(&code);
    lines.extend(["128", "256", "512", "64"].map(|n| format!("row '{n}': threads = {n}")));
    let data = Data { buffers, inputs: Vec::new(), check: Some(check) };
    lines.extend(planned::data(&data));
    lines.push(planned::timing(&timing));
    let shape_of = |row: usize| Shape { kernel: "copy".to_owned(), block: [THREADS[row], 1, 1], shared_bytes: 0, options: Vec::new() };
    Experiment {
        sweep: "copy".to_owned(),
        rows: THREADS.iter().map(|n| (n.to_string(), vec![("threads".to_owned(), n.to_string())])).collect(),
        code,
        data: vec![data],
        data_of: vec![0; 4],
        reads: Vec::new(),
        timing,
        fingerprint: Fingerprint::of(lines),
        shape: Box::new(move |row, _| Ok(shape_of(row))),
        launch: Box::new(move |row, device, residency| {
            let arguments = vec![Argument::Buffer("y".to_owned()), Argument::U64(count)];
            let grid = [residency.blocks_per_sm * device.sms, 1, 1];
            Ok(Launch { shape: shape_of(row), grid, arguments, bytes: Some((1 << 26) + row as u64 * 4096), flop: None })
        }),
    }
}

fn start_fake(spec: FakeSpec) -> impl FnMut(u32) -> anyhow::Result<Worker> {
    let spec = Arc::new(spec);
    move |round| Ok(Worker::Here(Box::new(Fake::new(spec.clone(), round))))
}

/// How a run differs from a plain one.
#[derive(Clone, Copy)]
struct Ask<'a> {
    /// It is asked to stop after so many rows.
    rows: usize,
    seed: u64,
    anew: bool,
    only_rows: &'a [String],
    recorded: Option<&'a Record>,
}

const PLAIN: Ask<'static> = Ask { rows: 1000, seed: 7, anew: false, only_rows: &[], recorded: None };

/// A run on `root`, and what was noted in it.
fn attempt(
    root: &Path,
    experiment: &Experiment<'_>,
    start: &mut super::planning::Start<'_>,
    ask: Ask<'_>,
    replayed: Option<&Record>,
) -> (Result<Written, Stop>, Vec<String>) {
    let interrupted = AtomicBool::new(false);
    let mut progress = Silent { rows_left: ask.rows, interrupted: &interrupted, notes: Vec::new() };
    let settings = Settings {
        root,
        home: root,
        private: None,
        workspace: root,
        seed: replayed.map_or(ask.seed, |record| record.header.order_seed),
        only_rows: ask.only_rows,
        allow_busy: false,
        anew: ask.anew,
        began: std::time::Instant::now(),
        now: &|| "2026-05-06T07:08:09Z".to_owned(),
        grace: super::run::GRACE,
        interrupted: &interrupted,
        anonymous: Anonymous::default(),
        recorded: ask.recorded,
        replayed: replayed.map(|_| "evidence/copy/2026-05-06-fake.jsonl".to_owned()),
    };
    let ended = run(experiment, &settings, start, &mut progress);
    (ended, progress.notes)
}

/// A run on `root` that is asked to stop after `rows` rows.
fn run_on(
    root: &Path,
    experiment: &Experiment<'_>,
    start: &mut super::planning::Start<'_>,
    rows: usize,
    replayed: Option<&Record>,
) -> Result<Written, Stop> {
    attempt(root, experiment, start, Ask { rows, ..PLAIN }, replayed).0
}

fn fake_run(root: &Path, cache: CachePolicy, faults: Vec<FakeFault>) -> Written {
    run_on(root, &experiment(cache), &mut start_fake(FakeSpec { faults, ..FakeSpec::default() }), 1000, None).expect("the run ends well")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn read(root: &Path) -> (Evidence, Vec<Problem>) {
    let mut problems = Problems::new();
    let mut tree = SourceTree::new();
    for entry in walkdir::WalkDir::new(root.join("evidence")).into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file())
    {
        let name = entry.path().strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        tree.insert(&name, &std::fs::read(entry.path()).expect("readable"), &mut problems);
    }
    (evidence::read(&tree, &mut problems), problems.sorted())
}

#[test]
fn a_run_becomes_evidence_and_reads_back() {
    let root = folder();
    let written = fake_run(root.path(), CachePolicy::Cold, Vec::new());
    assert_eq!(written.record_name, "evidence/copy/2026-05-06-fake.jsonl");
    let (evidence, problems) = read(root.path());
    assert_eq!(problems, []);
    let run = evidence.run(&written.record_name).expect("it is there");
    assert_eq!(*run.record, written.record);
    assert!(run.is_fake() && run.is_complete());
    assert_eq!(run.transcript_mismatch(), None);
    assert!((0..4).all(|row| run.record.round_ns(row).iter().all(Option::is_some)));
    // 64 MiB at 512 GB/s, within the noise.
    let first = run.record.round_ns(0)[0].expect("a time");
    assert!((first / 131_072.0 - 1.0).abs() < 0.0012, "{first}");
    assert_eq!(run.record.footer.as_ref().and_then(|footer| footer.tick_ns), Some(32));
    assert!(!root.path().join(".lessonc/measure/copy-fake.jsonl").exists());
}

#[test]
fn every_round_takes_every_row_in_its_order() {
    let root = folder();
    let record = fake_run(root.path(), CachePolicy::Cold, Vec::new()).record;
    let expected: Vec<(u32, u32)> = (1..=3).flat_map(|round| order::order(7, round, 4).into_iter().map(move |row| (round, row))).collect();
    assert_eq!(record.results.iter().map(|result| (result.round, result.row)).collect::<Vec<_>>(), expected);
}

#[test]
fn every_fault_ends_as_its_outcome_and_the_rest_goes_on() {
    for (word, kind) in FaultKind::WORDS {
        for cache in [CachePolicy::Cold, CachePolicy::Warm] {
            if (kind, cache) == (FaultKind::TooShort, CachePolicy::Warm) {
                continue; // warm samples are sized to be long enough
            }
            let round = if kind == FaultKind::Skipped { None } else { Some(2) };
            let root = folder();
            let record = fake_run(root.path(), cache, vec![FakeFault { row: Some(1), round, kind }]).record;
            assert!(record.is_complete(), "{word}");
            let expected = match kind {
                FaultKind::IncorrectAfter => "incorrect",
                FaultKind::ClockMoves => "throttled",
                _ => word,
            };
            if kind == FaultKind::Skipped {
                assert!(record.rows[1].skipped.is_some() && record.rows[1].launch.is_none());
                assert_eq!((record.results.len(), record.results_of(1).count()), (9, 0));
                continue;
            }
            assert_eq!(record.results.len(), 12, "{word}");
            assert_eq!(consistent::first_fault(&record), None, "{word}");
            for result in &record.results {
                let expected = if (result.round, result.row) == (2, 1) { expected } else { "ok" };
                assert_eq!(result.outcome.word(), expected, "{word}: row {} in round {}", result.row, result.round);
            }
            assert_eq!(record.round_ns(1)[1], None, "{word}: a lost round has no time");
            assert!(transcript::transcript(&record).contains(&format!("  128 in round 2: {expected}: ")), "{word}");
        }
    }
}

#[test]
fn a_warm_sample_is_sized_once_and_long_enough() {
    let root = folder();
    let mut start = start_fake(FakeSpec { time: Arc::new(|row, _| Ok(2_000.0 + f64::from(row) * 60_000.0)), ..FakeSpec::default() });
    let record = run_on(root.path(), &experiment(CachePolicy::Warm), &mut start, 1000, None).expect("the run ends well").record;
    assert_eq!(record.rows.iter().map(|row| row.launches_per_sample).collect::<Vec<_>>(), [64, 4, 2, 1]);
    assert!(record.results.iter().all(|result| result.outcome == Outcome::Ok));
    let first = record.round_ns(0)[0].expect("a time");
    assert!((first / 2_000.0 - 1.0).abs() < 0.002, "{first} ns a launch");
}

#[test]
fn a_replay_is_the_record_again() {
    let outcomes = FaultKind::WORDS.map(|(_, kind)| kind);
    for cache in [CachePolicy::Cold, CachePolicy::Warm] {
        for kind in outcomes {
            let root = folder();
            let mut record =
                fake_run(root.path(), cache, vec![FakeFault { row: Some(2), round: (kind != FaultKind::Skipped).then_some(3), kind }])
                    .record;
            for version in [2, 1] {
                record.header.version = version;
                assert_replays(root.path(), &experiment(cache), &record);
            }
        }
    }
}

/// Replays `record` and compares all but what a replay may change.
fn assert_replays(root: &Path, experiment: &Experiment<'_>, record: &Record) {
    let shared = Arc::new(record.clone());
    let mut start = |round| Ok(Worker::Here(Box::new(Replay::new(shared.clone(), round))));
    let written = run_on(root, experiment, &mut start, 1000, Some(record)).expect("the replay ends well");
    assert!(written.record_name.starts_with(REPLAYS), "{}", written.record_name);
    let mut again = written.record;
    again.header.circumstance.replayed = None;
    again.header.version = record.header.version;
    again.header.started = record.header.started.clone();
    assert_eq!(lines::print_body(&again), lines::print_body(record));
    let footers = again.footer.zip(record.footer.clone()).expect("both are closed");
    assert_eq!((footers.0.complete, footers.0.tick_ns), (footers.1.complete, footers.1.tick_ns));
}

#[test]
fn nothing_is_overwritten() {
    let root = folder();
    let names: Vec<String> = (0..3).map(|_| fake_run(root.path(), CachePolicy::Cold, Vec::new()).record_name).collect();
    let expected = ["", "-2", "-3"].map(|end| format!("evidence/copy/2026-05-06-fake{end}.jsonl"));
    assert_eq!(names, expected);
    assert_eq!(read(root.path()).1, []);
    // A transcript without a record is not overwritten either.
    std::fs::write(root.path().join("evidence/copy/2026-05-06-fake-4.txt"), "mine").expect("writable");
    assert!(fake_run(root.path(), CachePolicy::Cold, Vec::new()).record_name.ends_with("-5.jsonl"));
}

#[test]
fn a_record_with_a_path_is_not_begun() {
    let root = folder();
    let mut experiment = experiment(CachePolicy::Cold);
    experiment.code.options = vec!["-I/opt/cuda/include".to_owned()];
    let stop = run_on(root.path(), &experiment, &mut start_fake(FakeSpec::default()), 1000, None);
    assert!(matches!(&stop, Err(Stop::Machine(error)) if error.to_string().contains("/opt/cuda/include")), "{stop:?}");
    assert_eq!(read(root.path()).0.all().count(), 0);
}

#[test]
fn problems_of_all_rows_are_found_at_once() {
    let root = folder();
    let mut experiment = experiment(CachePolicy::Cold);
    experiment.shape = Box::new(|row, _| Err(Problem::error("expr-name", Span::top(&"kernels/copy.toml".into()), format!("row {row}"))));
    let stop = run_on(root.path(), &experiment, &mut start_fake(FakeSpec::default()), 1000, None);
    assert!(matches!(&stop, Err(Stop::Problems(problems)) if problems.len() == 4), "{stop:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever the device does, the record prints to the same bytes after it was read, and replays to itself.
    #[test]
    fn records_of_any_device_read_back_and_replay(
        seed in any::<u64>(),
        noise in 0.0..0.2f64,
        tick in 1u64..2_000,
        times in prop::array::uniform4(100.0..1e6f64),
        warm in any::<bool>(),
        faults in prop::collection::vec((0u32..4, 0u32..5, 0usize..FaultKind::WORDS.len()), 0..4),
    ) {
        let root = folder();
        let cache = if warm { CachePolicy::Warm } else { CachePolicy::Cold };
        let faults = faults.into_iter().map(|(row, round, kind)| FakeFault { row: Some(row), round: Some(round), kind: FaultKind::WORDS[kind].1 }).collect();
        let time = Arc::new(move |row: u32, _: &Launch| Ok(times[row as usize]));
        let mut start = start_fake(FakeSpec { seed, noise, tick_ns: tick, time, faults, ..FakeSpec::default() });
        let experiment = experiment(cache);
        // A sweep of which every row is refused leaves nothing, which is an error of its own.
        if let Ok(written) = run_on(root.path(), &experiment, &mut start, 1000, None) {
            let text = lines::print(&written.record);
            let parsed = lines::parse(&text);
            prop_assert_eq!(parsed.as_ref(), Ok(&written.record));
            // What it says can be told at length, too.
            let mut long = Record { footer: None, ..written.record.clone() };
            long.header.version = 1;
            let text = lines::print(&long);
            prop_assert_eq!(lines::parse(&text), Ok(long));
            prop_assert_eq!(consistent::first_fault(&written.record), None);
            assert_replays(root.path(), &experiment, &written.record);
        }
    }
}
