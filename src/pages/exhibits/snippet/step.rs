//! Turns two expressions into what a change of the code brought: the value before, the value behind, and one over the other.
//!
//! Must not compute: values come from the facts, and so does their spread.

use crate::base::quantity::{Format, Quantity, Unit};
use crate::base::slice::Slice;
use crate::base::span::Span;
use crate::course::document::Figure;
use crate::course::marker::Marker;
use crate::expr::{self, Expr, Value};
use crate::pages::figure::{self, Within};
use crate::pages::html::escape;
use crate::pages::page::Page;
use crate::pages::problems;
use crate::pages::words::fill;

/// The words on the step of `marker`, as HTML.
pub(super) fn html(marker: &Marker, texts: &[Slice], page: &mut Page<'_>) -> Option<String> {
    let at = marker.options.entry("step").map(|(at, _)| at.clone())?;
    let [before, after] = texts else {
        page.problems.push(problems::no_step(&at));
        return None;
    };
    let [before_expr, after_expr, ratio] = [Expr::parse(before), Expr::parse(after), Expr::parse(&over(after, before))];
    let (before_expr, after_expr) = (page.problems.note(before_expr), page.problems.note(after_expr));
    // The sides are sound; what they don't do together is said at the figure.
    let (before_expr, after_expr, ratio) = (before_expr?, after_expr?, ratio.ok()?);
    let is_time = quantity(&before_expr, page).is_some_and(|value| Unit::parse("s").is_ok_and(|second| value.in_unit(&second).is_ok()));
    let spread = quantity(&ratio, page).and_then(|value| value.shown(&Format::default()).spread);
    let mut show = |expr: Expr, at: Span| figure::html(&Figure { expr, at }, Within::Text, page);
    let (before, after, ratio) = (show(before_expr, before.whole()), show(after_expr, after.whole()), show(ratio, at));
    let words = if is_time { page.words.step_time } else { page.words.step };
    let mut html = fill(&escape(words), &[&before, &after, &ratio]);
    if let Some(spread) = spread {
        html += &fill(&escape(page.words.step_spread), &[&format!("<span class=\"ltr\">±{spread}</span>")]);
    }
    Some(html)
}

/// `(after) / (before)`.
fn over(after: &Slice, before: &Slice) -> Slice {
    let mut ratio = Slice::empty(after.file());
    for (open, side, close) in [("(", after, ")"), (" / (", before, ")")] {
        ratio.push(open, side.source_offset(0));
        ratio.append(side, 0, side.text().len());
        ratio.push(close, side.source_offset(side.text().len()));
    }
    ratio
}

/// The value of `expr`, if it is a number.
fn quantity(expr: &Expr, page: &Page<'_>) -> Option<Quantity> {
    match expr::figure_in(expr, page.scope(), &page.words.figures).ok()?.value {
        Value::Quantity(quantity) => Some(quantity),
        _ => None,
    }
}
