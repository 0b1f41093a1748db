//! Turns a decided comparison into words: both values with their spread, the bounds that decided, and the strongest statement of the
//! same form that the data support.
//!
//! Must not know what the comparison is part of.

use crate::base::quantity::{Amount, Format, Quantity, Rational, Unit, bound_above, bound_below, rational_to_f64};
use crate::expr::{Bounds, Comparison, Relation, Test, TestKind};

/// What was found of one comparison, with the strongest statement of its form that holds.
pub(super) fn comparison(comparison: &Comparison) -> String {
    let said = plain(comparison);
    match strongest(comparison) {
        Some(strongest) if comparison.truth != Some(true) => format!("{said}; {strongest}"),
        _ => said,
    }
}

/// What was found of one comparison.
pub(super) fn plain(comparison: &Comparison) -> String {
    let mut said = format!("{} and {}", side(&comparison.left_text, &comparison.left), side(&comparison.right_text, &comparison.right));
    if let Some(test) = &comparison.test {
        said.push_str(&format!("; {}", bounds(comparison, test)));
        if test.lost > 0 {
            let counted: usize = test.rounds.iter().sum();
            said.push_str(&format!("; {} of {} rounds lost", test.lost, counted + test.lost));
        }
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
    let Bounds { low, high, level } = test.deciding(comparison.truth);
    let over = match test.rounds.as_slice() {
        [one] => format!("({} bounds over {one} rounds)", percent(level)),
        several => {
            let counts: Vec<String> = several.iter().map(ToString::to_string).collect();
            format!("({} bounds over {} rounds, which do not pair)", percent(level), counts.join(" and "))
        }
    };
    let (left, right) = (&comparison.left, &comparison.right);
    match (test.kind, left.as_exact(), right.as_exact()) {
        (TestKind::Ratio, None, Some(asked)) => {
            let asked = rational_to_f64(asked);
            format!("the rounds put it between {} {over}", range(asked * low, asked * high, left))
        }
        (TestKind::Ratio, Some(asked), None) => {
            let asked = rational_to_f64(asked);
            format!("the rounds put it between {} {over}", range(asked / high, asked / low, right))
        }
        (TestKind::Ratio, ..) => format!("left over right lies between {} and {} {over}", bound_below(low), bound_above(high)),
        (TestKind::Difference, None, Some(asked)) => {
            let asked = rational_to_f64(asked);
            format!("the rounds put it between {} {over}", range(asked + low, asked + high, left))
        }
        (TestKind::Difference, Some(asked), None) => {
            let asked = rational_to_f64(asked);
            format!("the rounds put it between {} {over}", range(asked - high, asked - low, right))
        }
        (TestKind::Difference, ..) => format!("left less right lies between {} {over}", range(low, high, left)),
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

/// The strongest statement of the same form that the data do support.
fn strongest(comparison: &Comparison) -> Option<String> {
    let wants_more = match comparison.relation {
        Relation::Greater | Relation::GreaterEqual => true,
        Relation::Less | Relation::LessEqual => false,
        Relation::Within(share) | Relation::NotAbove(share) | Relation::NotBelow(share) => {
            return apart(comparison.relation, share, comparison.test.as_ref()?);
        }
        Relation::Equal | Relation::Unequal => return open(comparison, None),
    };
    let Some(test) = &comparison.test else { return open(comparison, Some(wants_more)) };
    let Bounds { low, high, .. } = test.yes;
    if !low.is_finite() || !high.is_finite() {
        return None;
    }
    let bound = if wants_more { low } else { high };
    let (left, right) = (&comparison.left, &comparison.right);
    match (test.kind, left.as_exact(), right.as_exact()) {
        (TestKind::Ratio, _, Some(asked)) => Some(against(left, bound * rational_to_f64(asked), wants_more, right)),
        // The bound stands on the left: turned round, right = left / ratio.
        (TestKind::Ratio, Some(asked), None) => Some(against(right, rational_to_f64(asked) / bound, !wants_more, left)),
        (TestKind::Ratio, None, None) => {
            let (word, bound) = worded(bound, wants_more);
            let asked = || Quantity { amount: Amount::Exact(comparison.times), ..Quantity::count(1) }.text();
            let not = if comparison.times == Rational::from_integer(1) { String::new() } else { format!(", not {}", asked()) };
            Some(format!("the data support that left is {word} {bound} times right{not}"))
        }
        // The difference from an exact bound is a bound of the value.
        (TestKind::Difference, _, Some(asked)) => Some(against(left, bound + rational_to_f64(asked), wants_more, right)),
        (TestKind::Difference, Some(asked), None) => Some(against(right, rational_to_f64(asked) - bound, !wants_more, left)),
        (TestKind::Difference, None, None) => {
            let unit = left.shown_unit(&Format::default());
            let (word, bound) = worded(bound / rational_to_f64(unit.scale), wants_more);
            Some(format!("the data support that left less right is {word} {bound}{}", symbol(&unit)))
        }
    }
}

/// "the data support at least 1.18, not 1.3".
fn against(measured: &Quantity, bound: f64, at_least: bool, asked: &Quantity) -> String {
    let unit = measured.shown_unit(&Format::default());
    let (word, number) = worded(bound / rational_to_f64(unit.scale), at_least);
    format!("the data support {word} {number}{}, not {}", symbol(&unit), asked.text())
}

fn worded(bound: f64, at_least: bool) -> (&'static str, String) {
    if at_least { ("at least", bound_below(bound)) } else { ("at most", bound_above(bound)) }
}

/// "the data support within 3.1 %, not 2 %".
fn apart(relation: Relation, asked: Rational, test: &Test) -> Option<String> {
    let Bounds { low, high, .. } = test.yes;
    let (share, before, behind) = match relation {
        Relation::Within(_) => ((1.0 - low).max(high - 1.0), "within", ""),
        Relation::NotAbove(_) => (high - 1.0, "that left is at most", " above right"),
        _ => (1.0 - low, "that left is at most", " below right"),
    };
    let asked = rational_to_f64(asked) * 100.0;
    let share = share.is_finite().then(|| bound_above(share * 100.0))?;
    Some(format!("the data support {before} {share}\u{a0}%{behind}, not {asked}\u{a0}%"))
}

/// What is sure of a count that the data leave open.
fn open(comparison: &Comparison, wants_more: Option<bool>) -> Option<String> {
    let (count, more, asked) = match (&comparison.left.amount, &comparison.right.amount) {
        (Amount::Between(..), _) => (&comparison.left, wants_more, &comparison.right),
        (_, Amount::Between(..)) => (&comparison.right, wants_more.map(|more| !more), &comparison.left),
        _ => return None,
    };
    let Amount::Between(low, high) = &count.amount else { return None };
    let end = |amount: &Rational| Quantity { amount: Amount::Exact(*amount), unit: count.unit.clone() }.text();
    Some(match more {
        Some(true) => format!("the data support at least {}, not {}", end(low), asked.text()),
        Some(false) => format!("the data support at most {}, not {}", end(high), asked.text()),
        None => format!("the data support {} to {}, and don't tell which", end(low), end(high)),
    })
}

fn percent(level: f64) -> String {
    let text = format!("{:.3}", level * 100.0);
    format!("{}\u{a0}%", text.trim_end_matches('0').trim_end_matches('.'))
}
