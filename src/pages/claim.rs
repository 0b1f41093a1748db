//! Turns a checked sentence and its verdict into a block: the sentence, what the data say of it in words, and how that was
//! decided.
//!
//! Must not judge: verdicts come in ready.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::base::quantity::{Format, Quantity, bound_above, bound_below, rational_to_f64};
use crate::claims::verdicts::Shows;
use crate::claims::{ClaimOutcome, Judged, Part, SweepFacts, Verdict};
use crate::course::document::{Claim, Node};
use crate::evidence::{Run, YOURS};
use crate::expr::{Comparison, Expr, Finding, RowFinding, RowsFinding, Test, TestKind};

use super::block::{Block, on_devices};
use super::changes;
use super::devices;
use super::html::plain;
use super::links::claim_anchor;
use super::page::Page;
use super::provenance::device_name;
use super::text;
use super::words::{Words, fill};

#[derive(Serialize)]
struct View {
    id: String,
    /// `supported`, `refuted`, `unresolved`, `not-measured` or `outdated`.
    status: &'static str,
    word: &'static str,
    /// Where it was judged; `None` where nothing was measured anywhere.
    device: Option<String>,
    sentence: Vec<Block>,
    /// The sentence that was refuted, where another text stands for it.
    expected: Vec<Block>,
    findings: Vec<FindingView>,
    /// What else there is to say: why there is no verdict.
    why: Option<String>,
}

/// One thing that a condition stands on: a comparison, or rows.
#[derive(Serialize, Default)]
struct FindingView {
    text: String,
    word: &'static str,
    left_text: String,
    left: String,
    right_text: String,
    right: String,
    bound_name: &'static str,
    bound: Option<String>,
    /// What was asked of rows.
    rows_text: String,
    /// The rows of each answer.
    rows: Vec<AnswerView>,
}

#[derive(Serialize)]
struct AnswerView {
    word: &'static str,
    labels: Vec<String>,
}

/// The blocks of `claim`: one, or one for each device where they differ.
pub(crate) fn blocks(claim: &Claim, page: &mut Page<'_>) -> Vec<Block> {
    on_devices(page.on_each(|page| block(claim, page)))
}

fn block(claim: &Claim, page: &mut Page<'_>) -> Block {
    page.counts.claims += 1;
    let world = page.world;
    let outcome = world.verdicts.of(&page.lesson.name, &claim.name, page.device());
    let sentence = text::blocks(&claim.sentence, page);
    let (sentence, expected) = match (outcome.map(|outcome| outcome.shows), &claim.otherwise) {
        (Some(Shows::Otherwise), Some(otherwise)) => (text::blocks(&otherwise.sentence, page), sentence),
        _ => (sentence, Vec::new()),
    };
    let judged = outcome.map(|outcome| &outcome.judged);
    let verdict = judged.map_or(Verdict::NotMeasured, |judged| judged.verdict);
    let (status, word) = told(claim, page.device(), page);
    let awaits = verdict == Verdict::NotMeasured && page.world.draft && page.device() != YOURS;
    let word = if awaits { page.words.private.not_judged } else { word };
    if page.has_choice() {
        let html = |block: &Block| if let Block::Html { html } = block { html.text().to_owned() } else { String::new() };
        let text = plain(&(if expected.is_empty() { &sentence } else { &expected }).iter().map(html).collect::<String>());
        let claim = changes::Claim { id: claim_anchor(&claim.name), sentence: text.trim().to_owned() };
        page.said.claim(claim, page.device, (verdict, word));
    }
    let findings = outcome.map(|outcome| findings(outcome, page)).unwrap_or_default();
    let why = judged.filter(|_| findings.is_empty()).and_then(Judged::decisive).map(|part| part.found.clone());
    let view = View {
        id: claim_anchor(&claim.name) + &devices::id_end(page.device),
        status,
        word,
        device: Some(device(claim, verdict, page)).filter(|name| !name.is_empty()).map(|name| fill(page.words.on_device, &[&name])),
        sentence,
        expected,
        findings,
        why,
    };
    Block::of("claim.html", view)
}

/// What readers are told of `claim` on `device`, as a class and in words. What was measured of other code says nothing of today's.
pub(crate) fn told(claim: &Claim, device: &str, page: &Page<'_>) -> (&'static str, &'static str) {
    let outcome = page.world.verdicts.of(&page.lesson.name, &claim.name, device);
    let told = status(outcome.map_or(Verdict::NotMeasured, |outcome| outcome.judged.verdict), page.words);
    let is_judged = told.1 != page.words.unmeasured;
    if is_judged && is_outdated(claim, device, page) { ("outdated", page.words.outdated_verdict) } else { told }
}

/// Whether a run that decided `claim` on `device` is of other code than the course has now.
fn is_outdated(claim: &Claim, device: &str, page: &Page<'_>) -> bool {
    let facts = |sweep: &String| page.world.facts.sweep(sweep, device);
    let shows = |sweep: &SweepFacts| sweep.run.as_ref().is_some_and(|run| sweep.shows_outdated(run));
    conditions(claim, page).iter().flat_map(|expr| page.sweeps_of(expr)).any(|sweep| facts(&sweep).is_some_and(shows))
}

/// The text that stands for `claim` on the primary device: its own, or what it says where it fails.
pub(crate) fn shown<'c>(claim: &'c Claim, page: &Page<'_>) -> &'c [Node] {
    let world = page.world;
    let outcome = world.verdicts.of(&page.lesson.name, &claim.name, world.device());
    match (outcome.map(|outcome| outcome.shows), &claim.otherwise) {
        (Some(Shows::Otherwise), Some(otherwise)) => &otherwise.sentence,
        _ => &claim.sentence,
    }
}

fn status(verdict: Verdict, words: &Words) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Supported => ("supported", words.supported),
        Verdict::Refuted => ("refuted", words.refuted),
        Verdict::Unresolved => ("unresolved", words.unresolved),
        Verdict::NotMeasured | Verdict::Broken => ("not-measured", words.unmeasured),
    }
}

/// The product name of the device that the verdict is for, or its slug where nothing was measured there. The runs that
/// decided are cited, as those of any figure.
fn device(claim: &Claim, verdict: Verdict, page: &mut Page<'_>) -> String {
    let conditions = conditions(claim, page);
    let sweeps: BTreeSet<String> = conditions.iter().flat_map(|expr| page.sweeps_of(expr)).collect();
    let runs: Vec<_> = sweeps.iter().filter_map(|sweep| page.run(sweep)).collect();
    for run in &runs {
        page.cite(run);
    }
    let outdated = runs.iter().any(|run| page.is_outdated(run));
    // What decides may be the compiler's word by itself; else the device is called by its name, which any run on it knows.
    let here = |run: &&Arc<Run>| run.device() == page.device();
    let others: Vec<_> = page.lesson.sweeps.iter().filter_map(|(sweep, _)| page.run(sweep)).collect();
    let named = runs.iter().find(here).or(runs.first()).or_else(|| others.iter().find(here));
    let name = named.map_or_else(|| page.device().to_owned(), |run| device_name(run));
    let private = runs.iter().find_map(|run| Some(page.words.private.beside(run.private()?, run.date())));
    match private.or_else(|| outdated.then(|| fill(page.words.outdated_said, &[status(verdict, page.words).1]))) {
        Some(mark) => format!("{name} ({mark})"),
        None => name,
    }
}

/// What must hold for `claim`; a translation has its original's conditions.
fn conditions<'c>(claim: &'c Claim, page: &Page<'_>) -> Cow<'c, [Expr]> {
    let original = page.world.course.original_of(page.lesson).filter(|_| claim.holds.is_empty()).map(|original| original.document());
    match original.as_ref().and_then(|original| original.claims().find(|other| other.name == claim.name)) {
        Some(original) => Cow::Owned(original.holds.clone()),
        None => Cow::Borrowed(&claim.holds),
    }
}

fn findings(outcome: &ClaimOutcome, page: &Page<'_>) -> Vec<FindingView> {
    let parts = outcome.judged.parts.iter().chain(outcome.otherwise.iter().flat_map(|judged| &judged.parts));
    let with_part = parts.flat_map(|part| part.findings.iter().map(move |finding| (part, finding)));
    let view = |(part, finding): (&Part, &Finding)| {
        let view = FindingView { text: part.text.clone(), word: status(part.verdict, page.words).1, ..FindingView::default() };
        match finding {
            Finding::Comparison(comparison) => compared(comparison, view, page),
            Finding::Texts(found) => {
                let ([left_text, right_text], [left, right]) = (found.sides.clone(), found.values.clone());
                FindingView { left_text, right_text, left, right, ..view }
            }
            Finding::Rows(found) => FindingView { rows_text: found.text.clone(), rows: answers(found, page), ..view },
        }
    };
    with_part.map(view).collect()
}

fn compared(comparison: &Comparison, view: FindingView, page: &Page<'_>) -> FindingView {
    let (bound_name, bound) = match &comparison.test {
        Some(test) => bound(comparison, test, page),
        None => ("", None),
    };
    FindingView {
        left_text: comparison.left_text.clone(),
        left: side(&comparison.left),
        right_text: comparison.right_text.clone(),
        right: side(&comparison.right),
        bound_name,
        bound,
        ..view
    }
}

/// The rows for which it holds, for which it doesn't, and those of which the data can't tell.
fn answers(found: &RowsFinding, page: &Page<'_>) -> Vec<AnswerView> {
    let words = page.words;
    let answer = |row: &RowFinding| match row.truth {
        Some(true) => words.supported,
        Some(false) => words.refuted,
        None if row.unmeasured.is_some() => words.unmeasured,
        None => words.unresolved,
    };
    let of = |word: &'static str| {
        let labels: Vec<String> = found.rows.iter().filter(|row| answer(row) == word).map(|row| row.label.clone()).collect();
        (!labels.is_empty()).then_some(AnswerView { word, labels })
    };
    [words.supported, words.refuted, words.unresolved, words.unmeasured].into_iter().filter_map(of).collect()
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
    let bounds = test.deciding(comparison.truth);
    let level = format!("{}", libm::round(bounds.level * 1e5) / 1e3);
    let (name, scale, unit) = match test.kind {
        TestKind::Ratio => (page.words.ratio, 1.0, String::new()),
        TestKind::Difference => {
            let unit = comparison.left.shown_unit(&Format::default());
            (page.words.difference, rational_to_f64(unit.scale), format!(" {}", unit.symbol))
        }
    };
    if !bounds.low.is_finite() || !bounds.high.is_finite() {
        return (name, None);
    }
    let (low, high) = (bound_below(bounds.low / scale), bound_above(bounds.high / scale));
    let pairs = test.rounds.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ");
    (name, Some(fill(page.words.between, &[&low, &format!("{high}{}", unit.trim_end()), &level, &pairs])))
}
