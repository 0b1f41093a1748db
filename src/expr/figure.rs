//! Turns an expression's value into the text that a reader sees, by the formatters around it.
//!
//! Must not know where on a page it stands.

use std::sync::Arc;

use crate::base::quantity::{Format, Quantity, Style, Unit};

use super::ALPHA;
use super::evaluate::{Context, describe, quantity, value, whole_argument};
use super::functions::label_of;
use super::levels::Levels;
use super::problems;
use super::range;
use super::scope::{Scope, Value};
use super::token::Fault;
use super::tree::{Call, Kind, Node};

/// What stands behind `|`.
pub(crate) const FORMATTERS: [&str; 5] = ["fixed", "digits", "percent", "times", "unit"];

/// The most digits that a formatter gives.
const MOST_DIGITS: i128 = 15;

/// A value and how it prints.
#[derive(Clone)]
pub struct Figured {
    /// The value, in the unit it is printed in; of a range, the least.
    pub value: Value,
    /// The most of a range.
    pub to: Option<Quantity>,
    /// Its text, with the unit.
    pub text: String,
    /// Its number, as printed: of a range both; of what is no number, the text.
    pub number: String,
    /// How a number was formatted.
    pub format: Format,
}

/// The words of figures in a page's language.
#[derive(Debug, Clone, Copy)]
pub struct Wording {
    /// Between the ends of a range, with the spaces around it.
    pub to: &'static str,
    /// Before the last of several things, with the spaces around it.
    pub and: &'static str,
    /// Before the last of several things that it may be, likewise.
    pub or: &'static str,
    /// No row at all.
    pub none: &'static str,
    /// What is so.
    pub yes: &'static str,
    /// What is not.
    pub no: &'static str,
    /// Neither yes nor no.
    pub undecided: &'static str,
    /// A place where something changes, that there is not.
    pub nowhere: &'static str,
    /// A place, `{}`, that there may not be.
    pub if_anywhere: &'static str,
}

/// The words in English, which texts that are no page's are in.
pub const ENGLISH: Wording = Wording {
    to: " to ",
    and: " and ",
    or: " or ",
    none: "none",
    yes: "yes",
    no: "no",
    undecided: "undecided",
    nowhere: "nowhere",
    if_anywhere: "{}, if anywhere",
};

pub(crate) fn figure(root: &Node, scope: &dyn Scope, wording: &Wording) -> Result<Figured, Fault> {
    let context = Context { scope, levels: Levels::both(ALPHA), record: None };
    let mut format = Format { to: wording.to, ..Format::default() };
    let mut inner = root;
    let mut formatters = Vec::new();
    while let Kind::Call(call) = &inner.kind
        && FORMATTERS.contains(&call.name.as_str())
    {
        formatters.push((inner, call));
        inner = argument(inner, call)?.0;
    }
    let (mut value, mut to) = match &inner.kind {
        Kind::Call(call) if call.name == range::NAME => {
            let (low, high) = range::ends(inner, call, &context)?;
            (Value::Quantity(low), Some(high))
        }
        _ => (value(inner, &context)?, None),
    };
    for (node, call) in formatters.into_iter().rev() {
        let Value::Quantity(number) = value else {
            return Err(problems::kind(node.start, node.end, format!("`{}` formats numbers, and this is {}", call.name, describe(&value))));
        };
        value = Value::Quantity(apply(node, call, number, &mut format, &context)?);
        to = to.map(|high| apply(node, call, high, &mut format, &context)).transpose()?;
    }
    let (number, text) = match (&value, &to) {
        (Value::Quantity(low), to) => {
            let widest = to.as_ref().unwrap_or(low);
            if format.unit.is_none() {
                format.unit = widest.readable_unit();
            }
            let shown = to.as_ref().map_or_else(|| low.shown(&format), |high| low.shown_to(high, &format));
            (shown.number.clone(), shown.text())
        }
        (other, _) => {
            let text = plain_text(other, wording);
            (text.clone(), text)
        }
    };
    Ok(Figured { value, to, text, number, format })
}

/// A formatter's first argument and the others.
fn argument<'a>(node: &Node, call: &'a Call) -> Result<(&'a Node, Vec<&'a Node>), Fault> {
    let mut arguments = call.arguments.iter().map(|argument| &argument.value);
    let named = call.arguments.iter().any(|argument| argument.name.is_some());
    match arguments.next() {
        Some(first) if !named => Ok((first, arguments.collect())),
        _ => Err(usage(node, call)),
    }
}

fn usage(node: &Node, call: &Call) -> Fault {
    let usage = match call.name.as_str() {
        "fixed" => "`x | fixed(3)` or `fixed(x, 3)`",
        "digits" => "`x | digits(3)` or `digits(x, 3)`",
        "percent" => "`x | percent`, `x | percent(1)` or `percent(x, 1)`",
        "times" => "`x | times`, `x | times(2)` or `times(x, 2)`",
        _ => "`x | unit('GB/s')` or `unit(x, 'GB/s')`",
    };
    problems::call(node.start, node.end, format!("`{}` is not given what it needs", call.name)).hint(format!("write {usage}"))
}

fn apply(node: &Node, call: &Call, number: Quantity, format: &mut Format, context: &Context<'_>) -> Result<Quantity, Fault> {
    let (_, rest) = argument(node, call)?;
    let convert = |unit: Unit| number.in_unit(&unit).map_err(|why| Fault { id: "expr-unit", ..problems::value(node.start, node.end, why) });
    match (call.name.as_str(), rest.as_slice()) {
        ("fixed", [places]) => {
            format.style = Style::Fixed(whole_argument(places, context, MOST_DIGITS)?);
            Ok(number)
        }
        ("digits", [digits]) => {
            format.style = Style::Digits(whole_argument(digits, context, MOST_DIGITS)?.max(1));
            Ok(number)
        }
        ("percent" | "times", rest @ ([] | [_])) => {
            if let [places] = rest {
                format.style = Style::Fixed(whole_argument(places, context, MOST_DIGITS)?);
            }
            let symbol = if call.name == "percent" { "%" } else { "×" };
            format.unit = None;
            convert(Unit::scaled(symbol).unwrap_or_else(Unit::bare))
        }
        ("unit", [Node { kind: Kind::Text(symbol), start, end }]) => {
            let unit = Unit::parse(symbol).map_err(|why| Fault { id: "expr-unit", ..problems::value(*start, *end, why) })?;
            format.unit = Some(unit.clone());
            convert(unit)
        }
        _ => Err(usage(node, call)),
    }
}

/// A formatter inside an expression: those that only change the unit are harmless, those that choose digits must come
/// last, since digits are no part of a value.
pub(crate) fn inside(node: &Node, call: &Call, context: &Context<'_>) -> Result<Value, Fault> {
    let (first, _) = argument(node, call)?;
    let mut format = Format::default();
    let number = apply(node, call, quantity(first, context)?, &mut format, context)?;
    if format.style == Style::Natural {
        return Ok(Value::Quantity(number));
    }
    Err(problems::call(node.start, node.end, format!("`{}` chooses the digits that are printed, so it must come last", call.name))
        .hint("put it at the end of the expression"))
}

/// A value as plain text.
pub(crate) fn plain_text(value: &Value, wording: &Wording) -> String {
    match value {
        Value::Quantity(quantity) => quantity.text(),
        Value::Text(text) => text.to_string(),
        Value::OneOf(texts) => listed(texts, wording.or, wording),
        Value::Truth(Some(true)) => wording.yes.to_owned(),
        Value::Truth(Some(false)) => wording.no.to_owned(),
        Value::Truth(None) => wording.undecided.to_owned(),
        Value::Row(row) => match row.column("label") {
            Ok(label @ (Value::Text(_) | Value::OneOf(_))) => plain_text(&label, wording),
            _ => row.title(),
        },
        Value::Place(place) => {
            let at = |at: &Quantity| wording.if_anywhere.replace("{}", &at.text());
            place.at.as_ref().map_or_else(|| wording.nowhere.to_owned(), at)
        }
        Value::Rows(rows) => listed(&rows.sure.iter().filter_map(label_of).collect::<Vec<_>>(), wording.and, wording),
    }
}

/// "a", "a or b", "a, b or c".
fn listed(texts: &[Arc<str>], word: &str, wording: &Wording) -> String {
    match texts {
        [] => wording.none.to_owned(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{}{word}{last}", first.iter().map(|text| &**text).collect::<Vec<_>>().join(", ")),
    }
}
