//! Turns `range(…)` into the two values that a figure goes from and to: the least and the most of a column, or of what it is given.
//!
//! Must not print. A range is two values, so that nothing can be computed from it: it stands outermost, within formatters.

use crate::base::quantity::Quantity;

use super::evaluate::{Context, column_of, quantity, rows_at_hand, value};
use super::problems;
use super::scope::{RowSet, Value};
use super::token::Fault;
use super::tree::{Argument, Call, Kind, Node};

/// The function's name.
pub(crate) const NAME: &str = "range";

fn usage(node: &Node) -> Fault {
    problems::call(node.start, node.end, "`range` is not given what it needs").hint("write `range(a, b)` or `range(rows, \"ms\")`")
}

/// The least and the most of what `call`, a call of `range`, is given.
pub(crate) fn ends(node: &Node, call: &Call, context: &Context<'_>) -> Result<(Quantity, Quantity), Fault> {
    if call.arguments.iter().any(|argument| argument.name.is_some()) {
        return Err(usage(node));
    }
    let values = match call.arguments.as_slice() {
        [Argument { value: Node { kind: Kind::Text(column), .. }, .. }] => of_column(node, rows_at_hand(node, context)?, column)?,
        [rows, Argument { value: Node { kind: Kind::Text(column), .. }, .. }] => match value(&rows.value, context)? {
            Value::Rows(rows) => of_column(node, rows, column)?,
            _ => return Err(usage(node)),
        },
        [_, _, ..] => call.arguments.iter().map(|argument| quantity(&argument.value, context)).collect::<Result<Vec<_>, _>>()?,
        _ => return Err(usage(node)),
    };
    let Some(first) = values.first() else { return Err(problems::value(node.start, node.end, "there are no rows".to_owned())) };
    if let Some(other) = values.iter().find(|other| other.dimension() != first.dimension()) {
        let why = format!("a range can't go from {} to {}", first.unit.describe(), other.unit.describe());
        return Err(Fault { id: "expr-unit", ..problems::value(node.start, node.end, why) });
    }
    let mut ends = (first, first);
    for value in &values[1..] {
        ends = (if value.is_below(ends.0) { value } else { ends.0 }, if ends.1.is_below(value) { value } else { ends.1 });
    }
    Ok((ends.0.clone(), ends.1.clone()))
}

fn of_column(node: &Node, rows: RowSet, column: &str) -> Result<Vec<Quantity>, Fault> {
    if !rows.unsure.is_empty() {
        return Err(problems::value(node.start, node.end, "the rounds can't tell which rows are meant".to_owned()));
    }
    let of = |row| match column_of(node, &row, column)? {
        Value::Quantity(value) => Ok(value),
        _ => Err(problems::kind(node.start, node.end, format!("`{column}` is no number in {}", row.title()))),
    };
    rows.sure.into_iter().map(of).collect()
}

/// That a range stands where one value is needed.
pub(crate) fn misplaced(node: &Node) -> Fault {
    problems::call(node.start, node.end, "`range` is two values, and nothing can be computed from it")
        .hint("put it outermost, or take `min(…)` or `max(…)`")
}
