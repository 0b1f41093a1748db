//! Turns compile sweeps into runs, on a machine that needs NVRTC and no GPU.
//!
//! Must not run anything of the course.

use std::sync::Arc;

use anyhow::Result;

use crate::evidence::Current;
use crate::measure::journal::Written;
use crate::plan::{CompileJob, Job};

use super::telling::{partial, summary};
use super::{Arguments, End, Ending, Studied, Terminal, measured};

/// Compiles `job`, unless its run is current; whether all is well. `None` if it was interrupted.
pub(super) fn run(
    studied: &Studied,
    job: &Arc<Job>,
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
    match measured(studied, job, None, None, arguments, terminal)? {
        End::Written(written) => conclude(&written, compile, terminal).map(Some),
        End::Problems => Ok(Some(Ending::Problems)),
        End::Current => Ok(Some(Ending::Fine)),
        End::Interrupted => Ok(None),
    }
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
