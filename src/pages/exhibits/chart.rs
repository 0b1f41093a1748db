//! Turns `chart: SWEEP` into a drawing of one column over another, with a table that says the same.
//!
//! Must not draw: it prepares points and words.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::base::slice::Slice;
use crate::base::span::Span;
use crate::claims::SweepFacts;
use crate::course::marker::Marker;
use crate::pages::block::Block;
use crate::pages::caption;
use crate::pages::dated::History;
use crate::pages::html::plain;
use crate::pages::page::{Board, Page};
use crate::pages::plot::{self, Along, Axis, Kind, Plot, Point, Series, Spacing};
use crate::pages::problems;
use crate::pages::provenance::Provenance;
use crate::pages::words::fill;

use super::columns::{Cell, Column, Number, column, is_whole, unit_beside};
use super::gap::Gap;
use super::marks::{self, Marked};
use super::{Exhibit, gap, history, rows};

/// The kind.
pub(super) struct Chart;

#[derive(Default, Serialize)]
struct View {
    id: String,
    caption: String,
    wide: String,
    narrow: String,
    head: Vec<String>,
    rows: Vec<RowView>,
    /// Whether there are intervals to explain.
    measured: bool,
    /// How its points moved over the dated runs, where there are several.
    history: Option<History>,
    source: Option<Provenance>,
    missing: Option<Gap>,
    /// What will be drawn here, in words; of a draft.
    planned: Option<String>,
}

#[derive(Serialize)]
struct RowView {
    cells: Vec<String>,
    /// Whether it is a line of the chart, and no row of the run.
    mark: bool,
}

/// The options as written.
struct Wanted {
    x: Option<Slice>,
    y: Option<Slice>,
    series: Option<Slice>,
    filter: Option<Slice>,
    kind: Option<Kind>,
    log_x: bool,
    log_y: bool,
    marks: Vec<marks::Wanted>,
}

impl Exhibit for Chart {
    fn kind(&self) -> &'static str {
        "chart"
    }

    fn make(&self, marker: &Marker, page: &mut Page<'_>) -> Option<Block> {
        page.counts.charts += 1;
        let (wanted, caption) = wanted(marker, page)?;
        let sweep = marker.target.text();
        let caption = caption::of_exhibit(caption.as_ref(), sweep, page);
        let mut view = View { id: page.id("chart"), caption, ..View::default() };
        let board = match page.board(sweep, &marker.target.whole()) {
            Ok(board) => board,
            Err(absent) => {
                view.missing = Some(gap::gap(sweep, absent, page)?);
                if let Some(planned) = gap::planned(sweep, page) {
                    let shown = rows::chosen(planned, wanted.filter.as_ref(), None, page)?;
                    let Drawn { x, y, series, .. } = drawn(&wanted, marker, planned, &shown, page)?;
                    view.planned = Some(fill(page.words.private.planned_chart, &[&y.title, &x.title]));
                    (view.head, view.rows) = table(&x, &y, series.as_ref(), &[]);
                }
                return Some(Block::of("chart.html", view));
            }
        };
        let shown = rows::chosen(board.sweep, wanted.filter.as_ref(), None, page)?;
        let Drawn { x, y, y_at, series } = drawn(&wanted, marker, board.sweep, &shown, page)?;
        let axes = axes(&wanted, &x, &y, series.is_some());
        let marked = marks::marked(&wanted.marks, (&x, axes.x), (&y, axes.y), page);
        let mut plot = plot(&axes, &x, (&y, &y_at), series.as_ref(), page)?;
        plot.title = plain(&view.caption);
        plot.description += &said(&marked, page);
        plot.marks = marked.iter().filter_map(Marked::drawn).collect();
        view.wide = plot::draw(&plot, plot::WIDE, &format!("{}-w", view.id), "wide");
        view.narrow = plot::draw(&plot, plot::NARROW, &format!("{}-n", view.id), "narrow");
        (view.head, view.rows) = table(&x, &y, series.as_ref(), &marked);
        view.measured = y.spread().is_some();
        view.history = history(&board, &shown, (&x, series.as_ref(), &y), page);
        view.source = Some(page.provenance(&board.run, y.spread()).at_row(&board.run, rows::first_label(&board, &shown)));
        Some(Block::of("chart.html", view))
    }
}

/// The columns of a chart.
struct Drawn {
    x: Column,
    y: Column,
    /// Where the author names it.
    y_at: Span,
    series: Option<Column>,
}

/// The columns that the author wants drawn of the rows `shown` of `sweep`.
fn drawn(wanted: &Wanted, marker: &Marker, sweep: &SweepFacts, shown: &[usize], page: &mut Page<'_>) -> Option<Drawn> {
    let target = marker.target.whole();
    let mut get = |name: Option<&Slice>, default: &str| {
        let at = name.map_or_else(|| target.clone(), Slice::whole);
        let column = column(name.map_or(default, Slice::text), &at, sweep, shown, page)?;
        Some((column, at))
    };
    let (x, _) = get(wanted.x.as_ref(), "label")?;
    let (y, y_at) = get(wanted.y.as_ref(), "ms")?;
    let series = match &wanted.series {
        Some(series) => Some(get(Some(series), "")?.0),
        None => None,
    };
    Some(Drawn { x, y, y_at, series })
}

fn wanted(marker: &Marker, page: &mut Page<'_>) -> Option<(Wanted, Option<Slice>)> {
    let problems = &mut page.problems;
    let before = problems.errors();
    let mut keys = marker.keys("a chart");
    let caption = keys.text("caption", problems);
    let (x, y, series, filter) =
        (keys.text("x", problems), keys.text("y", problems), keys.text("series", problems), keys.text("rows", problems));
    let log = keys.text("log", problems);
    let kind = keys.text("kind", problems);
    let marks = marks::wanted(&mut keys, problems);
    keys.finish(problems);
    let mut one_of = |option: &str, value: Option<&Slice>, known: &[&str]| {
        if let Some(value) = value.filter(|value| !known.contains(&value.text())) {
            problems.push(problems::not_one_of(option, value.text(), known, &value.whole()));
        }
    };
    one_of("log", log.as_ref(), &["x", "y", "xy"]);
    one_of("kind", kind.as_ref(), &["line", "step", "bar", "scatter"]);
    let kind = kind.and_then(|kind| match kind.text() {
        "line" => Some(Kind::Line),
        "step" => Some(Kind::Step),
        "bar" => Some(Kind::Bar),
        "scatter" => Some(Kind::Scatter),
        _ => None,
    });
    let log = |axis| log.as_ref().is_some_and(|log| log.text().contains(axis));
    let wanted = Wanted { log_x: log('x'), log_y: log('y'), x, y, series, filter, kind, marks };
    (problems.errors() == before).then_some((wanted, caption))
}

/// How a chart is drawn.
struct Axes {
    kind: Kind,
    x: Spacing,
    y: Spacing,
}

/// What the author wants, or what suits the columns; `several` are series.
fn axes(wanted: &Wanted, x: &Column, y: &Column, several: bool) -> Axes {
    let x = spacing(x, wanted.log_x);
    let kind = wanted.kind.unwrap_or(if x == Spacing::Category && !several { Kind::Bar } else { Kind::Line });
    // A bar has a width, which no number has: bars stand side by side, however far apart their numbers lie.
    let x = if kind == Kind::Bar { Spacing::Category } else { x };
    let y = if wanted.log_y && kind != Kind::Bar { spacing(y, true) } else { Spacing::Linear };
    Axes { kind, x, y }
}

/// The drawing of `y` over `x`, without title and marks.
fn plot(axes: &Axes, x: &Column, (y, y_at): (&Column, &Span), series: Option<&Column>, page: &mut Page<'_>) -> Option<Plot> {
    if !y.cells.iter().any(|cell| matches!(cell, Cell::Number(_))) {
        page.problems.push(problems::not_numbers(&y.name, y_at));
        return None;
    }
    let categories = if axes.x == Spacing::Category { categories(x) } else { Vec::new() };
    let mut drawn: Vec<Series> = Vec::new();
    for at in 0..y.cells.len() {
        let name = series.and_then(|series| series.cells.get(at)).map(text).unwrap_or_default();
        let index = drawn.iter().position(|other| other.name == name).unwrap_or_else(|| {
            drawn.push(Series { name, points: Vec::new(), absent: Vec::new() });
            drawn.len() - 1
        });
        let Some(place) = x.cells.get(at).and_then(|cell| place(cell, &categories)) else { continue };
        match &y.cells[at] {
            Cell::Number(number) => {
                let place_words =
                    [Some(x), series].into_iter().flatten().filter_map(|column| Some(with_unit(column.cells.get(at)?, column)));
                let words = place_words.collect::<Vec<_>>().join(", ");
                drawn[index].points.extend(point(place, number, &words, y));
            }
            Cell::Text(_) => {}
            Cell::Absent(word, why) => drawn[index].absent.push((place, format!("{} {}: {word} ({why})", text(&x.cells[at]), x.symbol()))),
        }
    }
    for series in &mut drawn {
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let axis = |column: &Column, spacing: Spacing| {
        let unit = column.unit.as_ref().map_or("", |unit| &unit.symbol);
        let beside =
            if spacing.says_units(unit) { String::new() } else { unit_beside(&column.title, column.unit.as_ref(), &column.unit_name) };
        Axis { title: column.title.clone(), unit: unit.to_owned(), beside, spacing }
    };
    let description = description(&drawn, y.cells.len(), page);
    let series_title = series.map(Column::heading).unwrap_or_default();
    let (x, y) = (axis(x, axes.x), axis(y, axes.y));
    Some(Plot { kind: axes.kind, x, y, series: drawn, series_title, marks: Vec::new(), categories, title: String::new(), description })
}

/// The names of the places on an axis of `x`, each once: in the order of the rows, or of the numbers where they are numbers.
fn categories(x: &Column) -> Vec<String> {
    let mut cells: Vec<&Cell> = x.cells.iter().collect();
    let number = |cell: &Cell| if let Cell::Number(number) = cell { number.value } else { None };
    if cells.iter().all(|cell| number(cell).is_some()) {
        cells.sort_by(|a, b| number(a).unwrap_or(0.0).total_cmp(&number(b).unwrap_or(0.0)));
    }
    let mut names: Vec<String> = Vec::new();
    for name in cells.into_iter().map(text) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What suits a column: names apart from each other, or numbers evenly or by powers of two or ten.
fn spacing(column: &Column, log: bool) -> Spacing {
    let numbers: Vec<&Number> =
        column.cells.iter().filter_map(|cell| if let Cell::Number(number) = cell { Some(&**number) } else { None }).collect();
    if numbers.is_empty() {
        return Spacing::Category;
    }
    if !log || numbers.iter().any(|number| number.value.is_none_or(|value| value <= 0.0)) {
        return Spacing::Linear;
    }
    let values = || numbers.iter().filter_map(|number| number.value);
    let span = values().fold(0.0, f64::max) / values().fold(f64::INFINITY, f64::min);
    if numbers.iter().all(|number| is_whole(number)) || span < 100.0 { Spacing::Log2 } else { Spacing::Log10 }
}

fn place(cell: &Cell, categories: &[String]) -> Option<f64> {
    match cell {
        Cell::Number(number) if categories.is_empty() => number.value,
        Cell::Absent(..) if categories.is_empty() => None,
        _ => categories.iter().position(|name| *name == text(cell)).map(|index| index as f64),
    }
}

/// The point at `x` of what `place` names.
fn point(x: f64, number: &Number, place: &str, y_column: &Column) -> Option<Point> {
    let y = number.value?;
    let (interval, range) = match number.estimate {
        Some(estimate) => (Some((y - estimate.spread, y + estimate.spread)), range(number, y_column)),
        None => (None, None),
    };
    let spread = number.shown.spread.as_ref().map(|spread| format!(" ±{spread}")).unwrap_or_default();
    let words = format!("{place}: {}{spread} {}", number.shown.number, y_column.symbol());
    Some(Point { x, y, interval, range, words: words.trim_end().to_owned() })
}

/// Least and most of the rounds, in the column's unit.
fn range(number: &Number, column: &Column) -> Option<(f64, f64)> {
    let crate::base::quantity::Amount::Measured(rounds) = &number.quantity.amount else { return None };
    let scale = crate::base::quantity::rational_to_f64(column.unit.as_ref()?.scale);
    let values = rounds.present();
    let least = values.iter().copied().min_by(f64::total_cmp)?;
    let most = values.iter().copied().max_by(f64::total_cmp)?;
    Some((least / scale, most / scale))
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Number(number) => number.shown.number.clone(),
        Cell::Text(text) => text.clone(),
        Cell::Absent(word, _) => (*word).to_owned(),
    }
}

fn with_unit(cell: &Cell, column: &Column) -> String {
    match cell {
        Cell::Number(number) if number.shown.unit.is_empty() && column.one_unit => format!("{} {}", column.title, number.shown.number),
        Cell::Number(number) => number.shown.text(),
        Cell::Text(text) => format!("{} {text}", column.title),
        Cell::Absent(word, _) => (*word).to_owned(),
    }
}

/// How the points moved, along y, and along x where that is measured too.
fn history(
    board: &Board<'_>,
    shown: &[usize],
    (x, series, y): (&Column, Option<&Column>, &Column),
    page: &mut Page<'_>,
) -> Option<History> {
    let measured = x.spread().is_some();
    let named: Vec<&Column> = series.into_iter().chain((!measured).then_some(x)).collect();
    let place = |at: usize| -> String {
        named.iter().filter_map(|column| Some(with_unit(column.cells.get(at)?, column))).collect::<Vec<_>>().join(", ")
    };
    let places: Vec<String> = (0..shown.len()).map(place).collect();
    let distinct: BTreeSet<&String> = places.iter().collect();
    let (labels, head) = if !measured && distinct.len() == places.len() {
        (places, named.iter().map(|column| column.title.as_str()).collect::<Vec<_>>().join(", "))
    } else {
        // Points that move along both axes, or stand over one another, go by the names of their rows.
        let row = |&index: &usize| board.sweep.rows.get(index).map(|row| row.label.clone()).unwrap_or_default();
        (shown.iter().map(row).collect(), page.words.comparison.row.to_owned())
    };
    let rows = history::Rows { board, shown, labels, head };
    let columns: Vec<&Column> = [y].into_iter().chain(measured.then_some(x)).collect();
    history::view(&rows, &columns, Some(&y.name), page)
}

/// How many rows, and where the most and the least are.
fn description(series: &[Series], rows: usize, page: &Page<'_>) -> String {
    let points = || series.iter().flat_map(|series| &series.points);
    let most = points().max_by(|a, b| a.y.total_cmp(&b.y));
    let least = points().min_by(|a, b| a.y.total_cmp(&b.y));
    let (Some(most), Some(least)) = (most, least) else { return String::new() };
    let parts = |point: &Point| point.words.split_once(": ").map(|(x, y)| (x.to_owned(), y.to_owned())).unwrap_or_default();
    let ((most_x, most_y), (least_x, least_y)) = (parts(most), parts(least));
    fill(page.words.chart_says, &[&rows.to_string(), &most_x, &most_y, &least_x, &least_y])
}

/// What the chart's lines stand for.
fn said(marked: &[Marked], page: &Page<'_>) -> String {
    if marked.is_empty() {
        return String::new();
    }
    let words: Vec<String> = marked.iter().map(Marked::words).collect();
    format!(" {}", fill(page.words.chart_marks, &[&words.join("; ")]))
}

/// The same as rows: x, the series' name where there are several, y with its spread; then the marks, a value on one axis and what
/// it is called on the other.
fn table(x: &Column, y: &Column, series: Option<&Column>, marked: &[Marked]) -> (Vec<String>, Vec<RowView>) {
    let columns: Vec<&Column> = [Some(x), series, Some(y)].into_iter().flatten().collect();
    let spread = |at: usize| match &y.cells[at] {
        Cell::Number(number) => number.shown.spread.as_ref().map(|spread| format!("±{spread}")).unwrap_or_default(),
        _ => String::new(),
    };
    let measured = y.spread().is_some();
    let rows = (0..y.cells.len()).map(|at| {
        columns.iter().filter_map(|column| column.cells.get(at).map(text)).chain(measured.then(|| spread(at))).collect::<Vec<_>>()
    });
    let rows = rows.map(|cells| RowView { cells, mark: false });
    let marks = marked.iter().map(|mark| {
        let (first, last) = if mark.along == Along::X { (&mark.value, &mark.label) } else { (&mark.label, &mark.value) };
        let cells = std::iter::once(first).cloned().chain(series.map(|_| String::new())).chain([last.clone()]);
        RowView { cells: cells.chain(measured.then(String::new)).collect(), mark: true }
    });
    (columns.iter().map(|column| column.heading()).chain(measured.then(|| "±".to_owned())).collect(), rows.chain(marks).collect())
}
