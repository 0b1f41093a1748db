//! Turns decided comparisons into a sentence: both values, the bounds, and the strongest statement the data support.
//!
//! Must not know verdicts' consequences. Bounds are rounded away from what they promise, so that the sentence stays true.

use crate::base::quantity::{Format, Quantity, Unit, bound_above, bound_below, rational_to_f64};
use crate::expr::{Comparison, Relation, Test, TestKind};

use super::judge::Verdict;

/// What was found of a condition that stands on `comparisons`.
pub(super) fn found(comparisons: &[Comparison], verdict: Verdict) -> String {
    let wanted = match verdict {
        Verdict::Refuted => Some(Some(false)),
        Verdict::Unresolved => Some(None),
        _ => None,
    };
    // Of a condition that fails, only what fails is worth saying; if a `not` turned it round, all of it.
    let mut said: Vec<String> =
        comparisons.iter().filter(|comparison| wanted.is_none_or(|wanted| comparison.truth == wanted)).map(comparison).collect();
    if said.is_empty() {
        said = comparisons.iter().map(comparison).collect();
    }
    said.join("; ")
}

/// What was found of one comparison.
fn comparison(comparison: &Comparison) -> String {
    let mut said = format!("{} and {}", side(&comparison.left_text, &comparison.left), side(&comparison.right_text, &comparison.right));
    let Some(test) = &comparison.test else { return said };
    said.push_str(&format!("; {}", bounds(comparison, test)));
    if test.lost > 0 {
        said.push_str(&format!("; {} of {} rounds lost", test.lost, test.pairs + test.lost));
    }
    if comparison.truth != Some(true)
        && let Some(strongest) = strongest(comparison, test)
    {
        said.push_str(&format!("; {strongest}"));
    }
    said
}

/// "`row('a').ms` is 0.0618 ms ± 0.0001".
fn side(text: &str, quantity: &Quantity) -> String {
    let shown = quantity.shown(&Format::default());
    match shown.spread.as_deref() {
        Some(spread) => format!("`{text}` is {} ± {spread}", shown.text()),
        None if shown.text().replace('\u{a0}', " ") == text => format!("the bound is {}", shown.text()),
        None => format!("`{text}` is {}", shown.text()),
    }
}

/// Between what the test puts the measured side, or where both were measured, their ratio or difference.
fn bounds(comparison: &Comparison, test: &Test) -> String {
    let over = format!("({} bounds over {} rounds)", percent(test.level), test.pairs);
    let (left, right) = (&comparison.left, &comparison.right);
    let unit = left.shown_unit(&Format::default());
    let scale = rational_to_f64(unit.scale);
    match (test.kind, left.as_exact(), right.as_exact()) {
        (TestKind::Ratio, None, Some(asked)) => {
            let asked = rational_to_f64(asked);
            format!("the rounds put it between {} {over}", range(asked * test.low, asked * test.high, left))
        }
        (TestKind::Ratio, Some(asked), None) => {
            let asked = rational_to_f64(asked);
            format!("the rounds put it between {} {over}", range(asked / test.high, asked / test.low, right))
        }
        (TestKind::Ratio, ..) => format!("left over right lies between {} and {} {over}", bound_below(test.low), bound_above(test.high)),
        (TestKind::Difference, ..) => {
            format!(
                "left less right lies between {} and {}{} {over}",
                bound_below(test.low / scale),
                bound_above(test.high / scale),
                symbol(&unit)
            )
        }
    }
}

/// "0.1992 and 0.2008 ms", from bounds in base units, in the unit that `quantity` shows.
fn range(low: f64, high: f64, quantity: &Quantity) -> String {
    let unit = quantity.shown_unit(&Format::default());
    let scale = rational_to_f64(unit.scale);
    format!("{} and {}{}", bound_below(low / scale), bound_above(high / scale), symbol(&unit))
}

fn symbol(unit: &Unit) -> String {
    if unit.symbol.is_empty() { String::new() } else { format!("\u{a0}{unit}") }
}

/// The strongest statement of the same form that the rounds do support.
pub(super) fn strongest(comparison: &Comparison, test: &Test) -> Option<String> {
    let wants_more = match comparison.relation {
        Relation::Greater | Relation::GreaterEqual => true,
        Relation::Less | Relation::LessEqual => false,
        _ => return None,
    };
    if test.kind != TestKind::Ratio || !test.low.is_finite() || !test.high.is_finite() {
        return None;
    }
    let (left, right) = (&comparison.left, &comparison.right);
    let Some(asked) = right.as_exact() else {
        let Some(asked) = left.as_exact() else {
            let (word, bound) = if wants_more { ("at least", bound_below(test.low)) } else { ("at most", bound_above(test.high)) };
            return Some(format!("the data support that left is {word} {bound} times right"));
        };
        // The bound stands on the left: turned round, right = left / ratio.
        let asked = rational_to_f64(asked);
        return Some(against(right, if wants_more { asked / test.low } else { asked / test.high }, !wants_more, left));
    };
    let asked = rational_to_f64(asked);
    Some(against(left, if wants_more { asked * test.low } else { asked * test.high }, wants_more, right))
}

/// "the data support at least 1.18, not 1.3".
fn against(measured: &Quantity, bound: f64, at_least: bool, asked: &Quantity) -> String {
    let unit = measured.shown_unit(&Format::default());
    let number = bound / rational_to_f64(unit.scale);
    let number = if at_least { bound_below(number) } else { bound_above(number) };
    let word = if at_least { "at least" } else { "at most" };
    format!("the data support {word} {number}{}, not {}", symbol(&unit), asked.text())
}

fn percent(level: f64) -> String {
    let text = format!("{:.3}", level * 100.0);
    format!("{}\u{a0}%", text.trim_end_matches('0').trim_end_matches('.'))
}
