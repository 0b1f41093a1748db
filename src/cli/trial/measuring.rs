//! Turns the sweeps of a lesson into runs of the reader's own, one after the other; one that can't run is named and passed over.
//!
//! Must not know sentences or pages.

use std::sync::Arc;

use anyhow::Result;

use crate::base::problem::Problems;
use crate::device::{DeviceError, Machine};
use crate::disk;
use crate::evidence::record::{Outcome, Record};
use crate::evidence::{self, Current, Run, YOURS, name};
use crate::measure::{Stop, compile_log};
use crate::plan::{Job, Work};
use crate::rules::report::plural;

use super::super::Terminal;
use super::super::measure::DeviceChoice;
use super::super::measure::course::Studied;
use super::super::measure::dry_run::duration_text;
use super::super::measure::one::{self, Manner};
use super::{needs, telling};

/// What became of a sweep.
pub(super) struct Tried {
    /// Its name.
    pub(super) sweep: String,
    /// What it came to.
    pub(super) state: State,
    /// Rows that have no figures here, and why.
    pub(super) left_out: Vec<(String, String)>,
    /// How many rows it has.
    pub(super) rows: usize,
}

/// What measuring a sweep came to.
pub(super) enum State {
    /// It was measured now, in so many rounds; its record, from the reader's folder.
    Measured(u32, String),
    /// It was measured on that day; its record likewise.
    Kept(String, String),
    /// It can't be measured here, and why.
    Failed(String),
}

impl Tried {
    /// Why there are no figures of it, if there are none.
    pub(super) fn failed(&self) -> Option<&str> {
        if let State::Failed(why) = &self.state { Some(why) } else { None }
    }

    fn of(sweep: &str, record: &Record, state: State) -> Self {
        let left_out: Vec<(String, String)> = left_out(record).collect();
        let (rows, sweep) = (record.rows.len(), sweep.to_owned());
        match left_out.first() {
            Some((_, why)) if left_out.len() == rows => Self { sweep, state: State::Failed(format!("no row ran: {why}")), left_out, rows },
            _ => Self { sweep, state, left_out, rows },
        }
    }
}

/// What became of all sweeps.
pub(super) struct Outcomes {
    pub(super) tried: Vec<Tried>,
    /// Whether somebody asked to stop.
    pub(super) interrupted: bool,
}

/// Measures those of `jobs` that the reader has no run of, or all of them `again`, in the folder of `manner`.
pub(super) fn all(
    studied: &Studied,
    jobs: &[Arc<Job>],
    machine: Option<&Machine>,
    again: bool,
    manner: &Manner<'_>,
    terminal: &mut Terminal<'_>,
) -> Result<Outcomes> {
    let mut tree = studied.tree.clone();
    disk::take_in_private(&mut tree, manner.home)?;
    let own = evidence::read(&tree, &mut Problems::new());
    let kept = |job: &Job| match own.shown(job, YOURS) {
        Current::Fresh(run) if !again && run.private().is_some() && suffices(&run, job, manner) => Some(run),
        _ => None,
    };
    let due: Vec<Arc<Job>> = jobs.iter().filter(|job| kept(job).is_none()).cloned().collect();
    if !due.is_empty() {
        let time = needs::time(studied, &due, manner).map(|time| format!(", about {}", duration_text(time))).unwrap_or_default();
        let on = machine.map_or_else(|| "this machine".to_owned(), |machine| machine.gpu.title());
        writeln!(terminal.err, "runs code of this course on {on}: {}{time}", plural(due.len(), "sweep"))?;
    }
    let mut tried = Vec::new();
    for job in jobs {
        let name = &job.sweep.name;
        tried.push(match kept(job) {
            Some(run) => Tried::of(name, &run.record, State::Kept(run.date().to_owned(), record_of(&run))),
            None => match one(studied, job, machine, manner, terminal)? {
                Some(tried) => tried,
                None => return Ok(Outcomes { tried, interrupted: true }),
            },
        });
    }
    Ok(Outcomes { tried, interrupted: false })
}

/// The record of `run`, from the folder that it was written in.
fn record_of(run: &Run) -> String {
    format!("{}.jsonl", name::stem(&run.record.header, run.suffix))
}

/// Whether `run` tells as much of `job` as is asked for now.
fn suffices(run: &Run, job: &Job, manner: &Manner<'_>) -> bool {
    // What is in one round by its nature says no more in several.
    let wanted = if job.rounds() > 1 { manner.rounds.unwrap_or(job.rounds()) } else { 1 };
    let enough = run.record.header.identity.timing.rounds >= wanted;
    enough && left_out(&run.record).count() < run.record.rows.len()
}

/// Measures `job`; `None` if somebody asked to stop.
fn one(
    studied: &Studied,
    job: &Arc<Job>,
    machine: Option<&Machine>,
    manner: &Manner<'_>,
    terminal: &mut Terminal<'_>,
) -> Result<Option<Tried>> {
    let (name, source) = (&job.sweep.name, job.source());
    let failed = |why: String| Tried { sweep: name.clone(), state: State::Failed(why), left_out: Vec::new(), rows: job.rows.len() };
    let machine = machine.filter(|_| job.needs_gpu());
    if *manner.device != DeviceChoice::Cuda && machine.is_some() && matches!(job.work, Work::Program(_)) {
        return Ok(Some(failed("a program has no stand-in; it is measured on a GPU only".to_owned())));
    }
    let run = telling::heard(studied, name, source, terminal, |progress| one::measure(studied, job, machine, None, manner, progress));
    let why = match run {
        Ok(written) => {
            let rounds = written.record.header.identity.timing.rounds;
            return Ok(Some(Tried::of(name, &written.record, State::Measured(rounds, written.record_name))));
        }
        Err(Stop::Interrupted { .. }) => return Ok(None),
        Err(Stop::Device(DeviceError::Compile { compiler, log })) => {
            studied.report(&compile_log::problems(&compiler, &log, source, &studied.tree), terminal)?;
            format!("{compiler} does not compile it here")
        }
        Err(Stop::Problems(problems)) => {
            studied.report(&problems, terminal)?;
            problems.into_iter().next().map_or_else(|| "it can't be planned here".to_owned(), |problem| problem.message)
        }
        Err(stop) => format!("{:#}", stop.into_error()),
    };
    Ok(Some(failed(why.trim_end_matches('.').to_owned())))
}

/// The rows of `record` that are right in no round, each with the first reason that it gives.
fn left_out(record: &Record) -> impl Iterator<Item = (String, String)> {
    record.rows.iter().enumerate().filter_map(|(index, row)| {
        if let Some(why) = &row.skipped {
            return Some((row.label.clone(), why.clone()));
        }
        let compiled = record.compiled.iter().filter(move |one| one.row as usize == index).map(|one| &one.outcome);
        let profiled = record.profiled.iter().filter(move |one| one.row as usize == index).map(|one| &one.outcome);
        let mut outcomes = record.outcomes_of(index).map(|(_, outcome)| outcome).chain(compiled).chain(profiled);
        let first = outcomes.next()?;
        let fails = *first != Outcome::Ok && outcomes.all(|outcome| *outcome != Outcome::Ok);
        fails.then(|| (row.label.clone(), format!("{}: {}", first.word(), first.why().unwrap_or_default())))
    })
}
