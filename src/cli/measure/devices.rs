//! Turns the word for a device into workers on it, in this process or each in its own.
//!
//! Must not know what they are asked.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::base::problem::Problems;
use crate::device::DeviceError;
use crate::device::choice::{GpuChoice, hyphenated};
use crate::device::fake::{Fake, FakeSpec};
use crate::measure::process::{self, Child};
use crate::measure::run::GRACE;
use crate::measure::worker::Worker;
use crate::plan::Job;

use super::super::settings::CourseArgument;
use super::super::{Ending, Terminal};
use super::course::Studied;
use super::fake;

/// A device by the word for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum DeviceChoice {
    Cuda,
    Fake,
    Replay(String),
}

impl std::str::FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            None if text == "cuda" => Ok(Self::Cuda),
            None if text == "fake" => Ok(Self::Fake),
            Some(("replay", run)) if !run.is_empty() => Ok(Self::Replay(run.to_owned())),
            _ => Err("expected `cuda`, `fake` or `replay:RUN`".to_owned()),
        }
    }
}

/// What a process of a round is told when it is started: which device is its own.
#[derive(Debug, clap::Args)]
pub(in super::super) struct ProcessArguments {
    /// The GPU, by ordinal or UUID
    #[arg(long)]
    gpu: Option<GpuChoice>,
    /// The sweep whose fake device to be
    #[arg(long)]
    fake: Option<String>,
    /// The round
    #[arg(long, default_value_t = 0)]
    round: u32,
    #[command(flatten)]
    course: CourseArgument,
}

/// Starts workers of a device.
pub(in super::super) struct Start {
    pub(in super::super) start: Box<dyn FnMut(u32) -> Result<Worker>>,
    /// What a worker is granted beyond a row's limit.
    pub(in super::super) grace: Duration,
}

/// Workers on a GPU: `gpu` as typed, or the first one.
pub(in super::super) fn cuda(gpu: Option<&GpuChoice>) -> Start {
    let which = which(gpu);
    Start { start: Box::new(move |round| child(&which, round)), grace: GRACE }
}

/// What a process is told of which GPU is its own.
pub(super) fn which(gpu: Option<&GpuChoice>) -> Vec<OsString> {
    gpu.into_iter().flat_map(|gpu| ["--gpu".into(), typed(gpu).into()]).collect()
}

/// A choice as it is typed.
fn typed(gpu: &GpuChoice) -> String {
    match gpu {
        GpuChoice::First => "0".to_owned(),
        GpuChoice::Number(number) => number.to_string(),
        GpuChoice::Uuid(uuid) => hyphenated(*uuid),
    }
}

/// A worker in a process of its own, for round `round`.
fn child(which: &[OsString], round: u32) -> Result<Worker> {
    let mut arguments = which.to_vec();
    arguments.extend(["--round".into(), round.to_string().into()]);
    Ok(Worker::Child(Child::start(&arguments)?))
}

/// Workers on a fake device that no file describes.
pub(in super::super) fn plain_fake() -> Start {
    let spec = Arc::new(FakeSpec::default());
    Start { start: Box::new(move |round| Ok(Worker::Here(Box::new(Fake::new(spec.clone(), round))))), grace: GRACE }
}

/// Workers on the fake device of `job`.
pub(super) fn fake(studied: &Studied, job: &Arc<Job>) -> Result<Start> {
    let described = described(studied, job)?;
    let grace = described.grace.unwrap_or(GRACE);
    if described.processes {
        let arguments: [OsString; 4] = ["--fake".into(), (&job.sweep.name).into(), "--course".into(), studied.folder.root.clone().into()];
        return Ok(Start { start: Box::new(move |round| child(&arguments, round)), grace });
    }
    let spec = Arc::new(described.spec);
    Ok(Start { start: Box::new(move |round| Ok(Worker::Here(Box::new(Fake::new(spec.clone(), round))))), grace })
}

fn described(studied: &Studied, job: &Arc<Job>) -> Result<fake::Described> {
    let mut problems = Problems::new();
    let described = fake::read(&studied.tree, job, &mut problems);
    match problems.iter().next() {
        Some(problem) => bail!("{}: {}", problem.at.as_ref().map_or("the fake device", |at| &at.file), problem.message),
        None => Ok(described),
    }
}

/// The hidden command of the processes of the rounds: serves requests on standard input with its device.
pub(in super::super) fn serve_requests(arguments: &ProcessArguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let mut requests = process::of_parent();
    if let Some(sweep) = &arguments.fake {
        let studied = Studied::read(&arguments.course)?;
        let Some(job) = studied.plan.jobs.get(sweep) else { bail!("there is no sweep `{sweep}`") };
        let spec = described(&studied, job)?.spec;
        process::serve(&mut Fake::new(Arc::new(spec), arguments.round), &mut *requests, terminal.out)?;
        return Ok(Ending::Fine);
    }
    match open(arguments) {
        Ok(mut device) => process::serve(device.as_mut(), &mut *requests, terminal.out)?,
        Err(error) => process::refuse(&error, &mut *requests, terminal.out)?,
    }
    Ok(Ending::Fine)
}

/// The longest that a single launch or sample may take before a row's own limit is known.
#[cfg(feature = "cuda")]
const LONGEST: Duration = Duration::from_secs(30);
/// How long a GPU that looks busy is given before planning: what used it last may only just have ended.
#[cfg(feature = "cuda")]
const PATIENCE: Duration = Duration::from_secs(3);

#[cfg(feature = "cuda")]
pub(super) fn open(arguments: &ProcessArguments) -> Result<Box<dyn crate::device::Device>, DeviceError> {
    // Only who plans asks; in a round the process of the one before may still be there.
    let patience = Some(PATIENCE).filter(|_| arguments.round == 0);
    let choice = arguments.gpu.clone().unwrap_or_default();
    Ok(Box::new(crate::device::cuda::CudaDevice::open_chosen(&choice, LONGEST, patience)?))
}

#[cfg(not(feature = "cuda"))]
pub(super) fn open(_arguments: &ProcessArguments) -> Result<Box<dyn crate::device::Device>, DeviceError> {
    Err(DeviceError::Missing {
        what: "support for GPUs".to_owned(),
        why: "this lessonc was built without it".to_owned(),
        remedy: "Install lessonc with its default features".to_owned(),
    })
}
