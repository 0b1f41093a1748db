//! Turns what a course says by the evidence before and by the evidence after into what changes on its pages.
//!
//! Must not know how either came to be, nor how a page looks: claims, figures and orders of rows are compared, not files.

mod figures;
mod orders;
mod text;

use crate::base::span::Span;
use crate::claims::verdicts::Shows;
use crate::claims::{ClaimOutcome, Facts, Judged, Verdict, Verdicts};
use crate::course::Course;
use crate::course::document::Claim;
use crate::expr::{Asked, Finding};

pub use self::figures::{FigureChange, Figures, moved, share};
pub use self::orders::OrderChange;
pub use self::text::text;

/// What a course says by some evidence.
#[derive(Clone, Copy)]
pub struct Stand<'a> {
    /// What the author wrote.
    pub course: &'a Course,
    /// The values of every sweep on every device.
    pub facts: &'a Facts,
    /// The verdicts on every claim.
    pub verdicts: &'a Verdicts,
}

/// What changes on the pages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Review {
    /// Claims whose verdict, or what the page shows for it, is another one.
    pub claims: Vec<ClaimChange>,
    /// Claims that stay as they are, on each device; those of nothing measured before or after not among them.
    pub kept_claims: usize,
    /// Claims that are judged for the first time, and may stand.
    pub first_claims: usize,
    /// Places from which on something holds, where they moved.
    pub places: Vec<PlaceChange>,
    /// Figures.
    pub figures: Figures,
    /// Rows that changed places.
    pub orders: Vec<OrderChange>,
}

/// A claim that flips.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimChange {
    /// Where its condition stands that decides now.
    pub at: Span,
    /// Its name.
    pub claim: String,
    /// The device.
    pub device: String,
    /// What it was, in words.
    pub before: String,
    /// What it is, in words.
    pub after: String,
    /// What the data say of it now.
    pub found: String,
}

/// A crossover that moved.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceChange {
    /// Where the condition stands that speaks of it.
    pub at: Span,
    /// The claim's name.
    pub claim: String,
    /// The device.
    pub device: String,
    /// The expression.
    pub text: String,
    /// Where it was.
    pub before: String,
    /// Where it is.
    pub after: String,
}

/// What changes from `before` to `after`; the course is that of `after`.
#[must_use]
pub fn review(before: Stand<'_>, after: Stand<'_>) -> Review {
    let mut review = Review { figures: figures::figures(before, after), orders: orders::orders(before, after), ..Review::default() };
    for lesson in after.course.lessons.iter() {
        for claim in lesson.document().claims().filter(|claim| !claim.holds.is_empty()) {
            for device in after.facts.devices() {
                let of = |stand: Stand<'_>| stand.verdicts.of(&lesson.name, &claim.name, device).cloned();
                if let Some(now) = of(after) {
                    review.claim(claim, device, of(before).as_ref(), &now);
                }
            }
        }
    }
    review
}

impl Review {
    /// Whether nothing that a page says is another.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty() && self.places.is_empty() && self.figures.moved.is_empty() && self.orders.is_empty()
    }

    fn claim(&mut self, claim: &Claim, device: &str, before: Option<&ClaimOutcome>, after: &ClaimOutcome) {
        let was = before.map_or(Verdict::NotMeasured, |outcome| outcome.judged.verdict);
        let (before_words, after_words) = (before.map_or(Verdict::NotMeasured.word().to_owned(), words), words(after));
        if before_words == after_words {
            self.kept_claims += usize::from(was != Verdict::NotMeasured);
        } else if was == Verdict::NotMeasured && after.shows != Shows::Unsupported {
            self.first_claims += 1;
        } else {
            let decisive = after.judged.decisive();
            self.claims.push(ClaimChange {
                at: decisive.map_or(&claim.at, |part| &part.at).clone(),
                claim: claim.name.clone(),
                device: device.to_owned(),
                before: before_words,
                after: after_words,
                found: decisive.map(|part| part.found.clone()).unwrap_or_default(),
            });
        }
        let places = |outcome: Option<&ClaimOutcome>| outcome.map(|outcome| places(&outcome.judged)).unwrap_or_default();
        for ((at, text, now), (_, _, then)) in places(Some(after)).into_iter().zip(places(before)) {
            if then != now {
                let (claim, device) = (claim.name.clone(), device.to_owned());
                self.places.push(PlaceChange { at, claim, device, text, before: then, after: now });
            }
        }
    }
}

/// A claim's outcome in words.
fn words(outcome: &ClaimOutcome) -> String {
    match outcome.shows {
        Shows::Otherwise => "refuted, and what it says otherwise holds".to_owned(),
        Shows::Sentence | Shows::Unsupported => outcome.judged.verdict.word().to_owned(),
    }
}

/// The places that the conditions of a claim speak of, in their order.
fn places(judged: &Judged) -> Vec<(Span, String, String)> {
    let found = judged.parts.iter().flat_map(|part| part.findings.iter().map(move |finding| (part, finding)));
    let place = |(part, finding): (&crate::claims::Part, &Finding)| match finding {
        Finding::Rows(rows) if rows.asked == Asked::From => Some((part.at.clone(), rows.text.clone(), rows.place.clone()?)),
        _ => None,
    };
    found.filter_map(place).collect()
}

#[cfg(test)]
mod tests;
