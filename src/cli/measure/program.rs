//! Turns sweeps of programs into runs: the commands that their manifests name, on a GPU or without one.
//!
//! Must not read what they print.

use std::sync::Arc;

use anyhow::Result;

use crate::device::Machine;
use crate::device::choice::GpuChoice;
use crate::evidence::Current;
use crate::measure::journal;
use crate::measure::program::{Place, run as measure};
use crate::measure::run::GRACE;
use crate::plan::program::{HOST, ProgramJob};
use crate::plan::{Job, Work};

use super::devices::DeviceChoice;
use super::{Against, Arguments, End, Ending, Studied, Subject, Terminal, compared, conclude, settled};

/// The variable by which CUDA shows some GPUs only.
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

/// Measures those of `jobs` that are programs and need no GPU; `None` if that was interrupted.
pub(super) fn without_gpu(
    studied: &Studied,
    jobs: &[Arc<Job>],
    arguments: &Arguments,
    terminal: &mut Terminal<'_>,
) -> Result<Option<Ending>> {
    let mut ending = Ending::Fine;
    for job in jobs.iter().filter(|job| !job.needs_gpu()) {
        let Work::Program(program) = &job.work else { continue };
        match run(studied, job, program, None, arguments, terminal)? {
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

/// Measures `program`, the work of `job`, on the GPU of `machine`, or without one.
pub(super) fn run(
    studied: &Studied,
    job: &Job,
    program: &ProgramJob,
    machine: Option<&Machine>,
    arguments: &Arguments,
    terminal: &mut Terminal<'_>,
) -> Result<End> {
    let name = &job.sweep.name;
    if machine.is_some() && arguments.device != DeviceChoice::Cuda {
        writeln!(terminal.err, "{name}: a program has no stand-in; it is measured on a GPU only")?;
        return Ok(End::Problems);
    }
    if machine.is_none() && is_current(studied, job, HOST, arguments, terminal)? {
        return Ok(End::Current);
    }
    let environment = arguments.gpu.as_ref().filter(|_| machine.is_some()).and_then(visible).into_iter().collect::<Vec<_>>();
    let place = Place { machine, environment: &environment, rounds: arguments.rounds };
    let subject = Subject { sweep: name, source: &program.code.source, against: Against::default(), grace: GRACE };
    settled(studied, &subject, arguments, terminal, &mut |settings, progress| measure(job, program, &place, settings, progress))
}

/// What shows a program the chosen GPU only. A number counts among those that are shown to lessonc.
fn visible(choice: &GpuChoice) -> Option<(String, String)> {
    let shown = std::env::var(VISIBLE).ok().filter(|shown| !shown.is_empty());
    let shown = match (choice, shown) {
        (GpuChoice::First, _) => return None,
        (GpuChoice::Number(number), Some(shown)) => shown.split(',').nth(*number as usize)?.trim().to_owned(),
        (GpuChoice::Number(number), None) => number.to_string(),
        (GpuChoice::Uuid(_), _) => choice.to_string(),
    };
    Some((VISIBLE.to_owned(), shown))
}
