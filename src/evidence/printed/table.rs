//! Turns a printed text into the rows of one of its tables.
//!
//! Must not know what the cells mean: they are text, each with its line.

use crate::base::quantity::Unit;

use super::header::{self, Header};
use super::split::{Layout, Line, chunks_of};
use super::{Trouble, list, number};

/// Which table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The names of its columns in the order in which they stand; the table may have others besides.
    pub columns: Vec<&'a str>,
    /// Which of them names the rows, by its index.
    pub label: usize,
    /// Text that stands in one line above the table, if its columns alone don't tell it from others.
    pub after: Option<&'a str>,
}

/// A table, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The line of its head, from 1.
    pub line: usize,
    /// What a line below the head says each wanted column is in.
    pub units: Vec<Option<Unit>>,
    /// Its rows, in order; labels are unique.
    pub rows: Vec<Row>,
    /// Lines that should have been rows and are not.
    pub troubles: Vec<Trouble>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its line, from 1.
    pub line: usize,
    /// Its label.
    pub label: String,
    /// The text of each wanted column; empty where the line has a gap.
    pub cells: Vec<String>,
}

/// Reads the table `wanted` in `text`. It ends at an empty line, at the end, or at a line that is no row.
///
/// # Errors
/// When it is not there, is there twice, or has no rows.
pub fn read(text: &str, wanted: &Wanted<'_>) -> Result<Table, Trouble> {
    let lines: Vec<&str> = text.lines().collect();
    let from = match wanted.after {
        Some(after) => below(&lines, after)?,
        None => 0,
    };
    let mut header = header::find(&lines, from, &wanted.columns).or_else(|trouble| nearest_below(&lines, from, wanted, trouble))?;
    let mut table = Table { line: header.line + 1, units: vec![None; wanted.columns.len()], ..Table::default() };
    let mut lines = lines.iter().enumerate().skip(header.line + 1);
    let mut ended = None;
    for (at, line) in lines.by_ref() {
        if header::is_rule(line) {
            widen(&mut header, line);
            continue;
        }
        if line.trim().is_empty() {
            break;
        }
        match header.layout.split(line, header.width) {
            Line::Cells(cells) if is_sentence(line, &cells, &header, &table) => {
                ended = Some(at);
                break;
            }
            Line::Cells(cells) if table.rows.is_empty() && table.troubles.is_empty() && is_units(&cells) => {
                table.units = header.columns.iter().map(|&column| number::unit_word(&cells[column])).collect();
            }
            Line::Cells(cells) => {
                let cells = asked(&header, &cells);
                let label = cells.get(wanted.label).cloned().unwrap_or_default();
                if label.is_empty() {
                    table.troubles.push(Trouble::at(at + 1, format!("the row has no `{}`", wanted.columns[wanted.label])));
                } else {
                    table.rows.push(Row { line: at + 1, label, cells });
                }
            }
            Line::Ragged(why) => table.troubles.push(Trouble::at(at + 1, why)),
            Line::Other => {
                ended = Some(at);
                break;
            }
        }
    }
    if let Some(end) = ended {
        resumed(&header, end, lines, &mut table);
    }
    duplicates(&mut table);
    if table.rows.is_empty() && table.troubles.is_empty() {
        return Err(Trouble::at(table.line, "the table has no rows"));
    }
    Ok(table)
}

/// The line below the one that holds `after`.
fn below(lines: &[&str], after: &str) -> Result<usize, Trouble> {
    let found: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| line.contains(after)).map(|(at, _)| at + 1).collect();
    match found.as_slice() {
        [line] => Ok(*line),
        [] => Err(Trouble::of_text(format!("no line has `{after}`, after which the table should come"))),
        several => Err(Trouble::at(several[0], format!("`{after}` stands in the lines {}", list(several)))),
    }
}

/// With `after`, the first of several heads is meant.
fn nearest_below(lines: &[&str], from: usize, wanted: &Wanted<'_>, trouble: Trouble) -> Result<Header, Trouble> {
    match (wanted.after, trouble.line) {
        (Some(_), Some(line)) => header::find(lines.get(..line).unwrap_or(lines), from, &wanted.columns).map_err(|_| trouble),
        _ => Err(trouble),
    }
}

/// Takes the places of a rule's dashes for those of the columns, where each column has its own.
fn widen(header: &mut Header, line: &str) {
    let Layout::Places(places) = &mut header.layout else { return };
    let drawn = header::ruled(line);
    let meet = |(a, b): (&(usize, usize), &(usize, usize))| a.0 < b.1 && b.0 < a.1;
    if drawn.len() == places.len() && places.iter().zip(&drawn).all(meet) {
        for (place, drawn) in places.iter_mut().zip(&drawn) {
            *place = (place.0.min(drawn.0), place.1.max(drawn.1));
        }
    }
}

/// Whether `cells` say what the columns are in: units and nothing else, one with a dimension or `%` at least.
fn is_units(cells: &[String]) -> bool {
    let filled = || cells.iter().filter(|cell| !cell.is_empty() && *cell != "-");
    let units = || filled().map(|cell| number::unit_word(cell));
    units().all(|unit| unit.is_some()) && units().flatten().any(|unit| !unit.dimension.is_none() || &*unit.symbol == "%")
}

/// Whether `line`, though it can be dealt out, is a sentence below the table: no wide gaps, and no number where the first
/// row has some.
fn is_sentence(line: &str, cells: &[String], header: &Header, table: &Table) -> bool {
    let (Layout::Places(_), [_], Some(first)) = (&header.layout, chunks_of(line).as_slice(), table.rows.first()) else { return false };
    let (first, here) = (numbers(&first.cells), numbers(&asked(header, cells)));
    first.contains(&true) && !first.iter().zip(here).any(|(&first, here)| first && here)
}

/// Which of `cells` are numbers.
fn numbers(cells: &[String]) -> Vec<bool> {
    cells.iter().map(|cell| number::read(cell, None).is_ok()).collect()
}

/// The wanted ones of a line's cells.
fn asked(header: &Header, cells: &[String]) -> Vec<String> {
    header.columns.iter().map(|&column| cells.get(column).cloned().unwrap_or_default()).collect()
}

/// A row below the line that ended the table would have been dropped: it is said.
fn resumed<'a>(header: &Header, end: usize, rest: impl Iterator<Item = (usize, &'a &'a str)>, table: &mut Table) {
    for (at, line) in rest.take_while(|(_, line)| !line.trim().is_empty()) {
        let Line::Cells(cells) = header.layout.split(line, header.width) else { continue };
        let alike = table.rows.first().is_some_and(|row| numbers(&row.cells) == numbers(&asked(header, &cells)));
        if alike && !header::is_rule(line) {
            let message = format!("the line looks like a row, and the table ended in line {}", end + 1);
            table.troubles.push(Trouble::at(at + 1, message));
        }
    }
}

/// A label that stands twice names no row.
fn duplicates(table: &mut Table) {
    let mut doubled: Vec<String> = Vec::new();
    for (index, row) in table.rows.iter().enumerate() {
        let first = table.rows[..index].iter().any(|other| other.label == row.label);
        if first && !doubled.contains(&row.label) {
            doubled.push(row.label.clone());
        }
    }
    for label in doubled {
        let lines: Vec<usize> = table.rows.iter().filter(|row| row.label == label).map(|row| row.line).collect();
        table.rows.retain(|row| row.label != label);
        table.troubles.push(Trouble::at(lines[0], format!("the lines {} are both labelled `{label}`", list(&lines))));
    }
}
