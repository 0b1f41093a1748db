//! Turns rows of another sweep into counters: each row is launched under a profiler, in a process of its own, and never timed.
//!
//! Must not know claims or pages, nor which columns a page shows.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::device::Setup;
use crate::device::ncu::{self, Ncu, NoCounters, Pass, Profiled};
use crate::evidence::name;
use crate::evidence::profiled::{RowProfiled, THEORETICAL, TOLERANCE};
use crate::evidence::record::{Circumstance, Outcome, Record, RunKind};
use crate::plan::launch::Launch;
use crate::plan::{Job, ProfileJob};

use super::experiment::Experiment;
use super::journal::{Journal, Written};
use super::planning::{self, Start, Wanted};
use super::run::{self, Settings};
use super::{Progress, Stop};

/// The hidden command that launches a row for a profiler.
pub const COMMAND: &str = "profile-process";

/// What the process under the profiler is to launch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Task {
    /// What planning left.
    pub setup: Setup,
    /// The row, by its place in the plan.
    pub row: u32,
    /// Its launch.
    pub launch: Launch,
    /// How often.
    pub launches: u32,
}

/// Profiles the rows of `job` and writes the record. Where nobody may read counters, every row says so, and that is the run. A run
/// of the same identity that was cut short is gone on with. `which` are the arguments of the hidden command beside the task: which
/// GPU.
///
/// # Errors
/// When the device can't be used, the code does not compile, the disk refuses, or somebody asked to stop; what was finished is kept
/// then.
pub fn run(
    job: &Job,
    profile: &ProfileJob,
    which: &[OsString],
    settings: &Settings<'_>,
    start: &mut Start<'_>,
    progress: &mut dyn Progress,
) -> Result<Written, Stop> {
    let of = Job { rows: job.rows.clone(), ..(*profile.of).clone() };
    let Some(kernel) = of.kernel() else { return Err(Stop::Machine(anyhow::anyhow!("{} launches no kernel", of.sweep.name))) };
    let mut experiment = Experiment::of(&of, kernel, Some(profile.launches));
    experiment.fingerprint = job.fingerprint.clone();
    experiment.sweep.clone_from(&job.sweep.name);
    let chosen = run::chosen(job.rows.iter().map(|row| row.label.as_str()), &job.sweep.name, settings.only_rows)?;
    let wanted = Wanted { workspace: settings.workspace, chosen: &chosen, allow_busy: settings.allow_busy };
    let mut planned = planning::plan(&experiment, &wanted, start, progress)?;
    if settings.is_interrupted() {
        return Err(Stop::Interrupted { finished: 0 });
    }
    progress.compiled(&planned.built.logs);
    let quiet = &settings.anonymous;
    planned.built.logs.values_mut().for_each(|log| *log = quiet.text(log));
    planned.rows.iter_mut().filter_map(|row| row.skipped.as_mut()).for_each(|why| *why = quiet.text(why));
    planned.rows.iter_mut().for_each(|row| row.launches_per_sample = 1);
    let ncu = Ncu::find();
    let circumstance = Circumstance { only_rows: settings.only_rows.to_vec(), ..planned.machine.circumstance.clone() };
    let mut header = planning::header(&experiment, &planned, (settings.now)(), 0, circumstance);
    header.kind = RunKind::Profile;
    header.identity.profiler = ncu.as_ref().ok().map(|ncu| ncu.version.clone());
    header.unknown.extend(ncu.as_ref().err().map(|why| ("profiler".to_owned(), why.clone())));
    (header.circumstance.commit, header.circumstance.dirty) = super::course_state::commit(settings.root, &mut header.unknown);
    let mut journal = settings.begin(header, planned.rows.clone(), progress)?;
    let mut one = |index: u32, launch: &Launch| {
        let task = Task { setup: planned.setup.clone(), row: index, launch: launch.clone(), launches: profile.launches };
        ncu.as_ref().map_err(|why| NoCounters(why.clone())).and_then(|ncu| profile_row(ncu, &task, profile, settings.workspace, which))
    };
    let came = rows(settings, &mut journal, &mut one, progress);
    settings.close(run::whole(journal, came)?, name::FOLDER)
}

/// The profiled launches of a row, or why there are none.
type Counted = Result<Vec<Profiled>, NoCounters>;

/// Profiles by `one` what `journal` lacks; whether it came to the end, which an interrupt prevents.
fn rows(
    settings: &Settings<'_>,
    journal: &mut Journal,
    one: &mut dyn FnMut(u32, &Launch) -> Counted,
    progress: &mut dyn Progress,
) -> anyhow::Result<bool> {
    let asked = journal.record().asked();
    let finished = journal.record().profiled.len();
    progress.rounds(asked.len(), 1, finished);
    // They are profiled in their order, so that those that a run has are its first.
    for index in asked.into_iter().skip(finished) {
        if settings.is_interrupted() {
            return Ok(false);
        }
        let Some(row) = journal.record().rows.get(index as usize) else { continue };
        let (label, Some(launch)) = (row.label.clone(), row.launch.clone()) else { continue };
        let mut profiled = judged(index, one(index, &launch), journal.record());
        profiled.outcome = profiled.outcome.map_why(|why| settings.anonymous.text(why));
        progress.row(1, &label, &profiled.outcome);
        journal.add_profiled(profiled)?;
    }
    Ok(true)
}

/// Launches one row under the profiler.
fn profile_row(ncu: &Ncu, task: &Task, profile: &ProfileJob, workspace: &Path, which: &[OsString]) -> Counted {
    let failed = |error: &dyn std::fmt::Display| NoCounters(format!("the row can't be handed to a process: {error}"));
    let path = workspace.join("profile.json");
    let text = serde_json::to_string(task).map_err(|error| failed(&error))?;
    std::fs::write(&path, text).map_err(|error| failed(&error))?;
    let program = std::env::current_exe().map_err(|error| failed(&error))?;
    let mut arguments: Vec<OsString> = vec![COMMAND.into()];
    arguments.extend(which.iter().cloned());
    arguments.push(path.into());
    let mut metrics: Vec<String> = ncu::metrics().into_iter().map(str::to_owned).collect();
    metrics.extend(profile.metrics.iter().map(|column| column.metric.clone()));
    metrics.sort_unstable();
    metrics.dedup();
    ncu.profile(&Pass { skip: 0, count: task.launches, metrics: &metrics }, program.as_os_str(), &arguments)
}

/// The line of row `row`: counters that are another kernel's, or that contradict what the driver allows, are none.
fn judged(row: u32, launches: Counted, record: &Record) -> RowProfiled {
    let none = |outcome: Outcome| RowProfiled { row, outcome, launches: Vec::new(), limited_by: None };
    let launches = match launches {
        Ok(launches) => launches,
        Err(NoCounters(why)) => return none(Outcome::NoCounters(why)),
    };
    let kernel = record.rows.get(row as usize).and_then(|row| row.launch.as_ref()).map_or("", |launch| launch.shape.kernel.as_str());
    let base = kernel.split('<').next().unwrap_or(kernel).rsplit("::").next().unwrap_or(kernel).trim();
    if let Some(other) = launches.iter().find(|launch| !launch.kernel.contains(base)) {
        return none(Outcome::NoCounters(format!("ncu profiled `{}` where `{kernel}` was launched", other.kernel)));
    }
    if let Some((threads, all)) = record.theoretical(row as usize) {
        let driver = f64::from(threads) / f64::from(all.max(1)) * 100.0;
        let said = launches.iter().filter_map(|launch| launch.values.get(THEORETICAL)).find(|said| (*said - driver).abs() > TOLERANCE);
        if let Some(said) = said {
            return none(Outcome::Incorrect(format!("ncu gives {said} % as the theoretical occupancy, and the driver {driver} %")));
        }
    }
    let limited_by = launches.first().and_then(|launch| ncu::limited_by(&launch.values));
    let launches: Vec<BTreeMap<String, f64>> = launches.into_iter().map(|launch| launch.values).collect();
    RowProfiled { row, outcome: Outcome::Ok, launches, limited_by }
}
