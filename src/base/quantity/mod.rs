//! Turns numbers with units into arithmetic that can't mix a time with a rate, exactly or over the rounds of a run.
//!
//! Must not know where a number was measured; a value over rounds carries its run's name only to refuse another's.

mod across;
mod arithmetic;
mod common;
mod exact;
mod show;
mod unit;

use std::sync::Arc;

pub use self::across::Across;
pub use self::arithmetic::Whole;
pub use self::common::common_unit;
pub use self::exact::{Rational, rational_from_f64, rational_text, rational_to_f64};
pub use self::show::{Format, Shown, Style, bound_above, bound_below};
pub use self::unit::{Dimension, NOUNS, Unit};

/// How much, in base units.
#[derive(Debug, Clone, PartialEq)]
pub enum Amount {
    /// Known exactly: what the author wrote, the plan, the driver or the compiler says.
    Exact(Rational),
    /// Measured: one value a round.
    Measured(Rounds),
    /// Computed from values of several runs, whose rounds do not pair.
    Across(Across),
    /// Somewhere from the first to the second, both possible: a count that the data leave open.
    Between(Rational, Rational),
}

/// A value for each round of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    /// The run; values of two runs do not pair.
    pub run: Arc<str>,
    /// The value of each round in base units, `None` where the round was lost.
    pub values: Arc<[Option<f64>]>,
    /// The smallest step that the value can make in base units (timer tick, one cycle); a floor for its spread.
    pub quantum: f64,
    /// Among how many values the data chose it: 1 where the author did. A test shares its level over them, since what is
    /// chosen for being the least is a little less than it should be.
    pub choices: u32,
}

impl Rounds {
    /// The values of rounds of `run` that the author chose.
    #[must_use]
    pub fn new(run: Arc<str>, values: Arc<[Option<f64>]>, quantum: f64) -> Self {
        Self { run, values, quantum, choices: 1 }
    }

    /// The values of the rounds that were not lost, in order.
    #[must_use]
    pub fn present(&self) -> Vec<f64> {
        self.values.iter().flatten().copied().collect()
    }

    /// The median of the rounds that were not lost, in base units; `None` if all were.
    #[must_use]
    pub fn median(&self) -> Option<f64> {
        crate::base::statistics::median(&self.present())
    }
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// How much, in base units.
    pub amount: Amount,
    /// The unit to show it in.
    pub unit: Unit,
}

/// A measured value as a figure shows it, in the quantity's own unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The median over the rounds.
    pub value: f64,
    /// Half the width of the 99 % t interval of the rounds' mean.
    pub spread: f64,
    /// How many rounds it stands on.
    pub rounds: usize,
}

impl Quantity {
    /// Exactly `amount` of `unit`: `exact(3/2, ms)` is 1.5 ms.
    ///
    /// # Errors
    /// When the amount is too large to be held in base units.
    pub fn exact(amount: Rational, unit: Unit) -> Result<Self, String> {
        Ok(Self { amount: Amount::Exact(exact::multiply(amount, unit.scale)?), unit })
    }

    /// Exactly `count` without a unit.
    #[must_use]
    pub fn count(count: impl Into<i128>) -> Self {
        Self::counted(count, "")
    }

    /// Exactly `count` of the things that `noun` names: `counted(256, "threads")`.
    #[must_use]
    pub fn counted(count: impl Into<i128>, noun: &str) -> Self {
        Self { amount: Amount::Exact(Rational::from_integer(count.into())), unit: Unit::noun(noun) }
    }

    /// The same value, chosen by the data among `choices`.
    #[must_use]
    pub fn chosen_among(mut self, choices: usize) -> Self {
        let times = u32::try_from(choices.max(1)).unwrap_or(u32::MAX);
        let share = |rounds: &mut Rounds| rounds.choices = rounds.choices.saturating_mul(times);
        match &mut self.amount {
            Amount::Measured(rounds) => share(rounds),
            // Whichever part it was chosen by, each part counts once.
            Amount::Across(across) => across.parts.iter_mut().take(1).for_each(share),
            Amount::Exact(_) | Amount::Between(..) => {}
        }
        self
    }

    /// Among how many values the data chose it, all choices that it stands on together.
    #[must_use]
    pub fn choices(&self) -> usize {
        self.parts().iter().fold(1_usize, |all, part| all.saturating_mul(part.choices as usize))
    }

    /// The runs that it stands on, each with its rounds; none for exact ones.
    #[must_use]
    pub fn parts(&self) -> &[Rounds] {
        match &self.amount {
            Amount::Measured(rounds) => std::slice::from_ref(rounds),
            Amount::Across(across) => &across.parts,
            Amount::Exact(_) | Amount::Between(..) => &[],
        }
    }

    /// The size in base units that stands for all rounds; `None` where no round is left. A range has its lower end.
    #[must_use]
    pub fn typical(&self) -> Option<f64> {
        match &self.amount {
            Amount::Exact(amount) | Amount::Between(amount, _) => Some(rational_to_f64(*amount)),
            Amount::Measured(rounds) => rounds.median(),
            Amount::Across(across) => Some(across.centre),
        }
    }

    /// Exactly `count` bytes, shown as the prefix that fits best.
    #[must_use]
    pub fn bytes(count: impl Into<i128>) -> Self {
        Self { amount: Amount::Exact(Rational::from_integer(count.into())), unit: Unit::automatic(Dimension::BYTES) }
    }

    /// Exactly `count` floating-point operations, shown as the prefix that fits best.
    #[must_use]
    pub fn flop(count: impl Into<i128>) -> Self {
        Self { amount: Amount::Exact(Rational::from_integer(count.into())), unit: Unit::automatic(Dimension::FLOP) }
    }

    /// A value over rounds, given in base units.
    #[must_use]
    pub fn measured(rounds: Rounds, unit: Unit) -> Self {
        Self { amount: Amount::Measured(rounds), unit }
    }

    /// Its dimension.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.unit.dimension
    }

    /// Whether it was measured; a count that measured values leave open is too.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        !matches!(self.amount, Amount::Exact(_))
    }

    /// The exact amount in base units, if it is exact.
    #[must_use]
    pub fn as_exact(&self) -> Option<Rational> {
        match self.amount {
            Amount::Exact(amount) => Some(amount),
            Amount::Measured(_) | Amount::Across(_) | Amount::Between(..) => None,
        }
    }

    /// The amount in base units, if it is an exact whole number.
    #[must_use]
    pub fn as_integer(&self) -> Option<i128> {
        self.as_exact().filter(Rational::is_integer).map(|amount| amount.to_integer())
    }

    /// The same amount, to be shown in `unit`.
    ///
    /// # Errors
    /// When the dimensions differ.
    pub fn in_unit(&self, unit: &Unit) -> Result<Self, String> {
        if unit.dimension != self.unit.dimension {
            return Err(format!("{} can't be shown in {}", self.unit.describe(), unit.describe()));
        }
        Ok(Self { amount: self.amount.clone(), unit: unit.clone() })
    }
}

#[cfg(test)]
mod tests;
