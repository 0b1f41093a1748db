//! Turns one axis into its values: single ones, ranges and powers, numbers or texts.
//!
//! Must not know other axes, nor devices.

use std::cmp::Ordering;

use crate::base::problem::{Problem, Problems};
use crate::base::quantity::Quantity;
use crate::base::span::Span;
use crate::course::sweep::{Axis, AxisRange, AxisValue, Step};
use crate::expr::Expr;

use super::OwnValue;
use super::expand::MOST_ROWS;
use super::own::own;
use super::values::{self, Known};

/// The values of `axis` with the places that give them.
pub(super) fn values(axis: &Axis, constants: &[(String, Quantity)], problems: &mut Problems) -> Vec<(OwnValue, Span)> {
    let known = Known::exact(constants, &[]);
    let mut values: Vec<(OwnValue, Span)> = Vec::new();
    for entry in &axis.values {
        match entry {
            AxisValue::One(expr) => values.extend(problems.note(own(expr, &known)).map(|value| (value, expr.span()))),
            AxisValue::Range(range) => {
                let numbers = problems.note(numbers(range, &known)).unwrap_or_default();
                values.extend(numbers.into_iter().map(|number| (OwnValue::Number(number), range.at.clone())));
            }
        }
    }
    let first = values.first().map(|(value, at)| (value.number().is_none(), at.clone()));
    let other = values.iter().find(|(value, _)| first.as_ref().is_some_and(|(is_text, _)| value.number().is_none() != *is_text));
    if let (Some((_, first)), Some((value, at))) = (&first, other) {
        problems.push(mixed(&axis.name, value, at.clone(), first));
    }
    let shown = |(value, at): (OwnValue, Span)| match (value, &axis.unit) {
        (OwnValue::Number(number), Some(unit)) => match number.in_unit(unit) {
            Ok(number) => Some((OwnValue::Number(number), at)),
            Err(why) => {
                problems.push(Problem::error("manifest-unit", at, why));
                None
            }
        },
        (value, _) => Some((value, at)),
    };
    values.into_iter().filter_map(shown).collect()
}

/// The problem that the column `name` holds numbers and texts; the value at `at` is not what the one at `first` is.
pub(super) fn mixed(name: &str, value: &OwnValue, at: Span, first: &Span) -> Problem {
    let message = match value {
        OwnValue::Text(text) => format!("`{name}` has numbers, and `{text}` is a text"),
        OwnValue::Number(number) => format!("`{name}` has texts, and {} is a number", number.text()),
    };
    Problem::error("manifest-value", at, message)
        .related(first.clone(), "the first value")
        .hint("a column has numbers or texts; a number in quotes within quotes, \"'8'\", is a text")
}

/// The numbers of `range`, the first at `from`, none beyond `to`.
fn numbers(range: &AxisRange, known: &Known<'_>) -> Result<Vec<Quantity>, Problem> {
    let (from, to) = (values::quantity(&range.from, known)?, values::quantity(&range.to, known)?);
    let wrong = |expr: &Expr, why: String| Problem::error("manifest-range", expr.span(), why);
    let order = |a: &Quantity, b: &Quantity, at: &Expr| match a.compare_exact(b) {
        Ok(Some(order)) => Ok(order),
        Ok(None) => Err(wrong(at, "the bounds of a range are exact".to_owned())),
        Err(why) => Err(Problem::error("expr-unit", at.span(), why)),
    };
    if order(&from, &to, &range.to)? == Ordering::Greater {
        return Err(wrong(&range.to, format!("the range begins at {} and ends before, at {}", from.text(), to.text())));
    }
    let next = match &range.next {
        Step::Plus(expr) => {
            let step = values::quantity(expr, known)?;
            let more = from.add(&step).map_err(|why| Problem::error("expr-unit", expr.span(), why))?;
            if order(&more, &from, expr)? != Ordering::Greater {
                return Err(wrong(expr, format!("a step is more than 0, not {}", step.text())));
            }
            (expr, step)
        }
        Step::Times(expr) => {
            let factor = values::quantity(expr, known)?;
            if !factor.dimension().is_none() {
                return Err(Problem::error(
                    "expr-unit",
                    expr.span(),
                    format!("a factor is a plain number, not {}", factor.unit.describe()),
                ));
            }
            let more = from.multiply(&factor).map_err(|why| wrong(expr, why))?;
            if order(&more, &from, expr)? != Ordering::Greater {
                return Err(wrong(expr, "the range would never end: a factor is more than 1, and the first value more than 0".to_owned()));
            }
            (expr, factor)
        }
    };
    let mut numbers = vec![from];
    loop {
        let last = &numbers[numbers.len() - 1];
        let following = match &range.next {
            Step::Plus(_) => last.add(&next.1),
            Step::Times(_) => last.multiply(&next.1),
        };
        let following = following.map_err(|why| wrong(next.0, why))?;
        if order(&following, &to, &range.to)? == Ordering::Greater {
            return Ok(numbers);
        }
        if numbers.len() >= MOST_ROWS {
            return Err(wrong(next.0, format!("the range has more than {MOST_ROWS} values")));
        }
        // Sums and products may choose another way to write a value; a range is written as its first value is.
        numbers.push(Quantity { amount: following.amount, unit: numbers[0].unit.clone() });
    }
}
