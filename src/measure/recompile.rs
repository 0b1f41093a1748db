//! Turns a record into what its compiler says of the same code today: it must be the same.
//!
//! Must not know whether anybody minds. Needs no GPU; a record is compared only with the version of NVRTC that it names.

use crate::device::DeviceError;
use crate::device::cuda::examine::Toolkit;
use crate::evidence::compiled::CompileFacts;
use crate::evidence::record::{Record, RunKind};
use crate::plan::{CompileJob, CompileRow, Job, PlannedRow, Work};

use super::compiling;

/// What compiling again came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Again {
    /// Rows that were compiled again.
    pub rows: usize,
    /// Rows of the record, by index, of which the compiler says something else now.
    pub differences: Vec<(usize, String)>,
    /// Why instructions were not compared, where the record has counted some.
    pub unchecked: Option<String>,
}

/// Compiles the rows of `record`, a run of `job` as it is now, again with `toolkit`.
#[must_use]
pub fn again(job: &Job, record: &Record, toolkit: &Toolkit) -> Again {
    match &job.work {
        Work::Compile(compile) => compiled(compile, record, toolkit),
        // What was profiled was launched, too.
        Work::Kernel(_) | Work::Profile(_) => launched(record, toolkit),
        // A program brings a compiler of its own.
        Work::Program(_) => Again::default(),
    }
}

/// Every fact of a compile sweep.
fn compiled(job: &CompileJob, record: &Record, toolkit: &Toolkit) -> Again {
    let rows = job.rows(&record.architectures());
    let facts = compiling::facts(&job.code, &rows, toolkit);
    // Another disassembler may spell an opcode otherwise.
    let same_names = toolkit.disassembler.as_ref().ok().map(|one| &one.version) == record.header.identity.disassembler.as_ref();
    let mut again = Again { rows: rows.len(), ..Again::default() };
    if let (Some(then), false) = (&record.header.identity.disassembler, same_names) {
        again.unchecked = Some(match &toolkit.disassembler {
            Ok(now) => format!("they were listed by {then}, and {} is installed here", now.version),
            Err(error) => format!("they were listed by {then}; {error}"),
        });
    }
    for (row, now) in rows.iter().zip(&facts.rows) {
        let Some(index) = record.row_index(&row.planned.label) else { continue };
        let difference = match (record.compile_facts(index), now) {
            (Some(then), Ok(now)) => difference(then, now, same_names),
            (None, Err(_)) => None,
            (Some(_), Err(error)) => Some(format!("it does not compile any more: {error}")),
            (None, Ok(_)) => Some("it compiles now, and the record says that it does not".to_owned()),
        };
        again.differences.extend(difference.map(|what| (index, what)));
    }
    again
}

/// What driver and compiler both know of the kernels that were launched: registers, local and static shared memory.
fn launched(record: &Record, toolkit: &Toolkit) -> Again {
    let (code, identity) = (&record.header.code, &record.header.identity);
    let planned = record.rows.iter().enumerate().filter_map(|(index, row)| {
        let (launch, residency) = (row.launch.as_ref()?, row.residency.as_ref()?);
        let planned = PlannedRow { label: row.label.clone(), values: Vec::new() };
        let kernel = launch.shape.kernel.clone();
        let options = code.options.iter().chain(&launch.shape.options).cloned().collect();
        Some(((index, &residency.kernel), CompileRow { planned, kernel, options, architecture: identity.architecture.clone() }))
    });
    let (places, rows): (Vec<_>, Vec<_>) = planned.unzip();
    let facts = compiling::facts(code, &rows, toolkit);
    let mut again = Again { rows: rows.len(), ..Again::default() };
    for ((index, then), now) in places.into_iter().zip(facts.rows) {
        let difference = match now {
            Ok(now) => first_difference([
                ("registers", then.registers, now.registers),
                // A driver may round up what a thread gets.
                ("local memory", then.local_bytes.next_multiple_of(16), now.stack_bytes.next_multiple_of(16)),
                ("static shared memory", then.static_shared_bytes, now.static_shared_bytes),
            ]),
            Err(error) => Some(format!("it does not compile any more: {error}")),
        };
        again.differences.extend(difference.map(|what| (index, what)));
    }
    again
}

fn first_difference<const N: usize>(parts: [(&str, u32, u32); N]) -> Option<String> {
    let different = parts.into_iter().find(|(_, then, now)| then != now);
    different.map(|(what, then, now)| format!("{what}: {then} then, {now} now"))
}

fn difference(then: &CompileFacts, now: &CompileFacts, same_names: bool) -> Option<String> {
    let number = first_difference([
        ("registers", then.registers, now.registers),
        ("stack", then.stack_bytes, now.stack_bytes),
        ("spill stores", then.spill_store_bytes, now.spill_store_bytes),
        ("spill loads", then.spill_load_bytes, now.spill_load_bytes),
        ("static shared memory", then.static_shared_bytes, now.static_shared_bytes),
        ("constant memory", then.const_bytes, now.const_bytes),
    ]);
    let opcodes = || {
        let (then, now) = (then.opcodes.as_ref()?, now.opcodes.as_ref()?);
        (same_names && then != now).then(|| format!("the code had {} instructions, and has other ones, {}", then.len(), now.len()))
    };
    number.or_else(opcodes)
}

/// The toolkit of this machine, if it is the one that `record` was compiled with.
///
/// # Errors
/// Why not: one sentence.
pub fn matching<'a>(record: &Record, toolkit: &'a Result<Toolkit, DeviceError>) -> Result<&'a Toolkit, String> {
    let toolkit = toolkit.as_ref().map_err(ToString::to_string)?;
    match &record.header.identity.nvrtc {
        Some(version) if *version == toolkit.nvrtc => Ok(toolkit),
        Some(version) => Err(format!("it is of NVRTC {version}, and {} is installed here", toolkit.nvrtc)),
        None if record.header.kind == RunKind::Program => {
            Err("a program brings a compiler of its own, and is not built by `verify`".to_owned())
        }
        None => Err("it names no NVRTC".to_owned()),
    }
}
