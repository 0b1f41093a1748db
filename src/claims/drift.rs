//! Turns two runs of a sweep into their comparison, with what a program printed read out of both.
//!
//! Must not decide anything: how figures are compared is the evidence's affair, and what is read out of printed text the sweep's.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::quantity::Amount;
use crate::course::sweep::Kind;
use crate::evidence::Run;
use crate::evidence::drift::{self, Comparison, Figure};
use crate::evidence::record::Record;
use crate::expr::{Absent, Value};
use crate::plan::Job;

use super::printed;

/// Compares the record `fresh` with the run `recorded`; both are of the sweep of `job`, where the course still has it. With
/// `across_code`, runs of different code too.
#[must_use]
pub fn compare(job: Option<&Job>, recorded: &Run, fresh: &Arc<Record>, across_code: bool) -> Comparison {
    let figures = job.and_then(|job| printed_figures(job, recorded, fresh));
    match figures {
        Some(figures) => drift::compare_figures(&recorded.record, fresh, across_code, &figures),
        None => drift::compare(&recorded.record, fresh, across_code),
    }
}

/// What a program printed of time in both runs: times, cycles, and rates; `None` for what is no program.
fn printed_figures(job: &Job, recorded: &Run, fresh: &Arc<Record>) -> Option<Vec<Figure>> {
    let Kind::Program(program) = &job.sweep.kind else { return None };
    let fresh = Run::whole(&"fresh".into(), Record::clone(fresh), None, 1);
    let read = |run: &Run| {
        let printed = printed::read(job, program, run);
        let rows = printed.rows.into_iter().map(|row| (row.label, row.columns));
        rows.chain([(String::new(), printed.values)]).collect::<Vec<_>>()
    };
    let (before, now) = (read(recorded), read(&fresh));
    let mut figures = Vec::new();
    for (label, columns) in &before {
        let Some((_, others)) = now.iter().find(|(other, _)| other == label) else { continue };
        figures.extend(columns.keys().filter_map(|name| figure(label, name, columns, others)));
    }
    Some(figures)
}

type Columns = BTreeMap<String, Result<Value, Absent>>;

/// The column `name` of the row `label` in both runs, if it is measured and has to do with time.
fn figure(label: &str, name: &str, before: &Columns, now: &Columns) -> Option<Figure> {
    let rounds = |columns: &Columns| match columns.get(name)?.as_ref().ok()? {
        Value::Quantity(quantity) => match &quantity.amount {
            Amount::Measured(rounds) => Some((quantity.dimension(), rounds.present(), rounds.quantum)),
            Amount::Exact(_) | Amount::Across(_) | Amount::Between(..) => None,
        },
        _ => None,
    };
    let ((dimension, recorded, quantum), (_, fresh, _)) = rounds(before).zip(rounds(now))?;
    let is_rate = dimension.time < 0;
    let of_time = is_rate || dimension.time > 0 || dimension.cycles > 0;
    of_time.then(|| Figure { label: label.to_owned(), name: name.to_owned(), recorded, fresh, quantum, is_rate })
}
