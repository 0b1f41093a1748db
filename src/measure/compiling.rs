//! Turns a compile sweep into a run: every kernel with its options for every architecture, in parallel, on no GPU.
//!
//! Must not know claims or pages. Nothing that was compiled is run.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;

use crate::course::sweep::{CachePolicy, TimingPolicy};
use crate::device::cuda::compile::compile;
use crate::device::cuda::examine::{Examined, Toolkit, examine};
use crate::device::{DeviceError, machine};
use crate::evidence::compiled::{CompileFacts, RowCompiled};
use crate::evidence::record::{Circumstance, Header, Identity, Outcome, Record, RowPlan, RunKind, VERSION};
use crate::plan::launch::Code;
use crate::plan::{CompileJob, CompileRow, Job};

use super::Stop;
use super::anonymous::Anonymous;
use super::journal::{self, Written};

/// Where a run of compiling takes place.
pub struct Place<'a> {
    /// The course.
    pub root: &'a Path,
    /// The time now, as records write it.
    pub now: &'a dyn Fn() -> String,
    /// Keeps names out of the record.
    pub anonymous: Anonymous,
}

/// What compiling the rows of a sweep came to, in their order.
pub struct Facts {
    /// The facts of each row, or what the compiler said against it.
    pub rows: Vec<Result<CompileFacts, DeviceError>>,
    /// Why there are no opcodes, where there are none.
    pub without_opcodes: Option<String>,
}

/// Compiles the rows of `job`, all that the toolkit can where the sweep asks for all, and writes the record.
///
/// # Errors
/// Without NVRTC; when no row compiles, with the compiler's messages; when the disk refuses.
pub fn run(job: &Job, compile_job: &CompileJob, place: &Place<'_>) -> Result<Written, Stop> {
    let toolkit = Toolkit::find()?;
    let architectures = compile_job.architectures.clone().unwrap_or_else(|| toolkit.architectures.clone());
    let rows = compile_job.rows(&architectures);
    let started = (place.now)();
    let facts = facts(&compile_job.code, &rows, &toolkit);
    if facts.rows.iter().all(Result::is_err)
        && let Some(Err(error)) = facts.rows.first()
    {
        return Err(error.clone().into());
    }
    let mut unknown = BTreeMap::new();
    let circumstance = machine::circumstance("nvrtc", &mut unknown);
    let (commit, dirty) = super::course_state::commit(place.root, &mut unknown);
    unknown.extend(facts.without_opcodes.as_ref().map(|why| ("opcodes".to_owned(), place.anonymous.text(why))));
    let circumstance = Circumstance { commit, dirty, ..circumstance };
    let header = Header {
        version: VERSION,
        sweep: job.sweep.name.clone(),
        kind: RunKind::Compile,
        device: format!("nvrtc-{}", toolkit.nvrtc),
        started,
        identity: identity(job, &toolkit, &architectures),
        circumstance,
        order_seed: 0,
        fingerprint_lines: job.fingerprint.lines.clone(),
        code: compile_job.code.clone(),
        logs: BTreeMap::new(),
        unknown,
    };
    let compiled = (0..).zip(facts.rows).map(|(row, facts)| compiled(row, facts, &place.anonymous)).collect();
    let record = Record { compiled, ..Record::begun(header, rows.iter().map(planned).collect()) };
    Ok(journal::write(place.root, record, (place.now)())?)
}

/// The facts of `rows`, cut from `code`. Rows of equal options and architecture are compiled together, and such units in
/// parallel.
#[must_use]
pub fn facts(code: &Code, rows: &[CompileRow], toolkit: &Toolkit) -> Facts {
    let mut units: BTreeMap<(&[String], &str), Vec<String>> = BTreeMap::new();
    for row in rows {
        let kernels = units.entry((&row.options, &row.architecture)).or_default();
        if !kernels.contains(&row.kernel) {
            kernels.push(row.kernel.clone());
        }
    }
    let units: Vec<_> = units.into_iter().collect();
    let examined: BTreeMap<_, Result<Examined, DeviceError>> = units
        .par_iter()
        .map(|((options, architecture), kernels)| {
            let code = Code { options: options.to_vec(), ..code.clone() };
            let examined = compile(&code, architecture, kernels).and_then(|compiled| examine(&compiled, &toolkit.disassembler));
            ((*options, *architecture), examined)
        })
        .collect();
    let mut without_opcodes = None;
    let of = |row: &CompileRow| match examined.get(&(row.options.as_slice(), row.architecture.as_str())) {
        Some(Ok(examined)) => {
            if without_opcodes.is_none() {
                without_opcodes.clone_from(&examined.without_opcodes);
            }
            let silent = || DeviceError::Other(format!("nothing is known of `{}`", row.kernel));
            examined.kernels.get(&row.kernel).cloned().ok_or_else(silent)
        }
        Some(Err(error)) => Err(error.clone()),
        None => Err(DeviceError::Other("it was not compiled".to_owned())),
    };
    let rows = rows.iter().map(of).collect();
    Facts { rows, without_opcodes }
}

fn compiled(row: u32, facts: Result<CompileFacts, DeviceError>, anonymous: &Anonymous) -> RowCompiled {
    match facts {
        Ok(facts) => RowCompiled { row, outcome: Outcome::Ok, facts: Some(facts) },
        Err(error) => RowCompiled { row, outcome: Outcome::Skipped(anonymous.text(&in_short(&error))), facts: None },
    }
}

/// The first thing that a compiler complains of.
fn in_short(error: &DeviceError) -> String {
    match error {
        DeviceError::Compile { compiler, log } => {
            let line = log.lines().find(|line| line.contains("error")).or_else(|| log.lines().next());
            format!("{compiler} rejects it: {}", line.unwrap_or_default().trim())
        }
        other => other.to_string(),
    }
}

fn planned(row: &CompileRow) -> RowPlan {
    RowPlan {
        label: row.planned.label.clone(),
        values: row.planned.values.iter().map(|(name, value)| (name.clone(), value.to_exact_text())).collect(),
        launch: None,
        residency: None,
        launches_per_sample: 1,
        command: Vec::new(),
        skipped: None,
        data: 0,
        reads: Vec::new(),
    }
}

/// What must be equal for two runs of compiling to be comparable; nothing is timed.
fn identity(job: &Job, toolkit: &Toolkit, architectures: &[String]) -> Identity {
    Identity {
        gpu: None,
        memory_clock_mhz: None,
        driver_branch: None,
        driver_cuda: None,
        nvrtc: Some(toolkit.nvrtc.clone()),
        toolkit: None,
        profiler: None,
        disassembler: toolkit.disassembler.as_ref().ok().map(|disassembler| disassembler.version.clone()),
        host_compiler: None,
        architecture: architectures.join(" "),
        compile_options: Vec::new(),
        fingerprint: job.fingerprint.digest,
        buffers: Vec::new(),
        inputs: Vec::new(),
        check: None,
        other_data: Vec::new(),
        timing: TimingPolicy { cache: CachePolicy::Warm, rounds: 1, samples: 1, warmup_ms: 0, limit_s: 1, time: true },
        flush_bytes: None,
    }
}
