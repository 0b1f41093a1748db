//! Turns conditions into yes, no, or that the data can't tell, with all that they stand on.
//!
//! Must not know where values come from, nor what is said of them.

use std::cell::RefCell;
use std::sync::Arc;

use crate::base::quantity::{Quantity, Rational, rational_to_f64};

use super::compare::{Relation, TestKind, decide_quantities};
use super::evaluate::{Context, absent, describe, value};
use super::finding::{Asked, Comparison, Finding, RowFinding, RowsFinding, TextsFinding};
use super::functions::label_of;
use super::levels::Levels;
use super::membership;
use super::problems::{self, NOT_MEASURED};
use super::scope::{Place, Row, RowScope, RowSet, Scope, Value};
use super::token::Fault;
use super::tree::{Kind, Node, Operator};

const ONE: Rational = Rational::new_raw(1, 1);

/// A condition as it was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Whether it holds; `None` if the data can't tell.
    pub truth: Option<bool>,
    /// What it stands on, in the author's order.
    pub findings: Vec<Finding>,
}

pub(crate) fn decide(root: &Node, scope: &dyn Scope, levels: Levels) -> Result<Decision, Fault> {
    let record = RefCell::new(Vec::new());
    let truth = truth(root, &Context { scope, levels, record: Some(&record) })?;
    Ok(Decision { truth, findings: record.into_inner() })
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

/// All of the conditions that `and` joins, or any of those that `or` does.
pub(crate) fn junction(node: &Node, operator: Operator, context: &Context<'_>) -> Result<Option<bool>, Fault> {
    let mut parts = Vec::new();
    operands(node, operator, &mut parts);
    let all = operator == Operator::And;
    let levels = if all { context.levels.all_of(parts.len()) } else { context.levels.any_of(parts.len()) };
    let mut truths = Vec::new();
    for part in parts {
        truths.push(truth(part, &context.at(levels))?);
    }
    Ok(if all { all_true(truths) } else { any_true(truths) })
}

fn operands<'a>(node: &'a Node, operator: Operator, parts: &mut Vec<&'a Node>) {
    match &node.kind {
        Kind::Binary(own, left, right) if *own == operator => {
            operands(left, operator, parts);
            operands(right, operator, parts);
        }
        _ => parts.push(node),
    }
}

/// Whether all are true, as far as that is known.
pub(crate) fn all_true(truths: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    any_true(truths.into_iter().map(|truth| truth.map(|truth| !truth))).map(|truth| !truth)
}

/// Whether any is true, as far as that is known.
pub(crate) fn any_true(truths: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut open = false;
    for truth in truths {
        match truth {
            Some(true) => return Some(true),
            Some(false) => {}
            None => open = true,
        }
    }
    if open { None } else { Some(false) }
}

pub(crate) fn relation(operator: Operator) -> Option<Relation> {
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

pub(crate) fn compare(node: &Node, relation: Relation, left: &Node, right: &Node, context: &Context<'_>) -> Result<Value, Fault> {
    let truth = match (value(left, context)?, value(right, context)?) {
        (Value::Quantity(a), Value::Quantity(b)) => compare_quantities(node, relation, (left, a), (right, b), context)?,
        (Value::Place(a), Value::Quantity(b)) => {
            compare_place(a, |at| compare_quantities(node, relation, (left, at), (right, b), context))?
        }
        (Value::Quantity(a), Value::Place(b)) => {
            compare_place(b, |at| compare_quantities(node, relation, (left, a), (right, at), context))?
        }
        (Value::Row(a), Value::Row(b)) if relation == Relation::Equal => membership::same(node, (left, &a), (right, &b), context)?,
        (Value::Row(a), Value::Row(b)) if relation == Relation::Unequal => {
            let turned = context.at(context.levels.turned());
            membership::same(node, (left, &a), (right, &b), &turned)?.map(|same| !same)
        }
        (a, b) => {
            let truth = match (texts(&a), texts(&b), relation) {
                (Some(a), Some(b), Relation::Equal) => same_text(&a, &b),
                (Some(a), Some(b), Relation::Unequal) => same_text(&a, &b).map(|same| !same),
                _ => {
                    let fault = problems::kind(node.start, node.end, format!("{} can't be compared with {}", describe(&a), describe(&b)));
                    return Err(if matches!(a, Value::Row(_)) { fault.hint("compare a column of the row: `.ms < …`") } else { fault });
                }
            };
            context.note(|| TextsFinding::at(node, [left, right], [a, b].map(|side| texts(&side).unwrap_or_default()), truth));
            truth
        }
    };
    Ok(Value::Truth(truth))
}

/// A comparison with a place that may not exist: it holds only if there is a place, and holds there.
fn compare_place(place: Place, compare: impl FnOnce(Quantity) -> Result<Option<bool>, Fault>) -> Result<Option<bool>, Fault> {
    let Some(at) = place.at else { return Ok(Some(false)) };
    Ok(compare(at)?.filter(|truth| !truth))
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
    let (truth, test) = decide_quantities(relation, &left, &right, context.levels).map_err(|why| {
        let fault = absent(node, why);
        if left.dimension() == right.dimension() { fault } else { Fault { id: "expr-unit", ..fault } }
    })?;
    context.note(|| {
        let range = (node.start, node.end);
        let (left, right) = (Side::of(left_node, left), Side::of(right_node, right));
        let both = left.quantity.is_measured() && right.quantity.is_measured();
        let is_ratio = test.as_ref().is_some_and(|test| test.kind == TestKind::Ratio);
        let (left, right, times) = if both && is_ratio { Side::without_factors(left, right) } else { (left, right, ONE) };
        let test = test.map(|test| test.scaled(rational_to_f64(times)));
        Finding::Comparison(Box::new(Comparison {
            relation,
            left: left.quantity,
            right: right.quantity,
            left_text: left.text,
            right_text: right.text,
            times,
            range,
            truth,
            test,
        }))
    });
    Ok(truth)
}

/// A side of a comparison, to be spoken of.
struct Side<'a> {
    node: &'a Node,
    quantity: Quantity,
    text: String,
}

impl<'a> Side<'a> {
    fn of(node: &'a Node, quantity: Quantity) -> Self {
        Self { node, quantity, text: node.to_string() }
    }

    /// Of `a` and `1.3 * b` the sides `a` and `b`, and 1.3.
    fn without_factors(left: Self, right: Self) -> (Self, Self, Rational) {
        let (one, two) = (left.factor(), right.factor());
        let times = two.0.divide(&one.0).ok().and_then(|times| times.as_exact());
        match times {
            Some(times) => (one.1.unwrap_or(left), two.1.unwrap_or(right), times),
            None => (left, right, ONE),
        }
    }

    /// Of `1.3 * b` 1.3, and the side `b`; one of what is no such product.
    fn factor(&self) -> (Quantity, Option<Self>) {
        let literal = |node: &Node| match &node.kind {
            Kind::Number(amount, unit) if unit.dimension.is_none() && *amount.numer() > 0 => Quantity::exact(*amount, unit.clone()).ok(),
            _ => None,
        };
        let found = if let Kind::Binary(Operator::Multiply, a, b) = &self.node.kind {
            literal(a).map(|times| (times, b)).or_else(|| literal(b).map(|times| (times, a)))
        } else {
            None
        };
        let side = found.and_then(|(times, node)| {
            let quantity = self.quantity.divide(&times).ok()?;
            Some((times, Self { node, quantity, text: node.to_string() }))
        });
        side.map_or((Quantity::count(1), None), |(times, side)| (times, Some(side)))
    }
}

/// What `predicate` is worth in `row`, and what that stands on; `None` and the reason where the row has no value.
pub(crate) fn in_row(row: &Arc<dyn Row>, predicate: &Node, context: &Context<'_>, levels: Levels) -> Result<RowFinding, Fault> {
    let scope = RowScope { row: row.clone(), outer: context.scope };
    let record = RefCell::new(Vec::new());
    let decided = truth(predicate, &Context { scope: &scope, levels, record: context.record.map(|_| &record) });
    let label = label_of(row).map_or_else(|| row.title(), |label| label.to_string());
    match decided {
        Ok(truth) => Ok(RowFinding { label, truth, findings: record.into_inner(), unmeasured: None }),
        // A row without a value may have fulfilled it, had it been measured.
        Err(fault) if fault.id == NOT_MEASURED => {
            Ok(RowFinding { label, truth: None, findings: Vec::new(), unmeasured: Some(fault.message) })
        }
        Err(fault) => Err(fault),
    }
}

/// The rows that fulfil `predicate`, its comparisons sharing the level.
pub(crate) fn choose(node: &Node, rows: &Node, predicate: &Node, context: &Context<'_>) -> Result<RowSet, Fault> {
    let rows_value = value(rows, context)?;
    let Value::Rows(set) = rows_value else {
        let fault = problems::kind(rows.start, rows.end, format!("`where` chooses among rows, and this is {}", describe(&rows_value)));
        let is_in = matches!(rows.kind, Kind::Binary(Operator::In, ..));
        return Err(if is_in { fault.hint("put the rows in parentheses: `… in (rows where …)`") } else { fault });
    };
    let levels = context.levels.each_of(set.sure.len() + set.unsure.len());
    let mut chosen = RowSet::default();
    let mut found = Vec::new();
    for (row, sure) in set.members() {
        let finding = in_row(row, predicate, context, levels)?;
        match (finding.truth, sure) {
            (Some(true), true) => chosen.sure.push(row.clone()),
            (Some(false), _) => {}
            _ => chosen.unsure.push(row.clone()),
        }
        found.push(finding);
    }
    // Rows that plan and device choose leave nothing to be said.
    let by_data = |row: &RowFinding| {
        let mut tested = row.unmeasured.is_some();
        row.findings.iter().for_each(|finding| finding.walk(&mut |comparison| tested |= comparison.test.is_some()));
        tested
    };
    if found.iter().any(by_data) {
        context.note(|| Finding::Rows(RowsFinding::at(node, Asked::Where, found)));
    }
    Ok(chosen)
}
