//! Turns a tree and a scope into a value, part by part.
//!
//! Must not know where values come from, nor how they are printed.

use std::cell::RefCell;
use std::sync::Arc;

use crate::base::quantity::{Quantity, Unit};

use super::compare::{Comparison, Relation, decide_quantities};
use super::functions;
use super::problems::{self, NOT_MEASURED};
use super::scope::{Absent, Row, RowScope, RowSet, Scope, Value};
use super::token::Fault;
use super::tree::{Kind, Node, Operator};

/// A condition as it was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Whether it holds; `None` if the data can't tell.
    pub truth: Option<bool>,
    /// The comparisons it stands on, in the author's order.
    pub comparisons: Vec<Comparison>,
}

/// Where a part of an expression is evaluated.
pub(crate) struct Context<'a> {
    pub(crate) scope: &'a dyn Scope,
    /// The chance of a wrong answer that a comparison may take.
    pub(crate) alpha: f64,
    /// Collects the comparisons of a condition; nothing inside predicates over rows.
    pub(crate) record: Option<&'a RefCell<Vec<Comparison>>>,
}

impl Context<'_> {
    fn sharing(&self, parts: usize) -> Context<'_> {
        Context { scope: self.scope, alpha: self.alpha / parts.max(1) as f64, record: self.record }
    }
}

pub(crate) fn decide(root: &Node, scope: &dyn Scope, alpha: f64) -> Result<Decision, Fault> {
    let record = RefCell::new(Vec::new());
    let truth = truth(root, &Context { scope, alpha, record: Some(&record) })?;
    Ok(Decision { truth, comparisons: record.into_inner() })
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
        Kind::Not(part) => Ok(Value::Truth(truth(part, context)?.map(|truth| !truth))),
        Kind::Binary(Operator::And, left, right) => {
            let (left, right) = (truth(left, context)?, truth(right, context)?);
            Ok(Value::Truth(match (left, right) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }))
        }
        Kind::Binary(Operator::Or, left, right) => {
            let shared = context.sharing(2);
            let (left, right) = (truth(left, &shared)?, truth(right, &shared)?);
            Ok(Value::Truth(match (left, right) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }))
        }
        Kind::Binary(operator, left, right) => match relation(*operator) {
            Some(relation) => compare(node, relation, left, right, context),
            None => arithmetic(node, *operator, left, right, context),
        },
        Kind::Where(rows, predicate) => choose(rows, predicate, context).map(Value::Rows),
    }
}

fn relation(operator: Operator) -> Option<Relation> {
    Some(match operator {
        Operator::Equal => Relation::Equal,
        Operator::Unequal => Relation::Unequal,
        Operator::Less => Relation::Less,
        Operator::LessEqual => Relation::LessEqual,
        Operator::Greater => Relation::Greater,
        Operator::GreaterEqual => Relation::GreaterEqual,
        _ => return None,
    })
}

/// What a value is called in messages.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Quantity(quantity) => quantity.unit.describe(),
        Value::Text(_) | Value::OneOf(_) => "a text".to_owned(),
        Value::Truth(_) => "a yes or no".to_owned(),
        Value::Row(row) => format!("a row ({})", row.title()),
        Value::Rows(_) => "a list of rows".to_owned(),
    }
}

pub(crate) fn quantity(node: &Node, context: &Context<'_>) -> Result<Quantity, Fault> {
    match value(node, context)? {
        Value::Quantity(quantity) => Ok(quantity),
        other => Err(problems::kind(node.start, node.end, format!("a number is needed here, and this is {}", describe(&other)))),
    }
}

pub(crate) fn truth(node: &Node, context: &Context<'_>) -> Result<Option<bool>, Fault> {
    match value(node, context)? {
        Value::Truth(truth) => Ok(truth),
        other => {
            let fault = problems::kind(node.start, node.end, format!("a condition is needed here, and this is {}", describe(&other)));
            Err(fault.hint("compare it with something: `… >= 1.2`"))
        }
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
        Value::Rows(RowSet { values: Some(values), .. }) if values.columns().iter().any(|name| name == column) => {
            column_of(node, &values, column)
        }
        Value::Rows(rows) if column == "rows" => Ok(Value::Rows(rows)),
        // What no row has either can only be meant for these values.
        Value::Rows(RowSet { values: Some(values), sure, .. })
            if !functions::exists(column) && !sure.iter().any(|row| row.columns().iter().any(|name| name == column)) =>
        {
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
    let known = row.columns();
    if !known.iter().any(|name| name == column) {
        return Err(problems::no_name(
            node.start,
            node.end,
            &format!("column of {}", row.title()),
            column,
            known.iter().map(String::as_str),
        ));
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

fn compare(node: &Node, relation: Relation, left: &Node, right: &Node, context: &Context<'_>) -> Result<Value, Fault> {
    match (value(left, context)?, value(right, context)?) {
        (Value::Quantity(a), Value::Quantity(b)) => compare_quantities(node, relation, (left, a), (right, b), context).map(Value::Truth),
        (a, b) => match (texts(&a), texts(&b), relation) {
            (Some(a), Some(b), Relation::Equal) => Ok(Value::Truth(same_text(&a, &b))),
            (Some(a), Some(b), Relation::Unequal) => Ok(Value::Truth(same_text(&a, &b).map(|same| !same))),
            _ => {
                let fault = problems::kind(node.start, node.end, format!("{} can't be compared with {}", describe(&a), describe(&b)));
                Err(if matches!(a, Value::Row(_)) { fault.hint("compare a column of the row: `.label == '…'`") } else { fault })
            }
        },
    }
}

fn texts(value: &Value) -> Option<Vec<Arc<str>>> {
    match value {
        Value::Text(text) => Some(vec![text.clone()]),
        Value::OneOf(texts) => Some(texts.clone()),
        _ => None,
    }
}

fn same_text(a: &[Arc<str>], b: &[Arc<str>]) -> Option<bool> {
    match (a, b) {
        ([a], [b]) => Some(a == b),
        _ if !a.iter().any(|text| b.contains(text)) => Some(false),
        _ => None,
    }
}

/// Decides a comparison and, in a condition, notes it.
pub(crate) fn compare_quantities(
    node: &Node,
    relation: Relation,
    (left_node, left): (&Node, Quantity),
    (right_node, right): (&Node, Quantity),
    context: &Context<'_>,
) -> Result<Option<bool>, Fault> {
    let (truth, test) = decide_quantities(relation, &left, &right, context.alpha).map_err(|why| {
        let fault = absent(node, why);
        if left.dimension() == right.dimension() { fault } else { Fault { id: "expr-unit", ..fault } }
    })?;
    if let Some(record) = context.record {
        let range = (node.start, node.end);
        let (left_text, right_text) = (left_node.to_string(), right_node.to_string());
        record.borrow_mut().push(Comparison { relation, left, right, left_text, right_text, range, truth, test });
    }
    Ok(truth)
}

/// The rows that fulfil `predicate`, its comparisons sharing the level.
fn choose(rows: &Node, predicate: &Node, context: &Context<'_>) -> Result<RowSet, Fault> {
    let rows_value = value(rows, context)?;
    let Value::Rows(set) = rows_value else {
        return Err(problems::kind(rows.start, rows.end, format!("`where` chooses among rows, and this is {}", describe(&rows_value))));
    };
    let alpha = context.alpha / (set.sure.len() + set.unsure.len()).max(1) as f64;
    let mut chosen = RowSet::default();
    for (row, sure) in set.sure.into_iter().map(|row| (row, true)).chain(set.unsure.into_iter().map(|row| (row, false))) {
        let scope = RowScope { row: row.clone(), outer: context.scope };
        let fulfils = match truth(predicate, &Context { scope: &scope, alpha, record: None }) {
            Ok(truth) => truth,
            // A row without a value may have fulfilled it, had it been measured.
            Err(fault) if fault.id == NOT_MEASURED => None,
            Err(fault) => return Err(fault),
        };
        match (fulfils, sure) {
            (Some(true), true) => chosen.sure.push(row),
            (Some(false), _) => {}
            _ => chosen.unsure.push(row),
        }
    }
    Ok(chosen)
}

/// A plain exact number, for arguments such as digits.
pub(crate) fn whole_argument(node: &Node, context: &Context<'_>, most: i128) -> Result<u8, Fault> {
    let wrong = || problems::call(node.start, node.end, format!("a whole number from 0 to {most} is needed here"));
    let number = quantity(node, context)?;
    let plain = number.unit == Unit::bare();
    number.as_integer().filter(|number| plain && (0..=most).contains(number)).and_then(|number| u8::try_from(number).ok()).ok_or_else(wrong)
}
