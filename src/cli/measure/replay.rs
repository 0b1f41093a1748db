//! Turns a record into itself through all of measuring, and compares the two.
//!
//! Must not make evidence.

use anyhow::{Result, bail};

use crate::base::name::did_you_mean;
use crate::device::Device;
use crate::device::replay::Replay;
use crate::evidence::lines;
use crate::measure::experiment::Experiment;
use crate::measure::run::GRACE;
use crate::measure::worker::Worker;

use super::super::{Ending, Terminal};
use super::course::Studied;
use super::devices::Start;
use super::one::{self, Against};
use super::{Arguments, End, told};

/// Plays the record `name` back through all of measuring, and compares.
pub(super) fn replay(studied: &Studied, name: &str, arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let Some(run) = studied.evidence.run(name) else {
        let names: Vec<&str> = studied.evidence.all().map(|run| run.stem()).collect();
        bail!("there is no run `{name}` in this course's evidence; {}", did_you_mean(name, names).unwrap_or_default());
    };
    let Some(job) = studied.plan.jobs.get(run.sweep()) else { bail!("the course has no sweep `{}` that could be planned", run.sweep()) };
    if !arguments.sweeps.is_empty() && arguments.sweeps != [run.sweep()] {
        bail!("{} is a run of {}", run.name, run.sweep());
    }
    if !run.is_complete() {
        bail!("{} was interrupted and can't be replayed", run.name);
    }
    if run.record.header.identity.fingerprint != job.fingerprint.digest {
        bail!("{} is a run of other code; `lessonc verify --explain {}` shows what differs", run.name, run.sweep());
    }
    let Some(kernel) = job.kernel() else { bail!("{} is no run of a kernel, and can't be played back", run.name) };
    let experiment = Experiment::of(job, kernel, Some(run.record.header.identity.timing.rounds));
    let record = run.record.clone();
    let start = move |round| Ok(Worker::Here(Box::new(Replay::new(record.clone(), round)) as Box<dyn Device>));
    let mut workers = Start { start: Box::new(start), grace: GRACE };
    let against = Against { recorded: None, replayed: Some(run) };
    let manner = arguments.manner(studied);
    let launched = told(studied, &experiment.sweep, &experiment.code.source, terminal, |progress| {
        one::launch(studied, &experiment, &mut workers, against, &manner, progress)
    });
    let End::Written(written) = launched? else {
        return Ok(Ending::Problems);
    };
    let mut again = written.record.clone();
    // Records are written as of today's version, and tell the same as one of an earlier version.
    again.header.version = run.record.header.version;
    again.header.started.clone_from(&run.record.header.started);
    again.header.circumstance.replayed.clone_from(&run.record.header.circumstance.replayed);
    let (recorded, replayed) = (lines::print_body(&run.record), lines::print_body(&again));
    writeln!(terminal.out, "replay {}", written.record_name)?;
    match recorded.lines().zip(replayed.lines()).position(|(a, b)| a != b) {
        None if recorded.len() == replayed.len() => {
            writeln!(terminal.out, "equal to {} in every line", run.name)?;
            Ok(Ending::Fine)
        }
        line => {
            let line = line.unwrap_or_else(|| recorded.lines().count().min(replayed.lines().count()));
            writeln!(terminal.out, "differs from {} from line {} on", run.name, line + 1)?;
            Ok(Ending::Problems)
        }
    }
}
