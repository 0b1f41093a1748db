//! Turns an experiment into a run: planning, rounds in shuffled order, a journal of what happened.
//!
//! Must not touch a device itself; workers do.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::base::name::{did_you_mean, same_label};
use crate::course::sweep::CachePolicy;
use crate::device::took::Part;
use crate::evidence::canary::CanaryResult;
use crate::evidence::order::order;
use crate::evidence::record::{Circumstance, Header, Outcome, Private, Record, RowPlan, RowResult};
use crate::evidence::{drift, name, verdict};

use super::anonymous::Anonymous;
use super::canary::CanaryTask;
use super::experiment::Experiment;
use super::journal::{Journal, Written};
use super::planning::{self, Planned, Start, nonsense};
use super::processes::Processes;
use super::row::{self, Task};
use super::worker::{Lost, Reply, Request, poisons};
use super::{Progress, Stop};

/// What a parent grants a row beyond its own limit, for checks and for the process to say that it ran out of time.
pub const GRACE: Duration = Duration::from_secs(60);

/// Where and how a run takes place.
pub struct Settings<'a> {
    /// The course.
    pub root: &'a Path,
    /// The folder in which records are written: the course, for those that become its evidence.
    pub home: &'a Path,
    /// Whom the run is for, where it is no evidence.
    pub private: Option<Private>,
    /// Folder for what the processes share; outside the course.
    pub workspace: &'a Path,
    /// The seed of the order of rows; a run that is gone on with keeps its own.
    pub seed: u64,
    /// The rows to measure, by label; empty: all. A run of some rows only is incomplete.
    pub only_rows: &'a [String],
    /// Whether to measure on a GPU that others use.
    pub allow_busy: bool,
    /// Whether to begin a new run where one that was cut short could be gone on with.
    pub anew: bool,
    /// When all of this began.
    pub began: Instant,
    /// The time now, as records write it.
    pub now: &'a dyn Fn() -> String,
    /// What a process of a round is granted beyond a row's own limit before it is ended; [`GRACE`] where nobody says otherwise.
    pub grace: Duration,
    /// Set when somebody asked to stop.
    pub interrupted: &'a AtomicBool,
    /// Keeps names out of the record.
    pub anonymous: Anonymous,
    /// The record of this sweep and device that counted before. While rows can't be told from it, the run takes as many rounds
    /// more, twice at most.
    pub recorded: Option<&'a Record>,
    /// The record that is replayed, by its path in the course; such a run never becomes evidence.
    pub replayed: Option<String>,
}

impl Settings<'_> {
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Opens the file of the run of `header`, or goes on with what was left of it.
    ///
    /// # Errors
    /// As [`Journal::begin`].
    pub(super) fn begin(&self, header: Header, rows: Vec<RowPlan>, progress: &mut dyn Progress) -> anyhow::Result<Journal> {
        let circumstance = Circumstance { private: self.private, ..header.circumstance };
        Journal::begin(self.home, Header { circumstance, ..header }, rows, self.anew, &mut |words| progress.note(words))
    }

    /// Closes the run of `journal` and puts it into `folder`.
    ///
    /// # Errors
    /// Where it holds no result; when the disk refuses.
    pub(super) fn close(&self, journal: Journal, folder: &str) -> Result<Written, Stop> {
        let written = journal.finish(self.home, folder, (self.now)(), self.began.elapsed())?;
        written.ok_or(Stop::Interrupted { finished: 0 })
    }
}

/// The journal of a run that `came` to its end. What was finished of another is kept, to be gone on with.
///
/// # Errors
/// What stopped it: an interrupt (`false`), or what `came` says.
pub(super) fn whole(journal: Journal, came: Result<bool, impl Into<Stop>>) -> Result<Journal, Stop> {
    match came {
        Ok(true) => Ok(journal),
        Ok(false) => Err(Stop::Interrupted { finished: journal.keep()? }),
        Err(stop) => {
            // What stopped it is worth more words than a journal that could not be removed.
            let _ = journal.keep();
            Err(stop.into())
        }
    }
}

/// Most rounds of a run, as a record may have.
const MOST_ROUNDS: u32 = 1000;

/// Where replays are written, from the course's root.
pub const REPLAYS: &str = ".lessonc/replay";

/// Measures `experiment` and writes its record and transcript. If a run of the same identity was cut short before, it goes
/// on with that one.
///
/// # Errors
/// When the device can't be used, the code does not compile, the disk refuses, or somebody asked to stop. The rows that were
/// finished are kept beside the evidence, and the next run of the same identity goes on with them.
pub fn run(
    experiment: &Experiment<'_>,
    settings: &Settings<'_>,
    start: &mut Start<'_>,
    progress: &mut dyn Progress,
) -> Result<Written, Stop> {
    let labels = experiment.rows.iter().map(|(label, _)| label.as_str());
    let chosen = chosen(labels, &experiment.sweep, settings.only_rows)?;
    let request = planning::Wanted { workspace: settings.workspace, chosen: &chosen, allow_busy: settings.allow_busy };
    let mut planned = planning::plan(experiment, &request, start, progress)?;
    if settings.is_interrupted() {
        return Err(Stop::Interrupted { finished: 0 });
    }
    progress.compiled(&planned.built.logs);
    let anonymous = &settings.anonymous;
    planned.built.logs.values_mut().for_each(|log| *log = anonymous.text(log));
    planned.built.host_compiler = planned.built.host_compiler.as_deref().map(|version| anonymous.text(version));
    planned.rows.iter_mut().filter_map(|row| row.skipped.as_mut()).for_each(|why| *why = anonymous.text(why));
    let mut header = planning::header(experiment, &planned, (settings.now)(), settings.seed, circumstance(&planned, settings));
    if settings.replayed.is_none() {
        let state = super::course_state::commit(settings.root, &mut header.unknown);
        (header.circumstance.commit, header.circumstance.dirty) = state;
    }
    if settings.recorded.is_some_and(|recorded| drift::differences(&recorded.header, &header).is_empty()) {
        header.circumstance.looks = Some(1);
    }
    let mut journal = settings.begin(header, planned.rows.clone(), progress)?;
    // A run that goes on keeps what was sized when it began.
    planned.rows.clone_from(&journal.record().rows);
    if experiment.timing.cache == CachePolicy::Warm {
        planned.least_span_ns = verdict::least_span_ns(journal.record().header.circumstance.planned_tick_ns);
    }
    let mut processes = Processes::new(&planned.setup, start);
    processes.took.join(&planned.took);
    let came = rounds(experiment, settings, &planned, &chosen, &mut journal, &mut processes, progress);
    let journal = whole(journal, came)?;
    // A stand-in has a clock of its own.
    if planned.machine.circumstance.backend == "cuda" {
        progress.took(&processes.took.sentence(settings.began.elapsed()));
    }
    settings.close(journal, if settings.replayed.is_some() { REPLAYS } else { name::FOLDER })
}

/// Whether each row is to be measured.
pub(super) fn chosen<'a>(labels: impl Iterator<Item = &'a str> + Clone, sweep: &str, only: &[String]) -> Result<Vec<bool>, Stop> {
    if let Some(stranger) = only.iter().find(|wanted| !labels.clone().any(|label| same_label(label, wanted))) {
        let hint = did_you_mean(stranger, labels).unwrap_or_default();
        return Err(Stop::Machine(anyhow::anyhow!("{sweep} has no row `{stranger}`; {hint}")));
    }
    Ok(labels.map(|label| only.is_empty() || only.iter().any(|wanted| same_label(wanted, label))).collect())
}

fn circumstance(planned: &Planned, settings: &Settings<'_>) -> Circumstance {
    let (replayed, only_rows) = (settings.replayed.clone(), settings.only_rows.to_vec());
    Circumstance { replayed, only_rows, ..planned.machine.circumstance.clone() }
}

/// Measures what the journal lacks; whether it came to the end, which an interrupt prevents.
fn rounds(
    experiment: &Experiment<'_>,
    settings: &Settings<'_>,
    planned: &Planned,
    chosen: &[bool],
    journal: &mut Journal,
    processes: &mut Processes<'_, '_>,
    progress: &mut dyn Progress,
) -> Result<bool, Stop> {
    let finished: BTreeSet<(u32, u32)> = journal.record().results.iter().map(|result| (result.round, result.row)).collect();
    let header = &journal.record().header;
    // A run that goes on may have been given more rounds before it was cut short.
    let (seed, mut rounds, mut look) = (header.order_seed, header.identity.timing.rounds, header.circumstance.looks.unwrap_or(1));
    let tried = planned.rows.iter().zip(chosen).filter(|(row, chosen)| row.launch.is_some() && **chosen).count();
    let mut done = 0;
    loop {
        progress.rounds(tried, rounds, journal.record().results.len());
        for round in done + 1..=rounds {
            if tried > 0 && experiment.is_measured() && !canaries(round, settings, planned, processes, journal)? {
                return Ok(false);
            }
            for index in order(seed, round, planned.rows.len() as u32) {
                let wanted = chosen.get(index as usize).copied().unwrap_or(false) && !finished.contains(&(round, index));
                let Some(task) = task(experiment, planned, round, index).filter(|_| wanted) else { continue };
                if settings.is_interrupted() {
                    return Ok(false);
                }
                let result = anonymous(measure(&task, settings.grace, processes)?, &settings.anonymous);
                progress.row(round, label(&planned.rows, index), &result.outcome);
                journal.add(result)?;
            }
            processes.end_round(Some(round + 1).filter(|next| *next <= rounds));
        }
        // What is not measured has nothing to compare.
        let whole = settings.recorded.filter(|_| experiment.is_measured() && chosen.iter().all(|chosen| *chosen));
        let unresolved = whole.map_or(0, |recorded| drift::compare(recorded, &journal.as_if_ended(), false).unresolved());
        let more = experiment.timing.rounds;
        done = rounds;
        rounds = rounds.saturating_add(more);
        look += 1;
        if unresolved == 0 || look > drift::LOOKS || rounds > MOST_ROUNDS {
            return Ok(true);
        }
        let plural = if unresolved == 1 { "" } else { "s" };
        progress.note(&format!("{unresolved} row{plural} can't be told from the recorded run yet: {more} more rounds"));
        journal.extend(rounds, look)?;
    }
}

/// Measures the canaries of round `round`, unless the journal has them; whether it came to the end, which an interrupt prevents.
fn canaries(
    round: u32,
    settings: &Settings<'_>,
    planned: &Planned,
    processes: &mut Processes<'_, '_>,
    journal: &mut Journal,
) -> Result<bool, Stop> {
    // They stand before the rows of their round; what was missed once stays missed.
    if journal.record().results.iter().any(|result| result.round == round) {
        return Ok(true);
    }
    for task in CanaryTask::of_round(round, &planned.machine.gpu, &journal.record().header.identity.timing) {
        if journal.record().canaries.iter().any(|result| (result.round, result.canary) == (round, task.canary)) {
            continue;
        }
        if settings.is_interrupted() {
            return Ok(false);
        }
        if let Some(mut result) = canary(&task, settings.grace, processes)? {
            result.outcome = result.outcome.map_why(|why| settings.anonymous.text(why));
            journal.add_canary(result)?;
        }
    }
    Ok(true)
}

/// Measures one canary, in the round's process; `None` where the device has none.
fn canary(task: &CanaryTask, grace: Duration, processes: &mut Processes<'_, '_>) -> Result<Option<CanaryResult>, Stop> {
    let limit = Duration::from_secs(task.timing.limit_s.into()) + grace;
    let running = processes.running(task.round)?;
    let began = Instant::now();
    let result = match running.ask(&Request::Canary(Box::new(task.clone())), limit) {
        Ok(Reply::Canary(result)) => result.map(|result| *result),
        Ok(reply) => return Err(nonsense(&reply)),
        Err(lost) => Some(task.lost(outcome_of(lost))),
    };
    processes.took.add(Part::Canaries, began.elapsed());
    if result.as_ref().is_some_and(|result| poisons(&result.outcome)) {
        processes.lose();
    }
    Ok(result)
}

fn label(rows: &[RowPlan], index: u32) -> &str {
    rows.get(index as usize).map_or("", |row| &row.label)
}

/// What there is to do for row `index`; `None` for a row that this device refuses.
pub(super) fn task(experiment: &Experiment<'_>, planned: &Planned, round: u32, index: u32) -> Option<Task> {
    let row = planned.rows.get(index as usize)?;
    Some(Task {
        round,
        row: index,
        launch: row.launch.clone()?,
        launches: row.launches_per_sample,
        least_span_ns: planned.least_span_ns,
        timing: experiment.timing.clone(),
        in_place: experiment.is_in_place(),
        checked: experiment.is_checked(),
        reads: row.reads.clone(),
    })
}

/// Measures one row.
fn measure(task: &Task, grace: Duration, processes: &mut Processes<'_, '_>) -> Result<RowResult, Stop> {
    ask(&Request::Measure(Box::new(task.clone())), task, grace, processes)
}

/// Asks `request` of the row of `task`, in the round's process or, after a fault, in a new one.
pub(super) fn ask(request: &Request, task: &Task, grace: Duration, processes: &mut Processes<'_, '_>) -> Result<RowResult, Stop> {
    let limit = Duration::from_secs(task.timing.limit_s.into()) + grace;
    let result = match processes.running(task.round)?.ask(request, limit) {
        Ok(Reply::Measured(result, took)) => {
            processes.took.join(&took);
            *result
        }
        Ok(reply) => return Err(nonsense(&reply)),
        Err(lost) => RowResult { outcome: outcome_of(lost), ..row::untried(task.round, task.row) },
    };
    if poisons(&result.outcome) {
        processes.lose();
    }
    Ok(result)
}

/// `result` without names and paths in the words that a driver or a host region put there.
fn anonymous(mut result: RowResult, anonymous: &Anonymous) -> RowResult {
    result.outcome = result.outcome.map_why(|why| anonymous.text(why));
    let receipts = result.before.iter_mut().chain(&mut result.after);
    receipts.filter_map(|receipt| receipt.first_wrong.as_mut()).for_each(|first| *first = anonymous.text(first));
    result
}

fn outcome_of(lost: Lost) -> Outcome {
    match lost {
        Lost::Died(how) => Outcome::Runtime(how),
        Lost::TimedOut(limit) => Outcome::Timeout(format!("no answer within {} s; its process was ended", limit.as_secs())),
    }
}
