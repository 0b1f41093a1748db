//! Turns one job into a run, whatever its kind, on the device and in the manner that were asked for.
//!
//! Must not know what the run is for, nor print: who asks hears how it goes on.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};

use crate::device::Machine;
use crate::device::choice::GpuChoice;
use crate::evidence::Run;
use crate::evidence::record::Private;
use crate::measure::anonymous::Anonymous;
use crate::measure::experiment::Experiment;
use crate::measure::journal::Written;
use crate::measure::program::Place;
use crate::measure::run::{GRACE, Settings};
use crate::measure::{Progress, Stop, planning, profiling, program, run, time_text};
use crate::plan::{CompileJob, Job, Work};

use super::course::Studied;
use super::devices::{self, DeviceChoice, Start, which};

/// The variable by which CUDA shows some GPUs only.
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

/// How runs are made.
#[derive(Clone, Copy)]
pub(in super::super) struct Manner<'a> {
    /// What to measure on.
    pub device: &'a DeviceChoice,
    /// Which GPU.
    pub gpu: Option<&'a GpuChoice>,
    /// How many rounds; by default as each sweep says.
    pub rounds: Option<u32>,
    /// The rows to measure, by label; empty: all.
    pub rows: &'a [String],
    /// Whether to measure on a GPU that others use.
    pub allow_busy: bool,
    /// Whether to begin a new run where one that was cut short could be gone on with.
    pub anew: bool,
    /// The folder in which records are written.
    pub home: &'a Path,
    /// Whom they are for, where they are no evidence.
    pub private: Option<Private>,
    /// Set when somebody asked to stop.
    pub interrupted: &'a AtomicBool,
}

/// The runs of the course that a new one stands beside.
#[derive(Clone, Copy, Default)]
pub(super) struct Against<'a> {
    /// The one that counts until now.
    pub recorded: Option<&'a Run>,
    /// The one that is replayed.
    pub replayed: Option<&'a Run>,
}

/// Measures `job`, on the GPU of `machine` where it is known; `recorded` is the run that counts until now.
///
/// # Errors
/// As those of its kind.
pub(in super::super) fn measure(
    studied: &Studied,
    job: &Arc<Job>,
    machine: Option<&Machine>,
    recorded: Option<&Run>,
    manner: &Manner<'_>,
    progress: &mut dyn Progress,
) -> Result<Written, Stop> {
    let settled = |grace: Duration, run: &mut Running<'_>| settled(studied, manner, Against::default(), grace, run);
    match &job.work {
        Work::Kernel(kernel) => {
            let experiment = Experiment::of(job, kernel, manner.rounds);
            let against = Against { recorded, replayed: None };
            launch(studied, &experiment, &mut start(studied, job, manner)?, against, manner, progress)
        }
        Work::Profile(profile) => {
            let (mut workers, which) = (start(studied, &profile.of, manner)?, which(manner.gpu));
            settled(workers.grace, &mut |settings| profiling::run(job, profile, &which, settings, &mut *workers.start, progress))
        }
        Work::Program(program) => {
            let environment: Vec<_> = manner.gpu.filter(|_| machine.is_some()).and_then(visible).into_iter().collect();
            let place = Place { machine, environment: &environment, rounds: manner.rounds };
            settled(GRACE, &mut |settings| program::run(job, program, &place, settings, progress))
        }
        Work::Compile(compile) => settled(GRACE, &mut |settings| compiled(job, compile, settings, progress)),
    }
}

/// Measures `experiment` with `workers`.
///
/// # Errors
/// As [`run::run`].
pub(super) fn launch(
    studied: &Studied,
    experiment: &Experiment<'_>,
    workers: &mut Start,
    against: Against<'_>,
    manner: &Manner<'_>,
    progress: &mut dyn Progress,
) -> Result<Written, Stop> {
    settled(studied, manner, against, workers.grace, &mut |settings| run::run(experiment, settings, &mut *workers.start, progress))
}

/// What is known of the device that was asked for and of its machine; `job` is one that would run on it.
///
/// # Errors
/// Where there is no such device.
pub(in super::super) fn machine(studied: &Studied, job: &Arc<Job>, manner: &Manner<'_>) -> Result<Machine, Stop> {
    let mut workers = start(studied, job, manner)?;
    planning::machine(&mut (workers.start)(0)?)
}

/// The job that runs for `job`: itself, or the one that it profiles.
pub(in super::super) fn launched(job: &Arc<Job>) -> Option<&Arc<Job>> {
    match &job.work {
        Work::Kernel(_) | Work::Program(_) => Some(job),
        Work::Profile(profile) => Some(&profile.of),
        Work::Compile(_) => None,
    }
}

/// Workers on the device that was asked for.
pub(super) fn start(studied: &Studied, job: &Arc<Job>, manner: &Manner<'_>) -> Result<Start> {
    match manner.device {
        DeviceChoice::Cuda => Ok(devices::cuda(manner.gpu)),
        _ => devices::fake(studied, job),
    }
}

/// What a run does with its settings.
type Running<'a> = dyn FnMut(&Settings<'_>) -> Result<Written, Stop> + 'a;

/// Lets `run` measure, with processes that may be late by `grace`.
fn settled(
    studied: &Studied,
    manner: &Manner<'_>,
    Against { recorded, replayed }: Against<'_>,
    grace: Duration,
    run: &mut Running<'_>,
) -> Result<Written, Stop> {
    let began = Instant::now();
    let workspace = tempfile::tempdir().context("cannot make a folder for the processes of the rounds")?;
    let now = || time_text(chrono::Utc::now());
    run(&Settings {
        root: &studied.folder.root,
        home: manner.home,
        private: manner.private,
        workspace: workspace.path(),
        seed: replayed.map_or_else(seed, |run| run.record.header.order_seed),
        only_rows: replayed.map_or(manner.rows, |run| &run.record.header.circumstance.only_rows),
        allow_busy: manner.allow_busy || replayed.is_some(),
        anew: manner.anew,
        began,
        now: &now,
        grace,
        interrupted: manner.interrupted,
        anonymous: Anonymous::here(),
        recorded: recorded.map(|run| &*run.record),
        replayed: replayed.map(|run| run.name.to_string()),
    })
}

/// A seed for the order of rows: any will do, since it is recorded.
fn seed() -> u64 {
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    crate::evidence::order::SplitMix(nanoseconds ^ u64::from(std::process::id()) << 32).next_bits()
}

/// What shows a program the chosen GPU only. A number counts among those that are shown to lessonc.
fn visible(choice: &GpuChoice) -> Option<(String, String)> {
    let shown = std::env::var(VISIBLE).ok().filter(|shown| !shown.is_empty());
    let shown = match (choice, shown) {
        (GpuChoice::First, _) => return None,
        (GpuChoice::Number(number), Some(shown)) => shown.split(',').nth(*number as usize)?.trim().to_owned(),
        (GpuChoice::Number(number), None) => number.to_string(),
        (GpuChoice::Uuid(_), _) => choice.to_string(),
    };
    Some((VISIBLE.to_owned(), shown))
}

#[cfg(feature = "cuda")]
fn compiled(job: &Job, compile: &CompileJob, settings: &Settings<'_>, progress: &mut dyn Progress) -> Result<Written, Stop> {
    crate::measure::compiling::run(job, compile, settings, progress)
}

#[cfg(not(feature = "cuda"))]
fn compiled(_: &Job, _: &CompileJob, _: &Settings<'_>, _: &mut dyn Progress) -> Result<Written, Stop> {
    Err(Stop::Device(crate::device::DeviceError::Missing {
        what: "support for NVRTC".to_owned(),
        why: "this lessonc was built without it".to_owned(),
        remedy: "Install lessonc with its default features".to_owned(),
    }))
}
