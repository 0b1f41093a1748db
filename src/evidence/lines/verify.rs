//! Turns a record that was read into the first line of it that speaks of what was not planned, or of the same twice.
//!
//! Must not know how lines are spelled. Later stages index rows and rounds without looking.

use std::collections::BTreeSet;

use super::{Unreadable, canary_line, result_line};
use crate::evidence::record::{Outcome, Record, RunKind};

/// Results speak of planned rows and rounds, each once.
pub(super) fn results(record: &Record) -> Result<(), Unreadable> {
    if let Some(index) = record.rows.iter().position(|row| row.launches_per_sample == 0) {
        return Err(Unreadable::new(index + 2, "the row has no launches in a sample"));
    }
    if record.header.kind != RunKind::Program && !record.outputs.is_empty() {
        return Err(Unreadable::new(2 + record.rows.len(), "only a program prints"));
    }
    let mut seen = BTreeSet::new();
    for (index, (round, row)) in record.in_order().enumerate() {
        let fault = |message: String| Err(Unreadable::new(result_line(record, index), message));
        if row as usize >= record.rows.len() {
            return fault(format!("there is no row {row} among {}", record.rows.len()));
        }
        if let Some(message) = no_round(record, round) {
            return fault(message);
        }
        if !seen.insert((round, row)) {
            return fault(format!("row {row} has a second result in round {round}"));
        }
    }
    Ok(())
}

/// A canary speaks of a planned round, once.
pub(super) fn canaries(record: &Record) -> Result<(), Unreadable> {
    let mut seen = BTreeSet::new();
    for (index, result) in record.canaries.iter().enumerate() {
        let fault = |message: String| Err(Unreadable::new(canary_line(record, index), message));
        if let Some(message) = no_round(record, result.round) {
            return fault(message);
        }
        if !seen.insert((result.round, result.canary)) {
            return fault(format!("the canary `{}` has a second result in round {}", result.canary.word(), result.round));
        }
    }
    Ok(())
}

/// What was compiled speaks of planned rows, each once, in a run that is of compiling and of nothing else.
pub(super) fn compiled(record: &Record) -> Result<(), Unreadable> {
    let is_compile = record.header.kind == RunKind::Compile;
    if is_compile && !record.results.is_empty() {
        return Err(Unreadable::new(2 + record.rows.len(), "a run that only compiled has no results of rounds"));
    }
    let mut seen = BTreeSet::new();
    for (index, compiled) in record.compiled.iter().enumerate() {
        let number = 2 + record.rows.len() + record.results.len() + index;
        let row = compiled.row as usize;
        let fault = if !is_compile {
            "the run is not one of compiling".to_owned()
        } else if row >= record.rows.len() {
            format!("there is no row {row} among {}", record.rows.len())
        } else if !seen.insert(row) {
            format!("row {row} was compiled twice")
        } else if (compiled.outcome == Outcome::Ok) != compiled.facts.is_some() {
            format!("row {row} is `{}`, and its facts say otherwise", compiled.outcome.word())
        } else {
            continue;
        };
        return Err(Unreadable::new(number, fault));
    }
    Ok(())
}

/// What was profiled speaks of planned rows, each once, in a run that is of profiling and of nothing else.
pub(super) fn profiled(record: &Record) -> Result<(), Unreadable> {
    let is_profile = record.header.kind == RunKind::Profile;
    let first = 2 + record.rows.len();
    if is_profile && !(record.results.is_empty() && record.canaries.is_empty()) {
        return Err(Unreadable::new(first, "a run that only profiled has no results of rounds"));
    }
    let mut seen = BTreeSet::new();
    for (index, profiled) in record.profiled.iter().enumerate() {
        let row = profiled.row as usize;
        let fault = if !is_profile {
            "the run is not one of profiling".to_owned()
        } else if row >= record.rows.len() {
            format!("there is no row {row} among {}", record.rows.len())
        } else if !seen.insert(row) {
            format!("row {row} was profiled twice")
        } else {
            continue;
        };
        return Err(Unreadable::new(first + index, fault));
    }
    Ok(())
}

fn no_round(record: &Record, round: u32) -> Option<String> {
    let rounds = record.header.identity.timing.rounds;
    (round == 0 || round > rounds).then(|| format!("there is no round {round} among {rounds}"))
}
