//! Turns kernel sweeps into a table of what one launch of each row left: right, wrong and where, and what was read back.
//!
//! Must not write into the course.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Context as _, Result};

use crate::evidence::record::{Outcome, Receipt, RowPlan, RowResult};
use crate::evidence::transcript;
use crate::measure::checking::{self, Checked};
use crate::measure::experiment::Experiment;
use crate::plan::{Job, KernelJob, Work};

use super::super::{Ending, Terminal};
use super::course::Studied;
use super::{Arguments, one, telling};

/// Checks those of `jobs` that launch kernels themselves, and says of others that were named why there is nothing to check.
pub(super) fn check_all(studied: &Studied, jobs: &[Arc<Job>], arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let kernels = jobs.iter().filter_map(|job| Some((job, job.kernel()?))).filter(|(job, kernel)| launches(job, kernel));
    if !arguments.rows.is_empty() && kernels.clone().count() > 1 {
        anyhow::bail!("--rows needs one sweep, by name: {} have rows to check", kernels.count());
    }
    let mut ending = Ending::Fine;
    for job in
        jobs.iter().filter(|job| !job.kernel().is_some_and(|kernel| launches(job, kernel)) && arguments.sweeps.contains(&job.sweep.name))
    {
        writeln!(terminal.err, "{}: {}", job.sweep.name, why_not(job))?;
    }
    for (job, kernel) in kernels {
        let (experiment, name) = (Experiment::of(job, kernel, None), &job.sweep.name);
        let mut workers = one::start(studied, job, &arguments.manner(studied))?;
        let workspace = tempfile::tempdir().context("cannot make a folder for the processes of the rows")?;
        let checked = telling::heard(studied, name, &kernel.code.source, terminal, |progress| {
            checking::run(&experiment, workspace.path(), &arguments.rows, &mut *workers.start, progress)
        });
        match checked {
            Ok(checked) => {
                writeln!(terminal.out, "{name}\n{}", table(&checked).trim_end())?;
                if checked.iter().any(|(_, result)| result.as_ref().is_some_and(|result| result.outcome != Outcome::Ok)) {
                    ending = Ending::Problems;
                }
            }
            Err(stop) => {
                telling::stopped(studied, name, &kernel.code.source, stop, terminal)?;
                ending = Ending::Problems;
            }
        }
    }
    Ok(ending)
}

/// Why there is nothing to check in `job`.
fn why_not(job: &Job) -> String {
    match &job.work {
        Work::Profile(profile) => format!("launches the kernels of {0}; check {0}", profile.of.sweep.name),
        Work::Program(_) => "runs a program, which checks its results itself".to_owned(),
        Work::Compile(_) => "compiles and launches nothing".to_owned(),
        Work::Kernel(_) => "launches nothing; what compiler and driver say of its rows is all that it measures".to_owned(),
    }
}

/// Whether measuring `job` launches anything.
fn launches(job: &Job, kernel: &KernelJob) -> bool {
    let experiment = Experiment::of(job, kernel, None);
    experiment.is_measured() || experiment.is_checked()
}

/// The rows, and below them why some are not right.
fn table(checked: &Checked) -> String {
    let reads = checked.first().map(|(row, _)| row.reads.as_slice()).unwrap_or_default();
    let mut head: Vec<String> = ["row", "registers", "blocks/SM", "compared", "wrong", "largest relative error"].map(str::to_owned).into();
    head.extend(reads.iter().map(|read| read.name.clone()));
    head.push("outcome".to_owned());
    let mut rows = vec![head];
    let mut reasons = String::new();
    for (row, result) in checked {
        let absent = || "-".to_owned();
        let receipt = result.as_ref().and_then(|result| result.before.as_ref());
        let of_receipt = |figure: fn(&Receipt) -> String| receipt.map_or_else(absent, figure);
        let residency = row.residency.as_ref();
        let mut cells = vec![
            row.label.clone(),
            residency.map_or_else(absent, |answer| answer.kernel.registers.to_string()),
            residency.map_or_else(absent, |answer| answer.blocks_per_sm.to_string()),
            of_receipt(|receipt| receipt.elements.to_string()),
            of_receipt(|receipt| receipt.wrong.to_string()),
            of_receipt(|receipt| receipt.largest_relative.clone()),
        ];
        let read_back = |name: &str| result.as_ref().and_then(|result| result.reads.get(name)?.first().map(i64::to_string));
        cells.extend(reads.iter().map(|read| read_back(&read.name).unwrap_or_else(absent)));
        let (word, why) = ending(row, result.as_ref());
        cells.push(word.to_owned());
        rows.push(cells);
        if let Some(why) = why {
            let _ = writeln!(reasons, "  {}: {word}: {}", row.label, why.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    transcript::align(&rows, 1) + &reasons
}

/// How a row ended, in a word, and why unless it is right.
fn ending<'a>(row: &'a RowPlan, result: Option<&'a RowResult>) -> (&'static str, Option<&'a str>) {
    match result {
        Some(result) => (result.outcome.word(), result.outcome.why()),
        None => ("skipped", row.skipped.as_deref()),
    }
}
