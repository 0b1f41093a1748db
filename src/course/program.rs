//! Turns the manifest of a sweep of the kind `program` into what is built and run, and what is read out of what it prints.
//!
//! Must not know values or runs.
//!
//! ```toml
//! kind = "program"
//! title = "What does a stand-alone benchmark print?"
//! source = "bench.cu"                      # from kernels/; its local headers come along
//! files = ["Makefile"]                     # what else it needs, from kernels/
//! build = ["nvcc", "-O3", "-o", "{program}", "{source}"]  # or a list of commands; [] for none; nvcc by default
//! run = ["{program}", "{threads}"]         # "{program}" by default; `{…}` is a value of the row, a constant, or
//!                                          # `program`, `source`, `architecture`, `label`; `{{` is a brace
//! device = "host"                          # for a program that needs no GPU
//!
//! [axes]                                   # or [[rows]]: a command for each; without them one command
//! threads = [128, 256]
//!
//! [tables.ceilings]                        # rows by the text in the column `label`; by default the first
//! columns = ["config", "regs", "local B", "of best"]
//! label = "config"
//! units = { "local B" = "B" }              # a column that is called by a unit is in it
//! exact = ["regs"]                         # whole numbers that must be the same in every round
//! text = ["config"]                        # never numbers
//! after = "cold cache"                     # in a line above it, where several tables have these columns
//!
//! [values.peak]                            # one text by a pattern: its group `peak`, or its only one
//! pattern = '^peak (?<peak>[\d.]+) GB/s'
//! unit = "GB/s"                            # or exact = true, or text = true
//!
//! [timing]
//! rounds = 11
//! limit_s = 300
//! ```

use std::collections::BTreeMap;

use crate::base::name::is_name;
use crate::base::pattern::Pattern;
use crate::base::problem::{Problem, Problems};
use crate::base::quantity::{Dimension, Unit};
use crate::base::slice::Slice;
use crate::base::span::Span;
use crate::base::statistics::LEAST_ROUNDS;

use super::keys::{self, Keys, unexpected};
use super::toml::{Table, Value};

/// A program to build and to run, and what to read out of its output.
#[derive(Debug, Clone)]
pub struct ProgramSweep {
    /// Its source, by its path from `kernels/`.
    pub source: String,
    /// Where the manifest names it.
    pub source_at: Span,
    /// What else it needs from `kernels/`, by path.
    pub files: Vec<(String, Span)>,
    /// The commands that build it, each as its words; by default nvcc.
    pub build: Vec<Vec<Slice>>,
    /// The words of the command of a row.
    pub run: Vec<Slice>,
    /// Whether it runs without a GPU.
    pub host: bool,
    /// Rounds, each a fresh process a row.
    pub rounds: u32,
    /// Time limit of a process, seconds.
    pub limit_s: u32,
    /// The tables that are read.
    pub tables: Vec<TableSpec>,
    /// The single values that are read.
    pub values: Vec<ValueSpec>,
}

/// A table in what a program prints.
#[derive(Debug, Clone)]
pub struct TableSpec {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// Its columns, in the order in which they are printed.
    pub columns: Vec<PrintedColumn>,
    /// Which of them names the rows.
    pub label: usize,
    /// Text of a line above it.
    pub after: Option<String>,
}

/// A column of a printed table.
#[derive(Debug, Clone)]
pub struct PrintedColumn {
    /// Its name, as it is printed.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// The unit of its numbers.
    pub unit: Option<Unit>,
    /// What its cells are.
    pub reading: Reading,
}

/// A value that a pattern finds.
#[derive(Debug, Clone)]
pub struct ValueSpec {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// The pattern.
    pub pattern: Pattern,
    /// Its unit.
    pub unit: Option<Unit>,
    /// What it is.
    pub reading: Reading,
}

/// What a printed text is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// A measured number where everything that was printed there is one, else text.
    Found,
    /// A measured number, whatever it looks like.
    Number,
    /// A whole number, the same in every round.
    Exact,
    /// Text.
    Text,
}

/// Names that expressions know already.
const RESERVED: [&str; 7] = ["device", "residency", "this", "row", "rows", "label", "table"];
/// Seconds that a process may take.
const LIMIT_S: u32 = 300;

/// Reads what the kind `program` adds to a manifest; `names` are those of its constants and axes.
pub(super) fn read(keys: &mut Keys<'_>, names: &BTreeMap<String, Span>, problems: &mut Problems) -> Option<ProgramSweep> {
    let source = keys.text("source", problems);
    let source = keys.required("source", source, problems);
    let files = keys.texts("files", problems).into_iter().map(|file| (file.text().to_owned(), file.whole())).collect();
    let host = keys.text("device", problems).is_some_and(|device| {
        if device.text() != "host" {
            let problem = Problem::error("manifest-value", device.whole(), format!("`{}` is no device of a program", device.text()));
            problems.push(problem.hint("the key is left out for a program that uses the GPU, and is `\"host\"` for one that does not"));
        }
        true
    });
    let source = source?;
    let at = source.whole();
    let build = commands(keys, "build", problems).unwrap_or_else(|| if host { Vec::new() } else { vec![default_build(&at)] });
    let run = keys.texts("run", problems);
    let run = if run.is_empty() { vec![word("{program}", &at)] } else { run };
    let mut sweep = ProgramSweep {
        source: source.text().to_owned(),
        source_at: at,
        files,
        build,
        run,
        host,
        rounds: 11,
        limit_s: LIMIT_S,
        tables: Vec::new(),
        values: Vec::new(),
    };
    if let Some(mut timing) = keys.table("timing", "`[timing]`", problems) {
        let mut number = |key: &str, least: i64, most: i64, field: &mut u32| {
            if let Some(number) = timing.integer(key, least, most, problems).and_then(|number| number.try_into().ok()) {
                *field = number;
            }
        };
        number("rounds", LEAST_ROUNDS as i64, 1000, &mut sweep.rounds);
        number("limit_s", 1, 86_400, &mut sweep.limit_s);
        timing.finish(problems);
    }
    let mut taken = names.clone();
    sweep.tables = tables(keys, &mut taken, problems);
    sweep.values = values(keys, &mut taken, problems);
    Some(sweep)
}

/// The build of a `.cu` that says nothing about it: for the card's own architecture, so that what runs is what was compiled.
fn default_build(at: &Span) -> Vec<Slice> {
    let words = ["nvcc", "-O3", "-std=c++17", "-lineinfo", "-arch={architecture}", "-o", "{program}", "{source}"];
    words.iter().map(|text| word(text, at)).collect()
}

/// A word that no author wrote, standing for what stands at `at`.
fn word(text: &str, at: &Span) -> Slice {
    Slice::verbatim(&at.file, text, at.start)
}

/// Commands under `key`: a list of words, or a list of such lists.
fn commands(keys: &mut Keys<'_>, key: &str, problems: &mut Problems) -> Option<Vec<Vec<Slice>>> {
    let item = keys.item(key)?;
    let what = format!("a list of words for `{key}`, or a list of such lists");
    let Value::Array(items) = &item.value else {
        problems.push(unexpected(item, &what));
        return Some(Vec::new());
    };
    let mut commands = Vec::new();
    let mut words = Vec::new();
    for item in items {
        match &item.value {
            Value::Text(text) => words.push(text.clone()),
            Value::Array(inner) => {
                let command: Vec<Slice> = inner.iter().filter_map(|item| problems.note(keys::text(item, &what))).collect();
                if command.is_empty() {
                    problems.push(Problem::error("manifest-value", item.at.clone(), "a command has one word at least"));
                } else {
                    commands.push(command);
                }
            }
            _ => problems.push(unexpected(item, &what)),
        }
    }
    if !words.is_empty() {
        if !commands.is_empty() {
            problems.push(Problem::error(
                "manifest-value",
                item.at.clone(),
                format!("`{key}` is one command or a list of commands, not both"),
            ));
        }
        commands = vec![words];
    }
    Some(commands)
}

/// Takes the name of a printed column or value, which no other of the sweep may have.
fn take(name: &str, at: &Span, taken: &mut BTreeMap<String, Span>, problems: &mut Problems) {
    if RESERVED.contains(&name) {
        let problem = Problem::error("manifest-name", at.clone(), format!("every row has a column `{name}` already"));
        problems.push(problem.hint("a column is called as the program prints it; print another word"));
    } else if let Some(first) = taken.get(name) {
        let problem = Problem::error("manifest-name", at.clone(), format!("`{name}` is a name of this sweep already"));
        problems.push(problem.related(first.clone(), "named here"));
    } else {
        taken.insert(name.to_owned(), at.clone());
    }
}

fn tables(keys: &mut Keys<'_>, taken: &mut BTreeMap<String, Span>, problems: &mut Problems) -> Vec<TableSpec> {
    let mut tables: Vec<TableSpec> = Vec::new();
    let Some(mut all) = keys.table("tables", "`[tables]`", problems) else { return tables };
    for (name, at, item) in all.all() {
        let Value::Table(fields) = &item.value else {
            problems.push(unexpected(item, &format!("a table for `{name}`: [tables.{name}]")));
            continue;
        };
        if !is_name(name) {
            problems.push(Problem::error("manifest-name", at.clone(), format!("`{name}` can't name a table")));
        }
        let Some(table) = table(name, at, fields, problems) else { continue };
        for (index, column) in table.columns.iter().enumerate() {
            // Tables are joined by the names of their rows, so that column may be in each of them.
            let joins = index == table.label && tables.iter().any(|other| other.columns[other.label].name == column.name);
            if !(joins || index == table.label && column.name == "label") {
                take(&column.name, &column.at, taken, problems);
            }
        }
        tables.push(table);
    }
    tables
}

fn table(name: &str, at: &Span, fields: &Table, problems: &mut Problems) -> Option<TableSpec> {
    let mut fields = Keys::of(fields, "a printed table", at.clone());
    let columns = fields.texts("columns", problems);
    let item = fields.item("columns");
    fields.required("columns", item, problems);
    let mut columns: Vec<PrintedColumn> = columns.iter().map(|name| column(name, problems)).collect();
    let label = match fields.text("label", problems) {
        None => 0,
        Some(label) => column_index(&columns, &label, problems).unwrap_or(0),
    };
    if let Some(mut units) = fields.table("units", "`units`", problems) {
        for (key, at, item) in units.all() {
            let name = Slice::verbatim(&at.file, key, at.start);
            let (index, text) = (column_index(&columns, &name, problems), problems.note(keys::text(item, "a unit in quotes")));
            if let (Some(index), Some(text)) = (index, text) {
                columns[index].unit = problems.note(unit(&text));
                columns[index].reading = Reading::Number;
            }
        }
    }
    for (key, reading) in [("exact", Reading::Exact), ("text", Reading::Text)] {
        for name in fields.texts(key, problems) {
            if let Some(index) = column_index(&columns, &name, problems) {
                columns[index].reading = reading;
            }
        }
    }
    let after = fields.string("after", problems);
    fields.finish(problems);
    (!columns.is_empty()).then(|| TableSpec { name: name.to_owned(), at: at.clone(), columns, label, after })
}

fn column(name: &Slice, problems: &mut Problems) -> PrintedColumn {
    if name.text().trim().is_empty() || name.text().trim() != name.text() {
        problems.push(Problem::error("manifest-name", name.whole(), "a column's name has no blanks around it, and is not empty"));
    }
    let unit = Unit::parse(name.text()).ok().filter(|unit| unit.dimension != Dimension::NONE);
    PrintedColumn { name: name.text().to_owned(), at: name.whole(), unit, reading: Reading::Found }
}

fn unit(text: &Slice) -> Result<Unit, Problem> {
    Unit::parse(text.text()).map_err(|why| Problem::error("manifest-unit", text.whole(), why))
}

fn column_index(columns: &[PrintedColumn], name: &Slice, problems: &mut Problems) -> Option<usize> {
    let index = columns.iter().position(|column| column.name == name.text());
    if index.is_none() {
        let problem = Problem::error("manifest-value", name.whole(), format!("`columns` has no `{}`", name.text()));
        problems.push(problem.meant(name.text(), columns.iter().map(|column| &*column.name)));
    }
    index
}

fn values(keys: &mut Keys<'_>, taken: &mut BTreeMap<String, Span>, problems: &mut Problems) -> Vec<ValueSpec> {
    let mut values = Vec::new();
    let Some(mut all) = keys.table("values", "`[values]`", problems) else { return values };
    for (name, at, item) in all.all() {
        let Value::Table(fields) = &item.value else {
            problems.push(unexpected(item, &format!("a table for `{name}`: {{ pattern = '…', unit = \"…\" }}")));
            continue;
        };
        take(name, at, taken, problems);
        let mut fields = Keys::of(fields, "a printed value", at.clone());
        let pattern = fields.text("pattern", problems);
        let pattern = fields.required("pattern", pattern, problems).and_then(|text| {
            let parsed = Pattern::parse(text.text(), name);
            problems
                .note(parsed.map_err(|why| Problem::error("manifest-pattern", text.whole(), format!("the pattern can't be used: {why}"))))
        });
        let unit = fields.text("unit", problems).and_then(|text| problems.note(unit(&text)));
        let (exact, text) = (fields.truth("exact", problems).unwrap_or(false), fields.truth("text", problems).unwrap_or(false));
        let reading = match (exact, text) {
            (true, true) => {
                problems.push(Problem::error("manifest-value", at.clone(), "a value is `exact` or `text`, not both"));
                Reading::Found
            }
            (true, false) => Reading::Exact,
            (false, true) => Reading::Text,
            (false, false) if unit.is_some() => Reading::Number,
            (false, false) => Reading::Found,
        };
        fields.finish(problems);
        values.extend(pattern.map(|pattern| ValueSpec { name: name.to_owned(), at: at.clone(), pattern, unit, reading }));
    }
    values
}

impl ProgramSweep {
    /// The names of all that is read: columns in the order of their tables, each once, then values.
    pub fn printed_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let columns = self.tables.iter().flat_map(|table| &table.columns).map(|column| column.name.as_str());
        for name in columns.chain(self.values.iter().map(|value| value.name.as_str())).filter(|name| *name != "label") {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}
