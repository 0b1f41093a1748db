//! Turns compile sweeps into runs, on a machine that needs NVRTC and no GPU.
//!
//! Must not run anything of the course.

use anyhow::Result;

use crate::evidence::Current;
use crate::measure::journal::Written;
use crate::measure::run::{GRACE, Settings};
use crate::measure::{Progress, Stop};
use crate::plan::{CompileJob, Job};

use super::telling::{partial, summary};
use super::{Against, Arguments, End, Ending, Studied, Subject, Terminal, settled};

/// Compiles `job`, unless its run is current; whether all is well. `None` if it was interrupted.
pub(super) fn run(
    studied: &Studied,
    job: &Job,
    compile: &CompileJob,
    arguments: &Arguments,
    terminal: &mut Terminal<'_>,
) -> Result<Option<Ending>> {
    let name = &job.sweep.name;
    let wanted = arguments.force || !arguments.rows.is_empty();
    if let (Current::Fresh(run), false) = (studied.evidence.current(job, ""), wanted) {
        writeln!(terminal.err, "{name}: {} is current; --force compiles again", run.name)?;
        return Ok(Some(Ending::Fine));
    }
    let subject = Subject { sweep: name, source: &compile.code.source, against: Against::default(), grace: GRACE };
    match settled(studied, &subject, arguments, terminal, &mut |settings, progress| compiled(job, compile, settings, progress))? {
        End::Written(written) => conclude(&written, compile, terminal).map(Some),
        End::Problems => Ok(Some(Ending::Problems)),
        End::Current => Ok(Some(Ending::Fine)),
        End::Interrupted => Ok(None),
    }
}

#[cfg(feature = "cuda")]
fn compiled(job: &Job, compile: &CompileJob, settings: &Settings<'_>, progress: &mut dyn Progress) -> Result<Written, Stop> {
    crate::measure::compiling::run(job, compile, settings, progress)
}

#[cfg(not(feature = "cuda"))]
fn compiled(_: &Job, _: &CompileJob, _: &Settings<'_>, _: &mut dyn Progress) -> Result<Written, Stop> {
    Err(Stop::Device(crate::device::DeviceError::Missing {
        what: "support for NVRTC".to_owned(),
        why: "this lessonc was built without it".to_owned(),
        remedy: "Install lessonc with its default features".to_owned(),
    }))
}

/// Prints what the compiler said. A row that an author named and that does not compile is no fact.
fn conclude(written: &Written, compile: &CompileJob, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let record = &written.record;
    summary(written, terminal)?;
    if let Some(why) = record.header.unknown.get("opcodes") {
        writeln!(terminal.err, "{}: instructions were not counted: {why}", record.header.sweep)?;
    }
    partial(record, terminal)?;
    let failed = record.compiled.iter().filter(|compiled| compiled.facts.is_none()).count();
    if failed == 0 {
        return Ok(Ending::Fine);
    }
    writeln!(terminal.err, "{}: {failed} of {} rows did not compile; the transcript says why", record.header.sweep, record.rows.len())?;
    Ok(if compile.architectures.is_some() { Ending::Problems } else { Ending::Fine })
}
