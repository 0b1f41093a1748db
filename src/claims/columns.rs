//! The columns that a measured row has: what they are called, and where their values come from.
//!
//! Turns a sweep into its ordered list of columns. Must not know any value.

use crate::base::name;
use crate::base::quantity::{Dimension, Unit};
use crate::course::columns::{BUILT_IN, BuiltIn, COMPILED, PROFILED, Standing};
use crate::course::sweep::{Kind, ProgramSweep};
use crate::plan::{CompileJob, Job, PlannedRow, ProfileJob, Work};

/// Where a column's values come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// What the row is called.
    Label,
    /// The row's own values, from the manifest.
    Own,
    /// What the launch was, and what driver and compiler say of it: exact.
    Launch,
    /// What a compiler says: exact.
    Compiled,
    /// What a profiler counted, and what limits it: over the profiled launches, where it is a counter.
    Profiled,
    /// Measured: one value a round.
    Measured,
    /// Read out of what a program printed.
    Printed,
    /// Derived by the manifest.
    Derived,
}

/// A column of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name, as expressions and tables call it.
    pub name: String,
    /// Its heading, where the page has no words of its own for it.
    pub title: String,
    /// The unit that its author wants it in; `None`: each value's own.
    pub unit: Option<Unit>,
    /// Words that explain it.
    pub about: Option<String>,
    /// Where its values come from.
    pub kind: ColumnKind,
    /// Whether its values are over rounds, in the rows that have any.
    pub measured: bool,
}

/// The columns of `job` in order: the label, the row's own values, the built-in ones, the derived ones. A name that the
/// manifest uses itself hides the built-in column.
pub(super) fn columns(job: &Job) -> Vec<Column> {
    let mut columns = vec![Column {
        name: "label".to_owned(),
        title: name::title("label"),
        unit: None,
        about: None,
        kind: ColumnKind::Label,
        measured: false,
    }];
    let rows: Vec<&PlannedRow> = match &job.work {
        Work::Compile(compile) => compile.own_rows().collect(),
        Work::Kernel(_) | Work::Profile(_) | Work::Program(_) => job.rows.iter().collect(),
    };
    for row in rows {
        for (name, value) in &row.values {
            let unit = value.number().map(|number| number.unit.clone()).filter(|unit| !unit.symbol.is_empty());
            if let Some(known) = columns.iter_mut().find(|column| column.name == *name) {
                // Where rows were written in several units, none of them is the column's.
                known.unit = known.unit.take().filter(|known| unit.as_ref() == Some(known));
            } else {
                columns.push(Column {
                    name: name.clone(),
                    title: name::title(name),
                    unit,
                    about: None,
                    kind: ColumnKind::Own,
                    measured: false,
                });
            }
        }
    }
    if let Work::Compile(compile) = &job.work {
        compiled(compile, &mut columns);
    }
    if let Kind::Program(program) = &job.sweep.kind {
        printed(program, &mut columns);
    }
    if let Work::Profile(profile) = &job.work {
        profiled(profile, &mut columns);
    }
    built_in(job, &mut columns);
    read_back(job, &mut columns);
    for column in &job.sweep.columns {
        columns.push(Column {
            name: column.name.clone(),
            title: column.title.clone().unwrap_or_else(|| column.name.clone()),
            unit: column.unit.clone().or_else(|| named_unit(&column.name)),
            about: column.about.clone(),
            kind: ColumnKind::Derived,
            measured: false,
        });
    }
    columns
}

/// Adds the columns that a launch has, as far as rows of the sweep's kind do.
fn built_in(job: &Job, columns: &mut Vec<Column>) {
    let derived = |name: &str| job.sweep.columns.iter().any(|column| column.name == name);
    // Under a profiler nothing is timed.
    let known = |column: &&BuiltIn| match job.work {
        Work::Kernel(_) => true,
        Work::Compile(_) | Work::Program(_) => false,
        Work::Profile(_) => column.standing != Standing::Measured,
    };
    for built_in in BUILT_IN.iter().filter(known) {
        if columns.iter().any(|column| column.name == built_in.name) || derived(built_in.name) || !job.sweep.has(built_in) {
            continue;
        }
        let &BuiltIn { name, standing, about } = built_in;
        let unit = if name == "ms" { Unit::scaled("ms") } else { None };
        let measured = standing == Standing::Measured;
        let kind = if measured { ColumnKind::Measured } else { ColumnKind::Launch };
        columns.push(Column { name: name.to_owned(), title: name::title(name), unit, about: Some(about.to_owned()), kind, measured });
    }
}

/// Adds the columns that every row of a compile sweep has, and those that count its instructions.
fn compiled(job: &CompileJob, columns: &mut Vec<Column>) {
    let column = |name: &str, about: String| Column {
        name: name.to_owned(),
        title: name::title(name),
        unit: None,
        about: Some(about),
        kind: ColumnKind::Compiled,
        measured: false,
    };
    columns.extend(COMPILED.iter().map(|built_in| column(built_in.name, built_in.about.to_owned())));
    columns.extend(job.sass.iter().map(|sass| {
        let ends: Vec<String> = sass.before.iter().map(ToString::to_string).collect();
        let before = if ends.is_empty() { String::new() } else { format!(" before the first {}", ends.join(" or ")) };
        column(&sass.name, format!("instructions {}{before}", sass.count))
    }));
}

/// Adds the columns that every row of a profile sweep has, and its metrics.
fn profiled(job: &ProfileJob, columns: &mut Vec<Column>) {
    let column = |name: &str, about: String, unit, measured| Column {
        name: name.to_owned(),
        title: name::title(name),
        unit,
        about: Some(about),
        kind: ColumnKind::Profiled,
        measured,
    };
    columns.extend(PROFILED.iter().map(|built_in| {
        let unit = Unit::scaled("%").filter(|_| matches!(built_in.name, "achieved" | "theoretical"));
        column(built_in.name, built_in.about.to_owned(), unit, built_in.standing == Standing::Measured)
    }));
    columns.extend(job.metrics.iter().map(|metric| column(&metric.name, format!("ncu's {}", metric.metric), metric.unit.clone(), true)));
}

/// Adds the columns that a program prints, in the order of its tables, then its values. Which table a row is of is a column
/// where there are several.
fn printed(program: &ProgramSweep, columns: &mut Vec<Column>) {
    let several = (program.tables.len() > 1).then_some(("table", None));
    let read = program.tables.iter().flat_map(|table| &table.columns).map(|column| (column.name.as_str(), column.unit.clone()));
    let values = program.values.iter().map(|value| (value.name.as_str(), value.unit.clone()));
    for (name, unit) in several.into_iter().chain(read).chain(values) {
        if columns.iter().all(|column| column.name != name) {
            let title = if name == "table" { name::title(name) } else { name.to_owned() };
            columns.push(Column { name: name.to_owned(), title, unit, about: None, kind: ColumnKind::Printed, measured: false });
        }
    }
}

/// The figures that are read back.
fn read_back(job: &Job, columns: &mut Vec<Column>) {
    for read in job.kernel().iter().flat_map(|kernel| &kernel.reads) {
        columns.push(Column {
            name: read.name.clone(),
            title: read.title.clone().unwrap_or_else(|| name::title(&read.name)),
            unit: Some(read.unit.clone()).filter(|unit| !unit.symbol.is_empty()),
            about: Some(
                read.about.clone().unwrap_or_else(|| "read back after each sample: the median of a round, over the rounds".to_owned()),
            ),
            kind: ColumnKind::Measured,
            measured: true,
        });
    }
}

/// A column that is called by a unit, such as `GB/s`, is shown in it.
fn named_unit(name: &str) -> Option<Unit> {
    Unit::parse(name).ok().filter(|unit| unit.dimension != Dimension::NONE)
}
