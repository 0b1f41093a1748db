//! Turns a tree and a scope into a value, part by part.
//!
//! Must not know where values come from, nor how they are printed.

use std::cell::RefCell;
use std::sync::Arc;

use crate::base::quantity::{Quantity, Unit};

use super::condition::{choose, compare, junction, relation, truth};
use super::finding::Finding;
use super::functions;
use super::levels::Levels;
use super::membership;
use super::problems::{self, NOT_MEASURED};
use super::scope::{Absent, Row, RowSet, Scope, Value};
use super::token::Fault;
use super::tree::{Kind, Node, Operator};

/// Where a part of an expression is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) scope: &'a dyn Scope,
    /// The chances of a wrong answer that a comparison may take.
    pub(crate) levels: Levels,
    /// Collects what a condition stands on.
    pub(crate) record: Option<&'a RefCell<Vec<Finding>>>,
}

impl Context<'_> {
    pub(crate) fn at(self, levels: Levels) -> Self {
        Self { levels, ..self }
    }

    pub(crate) fn note(&self, finding: impl FnOnce() -> Finding) {
        if let Some(record) = self.record {
            record.borrow_mut().push(finding());
        }
    }
}

/// The value of `node`.
pub(crate) fn value(node: &Node, context: &Context<'_>) -> Result<Value, Fault> {
    match &node.kind {
        Kind::Number(amount, unit) => {
            Quantity::exact(*amount, unit.clone()).map(Value::Quantity).map_err(|why| problems::value(node.start, node.end, why))
        }
        Kind::Text(text) => Ok(Value::Text(text.as_str().into())),
        Kind::Truth(truth) => Ok(Value::Truth(Some(*truth))),
        Kind::Name(name) => self::name(node, name, context),
        Kind::Member(on, column) => member(node, on, column, context),
        Kind::Call(call) => functions::call(node, call, context),
        Kind::Negate(part) => {
            let part = quantity(part, context)?;
            part.negate().map(Value::Quantity).map_err(|why| problems::value(node.start, node.end, why))
        }
        Kind::Not(part) => Ok(Value::Truth(truth(part, &context.at(context.levels.turned()))?.map(|truth| !truth))),
        Kind::Binary(operator @ (Operator::And | Operator::Or), ..) => junction(node, *operator, context).map(Value::Truth),
        Kind::Binary(Operator::In, row, rows) => membership::within(node, row, rows, context).map(Value::Truth),
        Kind::Binary(operator, left, right) => match relation(*operator) {
            Some(relation) => compare(node, relation, left, right, context),
            None => arithmetic(node, *operator, left, right, context),
        },
        Kind::Where(rows, predicate) => choose(node, rows, predicate, context).map(Value::Rows),
    }
}

/// What a value is called in messages.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Quantity(quantity) => quantity.unit.describe(),
        Value::Text(_) | Value::OneOf(_) => "a text".to_owned(),
        Value::Truth(_) => "a yes or no".to_owned(),
        Value::Row(row) => format!("a row ({})", row.title()),
        Value::Rows(_) => "a list of rows".to_owned(),
        Value::Place(_) => "a place that may be nowhere".to_owned(),
    }
}

pub(crate) fn quantity(node: &Node, context: &Context<'_>) -> Result<Quantity, Fault> {
    match value(node, context)? {
        Value::Quantity(quantity) => Ok(quantity),
        Value::Place(place) => Err(problems::value(node.start, node.end, place.why)),
        other => Err(problems::kind(node.start, node.end, format!("a number is needed here, and this is {}", describe(&other)))),
    }
}

/// The fault at `node` that says why there is no value.
pub(crate) fn absent(node: &Node, absent: Absent) -> Fault {
    let id = if absent.unmeasured { NOT_MEASURED } else { "expr-value" };
    Fault { id, ..Fault::syntax(node.start, node.end, absent.why) }
}

/// The rows at hand.
pub(crate) fn rows_at_hand(node: &Node, context: &Context<'_>) -> Result<RowSet, Fault> {
    context.scope.rows().map_err(|why| absent(node, why))
}

fn name(node: &Node, name: &str, context: &Context<'_>) -> Result<Value, Fault> {
    if let Some(found) = context.scope.name(name) {
        return found.map_err(|why| absent(node, why));
    }
    if name == "rows" {
        return rows_at_hand(node, context).map(Value::Rows);
    }
    let known = context.scope.names();
    let fault = problems::no_name(node.start, node.end, "name", name, known.iter().map(String::as_str));
    Err(if functions::exists(name) { fault.hint(format!("`{name}` is a function: `{name}(…)`")) } else { fault })
}

fn member(node: &Node, on: &Node, column: &str, context: &Context<'_>) -> Result<Value, Fault> {
    match value(on, context)? {
        Value::Row(row) => column_of(node, &row, column),
        Value::Rows(RowSet { values: Some(values), .. }) if values.has(column) => column_of(node, &values, column),
        Value::Rows(rows) if column == "rows" => Ok(Value::Rows(rows)),
        // What no row has either can only be meant for these values.
        Value::Rows(RowSet { values: Some(values), sure, .. }) if !functions::exists(column) && !sure.iter().any(|row| row.has(column)) => {
            column_of(node, &values, column)
        }
        Value::Rows(_) if functions::exists(column) => {
            Err(problems::kind(node.start, node.end, format!("`{column}` is a function")).hint(format!("write `.{column}(…)`")))
        }
        Value::Rows(_) => {
            let fault = problems::kind(node.start, node.end, format!("`{column}` is a column of a row, and these are many rows"));
            Err(fault.hint(format!("choose one: `.row('…').{column}` or `.best(\"…\").{column}`")))
        }
        other => Err(problems::kind(node.start, node.end, format!("only rows have columns, and this is {}", describe(&other)))),
    }
}

/// The value of `column` in `row`, asked for at `node`.
pub(crate) fn column_of(node: &Node, row: &Arc<dyn Row>, column: &str) -> Result<Value, Fault> {
    if !row.has(column) {
        let (what, known) = (format!("column of {}", row.title()), row.columns());
        return Err(problems::no_name(node.start, node.end, &what, column, known.iter().map(String::as_str)));
    }
    row.column(column).map_err(|why| absent(node, why))
}

fn arithmetic(node: &Node, operator: Operator, left: &Node, right: &Node, context: &Context<'_>) -> Result<Value, Fault> {
    let operands = (value(left, context)?, value(right, context)?);
    if let (Operator::Add, (Value::Text(a), Value::Text(b))) = (operator, &operands) {
        return Ok(Value::Text(format!("{a}{b}").into()));
    }
    if let (Operator::Add, (Value::Text(text), Value::Quantity(number)) | (Value::Quantity(number), Value::Text(text))) =
        (operator, &operands)
    {
        // A label or a template's name: `'scale<' + items + '>'`; the bare whole number is meant.
        let whole = number.as_integer().ok_or_else(|| problems::kind(node.start, node.end, "only exact whole numbers join texts"))?;
        let number_first = matches!(operands.0, Value::Quantity(_));
        return Ok(Value::Text(if number_first { format!("{whole}{text}") } else { format!("{text}{whole}") }.into()));
    }
    let number = |value: Value, node: &Node| match value {
        Value::Quantity(quantity) => Ok(quantity),
        other => Err(problems::kind(node.start, node.end, format!("a number is needed here, and this is {}", describe(&other)))),
    };
    let (a, b) = (number(operands.0, left)?, number(operands.1, right)?);
    let result = match operator {
        Operator::Add => a.add(&b),
        Operator::Subtract => a.subtract(&b),
        Operator::Multiply => a.multiply(&b),
        Operator::Divide => a.divide(&b),
        Operator::DivideFloor => a.divide_floor(&b),
        Operator::Remainder => a.remainder(&b),
        _ => a.power(&b),
    };
    result.map(Value::Quantity).map_err(|why| {
        let id = if a.dimension() != b.dimension()
            && matches!(operator, Operator::Add | Operator::Subtract | Operator::DivideFloor | Operator::Remainder)
        {
            "expr-unit"
        } else {
            "expr-value"
        };
        Fault { id, ..problems::value(node.start, node.end, why) }
    })
}

/// A plain exact number, for arguments such as digits.
pub(crate) fn whole_argument(node: &Node, context: &Context<'_>, most: i128) -> Result<u8, Fault> {
    let wrong = || problems::call(node.start, node.end, format!("a whole number from 0 to {most} is needed here"));
    let number = quantity(node, context)?;
    let plain = number.unit == Unit::bare();
    number.as_integer().filter(|number| plain && (0..=most).contains(number)).and_then(|number| u8::try_from(number).ok()).ok_or_else(wrong)
}
