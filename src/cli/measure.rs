//! `lessonc measure`: turns sweeps that have no current run into runs, on a GPU or on a stand-in.
//!
//! Must not know what a run is for. This command runs code of the course: kernels on the device and host regions in
//! processes of their own.

mod fake;
mod list;
mod progress;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};

use crate::base::name::did_you_mean;
use crate::base::problem::{Problem, Problems};
use crate::base::statistics::LEAST_ROUNDS;
use crate::course::{self, Course};
use crate::device::DeviceError;
use crate::device::replay::Replay;
use crate::disk;
use crate::evidence::{self, Current, Evidence, Run, lines, transcript};
use crate::measure::anonymous::Anonymous;
use crate::measure::experiment::Experiment;
use crate::measure::journal::Written;
use crate::measure::process::Child;
use crate::measure::run::{Settings, run as measure};
use crate::measure::worker::Worker;
use crate::measure::{Progress, Stop, compile_log, planning, time_text};
use crate::plan::{self, Job, Plan, Work};
use crate::rules::report::{self, Context};
use crate::tree::SourceTree;

use super::settings::{CourseArgument, CourseFolder};
use super::{Ending, Terminal};

#[derive(Debug, clap::Args)]
#[command(after_help = "A record keeps the course's commit. Where the course was copied without its history, set LESSONC_COMMIT to \
    what `git describe --always --abbrev=40 --dirty` prints in the original.")]
pub(super) struct Arguments {
    /// Sweeps to measure; by default all that have no current run on the device
    #[arg(value_name = "SWEEP")]
    sweeps: Vec<String>,
    #[command(flatten)]
    course: CourseArgument,
    /// What to measure on: `cuda`, `fake`, or `replay:RUN` for a record of the course
    #[arg(long, value_name = "DEVICE", default_value = "cuda")]
    device: DeviceChoice,
    /// Rounds, 5 at least; by default what each sweep says
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(LEAST_ROUNDS as i64..=1000))]
    rounds: Option<u32>,
    /// Show the sweeps, their rows and what is current, and measure nothing; needs no GPU
    #[arg(long)]
    list: bool,
    /// Measure again what has a current run
    #[arg(long)]
    force: bool,
}

/// A device by the word for it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum DeviceChoice {
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

/// What this command reads of a course.
struct Studied {
    folder: CourseFolder,
    tree: SourceTree,
    course: Course,
    plan: Plan,
    evidence: Evidence,
    problems: Vec<Problem>,
}

impl Studied {
    fn read(argument: &CourseArgument) -> Result<Self> {
        let folder = argument.find()?;
        let (tree, mut problems) = disk::read_course(&folder.root)?;
        let course = course::read(&tree, &mut problems);
        let plan = plan::plan(&course, &mut problems);
        let evidence = evidence::read(&tree, &mut problems);
        Ok(Self { folder, tree, course, plan, evidence, problems: problems.sorted() })
    }

    fn context(&self, terminal: &Terminal<'_>) -> Context<'_> {
        Context { tree: &self.tree, prefix: &self.folder.prefix, colour: terminal.err_colour }
    }

    /// Prints `problems` on standard error.
    fn report(&self, problems: &[Problem], terminal: &mut Terminal<'_>) -> Result<()> {
        let text = report::human(problems, self.context(terminal));
        Ok(terminal.err.write_all(text.as_bytes())?)
    }

    /// What stands in the way of planning: the problems of kernels and manifests. Those of lessons are no hindrance.
    fn hindrances(&self) -> Vec<Problem> {
        let of_kernels = |problem: &&Problem| problem.at.as_ref().is_some_and(|at| at.file.starts_with("kernels/"));
        self.problems
            .iter()
            .filter(of_kernels)
            .filter(|problem| problem.severity == crate::base::problem::Severity::Error)
            .cloned()
            .collect()
    }
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let studied = Studied::read(&arguments.course)?;
    for name in &arguments.sweeps {
        if !studied.course.sweeps.contains_key(name) && !studied.course.unread.contains(name) {
            let hint = did_you_mean(name, studied.course.sweeps.keys().map(String::as_str)).unwrap_or_default();
            bail!("there is no sweep `{name}` in this course; {hint}");
        }
    }
    let hindrances = studied.hindrances();
    if !hindrances.is_empty() {
        studied.report(&hindrances, terminal)?;
    }
    let unplanned = studied.course.sweeps.keys().chain(&studied.course.unread).filter(|name| !studied.plan.jobs.contains_key(*name));
    let lost: Vec<&String> = unplanned.filter(|name| arguments.sweeps.is_empty() || arguments.sweeps.contains(name)).collect();
    let mut ending = if lost.is_empty() && hindrances.is_empty() { Ending::Fine } else { Ending::Problems };
    for name in lost {
        writeln!(terminal.err, "{name}: can't be planned as it is")?;
    }
    let chosen = |name: &str| arguments.sweeps.is_empty() || arguments.sweeps.iter().any(|wanted| wanted == name);
    let jobs: Vec<Arc<Job>> = studied.plan.jobs.iter().filter(|(name, _)| chosen(name)).map(|(_, job)| job.clone()).collect();
    if arguments.list {
        terminal.out.write_all(list::list(&jobs, &studied.course.config.devices, &studied.evidence).as_bytes())?;
        return Ok(ending);
    }
    match &arguments.device {
        DeviceChoice::Replay(name) => replay(&studied, name, arguments, terminal),
        choice => {
            if *choice == DeviceChoice::Fake {
                let mut problems = Problems::new();
                jobs.iter().for_each(|job| _ = fake::spec(&studied.tree, job, &mut problems));
                if !problems.is_empty() {
                    studied.report(&problems.sorted(), terminal)?;
                    return Ok(Ending::Problems);
                }
            }
            if measure_all(&studied, &jobs, choice, arguments, terminal)? != Ending::Fine {
                ending = Ending::Problems;
            }
            Ok(ending)
        }
    }
}

/// Measures those of `jobs` that have no current run on the device, or all of them with `--force`.
fn measure_all(
    studied: &Studied,
    jobs: &[Arc<Job>],
    choice: &DeviceChoice,
    arguments: &Arguments,
    terminal: &mut Terminal<'_>,
) -> Result<Ending> {
    if jobs.is_empty() {
        writeln!(terminal.err, "there is no sweep to measure: a sweep is a file kernels/NAME.toml")?;
        return Ok(Ending::Problems);
    }
    let device = match planning::machine(&mut cuda_or_fake(studied, &jobs[0], choice)?(0)?) {
        Ok(machine) => machine.gpu.slug(),
        Err(stop) => return Err(stop.into_error()),
    };
    if *choice == DeviceChoice::Cuda && !studied.course.config.devices.contains(&device) {
        writeln!(
            terminal.err,
            "{device} is not published yet: name it under [devices] in lessons/course.toml, `published = [\"{device}\"]`"
        )?;
    }
    let mut ending = Ending::Fine;
    for job in jobs {
        let name = &job.sweep.name;
        if let (Current::Fresh(run), false) = (studied.evidence.current(job, &device), arguments.force) {
            writeln!(terminal.err, "{name}: {} is current on {device}; --force measures again", run.name)?;
            continue;
        }
        let Work::Kernel(kernel) = &job.work;
        let experiment = Experiment::of(job, kernel, arguments.rounds);
        let mut start = cuda_or_fake(studied, job, choice)?;
        let written = run_one(studied, &experiment, &mut start, None, terminal)?;
        match written {
            None => ending = Ending::Problems,
            Some(written) => {
                if conclude(&written, terminal)? != Ending::Fine {
                    ending = Ending::Problems;
                }
                if !written.record.is_complete() {
                    break;
                }
            }
        }
    }
    Ok(ending)
}

/// Prints what a run came to.
fn conclude(written: &Written, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let record = &written.record;
    writeln!(terminal.out, "{}", record.header.sweep)?;
    terminal.out.write_all(transcript::table(record).as_bytes())?;
    writeln!(terminal.out, "record {}\ntranscript {}", written.record_name, written.transcript_name)?;
    if !record.is_complete() {
        writeln!(terminal.err, "{}: interrupted; what was finished is kept, and is not current", record.header.sweep)?;
        return Ok(Ending::Problems);
    }
    if (0..record.rows.len()).all(|row| record.round_ns(row).iter().all(Option::is_none)) {
        writeln!(terminal.err, "{}: no row was ok in any round, so there is no evidence; the transcript says why", record.header.sweep)?;
        return Ok(Ending::Problems);
    }
    Ok(Ending::Fine)
}

/// Starts workers of a device.
type Start = Box<dyn FnMut(u32) -> Result<Worker>>;

fn cuda_or_fake(studied: &Studied, job: &Arc<Job>, choice: &DeviceChoice) -> Result<Start> {
    if *choice == DeviceChoice::Cuda {
        return Ok(Box::new(|_| Ok(Worker::Child(Child::start()?))));
    }
    let mut problems = Problems::new();
    let spec = Arc::new(fake::spec(&studied.tree, job, &mut problems));
    if let Some(problem) = problems.iter().next() {
        bail!("{}: {}", problem.at.as_ref().map_or("the fake device", |at| &at.file), problem.message);
    }
    Ok(Box::new(move |round| Ok(Worker::Here(Box::new(crate::device::fake::Fake::new(spec.clone(), round))))))
}

/// Set by an interrupt from the keyboard; one for the process, since the handler is.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The first interrupt ends the run after the row in progress; a second one ends the program.
fn heed_interrupts() {
    // An error means that there is a handler already, from an earlier call in this process.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Measures `experiment`; `None` if it came to nothing, whose reason is printed.
fn run_one(
    studied: &Studied,
    experiment: &Experiment<'_>,
    start: &mut Start,
    replayed: Option<&Run>,
    terminal: &mut Terminal<'_>,
) -> Result<Option<Written>> {
    heed_interrupts();
    let workspace = tempfile::tempdir().context("cannot make a folder for the processes of the rounds")?;
    let now = || time_text(chrono::Utc::now());
    let settings = Settings {
        root: &studied.folder.root,
        workspace: workspace.path(),
        seed: replayed.map_or_else(seed, |run| run.record.header.order_seed),
        now: &now,
        interrupted: &INTERRUPTED,
        anonymous: Anonymous::here(),
        replayed: replayed.map(|run| run.name.to_string()),
    };
    let stop = {
        let colour = terminal.err_colour;
        let mut progress: Box<dyn Progress> = if colour {
            Box::new(progress::Bar::new(&experiment.sweep))
        } else {
            Box::new(progress::Lines::new(&experiment.sweep, &mut *terminal.err))
        };
        match measure(experiment, &settings, start, progress.as_mut()) {
            Ok(written) => return Ok(Some(written)),
            Err(stop) => stop,
        }
    };
    match stop {
        Stop::Device(DeviceError::Compile { compiler, log }) => {
            studied.report(&compile_log::problems(&compiler, &log, &experiment.code.source, &studied.tree), terminal)?;
            Ok(None)
        }
        Stop::Problems(problems) => {
            studied.report(&problems, terminal)?;
            Ok(None)
        }
        Stop::Interrupted => bail!("{}: interrupted before any row was measured", experiment.sweep),
        stop => Err(stop.into_error().context(format!("cannot measure {}", experiment.sweep))),
    }
}

/// A seed for the order of rows: any will do, since it is recorded.
fn seed() -> u64 {
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    crate::evidence::order::SplitMix(nanoseconds ^ u64::from(std::process::id()) << 32).next_bits()
}

/// Plays the record `name` back through all of measuring, and compares.
fn replay(studied: &Studied, name: &str, arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let Some(run) = studied.evidence.run(name) else {
        let names: Vec<&str> = studied.evidence.all().map(|run| run.stem()).collect();
        bail!("there is no run `{name}` in this course's evidence; {}", did_you_mean(name, names).unwrap_or_default());
    };
    let Some(job) = studied.plan.jobs.get(run.sweep()) else { bail!("the course has no sweep `{}` that could be planned", run.sweep()) };
    if !arguments.sweeps.is_empty() && arguments.sweeps != [run.sweep()] {
        bail!("{} is a run of {}", run.name, run.sweep());
    }
    if !run.is_complete() {
        bail!("{} was interrupted and can't be replayed", run.name);
    }
    if run.record.header.identity.fingerprint != job.fingerprint.digest {
        bail!("{} is a run of other code; `lessonc verify --explain {}` shows what differs", run.name, run.sweep());
    }
    let Work::Kernel(kernel) = &job.work;
    let experiment = Experiment::of(job, kernel, Some(run.record.header.identity.timing.rounds));
    let record = run.record.clone();
    let mut start: Start = Box::new(move |round| Ok(Worker::Here(Box::new(Replay::new(record.clone(), round)))));
    let Some(written) = run_one(studied, &experiment, &mut start, Some(run), terminal)? else { return Ok(Ending::Problems) };
    let mut again = written.record.clone();
    again.header.started.clone_from(&run.record.header.started);
    again.header.circumstance.replayed.clone_from(&run.record.header.circumstance.replayed);
    let (recorded, replayed) = (lines::print_body(&run.record), lines::print_body(&again));
    writeln!(terminal.out, "replay {}", written.record_name)?;
    match recorded.lines().zip(replayed.lines()).position(|(a, b)| a != b) {
        None if recorded.len() == replayed.len() => {
            writeln!(terminal.out, "equal to {} in every line", run.name)?;
            Ok(Ending::Fine)
        }
        line => {
            let line = line.unwrap_or_else(|| recorded.lines().count().min(replayed.lines().count()));
            writeln!(terminal.out, "differs from {} from line {} on", run.name, line + 1)?;
            Ok(Ending::Problems)
        }
    }
}

/// The hidden command of the processes of the rounds: serves requests on standard input with the GPU.
pub(super) fn serve_requests(terminal: &mut Terminal<'_>) -> Result<Ending> {
    let mut input = std::io::stdin().lock();
    #[cfg(feature = "cuda")]
    match crate::device::cuda::CudaDevice::open(LONGEST) {
        Ok(mut device) => crate::measure::process::serve(&mut device, &mut input, terminal.out)?,
        Err(error) => crate::measure::process::refuse(&error, &mut input, terminal.out)?,
    }
    #[cfg(not(feature = "cuda"))]
    {
        let error = DeviceError::Missing {
            what: "support for GPUs".to_owned(),
            why: "this lessonc was built without it".to_owned(),
            remedy: "Install lessonc with its default features".to_owned(),
        };
        crate::measure::process::refuse(&error, &mut input, terminal.out)?;
    }
    Ok(Ending::Fine)
}

/// The longest that a single launch or sample may take; a row's own limit is shorter or is reached between samples.
#[cfg(feature = "cuda")]
const LONGEST: std::time::Duration = std::time::Duration::from_secs(30);

#[cfg(test)]
mod tests;
