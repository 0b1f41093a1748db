//! Turns a review into lines for people: what changes, each with its place, and how much stays.
//!
//! Must not know where places are shown from.

use std::fmt::Write as _;

use crate::base::span::Span;

use super::{OrderChange, Review};

/// So many rows that changed places are named in a sweep.
const NAMED: usize = 5;

/// The review as text; `place` says where a span is, `path:line:column`. Empty where the course says nothing by evidence.
#[must_use]
pub fn text(review: &Review, place: &dyn Fn(&Span) -> String) -> String {
    let mut text = String::new();
    let mut section = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let _ = writeln!(text, "{title}");
            lines.iter().for_each(|line| _ = writeln!(text, "  {line}"));
        }
    };
    let claims = review.claims.iter().map(|change| {
        let found = if change.found.is_empty() { String::new() } else { format!(": {}", change.found) };
        format!("{}: claim `{}` on {}: {} -> {}{found}", place(&change.at), change.claim, change.device, change.before, change.after)
    });
    section("claims that flip", claims.collect());
    let places = review.places.iter().map(|change| {
        let (claim, device) = (&change.claim, &change.device);
        format!("{}: claim `{claim}` on {device}: `{}`: {} -> {}", place(&change.at), change.text, change.before, change.after)
    });
    section("places from which on something holds, where they move", places.collect());
    let figures = review.figures.moved.iter().map(|change| {
        let share = change.share.map(|share| format!(" ({:+.1} %)", share * 100.0)).unwrap_or_default();
        format!("{}: `= {}`: {} -> {}{share}", place(&change.at), change.text, change.before, change.after)
    });
    section("figures that move beyond their spread", figures.collect());
    section("rows that change places by time", review.orders.iter().flat_map(order).collect());
    let rest = rest(review);
    if rest.is_empty() && review.is_empty() {
        return String::new();
    }
    let nothing = if review.is_empty() { "nothing that a page says changes: " } else { "besides: " };
    if !rest.is_empty() {
        let _ = writeln!(text, "{nothing}{}", rest.join(", "));
    }
    text
}

/// What stays, is new or wavers, as far as there is any.
fn rest(review: &Review) -> Vec<String> {
    let figures = &review.figures;
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let parts = [
        counted(review.first_claims, "claim is judged for the first time, and stands", "claims are judged for the first time, and stand"),
        counted(figures.first, "figure has its first value", "figures have their first values"),
        counted(figures.wavering, "figure changes within its spread", "figures change within their spread"),
        counted(review.kept_claims, "claim stays", "claims stay"),
        counted(figures.kept, "figure stays", "figures stay"),
    ];
    parts.into_iter().flatten().collect()
}

fn order(change: &OrderChange) -> Vec<String> {
    let at = format!("{} on {}", change.sweep, change.device);
    let mut lines: Vec<String> = change
        .overtaken
        .iter()
        .take(NAMED)
        .map(|(label, other)| format!("{at}: {label} was faster than {other}, and is slower now"))
        .collect();
    if change.overtaken.len() > NAMED {
        lines.push(format!("{at}: {} more pairs of rows changed places", change.overtaken.len() - NAMED));
    }
    if let Some((then, now)) = &change.fastest {
        lines.push(format!("{at}: the fastest: {} -> {}", then.join(" or "), now.join(" or ")));
    }
    lines
}
