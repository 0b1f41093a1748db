//! Turns an experiment into a run: planning, rounds in shuffled order, a journal of what happened.
//!
//! Must not touch a device itself; workers do.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::evidence::name;
use crate::evidence::order::order;
use crate::evidence::record::{Circumstance, Outcome, RowPlan, RowResult};

use super::anonymous::Anonymous;
use super::experiment::Experiment;
use super::journal::{Journal, Written};
use super::planning::{self, Planned, Start, nonsense, opened};
use super::row::{self, Task};
use super::worker::{Lost, Reply, Request, Worker, poisons};
use super::{Progress, Stop};

/// What a parent grants a row beyond its own limit, for checks and for the process to say that it ran out of time.
const GRACE: Duration = Duration::from_secs(60);

/// Where and how a run takes place.
pub struct Settings<'a> {
    /// The course.
    pub root: &'a Path,
    /// Folder for what the processes share; outside the course.
    pub workspace: &'a Path,
    /// The seed of the order of rows.
    pub seed: u64,
    /// The time now, as records write it.
    pub now: &'a dyn Fn() -> String,
    /// Set when somebody asked to stop.
    pub interrupted: &'a AtomicBool,
    /// Keeps names out of the record.
    pub anonymous: Anonymous,
    /// The record that is replayed, by its path in the course; such a run never becomes evidence.
    pub replayed: Option<String>,
}

impl Settings<'_> {
    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// Where replays are written, from the course's root.
pub const REPLAYS: &str = ".lessonc/replay";

/// Measures `experiment` and writes its record and transcript. An interrupted run keeps the rows it finished and is
/// marked incomplete; [`Written`] says so by its record.
///
/// # Errors
/// When the device can't be used, the code does not compile, or the disk refuses. Rows that were measured before are
/// kept, marked incomplete.
pub fn run(
    experiment: &Experiment<'_>,
    settings: &Settings<'_>,
    start: &mut Start<'_>,
    progress: &mut dyn Progress,
) -> Result<Written, Stop> {
    let mut planned = planning::plan(experiment, settings.workspace, start, progress)?;
    if settings.is_interrupted() {
        return Err(Stop::Interrupted);
    }
    let anonymous = &settings.anonymous;
    planned.built.logs.values_mut().for_each(|log| *log = anonymous.text(log));
    planned.built.host_compiler = planned.built.host_compiler.as_deref().map(|version| anonymous.text(version));
    planned.rows.iter_mut().filter_map(|row| row.skipped.as_mut()).for_each(|why| *why = anonymous.text(why));
    let mut header = planning::header(experiment, &planned, (settings.now)(), settings.seed, circumstance(&planned, settings));
    if settings.replayed.is_none() {
        let state = super::course_state::commit(settings.root, &mut header.unknown);
        (header.circumstance.commit, header.circumstance.dirty) = state;
    }
    let mut rescued = |name: &str| progress.note(&format!("a run that was cut short is kept, marked incomplete: {name}"));
    let mut journal = Journal::begin(settings.root, header, planned.rows.clone(), &mut rescued)?;
    let ending = rounds(experiment, settings, &planned, &mut journal, start, progress);
    let folder = if settings.replayed.is_some() { REPLAYS } else { name::FOLDER };
    let written = journal.finish(settings.root, folder, (settings.now)())?;
    ending?;
    written.ok_or(Stop::Interrupted)
}

fn circumstance(planned: &Planned, settings: &Settings<'_>) -> Circumstance {
    Circumstance { replayed: settings.replayed.clone(), ..planned.machine.circumstance.clone() }
}

fn rounds(
    experiment: &Experiment<'_>,
    settings: &Settings<'_>,
    planned: &Planned,
    journal: &mut Journal,
    start: &mut Start<'_>,
    progress: &mut dyn Progress,
) -> Result<(), Stop> {
    let tried = planned.rows.iter().filter(|row| row.launch.is_some()).count();
    progress.rounds(tried, experiment.timing.rounds);
    for round in 1..=experiment.timing.rounds {
        let mut worker = None;
        for index in order(settings.seed, round, planned.rows.len() as u32) {
            let Some(task) = task(experiment, planned, round, index) else { continue };
            if settings.is_interrupted() {
                return Ok(());
            }
            let result = anonymous(measure(&task, round, planned, &mut worker, start)?, &settings.anonymous);
            progress.row(round, label(&planned.rows, index), &result.outcome);
            journal.add(result)?;
        }
    }
    Ok(())
}

fn label(rows: &[RowPlan], index: u32) -> &str {
    rows.get(index as usize).map_or("", |row| &row.label)
}

/// What there is to do for row `index`; `None` for a row that this device refuses.
fn task(experiment: &Experiment<'_>, planned: &Planned, round: u32, index: u32) -> Option<Task> {
    let row = planned.rows.get(index as usize)?;
    Some(Task {
        round,
        row: index,
        launch: row.launch.clone()?,
        launches: row.launches_per_sample,
        least_span_ns: planned.least_span_ns,
        timing: experiment.timing.clone(),
        in_place: experiment.is_in_place(),
    })
}

/// Measures one row, in the round's process or, after a fault, in a new one.
fn measure(task: &Task, round: u32, planned: &Planned, worker: &mut Option<Worker>, start: &mut Start<'_>) -> Result<RowResult, Stop> {
    let running = match &mut *worker {
        Some(running) => running,
        none => none.insert(opened(start, round, &planned.setup)?),
    };
    let limit = Duration::from_secs(task.timing.limit_s.into()) + GRACE;
    let result = match running.ask(&Request::Measure(Box::new(task.clone())), limit) {
        Ok(Reply::Measured(result)) => *result,
        Ok(reply) => return Err(nonsense(&reply)),
        Err(lost) => RowResult { outcome: outcome_of(lost), ..row::untried(task.round, task.row) },
    };
    if poisons(&result.outcome) {
        *worker = None;
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
