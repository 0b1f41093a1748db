//! Turns axes and explicit rows into planned rows with exact values and unique labels.
//!
//! Must not know devices.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::name::typed_label;
use crate::base::problem::{Problem, Problems};
use crate::base::quantity::Quantity;
use crate::base::span::Span;
use crate::course::sweep::{Axis, Sweep};

use super::own::own;
use super::values::{self, Known};
use super::{OwnValue, PlannedRow, axes};

/// More rows than anybody wants to measure: a slip in an axis.
pub(super) const MOST_ROWS: usize = 10_000;

/// The constants' values, each over the ones before it. One that has no value is left out after its problem.
pub(super) fn constants(sweep: &Sweep, problems: &mut Problems) -> Vec<(String, Quantity)> {
    let mut constants: Vec<(String, Quantity)> = Vec::new();
    let mut without: BTreeSet<&str> = BTreeSet::new();
    for (name, expr) in &sweep.constants {
        if expr.names().bare.iter().any(|used| without.contains(used.as_str())) {
            // Its fault is the other one's.
            without.insert(name);
            continue;
        }
        match problems.note(values::quantity(expr, &Known::exact(&constants, &[]))) {
            Some(value) => constants.push((name.clone(), value)),
            None => _ = without.insert(name),
        }
    }
    constants
}

/// The rows: the product of the axes, or the explicit ones.
pub(super) fn rows(sweep: &Sweep, constants: &[(String, Quantity)], problems: &mut Problems) -> Vec<PlannedRow> {
    let values = if sweep.explicit_rows.is_empty() { product(sweep, constants, problems) } else { explicit(sweep, constants, problems) };
    let mut rows = Vec::new();
    let mut seen: BTreeMap<String, Span> = BTreeMap::new();
    let mut clashes: BTreeSet<Span> = BTreeSet::new();
    for (values, at, own) in values {
        let label = match (own, &sweep.label) {
            (Some(own), _) => own,
            (None, Some(expr)) => match problems.note(values::text(expr, &Known::exact(constants, &values))) {
                Some(label) => label,
                None => continue,
            },
            (None, None) => values.iter().map(|(_, value)| value.label()).collect::<Vec<_>>().join("-"),
        };
        if label.trim().is_empty() {
            problems.push(Problem::error("manifest-label", at, "a row's label is empty"));
            continue;
        }
        if let Some(first) = seen.get(&typed_label(&label)) {
            // A label that leaves a value out clashes again and again, and two equal values do with every value of another axis.
            let (at, first) = match &sweep.label {
                Some(expr) => (expr.span(), at),
                None => (at, first.clone()),
            };
            if !clashes.insert(at.clone()) {
                continue;
            }
            problems.push(
                Problem::error("manifest-label", at, format!("two rows are labelled `{label}`"))
                    .related(first, if sweep.label.is_some() { "the second" } else { "the first" })
                    .hint("a label names one row: take a value out that is there twice, or give a `label` that tells them apart"),
            );
            continue;
        }
        seen.insert(typed_label(&label), at);
        rows.push(PlannedRow { label, values });
    }
    rows
}

/// A row's values, where it stands, and its own label.
type Raw = (Vec<(String, OwnValue)>, Span, Option<String>);

fn product(sweep: &Sweep, constants: &[(String, Quantity)], problems: &mut Problems) -> Vec<Raw> {
    if sweep.axes.is_empty() {
        return Vec::new();
    }
    let axes: Vec<(&Axis, Vec<(OwnValue, Span)>)> = sweep.axes.iter().map(|axis| (axis, axes::values(axis, constants, problems))).collect();
    let size = axes.iter().try_fold(1_usize, |size, (_, values)| size.checked_mul(values.len()));
    if size.is_none_or(|size| size > MOST_ROWS) {
        let at = sweep.axes.first().map_or_else(|| Span::top(&sweep.manifest), |axis| axis.at.clone());
        problems.push(Problem::error("manifest-rows", at, format!("the axes make more than {MOST_ROWS} rows")));
        return Vec::new();
    }
    let mut rows: Vec<Raw> = vec![(Vec::new(), Span::top(&sweep.manifest), None)];
    for (axis, values) in &axes {
        let extend = |(row, _, _): &Raw| -> Vec<Raw> {
            let with = |(value, at): &(OwnValue, Span)| {
                let mut row = row.clone();
                row.push((axis.name.clone(), value.clone()));
                (row, at.clone(), None)
            };
            values.iter().map(with).collect()
        };
        rows = rows.iter().flat_map(extend).collect();
    }
    rows
}

fn explicit(sweep: &Sweep, constants: &[(String, Quantity)], problems: &mut Problems) -> Vec<Raw> {
    let mut rows = Vec::new();
    let mut firsts: BTreeMap<&str, (bool, Span)> = BTreeMap::new();
    for row in &sweep.explicit_rows {
        let mut values = Vec::new();
        for (name, expr) in &row.values {
            let Some(value) = problems.note(own(expr, &Known::exact(constants, &values))) else { continue };
            let (is_text, at) = firsts.entry(name).or_insert_with(|| (value.number().is_none(), expr.span()));
            if *is_text != value.number().is_none() {
                problems.push(axes::mixed(name, &value, expr.span(), at));
            }
            values.push((name.clone(), value));
        }
        let at = row.label.as_ref().map_or_else(|| row.at.clone(), |label| label.whole());
        rows.push((values, at, row.label.as_ref().map(|label| label.text().to_owned())));
    }
    rows
}
