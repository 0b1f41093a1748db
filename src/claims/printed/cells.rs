//! Turns the cells of one column of one row over all rounds into a value: measured, exact or text.
//!
//! Must not know tables.

use std::sync::Arc;

use crate::base::quantity::{Amount, Dimension, Quantity, Rounds, Unit};
use crate::base::statistics::LEAST_ROUNDS;
use crate::course::sweep::Reading;
use crate::evidence::printed::number::{self, Number};
use crate::expr::{Absent, Value};

/// What was printed for a column in a round.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    pub(super) text: String,
    /// Its line in what was printed, from 1.
    pub(super) line: usize,
    /// What the table's units row says it is in.
    pub(super) unit: Option<Unit>,
}

/// A cell for each round, or why there is none.
pub(super) type Cells = Vec<Result<Cell, String>>;

/// What a column is taken for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wish {
    pub(super) reading: Reading,
    pub(super) unit: Option<Unit>,
    /// Whether it names the rows.
    pub(super) is_label: bool,
}

/// What programs print where they have no number.
const PLACEHOLDERS: [&str; 9] = ["-", "--", "n/a", "N/A", "na", "nan", "NaN", "-nan", "inf"];

impl Wish {
    /// The wish with [`Reading::Found`] settled by all cells of the column: numbers of one kind, or text.
    pub(super) fn settled<'a>(self, cells: impl Iterator<Item = &'a Cell>) -> Self {
        if self.reading != Reading::Found {
            return self;
        }
        let mut kinds: Vec<Dimension> = Vec::new();
        for cell in cells.filter(|cell| !PLACEHOLDERS.contains(&cell.text.as_str())) {
            match number(cell, self.unit.as_ref()) {
                Ok(number) if !kinds.contains(&number.unit.dimension) => kinds.push(number.unit.dimension),
                Ok(_) => {}
                Err(_) => return Self { reading: Reading::Text, ..self },
            }
        }
        let reading = match (kinds.len(), self.is_label) {
            // A label is the same in every round, or it would be another row.
            (1, true) => Reading::Exact,
            (1, false) => Reading::Number,
            _ => Reading::Text,
        };
        Self { reading, ..self }
    }
}

/// The number in `cell`: in the unit behind it, else of the table's units row, else of the manifest, where it is shown in.
fn number(cell: &Cell, unit: Option<&Unit>) -> Result<Number, String> {
    let found = number::read(&cell.text, cell.unit.as_ref().or(unit))?;
    match unit {
        Some(unit) if unit.dimension == found.unit.dimension => Ok(Number { unit: unit.clone(), ..found }),
        Some(unit) => Err(format!("`{}` is {}, where {} is wanted", cell.text, found.unit.describe(), unit.describe())),
        None => Ok(found),
    }
}

/// Why no cell of a column can be read, if none can.
pub(super) fn nothing<'a>(wish: &Wish, cells: impl Iterator<Item = &'a Result<Cell, String>>) -> Option<String> {
    let mut first = None;
    for cell in cells {
        let why = match cell {
            Ok(_) if wish.reading == Reading::Text => return None,
            Ok(cell) => match number(cell, wish.unit.as_ref()) {
                Ok(_) => return None,
                Err(why) => format!("line {}: {why}", cell.line),
            },
            Err(why) => why.clone(),
        };
        first = first.or(Some(why));
    }
    first
}

/// The value of the column `name` of `title` over the rounds of the run `run`.
pub(super) fn over_rounds(title: &str, name: &str, wish: &Wish, cells: &Cells, run: &Arc<str>) -> Result<Value, Absent> {
    match wish.reading {
        Reading::Text => text(title, name, cells),
        Reading::Exact => exact(title, name, wish, cells),
        Reading::Number | Reading::Found => measured(title, name, wish, cells, run),
    }
}

fn text(title: &str, name: &str, cells: &Cells) -> Result<Value, Absent> {
    let mut present = cells.iter().enumerate().filter_map(|(round, cell)| Some((round + 1, cell.as_ref().ok()?.text.as_str())));
    let Some((_, first)) = present.next() else { return Err(too_few(title, name, 0, cells, first_reason(cells))) };
    match present.find(|(_, other)| *other != first) {
        None => Ok(Value::Text(first.into())),
        Some((round, other)) => Err(differs(title, name, first, other, round)),
    }
}

/// The numbers of the rounds, with why there is none.
fn numbers(wish: &Wish, cells: &Cells) -> Vec<Result<Number, String>> {
    let read = |cell: &Cell| number(cell, wish.unit.as_ref()).map_err(|why| format!("line {}: {why}", cell.line));
    cells.iter().map(|cell| cell.as_ref().map_err(String::clone).and_then(read)).collect()
}

fn exact(title: &str, name: &str, wish: &Wish, cells: &Cells) -> Result<Value, Absent> {
    let numbers = numbers(wish, cells);
    let present = || numbers.iter().enumerate().filter_map(|(round, number)| Some((round, number.as_ref().ok()?)));
    let Some((_, first)) = present().next() else { return Err(too_few(title, name, 0, cells, reason(&numbers))) };
    let printed = |round: usize| cells.get(round).and_then(|cell| cell.as_ref().ok()).map_or("", |cell| cell.text.as_str());
    if let Some((round, _)) = present().find(|(_, number)| number.value.to_bits() != first.value.to_bits()) {
        let (at, _) = present().next().unwrap_or((0, first));
        return Err(differs(title, name, printed(at), printed(round), round + 1));
    }
    match first.whole {
        Some(whole) => Ok(Value::Quantity(Quantity { amount: Amount::Exact(whole), unit: first.unit.clone() })),
        // A label such as `0.5` is exact without being whole.
        None if wish.is_label => {
            let exact = crate::base::quantity::rational_from_f64(first.value);
            let amount = exact.map(Amount::Exact).ok_or_else(|| Absent::from(format!("`{name}` of {title} is too large")))?;
            Ok(Value::Quantity(Quantity { amount, unit: first.unit.clone() }))
        }
        None => {
            let at = present().next().map_or(0, |(round, _)| round);
            Err(Absent::unmeasured(format!("`{name}` of {title} is to be exact, and `{}` is no whole number", printed(at))))
        }
    }
}

fn measured(title: &str, name: &str, wish: &Wish, cells: &Cells, run: &Arc<str>) -> Result<Value, Absent> {
    let numbers = numbers(wish, cells);
    let count = numbers.iter().flatten().count();
    let Some(first) = numbers.iter().flatten().next().filter(|_| count >= LEAST_ROUNDS) else {
        return Err(too_few(title, name, count, cells, reason(&numbers)));
    };
    if let Some(other) = numbers.iter().flatten().find(|other| other.unit.dimension != first.unit.dimension) {
        let why = format!("`{name}` of {title} is {} in one round and {} in another", first.unit.describe(), other.unit.describe());
        return Err(Absent::unmeasured(why));
    }
    let quantum = numbers.iter().flatten().map(|number| number.step).fold(0.0, f64::max);
    let values = numbers.iter().map(|number| number.as_ref().ok().map(|number| number.value)).collect();
    Ok(Value::Quantity(Quantity::measured(Rounds::new(run.clone(), values, quantum), first.unit.clone())))
}

fn reason(numbers: &[Result<Number, String>]) -> Option<String> {
    let lost = numbers.iter().enumerate().find_map(|(round, number)| Some((round, number.as_ref().err()?)))?;
    Some(format!("in round {}, {}", lost.0 + 1, lost.1))
}

fn first_reason(cells: &Cells) -> Option<String> {
    let lost = cells.iter().enumerate().find_map(|(round, cell)| Some((round, cell.as_ref().err()?)))?;
    Some(format!("in round {}, {}", lost.0 + 1, lost.1))
}

fn too_few(title: &str, name: &str, count: usize, cells: &Cells, why: Option<String>) -> Absent {
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    let of = cells.len();
    Absent::unmeasured(format!("{title} has no `{name}`: {count} of {of} rounds have it, and at least {LEAST_ROUNDS} are needed{why}"))
}

fn differs(title: &str, name: &str, first: &str, other: &str, round: usize) -> Absent {
    Absent::unmeasured(format!("`{name}` of {title} is not the same in every round: `{first}`, and `{other}` in round {round}"))
}
