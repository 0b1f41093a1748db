//! Turns an experiment and a device into rows with every number known: machine, build, residency, inputs, sizes.
//!
//! Must not time anything that is shown: its spans serve to choose the number of launches in a sample, once for all rounds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::base::problem::Problem;
use crate::course::sweep::CachePolicy;
use crate::device::took::{Part, Took};
use crate::device::{Built, Condition, DeviceError, Machine, Setup, builds, evicted_bytes};
use crate::evidence::record::{Circumstance, Header, Identity, RowPlan, RunKind, VERSION};
use crate::evidence::verdict;
use crate::plan::launch::{DeviceFacts, Shape};

use super::experiment::Experiment;
use super::processes::Processes;
use super::sizing;
use super::worker::{Lost, Probed, Reply, Request, Worker};
use super::{Progress, Stop};

/// Starts a worker for a round; round 0 is planning.
pub type Start<'a> = dyn FnMut(u32) -> anyhow::Result<Worker> + 'a;

/// Time limits of requests that no row's limit covers.
const SHORT: Duration = Duration::from_secs(120);
const LONG: Duration = Duration::from_secs(3600);
/// Most launches in a sample: beyond, a kernel does nothing that an event pair could time.
const MOST_LAUNCHES: u32 = 1 << 20;

/// A run, planned.
pub struct Planned {
    /// What the processes of the rounds are handed.
    pub setup: Setup,
    /// What is known of the machine.
    pub machine: Machine,
    /// What compiling said.
    pub built: Built,
    /// The rows.
    pub rows: Vec<RowPlan>,
    /// The least span of a warm sample.
    pub least_span_ns: u64,
    /// The timer's tick in the probes.
    pub tick_ns: Option<u64>,
    /// The state of the device under load.
    pub loaded: Condition,
    /// What planning took.
    pub took: Took,
}

/// What of an experiment is wanted, and where.
pub struct Wanted<'a> {
    /// Folder for what the processes share.
    pub workspace: &'a Path,
    /// Whether each row is to be measured.
    pub chosen: &'a [bool],
    /// Whether to measure on a GPU that others use.
    pub allow_busy: bool,
}

/// Plans `experiment` on the device behind `start`.
///
/// # Errors
/// What is missing, what does not compile, or the author's problems.
pub fn plan(experiment: &Experiment<'_>, wanted: &Wanted<'_>, start: &mut Start<'_>, progress: &mut dyn Progress) -> Result<Planned, Stop> {
    let mut took = Took::default();
    let mut began = Instant::now();
    let mut was = |part: Part| took.add(part, std::mem::replace(&mut began, Instant::now()).elapsed());
    let mut worker = start(0)?;
    let machine = machine(&mut worker)?;
    was(Part::Start);
    if !wanted.allow_busy && !machine.circumstance.busy.is_empty() {
        return Err(Stop::Busy(machine.circumstance.busy));
    }
    let shapes = shapes(experiment, &machine.gpu)?;
    let setup = Setup {
        sweep: experiment.sweep.clone(),
        code: experiment.code.clone(),
        builds: builds(&shapes),
        data: experiment.data.clone(),
        data_of: experiment.data_of.clone(),
        read: experiment.reads.iter().flatten().map(|read| read.buffer.clone()).collect::<BTreeSet<_>>().into_iter().collect(),
        workspace: wanted.workspace.to_path_buf(),
    };
    progress.phase("compiling");
    let built = match demand(&mut worker, &Request::Build(setup.clone()), LONG)? {
        Reply::Built(built) => built,
        reply => return Err(nonsense(&reply)),
    };
    let rows = rows(experiment, &machine.gpu, shapes, &mut worker)?;
    was(Part::Compile);
    progress.phase("filling inputs and references");
    demand(&mut worker, &Request::MakeInputs(setup.clone()), LONG)?;
    was(Part::Inputs);

    let (least_span_ns, tick_ns, loaded) = (verdict::LEAST_NS, None, Condition::default());
    let mut planned = Planned { setup: setup.clone(), machine, built, rows, least_span_ns, tick_ns, loaded, took: Took::default() };
    // The process that planned goes on to size: it has a context already.
    let prober = Prober { experiment, processes: Processes::new(&setup, start).with(0, worker) };
    size(experiment, &mut planned, wanted.chosen, prober, progress)?;
    was(Part::Size);
    planned.took = took;
    Ok(planned)
}

/// What is known of the device behind `worker` and of its machine.
///
/// # Errors
/// What is missing.
pub fn machine(worker: &mut Worker) -> Result<Machine, Stop> {
    match demand(worker, &Request::Machine, SHORT)? {
        Reply::Machine(machine) => Ok(*machine),
        reply => Err(nonsense(&reply)),
    }
}

fn shapes(experiment: &Experiment<'_>, gpu: &DeviceFacts) -> Result<Vec<Shape>, Stop> {
    all((0..experiment.rows.len()).map(|row| (experiment.shape)(row, gpu)))
}

/// Every value, or every problem: what is wrong in one row is mostly wrong in all of them, and said once.
fn all<T>(results: impl Iterator<Item = Result<T, Problem>>) -> Result<Vec<T>, Stop> {
    let (mut values, mut problems) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(problem) if problems.contains(&problem) => {}
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(values) } else { Err(Stop::Problems(problems)) }
}

/// Asks the driver about each shape and computes each launch; a shape that the device refuses is a skipped row.
fn rows(experiment: &Experiment<'_>, gpu: &DeviceFacts, shapes: Vec<Shape>, worker: &mut Worker) -> Result<Vec<RowPlan>, Stop> {
    let mut answers = Vec::new();
    for shape in shapes {
        answers.push(match ask(worker, &Request::Residency(shape), SHORT)? {
            Reply::Residency(residency) => Ok(residency),
            Reply::Error(DeviceError::Other(why)) => Err(why),
            Reply::Error(error) => return Err(error.into()),
            reply => return Err(nonsense(&reply)),
        });
    }
    let launches = all(answers.iter().enumerate().map(|(row, answer)| match answer {
        Ok(residency) => (experiment.launch)(row, gpu, residency).map(Some),
        Err(_) => Ok(None),
    }))?;
    let planned = experiment.rows.iter().zip(answers).zip(launches).enumerate().map(|(index, (((label, values), answer), launch))| {
        let (residency, skipped) = match answer {
            Ok(residency) => (Some(residency), None),
            Err(why) => (None, Some(why)),
        };
        let data = experiment.data_of.get(index).copied().unwrap_or(0);
        let reads = experiment.reads.get(index).cloned().unwrap_or_default();
        RowPlan {
            label: label.clone(),
            values: values.clone(),
            launch,
            residency,
            launches_per_sample: 1,
            command: Vec::new(),
            skipped,
            data,
            reads,
        }
    });
    Ok(planned.collect())
}

/// Puts the device under load to see its state, learns the timer's tick, and finds how many launches a warm sample takes.
fn size(
    experiment: &Experiment<'_>,
    planned: &mut Planned,
    chosen: &[bool],
    mut prober: Prober<'_, '_>,
    progress: &mut dyn Progress,
) -> Result<(), Stop> {
    let rows = planned.rows.iter().zip(chosen).enumerate();
    let tried: Vec<usize> = rows.filter(|(_, (row, chosen))| row.launch.is_some() && **chosen).map(|(index, _)| index).collect();
    let Some(&first) = tried.first() else { return Ok(()) };
    if !experiment.is_measured() {
        return Ok(());
    }
    progress.phase("putting the device under load");
    let busy = experiment.timing.warmup_ms;
    let mut spans = Vec::new();
    if let Some(probed) = prober.probe(planned, first, 1, busy)? {
        spans.extend(probed.spans.unwrap_or_default());
        planned.loaded = probed.condition;
    }
    if experiment.timing.cache == CachePolicy::Cold || !experiment.timing.time {
        planned.tick_ns = verdict::tick_ns(spans);
        return Ok(());
    }
    progress.phase("sizing samples");
    let mut alone = BTreeMap::new();
    for row in tried {
        if let Some(Ok(found)) = prober.probe(planned, row, 1, 0)?.map(|probed| probed.spans) {
            spans.extend(found.iter().copied());
            alone.insert(row, found);
        }
    }
    planned.tick_ns = verdict::tick_ns(spans);
    planned.least_span_ns = verdict::least_span_ns(planned.tick_ns);
    for (row, mut found) in alone {
        // Doubling, since the span of one launch holds the cost of the event pair and says little about many launches.
        let mut launches = 1;
        while launches < MOST_LAUNCHES && !sizing::is_long_enough(&found, planned.least_span_ns) {
            launches *= 2;
            match prober.probe(planned, row, launches, 0)?.map(|probed| probed.spans) {
                Some(Ok(spans)) => found = spans,
                // The rounds will meet the fault again and record it.
                _ => break,
            }
        }
        planned.rows[row].launches_per_sample = launches;
    }
    Ok(())
}

/// Asks for probes, in a new process after each fault.
struct Prober<'a, 'b> {
    experiment: &'a Experiment<'b>,
    processes: Processes<'a, 'b>,
}

impl Prober<'_, '_> {
    /// A probe of `row` with `launches` launches in a sample; `None` if the row has no launch, or its process was lost.
    fn probe(&mut self, planned: &Planned, row: usize, launches: u32, busy_ms: u32) -> Result<Option<Probed>, Stop> {
        let Some(launch) = planned.rows.get(row).and_then(|row| row.launch.clone()) else { return Ok(None) };
        let evict = self.experiment.timing.cache == CachePolicy::Cold;
        let limit_s = self.experiment.timing.limit_s;
        let request = Request::Probe { row: row as u32, launch, launches, evict, busy_ms, limit_s };
        let limit = SHORT + Duration::from_secs(limit_s.into());
        match self.processes.running(0)?.ask(&request, limit) {
            Ok(Reply::Probed(probed)) => {
                if probed.spans.is_err() {
                    self.processes.lose();
                }
                Ok(Some(probed))
            }
            Ok(reply) => Err(nonsense(&reply)),
            Err(_) => {
                self.processes.lose();
                Ok(None)
            }
        }
    }
}

/// The answer to `request`; no answer ends the run.
fn ask(worker: &mut Worker, request: &Request, limit: Duration) -> Result<Reply, Stop> {
    worker.ask(request, limit).map_err(|lost| {
        let why = match lost {
            Lost::Died(why) => why,
            Lost::TimedOut(limit) => format!("no answer within {} s", limit.as_secs()),
        };
        Stop::Device(DeviceError::Other(format!("before any row was measured: {why}")))
    })
}

/// The answer to `request`; an error ends the run.
fn demand(worker: &mut Worker, request: &Request, limit: Duration) -> Result<Reply, Stop> {
    match ask(worker, request, limit)? {
        Reply::Error(error) => Err(error.into()),
        reply => Ok(reply),
    }
}

/// Why a run can't go on after `reply`, which answers no request that was made.
pub(super) fn nonsense(reply: &Reply) -> Stop {
    match reply {
        Reply::Error(error) => Stop::Device(error.clone()),
        _ => Stop::Machine(anyhow::anyhow!("a process of lessonc answers another question than it was asked")),
    }
}

/// The header of the run `planned` that begins at `started`.
#[must_use]
pub fn header(experiment: &Experiment<'_>, planned: &Planned, started: String, order_seed: u64, circumstance: Circumstance) -> Header {
    let (machine, built) = (&planned.machine, &planned.built);
    let mut unknown = machine.unknown.clone();
    let mut missing = |is_missing: bool, name: &str, why: &str| {
        if is_missing {
            unknown.entry(name.to_owned()).or_insert_with(|| why.to_owned());
        }
    };
    missing(planned.loaded.memory_clock_mhz.is_none(), "memory_clock_mhz", "the driver does not report it");
    missing(planned.loaded.pstate.is_none(), "pstate", "the driver does not report it");
    let why = if experiment.timing.time { "all probed spans were equal" } else { "nothing is timed" };
    missing(planned.tick_ns.is_none(), "planned_tick_ns", why);
    missing(built.nvrtc.is_none(), "nvrtc", "no NVRTC was used");
    missing(built.host_compiler.is_none(), "host_compiler", "no host compiler was used");
    missing(true, "toolkit", "no nvcc was used");
    let data = experiment.data.first().cloned().unwrap_or_default();
    let cold = experiment.timing.cache == CachePolicy::Cold;
    let identity = Identity {
        gpu: Some(machine.gpu.clone()),
        memory_clock_mhz: planned.loaded.memory_clock_mhz,
        driver_branch: machine.driver_branch.clone(),
        driver_cuda: machine.driver_cuda.clone(),
        nvrtc: built.nvrtc.clone(),
        toolkit: None,
        profiler: None,
        disassembler: None,
        host_compiler: built.host_compiler.clone(),
        architecture: built.architecture.clone(),
        compile_options: built.options.clone(),
        fingerprint: experiment.fingerprint.digest,
        buffers: data.buffers,
        inputs: data.inputs,
        check: data.check,
        other_data: experiment.data.iter().skip(1).cloned().collect(),
        timing: experiment.timing.clone(),
        flush_bytes: cold.then(|| evicted_bytes(&machine.gpu)),
    };
    let circumstance = Circumstance { pstate: planned.loaded.pstate.clone(), planned_tick_ns: planned.tick_ns, ..circumstance };
    Header {
        version: VERSION,
        sweep: experiment.sweep.clone(),
        kind: RunKind::Kernel,
        device: machine.gpu.slug(),
        started,
        identity,
        circumstance,
        order_seed,
        fingerprint_lines: experiment.fingerprint.lines.clone(),
        code: experiment.code.clone(),
        logs: built.logs.clone(),
        unknown,
    }
}
