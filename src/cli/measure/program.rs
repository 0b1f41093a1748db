//! Turns sweeps of programs into runs: the commands that their manifests name, on a GPU or without one.
//!
//! Must not read what they print.

use std::sync::Arc;

use anyhow::Result;

use crate::device::Machine;
use crate::evidence::Current;
use crate::measure::journal;
use crate::plan::program::HOST;
use crate::plan::{Job, Work};

use super::devices::DeviceChoice;
use super::{Arguments, End, Ending, Studied, Terminal, compared, conclude, measured};

/// Measures those of `jobs` that are programs and need no GPU; `None` if that was interrupted.
pub(super) fn without_gpu(
    studied: &Studied,
    jobs: &[Arc<Job>],
    arguments: &Arguments,
    terminal: &mut Terminal<'_>,
) -> Result<Option<Ending>> {
    let mut ending = Ending::Fine;
    for job in jobs.iter().filter(|job| !job.needs_gpu()) {
        let Work::Program(_) = &job.work else { continue };
        match run(studied, job, None, arguments, terminal)? {
            End::Written(written) => {
                ending = ending.and(conclude(&written, job, terminal)?);
                compared(*written, job, &studied.evidence.current(job, HOST), terminal)?;
            }
            End::Problems => ending = Ending::Problems,
            End::Current => {}
            End::Interrupted => return Ok(None),
        }
    }
    Ok(Some(ending))
}

/// Whether `job` has a current run on `device` and no other is asked for; says so.
pub(super) fn is_current(studied: &Studied, job: &Job, device: &str, arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<bool> {
    let name = &job.sweep.name;
    let wanted = arguments.force || !arguments.rows.is_empty();
    let (Current::Fresh(run), false) = (studied.evidence.current(job, device), wanted) else { return Ok(false) };
    let cut_short = journal::cut_short(&studied.folder.root, name, device);
    let also = cut_short.map(|(done, all)| format!(", and goes on with the run that was cut short at {done} of {all} rows"));
    writeln!(terminal.err, "{name}: {} is current on {device}; --force measures again{}", run.name, also.unwrap_or_default())?;
    Ok(true)
}

/// Measures `job`, a program, on the GPU of `machine`, or without one.
pub(super) fn run(
    studied: &Studied,
    job: &Arc<Job>,
    machine: Option<&Machine>,
    arguments: &Arguments,
    terminal: &mut Terminal<'_>,
) -> Result<End> {
    if machine.is_some() && arguments.device != DeviceChoice::Cuda {
        writeln!(terminal.err, "{}: a program has no stand-in; it is measured on a GPU only", job.sweep.name)?;
        return Ok(End::Problems);
    }
    if machine.is_none() && is_current(studied, job, HOST, arguments, terminal)? {
        return Ok(End::Current);
    }
    measured(studied, job, machine, None, arguments, terminal)
}
