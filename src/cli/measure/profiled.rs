//! Turns a run of counters into words; and, in the process that a profiler watches, a task into launches.
//!
//! Must not know counters.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};

use crate::evidence::record::Outcome;
use crate::measure::journal::Written;
use crate::measure::profiling::Task;

use super::devices::{ProcessArguments, open};
use super::telling::{partial, summary};
use super::{Ending, Terminal};

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

/// Prints what was counted. A row without counters is no fact.
pub(super) fn conclude(written: &Written, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let record = &written.record;
    summary(written, terminal)?;
    partial(record, terminal)?;
    let lost = record.profiled.iter().find(|profiled| profiled.outcome != Outcome::Ok);
    let Some(lost) = lost else { return Ok(Ending::Fine) };
    writeln!(terminal.err, "{}: {}: {}", record.header.sweep, lost.outcome.word(), lost.outcome.why().unwrap_or_default())?;
    Ok(Ending::Problems)
}
