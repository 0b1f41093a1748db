//! Turns the columns of an exhibit into how they moved over the dated runs of its sweep: a table for each column that did.
//!
//! Must not compare anything itself: verdicts come from `evidence::drift`, as `measure` and `verify --fresh` print them.

use std::sync::Arc;

use crate::base::quantity::Quantity;
use crate::evidence::Run;
use crate::evidence::drift;
use crate::evidence::record::RunKind;
use crate::pages::dated::{self, CellView, Dated, DatedRun, History, Line, Moved, RowView, TableView};
use crate::pages::page::{Board, Page};
use crate::pages::words::fill;

use super::columns::{Cell, Column, cells_of_run};

/// The rows of an exhibit.
pub(super) struct Rows<'a> {
    /// What they are rows of.
    pub board: &'a Board<'a>,
    /// By their index among all rows of the run.
    pub shown: &'a [usize],
    /// What each is called.
    pub labels: Vec<String>,
    /// What heads these names.
    pub head: String,
}

/// What becomes of a row since the run before, and whether that is a change.
type Verdict = (&'static str, bool);

/// How the `columns` of `rows` moved, `first` before the others; `None` where there is one run, or nothing that could move.
pub(super) fn view(rows: &Rows<'_>, columns: &[&Column], first: Option<&str>, page: &mut Page<'_>) -> Option<History> {
    let dated = page.dated(rows.board.sweep)?;
    // Runs of other sizes say nothing of these rows.
    dated.runs.iter().find(|run| !run.view.current && rows.board.sweep.by(&run.run).is_some())?;
    let (mut moved, mut same) = (Vec::new(), Vec::new());
    for column in columns {
        let by_run = by_run(rows, column, &dated, page);
        let is_same = |cells: &Vec<Option<&Cell>>| {
            cells.len() == rows.shown.len()
                && cells.iter().zip(&column.cells).all(|(then, now)| then.is_some_and(|then| then.text() == now.text()))
        };
        let then: Vec<Vec<Option<&Cell>>> = by_run.iter().map(|cells| cells.iter().map(Option::as_ref).collect()).collect();
        if then.iter().all(is_same) {
            same.push(column.title.clone());
        } else {
            moved.push((*column, lines(rows, column, &then, &dated)));
        }
    }
    moved.sort_by_key(|(column, _)| Some(column.name.as_str()) != first);
    let verdicts = verdicts(rows, page);
    let table = |(column, mut lines): (&Column, Vec<Line>)| {
        for (line, verdict) in lines.iter_mut().zip(&verdicts).filter(|_| Some(column.name.as_str()) == first) {
            (line.row.verdict, line.row.changed) = (verdict.map(|(word, _)| word), verdict.is_some_and(|(_, changed)| changed));
        }
        TableView::new(column.title.clone(), column.beside(), rows.head.clone(), &dated, lines)
    };
    let tables: Vec<TableView> = moved.into_iter().map(table).collect();
    if tables.is_empty() && same.is_empty() {
        return None;
    }
    Some(History {
        summary: page.words.dated.exhibit.of(&[dated.runs.len() + dated.others], &[]),
        same: (!same.is_empty()).then(|| fill(page.words.dated.same_in_all, &[&same.join(", ")])),
        tables,
        others: dated::others(&dated, page.words),
        id: page.id("history"),
    })
}

/// By run, what its rows of the names of those shown have in `column`.
fn by_run(rows: &Rows<'_>, column: &Column, dated: &Dated, page: &Page<'_>) -> Vec<Vec<Option<Cell>>> {
    let label = |&index: &usize| rows.board.sweep.rows.get(index).map(|row| row.label.as_str());
    let of_run = |run: &Arc<Run>| {
        let Some(sweep) = rows.board.sweep.by(run) else { return rows.shown.iter().map(|_| None).collect() };
        let place = |index: &usize| sweep.rows.iter().position(|row| Some(row.label.as_str()) == label(index));
        let places: Vec<Option<usize>> = rows.shown.iter().map(place).collect();
        let known: Vec<usize> = places.iter().flatten().copied().collect();
        let mut cells = cells_of_run(column, &sweep, &known, page).into_iter();
        places.into_iter().map(|place| place.and_then(|_| cells.next())).collect()
    };
    dated.runs.iter().map(|run| of_run(&run.run)).collect()
}

fn lines(rows: &Rows<'_>, column: &Column, by_run: &[Vec<Option<&Cell>>], dated: &Dated) -> Vec<Line> {
    let line = |(at, label): (usize, &String)| {
        let now = column.cells.get(at).and_then(quantity);
        let cell = |(cells, run): (&Vec<Option<&Cell>>, &DatedRun)| {
            let cell = (*cells.get(at)?)?;
            if matches!(cell, Cell::Absent(..)) {
                return None;
            }
            let moved = now.zip(quantity(cell)).filter(|_| !run.view.current).and_then(|(now, then)| Moved::between(now, then));
            Some(CellView { text: cell.text().to_owned(), moved })
        };
        let size = |cells: &Vec<Option<&Cell>>| cells.get(at).copied().flatten().and_then(quantity)?.typical();
        Line {
            row: RowView {
                label: label.clone(),
                is_code: false,
                line: String::new(),
                cells: by_run.iter().zip(&dated.runs).map(cell).collect(),
                verdict: None,
                changed: false,
            },
            sizes: by_run.iter().map(size).collect(),
        }
    };
    rows.labels.iter().enumerate().map(line).collect()
}

fn quantity(cell: &Cell) -> Option<&Quantity> {
    if let Cell::Number(number) = cell { Some(&number.quantity) } else { None }
}

/// By row, the verdict of the run that counts over the one before it of the same code. Only kernels are compared so.
fn verdicts(rows: &Rows<'_>, page: &Page<'_>) -> Vec<Option<Verdict>> {
    let none = || rows.shown.iter().map(|_| None).collect();
    let run = &rows.board.run;
    let fingerprint = run.record.header.identity.fingerprint;
    let before = rows.board.sweep.runs().take_while(|other| other.name != run.name);
    let before = before.filter(|other| other.record.header.identity.fingerprint == fingerprint).last();
    let Some(before) = before.filter(|other| other.kind() == RunKind::Kernel) else { return none() };
    let comparison = drift::compare(&before.record, &run.record, false);
    if !comparison.forbids.is_empty() {
        return none();
    }
    let verdict = |index: &usize| {
        let label = &rows.board.sweep.rows.get(*index)?.label;
        let verdict = comparison.rows.iter().find(|row| row.label == *label)?.verdict?;
        Some((page.words.comparison.of(verdict), matches!(verdict, drift::Verdict::Faster | drift::Verdict::Slower)))
    };
    rows.shown.iter().map(verdict).collect()
}
