//! Turns the question whether a row is another one, or one of some, into yes, no, or that the data can't tell.
//!
//! Must not know what chose the rows. A row that the data chose is one of those that may have been chosen.

use std::sync::Arc;

use super::best::Contest;
use super::evaluate::{Context, absent, describe, value};
use super::finding::{Asked, Finding, RowsFinding};
use super::functions::label_of;
use super::problems;
use super::scope::{Row, RowSet, Value};
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
        (None, None) => Ok(Some(is_same(left, right))),
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
    if let (Some(record), Some(label)) = (context.record, label_of(&chosen)) {
        // Of the rows that were looked at only this one is spoken of.
        for finding in record.borrow_mut().iter_mut().skip(before) {
            if let Finding::Rows(found) = finding {
                found.rows.retain(|row| *row.label == *label);
            }
        }
    }
    let (sure, possible) = (set.sure.iter().any(|row| is_same(row, &chosen)), set.unsure.iter().any(|row| is_same(row, &chosen)));
    Ok(if sure {
        Some(true)
    } else if possible {
        None
    } else {
        Some(false)
    })
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
