//! Turns one lesson in ten into one that stands on a run: a sweep of thirteen rows, its record of eleven rounds, and what is said of it.
//!
//! Must not have figures of its own. The record is made by lessonc on its fake device, and what it holds is in its rows alone.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use lessonc::base::problem::Problems;
use lessonc::device::fake::{Fake, FakeSpec};
use lessonc::evidence::record::{Outcome, Record};
use lessonc::evidence::{effort, lines, transcript};
use lessonc::measure::Progress;
use lessonc::measure::anonymous::Anonymous;
use lessonc::measure::experiment::Experiment;
use lessonc::measure::run::{GRACE, Settings, run};
use lessonc::measure::worker::Worker;
use lessonc::plan::Job;
use lessonc::plan::launch::Launch;
use rayon::prelude::*;

/// One lesson in so many stands on a run.
const EVERY: usize = 10;
/// When every run took place.
const BEGAN: &str = "2026-02-03T04:05:06Z";

/// Regions that a sweep adds to its lesson's source.
pub(super) const REGIONS: [(&str, &str); 3] = [
    ("fill", include_str!("blocks/fill.cu")),
    ("expected", include_str!("blocks/expected.cu")),
    ("measured", include_str!("blocks/measured.cu")),
];

/// Whether the lesson at `index` stands on a run.
pub(super) fn stands_on_one(index: usize) -> bool {
    index % EVERY == EVERY / 2
}

/// The manifest of the sweep of the lesson `title`, whose code is in `source`.
pub(super) fn manifest(title: &str, source: &str) -> String {
    include_str!("sweep/manifest.toml").replace("$title", title).replace("$source", source)
}

/// What a lesson says of the run of its sweep `name`, whose code is in `source`.
pub(super) fn text(name: &str, source: &str) -> String {
    include_str!("sweep/text.md").replace("$name", name).replace("$source", source)
}

/// Measures every sweep of the course in `root` on the fake device.
///
/// # Errors
/// When the course can't be read or planned, or the disk refuses.
pub(super) fn measure(root: &Path) -> Result<()> {
    let (tree, mut problems) = lessonc::disk::read_course(root)?;
    let course = lessonc::course::read(&tree, &mut problems);
    let plan = lessonc::plan::plan(&course, &mut problems);
    ensure!(problems.is_empty(), "the course has problems: {:?}", first(&problems));
    let jobs: Vec<&Arc<Job>> = plan.jobs.values().collect();
    jobs.par_iter().enumerate().try_for_each(|(number, job)| {
        // Beside the course, so that no version control that it may lie in gets into the record.
        let aside = tempfile::tempdir().context("cannot make a folder to measure in")?;
        let mut record = measured(job, number as u64, aside.path())?;
        seal(&mut record);
        let name = &job.sweep.name;
        let folder = root.join("evidence").join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let put = |ending: &str, text: String| {
            let path = folder.join(format!("{}-fake.{ending}", &BEGAN[..10]));
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
        };
        put("jsonl", lines::print(&record))?;
        put("txt", transcript::transcript(&record))
    })
}

fn first(problems: &Problems) -> Option<String> {
    problems.iter().next().map(|problem| problem.message.clone())
}

/// The record of `job` on the fake device, with noise of its own.
fn measured(job: &Job, number: u64, root: &Path) -> Result<Record> {
    let kernel = job.kernel().context("the sweep launches nothing")?;
    let spec = Arc::new(FakeSpec { time: Arc::new(move |_, launch| Ok(time(number, launch))), seed: number, ..FakeSpec::default() });
    let mut start = |round: u32| Ok(Worker::Here(Box::new(Fake::new(spec.clone(), round))));
    let settings = Settings {
        root,
        home: root,
        private: None,
        workspace: root,
        seed: number,
        only_rows: &[],
        allow_busy: false,
        anew: false,
        began: Instant::now(),
        now: &|| BEGAN.to_owned(),
        grace: GRACE,
        interrupted: &AtomicBool::new(false),
        anonymous: Anonymous::default(),
        recorded: None,
        replayed: None,
    };
    let written = run(&Experiment::of(job, kernel, None), &settings, &mut start, &mut Silent);
    written.map(|written| written.record).map_err(lessonc::measure::Stop::into_error)
}

/// Nanoseconds of a launch: small blocks pay more for each thread, sweep by sweep by another share.
fn time(number: u64, launch: &Launch) -> f64 {
    let (bytes, threads) = (launch.bytes.unwrap_or(0) as f64, f64::from(launch.shape.block[0]));
    let (rate, cost) = (300.0 + (number % 97) as f64, 6.0 + (number % 9) as f64);
    bytes / rate * (1.0 + cost / threads)
}

/// Takes out of `record` what this machine put in, and closes it anew.
fn seal(record: &mut Record) {
    let unknown = &mut record.header.unknown;
    for name in ["commit", "dirty"] {
        unknown.insert(name.to_owned(), "the course is generated".to_owned());
    }
    (record.header.circumstance.commit, record.header.circumstance.dirty) = (None, None);
    let wall = u64::try_from(effort::timed(record).as_millis()).ok();
    let body = lines::print_body(record);
    if let Some(footer) = &mut record.footer {
        let closed = lines::footer(&body, footer.ended.clone(), footer.complete, footer.tick_ns);
        footer.wall_ms = wall;
        footer.digest = closed.digest;
    }
}

struct Silent;

impl Progress for Silent {
    fn phase(&mut self, _words: &str) {}
    fn rounds(&mut self, _rows: usize, _rounds: u32, _finished: usize) {}
    fn row(&mut self, _round: u32, _label: &str, _outcome: &Outcome) {}
    fn note(&mut self, _words: &str) {}
}
