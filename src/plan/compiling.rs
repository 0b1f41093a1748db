//! Turns a compile sweep into kernels with their options, row by row, and into rows once the architectures are known.
//!
//! Must not know which architectures a toolkit has: those of a sweep of all come from whoever compiled it.

use crate::base::problem::{Problem, Problems};
use crate::base::quantity::Quantity;
use crate::course::sweep::{CompileSweep, KernelSpec, OptionPart, OptionSpec, SassColumn};

use super::fingerprint::code_lines;
use super::launch::Code;
use super::lines::{self, VERSION};
use super::unit::{Shelf, assemble};
use super::values::{self, Known};
use super::{OwnValue, PlannedRow};

/// The version of how facts are taken from a compiler; a change of it makes every run of compile sweeps stale.
const PROTOCOL: u32 = 1;

/// Kernels to compile.
#[derive(Debug, Clone)]
pub struct CompileJob {
    /// What is compiled; the options are the row's own.
    pub code: Code,
    /// The architectures; `None`: all that the toolkit compiles for.
    pub architectures: Option<Vec<String>>,
    /// Columns that count instructions; they don't count in the fingerprint, since a run keeps all opcodes.
    pub sass: Vec<SassColumn>,
    units: Vec<Unit>,
}

/// A kernel with its options: a row for each architecture.
#[derive(Debug, Clone)]
struct Unit {
    row: PlannedRow,
    kernel: String,
    options: Vec<String>,
}

/// One kernel for one architecture.
#[derive(Debug, Clone, PartialEq)]
pub struct CompileRow {
    /// The row, its kernel and architecture among its values.
    pub planned: PlannedRow,
    /// The kernel as the unit names it.
    pub kernel: String,
    /// The options, without the architecture.
    pub options: Vec<String>,
    /// The architecture.
    pub architecture: String,
}

impl CompileJob {
    /// The rows for `architectures`, which vary fastest. A label is the row's own, then the kernel where a sweep has several,
    /// then the architecture, joined by `-`.
    #[must_use]
    pub fn rows(&self, architectures: &[String]) -> Vec<CompileRow> {
        let of = |unit: &Unit, architecture: &String| {
            let mut planned = unit.row.clone();
            let gap = if planned.label.is_empty() { "" } else { "-" };
            planned.label = format!("{}{gap}{architecture}", planned.label);
            let text = |text: &String| OwnValue::Text(text.as_str().into());
            planned.values.extend([("kernel".to_owned(), text(&unit.kernel)), ("arch".to_owned(), text(architecture))]);
            CompileRow { planned, kernel: unit.kernel.clone(), options: unit.options.clone(), architecture: architecture.clone() }
        };
        self.units.iter().flat_map(|unit| architectures.iter().map(move |architecture| of(unit, architecture))).collect()
    }

    /// The sweep's own rows, before architectures make rows of them.
    pub fn own_rows(&self) -> impl Iterator<Item = &PlannedRow> {
        self.units.iter().map(|unit| &unit.row)
    }

    /// The lines that a run of this job is known by.
    pub(super) fn fingerprint_lines(&self) -> Vec<String> {
        let mut lines = vec![format!("lessonc fingerprint {VERSION}"), format!("compile protocol {PROTOCOL}")];
        lines.extend(code_lines(&self.code.device).into_iter().map(|line| format!("device: {line}")));
        for (name, text) in &self.code.headers {
            lines.extend(code_lines(text).into_iter().map(|line| format!("header {name}: {line}")));
        }
        match &self.architectures {
            None => lines.push("architectures all".to_owned()),
            Some(names) => {
                let mut names = names.clone();
                names.sort_unstable();
                lines.extend(names.into_iter().map(|name| format!("architecture {name}")));
            }
        }
        let mut rows: Vec<String> = self
            .units
            .iter()
            .map(|unit| format!("{}; kernel '{}'; options {}", lines::row(&unit.row), unit.kernel, unit.options.join(" ")))
            .collect();
        rows.sort_unstable();
        lines.extend(rows);
        lines
    }
}

/// The job of `sweep`, whose own rows are `rows`; none of them means that only kernel and architecture tell rows apart.
pub(super) fn job(
    sweep: &CompileSweep,
    constants: &[(String, Quantity)],
    mut rows: Vec<PlannedRow>,
    sources: &Shelf<'_>,
    problems: &mut Problems,
) -> Option<CompileJob> {
    let mut code = assemble(&sweep.unit, sources, problems)?;
    // Host regions are named to be left out; nothing of them is run.
    code.host = String::new();
    code.options = Vec::new();
    if rows.is_empty() {
        rows.push(PlannedRow { label: String::new(), values: Vec::new() });
    }
    let mut units = Vec::new();
    for row in rows {
        let known = Known::exact(constants, &row.values);
        let options: Vec<String> = sweep.options.iter().filter_map(|spec| problems.note(option(spec, &known))).collect();
        for spec in &sweep.kernels {
            let Some(kernel) = problems.note(kernel(spec, &known)) else { continue };
            let mut row = row.clone();
            if sweep.kernels.len() > 1 {
                row.label = if row.label.is_empty() { kernel.clone() } else { format!("{}-{kernel}", row.label) };
            }
            units.push(Unit { row, kernel, options: options.clone() });
        }
    }
    Some(CompileJob { code, architectures: sweep.architectures.clone(), sass: sweep.sass.clone(), units })
}

fn kernel(spec: &KernelSpec, known: &Known<'_>) -> Result<String, Problem> {
    match spec {
        KernelSpec::Name(name) => Ok(name.text().to_owned()),
        KernelSpec::Expression(expr) => values::text(expr, known),
    }
}

/// The option that `spec` gives a row.
pub(super) fn option(spec: &OptionSpec, known: &Known<'_>) -> Result<String, Problem> {
    spec.parts
        .iter()
        .map(|part| match part {
            OptionPart::Text(text) => Ok(text.clone()),
            OptionPart::Value(expr) => values::text(expr, known),
        })
        .collect()
}
