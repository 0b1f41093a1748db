//! Turns the rows of a sweep and a column's name into cells: numbers in one unit, texts, and the words for what is absent.
//!
//! Must not know whether a table or a chart shows them.

use std::sync::Arc;

use crate::base::quantity::{Dimension, Estimate, Format, Quantity, Rational, Shown, Style, Unit, common_unit};
use crate::base::span::Span;
use crate::claims::{self, ColumnKind, RowFacts, SweepFacts};
use crate::expr::{Row as _, Value};
use crate::pages::page::Page;
use crate::pages::problems;
use crate::pages::words::{column_title, unit_name};

/// A column with a cell for each row.
pub(super) struct Column {
    /// As the author names it.
    pub name: String,
    /// As the page heads it.
    pub title: String,
    /// The unit of all its numbers.
    pub unit: Option<Unit>,
    /// What it is called in the page's language.
    pub unit_name: String,
    /// Whether they are written in it; sizes that lie far apart are each written in their own: 16 KiB, 512 MiB.
    pub one_unit: bool,
    /// What it is, in a sentence.
    pub about: Option<String>,
    /// A cell a row.
    pub cells: Vec<Cell>,
}

/// What a row has in a column.
pub(super) enum Cell {
    /// A number.
    Number(Box<Number>),
    /// Anything else, in words.
    Text(String),
    /// Nothing: how the row ended, and why.
    Absent(&'static str, String),
}

/// A number and how it is shown.
pub(super) struct Number {
    /// In the column's unit.
    pub shown: Shown,
    /// Value and spread, if it was measured.
    pub estimate: Option<Estimate>,
    /// The value in the column's unit.
    pub value: Option<f64>,
    /// All of it.
    pub quantity: Quantity,
}

impl Cell {
    /// As it is written in its column.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Number(number) => &number.shown.number,
            Self::Text(text) => text,
            Self::Absent(word, _) => word,
        }
    }
}

impl Column {
    /// The symbol of the unit that its numbers are written in, empty for none and where each says its own.
    pub(super) fn symbol(&self) -> &str {
        self.unit.as_ref().filter(|_| self.one_unit).map_or("", |unit| &unit.symbol)
    }

    /// The unit to write beside its heading.
    pub(super) fn beside(&self) -> String {
        unit_beside(&self.title, self.unit.as_ref().filter(|_| self.one_unit), &self.unit_name)
    }

    /// Its title and its unit in one text.
    pub(super) fn heading(&self) -> String {
        match self.beside().as_str() {
            "" => self.title.clone(),
            unit => format!("{}, {unit}", self.title),
        }
    }

    /// Whether its cells line up as numbers do; labels such as `256` among them.
    pub(super) fn is_numeric(&self) -> bool {
        let number = |cell: &Cell| match cell {
            Cell::Number(_) => true,
            Cell::Text(text) => text.parse::<f64>().is_ok(),
            Cell::Absent(..) => false,
        };
        self.cells.iter().any(number) && self.cells.iter().all(|cell| number(cell) || matches!(cell, Cell::Absent(..)))
    }

    /// The largest spread among its measured cells, as a share of the value.
    pub(super) fn spread(&self) -> Option<f64> {
        let share = |cell: &Cell| match cell {
            Cell::Number(number) => {
                number.estimate.map(|estimate| estimate.spread / estimate.value.abs()).filter(|share| share.is_finite())
            }
            _ => None,
        };
        self.cells.iter().filter_map(share).max_by(f64::total_cmp)
    }
}

/// The column `name` of `sweep`, whose rows to show are `rows` (by index). A name that the sweep lacks is a problem at `at`.
pub(super) fn column(name: &str, at: &Span, sweep: &SweepFacts, rows: &[usize], page: &mut Page<'_>) -> Option<Column> {
    let Some(column) = sweep.column(name) else {
        page.problems.push(problems::no_such_column(&sweep.name, name, at, sweep.names()));
        return None;
    };
    let (unit, one_unit, cells) = cells(column, column.unit.clone(), sweep, rows, page);
    let (title, about) = heading(column, sweep, page);
    let unit_name = unit.as_ref().map(|unit| unit_name(page.words, &unit.symbol).to_owned()).unwrap_or_default();
    Some(Column { name: name.to_owned(), title, unit, unit_name, one_unit, about, cells })
}

/// The cells of `column`, as `sweep`, by another of its runs, has them, in the unit that it has here.
pub(super) fn cells_of_run(column: &Column, sweep: &SweepFacts, rows: &[usize], page: &Page<'_>) -> Vec<Cell> {
    let unit = column.unit.clone();
    sweep.column(&column.name).map(|column| cells(column, unit, sweep, rows, page).2).unwrap_or_default()
}

/// The cells of `column` in the rows `rows`, all numbers in `unit` or else one that suits them, which comes with them, and whether they
/// are written in it.
fn cells(
    column: &claims::Column,
    unit: Option<Unit>,
    sweep: &SweepFacts,
    rows: &[usize],
    page: &Page<'_>,
) -> (Option<Unit>, bool, Vec<Cell>) {
    let shown: Vec<&Arc<RowFacts>> = rows.iter().filter_map(|&index| sweep.rows.get(index)).collect();
    let values: Vec<_> = shown.iter().map(|row| row.column(&column.name)).collect();
    let quantities = values.iter().filter_map(|value| match value {
        Ok(Value::Quantity(quantity)) => Some(quantity),
        _ => None,
    });
    let quantities: Vec<&Quantity> = quantities.collect();
    let unit = unit.or_else(|| common_unit(&quantities));
    let places = unit.as_ref().and_then(|unit| most_places(&quantities, unit));
    let one_unit = column.unit.is_some() || !unit.as_ref().is_some_and(|unit| lie_far_apart(&quantities, unit));
    let cells = values.into_iter().zip(&shown).map(|(value, row)| match value {
        Ok(Value::Quantity(quantity)) => Cell::Number(Box::new(number(quantity, unit.as_ref(), one_unit, places, page.words.figures.to))),
        Ok(value) => Cell::Text(words_for(&value)),
        Err(absent) => {
            let outcome = row.rounds.others.first().map_or("", |(word, ..)| word.as_str());
            Cell::Absent(page.words.outcomes.of(outcome), row.rounds.trouble().unwrap_or(absent.why))
        }
    });
    let cells = cells.collect();
    (unit, one_unit, cells)
}

/// Title and explanation of a column: its author's, or ours for what every sweep has; rows of one axis go by its name.
fn heading(column: &claims::Column, sweep: &SweepFacts, page: &Page<'_>) -> (String, Option<String>) {
    if let Some((_, heading)) = page.lesson.headings.iter().find(|(name, _)| name.text() == column.name) {
        return (heading.text().to_owned(), column.about.clone());
    }
    let title = match column.kind {
        ColumnKind::Own | ColumnKind::Printed | ColumnKind::Derived => None,
        ColumnKind::Label => {
            let mut own = sweep.columns.iter().filter(|column| column.kind == ColumnKind::Own);
            match (own.next(), own.next()) {
                (Some(only), None) => Some(only.title.as_str()),
                _ => column_title(page.words, &column.name),
            }
        }
        ColumnKind::Launch | ColumnKind::Compiled | ColumnKind::Profiled | ColumnKind::Measured => column_title(page.words, &column.name),
    };
    (title.map_or_else(|| column.title.clone(), str::to_owned), column.about.clone())
}

/// The `unit` to write beside a heading by its `name`: none where the heading says it already, as in "Warps a block" or "GB/s".
pub(super) fn unit_beside(title: &str, unit: Option<&Unit>, name: &str) -> String {
    let Some(unit) = unit else { return String::new() };
    let said = title.eq_ignore_ascii_case(name)
        || unit.dimension == Dimension::NONE
            && title.to_lowercase().split([' ', ',', '/']).any(|word| name.split('/').next() == Some(word));
    if said { String::new() } else { name.to_owned() }
}

/// Whether sizes in `unit` would be long rows of digits: from 16 KiB to 524288 KiB.
fn lie_far_apart(quantities: &[&Quantity], unit: &Unit) -> bool {
    const LONG: f64 = 10_000.0;
    let sizes = quantities.iter().all(|quantity| quantity.dimension() == Dimension::BYTES && quantity.as_integer().is_some());
    sizes && quantities.iter().filter_map(|quantity| quantity.number_in(unit)).any(|number| number >= LONG)
}

/// How many digits after the point a column has at most: so many that its largest measured number has six in all. Rounds of a cycle
/// counter may agree to nine, which nobody reads.
fn most_places(quantities: &[&Quantity], unit: &Unit) -> Option<usize> {
    const DIGITS: usize = 6;
    let values = quantities.iter().filter_map(|quantity| quantity.estimate_in(unit)).map(|estimate| estimate.value.abs());
    let largest = values.max_by(f64::total_cmp)?;
    Some(DIGITS.saturating_sub(format!("{largest:.0}").len()))
}

fn number(quantity: Quantity, unit: Option<&Unit>, one_unit: bool, places: Option<usize>, to: &'static str) -> Number {
    let format = Format { unit: unit.cloned(), to, ..Format::default() };
    let unit = quantity.shown_unit(&format);
    let shown = if one_unit {
        let shown = quantity.shown(&format);
        let written = shown.number.split_once('.').map_or(0, |(_, places)| places.len());
        match places.filter(|places| *places < written && shown.spread.is_some()) {
            Some(places) => quantity.shown(&Format { style: Style::Fixed(places as u8), ..format }),
            None => shown,
        }
    } else {
        let automatic = Quantity { unit: Unit::automatic(quantity.dimension()), ..quantity.clone() };
        Shown { number: automatic.text(), unit: String::new(), spread: None }
    };
    Number { shown, estimate: quantity.estimate_in(&unit), value: quantity.number_in(&unit), quantity }
}

fn words_for(value: &Value) -> String {
    match value {
        Value::Quantity(quantity) => quantity.text(),
        Value::Text(text) => text.to_string(),
        Value::OneOf(texts) => texts.iter().map(|text| &**text).collect::<Vec<_>>().join(" / "),
        Value::Truth(Some(truth)) => truth.to_string(),
        Value::Truth(None) | Value::Row(_) | Value::Rows(_) | Value::Place(_) => String::new(),
    }
}

/// Whether `value` is a whole number, for choosing an axis.
pub(super) fn is_whole(number: &Number) -> bool {
    number.quantity.as_exact().is_some_and(|amount| (amount / number.quantity.unit.scale).is_integer())
        && number.quantity.unit.scale != Rational::from_integer(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::quantity::Rounds;

    #[test]
    fn a_column_has_no_more_places_than_its_largest_number_needs() {
        // Cycles, each with what the counter may be off by, and how they are written in one column.
        type Case = (&'static [(f64, f64)], &'static [&'static str]);
        let cases: [Case; 3] = [
            (&[(28.000_102, 1e-6), (4.437_605, 1e-6), (658.08, 0.6)], &["28.000", "4.438", "658.1"]),
            (&[(0.000_092_5, 1e-7), (3.921_967, 1e-6)], &["0.00009", "3.92197"]),
            (&[(2_520_660.0, 30.0)], &["2520660"]),
        ];
        for (values, expected) in cases {
            let unit = Unit::parse("cycles").expect("a unit");
            let rounds = |&(value, quantum): &(f64, f64)| Rounds::new("run".into(), vec![Some(value); 11].into(), quantum);
            let quantities: Vec<Quantity> = values.iter().map(|value| Quantity::measured(rounds(value), unit.clone())).collect();
            let places = most_places(&quantities.iter().collect::<Vec<_>>(), &unit);
            let shown = quantities.into_iter().map(|quantity| number(quantity, Some(&unit), true, places, "to").shown.number);
            assert_eq!(shown.collect::<Vec<_>>(), expected, "{values:?}");
        }
    }
}
