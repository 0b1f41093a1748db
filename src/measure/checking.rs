//! Turns an experiment into what each row's outputs are worth: one launch a row, checked, and nothing timed or kept.
//!
//! Must not write a record. No clock is read and no launch waits at a gate, so that it works where every launch is watched, as
//! under a sanitizer.

use std::path::Path;
use std::time::Duration;

use crate::evidence::record::{RowPlan, RowResult};

use super::experiment::Experiment;
use super::planning::{self, Start, Wanted};
use super::processes::Processes;
use super::run::{GRACE, ask, chosen, task};
use super::worker::Request;
use super::{Progress, Stop};

/// What a row may take at least, whatever its sweep allows: a launch that is watched takes many times as long.
const LEAST_LIMIT: Duration = Duration::from_secs(600);

/// Rows, and what came of those that the device did not refuse.
pub type Checked = Vec<(RowPlan, Option<RowResult>)>;

/// Launches each row of `experiment` once and checks it; those of `only` if there are any. A GPU that others use will do.
///
/// # Errors
/// When the device can't be used, the code does not compile, or a row of `only` is none of the sweep's.
pub fn run(
    experiment: &Experiment<'_>,
    workspace: &Path,
    only: &[String],
    start: &mut Start<'_>,
    progress: &mut dyn Progress,
) -> Result<Checked, Stop> {
    let chosen = chosen(experiment.rows.iter().map(|(label, _)| label.as_str()), &experiment.sweep, only)?;
    // Nothing is to be timed, so that nothing is sized.
    let untimed = vec![false; chosen.len()];
    let planned = planning::plan(experiment, &Wanted { workspace, chosen: &untimed, allow_busy: true }, start, progress)?;
    progress.compiled(&planned.built.logs);
    let wanted: Vec<usize> = chosen.iter().enumerate().filter(|(_, chosen)| **chosen).map(|(index, _)| index).collect();
    let launched = wanted.iter().filter(|&&index| planned.rows.get(index).is_some_and(|row| row.launch.is_some())).count();
    progress.rounds(launched, 1, 0);
    let mut processes = Processes::new(&planned.setup, start);
    let mut checked = Checked::new();
    for index in wanted {
        let Some(row) = planned.rows.get(index) else { continue };
        let mut result = None;
        if let Some(mut task) = task(experiment, &planned, 1, index as u32) {
            task.timing.limit_s = task.timing.limit_s.max(LEAST_LIMIT.as_secs() as u32);
            let told = ask(&Request::Check(Box::new(task.clone())), &task, GRACE, &mut processes)?;
            progress.row(1, &row.label, &told.outcome);
            result = Some(told);
        }
        checked.push((row.clone(), result));
    }
    Ok(checked)
}
