//! Turns sweeps into jobs: rows with every constant known, the code each compiles, and the fingerprint of it all.
//!
//! Must not know which of them were ever measured, nor on what.

mod axes;
mod compiling;
mod data;
mod expand;
pub mod facts;
pub mod fingerprint;
pub mod launch;
pub mod lines;
mod names;
mod own;
pub mod places;
pub mod physics;
mod profiling;
mod reads;
pub mod program;
mod shape;
pub mod spoken;
#[cfg(test)]
mod tests;
pub mod unit;
mod values;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::base::digest::Checksum;
use crate::base::last::Last;
use crate::base::problem::{Problem, Problems};
use crate::base::quantity::Quantity;
use crate::base::stamp::Stamp;
use crate::base::{memo, name, share};
use crate::course::Course;
use crate::course::source::Source;
use crate::course::sources::Sources;
use crate::course::sweep::{KernelSweep, Kind, LaunchSpec, PhysicsSpec, Sweep, TimingPolicy};

pub use self::compiling::{CompileJob, CompileRow};
pub use self::lines::PROTOCOL;
pub use self::own::OwnValue;
pub use self::profiling::ProfileJob;
pub use self::reads::ReadPlan;

use self::fingerprint::Fingerprint;
use self::launch::{Code, Data};
use self::program::ProgramJob;
use self::unit::Shelf;

/// Every sweep of the course as a job, by name.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The jobs.
    pub jobs: BTreeMap<String, Arc<Job>>,
}

/// One sweep, expanded: all that can be known without a device.
#[derive(Debug, Clone)]
pub struct Job {
    /// The sweep as the author wrote it; its launch and column expressions are evaluated row by row.
    pub sweep: Arc<Sweep>,
    /// The rows, in the manifest's order; labels are unique.
    pub rows: Vec<PlannedRow>,
    /// The constants, exact, in the manifest's order: names in the launch's and the columns' expressions.
    pub constants: Vec<(String, Quantity)>,
    /// What is done for each row.
    pub work: Work,
    /// What a run of this job is known by.
    pub fingerprint: Fingerprint,
}

impl Job {
    /// Its work, if that is a kernel.
    #[must_use]
    pub fn kernel(&self) -> Option<&KernelJob> {
        match &self.work {
            Work::Kernel(kernel) => Some(kernel),
            Work::Compile(_) | Work::Profile(_) | Work::Program(_) => None,
        }
    }

    /// The file that holds what it runs or compiles, by its path from `kernels/`.
    #[must_use]
    pub fn source(&self) -> &str {
        match &self.work {
            Work::Kernel(kernel) => &kernel.code.source,
            Work::Compile(compile) => &compile.code.source,
            Work::Program(program) => &program.code.source,
            Work::Profile(profile) => profile.of.source(),
        }
    }

    /// Whether a run of it is of one GPU. What a compiler says, or a program that uses no GPU, is so on every device.
    #[must_use]
    pub fn needs_gpu(&self) -> bool {
        match &self.work {
            Work::Kernel(_) | Work::Profile(_) => true,
            Work::Compile(_) => false,
            Work::Program(program) => !program.host,
        }
    }

    /// The rounds that its sweep asks for: a run of fewer does not count. One where nothing is measured in rounds.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        match &self.work {
            Work::Kernel(kernel) => kernel.timing.rounds,
            Work::Program(program) => program.rounds,
            Work::Compile(_) | Work::Profile(_) => 1,
        }
    }

    /// The rows where the architectures are known that a sweep of all was compiled for.
    #[must_use]
    pub fn rows_for(&self, architectures: &[String]) -> Cow<'_, [PlannedRow]> {
        match &self.work {
            Work::Compile(compile) if compile.architectures.is_none() => {
                Cow::Owned(compile.rows(architectures).into_iter().map(|row| row.planned).collect())
            }
            Work::Compile(_) | Work::Kernel(_) | Work::Profile(_) | Work::Program(_) => Cow::Borrowed(&self.rows),
        }
    }
}

/// What is done for each row of a job, by the sweep's kind.
#[derive(Debug, Clone)]
pub enum Work {
    /// A kernel is compiled, launched, checked and timed.
    Kernel(Box<KernelJob>),
    /// Kernels are compiled, and launched nowhere.
    Compile(Box<CompileJob>),
    /// Rows of another sweep are launched under a profiler.
    Profile(Box<ProfileJob>),
    /// A program is run, and its output kept.
    Program(Box<ProgramJob>),
}

/// A kernel to compile, launch, check and time.
#[derive(Debug, Clone)]
pub struct KernelJob {
    /// What is compiled.
    pub code: Code,
    /// What rows work on, each once; one for most sweeps.
    pub data: Vec<Data>,
    /// Which of it each row works on, by the row's index.
    pub data_of: Vec<u32>,
    /// The figures that are read back.
    pub reads: Vec<ReadPlan>,
    /// How rows are timed.
    pub timing: TimingPolicy,
    /// What no run may exceed.
    physics: PhysicsSpec,
    /// The launch, as expressions over a row, a device and the constants.
    launch: LaunchSpec,
    /// The job's constants, which the launch may name.
    constants: Vec<(String, Quantity)>,
}

/// What was planned before.
#[derive(Debug, Default)]
pub struct Memo {
    whole: Last<Whole>,
    /// The jobs by their sweeps' names, each with what it was planned from.
    jobs: memo::Memo<String, Planned>,
}

/// All of a plan.
#[derive(Debug, Clone)]
struct Whole {
    plan: Arc<Plan>,
    problems: Arc<[Problem]>,
    sources: Arc<Sources>,
    /// The paths of the sources that its jobs looked for.
    asked: Arc<BTreeSet<String>>,
}

#[derive(Debug, Clone)]
struct Planned {
    job: Arc<Job>,
    /// The paths of the sources that were looked for.
    asked: Arc<[String]>,
    stamp: Stamp,
}

/// Plans every sweep of `course`. A sweep that can't be planned whole is left out; the problems say why.
pub fn plan(course: &Course, problems: &mut Problems) -> Plan {
    jobs(course, &memo::Memo::default(), problems).0
}

/// The same, with the help of what `memo` holds of the time before; the very same plan where no job is another.
pub fn plan_again(course: &Course, memo: &Memo, problems: &mut Problems) -> Arc<Plan> {
    let mut stamp = Stamp::default();
    stamp.same(&course.sweeps);
    stamp.same(&course.unread);
    let hold = |whole: &Whole| whole.holds(&course.sources);
    let whole = memo.whole.again_if(stamp, hold, |before| {
        let mut found = Problems::new();
        let (plan, asked) = jobs(course, &memo.jobs, &mut found);
        let same = before.map(|before| before.plan).filter(|before| {
            let mut pairs = before.jobs.values().zip(plan.jobs.values());
            before.jobs.len() == plan.jobs.len() && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
        });
        let (plan, problems) = (same.unwrap_or_else(|| Arc::new(plan)), found.into_iter().collect());
        Whole { plan, problems, sources: course.sources.clone(), asked: Arc::new(asked) }
    });
    problems.extend(whole.problems.iter().cloned());
    whole.plan
}

impl Whole {
    /// Whether the same would be planned by these `sources`. Where anything was wrong, a hint may name any of them.
    fn holds(&self, sources: &Arc<Sources>) -> bool {
        let untouched = |changed: Vec<&Arc<Source>>| changed.iter().all(|source| !self.asked.contains(&source.path));
        Arc::ptr_eq(&self.sources, sources) || self.problems.is_empty() && sources.changed_since(&self.sources).is_some_and(untouched)
    }
}

/// A sweep that was planned.
struct Anew {
    sweep: Arc<Sweep>,
    job: Option<Arc<Job>>,
    /// The paths of the sources that were looked for.
    asked: Arc<[String]>,
    /// Whether it stands until what it was planned from is another: nothing was wrong with it.
    keeps: bool,
    problems: Problems,
}

/// Every sweep of `course` planned; one that nothing was wrong with is not planned again where all that it was planned from is as it was.
fn jobs(course: &Course, memo: &memo::Memo<String, Planned>, problems: &mut Problems) -> (Plan, BTreeSet<String>) {
    let (mut plan, mut looked_for) = (Plan::default(), BTreeSet::new());
    let mut sound = Vec::new();
    let others: Vec<String> = course.sweeps.keys().chain(course.unread.iter()).map(|name| name::in_expressions(name)).collect();
    let names = Checksum::of(others.join("\n"));
    for (name, sweep) in course.sweeps.iter() {
        let known = memo.get(name).filter(|known| known.stamp == stamp(sweep, &known.asked, course, names));
        if let Some(known) = known {
            looked_for.extend(known.asked.iter().cloned());
            plan.jobs.insert(name.clone(), known.job);
            continue;
        }
        let before = problems.len();
        if names::check(sweep, &others, problems) && sweep.sound {
            sound.push((sweep, problems.len() == before));
        }
    }
    let looks = |sweep: &Sweep| matches!(sweep.kind, Kind::Profile(_));
    let anew = |&(sweep, named): &(&Arc<Sweep>, bool), plan: &Plan| {
        let (mut problems, shelf) = (Problems::new(), Shelf::new(&course.sources));
        let job = job(sweep, &shelf, plan, &mut problems).map(Arc::new);
        // What looks at other sweeps hangs on those too; it costs little to plan.
        let keeps = named && problems.is_empty() && !looks(sweep);
        Anew { sweep: sweep.clone(), job, asked: shelf.asked().into(), keeps, problems }
    };
    let mut take = |plan: &mut Plan, Anew { sweep, job, asked, keeps, problems: found }: Anew| {
        problems.extend(found);
        looked_for.extend(asked.iter().cloned());
        let Some(job) = job else { return };
        plan.jobs.insert(sweep.name.clone(), job.clone());
        if keeps {
            let stamp = stamp(&sweep, &asked, course, names);
            memo.put(sweep.name.clone(), Planned { job, asked, stamp });
        }
    };
    // What looks at other sweeps is planned after them.
    let (looking, others): (Vec<_>, Vec<_>) = sound.into_iter().partition(|(sweep, _)| looks(sweep));
    let planned: Vec<Anew> = others.par_iter().with_max_len(share::LARGEST).map(|sweep| anew(sweep, &plan)).collect();
    planned.into_iter().for_each(|planned| take(&mut plan, planned));
    for sweep in looking {
        let planned = anew(&sweep, &plan);
        take(&mut plan, planned);
    }
    memo.forget_unused();
    (plan, looked_for)
}

/// What a job of `sweep` hangs on, which looked for the sources `asked`.
fn stamp(sweep: &Arc<Sweep>, asked: &[String], course: &Course, names: Checksum) -> Stamp {
    let mut stamp = Stamp::default();
    stamp.same(sweep);
    stamp.equal(Some(names));
    asked.iter().for_each(|path| stamp.same_or_none(course.sources.get(path)));
    stamp
}

/// Plans one sweep.
fn job(sweep: &Arc<Sweep>, sources: &Shelf<'_>, plan: &Plan, problems: &mut Problems) -> Option<Job> {
    let before = problems.errors();
    let constants = expand::constants(sweep, problems);
    if problems.errors() > before {
        // All else would only repeat that a constant has no value.
        return None;
    }
    let mut rows = expand::rows(sweep, &constants, problems);
    let (work, fingerprint) = match &sweep.kind {
        Kind::Kernel(kernel) => kernel_work(kernel, &constants, &rows, sources, problems)?,
        Kind::Profile(profile) => {
            let (job, its, fingerprint) = profiling::job(profile, plan, problems)?;
            rows = its;
            (Work::Profile(Box::new(job)), fingerprint)
        }
        Kind::Compile(compile) => {
            let job = compiling::job(compile, &constants, rows, sources, problems)?;
            rows = job.rows(job.architectures.as_deref().unwrap_or_default()).into_iter().map(|row| row.planned).collect();
            let fingerprint = Fingerprint::of(job.fingerprint_lines());
            (Work::Compile(Box::new(job)), fingerprint)
        }
        Kind::Program(program) => {
            if rows.is_empty() && problems.errors() == before {
                // Without axes there is one command.
                rows.push(PlannedRow { label: program::ONLY.to_owned(), values: Vec::new() });
            }
            let (job, fingerprint) = program::plan(program, &constants, &rows, sources, problems)?;
            (Work::Program(Box::new(job)), fingerprint)
        }
    };
    (problems.errors() == before).then(|| Job { sweep: sweep.clone(), rows, constants, work, fingerprint })
}

fn kernel_work(
    sweep: &KernelSweep,
    constants: &[(String, Quantity)],
    rows: &[PlannedRow],
    sources: &Shelf<'_>,
    problems: &mut Problems,
) -> Option<(Work, Fingerprint)> {
    let (data, data_of) = data::of_rows(sweep, constants, rows, problems);
    let reads = reads::of_rows(sweep, constants, rows, &data, &data_of, problems);
    let code = unit::assemble(&sweep.unit, sources, problems)?;
    let fingerprint = Fingerprint::of(lines::of(&lines::Parts {
        launch: &sweep.launch,
        constants,
        rows,
        code: &code,
        data: &data,
        data_of: &data_of,
        reads: &reads,
        timing: &sweep.timing,
    }));
    let (timing, launch, constants) = (sweep.timing.clone(), sweep.launch.clone(), constants.to_vec());
    let physics = sweep.physics.clone();
    let job = KernelJob { code, data, data_of, reads, timing, physics, launch, constants };
    rows.iter().for_each(|row| _ = problems.note(job.options(row)));
    Some((Work::Kernel(Box::new(job)), fingerprint))
}

/// One configuration of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRow {
    /// What `row('…')` finds it by.
    pub label: String,
    /// The row's own values (axes, explicit columns), in the manifest's order.
    pub values: Vec<(String, OwnValue)>,
}
