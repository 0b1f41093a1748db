//! Turns `table: SWEEP` into rows: units in the head, decimals aligned, the best row marked, what is absent in words.
//!
//! Must not compute a figure: cells come from the rows as the evidence gives them.

use serde::Serialize;

use crate::base::slice::Slice;
use crate::claims::{ColumnKind, SweepFacts};
use crate::course::marker::Marker;
use crate::pages::block::Block;
use crate::pages::caption;
use crate::pages::csv;
use crate::pages::dated::History;
use crate::pages::page::{Board, Page};
use crate::pages::provenance::Provenance;

use super::columns::{Cell, Column, column};
use super::gap::Gap;
use super::rows::first_label;
use super::{Exhibit, gap, history, rows};

/// The kind.
pub(super) struct Table;

/// More columns than these get the page's whole width.
const NARROW: usize = 6;

#[derive(Default, Serialize)]
struct View {
    id: String,
    caption: String,
    broad: bool,
    head: Vec<Head>,
    rows: Vec<RowView>,
    /// Whether any cell has a spread to show.
    spreads: bool,
    csv: String,
    /// How the rows' figures moved over the dated runs, where there are several.
    history: Option<History>,
    source: Option<Provenance>,
    missing: Option<Gap>,
}

#[derive(Serialize)]
struct Head {
    title: String,
    unit: String,
    about: Option<String>,
    number: bool,
}

#[derive(Serialize)]
struct RowView {
    best: bool,
    cells: Vec<CellView>,
}

#[derive(Default, Serialize)]
struct CellView {
    /// Whether it heads the row.
    head: bool,
    /// Whether it lines up as a number.
    number: bool,
    text: String,
    /// The number to sort by, where the text is in a unit of its own.
    value: Option<String>,
    /// Digits that longer numbers of the column have after the point, drawn invisibly so that points line up.
    rest: String,
    spread: Option<String>,
    /// Whether the row has no value here.
    lost: bool,
    why: Option<String>,
    /// Whether another cell of the row says how it ended, so that this one only says that it has nothing.
    dash: bool,
    /// What marks the cell: best, or a tie with it.
    tag: Option<&'static str>,
}

impl Exhibit for Table {
    fn kind(&self) -> &'static str {
        "table"
    }

    fn make(&self, marker: &Marker, page: &mut Page<'_>) -> Option<Block> {
        page.counts.tables += 1;
        let mut keys = marker.keys("a table");
        let names = keys.texts("columns", &mut page.problems);
        let caption = keys.text("caption", &mut page.problems);
        let filter = keys.text("rows", &mut page.problems);
        let sort = keys.text("sort", &mut page.problems);
        let best = keys.text("best", &mut page.problems);
        keys.finish(&mut page.problems);
        let sweep = marker.target.text();
        let caption = caption::of_exhibit(caption.as_ref(), sweep, page);
        let mut view = View { id: page.id("table"), caption, ..View::default() };
        let board = page.board(sweep, &marker.target.whole());
        let facts = match &board {
            Ok(board) => board.sweep,
            Err(absent) => {
                view.missing = Some(gap::gap(sweep, absent.clone(), page)?);
                let Some(planned) = gap::planned(sweep, page) else { return Some(Block::of("table.html", view)) };
                planned
            }
        };
        let shown = rows::chosen(facts, filter.as_ref(), sort.as_ref(), page)?;
        let columns = columns(&names, marker, facts, &shown, page)?;
        let contest = rows::contest(facts, &shown, best.as_ref(), &columns, page);
        view.broad = columns.len() > NARROW;
        view.head = columns.iter().map(head).collect();
        view.rows = (0..shown.len()).map(|at| row(at, &shown, &columns, &contest, page)).collect();
        let Ok(board) = board else { return Some(Block::of("table.html", view)) };
        let spread = columns.iter().filter_map(Column::spread).max_by(f64::total_cmp);
        view.spreads = spread.is_some();
        view.csv = format!("{}{}", page.root, csv::path(&board.run));
        view.history = history(&board, &shown, (&columns, contest.column.as_deref()), page);
        view.source = Some(page.provenance(&board.run, spread).at_row(&board.run, first_label(&board, &shown)));
        Some(Block::of("table.html", view))
    }
}

/// The columns that the author names; where none are, the row's name and time, or all that its program prints.
fn columns(names: &[Slice], marker: &Marker, sweep: &SweepFacts, shown: &[usize], page: &mut Page<'_>) -> Option<Vec<Column>> {
    let before = page.problems.errors();
    let columns: Vec<Column> = if names.is_empty() {
        let at = marker.target.whole();
        let printed = sweep.columns.iter().filter(|column| column.kind == ColumnKind::Printed).map(|column| column.name.as_str());
        let printed: Vec<&str> = printed.collect();
        let names = if printed.is_empty() { vec!["label", "ms"] } else { printed };
        names.into_iter().filter_map(|name| column(name, &at, sweep, shown, page)).collect()
    } else {
        names.iter().filter_map(|name| column(name.text(), &name.whole(), sweep, shown, page)).collect()
    };
    (page.problems.errors() == before).then_some(columns)
}

/// How the columns behind the first moved, the one that decides before the others.
fn history(board: &Board<'_>, shown: &[usize], (columns, first): (&[Column], Option<&str>), page: &mut Page<'_>) -> Option<History> {
    let (named, others) = columns.split_first()?;
    let labels = named.cells.iter().map(|cell| cell.text().to_owned()).collect();
    let rows = history::Rows { board, shown, labels, head: named.heading() };
    history::view(&rows, &others.iter().collect::<Vec<_>>(), first, page)
}

fn head(column: &Column) -> Head {
    Head { title: column.title.clone(), unit: column.beside(), about: column.about.clone(), number: column.is_numeric() }
}

/// Row `at` of those shown.
fn row(at: usize, shown: &[usize], columns: &[Column], contest: &rows::Standing, page: &Page<'_>) -> RowView {
    let index = shown.get(at).copied().unwrap_or_default();
    let best = contest.best == Some(index);
    let tied = contest.ties.contains(&index);
    let cells = columns.iter().enumerate().map(|(place, column)| {
        let mut view = cell(column, at);
        view.head = place == 0;
        if Some(&column.name) == contest.column.as_ref() {
            view.tag = match (best, tied && contest.ties.len() > 1) {
                (true, _) => Some(page.words.best),
                (false, true) => Some(page.words.tied),
                (false, false) => None,
            };
        }
        view
    });
    let mut cells: Vec<CellView> = cells.collect();
    // How a row ended is said once; its other cells point to it.
    for cell in cells.iter_mut().filter(|cell| cell.lost).skip(1) {
        cell.dash = true;
    }
    RowView { best: best || tied, cells }
}

fn cell(column: &Column, at: usize) -> CellView {
    let number = column.is_numeric();
    match column.cells.get(at) {
        Some(Cell::Number(cell)) => {
            let text = cell.shown.number.clone();
            let rest = if column.one_unit { rest(&text, column) } else { String::new() };
            let spread = cell.shown.spread.clone();
            let value = cell.value.filter(|_| !column.one_unit).map(|value| value.to_string());
            CellView { number, text, value, rest, spread, ..CellView::default() }
        }
        Some(Cell::Text(text)) => CellView { number, text: text.clone(), ..CellView::default() },
        Some(Cell::Absent(word, why)) => {
            CellView { number, text: (*word).to_owned(), lost: true, why: Some(why.clone()), ..CellView::default() }
        }
        None => CellView::default(),
    }
}

/// What follows the point in the column's longest number and is lacking in `text`.
fn rest(text: &str, column: &Column) -> String {
    let after = |text: &str| text.find('.').map_or(0, |at| text.len() - at);
    let longest = column.cells.iter().map(|cell| if let Cell::Number(number) = cell { after(&number.shown.number) } else { 0 }).max();
    let lacking = longest.unwrap_or(0).saturating_sub(after(text));
    match (lacking, text.contains('.')) {
        (0, _) => String::new(),
        (_, true) => "0".repeat(lacking),
        (_, false) => format!(".{}", "0".repeat(lacking - 1)),
    }
}
