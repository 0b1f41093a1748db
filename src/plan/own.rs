//! Turns what a manifest gives a row into a value that is known before any run: an exact number, or a text.
//!
//! Must not know devices.

use std::sync::Arc;

use crate::base::name;
use crate::base::problem::Problem;
use crate::base::quantity::Quantity;
use crate::expr::{Expr, Scope, Value, evaluate};

use super::values::{self, Known};

/// A row's own value.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnValue {
    /// An exact number.
    Number(Quantity),
    /// A text, such as the name of a variant.
    Text(Arc<str>),
}

impl OwnValue {
    /// The number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<&Quantity> {
        match self {
            Self::Number(number) => Some(number),
            Self::Text(_) => None,
        }
    }

    /// As expressions meet it.
    #[must_use]
    pub fn value(&self) -> Value {
        match self {
            Self::Number(number) => Value::Quantity(number.clone()),
            Self::Text(text) => Value::Text(text.clone()),
        }
    }

    /// As records hold it, so that [`OwnValue::parse`] gives it back: a number exact, with its unit; a text in quotes.
    #[must_use]
    pub fn to_exact_text(&self) -> String {
        match self {
            Self::Number(number) => number.to_exact_text().unwrap_or_default(),
            Self::Text(text) => format!("'{text}'"),
        }
    }

    /// Reads what [`OwnValue::to_exact_text`] wrote.
    ///
    /// # Errors
    /// When it is neither in quotes nor a number.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
            Some(text) => Ok(Self::Text(text.into())),
            None => Quantity::parse_exact(text).map(Self::Number),
        }
    }

    /// Its part of a label: a number's digits without the unit.
    pub(super) fn label(&self) -> String {
        match self {
            Self::Number(number) => values::digits(number),
            Self::Text(text) => text.to_string(),
        }
    }
}

/// The value that `expr` gives a row. A single word that names nothing stands for itself; one that nearly names something
/// is a slip.
pub(super) fn own(expr: &Expr, known: &Known<'_>) -> Result<OwnValue, Problem> {
    let word = expr.text().trim();
    if values::is_word(word) && known.name(word).is_none() {
        let names = known.names();
        return match name::nearest(word, names.iter().map(String::as_str)) {
            None => Ok(OwnValue::Text(word.into())),
            Some(meant) => {
                Err(Problem::error("expr-name", expr.span(), format!("there is no name `{word}` here; did you mean `{meant}`?"))
                    .hint(format!("if it is a text, write \"'{word}'\"")))
            }
        };
    }
    match evaluate(expr, known)? {
        Value::Quantity(quantity) if quantity.as_exact().is_some() => Ok(OwnValue::Number(quantity)),
        Value::Text(text) => Ok(OwnValue::Text(text)),
        _ => Err(Problem::error("expr-type", expr.span(), "expected an exact number or a text")),
    }
}
