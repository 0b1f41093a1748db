//! Turns a chart's `marks` into reference lines: a value on one of its axes, and what it is called.
//!
//! Must not draw. A value is an expression, so that a line moves with the card and with the evidence.

use crate::base::problem::Problems;
use crate::base::quantity::{Quantity, Unit};
use crate::base::slice::Slice;
use crate::course::keys::Keys;
use crate::expr::{Expr, Value};
use crate::pages::caption;
use crate::pages::figure;
use crate::pages::html::{in_its_direction, plain};
use crate::pages::page::Page;
use crate::pages::plot::{Along, Mark, Spacing};
use crate::pages::problems;

use super::columns::Column;

/// A mark as written.
pub(super) struct Wanted {
    along: Along,
    value: Expr,
    label: Option<Slice>,
}

/// A mark with its words.
pub(super) struct Marked {
    /// The axis that its value lies on.
    pub along: Along,
    /// What it is called; may be empty.
    pub label: String,
    /// Its value, as a figure shows it.
    pub value: String,
    /// Where that is, in the column's unit; `None` for what was not measured.
    at: Option<f64>,
}

impl Marked {
    /// Label and value.
    pub(super) fn words(&self) -> String {
        match self.label.as_str() {
            "" => self.value.clone(),
            label => in_its_direction(label, &format!(": {}", self.value)),
        }
    }

    /// As it is drawn; what has no value is not.
    pub(super) fn drawn(&self) -> Option<Mark> {
        Some(Mark { along: self.along, at: self.at?, name: self.words() })
    }
}

/// The marks that a chart's options ask for.
pub(super) fn wanted(keys: &mut Keys<'_>, problems: &mut Problems) -> Vec<Wanted> {
    let tables = keys.tables("marks", "a mark", problems);
    let mark = |mut keys: Keys<'_>| {
        let before = problems.errors();
        let (x, y) = (keys.expr("x", problems), keys.expr("y", problems));
        let label = keys.text("label", problems);
        let at = keys.at().clone();
        keys.finish(problems);
        let (along, value) = match (x, y) {
            (Some(value), None) => (Along::X, value),
            (None, Some(value)) => (Along::Y, value),
            (None, None) if problems.errors() > before => return None,
            _ => {
                problems.push(problems::one_axis(&at));
                return None;
            }
        };
        Some(Wanted { along, value, label })
    };
    tables.into_iter().filter_map(mark).collect()
}

/// `wanted` with their values, on axes of `x` and `y`; what has no place there is a problem.
pub(super) fn marked(wanted: &[Wanted], x: (&Column, Spacing), y: (&Column, Spacing), page: &mut Page<'_>) -> Vec<Marked> {
    let mark = |wanted: &Wanted| {
        let label = wanted.label.as_ref().map(|label| plain(&caption::html(label, page))).unwrap_or_default();
        let Ok(figured) = figure::value(&wanted.value, page) else {
            return Some(Marked { along: wanted.along, label, value: page.words.outcomes.unmeasured.to_owned(), at: None });
        };
        for run in page.runs_behind(&wanted.value, &figured.value) {
            page.cite(&run);
        }
        let (column, spacing) = if wanted.along == Along::X { x } else { y };
        let at = match &figured.value {
            Value::Quantity(quantity) => place(quantity, column, spacing),
            _ => Err("it is no number".to_owned()),
        };
        match at {
            Ok(at) => Some(Marked { along: wanted.along, label, value: figured.text, at: Some(at) }),
            Err(why) => {
                page.problems.push(problems::no_place(&column.name, &why, &wanted.value.span()));
                None
            }
        }
    };
    wanted.iter().filter_map(mark).collect()
}

/// Where `quantity` lies along an axis of `column`.
fn place(quantity: &Quantity, column: &Column, spacing: Spacing) -> Result<f64, String> {
    if spacing == Spacing::Category {
        return Err("its places are names, with nothing between them".to_owned());
    }
    let unit = column.unit.clone().unwrap_or_else(Unit::bare);
    let at = quantity.in_unit(&unit)?.number_in(&unit).ok_or("the data leave it open")?;
    let logarithmic = matches!(spacing, Spacing::Log2 | Spacing::Log10);
    if logarithmic && at <= 0.0 { Err("a logarithmic axis has only what is above zero".to_owned()) } else { Ok(at) }
}
