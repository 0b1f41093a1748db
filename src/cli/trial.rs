//! `lessonc try`: turns a lesson into its page with the figures of the reader's own GPU beside the published ones, and into a summary
//! of which of its sentences hold there.
//!
//! Must not write into the course but its ignored folder, nor anything that could pass for evidence. This command runs code of the
//! course: kernels on the device, and host regions and programs in processes of their own.

mod measuring;
mod needs;
mod place;
mod summary;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};

use crate::base::name::did_you_mean;
use crate::base::problem::{Problem, Severity};
use crate::base::statistics::LEAST_ROUNDS;
use crate::course::config;
use crate::course::lesson::Lesson;
use crate::device::Machine;
use crate::device::choice::GpuChoice;
use crate::disk;
use crate::evidence::YOURS;
use crate::evidence::record::Private;
use crate::measure::lock::CourseLock;
use crate::pipeline::{self, Memo, Options};
use crate::plan::Job;

use self::place::Place;
use super::measure::DeviceChoice;
use super::measure::course::Studied;
use super::measure::interrupt::{INTERRUPTED, heed_interrupts};
use super::measure::one::{self, Manner};
use super::measure::telling;
use super::settings::CourseArgument;
use super::{Ending, Terminal, serve};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lessonc try occupancy                 the whole lesson, as carefully as it was published\n  \
    lessonc try occupancy --rounds 5      a quick look\n  lessonc try occupancy --gpu 1         the second GPU\n\n\
    What can't run on your card or this machine is named, and the rest goes on. What you have measured once is kept; --again measures it \
    anew.\n\nExit code: 0 the page is there, whether its sentences hold on your card or not; 2 nothing could be measured.")]
pub(super) struct Arguments {
    /// The lesson, by its name or its file: `occupancy`, `lessons/occupancy.md`
    #[arg(value_name = "LESSON")]
    lesson: String,
    #[command(flatten)]
    course: CourseArgument,
    /// Which GPU: its number among those that CUDA shows, or its UUID as `nvidia-smi -L` prints it
    #[arg(long, value_name = "N|UUID")]
    gpu: Option<GpuChoice>,
    /// Rounds, 5 at least; by default what each sweep says. Fewer are quicker, and leave more sentences open
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(LEAST_ROUNDS as i64..=1000))]
    rounds: Option<u32>,
    /// Measure again what you have measured
    #[arg(long)]
    again: bool,
    /// Measure on a GPU that others use
    #[arg(long)]
    allow_busy: bool,
    /// Folder for your runs and the page; by default .lessonc/try in the course
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Open the page in a browser; the default on a terminal
    #[arg(long, overrides_with = "no_open")]
    open: bool,
    /// Don't open the page
    #[arg(long)]
    no_open: bool,
    /// How the summary is printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// What to measure on: `cuda`, or `fake` for tests
    #[arg(long, value_name = "DEVICE", default_value = "cuda", hide_short_help = true)]
    device: DeviceChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Human,
    /// For machines
    Json,
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    if let DeviceChoice::Replay(_) = arguments.device {
        bail!("a replay measures nothing, so there is nothing to try");
    }
    if arguments.gpu.is_some() && arguments.device != DeviceChoice::Cuda {
        bail!("--gpu chooses among GPUs, and this device is none");
    }
    let studied = Studied::read(&arguments.course)?;
    let lesson = lesson(&arguments.lesson, &studied)?;
    let jobs = jobs(&lesson, &studied, terminal)?;
    heed_interrupts();
    let manner = Manner {
        device: &arguments.device,
        gpu: arguments.gpu.as_ref(),
        rounds: arguments.rounds,
        rows: &[],
        allow_busy: arguments.allow_busy,
        anew: false,
        home: &studied.folder.root,
        private: Some(Private::Try),
        interrupted: &INTERRUPTED,
    };
    let machine = machine(&studied, &lesson, &jobs, &manner)?;
    let place = Place::new(&studied.folder, arguments.out.as_deref(), machine.as_ref())?;
    let _lock = CourseLock::take(place.locked())?;
    let manner = Manner { home: place.home(), ..manner };
    let outcome = measuring::all(&studied, &jobs, machine.as_ref(), arguments.again, &manner, terminal)?;
    if outcome.interrupted {
        writeln!(terminal.err, "interrupted; finished rows are kept, and the same command goes on with them")?;
        return Ok(Ending::Failed);
    }
    let shown = show(&studied, &lesson, &place, terminal)?;
    let summary = summary::Summary { lesson: &lesson, studied: &studied, machine: machine.as_ref(), tried: &outcome.tried, shown: &shown };
    let text = match arguments.format {
        Format::Human => summary.human(terminal.out_colour),
        Format::Json => summary.json()?,
    };
    terminal.out.write_all(text.as_bytes())?;
    terminal.out.flush()?;
    if outcome.tried.iter().all(|tried| tried.failed().is_some()) {
        writeln!(terminal.err, "lessonc: nothing of {} could be measured here", lesson.name)?;
        return Ok(Ending::Failed);
    }
    let wanted = arguments.open || !arguments.no_open && arguments.format == Format::Human && std::io::stdout().is_terminal();
    if wanted && let Err(error) = serve::open(&format!("file://{}", shown.page.display())) {
        writeln!(terminal.err, "cannot open a browser: {error}")?;
    }
    Ok(Ending::Fine)
}

/// The lesson that `typed` names: by its name, its file's name, or the way to its file.
fn lesson(typed: &str, studied: &Studied) -> Result<Arc<Lesson>> {
    let file = typed.rsplit(['/', '\\']).next().unwrap_or(typed);
    let name = file.strip_suffix(".md").unwrap_or(file);
    let lessons = || studied.course.lessons.iter();
    let by_file = lessons().find(|lesson| lesson.file.rsplit('/').next().and_then(|file| file.strip_suffix(".md")) == Some(name));
    let found = by_file.or_else(|| lessons().find(|lesson| lesson.name == name)).cloned();
    found.ok_or_else(|| {
        let hint = did_you_mean(name, lessons().map(|lesson| lesson.name.as_str())).map(|hint| format!("; {hint}")).unwrap_or_default();
        anyhow::anyhow!("there is no lesson `{name}` in this course{hint}")
    })
}

/// The jobs of the sweeps that `lesson` stands on. Those that can't be planned are named.
fn jobs(lesson: &Lesson, studied: &Studied, terminal: &mut Terminal<'_>) -> Result<Vec<Arc<Job>>> {
    let mut jobs: Vec<Arc<Job>> = Vec::new();
    for (name, _) in &lesson.sweeps {
        match studied.plan.jobs.get(name) {
            Some(job) if jobs.iter().all(|known| known.sweep.name != *name) => jobs.push(job.clone()),
            Some(_) => {}
            None => writeln!(terminal.err, "{name}: can't be planned as it is; `lessonc verify` says why")?,
        }
    }
    match (jobs.is_empty(), lesson.sweeps.is_empty()) {
        (true, true) => bail!("{} stands on no sweep: there is nothing to measure in it", lesson.name),
        (true, false) => bail!("no sweep of {} can be planned", lesson.name),
        (false, _) => Ok(jobs),
    }
}

/// The machine whose GPU runs `jobs`; `None` where they need none.
fn machine(studied: &Studied, lesson: &Lesson, jobs: &[Arc<Job>], manner: &Manner<'_>) -> Result<Option<Machine>> {
    let needing = jobs.iter().filter(|job| job.needs_gpu());
    let Some(first) = needing.clone().find_map(one::launched) else { return Ok(None) };
    let machine = match one::machine(studied, first, manner) {
        Ok(machine) => machine,
        Err(stop) => bail!("{}", needs::lacking(studied, lesson, jobs, manner, &stop.into_error())),
    };
    let busy = &machine.circumstance.busy;
    if !busy.is_empty() && !manner.allow_busy {
        bail!(
            "the GPU is busy: {}; wait until it is idle, choose another one with --gpu, or go on with --allow-busy: the figures are worth less then",
            busy.join("; ")
        );
    }
    Ok(Some(machine))
}

/// The lesson as it is shown with the reader's runs.
struct Shown {
    /// The file of its page.
    page: PathBuf,
    /// The device whose published figures stand beside the reader's.
    published: Option<(String, String)>,
    /// Its sentences on that device, and on the reader's.
    sentences: [Vec<crate::pages::Told>; 2],
}

/// Builds the site with the reader's runs, in the reader's own place.
fn show(studied: &Studied, lesson: &Lesson, place: &Place, terminal: &mut Terminal<'_>) -> Result<Shown> {
    let mut tree = studied.tree.clone();
    disk::take_in_private(&mut tree, place.home())?;
    // What is wrong elsewhere is the course's author's affair; of what is wrong with this page a reader should know.
    let (compiled, problems) = pipeline::compile(&tree, &Options { draft: true }, &Memo::default());
    let of_page = |problem: &Problem| problem.at.as_ref().is_some_and(|at| at.file == lesson.file || *at.file == *config::FILE);
    let (problems, _): (Vec<Problem>, Vec<Problem>) =
        problems.sorted().into_iter().partition(|problem| problem.severity == Severity::Error && of_page(problem));
    if !problems.is_empty() {
        studied.report(&problems, terminal)?;
        writeln!(terminal.err, "the page shows what it can in spite of this; `lessonc verify` says all that is wrong with the course")?;
    }
    if let Err(problems) = disk::publish(&compiled.site, &place.site())? {
        let first = problems.sorted().into_iter().next().map(|problem| problem.message);
        bail!("the site can't be made: {}", first.unwrap_or_default());
    }
    let published = compiled.facts.devices().first().cloned();
    let (path, told) = compiled.told(&tree, lesson, &[published.as_deref().unwrap_or_default(), YOURS]);
    let mut told = told.into_iter();
    let mut next = || told.next().unwrap_or_default();
    let named = published.map(|slug| (compiled.facts.device_name(&slug), slug));
    Ok(Shown { page: place.site().join(path), published: named, sentences: [next(), next()] })
}
