//! Turns a compile sweep into a run: every kernel with its options for every architecture, in parallel, on no GPU.
//!
//! Must not know claims or pages. Nothing that was compiled is run.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::course::sweep::{CachePolicy, TimingPolicy};
use crate::device::cuda::compile::compile;
use crate::device::cuda::examine::{Examined, Toolkit, examine};
use crate::device::{DeviceError, machine};
use crate::evidence::compiled::{CompileFacts, RowCompiled};
use crate::evidence::name;
use crate::evidence::record::{Circumstance, Header, Identity, Outcome, RowPlan, RunKind, VERSION};
use crate::plan::launch::Code;
use crate::plan::{CompileJob, CompileRow, Job};

use super::anonymous::Anonymous;
use super::journal::{Journal, Written};
use super::run::{self, Settings};
use super::{Progress, Stop};

/// What compiling the rows of a sweep came to, in their order.
pub struct Facts {
    /// The facts of each row, or what the compiler said against it.
    pub rows: Vec<Result<CompileFacts, DeviceError>>,
    /// Why there are no opcodes, where there are none.
    pub without_opcodes: Option<String>,
}

/// Compiles the rows of `job`, all that the toolkit can where the sweep asks for all, and writes the record. A run of the same
/// identity that was cut short is gone on with.
///
/// # Errors
/// Without NVRTC; when no row compiles, with the compiler's messages; when the disk refuses, or somebody asked to stop: what was
/// finished is kept then.
pub fn run(job: &Job, compile_job: &CompileJob, settings: &Settings<'_>, progress: &mut dyn Progress) -> Result<Written, Stop> {
    let toolkit = Toolkit::find()?;
    let architectures = compile_job.architectures.clone().unwrap_or_else(|| toolkit.architectures.clone());
    let rows = compile_job.rows(&architectures);
    run::chosen(rows.iter().map(|row| row.planned.label.as_str()), &job.sweep.name, settings.only_rows)?;
    let header = header(job, compile_job, settings, (&toolkit, &architectures));
    let planned = rows.iter().map(planned).collect();
    let mut journal = settings.begin(header, planned, progress)?;
    progress.phase("compiling");
    let mut first_error = None;
    let came = compile_rows(&compile_job.code, &rows, &toolkit, settings, &mut journal, &mut first_error);
    let journal = run::whole(journal, came)?;
    if let Some(error) = first_error.filter(|_| journal.record().compiled.iter().all(|compiled| compiled.facts.is_none())) {
        journal.discard()?;
        return Err(error.into());
    }
    settings.close(journal, name::FOLDER)
}

/// Compiles what `journal` lacks; whether it came to the end, which an interrupt prevents. The first complaint of a compiler
/// goes to `first_error`.
fn compile_rows(
    code: &Code,
    rows: &[CompileRow],
    toolkit: &Toolkit,
    settings: &Settings<'_>,
    journal: &mut Journal,
    first_error: &mut Option<DeviceError>,
) -> anyhow::Result<bool> {
    let asked = journal.record().asked();
    let mut left =
        asked.iter().skip(journal.record().compiled.len()).filter_map(|&index| Some((index, rows.get(index as usize)?))).peekable();
    // A unit is compiled with all of its kernels, wanted or finished, so that it is the same in every run.
    let wanted: BTreeSet<Key<'_>> = left.clone().map(|(_, row)| key(row)).collect();
    let units: Vec<Unit<'_>> = units(rows).into_iter().filter(|unit| wanted.contains(&unit.key)).collect();
    let mut examined = BTreeMap::new();
    for batch in units.chunks(rayon::current_num_threads()) {
        if settings.is_interrupted() {
            return Ok(false);
        }
        examined.extend(examine_all(code, batch, toolkit));
        // Rows stand in their order, whatever the order of their units.
        while let Some((index, row)) = left.next_if(|(_, row)| examined.contains_key(&key(row))) {
            let (facts, without_opcodes) = facts_of(row, &examined);
            if let Some(why) = without_opcodes {
                journal.unknown("opcodes", settings.anonymous.text(&why))?;
            }
            if let (Err(error), None) = (&facts, &first_error) {
                *first_error = Some(error.clone());
            }
            journal.add_compiled(compiled(index, facts, &settings.anonymous))?;
        }
    }
    Ok(true)
}

/// What tells units of the same code apart: options and architecture.
type Key<'a> = (&'a [String], &'a str);

fn key(row: &CompileRow) -> Key<'_> {
    (&row.options, &row.architecture)
}

/// What is compiled together.
struct Unit<'a> {
    key: Key<'a>,
    kernels: Vec<String>,
}

/// The units of `rows`, in the order in which rows need them first.
fn units(rows: &[CompileRow]) -> Vec<Unit<'_>> {
    let mut places: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    let mut units: Vec<Unit<'_>> = Vec::new();
    for row in rows {
        let place = *places.entry(key(row)).or_insert_with(|| {
            units.push(Unit { key: key(row), kernels: Vec::new() });
            units.len() - 1
        });
        if let Some(unit) = units.get_mut(place).filter(|unit| !unit.kernels.contains(&row.kernel)) {
            unit.kernels.push(row.kernel.clone());
        }
    }
    units
}

type ExaminedUnits<'a> = BTreeMap<Key<'a>, Result<Examined, DeviceError>>;

/// What compiling `units`, cut from `code`, came to: side by side.
fn examine_all<'a>(code: &Code, units: &[Unit<'a>], toolkit: &Toolkit) -> ExaminedUnits<'a> {
    let one = |unit: &Unit<'a>| {
        let code = Code { options: unit.key.0.to_vec(), ..code.clone() };
        let examined = compile(&code, unit.key.1, &unit.kernels).and_then(|compiled| examine(&compiled, &toolkit.disassembler));
        (unit.key, examined)
    };
    units.par_iter().map(one).collect()
}

/// The facts of `row`, and why there are no opcodes where there are none.
fn facts_of(row: &CompileRow, examined: &ExaminedUnits<'_>) -> (Result<CompileFacts, DeviceError>, Option<String>) {
    match examined.get(&key(row)) {
        Some(Ok(examined)) => {
            let silent = || DeviceError::Other(format!("nothing is known of `{}`", row.kernel));
            (examined.kernels.get(&row.kernel).cloned().ok_or_else(silent), examined.without_opcodes.clone())
        }
        Some(Err(error)) => (Err(error.clone()), None),
        None => (Err(DeviceError::Other("it was not compiled".to_owned())), None),
    }
}

/// The facts of `rows`, cut from `code`. Rows of equal options and architecture are compiled together, and such units in
/// parallel.
#[must_use]
pub fn facts(code: &Code, rows: &[CompileRow], toolkit: &Toolkit) -> Facts {
    let examined = examine_all(code, &units(rows), toolkit);
    let (rows, reasons): (Vec<_>, Vec<_>) = rows.iter().map(|row| facts_of(row, &examined)).unzip();
    Facts { rows, without_opcodes: reasons.into_iter().flatten().next() }
}

fn header(job: &Job, compile_job: &CompileJob, settings: &Settings<'_>, (toolkit, architectures): (&Toolkit, &[String])) -> Header {
    let mut unknown = BTreeMap::new();
    let circumstance = machine::circumstance("nvrtc", &mut unknown);
    let (commit, dirty) = super::course_state::commit(settings.root, &mut unknown);
    Header {
        version: VERSION,
        sweep: job.sweep.name.clone(),
        kind: RunKind::Compile,
        device: format!("nvrtc-{}", toolkit.nvrtc),
        started: (settings.now)(),
        identity: identity(job, toolkit, architectures),
        circumstance: Circumstance { commit, dirty, only_rows: settings.only_rows.to_vec(), ..circumstance },
        order_seed: 0,
        fingerprint_lines: job.fingerprint.lines.clone(),
        code: compile_job.code.clone(),
        logs: BTreeMap::new(),
        unknown,
    }
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
