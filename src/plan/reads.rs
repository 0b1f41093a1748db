//! Turns the figures that are read back into what is taken from which buffer in each row, and what it is divided by.
//!
//! Must not know what was read.

use crate::base::problem::{Problem, Problems};
use crate::base::quantity::{Dimension, Quantity, Rational, Unit};
use crate::course::sweep::{KernelSweep, ReadSpec, Take, TakeSpec};

use super::PlannedRow;
use super::launch::{Data, Read};
use super::values::{self, Known};

/// Most elements of a buffer that is read back after each sample.
const MOST_ELEMENTS: u64 = 1 << 16;

/// A figure that is read back, for all rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadPlan {
    /// The column that it makes.
    pub name: String,
    /// The buffer.
    pub buffer: String,
    /// The unit of the figure.
    pub unit: Unit,
    /// The column's heading on pages, if its author gives one.
    pub title: Option<String>,
    /// Words that explain it.
    pub about: Option<String>,
    /// What is taken in each row and what it is divided by, by the row's index.
    rows: Vec<(Take, Rational)>,
}

impl ReadPlan {
    /// What is read in row `index`.
    #[must_use]
    pub fn of_row(&self, index: usize) -> Option<Read> {
        let &(take, _) = self.rows.get(index)?;
        Some(Read { name: self.name.clone(), buffer: self.buffer.clone(), take })
    }

    /// How much of a base unit one of the integers read in row `index` is.
    #[must_use]
    pub fn step(&self, index: usize) -> Option<Rational> {
        let &(_, per) = self.rows.get(index)?;
        Quantity::exact(Rational::from_integer(1), self.unit.clone())
            .ok()?
            .divide(&Quantity::exact(per, Unit::bare()).ok()?)
            .ok()?
            .as_exact()
    }
}

/// The figures of `sweep`, whose rows work on `data` as `data_of` says.
pub(super) fn of_rows(
    sweep: &KernelSweep,
    constants: &[(String, Quantity)],
    rows: &[PlannedRow],
    data: &[Data],
    data_of: &[u32],
    problems: &mut Problems,
) -> Vec<ReadPlan> {
    let mut plans = Vec::new();
    for read in &sweep.reads {
        let mut of_rows = Vec::new();
        for (row, &data_of) in rows.iter().zip(data_of) {
            let Some(count) = data.get(data_of as usize).and_then(|data| data.buffer(&read.buffer.0)).map(|buffer| buffer.count) else {
                break;
            };
            match problems.note(of_row(read, count, &Known::exact(constants, &row.values))) {
                Some(found) => of_rows.push(found),
                None => break,
            }
        }
        plans.push(ReadPlan {
            name: read.name.clone(),
            buffer: read.buffer.0.clone(),
            unit: read.unit.clone().unwrap_or_else(Unit::bare),
            title: read.title.clone(),
            about: read.about.clone(),
            rows: of_rows,
        });
    }
    plans
}

fn of_row(read: &ReadSpec, count: u64, known: &Known<'_>) -> Result<(Take, Rational), Problem> {
    if count > MOST_ELEMENTS {
        let message = format!("`{}` has {count} elements, and at most {MOST_ELEMENTS} are read back", read.buffer.0);
        return Err(Problem::error("manifest-range", read.buffer.1.clone(), message));
    }
    let take = match &read.take {
        TakeSpec::Of(take) => *take,
        TakeSpec::At(at) => {
            let index = values::whole(at, known, &format!("an index of `{}`", read.buffer.0), Dimension::NONE, (0, i128::from(count) - 1))?;
            Take::At(u64::try_from(index).unwrap_or(0))
        }
    };
    let Some(per) = &read.per else { return Ok((take, Rational::from_integer(1))) };
    let divisor = values::quantity(per, known)?;
    match divisor.as_exact() {
        Some(divisor_amount) if divisor.dimension().is_none() && divisor_amount > Rational::from_integer(0) => Ok((take, divisor_amount)),
        _ => Err(Problem::error(
            "manifest-range",
            per.span(),
            format!("what is read is divided by a plain number above 0, not by {}", divisor.text()),
        )),
    }
}
