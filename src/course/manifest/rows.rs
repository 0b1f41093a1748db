//! Turns `[axes]` and `[[rows]]` of a manifest into axes, ranges and explicit rows.
//!
//! Must not know values: how many a range has, and which words are texts, is for the planner to say.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::problem::{Problem, Problems};
use crate::base::quantity::Unit;
use crate::base::span::Span;
use crate::course::keys::{self, Keys, unexpected};
use crate::course::sweep::{Axis, AxisRange, AxisValue, ExplicitRow, Step};
use crate::course::toml::{Item, Table, Value};
use crate::expr::Expr;

use super::{take_name, unit};

/// The axes.
pub(super) fn axes(keys: &mut Keys<'_>, names: &mut BTreeMap<String, Span>, problems: &mut Problems) -> Vec<Axis> {
    let mut axes = Vec::new();
    let Some(mut table) = keys.table("axes", "`[axes]`", problems) else { return axes };
    for (name, at, item) in table.all() {
        take_name(name, at, names, problems);
        // An axis whose values make no sense is there all the same, so that its name is known where it is used.
        let (values, unit) = axis(name, at, item, problems).unwrap_or_default();
        axes.push(Axis { name: name.to_owned(), at: at.clone(), values, unit });
    }
    axes
}

/// The values and the unit of one axis: a list, a table of a list and a unit, or a range.
fn axis(name: &str, at: &Span, item: &Item, problems: &mut Problems) -> Option<(Vec<AxisValue>, Option<Unit>)> {
    match &item.value {
        Value::Table(table) if table.get("values").is_none() && is_range(table) => {
            let mut keys = Keys::of(table, "an axis", item.at.clone());
            let unit = unit(&mut keys, problems);
            let range = range(keys, problems)?;
            Some((vec![AxisValue::Range(Box::new(range))], unit))
        }
        Value::Table(table) => {
            let mut keys = Keys::of(table, "an axis", at.clone());
            let unit = unit(&mut keys, problems);
            let list = keys.item("values");
            let list = keys.required("values", list, problems);
            keys.finish(problems);
            Some((list_of(name, list?, problems)?, unit))
        }
        _ => Some((list_of(name, item, problems)?, None)),
    }
}

fn list_of(name: &str, list: &Item, problems: &mut Problems) -> Option<Vec<AxisValue>> {
    let what = format!("a list of numbers, texts and expressions for `{name}`");
    let Value::Array(items) = &list.value else {
        problems.push(unexpected(list, &what));
        return None;
    };
    if items.is_empty() {
        problems.push(Problem::error("manifest-value", list.at.clone(), format!("the axis `{name}` has no values")));
    }
    let mut values = Vec::new();
    for item in items {
        values.extend(match &item.value {
            Value::Table(table) => {
                range(Keys::of(table, "a range", item.at.clone()), problems).map(|range| AxisValue::Range(Box::new(range)))
            }
            _ => problems.note(keys::expr(item, &what)).map(AxisValue::One),
        });
    }
    Some(values)
}

fn is_range(table: &Table) -> bool {
    ["from", "to", "step", "times"].iter().any(|key| table.get(key).is_some())
}

fn range(mut keys: Keys<'_>, problems: &mut Problems) -> Option<AxisRange> {
    let at = keys.at().clone();
    let mut bound = |key: &str| {
        let bound = keys.expr(key, problems);
        keys.required(key, bound, problems)
    };
    let (from, to) = (bound("from"), bound("to"));
    let next = match (keys.expr("step", problems), keys.expr("times", problems)) {
        (Some(step), None) => Some(Step::Plus(step)),
        (None, Some(times)) => Some(Step::Times(times)),
        (Some(_), Some(times)) => {
            problems.push(Problem::error("manifest-value", times.span(), "a range goes on by `step` or by `times`, not by both"));
            None
        }
        (None, None) => {
            if keys.item("step").is_none() && keys.item("times").is_none() {
                problems.push(
                    Problem::error("toml-missing-key", at.clone(), "a range has no `step` and no `times`")
                        .hint("`step = 32` adds from one value to the next, `times = 2` multiplies"),
                );
            }
            None
        }
    };
    keys.finish(problems);
    Some(AxisRange { at, from: from?, to: to?, next: next? })
}

/// The rows given one by one.
pub(super) fn explicit(keys: &mut Keys<'_>, names: &BTreeMap<String, Span>, problems: &mut Problems) -> Vec<ExplicitRow> {
    let mut rows: Vec<ExplicitRow> = Vec::new();
    for mut table in keys.tables("rows", "a row", problems) {
        let label = table.text("label", problems);
        let at = table.at().clone();
        let mut values = Vec::new();
        // A row's names are its own, but not those of constants and axes.
        let mut taken = names.clone();
        for (name, at, item) in table.all().filter(|(name, ..)| *name != "label") {
            take_name(name, at, &mut taken, problems);
            let value = keys::expr(item, &format!("a number, a text or an expression for `{name}`"));
            values.extend(problems.note(value).map(|value| (name.to_owned(), value)));
        }
        if let Some(first) = rows.first() {
            let names = |row: &[(String, Expr)]| row.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
            if names(&first.values) != names(&values) {
                problems.push(
                    Problem::error("manifest-rows", at.clone(), "this row sets other names than the first one")
                        .related(first.at.clone(), "the first row"),
                );
            }
        }
        rows.push(ExplicitRow { at, label, values });
    }
    rows
}
