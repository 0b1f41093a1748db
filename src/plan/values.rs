//! Turns a manifest's expression into an exact number of the kind that its place asks for, or into a problem at it.
//!
//! Must not know where the numbers go.

use std::sync::Arc;

use crate::base::problem::Problem;
use crate::base::quantity::{Dimension, Quantity, Rational, Unit, rational_text, rational_to_f64};
use crate::course::sweep::{ArgumentSpec, Call, Element};
use crate::expr::{Absent, Expr, Row, RowSet, Scope, Value, evaluate};

use super::OwnValue;
use super::launch::{Argument, HostCall};

/// The names that stand for something while a sweep is planned.
pub(super) struct Known<'a> {
    pub(super) constants: &'a [(String, Quantity)],
    pub(super) row: &'a [(String, OwnValue)],
    pub(super) device: Option<Arc<dyn Row>>,
    pub(super) residency: Option<Arc<dyn Row>>,
}

impl<'a> Known<'a> {
    /// Constants and the values of a row, as far as they are known.
    pub(super) fn exact(constants: &'a [(String, Quantity)], row: &'a [(String, OwnValue)]) -> Self {
        Self { constants, row, device: None, residency: None }
    }
}

impl Scope for Known<'_> {
    fn name(&self, name: &str) -> Option<Result<Value, Absent>> {
        let fact = |fact: &Option<Arc<dyn Row>>, why: &str| match fact {
            Some(row) => Ok(Value::Row(row.clone())),
            None => Err(Absent::from(why)),
        };
        match name {
            "device" => Some(fact(&self.device, "the device is not known here: this value is the same on every device")),
            "residency" => {
                Some(fact(&self.residency, "the driver can be asked for `residency` only once block and shared memory are known"))
            }
            _ => {
                let own = self.row.iter().find(|(known, _)| known == name).map(|(_, value)| Ok(value.value()));
                own.or_else(|| self.constants.iter().find(|(known, _)| known == name).map(|(_, value)| Ok(Value::Quantity(value.clone()))))
            }
        }
    }

    fn names(&self) -> Vec<String> {
        let own = self.row.iter().map(|(name, _)| name);
        let mut names: Vec<String> = own.chain(self.constants.iter().map(|(name, _)| name)).cloned().collect();
        names.extend(self.device.iter().map(|_| "device".to_owned()));
        names.extend(self.residency.iter().map(|_| "residency".to_owned()));
        names
    }

    fn rows(&self) -> Result<RowSet, Absent> {
        Err(Absent::from("there are no measured rows while a sweep is planned"))
    }
}

/// The number that `expr` is.
pub(super) fn quantity(expr: &Expr, known: &Known<'_>) -> Result<Quantity, Problem> {
    match evaluate(expr, known)? {
        Value::Quantity(quantity) if quantity.as_exact().is_some() => Ok(quantity),
        _ => Err(Problem::error("expr-type", expr.span(), "expected an exact number")),
    }
}

/// The text that `expr` is; a number is its digits. What a row's values count is left out, so that `text(items)` in a
/// kernel's name is `8` and not `8 items`.
pub(super) fn text(expr: &Expr, known: &Known<'_>) -> Result<String, Problem> {
    let plain = |(name, value): &(String, OwnValue)| {
        let counted = |number: &Quantity| number.dimension().is_none() && number.unit.scale == Rational::from_integer(1);
        let value = match value {
            OwnValue::Number(number) if counted(number) => OwnValue::Number(Quantity { amount: number.amount.clone(), unit: Unit::bare() }),
            other => other.clone(),
        };
        (name.clone(), value)
    };
    let row: Vec<_> = known.row.iter().map(plain).collect();
    let known = &Known { constants: known.constants, row: &row, device: known.device.clone(), residency: known.residency.clone() };
    match evaluate(expr, known)? {
        Value::Text(text) => Ok(text.to_string()),
        Value::Quantity(quantity) if quantity.as_exact().is_some() => Ok(digits(&quantity)),
        _ => Err(Problem::error("expr-type", expr.span(), "expected text or an exact number")),
    }
}

/// Whether `text` is one word that could be a name.
pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// An exact number's digits in its own unit, without the unit.
pub(super) fn digits(quantity: &Quantity) -> String {
    let text = quantity.to_exact_text().unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// The whole number from `least` to `most` that `expr` is, counted in base units of `dimension`; `what` names it.
pub(super) fn whole(
    expr: &Expr,
    known: &Known<'_>,
    what: &str,
    dimension: Dimension,
    (least, most): (i128, i128),
) -> Result<i128, Problem> {
    let quantity = quantity(expr, known)?;
    if quantity.dimension() != dimension && quantity.as_integer() != Some(0) {
        let problem = Problem::error("expr-unit", expr.span(), format!("{what} can't be {}", quantity.unit.describe()));
        return Err(match dimension {
            Dimension::BYTES => problem.hint("say what it counts, as in `16 B * pixels`"),
            Dimension::FLOP => problem.hint("say what it counts, as in `5 FLOP * pixels`"),
            _ => problem.hint("a number without a unit is needed"),
        });
    }
    in_range(expr, &quantity, what, (least, most))
}

fn in_range(expr: &Expr, quantity: &Quantity, what: &str, (least, most): (i128, i128)) -> Result<i128, Problem> {
    match quantity.as_integer() {
        Some(whole) if (least..=most).contains(&whole) => Ok(whole),
        _ => {
            let found = quantity.as_exact().map(rational_text).unwrap_or_default();
            Err(Problem::error("manifest-range", expr.span(), format!("{what} is a whole number from {least} to {most}, not {found}")))
        }
    }
}

/// The arguments of a call or a launch. Each must fit its C type.
pub(super) fn arguments(specs: &[ArgumentSpec], known: &Known<'_>) -> Result<Vec<Argument>, Problem> {
    specs
        .iter()
        .map(|spec| match spec {
            ArgumentSpec::Buffer(name, _) => Ok(Argument::Buffer(name.clone())),
            ArgumentSpec::Scalar(element, expr) => scalar(*element, expr, known),
        })
        .collect()
}

fn scalar(element: Element, expr: &Expr, known: &Known<'_>) -> Result<Argument, Problem> {
    let quantity = quantity(expr, known)?;
    let what = format!("a scalar of the type {} ({})", element.name(), element.c_type());
    let whole = |least: i128, most: i128| in_range(expr, &quantity, &what, (least, most));
    let misfit = || Problem::error("manifest-range", expr.span(), format!("the number does not fit {what}"));
    let real = || quantity.as_exact().map(rational_to_f64).filter(|number| number.is_finite()).ok_or_else(misfit);
    Ok(match element {
        Element::U32 | Element::U8 | Element::U16 => Argument::U32(whole(0, u32::MAX.into())?.try_into().map_err(|_| misfit())?),
        Element::I32 | Element::I8 | Element::I16 => {
            Argument::I32(whole(i32::MIN.into(), i32::MAX.into())?.try_into().map_err(|_| misfit())?)
        }
        Element::U64 => Argument::U64(whole(0, u64::MAX.into())?.try_into().map_err(|_| misfit())?),
        Element::I64 => Argument::I64(whole(i64::MIN.into(), i64::MAX.into())?.try_into().map_err(|_| misfit())?),
        #[expect(clippy::cast_possible_truncation, reason = "a float argument is the nearest float")]
        Element::F32 => Argument::F32(Some(real()? as f32).filter(|number| number.is_finite()).ok_or_else(misfit)?),
        Element::F64 => Argument::F64(real()?),
    })
}

/// A call of the host with its scalars known.
pub(super) fn host_call(call: &Call, known: &Known<'_>) -> Result<HostCall, Problem> {
    Ok(HostCall { function: call.function.clone(), arguments: arguments(&call.arguments, known)? })
}
