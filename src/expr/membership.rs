//! Turns the question whether a row is another one, or one of some, into yes, no, or that the data can't tell.
//!
//! Must not know what chose the rows. A row that the data chose is one of those that may have been chosen.

use std::sync::Arc;

use super::best::Contest;
use super::evaluate::{Context, absent, describe, value};
use super::finding::{Asked, Finding, RowsFinding, TextsFinding};
use super::functions::label_of;
use super::problems;
use super::scope::{Absent, Row, RowSet, Value};
use super::token::Fault;
use super::tree::Node;

/// Whether both are the same row.
pub(crate) fn is_same(a: &Arc<dyn Row>, b: &Arc<dyn Row>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b))
}

/// `best("ms") == row('a')`
pub(crate) fn same(
    node: &Node,
    (left_node, left): (&Node, &Arc<dyn Row>),
    (right_node, right): (&Node, &Arc<dyn Row>),
    context: &Context<'_>,
) -> Result<Option<bool>, Fault> {
    match (left.contest(), right.contest()) {
        (Some(contest), None) => among(node, right_node, contest, &RowSet::of(vec![right.clone()]), context),
        (None, Some(contest)) => among(node, left_node, contest, &RowSet::of(vec![left.clone()]), context),
        (None, None) => {
            let truth = Some(is_same(left, right));
            let called = [left, right].map(|row| label_of(row).into_iter().collect());
            context.note(|| TextsFinding::at(node, [left_node, right_node], called, truth));
            Ok(truth)
        }
        (Some(_), Some(_)) => Err(problems::kind(node.start, node.end, "the data choose both rows, so that neither is given")
            .hint("name one of them: `== row('…')`")),
    }
}

/// `row('a') in near_best("ms", 5%)`
pub(crate) fn within(node: &Node, row: &Node, rows: &Node, context: &Context<'_>) -> Result<Option<bool>, Fault> {
    let chosen = match value(row, context)? {
        Value::Row(row) => row,
        other => return Err(problems::kind(row.start, row.end, format!("a row is needed here, and this is {}", describe(&other)))),
    };
    let before = context.record.map_or(0, |record| record.borrow().len());
    let set = match value(rows, context)? {
        Value::Rows(set) => set,
        other => {
            let fault = problems::kind(rows.start, rows.end, format!("rows are needed here, and this is {}", describe(&other)));
            return Err(if matches!(other, Value::Row(_)) { fault.hint("one row is compared by `==`") } else { fault });
        }
    };
    if let Some(contest) = chosen.contest() {
        return among(node, rows, contest, &set, context);
    }
    let (sure, possible) = (set.sure.iter().any(|row| is_same(row, &chosen)), set.unsure.iter().any(|row| is_same(row, &chosen)));
    let truth = if sure {
        Some(true)
    } else if possible {
        None
    } else {
        Some(false)
    };
    let (Some(record), Some(label)) = (context.record, label_of(&chosen)) else { return Ok(truth) };
    let mut said = false;
    // Of the rows that were looked at only this one is spoken of.
    for finding in record.borrow_mut().iter_mut().skip(before) {
        let Finding::Rows(found) = finding else { continue };
        found.rows.retain(|row| *row.label == *label);
        said |= !found.rows.is_empty();
        if let (None, Some(why)) = (truth, found.rows.iter().find_map(|row| row.unmeasured.clone())) {
            return Err(absent(node, Absent::unmeasured(why)));
        }
    }
    if !said {
        let values = [vec![label], set.sure.iter().filter_map(label_of).collect()];
        context.note(|| TextsFinding::at(node, [row, rows], values, truth));
    }
    Ok(truth)
}

/// Whether the best of `contest` is one of `set`.
fn among(node: &Node, given: &Node, contest: &Contest, set: &RowSet, context: &Context<'_>) -> Result<Option<bool>, Fault> {
    let inside = |row: &Arc<dyn Row>| {
        let is_in = |rows: &[Arc<dyn Row>]| rows.iter().any(|member| is_same(member, row));
        if is_in(&set.sure) {
            Some(true)
        } else if is_in(&set.unsure) {
            None
        } else {
            Some(false)
        }
    };
    let (truth, rows) = contest.among(&inside, context.levels).map_err(|why| absent(node, why))?;
    context.note(|| Finding::Rows(RowsFinding { text: given.to_string(), truth, ..RowsFinding::at(node, Asked::Best, rows) }));
    Ok(truth)
}
