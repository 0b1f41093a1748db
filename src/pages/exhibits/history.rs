//! Turns the dated runs behind a table into how its figures moved: a row's value in each run, a small line through them, and what
//! the last comparison of the same code says.
//!
//! Must not compare anything itself: verdicts come from `evidence::drift`, as `measure` and `verify --fresh` print them.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use crate::base::quantity::{Format, Quantity, Unit};
use crate::evidence::Run;
use crate::evidence::drift;
use crate::evidence::record::RunKind;
use crate::expr::{Row, Value};
use crate::pages::page::{Board, Page};
use crate::pages::provenance::transcript_page;

use super::columns::Column;

/// So many runs are shown, the last ones.
const RUNS: usize = 6;

/// A line that shows less than this share of a value from top to bottom would make noise look like news.
const LEAST_SPAN: f64 = 0.02;

/// Width and height of a small line.
const LINE: (f64, f64) = (72.0, 18.0);

#[derive(Serialize)]
pub(super) struct View {
    id: String,
    /// In words, how many runs.
    summary: String,
    /// The column that is followed, and its unit.
    title: String,
    unit: String,
    runs: Vec<RunView>,
    rows: Vec<RowView>,
    /// Whether rows have verdicts.
    judged: bool,
}

#[derive(Serialize)]
struct RunView {
    date: String,
    /// Which run of its day it is, behind the first.
    of_day: Option<u32>,
    href: String,
    /// Whether the page's figures come from it.
    current: bool,
    /// Whether it is of other code than that one.
    other_code: bool,
}

#[derive(Serialize)]
struct RowView {
    label: String,
    /// The small line, as SVG.
    line: String,
    values: Vec<Option<String>>,
    /// What the comparison with the run before says.
    verdict: Option<&'static str>,
    changed: bool,
}

/// How the values of `column` of the rows `shown` moved; `None` where there is one run, or where the column is not measured.
pub(super) fn view(board: &Board<'_>, shown: &[usize], column: Option<&Column>, page: &mut Page<'_>) -> Option<View> {
    let column = column?;
    let mut runs: Vec<Arc<Run>> = board.sweep.runs().cloned().collect();
    if runs.len() < 2 {
        return None;
    }
    runs.drain(..runs.len().saturating_sub(RUNS));
    let rows_of: Vec<Vec<Arc<dyn Row>>> = runs.iter().map(|run| board.sweep.rows_of(run)).collect();
    let labels: Vec<&str> = shown.iter().filter_map(|&index| Some(board.run.record.rows.get(index)?.label.as_str())).collect();
    let quantities: Vec<Vec<Option<Quantity>>> =
        labels.iter().map(|label| rows_of.iter().map(|rows| quantity(rows, label, &column.name)).collect()).collect();
    let unit = column.unit.clone()?;
    let verdicts = verdicts(board, &runs, page);
    let values: Vec<Vec<Option<f64>>> =
        quantities.iter().map(|row| row.iter().map(|value| value.as_ref()?.number_in(&unit)).collect()).collect();
    let span = values.iter().map(|row| span(row)).fold(LEAST_SPAN, f64::max);
    let rows = labels.iter().zip(&quantities).zip(&values).map(|((label, quantities), values)| {
        let verdict = verdicts.iter().find(|(of, ..)| of == label);
        RowView {
            label: (*label).to_owned(),
            line: line(values, span),
            values: quantities.iter().map(|value| Some(text(value.as_ref()?, &unit))).collect(),
            verdict: verdict.map(|&(_, word, _)| word),
            changed: verdict.is_some_and(|&(.., changed)| changed),
        }
    });
    let fingerprint = board.run.record.header.identity.fingerprint;
    let run = |run: &Arc<Run>| RunView {
        date: run.date().to_owned(),
        of_day: Some(run.suffix).filter(|suffix| *suffix > 1),
        href: format!("{}{}", page.root, transcript_page(run)),
        current: run.name == board.run.name,
        other_code: run.record.header.identity.fingerprint != fingerprint,
    };
    Some(View {
        summary: page.words.history.of(&[runs.len()], &[]),
        unit: column.beside(),
        title: column.title.clone(),
        rows: rows.collect(),
        judged: !verdicts.is_empty(),
        runs: runs.iter().map(run).collect(),
        id: page.id("history"),
    })
}

fn quantity(rows: &[Arc<dyn Row>], label: &str, column: &str) -> Option<Quantity> {
    let is_row = |row: &&Arc<dyn Row>| matches!(row.column("label"), Ok(Value::Text(text)) if *text == *label);
    match rows.iter().find(is_row)?.column(column) {
        Ok(Value::Quantity(quantity)) => Some(quantity),
        _ => None,
    }
}

fn text(quantity: &Quantity, unit: &Unit) -> String {
    quantity.shown(&Format { unit: Some(unit.clone()), ..Format::default() }).number
}

/// By label, the verdict of the run that counts over the one before it of the same code, and whether it is a change. Only kernels
/// are compared so.
fn verdicts(board: &Board<'_>, runs: &[Arc<Run>], page: &Page<'_>) -> Vec<(String, &'static str, bool)> {
    let identity = &board.run.record.header.identity;
    let before = runs.iter().take_while(|run| run.name != board.run.name);
    let before = before.filter(|run| run.record.header.identity.fingerprint == identity.fingerprint).last();
    let Some(before) = before.filter(|run| run.kind() == RunKind::Kernel) else { return Vec::new() };
    let comparison = drift::compare(&before.record, &board.run.record, false);
    if !comparison.forbids.is_empty() {
        return Vec::new();
    }
    let row = |row: drift::RowComparison| {
        let verdict = row.verdict?;
        Some((row.label, page.words.comparison.of(verdict), matches!(verdict, drift::Verdict::Faster | drift::Verdict::Slower)))
    };
    comparison.rows.into_iter().filter_map(row).collect()
}

/// How far apart the values lie, as a share of the first.
fn span(values: &[Option<f64>]) -> f64 {
    let present = || values.iter().flatten().copied();
    let (low, high) = present().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let first = present().next().unwrap_or(0.0).abs();
    if first > 0.0 && high > low { (high - low) / first } else { 0.0 }
}

/// A small line through `values`, the height of which is the share `span` of the first: all rows are drawn to one scale.
fn line(values: &[Option<f64>], span: f64) -> String {
    let present: Vec<(usize, f64)> = values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?))).collect();
    let (Some(&(_, first)), Some(&(_, last))) = (present.first(), present.last()) else { return String::new() };
    if first == 0.0 {
        return String::new();
    }
    let (width, height) = LINE;
    let (low, high) = present.iter().fold((first, first), |(low, high), &(_, value)| (low.min(value), high.max(value)));
    let middle = (low + high) / 2.0;
    let x = |at: usize| 3.0 + at as f64 * (width - 6.0) / (values.len().max(2) - 1) as f64;
    let y = |value: f64| height / 2.0 - (value - middle) / (first.abs() * span) * (height - 6.0);
    let mut path = String::new();
    for (index, &(at, value)) in present.iter().enumerate() {
        let _ = write!(path, "{}{:.1} {:.1}", if index == 0 { "M" } else { "L" }, x(at), y(value));
    }
    let end = present.last().map_or(0, |&(at, _)| at);
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\"><path d=\"{path}\"/><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"/></svg>",
        x(end),
        y(last)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_are_drawn_to_one_scale_and_noise_stays_flat() {
        let steady = line(&[Some(1.0), Some(1.001), Some(0.999)], LEAST_SPAN);
        assert!(steady.contains("M3.0 9.0L36.0 8.4L69.0 9.6"), "{steady}");
        let halved = [Some(2.0), Some(1.0)];
        assert!((span(&halved) - 0.5).abs() < 1e-12);
        // From the top to the bottom, three units off both.
        assert!(line(&halved, 0.5).contains("M3.0 3.0L69.0 15.0"), "{}", line(&halved, 0.5));
    }

    #[test]
    fn a_run_without_the_row_is_passed_over() {
        assert!(line(&[Some(1.0), None, Some(1.0)], LEAST_SPAN).contains("M3.0 9.0L69.0 9.0"));
        assert_eq!((line(&[None, None], 0.1), span(&[None])), (String::new(), 0.0));
    }
}
