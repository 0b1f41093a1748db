//! Turns a checked sentence and its verdict into a block: the sentence, what the data say of it in words, and how that was
//! decided.
//!
//! Must not judge: verdicts come in ready.

use serde::Serialize;

use crate::base::quantity::{Format, Quantity, bound_above, bound_below, rational_to_f64};
use crate::claims::verdicts::Shows;
use crate::claims::{ClaimOutcome, Judged, Part, Verdict};
use crate::course::document::Claim;
use crate::expr::{Comparison, Test, TestKind};

use super::block::Block;
use super::links::claim_anchor;
use super::page::Page;
use super::provenance::device_name;
use super::text;
use super::words::fill;

#[derive(Serialize)]
struct View {
    id: String,
    /// `supported`, `refuted`, `unresolved` or `not-measured`.
    status: &'static str,
    word: &'static str,
    device: String,
    sentence: Vec<Block>,
    /// The sentence that was refuted, where another text stands for it.
    expected: Vec<Block>,
    comparisons: Vec<ComparisonView>,
    /// What else there is to say: why there is no verdict.
    why: Option<String>,
}

#[derive(Serialize)]
struct ComparisonView {
    text: String,
    word: &'static str,
    left_text: String,
    left: String,
    right_text: String,
    right: String,
    bound_name: &'static str,
    bound: Option<String>,
}

/// The block of `claim`.
pub(crate) fn block(claim: &Claim, page: &mut Page<'_>) -> Block {
    page.counts.claims += 1;
    let world = page.world;
    let outcome = world.verdicts.of(&page.lesson.name, &claim.name, world.device());
    let sentence = text::blocks(&claim.sentence, page);
    let (sentence, expected) = match (outcome.map(|outcome| outcome.shows), &claim.otherwise) {
        (Some(Shows::Otherwise), Some(otherwise)) => (text::blocks(&otherwise.sentence, page), sentence),
        _ => (sentence, Vec::new()),
    };
    let judged = outcome.map(|outcome| &outcome.judged);
    let (status, word) = status(judged.map_or(Verdict::NotMeasured, |judged| judged.verdict), page);
    let comparisons = outcome.map(|outcome| comparisons(outcome, page)).unwrap_or_default();
    let why = judged.filter(|_| comparisons.is_empty()).and_then(Judged::decisive).map(|part| part.found.clone());
    let view = View {
        id: claim_anchor(claim),
        status,
        word,
        device: fill(page.words.on_device, &[&device(claim, page)]),
        sentence,
        expected,
        comparisons,
        why,
    };
    Block::of("claim.html", view)
}

fn status(verdict: Verdict, page: &Page<'_>) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Supported => ("supported", page.words.supported),
        Verdict::Refuted => ("refuted", page.words.refuted),
        Verdict::Unresolved => ("unresolved", page.words.unresolved),
        Verdict::NotMeasured | Verdict::Broken => ("not-measured", page.words.unmeasured),
    }
}

/// The product name of the device that the verdict is for, or its slug where nothing was measured there. The runs that
/// decided are cited, as those of any figure.
fn device(claim: &Claim, page: &mut Page<'_>) -> String {
    let sweeps: Vec<String> = claim.holds.iter().flat_map(|expr| page.sweeps_of(expr)).collect();
    let mut name = page.world.device().to_owned();
    let runs: Vec<_> = sweeps.iter().filter_map(|sweep| page.run(sweep)).collect();
    for run in runs {
        page.cite(&run);
        name = device_name(&run);
    }
    name
}

fn comparisons(outcome: &ClaimOutcome, page: &Page<'_>) -> Vec<ComparisonView> {
    let parts = outcome.judged.parts.iter().chain(outcome.otherwise.iter().flat_map(|judged| &judged.parts));
    let with_part = parts.flat_map(|part| part.comparisons.iter().map(move |comparison| (part, comparison)));
    let view = |(part, comparison): (&Part, &Comparison)| {
        let (bound_name, bound) = match &comparison.test {
            Some(test) => bound(comparison, test, page),
            None => ("", None),
        };
        ComparisonView {
            text: part.text.clone(),
            word: status(part.verdict, page).1,
            left_text: comparison.left_text.clone(),
            left: side(&comparison.left),
            right_text: comparison.right_text.clone(),
            right: side(&comparison.right),
            bound_name,
            bound,
        }
    };
    with_part.map(view).collect()
}

fn side(quantity: &Quantity) -> String {
    let shown = quantity.shown(&Format::default());
    match &shown.spread {
        Some(spread) => format!("{} ±{spread}", shown.text()),
        None => shown.text(),
    }
}

/// What is bounded, and between what.
fn bound(comparison: &Comparison, test: &Test, page: &Page<'_>) -> (&'static str, Option<String>) {
    let level = format!("{}", libm::round(test.level * 1e5) / 1e3);
    let (name, scale, unit) = match test.kind {
        TestKind::Ratio => (page.words.ratio, 1.0, String::new()),
        TestKind::Difference => {
            let unit = comparison.left.shown_unit(&Format::default());
            (page.words.difference, rational_to_f64(unit.scale), format!(" {}", unit.symbol))
        }
    };
    if !test.low.is_finite() || !test.high.is_finite() {
        return (name, None);
    }
    let (low, high) = (bound_below(test.low / scale), bound_above(test.high / scale));
    let pairs = test.pairs.to_string();
    (name, Some(fill(page.words.between, &[&low, &format!("{high}{}", unit.trim_end()), &level, &pairs])))
}
