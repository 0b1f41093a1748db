//! Turns two quantities into their sum, product or order, round by round where they were measured.
//!
//! Must not know expressions; every refusal is one sentence in the reader's words.

use std::cmp::Ordering;
use std::sync::Arc;

use super::exact::{self, Rational, rational_to_f64};
use super::{Amount, Dimension, Quantity, Rounds, Unit, across};

/// The largest power that `**` raises to.
const LARGEST_POWER: i128 = 64;

/// What a range of counts can't do.
pub(super) const OPEN: &str = "a count that the data leave open can only be compared or printed";

impl Quantity {
    /// Their sum, shown in the unit of `self`.
    ///
    /// # Errors
    /// When the dimensions differ, the rounds don't pair or the exact result is too large.
    pub fn add(&self, other: &Self) -> Result<Self, String> {
        self.same_dimension(other, "added to")?;
        let amount = combine(&self.amount, &other.amount, exact::add, |a, b| a + b, |_, p, _, q| libm::hypot(p, q))?;
        Ok(Self { amount, unit: self.kept_unit(other) })
    }

    /// `self` less `other`, shown in the unit of `self`.
    ///
    /// # Errors
    /// As for [`Quantity::add`].
    pub fn subtract(&self, other: &Self) -> Result<Self, String> {
        self.same_dimension(other, "compared with")?;
        let amount = combine(&self.amount, &other.amount, |a, b| exact::add(a, -b), |a, b| a - b, |_, p, _, q| libm::hypot(p, q))?;
        Ok(Self { amount, unit: self.kept_unit(other) })
    }

    /// Their product.
    ///
    /// # Errors
    /// When the rounds don't pair or the exact result is too large.
    pub fn multiply(&self, other: &Self) -> Result<Self, String> {
        let unit = self.product_unit(other, 1)?;
        let step = |a: f64, p: f64, b: f64, q: f64| libm::hypot(p * b, q * a);
        Ok(Self { amount: combine(&self.amount, &other.amount, exact::multiply, |a, b| a * b, step)?, unit })
    }

    /// Their quotient.
    ///
    /// # Errors
    /// On a division by zero, and as for [`Quantity::multiply`].
    pub fn divide(&self, other: &Self) -> Result<Self, String> {
        let unit = self.product_unit(other, -1)?;
        if let (Amount::Measured(a), Amount::Measured(b)) = (&self.amount, &other.amount)
            && pair(a, b)
            && a.values == b.values
            && a.quantum == b.quantum
            && a.values.iter().flatten().all(|&value| value != 0.0)
        {
            // Beside itself a value has no error of rounding: it is the same one above and below.
            let values = each(&a.values, |value| value.map(|_| 1.0))?;
            return Ok(Self { amount: Amount::Measured(Rounds::new(a.run.clone(), values, 0.0)), unit });
        }
        let step = |a: f64, p: f64, b: f64, q: f64| libm::hypot(p / b, q * a / (b * b));
        Ok(Self { amount: combine(&self.amount, &other.amount, exact::divide, |a, b| a / b, step)?, unit })
    }

    /// How many times `other` goes into `self` whole; a plain number.
    ///
    /// # Errors
    /// When the dimensions differ, one is measured, or `other` is zero.
    pub fn divide_floor(&self, other: &Self) -> Result<Self, String> {
        self.same_dimension(other, "divided into whole parts of")?;
        let (a, b) = (self.need_exact("//")?, other.need_exact("//")?);
        Ok(Self::count(exact::floor(exact::divide(a, b)?)))
    }

    /// What is left of `self` after whole times `other`, with the sign of `other`.
    ///
    /// # Errors
    /// As for [`Quantity::divide_floor`].
    pub fn remainder(&self, other: &Self) -> Result<Self, String> {
        self.same_dimension(other, "divided into whole parts of")?;
        let (a, b) = (self.need_exact("the remainder %")?, other.need_exact("the remainder %")?);
        let times = Rational::from_integer(exact::floor(exact::divide(a, b)?));
        Ok(Self { amount: Amount::Exact(exact::add(a, -exact::multiply(times, b)?)?), unit: self.unit.clone() })
    }

    /// `self` to the power of a small exact whole number.
    ///
    /// # Errors
    /// When the power is none such, or the result is too large.
    pub fn power(&self, power: &Self) -> Result<Self, String> {
        let sentence = || format!("the power must be a plain whole number between -{LARGEST_POWER} and {LARGEST_POWER}");
        let whole = power.as_integer().filter(|n| n.abs() <= LARGEST_POWER && power.dimension().is_none()).ok_or_else(sentence)?;
        let mut result = Self::count(1);
        for _ in 0..whole.abs() {
            result = result.multiply(self)?;
        }
        if whole < 0 { Self::count(1).divide(&result) } else { Ok(result) }
    }

    /// `self` with the other sign.
    ///
    /// # Errors
    /// For a count that the data leave open.
    pub fn negate(&self) -> Result<Self, String> {
        self.map(|a| Ok(-a), |a| -a, |_, q| q)
    }

    /// `self` without its sign.
    ///
    /// # Errors
    /// For a count that the data leave open.
    pub fn absolute(&self) -> Result<Self, String> {
        self.map(|a| Ok(if a < Rational::from_integer(0) { -a } else { a }), f64::abs, |_, q| q)
    }

    /// The square root; exact for exact squares, to fifteen digits for other exact numbers.
    ///
    /// # Errors
    /// For a negative number, or where a dimension has no half.
    pub fn square_root(&self) -> Result<Self, String> {
        let dimension = self.dimension().half().ok_or_else(|| format!("{} has no square root", self.unit.describe()))?;
        let root = self.map(
            |a| exact::square_root(a).or_else(|| exact::rational_from_f64(libm::sqrt(rational_to_f64(a)))).ok_or_else(negative),
            libm::sqrt,
            |a, q| q / (2.0 * libm::sqrt(a)),
        )?;
        Ok(Self { unit: if dimension.is_none() { Unit::bare() } else { Unit::automatic(dimension) }, ..root })
    }

    /// A function of a plain number (a logarithm), from its value and its slope.
    ///
    /// # Errors
    /// When `self` has a dimension or the function no value there.
    pub fn of_plain(&self, name: &str, function: fn(f64) -> f64, slope: fn(f64) -> f64) -> Result<Self, String> {
        if !self.dimension().is_none() {
            return Err(format!("{name} needs a plain number, not {}", self.unit.describe()));
        }
        let result = self.map(
            |a| exact::rational_from_f64(function(rational_to_f64(a))).ok_or_else(|| format!("{name} has no value here")),
            function,
            |a, q| q * slope(a).abs(),
        )?;
        Ok(Self { unit: Unit::bare(), ..result })
    }

    /// Rounds an exact or measured amount, counted in its own unit, to a whole number by `how`.
    ///
    /// # Errors
    /// For a count that the data leave open.
    pub fn whole(&self, how: Whole) -> Result<Self, String> {
        let scale = self.unit.scale;
        let factor = rational_to_f64(scale);
        self.map(
            |a| {
                let inside = exact::divide(a, scale)?;
                let whole = match how {
                    Whole::Down => exact::floor(inside),
                    Whole::Up => -exact::floor(-inside),
                    Whole::Nearest => {
                        // By the rest: adding a half could leave the range where the result would not.
                        let rest = inside.numer().rem_euclid(*inside.denom());
                        exact::floor(inside) + i128::from(rest >= inside.denom() - rest)
                    }
                };
                exact::multiply(Rational::from_integer(whole), scale)
            },
            |a| {
                let inside = a / factor;
                factor
                    * match how {
                        Whole::Down => libm::floor(inside),
                        Whole::Up => libm::ceil(inside),
                        Whole::Nearest => libm::floor(inside + 0.5),
                    }
            },
            |_, q| q.max(factor),
        )
    }

    /// The smaller of two; round by round where they were measured.
    ///
    /// # Errors
    /// As for [`Quantity::add`].
    pub fn smaller(&self, other: &Self) -> Result<Self, String> {
        self.same_dimension(other, "compared with")?;
        let amount = combine(&self.amount, &other.amount, |a, b| Ok(a.min(b)), f64::min, |_, p, _, q| p.max(q))?;
        Ok(Self { amount, unit: self.kept_unit(other) })
    }

    /// The larger of two; round by round where they were measured.
    ///
    /// # Errors
    /// As for [`Quantity::add`].
    pub fn larger(&self, other: &Self) -> Result<Self, String> {
        self.same_dimension(other, "compared with")?;
        let amount = combine(&self.amount, &other.amount, |a, b| Ok(a.max(b)), f64::max, |_, p, _, q| p.max(q))?;
        Ok(Self { amount, unit: self.kept_unit(other) })
    }

    /// The order of two exact quantities; `None` when one was measured.
    ///
    /// # Errors
    /// When the dimensions differ.
    pub fn compare_exact(&self, other: &Self) -> Result<Option<Ordering>, String> {
        self.same_dimension(other, "compared with")?;
        Ok(self.as_exact().zip(other.as_exact()).map(|(a, b)| a.cmp(&b)))
    }

    /// The values of both sides for each round that neither lost, in base units; an exact side is the same in all.
    /// `None` where nothing pairs: both are exact, one is a count that the data leave open, or they are of several runs.
    ///
    /// # Errors
    /// When the dimensions differ.
    pub fn pairs(&self, other: &Self) -> Result<Option<Vec<(f64, f64)>>, String> {
        self.same_dimension(other, "compared with")?;
        Ok(match (&self.amount, &other.amount) {
            (Amount::Measured(a), Amount::Measured(b)) if pair(a, b) => {
                Some(a.values.iter().zip(b.values.iter()).filter_map(|(a, b)| a.zip(*b)).collect())
            }
            (Amount::Measured(a), Amount::Exact(b)) => Some(a.present().into_iter().map(|a| (a, rational_to_f64(*b))).collect()),
            (Amount::Exact(a), Amount::Measured(b)) => Some(b.present().into_iter().map(|b| (rational_to_f64(*a), b)).collect()),
            _ => None,
        })
    }

    /// The smallest step of the value in base units; zero for an exact one, and for one of several runs, whose parts have their own.
    #[must_use]
    pub fn quantum(&self) -> f64 {
        match &self.amount {
            Amount::Measured(rounds) => rounds.quantum,
            Amount::Exact(_) | Amount::Across(_) | Amount::Between(..) => 0.0,
        }
    }

    fn same_dimension(&self, other: &Self, doing: &str) -> Result<(), String> {
        if self.dimension() == other.dimension() {
            return Ok(());
        }
        Err(format!("{} can't be {doing} {}", self.unit.describe(), other.unit.describe()))
    }

    fn need_exact(&self, what: &str) -> Result<Rational, String> {
        self.as_exact().ok_or_else(|| format!("{what} needs exact numbers, and this one was measured"))
    }

    /// The unit of a sum: that of the left side, or of the other where only that one has a name.
    fn kept_unit(&self, other: &Self) -> Unit {
        if self.unit.symbol.is_empty() { other.unit.clone() } else { self.unit.clone() }
    }

    /// The unit of a product: kept where the other side is a bare number, otherwise derived.
    fn product_unit(&self, other: &Self, power: i8) -> Result<Unit, String> {
        let bare = |unit: &Unit| unit.dimension.is_none() && (unit.symbol.is_empty() || !unit.scale.is_integer());
        let plain = |unit: &Unit| unit.dimension.is_none();
        if plain(&other.unit) && (bare(&other.unit) || !plain(&self.unit)) {
            return Ok(if power < 0 && plain(&self.unit) && self.unit.symbol.is_empty() { Unit::bare() } else { self.unit.clone() });
        }
        if power > 0 && plain(&self.unit) && (bare(&self.unit) || !plain(&other.unit)) {
            return Ok(other.unit.clone());
        }
        let dimension = self.dimension().times(other.dimension(), power).ok_or("the result has too high a power of a unit")?;
        Ok(if dimension == Dimension::NONE { Unit::bare() } else { Unit::automatic(dimension) })
    }

    fn map(
        &self,
        exactly: impl Fn(Rational) -> Result<Rational, String>,
        measured: impl Fn(f64) -> f64,
        quantum: impl Fn(f64, f64) -> f64,
    ) -> Result<Self, String> {
        let amount = match &self.amount {
            Amount::Exact(amount) => Amount::Exact(exactly(*amount)?),
            Amount::Measured(rounds) => {
                let values = each(&rounds.values, |value| value.map(&measured))?;
                Amount::Measured(Rounds { values, quantum: finite(quantum(typical(rounds), rounds.quantum)), ..rounds.clone() })
            }
            Amount::Across(across) => across::map(across, measured, quantum)?,
            Amount::Between(..) => return Err(OPEN.to_owned()),
        };
        Ok(Self { amount, unit: self.unit.clone() })
    }
}

/// How to make a number whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// To the next whole number below.
    Down,
    /// To the next whole number above.
    Up,
    /// To the nearest, halves up.
    Nearest,
}

fn negative() -> String {
    "a negative number has no square root".to_owned()
}

/// Whether the rounds of both are those of one run, so that they pair.
fn pair(a: &Rounds, b: &Rounds) -> bool {
    a.run == b.run && a.values.len() == b.values.len()
}

/// A value that stands for all rounds where only its size matters.
fn typical(rounds: &Rounds) -> f64 {
    rounds.median().unwrap_or(0.0)
}

pub(super) fn finite(quantum: f64) -> f64 {
    if quantum.is_finite() { quantum.abs() } else { 0.0 }
}

/// `function` of every round, refusing what is no number.
pub(super) fn each(values: &[Option<f64>], function: impl Fn(Option<f64>) -> Option<f64>) -> Result<Arc<[Option<f64>]>, String> {
    let results: Vec<Option<f64>> = values.iter().map(|value| function(*value)).collect();
    match results.iter().position(|value| value.is_some_and(|value| !value.is_finite())) {
        Some(round) => Err(format!("there is no such value in round {} (a division by zero, or out of range)", round + 1)),
        None => Ok(results.into()),
    }
}

/// One arithmetic step: exactly where both are exact, otherwise round by round, where both are of one run; a round lost on one side is
/// lost. Two values of one choice by the data are two choices: which of them were made by the same row is not known here.
/// `step` gives the smallest step of the result from the typical values and steps of both sides, which are independent.
fn combine(
    left: &Amount,
    right: &Amount,
    exactly: impl Fn(Rational, Rational) -> Result<Rational, String>,
    measured: impl Fn(f64, f64) -> f64,
    step: impl Fn(f64, f64, f64, f64) -> f64,
) -> Result<Amount, String> {
    let (of, choices, values, quantum) = match (left, right) {
        (Amount::Exact(a), Amount::Exact(b)) => return exactly(*a, *b).map(Amount::Exact),
        (Amount::Between(..), _) | (_, Amount::Between(..)) => return Err(OPEN.to_owned()),
        (Amount::Measured(a), Amount::Measured(b)) if pair(a, b) => {
            let indices: Vec<Option<f64>> =
                a.values.iter().zip(b.values.iter()).map(|(a, b)| a.zip(*b).map(|(a, b)| measured(a, b))).collect();
            let values = each(&indices, |value| value)?;
            (a, a.choices.saturating_mul(b.choices), values, step(typical(a), a.quantum, typical(b), b.quantum))
        }
        (Amount::Measured(a), Amount::Exact(b)) => {
            let b = rational_to_f64(*b);
            (a, a.choices, each(&a.values, |a| a.map(|a| measured(a, b)))?, step(typical(a), a.quantum, b, 0.0))
        }
        (Amount::Exact(a), Amount::Measured(b)) => {
            let a = rational_to_f64(*a);
            (b, b.choices, each(&b.values, |b| b.map(|b| measured(a, b)))?, step(a, 0.0, typical(b), b.quantum))
        }
        (Amount::Across(_), _) | (_, Amount::Across(_)) | (Amount::Measured(_), Amount::Measured(_)) => {
            return across::combine(left, right, measured, step);
        }
    };
    Ok(Amount::Measured(Rounds { run: of.run.clone(), values, quantum: finite(quantum), choices }))
}
