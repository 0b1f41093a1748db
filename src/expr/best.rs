//! Turns rows and a column into the best row, and into the rows that the rounds can't tell from it.
//!
//! Must not know what the column means beyond its dimension: times and cycles are best low, all else high.

use std::sync::{Arc, OnceLock};

use crate::base::quantity::{Amount, Quantity, Rational, rational_to_f64};

use super::compare::{Relation, decide_quantities};
use super::scope::{Absent, Row, Value};

/// A row with its value in the column that decides.
pub(crate) type Candidate = (Arc<dyn Row>, Quantity);

/// Rows in the order of their sweep, and which end of the column is the best.
#[derive(Clone)]
pub(crate) struct Contest {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) lowest: bool,
    /// The chance of a wrong "this one is worse" over all comparisons.
    pub(crate) alpha: f64,
}

impl Contest {
    /// The contest of `rows` in `column`; rows without a value don't take part.
    pub(crate) fn new(rows: &[Arc<dyn Row>], column: &str, lowest: Option<bool>, alpha: f64) -> Result<Self, Absent> {
        let mut candidates = Vec::new();
        let mut lacking = None;
        for row in rows {
            match row.column(column) {
                Ok(Value::Quantity(quantity)) if !matches!(quantity.amount, Amount::Between(..)) => {
                    candidates.push((row.clone(), quantity))
                }
                Ok(_) => return Err(format!("`{column}` is no number in {}", row.title()).into()),
                Err(absent) if absent.unmeasured => lacking = lacking.or(Some(absent)),
                Err(absent) => return Err(absent),
            }
        }
        let Some((_, first)) = candidates.first() else {
            return Err(lacking.unwrap_or_else(|| "there are no rows to choose from".into()));
        };
        let dimension = first.dimension();
        if let Some((row, other)) = candidates.iter().find(|(_, other)| other.dimension() != dimension) {
            return Err(
                format!("`{column}` is {} in {}, and {} elsewhere", other.unit.describe(), row.title(), first.unit.describe()).into()
            );
        }
        let is_cost = dimension.bytes == 0 && dimension.flop == 0 && (dimension.time > 0 || dimension.cycles > 0 && dimension.time == 0);
        Ok(Self { candidates, lowest: lowest.unwrap_or(is_cost), alpha })
    }

    /// The candidate with the best value; of equals the first.
    pub(crate) fn best(&self) -> Option<&Candidate> {
        let mut best: Option<(&Candidate, f64)> = None;
        for candidate in &self.candidates {
            let Some(number) = typical(&candidate.1) else { continue };
            let better = best.is_none_or(|(_, so_far)| if self.lowest { number < so_far } else { number > so_far });
            if better {
                best = Some((candidate, number));
            }
        }
        best.map(|(candidate, _)| candidate)
    }

    /// The best candidate and all that it doesn't beat beyond doubt, in the order of the sweep.
    pub(crate) fn ties(&self) -> Vec<Arc<dyn Row>> {
        let Some((best_row, best)) = self.best() else { return Vec::new() };
        let relation = if self.lowest { Relation::Less } else { Relation::Greater };
        let share = self.alpha / (self.candidates.len().saturating_sub(1).max(1)) as f64;
        let stays = |candidate: &&Candidate| {
            Arc::ptr_eq(&candidate.0, best_row) || !matches!(decide_quantities(relation, best, &candidate.1, share), Ok((Some(true), _)))
        };
        self.candidates.iter().filter(stays).map(|(row, _)| row.clone()).collect()
    }
}

/// A value's size in base units, for ordering.
fn typical(quantity: &Quantity) -> Option<f64> {
    match &quantity.amount {
        Amount::Exact(amount) | Amount::Between(amount, _) => Some(rational_to_f64(*amount)),
        Amount::Measured(rounds) => rounds.median(),
    }
}

/// The best row. What is measured of it is the best row's own; what is exact of it, such as its label or its block
/// size, is only as sure as the choice, so it is the range over all rows that the rounds can't tell from it.
pub(crate) struct BestRow {
    chosen: Arc<dyn Row>,
    contest: Contest,
    ties: OnceLock<Vec<Arc<dyn Row>>>,
}

impl BestRow {
    pub(crate) fn of(contest: Contest) -> Option<Self> {
        let chosen = contest.best()?.0.clone();
        Some(Self { chosen, contest, ties: OnceLock::new() })
    }

    fn ties(&self) -> &[Arc<dyn Row>] {
        self.ties.get_or_init(|| self.contest.ties())
    }
}

impl Row for BestRow {
    fn title(&self) -> String {
        self.chosen.title()
    }

    fn column(&self, name: &str) -> Result<Value, Absent> {
        let value = self.chosen.column(name)?;
        match &value {
            Value::Text(_) => {
                let mut texts = Vec::new();
                for row in self.ties() {
                    if let Value::Text(other) = row.column(name)?
                        && !texts.contains(&other)
                    {
                        texts.push(other);
                    }
                }
                Ok(if texts.len() < 2 { value } else { Value::OneOf(texts) })
            }
            Value::Quantity(quantity) => {
                let Some(own) = quantity.as_exact() else { return Ok(value) };
                let mut range: (Rational, Rational) = (own, own);
                for row in self.ties() {
                    if let Ok(Value::Quantity(other)) = row.column(name)
                        && let Some(other) = other.as_exact()
                    {
                        range = (range.0.min(other), range.1.max(other));
                    }
                }
                let amount = if range.0 == range.1 { Amount::Exact(own) } else { Amount::Between(range.0, range.1) };
                Ok(Value::Quantity(Quantity { amount, unit: quantity.unit.clone() }))
            }
            _ => Ok(value),
        }
    }

    fn columns(&self) -> Vec<String> {
        self.chosen.columns()
    }
}
