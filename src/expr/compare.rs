//! Turns two quantities and a relation into yes, no, or that the rounds can't tell, with the bounds that decide.
//!
//! Must not know what is claimed about it. The tests are one-sided t tests: paired within a run, Welch's across runs.

use std::cmp::Ordering;

use crate::base::quantity::{Amount, Quantity, Rational, rational_to_f64};
use crate::base::statistics::{LEAST_ROUNDS, median, one_sided_bounds};

use super::levels::Levels;
use super::scope::Absent;

/// What is asked of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `==`, of exact values only.
    Equal,
    /// `!=`, of exact values only.
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// About the same: the left side within this share of the right one.
    Within(Rational),
    /// Left is not above right by more than this share of it.
    NotAbove(Rational),
    /// Left is not below right by more than this share of it.
    NotBelow(Rational),
}

/// Which number of the two sides the bounds are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestKind {
    /// Left over right, where all values are above zero.
    Ratio,
    /// Left less right, in base units.
    Difference,
}

/// One-sided bounds, each at `level` alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lower one-sided bound.
    pub low: f64,
    /// Upper one-sided bound.
    pub high: f64,
    /// The level of each bound, such as 0.99.
    pub level: f64,
}

/// A test of rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// What is bounded.
    pub kind: TestKind,
    /// The bounds that a yes must keep.
    pub yes: Bounds,
    /// The bounds that a no must keep.
    pub no: Bounds,
    /// How many rounds were counted: those that paired, or of values of several runs those of each.
    pub rounds: Vec<usize>,
    /// How many rounds were lost on one side or both.
    pub lost: usize,
}

impl Test {
    /// The bounds that decided, where the answer was `truth`; those of a yes where it was none.
    #[must_use]
    pub fn deciding(&self, truth: Option<bool>) -> Bounds {
        if truth == Some(false) { self.no } else { self.yes }
    }

    /// The same test of a ratio `times` as large.
    #[must_use]
    pub(crate) fn scaled(mut self, times: f64) -> Self {
        if self.kind == TestKind::Ratio {
            for bounds in [&mut self.yes, &mut self.no] {
                bounds.low *= times;
                bounds.high *= times;
            }
        }
        self
    }
}

/// Whether `left relation right`, at the chances `levels` of a wrong yes and a wrong no, which are shared among all values that the
/// data could have chosen for these.
///
/// # Errors
/// When the dimensions differ, equality is asked of measured values, or fewer than five rounds are left.
pub fn decide_quantities(
    relation: Relation,
    left: &Quantity,
    right: &Quantity,
    levels: Levels,
) -> Result<(Option<bool>, Option<Test>), Absent> {
    if let Some(order) = left.compare_exact(right)? {
        return Ok((Some(exactly(relation, left, right, order)?), None));
    }
    if [left, right].iter().any(|side| matches!(side.amount, Amount::Between(..))) {
        return Ok((between(relation, left, right)?, None));
    }
    if matches!(relation, Relation::Equal | Relation::Unequal) {
        return Err("measured values are never exactly equal; `within(a, b, 2%)` asks whether they are about the same".into());
    }
    let choices = left.choices().saturating_mul(right.choices()).max(1) as f64;
    let levels = Levels { yes: levels.yes / choices, no: levels.no / choices };
    let test = match left.pairs(right)? {
        Some(pairs) => paired(left, right, &pairs, levels)?,
        None => separate(left, right, levels)?,
    };
    Ok((by_bounds(relation, &test)?, Some(test)))
}

/// The paired test: both sides are of one run, or one is exact.
fn paired(left: &Quantity, right: &Quantity, pairs: &[(f64, f64)], levels: Levels) -> Result<Test, Absent> {
    let rounds = left.parts().iter().chain(right.parts()).map(|part| part.values.len()).max().unwrap_or(pairs.len());
    enough(pairs.len(), rounds)?;
    let positive = pairs.iter().all(|&(a, b)| a > 0.0 && b > 0.0);
    let (kind, values, quantum) = if positive {
        let logs: Vec<f64> = pairs.iter().map(|&(a, b)| libm::log(a) - libm::log(b)).collect();
        let typical = |pick: fn(&(f64, f64)) -> f64| median(&pairs.iter().map(pick).collect::<Vec<_>>()).unwrap_or(1.0);
        let quantum = libm::hypot(left.quantum() / typical(|pair| pair.0), right.quantum() / typical(|pair| pair.1));
        (TestKind::Ratio, logs, quantum)
    } else {
        let differences = pairs.iter().map(|(a, b)| a - b).collect();
        (TestKind::Difference, differences, libm::hypot(left.quantum(), right.quantum()))
    };
    let bounds = |alpha: f64| {
        let level = 1.0 - alpha;
        bounds(kind, one_sided_bounds(&values, quantum, level), level)
    };
    let (yes, no) = both(levels, bounds);
    Ok(Test { kind, yes, no, rounds: vec![pairs.len()], lost: rounds.saturating_sub(pairs.len()) })
}

/// Welch's test: the sides stand on several runs, whose rounds do not pair.
fn separate(left: &Quantity, right: &Quantity, levels: Levels) -> Result<Test, Absent> {
    let positive = |side: &Quantity| match side.as_exact() {
        Some(amount) => amount > Rational::from_integer(0),
        None => side.parts().iter().all(|part| part.values.iter().flatten().all(|&value| value > 0.0)),
    };
    let kind = if positive(left) && positive(right) { TestKind::Ratio } else { TestKind::Difference };
    let apart = match kind {
        TestKind::Ratio => left.divide(right)?,
        TestKind::Difference => left.subtract(right)?,
    };
    let lengths: Vec<(usize, usize)> = apart.parts().iter().map(|part| (part.present().len(), part.values.len())).collect();
    lengths.iter().try_for_each(|&(present, all)| enough(present, all))?;
    let contrast = match (&apart.amount, kind) {
        (Amount::Across(across), TestKind::Ratio) => across.contrast(libm::log, |value| 1.0 / value),
        (Amount::Across(across), TestKind::Difference) => across.contrast(|value| value, |_| 1.0),
        _ => None,
    };
    let bounds = |alpha: f64| {
        let level = 1.0 - alpha;
        bounds(kind, contrast.map(|contrast| contrast.bounds(level)), level)
    };
    let lost = lengths.iter().map(|(present, all)| all - present).sum();
    let rounds = lengths.into_iter().map(|(present, _)| present).collect();
    let (yes, no) = both(levels, bounds);
    Ok(Test { kind, yes, no, rounds, lost })
}

/// The bounds of a yes and of a no, which mostly are the same.
fn both(levels: Levels, bounds: impl Fn(f64) -> Bounds) -> (Bounds, Bounds) {
    let yes = bounds(levels.yes);
    let no = if levels.no == levels.yes { yes } else { bounds(levels.no) };
    (yes, no)
}

fn enough(present: usize, rounds: usize) -> Result<(), Absent> {
    if present >= LEAST_ROUNDS {
        return Ok(());
    }
    Err(Absent::unmeasured(format!("only {present} of {rounds} rounds have both sides, and at least {LEAST_ROUNDS} are needed")))
}

fn bounds(kind: TestKind, found: Option<(f64, f64)>, level: f64) -> Bounds {
    let (low, high) = found.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    match kind {
        TestKind::Ratio => Bounds { low: libm::exp(low), high: libm::exp(high), level },
        TestKind::Difference => Bounds { low, high, level },
    }
}

/// Yes, no, or neither.
fn either(yes: bool, no: bool) -> Option<bool> {
    if yes { Some(true) } else { no.then_some(false) }
}

fn by_bounds(relation: Relation, test: &Test) -> Result<Option<bool>, Absent> {
    let equal = if test.kind == TestKind::Ratio { 1.0 } else { 0.0 };
    let (yes, no) = (test.yes, test.no);
    Ok(match relation {
        Relation::Less => either(yes.high < equal, no.low >= equal),
        Relation::LessEqual => either(yes.high <= equal, no.low > equal),
        Relation::Greater => either(yes.low > equal, no.high <= equal),
        Relation::GreaterEqual => either(yes.low >= equal, no.high < equal),
        Relation::Within(_) | Relation::NotAbove(_) | Relation::NotBelow(_) if test.kind == TestKind::Difference => {
            return Err("a share is one of a ratio, and a side is not above zero in every round".into());
        }
        Relation::Within(share) => {
            let share = rational_to_f64(share);
            let (floor, ceiling) = (1.0 - share, 1.0 + share);
            either(yes.low >= floor && yes.high <= ceiling, no.high < floor || no.low > ceiling)
        }
        Relation::NotAbove(share) => {
            let ceiling = 1.0 + rational_to_f64(share);
            either(yes.high <= ceiling, no.low > ceiling)
        }
        Relation::NotBelow(share) => {
            let floor = 1.0 - rational_to_f64(share);
            either(yes.low >= floor, no.high < floor)
        }
        Relation::Equal | Relation::Unequal => None,
    })
}

fn exactly(relation: Relation, left: &Quantity, right: &Quantity, order: Ordering) -> Result<bool, Absent> {
    Ok(match relation {
        Relation::Equal => order == Ordering::Equal,
        Relation::Unequal => order != Ordering::Equal,
        Relation::Less => order == Ordering::Less,
        Relation::LessEqual => order != Ordering::Greater,
        Relation::Greater => order == Ordering::Greater,
        Relation::GreaterEqual => order != Ordering::Less,
        Relation::Within(share) | Relation::NotAbove(share) | Relation::NotBelow(share) => {
            let apart = match relation {
                Relation::NotAbove(_) => left.subtract(right)?,
                Relation::NotBelow(_) => right.subtract(left)?,
                _ => left.subtract(right)?.absolute()?,
            };
            let allowed = right.absolute()?.multiply(&Quantity { amount: Amount::Exact(share), ..Quantity::count(0) })?;
            apart.compare_exact(&allowed)? != Some(Ordering::Greater)
        }
    })
}

/// The answer where a side is a count that the data leave open: yes or no if it is so for all that is possible.
fn between(relation: Relation, left: &Quantity, right: &Quantity) -> Result<Option<bool>, Absent> {
    let ends = |side: &Quantity| match &side.amount {
        Amount::Exact(amount) => Ok((*amount, *amount)),
        Amount::Between(low, high) => Ok((*low, *high)),
        Amount::Measured(_) | Amount::Across(_) => {
            Err(Absent::from("a count that the data leave open can't be compared with a measured value"))
        }
    };
    let ((a, b), (c, d)) = (ends(left)?, ends(right)?);
    let same = either(a == b && c == d && a == c, b < c || d < a);
    Ok(match relation {
        Relation::Less => either(b < c, a >= d),
        Relation::LessEqual => either(b <= c, a > d),
        Relation::Greater => either(a > d, b <= c),
        Relation::GreaterEqual => either(a >= d, b < c),
        Relation::Equal => same,
        Relation::Unequal => same.map(|same| !same),
        Relation::Within(_) | Relation::NotAbove(_) | Relation::NotBelow(_) => {
            return Err("a share can't be taken of a count that the data leave open".into());
        }
    })
}
