//! Turns compile sweeps into runs, on a machine that needs NVRTC and no GPU.
//!
//! Must not run anything of the course.

use anyhow::Result;

use crate::device::DeviceError;
use crate::evidence::{Current, transcript};
use crate::measure::journal::Written;
use crate::measure::{Stop, compile_log};
use crate::plan::{CompileJob, Job};

use super::{Arguments, Ending, Studied, Terminal};

/// Compiles `job`, unless its run is current; whether all is well.
pub(super) fn run(
    studied: &Studied,
    job: &Job,
    compile: &CompileJob,
    arguments: &Arguments,
    terminal: &mut Terminal<'_>,
) -> Result<Ending> {
    let name = &job.sweep.name;
    if let (Current::Fresh(run), false) = (studied.evidence.current(job, ""), arguments.force) {
        writeln!(terminal.err, "{name}: {} is current; --force compiles again", run.name)?;
        return Ok(Ending::Fine);
    }
    writeln!(terminal.err, "{name}: compiling")?;
    match compiled(studied, job, compile) {
        Ok(written) => conclude(&written, compile, terminal),
        Err(Stop::Device(DeviceError::Compile { compiler, log })) => {
            studied.report(&compile_log::problems(&compiler, &log, &compile.code.source, &studied.tree), terminal)?;
            Ok(Ending::Problems)
        }
        Err(stop) => Err(stop.into_error().context(format!("cannot compile {name}"))),
    }
}

#[cfg(feature = "cuda")]
fn compiled(studied: &Studied, job: &Job, compile: &CompileJob) -> Result<Written, Stop> {
    use crate::measure::compiling::{Place, run};
    let now = || crate::measure::time_text(chrono::Utc::now());
    run(job, compile, &Place { root: &studied.folder.root, now: &now, anonymous: super::Anonymous::here() })
}

#[cfg(not(feature = "cuda"))]
fn compiled(_: &Studied, _: &Job, _: &CompileJob) -> Result<Written, Stop> {
    Err(Stop::Device(DeviceError::Missing {
        what: "support for NVRTC".to_owned(),
        why: "this lessonc was built without it".to_owned(),
        remedy: "Install lessonc with its default features".to_owned(),
    }))
}

/// Prints what the compiler said. A row that an author named and that does not compile is no fact.
fn conclude(written: &Written, compile: &CompileJob, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let record = &written.record;
    writeln!(terminal.out, "{}", record.header.sweep)?;
    terminal.out.write_all(transcript::table(record).as_bytes())?;
    writeln!(terminal.out, "record {}\ntranscript {}", written.record_name, written.transcript_name)?;
    if let Some(why) = record.header.unknown.get("opcodes") {
        writeln!(terminal.err, "{}: instructions were not counted: {why}", record.header.sweep)?;
    }
    let failed = record.compiled.iter().filter(|compiled| compiled.facts.is_none()).count();
    if failed == 0 {
        return Ok(Ending::Fine);
    }
    writeln!(terminal.err, "{}: {failed} of {} rows did not compile; the transcript says why", record.header.sweep, record.rows.len())?;
    Ok(if compile.architectures.is_some() { Ending::Problems } else { Ending::Fine })
}
