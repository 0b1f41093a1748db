//! Turns a marker's `rows`, `sort` and `best` into which rows are shown, in which order, and which of them are best.
//!
//! Must not know cells or how a row looks.

use std::sync::Arc;

use crate::base::quantity::{Amount, Dimension, Unit};
use crate::base::slice::Slice;
use crate::claims::SweepFacts;
use crate::expr::best::Contest;
use crate::expr::{self, Expr, NOT_MEASURED, Row, RowScope, Value};
use crate::pages::page::{Board, Page};
use crate::pages::problems;

use super::columns::{Cell, Column};

/// Which rows are best, by their index among all rows of the run.
#[derive(Default)]
pub(super) struct Standing {
    /// The column that decides.
    pub column: Option<String>,
    /// The best row.
    pub best: Option<usize>,
    /// The rows that the rounds can't tell from it, itself among them.
    pub ties: Vec<usize>,
}

/// The rows to show: those for which `filter` holds (or may hold), by `sort` where one is asked for.
pub(super) fn chosen(sweep: &SweepFacts, filter: Option<&Slice>, sort: Option<&Slice>, page: &mut Page<'_>) -> Option<Vec<usize>> {
    let mut shown: Vec<usize> = (0..sweep.rows.len()).collect();
    if let Some(filter) = filter {
        let expr = page.problems.note(Expr::parse(filter))?;
        let mut kept = Vec::new();
        for index in shown {
            let Some(row) = sweep.value(index) else { continue };
            match expr::evaluate(&expr, &RowScope { row, outer: page.scope() }) {
                Ok(Value::Truth(Some(false))) => {}
                Ok(Value::Truth(_)) => kept.push(index),
                Ok(_) => {
                    page.problems.push(problems::no_condition(&filter.whole()));
                    return None;
                }
                // A row without a value in a column that decides is no reason to hide that it has none.
                Err(problem) if problem.id == NOT_MEASURED => kept.push(index),
                Err(problem) => {
                    page.problems.push(problem);
                    return None;
                }
            }
        }
        if kept.is_empty() && !sweep.rows.is_empty() {
            page.problems.push(problems::no_rows(&filter.whole()));
            return None;
        }
        shown = kept;
    }
    match sort {
        Some(sort) => sorted(shown, sweep, sort, page),
        None => Some(shown),
    }
}

/// `shown` by the column that `sort` names, the largest first behind a `-`; rows without a number come last.
fn sorted(mut shown: Vec<usize>, sweep: &SweepFacts, sort: &Slice, page: &mut Page<'_>) -> Option<Vec<usize>> {
    let (name, falling) = match sort.text().strip_prefix('-') {
        Some(name) => (name, true),
        None => (sort.text(), false),
    };
    if sweep.column(name).is_none() {
        page.problems.push(problems::no_such_column(&sweep.name, name, &sort.whole(), sweep.names()));
        return None;
    }
    let key = |index: usize| match sweep.rows.get(index).map(|row| row.column(name)) {
        Some(Ok(Value::Quantity(quantity))) => quantity.number_in(&Unit::base(quantity.dimension())),
        _ => None,
    };
    shown.sort_by(|&a, &b| match (key(a), key(b)) {
        (Some(a), Some(b)) => {
            if falling {
                b.total_cmp(&a)
            } else {
                a.total_cmp(&b)
            }
        }
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    Some(shown)
}

/// What the first of the rows shown is called in the run's record.
pub(super) fn first_label<'a>(board: &'a Board<'_>, shown: &[usize]) -> Option<&'a str> {
    Some(board.run.record.rows.get(*shown.first()?)?.label.as_str())
}

/// The best of the rows shown: by the column that the author names, otherwise by the first that is a rate, otherwise by
/// the first measured time.
pub(super) fn contest(sweep: &SweepFacts, shown: &[usize], best: Option<&Slice>, columns: &[Column], page: &mut Page<'_>) -> Standing {
    let column = match best {
        Some(best) => Some(best.text().to_owned()),
        None => deciding(columns),
    };
    let Some(column) = column else { return Standing::default() };
    let rows: Vec<Arc<dyn Row>> = shown.iter().filter_map(|&index| sweep.value(index)).collect();
    let index_of = |row: &Arc<dyn Row>| {
        let place = rows.iter().position(|other| Arc::ptr_eq(other, row))?;
        shown.get(place).copied()
    };
    match Contest::new(&rows, &column, None, expr::ALPHA) {
        Ok(contest) => Standing {
            best: contest.best().and_then(|(row, _)| index_of(row)),
            ties: contest.ties().iter().filter_map(index_of).collect(),
            column: Some(column),
        },
        Err(absent) => {
            if let (Some(best), false) = (best, absent.unmeasured) {
                page.problems.push(problems::no_such_column(&sweep.name, &column, &best.whole(), sweep.names()));
            }
            Standing::default()
        }
    }
}

fn deciding(columns: &[Column]) -> Option<String> {
    let measured = |column: &&Column, is: fn(Dimension) -> bool| {
        column.cells.iter().any(|cell| match cell {
            Cell::Number(number) => matches!(number.quantity.amount, Amount::Measured(_)) && is(number.quantity.dimension()),
            _ => false,
        })
    };
    let rate =
        columns.iter().find(|column| measured(column, |dimension| dimension.time == -1 && (dimension.bytes > 0 || dimension.flop > 0)));
    let time = || columns.iter().find(|column| measured(column, |dimension| dimension.time == 1));
    rate.or_else(time).map(|column| column.name.clone())
}
