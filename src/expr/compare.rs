//! Turns two quantities and a relation into yes, no, or that the rounds can't tell, with the bounds that decide.
//!
//! Must not know what is claimed about it. The test is the paired one-sided t test of the rounds (MEASURING, decisions).

use std::cmp::Ordering;

use crate::base::quantity::{Amount, Quantity, Rational, rational_to_f64};
use crate::base::statistics::{LEAST_ROUNDS, median, one_sided_bounds};

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
    /// About the same: the ratio within this share of one.
    Within(Rational),
}

/// A comparison that an expression stands on, as it was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What was asked.
    pub relation: Relation,
    /// The left side.
    pub left: Quantity,
    /// The right side.
    pub right: Quantity,
    /// The author's text of the left side, canonical.
    pub left_text: String,
    /// The author's text of the right side, canonical.
    pub right_text: String,
    /// The bytes of the expression's text that it is.
    pub range: (usize, usize),
    /// Whether it holds; `None` if the rounds can't tell.
    pub truth: Option<bool>,
    /// The test of the rounds; `None` where both sides are exact.
    pub test: Option<Test>,
}

/// Which number of the two sides the bounds are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestKind {
    /// Left over right, where all values are above zero.
    Ratio,
    /// Left less right, in base units.
    Difference,
}

/// A test of paired rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// What is bounded.
    pub kind: TestKind,
    /// Lower one-sided bound.
    pub low: f64,
    /// Upper one-sided bound.
    pub high: f64,
    /// How many rounds paired.
    pub pairs: usize,
    /// How many rounds were lost on one side or both.
    pub lost: usize,
    /// The level of each bound, such as 0.99.
    pub level: f64,
}

/// Whether `left relation right`, at a chance of `alpha` of a wrong yes or a wrong no.
///
/// # Errors
/// When the dimensions differ, the rounds don't pair, equality is asked of measured values, or fewer than five rounds
/// are left.
pub fn decide_quantities(
    relation: Relation,
    left: &Quantity,
    right: &Quantity,
    alpha: f64,
) -> Result<(Option<bool>, Option<Test>), Absent> {
    if let Some(order) = left.compare_exact(right)? {
        return Ok((Some(exactly(relation, left, right, order)?), None));
    }
    let Some(pairs) = left.pairs(right)? else { return Ok((between(relation, left, right)?, None)) };
    if matches!(relation, Relation::Equal | Relation::Unequal) {
        return Err("measured values are never exactly equal; `within(a, b, 2%)` asks whether they are about the same".into());
    }
    let rounds = [left, right]
        .iter()
        .filter_map(|side| if let Amount::Measured(rounds) = &side.amount { Some(rounds.values.len()) } else { None })
        .max();
    let rounds = rounds.unwrap_or(pairs.len());
    if pairs.len() < LEAST_ROUNDS {
        return Err(Absent::unmeasured(format!(
            "only {} of {rounds} rounds have both sides, and at least {LEAST_ROUNDS} are needed",
            pairs.len()
        )));
    }
    let level = 1.0 - alpha;
    let positive = pairs.iter().all(|&(a, b)| a > 0.0 && b > 0.0);
    let (kind, low, high) = if positive {
        let (low, high) = log_ratio_bounds(&pairs, left.quantum(), right.quantum(), level);
        (TestKind::Ratio, libm::exp(low), libm::exp(high))
    } else {
        let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
        let bounds = one_sided_bounds(&differences, libm::hypot(left.quantum(), right.quantum()), level);
        let (low, high) = bounds.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        (TestKind::Difference, low, high)
    };
    let test = Test { kind, low, high, pairs: pairs.len(), lost: rounds.saturating_sub(pairs.len()), level };
    Ok((by_bounds(relation, &test)?, Some(test)))
}

/// Bounds of the mean of ln(left) - ln(right).
fn log_ratio_bounds(pairs: &[(f64, f64)], left_quantum: f64, right_quantum: f64, level: f64) -> (f64, f64) {
    let logs: Vec<f64> = pairs.iter().map(|&(a, b)| libm::log(a) - libm::log(b)).collect();
    let typical = |pick: fn(&(f64, f64)) -> f64| median(&pairs.iter().map(pick).collect::<Vec<_>>()).unwrap_or(1.0);
    let quantum = libm::hypot(left_quantum / typical(|pair| pair.0), right_quantum / typical(|pair| pair.1));
    one_sided_bounds(&logs, quantum, level).unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
}

/// Yes, no, or neither.
fn either(yes: bool, no: bool) -> Option<bool> {
    if yes { Some(true) } else { no.then_some(false) }
}

fn by_bounds(relation: Relation, test: &Test) -> Result<Option<bool>, Absent> {
    let equal = if test.kind == TestKind::Ratio { 1.0 } else { 0.0 };
    let (low, high) = (test.low, test.high);
    Ok(match relation {
        Relation::Less => either(high < equal, low >= equal),
        Relation::LessEqual => either(high <= equal, low > equal),
        Relation::Greater => either(low > equal, high <= equal),
        Relation::GreaterEqual => either(low >= equal, high < equal),
        Relation::Within(_) if test.kind == TestKind::Difference => {
            return Err("`within` compares by ratio, and a side is not above zero in every round".into());
        }
        Relation::Within(share) => {
            let share = rational_to_f64(share);
            let (floor, ceiling) = (1.0 - share, 1.0 + share);
            either(low >= floor && high <= ceiling, high < floor || low > ceiling)
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
        Relation::Within(share) => {
            let apart = left.subtract(right)?.absolute()?;
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
        Amount::Measured(_) => Err(Absent::from("a count that the data leave open can't be compared with a measured value")),
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
        Relation::Within(_) => return Err("`within` needs counts that are decided".into()),
    })
}
