//! Turns the times of a sweep's rows, by two runs, into the rows that changed places beyond doubt, and into who is fastest.
//!
//! Must not know what a page says of them.

use std::sync::Arc;

use crate::base::quantity::Quantity;
use crate::claims::SweepFacts;
use crate::expr::best::Contest;
use crate::expr::{Levels, Relation, Row, Value, decide_quantities};

use super::Stand;

/// The chance that two rows which did not are said to have changed places, over all rows of a sweep.
const ALPHA: f64 = 0.01;

/// Rows of a sweep on a device that changed places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderChange {
    /// The sweep.
    pub sweep: String,
    /// The device.
    pub device: String,
    /// The rows that were faster and are slower than another now, with that one.
    pub overtaken: Vec<(String, String)>,
    /// The fastest row before and after, with all that tie with it, where they are others.
    pub fastest: Option<(Vec<String>, Vec<String>)>,
}

/// What changed places in sweeps that another run counts for now.
pub(super) fn orders(before: Stand<'_>, after: Stand<'_>) -> Vec<OrderChange> {
    let mut orders = Vec::new();
    for sweep in after.course.sweeps.keys() {
        for device in after.facts.devices() {
            let both = before.facts.sweep(sweep, device).zip(after.facts.sweep(sweep, device));
            orders.extend(both.and_then(|(before, after)| order(before, after)));
        }
    }
    orders
}

fn order(before: &SweepFacts, after: &SweepFacts) -> Option<OrderChange> {
    let (old, new) = (before.run.as_ref()?, after.run.as_ref()?);
    if old.name == new.name {
        return None;
    }
    let times = |facts: &SweepFacts, label: &str| {
        let row = facts.rows.iter().find(|row| row.label == label)?;
        if let Ok(Value::Quantity(quantity)) = row.column("ms") { Some(quantity) } else { None }
    };
    let rows: Vec<(&str, Quantity, Quantity)> =
        after.rows.iter().filter_map(|row| Some((row.label.as_str(), times(before, &row.label)?, times(after, &row.label)?))).collect();
    let levels = Levels::both(ALPHA / (rows.len() * rows.len().saturating_sub(1)).max(1) as f64);
    let faster = |a: &Quantity, b: &Quantity| matches!(decide_quantities(Relation::Less, a, b, levels), Ok((Some(true), _)));
    let mut overtaken = Vec::new();
    for (label, then, now) in &rows {
        for (other, other_then, other_now) in &rows {
            if faster(then, other_then) && faster(other_now, now) {
                overtaken.push(((*label).to_owned(), (*other).to_owned()));
            }
        }
    }
    let fastest = Some((fastest(before), fastest(after))).filter(|(then, now)| then != now && !then.is_empty() && !now.is_empty());
    let changed = !overtaken.is_empty() || fastest.is_some();
    changed.then(|| OrderChange { sweep: after.name.to_string(), device: after.device.clone(), overtaken, fastest })
}

/// The labels of the fastest row and of those that the rounds can't tell from it.
fn fastest(facts: &SweepFacts) -> Vec<String> {
    if facts.column("ms").is_none() {
        return Vec::new();
    }
    let ties = Contest::new(&facts.row_values(), "ms", Some(true), ALPHA).map(|contest| contest.ties()).unwrap_or_default();
    let label = |row: &Arc<dyn Row>| if let Ok(Value::Text(label)) = row.column("label") { Some(label.to_string()) } else { None };
    ties.iter().filter_map(label).collect()
}
