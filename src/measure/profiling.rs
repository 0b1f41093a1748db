//! Turns rows of another sweep into counters: each row is launched under a profiler, in a process of its own, and never timed.
//!
//! Must not know claims or pages, nor which columns a page shows.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::device::Setup;
use crate::device::ncu::{self, Ncu, NoCounters, Pass, Profiled};
use crate::evidence::profiled::{RowProfiled, THEORETICAL, TOLERANCE};
use crate::evidence::record::{Outcome, Record, RunKind};
use crate::plan::launch::Launch;
use crate::plan::{Job, ProfileJob};

use super::anonymous::Anonymous;
use super::experiment::Experiment;
use super::journal::{self, Written};
use super::planning::{self, Start, Wanted};
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

/// Where and how a run of profiling takes place.
pub struct Place<'a> {
    /// The course.
    pub root: &'a Path,
    /// Folder for what the processes share; outside the course.
    pub workspace: &'a Path,
    /// Whether to go on with a GPU that others use.
    pub allow_busy: bool,
    /// The time now, as records write it.
    pub now: &'a dyn Fn() -> String,
    /// Keeps names out of the record.
    pub anonymous: Anonymous,
    /// Arguments of the hidden command beside the task: which GPU.
    pub which: Vec<OsString>,
}

/// Profiles the rows of `job` and writes the record. Where nobody may read counters, every row says so, and that is the run.
///
/// # Errors
/// When the device can't be used, the code does not compile, or the disk refuses.
pub fn run(
    job: &Job,
    profile: &ProfileJob,
    place: &Place<'_>,
    start: &mut Start<'_>,
    progress: &mut dyn Progress,
) -> Result<Written, Stop> {
    let of = Job { rows: job.rows.clone(), ..(*profile.of).clone() };
    let Some(kernel) = of.kernel() else { return Err(Stop::Machine(anyhow::anyhow!("{} launches no kernel", of.sweep.name))) };
    let mut experiment = Experiment::of(&of, kernel, Some(profile.launches));
    experiment.fingerprint = job.fingerprint.clone();
    experiment.sweep.clone_from(&job.sweep.name);
    let chosen = vec![true; experiment.rows.len()];
    let wanted = Wanted { workspace: place.workspace, chosen: &chosen, allow_busy: place.allow_busy };
    let mut planned = planning::plan(&experiment, &wanted, start, progress)?;
    let quiet = &place.anonymous;
    planned.built.logs.values_mut().for_each(|log| *log = quiet.text(log));
    planned.rows.iter_mut().filter_map(|row| row.skipped.as_mut()).for_each(|why| *why = quiet.text(why));
    planned.rows.iter_mut().for_each(|row| row.launches_per_sample = 1);
    let started = (place.now)();
    let ncu = Ncu::find();
    let mut header = planning::header(&experiment, &planned, started, 0, planned.machine.circumstance.clone());
    header.kind = RunKind::Profile;
    header.identity.profiler = ncu.as_ref().ok().map(|ncu| ncu.version.clone());
    header.unknown.extend(ncu.as_ref().err().map(|why| ("profiler".to_owned(), why.clone())));
    (header.circumstance.commit, header.circumstance.dirty) = super::course_state::commit(place.root, &mut header.unknown);
    let mut record = Record::begun(header, planned.rows.clone());
    progress.rounds(planned.rows.iter().filter(|row| row.launch.is_some()).count(), 1, 0);
    for (index, row) in (0_u32..).zip(&planned.rows) {
        let Some(launch) = &row.launch else { continue };
        let task = Task { setup: planned.setup.clone(), row: index, launch: launch.clone(), launches: profile.launches };
        let launches = ncu.as_ref().map_err(|why| NoCounters(why.clone())).and_then(|ncu| profile_row(ncu, &task, profile, place));
        let mut profiled = judged(index, launches, &record);
        profiled.outcome = profiled.outcome.map_why(|why| quiet.text(why));
        progress.row(1, &row.label, &profiled.outcome);
        record.profiled.push(profiled);
    }
    Ok(journal::write(place.root, record, (place.now)())?)
}

/// Launches one row under the profiler.
fn profile_row(ncu: &Ncu, task: &Task, profile: &ProfileJob, place: &Place<'_>) -> Result<Vec<Profiled>, NoCounters> {
    let failed = |error: &dyn std::fmt::Display| NoCounters(format!("the row can't be handed to a process: {error}"));
    let path = place.workspace.join("profile.json");
    let text = serde_json::to_string(task).map_err(|error| failed(&error))?;
    std::fs::write(&path, text).map_err(|error| failed(&error))?;
    let program = std::env::current_exe().map_err(|error| failed(&error))?;
    let mut arguments: Vec<OsString> = vec![COMMAND.into()];
    arguments.extend(place.which.iter().cloned());
    arguments.push(path.into());
    let mut metrics: Vec<String> = ncu::metrics().into_iter().map(str::to_owned).collect();
    metrics.extend(profile.metrics.iter().map(|column| column.metric.clone()));
    metrics.sort_unstable();
    metrics.dedup();
    ncu.profile(&Pass { skip: 0, count: task.launches, metrics: &metrics }, program.as_os_str(), &arguments)
}

/// The line of row `row`: counters that are another kernel's, or that contradict what the driver allows, are none.
fn judged(row: u32, launches: Result<Vec<Profiled>, NoCounters>, record: &Record) -> RowProfiled {
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
