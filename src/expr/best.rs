//! Turns rows and a column into the best row, and into the rows that the rounds can't tell from it.
//!
//! Must not know what the column means beyond its dimension: times and cycles are best low, all else high.

use std::sync::{Arc, OnceLock};

use crate::base::quantity::{Amount, Dimension, Quantity, Rational};

use super::compare::{Relation, decide_quantities};
use super::condition::all_true;
use super::finding::{Comparison, Finding, RowFinding};
use super::functions::label_of;
use super::levels::Levels;
use super::scope::{Absent, Row, RowSet, Value};
use super::tree::cell_text;

/// A row with its value in the column that decides.
type Candidate = (Arc<dyn Row>, Quantity);

/// Rows in the order of their sweep, and which end of the column is the best.
#[derive(Clone)]
pub struct Contest {
    candidates: Vec<Candidate>,
    /// Rows that have no value, and why.
    absent: Vec<(Arc<dyn Row>, String)>,
    column: String,
    pub(crate) lowest: bool,
    /// The chance of a wrong "this one is worse" over all comparisons.
    alpha: f64,
}

/// Whether less of it is better: times and cycles.
pub(crate) fn is_cost(dimension: Dimension) -> bool {
    dimension.bytes == 0 && dimension.flop == 0 && (dimension.time > 0 || dimension.cycles > 0 && dimension.time == 0)
}

impl Contest {
    /// The contest of `rows` in `column`; rows without a value don't take part.
    pub(crate) fn new(rows: &[Arc<dyn Row>], column: &str, lowest: Option<bool>, alpha: f64) -> Result<Self, Absent> {
        let mut candidates = Vec::new();
        let mut missing = Vec::new();
        for row in rows {
            match row.column(column) {
                Ok(Value::Quantity(quantity)) if !matches!(quantity.amount, Amount::Between(..)) => {
                    candidates.push((row.clone(), quantity))
                }
                Ok(_) => return Err(format!("`{column}` is no number in {}", row.title()).into()),
                Err(absent) if absent.unmeasured => missing.push((row.clone(), absent.why)),
                Err(absent) => return Err(absent),
            }
        }
        let Some((_, first)) = candidates.first() else {
            let lacking = missing.into_iter().next().map(|(_, why)| Absent::unmeasured(why));
            return Err(lacking.unwrap_or_else(|| "there are no rows to choose from".into()));
        };
        let dimension = first.dimension();
        if let Some((row, other)) = candidates.iter().find(|(_, other)| other.dimension() != dimension) {
            return Err(
                format!("`{column}` is {} in {}, and {} elsewhere", other.unit.describe(), row.title(), first.unit.describe()).into()
            );
        }
        let lowest = lowest.unwrap_or(is_cost(dimension));
        Ok(Self { candidates, absent: missing, column: column.to_owned(), lowest, alpha })
    }

    /// The candidate with the best value; of equals the first.
    pub(crate) fn best(&self) -> Option<&Candidate> {
        let mut best: Option<(&Candidate, f64)> = None;
        for candidate in &self.candidates {
            let Some(number) = candidate.1.typical() else { continue };
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
        let share = Levels::both(self.alpha / (self.candidates.len().saturating_sub(1).max(1)) as f64);
        let stays = |candidate: &&Candidate| {
            let beaten = || decide_quantities(self.better(), best, &candidate.1, share);
            Arc::ptr_eq(&candidate.0, best_row) || !matches!(beaten(), Ok((Some(true), _)))
        };
        self.candidates.iter().filter(stays).map(|(row, _)| row.clone()).collect()
    }

    fn better(&self) -> Relation {
        if self.lowest { Relation::Less } else { Relation::Greater }
    }

    /// The candidates, the best one first.
    fn ranked(&self) -> Vec<&Candidate> {
        let mut ranked: Vec<&Candidate> = self.candidates.iter().collect();
        let size = |candidate: &Candidate| candidate.1.typical().unwrap_or(f64::NAN);
        ranked.sort_by(|a, b| size(a).total_cmp(&size(b)));
        if !self.lowest {
            ranked.reverse();
        }
        ranked
    }

    fn compare(&self, relation: Relation, left: &Candidate, right: &Candidate, levels: Levels) -> Result<Comparison, Absent> {
        let (truth, test) = decide_quantities(relation, &left.1, &right.1, levels)?;
        let text = |candidate: &Candidate| cell_text(label_of(&candidate.0).as_deref().unwrap_or_default(), &self.column);
        let times = Rational::from_integer(1);
        let (left_text, right_text) = (text(left), text(right));
        Ok(Comparison { relation, left: left.1.clone(), right: right.1.clone(), left_text, right_text, times, range: (0, 0), truth, test })
    }

    /// The rows that are within `share` of the best, whichever that is: not farther than that from any other row. In the order of
    /// the sweep, each with the row that decided.
    pub(crate) fn near(&self, share: Rational, levels: Levels) -> Result<(RowSet, Vec<RowFinding>), Absent> {
        let relation = if self.lowest { Relation::NotAbove(share) } else { Relation::NotBelow(share) };
        let levels = levels.each_of(self.candidates.len()).all_of(self.candidates.len().saturating_sub(1));
        let ranked = self.ranked();
        let (mut set, mut found) = (RowSet::default(), Vec::new());
        for candidate in &self.candidates {
            let mut compared: Vec<Comparison> = Vec::new();
            for other in ranked.iter().filter(|other| !Arc::ptr_eq(&other.0, &candidate.0)) {
                compared.push(self.compare(relation, candidate, other, levels)?);
                if compared.last().is_some_and(|last| last.truth == Some(false)) {
                    break;
                }
            }
            let truth = all_true(compared.iter().map(|comparison| comparison.truth));
            match truth {
                Some(true) => set.sure.push(candidate.0.clone()),
                Some(false) => {}
                None => set.unsure.push(candidate.0.clone()),
            }
            let decisive = compared.into_iter().find(|comparison| comparison.truth == truth);
            found.push(finding(&candidate.0, truth, decisive));
        }
        for (row, why) in &self.absent {
            set.unsure.push(row.clone());
            found.push(RowFinding { unmeasured: Some(why.clone()), ..finding(row, None, None) });
        }
        Ok((set, found))
    }

    /// Whether the best is one of the rows that `inside` knows: each other one is worse than one of these. With the others, and
    /// whether each of them is worse. Rows without a value don't take part.
    pub(crate) fn among(
        &self,
        inside: &dyn Fn(&Arc<dyn Row>) -> Option<bool>,
        levels: Levels,
    ) -> Result<(Option<bool>, Vec<RowFinding>), Absent> {
        let place = |wanted: Option<bool>| move |candidate: &&Candidate| inside(&candidate.0) == wanted;
        let ranked = self.ranked();
        let ins: Vec<&Candidate> = ranked.iter().copied().filter(place(Some(true))).collect();
        let open: Vec<&Candidate> = ranked.iter().copied().filter(place(None)).collect();
        let outs: Vec<&Candidate> = ranked.iter().copied().filter(place(Some(false))).collect();
        if ins.is_empty() && open.is_empty() {
            let lacking = self.absent.iter().find(|(row, _)| inside(row) != Some(false));
            return match lacking {
                Some((_, why)) => Err(Absent::unmeasured(why.clone())),
                None => Ok((Some(false), outs.iter().map(|out| finding(&out.0, Some(false), None)).collect())),
            };
        }
        // Whichever of those inside stands for them: the data choose among as many as there are.
        let yes = levels.any_of(ins.len());
        let mut found = Vec::new();
        for out in outs.iter().chain(&open) {
            let compared = ins.first().map(|champion| self.compare(self.better(), champion, out, yes)).transpose()?;
            found.push(finding(&out.0, compared.as_ref().and_then(|compared| compared.truth), compared));
        }
        let all_worse = all_true(found.iter().map(|row| row.truth));
        // The best of those outside may be better than all inside: so it may be for each of those outside.
        let no = levels.all_of(outs.len()).turned();
        let mut beaten = Some(false);
        if let Some(rival) = outs.first() {
            let mut truths = Vec::new();
            for member in ins.iter().chain(&open) {
                truths.push(self.compare(self.better(), rival, member, no)?.truth);
            }
            beaten = all_true(truths);
        }
        let lacking = self.absent.iter().map(|(row, why)| RowFinding { unmeasured: Some(why.clone()), ..finding(row, None, None) });
        found.extend(lacking);
        let truth = if beaten == Some(true) { Some(false) } else { all_worse.filter(|worse| *worse) };
        Ok((truth, found))
    }
}

/// What was found of `row`, by one comparison.
fn finding(row: &Arc<dyn Row>, truth: Option<bool>, decisive: Option<Comparison>) -> RowFinding {
    let label = label_of(row).map_or_else(|| row.title(), |label| label.to_string());
    let findings = decisive.into_iter().map(|comparison| Finding::Comparison(Box::new(comparison))).collect();
    RowFinding { label, truth, findings, unmeasured: None }
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
                let Some(own) = quantity.as_exact() else {
                    return Ok(Value::Quantity(quantity.clone().chosen_among(self.contest.candidates.len())));
                };
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

    fn has(&self, name: &str) -> bool {
        self.chosen.has(name)
    }

    fn contest(&self) -> Option<&Contest> {
        Some(&self.contest)
    }
}
