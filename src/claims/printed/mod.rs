//! Turns what a program printed, round by round, into rows and values: by its tables' labels, its columns, its patterns.
//!
//! Must not know sentences or pages. What is missing in a round is a lost round, and a trouble that is said.

mod cells;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;
use crate::course::sweep::{PrintedColumn, ProgramSweep, TableSpec};
use crate::evidence::Run;
use crate::evidence::output::Output;
use crate::evidence::printed::table::{self, Table, Wanted};
use crate::evidence::printed::{Trouble, value};
use crate::evidence::record::Outcome;
use crate::expr::{Absent, Value};
use crate::plan::Job;

use super::row::Rounds;

use self::cells::{Cell, Cells, Wish};

/// What a run of a program gives.
pub(super) struct Printed {
    /// The rows, in the order in which they were printed.
    pub(super) rows: Vec<PrintedRow>,
    /// The values of a program that is one command: names of the sweep.
    pub(super) values: BTreeMap<String, Result<Value, Absent>>,
    /// What could not be read.
    pub(super) problems: Vec<Problem>,
}

/// A row.
pub(super) struct PrintedRow {
    /// What it is called.
    pub(super) label: String,
    /// How its rounds ended.
    pub(super) rounds: Rounds,
    /// Its columns by name; those of the plan among them.
    pub(super) columns: BTreeMap<String, Result<Value, Absent>>,
}

/// The outcome of a round in which the program ran and a row was not printed, or not so that it could be read.
const UNREAD: &str = "unread";

/// Reads `run`, a run of `job`, as `program` says.
pub(super) fn read(job: &Job, program: &ProgramSweep, run: &Run) -> Printed {
    let rounds = run.record.header.identity.timing.rounds as usize;
    let mut reader = Reader { program, run, rounds, problems: Problems::new() };
    let has_rows = !job.sweep.axes.is_empty() || !job.sweep.explicit_rows.is_empty();
    let mut drafts: Vec<Draft> = Vec::new();
    let mut alone = BTreeMap::new();
    for planned in &job.rows {
        let Some(index) = run.record.row_index(&planned.label) else { continue };
        let command = reader.command(index);
        if !has_rows {
            alone.clone_from(&command.values);
        }
        let prefix = has_rows.then_some(planned.label.as_str());
        let own: BTreeMap<String, Result<Value, Absent>> =
            planned.values.iter().map(|(name, value)| (name.clone(), Ok(value.value()))).collect();
        drafts.extend(reader.rows(&command, prefix, &planned.label).into_iter().map(|mut draft| {
            draft.own.extend(own.clone());
            draft
        }));
    }
    reader.finish(drafts, alone)
}

/// A row before its cells are understood.
struct Draft {
    label: String,
    rounds: Rounds,
    own: BTreeMap<String, Result<Value, Absent>>,
    cells: BTreeMap<String, Cells>,
}

/// What one command printed in all rounds.
struct Command {
    /// For each round why it is lost, if it is.
    lost: Vec<Option<(String, String)>>,
    /// For each table its reading in each round that is not lost.
    tables: Vec<Vec<Option<Result<Table, Trouble>>>>,
    /// For each value its text in each round.
    values: BTreeMap<String, Cells>,
}

struct Reader<'a> {
    program: &'a ProgramSweep,
    run: &'a Run,
    rounds: usize,
    problems: Problems,
}

impl Reader<'_> {
    /// Reads all that the command of the record's row `index` printed.
    fn command(&mut self, index: usize) -> Command {
        let mut outputs: Vec<Option<&Output>> = vec![None; self.rounds];
        for output in self.run.record.outputs_of(index) {
            if let Some(place) = (output.round as usize).checked_sub(1).and_then(|round| outputs.get_mut(round)) {
                *place = Some(output);
            }
        }
        let lost = |output: &Option<&Output>| match output {
            Some(output) if output.outcome == Outcome::Ok => None,
            Some(output) => Some((output.outcome.word().to_owned(), output.outcome.why().unwrap_or_default().to_owned())),
            None => Some(("missing".to_owned(), "the round was not run".to_owned())),
        };
        let lost: Vec<_> = outputs.iter().map(lost).collect();
        let printed =
            || outputs.iter().zip(&lost).map(|(output, lost)| output.filter(|_| lost.is_none()).map(|output| output.stdout.as_str()));
        let read = |spec: &TableSpec| printed().map(|text| text.map(|text| table::read(text, &wanted(spec)))).collect::<Vec<_>>();
        let tables: Vec<_> = self.program.tables.iter().map(read).collect();
        let mut values = BTreeMap::new();
        for spec in &self.program.values {
            let found: Vec<_> = printed().map(|text| text.map(|text| value::read(&spec.pattern, text))).collect();
            let troubles = found.iter().enumerate().filter_map(|(round, found)| Some((round, found.as_ref()?.as_ref().err()?)));
            let troubles: Vec<(usize, Trouble)> = troubles.map(|(round, trouble)| (round, trouble.clone())).collect();
            let tried = found.iter().flatten().count();
            self.trouble(&spec.at, &format!("the value `{}`", spec.name), &troubles, tried, index);
            let cells = found.into_iter().zip(&lost).map(|(found, lost)| match (found, lost) {
                (Some(Ok(captured)), _) => Ok(Cell { text: captured.text, line: captured.line, unit: None }),
                (Some(Err(trouble)), _) => Err(trouble.to_string()),
                (None, lost) => Err(lost.as_ref().map(|(word, why)| format!("{word}: {why}")).unwrap_or_default()),
            });
            values.insert(spec.name.clone(), cells.collect());
        }
        for (spec, read) in self.program.tables.iter().zip(&tables) {
            let mut troubles = Vec::new();
            for (round, table) in read.iter().enumerate() {
                match table {
                    Some(Ok(table)) => troubles.extend(table.troubles.first().map(|trouble| (round, trouble.clone()))),
                    Some(Err(trouble)) => troubles.push((round, trouble.clone())),
                    None => {}
                }
            }
            let tried = read.iter().flatten().count();
            self.trouble(&spec.at, &format!("the table `{}`", spec.name), &troubles, tried, index);
        }
        Command { lost, tables, values }
    }

    /// The rows that `command` printed, their labels behind `prefix`; without tables the command itself, `alone`.
    fn rows(&self, command: &Command, prefix: Option<&str>, alone: &str) -> Vec<Draft> {
        let mut labels: Vec<&str> = Vec::new();
        for table in command.tables.iter().flatten().flatten().filter_map(|table| table.as_ref().ok()) {
            for row in &table.rows {
                if !labels.contains(&row.label.as_str()) {
                    labels.push(&row.label);
                }
            }
        }
        if self.program.tables.is_empty() {
            labels.push(alone);
        }
        labels.into_iter().map(|label| self.draft(command, prefix, label)).collect()
    }

    /// The row `label` of what `command` printed.
    fn draft(&self, command: &Command, prefix: Option<&str>, label: &str) -> Draft {
        let mut cells = command.values.clone();
        let mut own = BTreeMap::new();
        for (spec, read) in self.program.tables.iter().zip(&command.tables) {
            let has = |table: &Table| table.rows.iter().any(|row| row.label == label);
            if !read.iter().flatten().flatten().any(has) {
                continue;
            }
            own.entry("table".to_owned()).or_insert_with(|| Ok(Value::Text(spec.name.as_str().into())));
            for (at, column) in spec.columns.iter().enumerate() {
                let column_cells = (0..self.rounds).map(|round| cell(command, (spec, read), round, label, at)).collect();
                cells.insert(column.name.clone(), column_cells);
            }
        }
        let rounds = outcomes(command, &cells, self.rounds);
        let label = match prefix {
            Some(prefix) if !self.program.tables.is_empty() => format!("{prefix} {label}"),
            _ => label.to_owned(),
        };
        Draft { label, rounds, own, cells }
    }

    /// Says what could not be read: an error where no round could be, else a warning.
    fn trouble(&mut self, at: &Span, what: &str, troubles: &[(usize, Trouble)], tried: usize, row: usize) {
        let Some((round, first)) = troubles.first() else { return };
        let message = format!("{what} can't be read in {} of {tried} rounds; in round {}, {first}", troubles.len(), round + 1);
        let problem = if troubles.len() == tried {
            Problem::error("printed-unread", at.clone(), message)
        } else {
            Problem::warning("printed-unread", at.clone(), message)
        };
        let related = place(self.run, row, round + 1, first.line);
        self.problems.push(problem.related(related, format!("what it printed in round {}", round + 1)));
    }

    /// Understands the cells of all rows, column by column.
    fn finish(mut self, drafts: Vec<Draft>, alone: BTreeMap<String, Cells>) -> Printed {
        let columns = self.program.tables.iter().flat_map(|table| {
            table.columns.iter().enumerate().map(|(at, column)| (column.name.as_str(), wish(column, at == table.label), Some(&column.at)))
        });
        let values = self.program.values.iter().map(|value| {
            let wish = Wish { reading: value.reading, unit: value.unit.clone(), is_label: false };
            (value.name.as_str(), wish, None)
        });
        let wishes: Vec<(&str, Wish, Option<&Span>)> = columns.chain(values).collect();
        let mut understood: BTreeMap<&str, Wish> = BTreeMap::new();
        for (name, wish, at) in wishes {
            let all = || drafts.iter().filter_map(|draft| draft.cells.get(name)).chain(alone.get(name)).flatten();
            let wish = wish.settled(all().filter_map(|cell| cell.as_ref().ok()));
            if let (Some(at), Some(why)) = (at, cells::nothing(&wish, all())) {
                let message = format!("no cell of the column `{name}` can be read; the first: {why}");
                self.problems.push(Problem::error("printed-unread", at.clone(), message));
            }
            understood.entry(name).or_insert(wish);
        }
        let run = &self.run.name;
        let over = |title: &str, cells: &BTreeMap<String, Cells>| -> BTreeMap<String, Result<Value, Absent>> {
            let one = |(name, cells): (&String, &Cells)| {
                Some((name.clone(), cells::over_rounds(title, name, understood.get(name.as_str())?, cells, run)))
            };
            cells.iter().filter_map(one).collect()
        };
        let sweep = self.run.sweep();
        let rows = drafts.into_iter().map(|draft| {
            let mut columns = over(&format!("row {} of {sweep}", draft.label), &draft.cells);
            columns.extend(draft.own);
            PrintedRow { label: draft.label, rounds: draft.rounds, columns }
        });
        let rows = rows.collect();
        Printed { rows, values: over(sweep, &alone), problems: self.problems.into_iter().collect() }
    }
}

fn wanted(spec: &TableSpec) -> Wanted<'_> {
    Wanted { columns: spec.columns.iter().map(|column| column.name.as_str()).collect(), label: spec.label, after: spec.after.as_deref() }
}

fn wish(column: &PrintedColumn, is_label: bool) -> Wish {
    Wish { reading: column.reading, unit: column.unit.clone(), is_label }
}

/// The cell of the row `label` in column `at` of a table in round `round`, or why there is none.
fn cell(
    command: &Command,
    (spec, read): (&TableSpec, &[Option<Result<Table, Trouble>>]),
    round: usize,
    label: &str,
    at: usize,
) -> Result<Cell, String> {
    let table = match read.get(round) {
        Some(Some(Ok(table))) => table,
        Some(Some(Err(trouble))) => return Err(format!("the table `{}` can't be read: {trouble}", spec.name)),
        _ => {
            let lost = command.lost.get(round).and_then(Option::as_ref);
            return Err(lost.map(|(word, why)| format!("{word}: {why}")).unwrap_or_default());
        }
    };
    let Some(row) = table.rows.iter().find(|row| row.label == label) else {
        let trouble = table.troubles.first().map(|trouble| format!(" ({trouble})")).unwrap_or_default();
        return Err(format!("the table `{}` has no row `{label}`{trouble}", spec.name));
    };
    match row.cells.get(at) {
        Some(text) if !text.is_empty() => Ok(Cell { text: text.clone(), line: row.line, unit: table.units.get(at).cloned().flatten() }),
        _ => Err(format!("line {}: the cell is empty", row.line)),
    }
}

/// How the rounds of a row with these cells ended.
fn outcomes(command: &Command, cells: &BTreeMap<String, Cells>, of: usize) -> Rounds {
    let mut rounds = Rounds { of, ..Rounds::default() };
    for round in 0..of {
        let unread = || cells.values().filter_map(|cells| cells.get(round)?.as_ref().err());
        let outcome = match command.lost.get(round).cloned().flatten() {
            Some(lost) => Some(lost),
            None if unread().count() == cells.len() => unread().next().map(|why| (UNREAD.to_owned(), why.clone())),
            None => None,
        };
        match outcome {
            None => rounds.ok += 1,
            Some((word, why)) => rounds.add(&word, &why),
        }
    }
    rounds
}

/// Where the transcript shows `line` of what the record's row `row` printed in `round`.
fn place(run: &Run, row: usize, round: usize, line: Option<usize>) -> Span {
    let label = run.record.rows.get(row).map_or("", |row| &row.label);
    let heading = format!("{label} in round {round} prints:");
    let text = run.expected_transcript();
    let mut at = 0;
    let mut wanted = None;
    for (index, part) in text.split_inclusive('\n').enumerate() {
        if wanted == Some(index) {
            return Span::new(&run.transcript_name, at, at + part.trim_end().len());
        }
        if part.trim_end() == heading {
            wanted = Some(index + line.unwrap_or(1));
        }
        at += part.len();
    }
    Span::top(&run.transcript_name)
}
