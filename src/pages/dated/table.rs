//! Turns values by dated runs into tables: a run a column, a row, a point or a figure a line, with a small drawing of each.
//!
//! Must not know what the values are of.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::pages::devices;
use crate::pages::words::Words;

use super::figure::Then;
use super::{Dated, DatedRun, Moved, Moves, RunView};

/// A line that shows less than this share of a value from top to bottom would make noise look like news.
const LEAST_SPAN: f64 = 0.02;

/// Width and height of a small line.
const LINE: (f64, f64) = (72.0, 18.0);

/// How figures moved, as `history.html` shows it.
#[derive(Debug, Serialize)]
pub(crate) struct History {
    /// An id of the page's.
    pub id: String,
    /// What is seen before it is unfolded.
    pub summary: String,
    /// The tables.
    pub tables: Vec<TableView>,
    /// In words, what is the same in every run.
    pub same: Option<String>,
    /// In words, how many runs none of the tables has, where all are of one sweep.
    pub others: Option<String>,
}

/// What moved over the runs of one sweep.
#[derive(Debug, Serialize)]
pub(crate) struct TableView {
    /// The classes of the device that it is for, where there are several.
    on: String,
    /// What it shows.
    title: String,
    /// The unit of its numbers, where they have one.
    unit: String,
    /// What heads the names of its lines.
    head: String,
    runs: Vec<RunView>,
    rows: Vec<RowView>,
    /// Whether lines have verdicts.
    judged: bool,
    /// In words, how many runs are not among `runs`, where tables are of several sweeps.
    others: Option<String>,
}

/// A line of such a table.
#[derive(Debug, Serialize)]
pub(crate) struct RowView {
    /// What it is called.
    pub label: String,
    /// Whether that is an expression.
    pub is_code: bool,
    /// The small drawing, as SVG.
    pub line: String,
    /// By run; `None` where the run says nothing of it.
    pub cells: Vec<Option<CellView>>,
    /// What the comparison with the run before says.
    pub verdict: Option<&'static str>,
    /// Whether that is a change.
    pub changed: bool,
}

/// A value of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CellView {
    /// As the page would print it.
    pub text: String,
    /// How far it lies from the one that is shown.
    pub moved: Option<Moved>,
}

/// A line before it is drawn.
pub(crate) struct Line {
    /// The line.
    pub row: RowView,
    /// By run, the size of its value.
    pub sizes: Vec<Option<f64>>,
}

impl TableView {
    /// The table `title` of `lines`, which are called what `head` says; their values are in `unit`.
    pub(crate) fn new(title: String, unit: String, head: String, dated: &Dated, lines: Vec<Line>) -> Self {
        let span = lines.iter().map(|line| span(&line.sizes)).fold(LEAST_SPAN, f64::max);
        let current = dated.runs.iter().position(|run| run.view.current).unwrap_or_default();
        let rows: Vec<RowView> = lines.into_iter().map(|line| RowView { line: drawn(&line.sizes, current, span), ..line.row }).collect();
        Self {
            on: String::new(),
            title,
            unit,
            head,
            runs: dated.runs.iter().map(|run| run.view.clone()).collect(),
            judged: rows.iter().any(|row| row.verdict.is_some()),
            rows,
            others: None,
        }
    }
}

/// A figure that moved, on the device at `device`.
pub(crate) struct MovedFigure {
    /// The device.
    pub device: usize,
    /// Its expression.
    pub expr: String,
    /// Its values.
    pub moves: Vec<Moves>,
}

/// The tables of `figures`, one for each device and sweep; `choice` says whether there are several devices.
pub(crate) fn of_figures(figures: &[MovedFigure], choice: bool, words: &Words) -> Vec<TableView> {
    let mut by_sweep: BTreeMap<(usize, &str), Vec<(&str, &Moves)>> = BTreeMap::new();
    for figure in figures {
        for moves in figure.moves.iter().filter(|moves| moves.is_told() && !moves.is_same()) {
            by_sweep.entry((figure.device, &moves.sweep)).or_default().push((&figure.expr, moves));
        }
    }
    let table = |((device, sweep), moved): ((usize, &str), Vec<(&str, &Moves)>)| {
        let (_, first) = moved.first()?;
        let title = words.dated.over.of(&[first.count()], &[sweep]);
        let lines = moved.iter().map(|(expr, moves)| line(expr, moves)).collect();
        let view = TableView::new(title, String::new(), words.dated.figure.to_owned(), &first.dated, lines);
        let on = if choice { devices::class(device) } else { String::new() };
        Some(TableView { on, others: others(&first.dated, words), ..view })
    };
    by_sweep.into_iter().filter_map(table).collect()
}

/// In words, how many runs are not named; `None` for none.
pub(crate) fn others(dated: &Dated, words: &Words) -> Option<String> {
    (dated.others > 0).then(|| words.dated.others.of(&[dated.others], &[]))
}

fn line(expr: &str, moves: &Moves) -> Line {
    let cell = |(then, run): (&Option<Then>, &DatedRun)| {
        let then = then.as_ref()?;
        Some(CellView { text: then.text.clone(), moved: then.moved.clone().filter(|_| !run.view.current) })
    };
    let cells = moves.values.iter().zip(&moves.dated.runs).map(cell).collect();
    let row = RowView { label: expr.to_owned(), is_code: true, line: String::new(), cells, verdict: None, changed: false };
    Line { row, sizes: moves.values.iter().map(|then| then.as_ref()?.size).collect() }
}

/// How far apart the values lie, as a share of the first.
fn span(values: &[Option<f64>]) -> f64 {
    let present = || values.iter().flatten().copied();
    let (low, high) = present().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let first = present().next().unwrap_or(0.0).abs();
    if first > 0.0 && high > low { (high - low) / first } else { 0.0 }
}

/// A small line through `values`, the height of which is the share `span` of the first: all rows are drawn to one scale. The one at
/// `current` has a point.
fn drawn(values: &[Option<f64>], current: usize, span: f64) -> String {
    let present: Vec<(usize, f64)> = values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?))).collect();
    let first = present.first().map_or(0.0, |&(_, first)| first);
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
    let shown = present.iter().find(|&&(at, _)| at == current);
    let point = shown.map(|&(at, value)| format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"/>", x(at), y(value))).unwrap_or_default();
    format!("<svg class=\"spark\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\"><path d=\"{path}\"/>{point}</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_are_drawn_to_one_scale_and_noise_stays_flat() {
        let steady = drawn(&[Some(1.0), Some(1.001), Some(0.999)], 2, LEAST_SPAN);
        assert!(steady.contains("M3.0 9.0L36.0 8.4L69.0 9.6"), "{steady}");
        assert!(steady.contains("<circle cx=\"69.0\" cy=\"9.6\""), "{steady}");
        let halved = [Some(2.0), Some(1.0)];
        assert!((span(&halved) - 0.5).abs() < 1e-12);
        // From the top to the bottom, three units off both.
        assert!(drawn(&halved, 0, 0.5).contains("M3.0 3.0L69.0 15.0"), "{}", drawn(&halved, 0, 0.5));
    }

    #[test]
    fn a_run_without_the_row_is_passed_over() {
        assert!(drawn(&[Some(1.0), None, Some(1.0)], 1, LEAST_SPAN).ends_with("<path d=\"M3.0 9.0L69.0 9.0\"/></svg>"));
        assert_eq!((drawn(&[None, None], 0, 0.1), span(&[None])), (String::new(), 0.0));
    }
}
