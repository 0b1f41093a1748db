//! Turns profile sweeps into runs of counters; and, in the process that a profiler watches, a task into launches.
//!
//! Must not know counters.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};

use crate::device::DeviceError;
use crate::evidence::record::Outcome;
use crate::evidence::transcript;
use crate::measure::anonymous::Anonymous;
use crate::measure::journal::Written;
use crate::measure::profiling::{Place, Task, run};
use crate::measure::{Stop, compile_log, time_text};
use crate::plan::{Job, ProfileJob};

use super::devices::{ProcessArguments, Start, open, which};
use super::{Arguments, Ending, Studied, Terminal, progress};

/// What the process is told that a profiler starts.
#[derive(Debug, clap::Args)]
pub(in super::super) struct ProfileArguments {
    #[command(flatten)]
    process: ProcessArguments,
    /// The task, written by the parent
    task: PathBuf,
}

/// The hidden command under the profiler: launches what the task says.
pub(in super::super) fn launch_for_profiler(arguments: &ProfileArguments) -> Result<Ending> {
    let text = std::fs::read_to_string(&arguments.task).context("cannot read the task")?;
    let task: Task = serde_json::from_str(&text).context("the task is of another lessonc")?;
    let fault = |fault: crate::device::Fault| anyhow!("the row can't be launched: {fault:?}");
    let mut device = open(&arguments.process)?;
    device.open(&task.setup)?;
    device.stage(task.row, &task.launch).map_err(fault)?;
    // Once before the profiler looks: a first launch loads code.
    device.reset_outputs().and_then(|()| device.launch()).map_err(fault)?;
    device.profile(task.launches).map_err(fault)?;
    Ok(Ending::Fine)
}

/// Profiles `job` with the workers of `start`, on a device known to have no current run of it.
pub(super) fn profile(
    studied: &Studied,
    job: &Job,
    profile: &ProfileJob,
    start: &mut Start,
    arguments: &Arguments,
    terminal: &mut Terminal<'_>,
) -> Result<Ending> {
    let workspace = tempfile::tempdir().context("cannot make a folder for the processes of the rows")?;
    let now = || time_text(chrono::Utc::now());
    let place = Place {
        root: &studied.folder.root,
        workspace: workspace.path(),
        allow_busy: arguments.allow_busy,
        now: &now,
        anonymous: Anonymous::here(),
        which: which(arguments.gpu.as_ref()),
    };
    let source = profile.of.kernel().map(|kernel| kernel.code.source.clone()).unwrap_or_default();
    let written = run(job, profile, &place, &mut *start.start, &mut progress::Lines::new(&job.sweep.name, &mut *terminal.err));
    match written {
        Ok(written) => conclude(&written, terminal),
        Err(Stop::Device(DeviceError::Compile { compiler, log })) => {
            studied.report(&compile_log::problems(&compiler, &log, &source, &studied.tree), terminal)?;
            Ok(Ending::Problems)
        }
        Err(Stop::Problems(problems)) => {
            studied.report(&problems, terminal)?;
            Ok(Ending::Problems)
        }
        Err(stop) => Err(stop.into_error().context(format!("cannot profile {}", job.sweep.name))),
    }
}

fn conclude(written: &Written, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let record = &written.record;
    writeln!(terminal.out, "{}", record.header.sweep)?;
    terminal.out.write_all(transcript::table(record).as_bytes())?;
    writeln!(terminal.out, "record {}\ntranscript {}", written.record_name, written.transcript_name)?;
    let lost = record.profiled.iter().find(|profiled| profiled.outcome != Outcome::Ok);
    let Some(lost) = lost else { return Ok(Ending::Fine) };
    writeln!(terminal.err, "{}: {}: {}", record.header.sweep, lost.outcome.word(), lost.outcome.why().unwrap_or_default())?;
    Ok(Ending::Problems)
}
