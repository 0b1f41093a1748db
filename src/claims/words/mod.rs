//! Turns what a condition was found to stand on into a sentence: both values, the bounds, and the strongest statement the data support.
//!
//! Must not know verdicts' consequences. Bounds are rounded away from what they promise, so that the sentence stays true.

mod comparison;
mod rows;

use crate::expr::{Asked, Finding, TextsFinding};

use super::judge::Verdict;

/// What was found of a condition that stands on `findings`.
pub(super) fn found(findings: &[Finding], verdict: Verdict) -> String {
    let wanted = match verdict {
        Verdict::Refuted => Some(Some(false)),
        Verdict::Unresolved => Some(None),
        _ => None,
    };
    // Of a condition that fails, only what fails is worth saying; if a `not` turned it round, all of it.
    let fails = |finding: &&Finding| wanted.is_none_or(|wanted| truth(finding) == Some(wanted));
    let failing: Vec<&Finding> = findings.iter().filter(fails).collect();
    // Rows that only are chosen belong to what is asked of them.
    let belongs = |finding: &&Finding| {
        let inside = |other: &&Finding| truth(other).is_some() && contains(other, finding);
        let asked: Vec<&Finding> = findings.iter().filter(inside).collect();
        asked.is_empty() || asked.iter().any(|other| failing.iter().any(|one| std::ptr::eq(*one, *other)))
    };
    let said = |finding: &&Finding| {
        if truth(finding).is_some() { failing.iter().any(|one| std::ptr::eq(*one, *finding)) } else { belongs(finding) }
    };
    let mut sentences: Vec<String> = findings.iter().filter(said).map(sentence).collect();
    if sentences.is_empty() {
        sentences = findings.iter().map(sentence).collect();
    }
    sentences.join("; ")
}

/// The answer that a finding is; none for rows that only are chosen.
fn truth(finding: &Finding) -> Option<Option<bool>> {
    match finding {
        Finding::Comparison(comparison) => Some(comparison.truth),
        Finding::Texts(texts) => Some(texts.truth),
        Finding::Rows(rows) => match rows.asked {
            Asked::Where | Asked::Near | Asked::From => None,
            Asked::All | Asked::Any | Asked::None | Asked::Best => Some(rows.truth),
        },
    }
}

fn contains(outer: &Finding, inner: &Finding) -> bool {
    let ((from, to), (start, end)) = (outer.range(), inner.range());
    from <= start && end <= to && !std::ptr::eq(outer, inner)
}

fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Comparison(comparison) => comparison::comparison(comparison),
        Finding::Rows(rows) => rows::rows(rows),
        Finding::Texts(found) => texts(found),
    }
}

/// "`fastest().label` is 256 / 512".
fn texts(found: &TextsFinding) -> String {
    let [left, right] = &found.sides;
    let [is, other] = &found.values;
    let given = *right == format!("'{other}'") || *right == format!("\"{other}\"");
    if given { format!("`{left}` is {is}") } else { format!("`{left}` is {is}, and `{right}` is {other}") }
}
