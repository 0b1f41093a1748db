//! Turns a quotation that opens with `claim:` into its claims: condition, sentence, and what the page says otherwise.
//!
//! Must not know verdicts.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::base::name::{self, is_name};
use crate::base::problem::Problem;
use crate::base::span::Span;
use crate::expr::Expr;

use super::document::{Claim, Node, Otherwise};
use super::marker::Marker;
use super::prose;
use super::weave::Weaver;

impl Weaver<'_> {
    /// The claims of a quotation, `events` being what stands inside it; it opens with one.
    pub(super) fn claims_of(&mut self, events: Range<usize>, out: &mut Vec<Node>) {
        let nested = std::mem::replace(&mut self.in_claim, true);
        let mut claims: Vec<Claim> = Vec::new();
        let mut at = events.start;
        while at < events.end {
            let mut blocks = Vec::new();
            let next = match self.marker_at(at).map(str::to_owned) {
                Some(kind) if kind == "claim" || kind == "otherwise" => {
                    let Some(leaf) = self.leaves.at(at).cloned() else { break };
                    let Some(Some(found)) = self.markers.remove(&leaf.range.start) else { break };
                    if let Some(start) = found.sentence_at {
                        blocks.push(self.node(&Event::Start(Tag::Paragraph), &(start..leaf.range.end)));
                        self.running_text(&leaf, start, &mut blocks);
                        blocks.push(self.node(&Event::End(TagEnd::Paragraph), &(start..leaf.range.end)));
                    }
                    if kind == "claim" {
                        claims.extend(self.claim(&found.marker));
                    } else if let Some(claim) = claims.last_mut() {
                        self.otherwise(&found.marker, claim);
                    }
                    leaf.events.end
                }
                _ => {
                    let next = self.leaves.at(at).map_or_else(|| prose::block_end(self.events, at), |leaf| leaf.events.end);
                    self.walk(at..next, &mut blocks);
                    next
                }
            };
            match claims.last_mut() {
                Some(Claim { otherwise: Some(otherwise), .. }) => otherwise.sentence.extend(blocks),
                Some(claim) => claim.sentence.extend(blocks),
                None => {}
            }
            at = next.max(at + 1);
        }
        self.in_claim = nested;
        for claim in claims {
            self.check_sentences(&claim);
            out.push(Node::Claim(Box::new(claim)));
        }
    }

    fn check_sentences(&mut self, claim: &Claim) {
        let mut missing = |at: &Span, what: &str| {
            self.problems
                .push(Problem::error("claim-no-sentence", at.clone(), format!("{what} has no text")).hint("it follows the closing brace"));
        };
        if claim.sentence.is_empty() {
            missing(&claim.at, &format!("the claim `{}`", claim.name));
        }
        if let Some(otherwise) = &claim.otherwise
            && otherwise.sentence.is_empty()
        {
            missing(&otherwise.at, "this `otherwise:`");
        }
    }

    fn claim(&mut self, marker: &Marker) -> Option<Claim> {
        let (name, at) = (marker.target.text().to_owned(), marker.target.whole());
        if !is_name(&name) {
            self.problems.push(Problem::error("marker-target", at, format!("`{name}` can't name a claim")).hint(name::RULE));
            return None;
        }
        let before = self.problems.errors();
        let holds = self.holds(marker, "a claim");
        // An option that is no option most likely is a misspelt `holds`.
        let is_bare = marker.options.get("holds").is_none() && self.problems.errors() == before;
        if is_bare && !self.translation {
            self.problems.push(
                Problem::error("claim-no-holds", at.clone(), format!("the claim `{name}` doesn't say what must hold"))
                    .hint(format!("write `claim: {name} {{ holds = \"…\" }}`")),
            );
        }
        if let Some(first) = self.claims.get(&name) {
            self.problems.push(
                Problem::error("claim-duplicate", at, format!("two claims of this lesson are named `{name}`"))
                    .related(first.clone(), "the first"),
            );
            return None;
        }
        self.claims.insert(name.clone(), at.clone());
        Some(Claim { name, at, holds, sentence: Vec::new(), otherwise: None })
    }

    fn otherwise(&mut self, marker: &Marker, claim: &mut Claim) {
        let holds = self.holds(marker, "`otherwise`");
        if let Some(first) = &claim.otherwise {
            self.problems.push(
                Problem::error("marker-doubled", marker.at.clone(), format!("the claim `{}` has two `otherwise:`", claim.name))
                    .related(first.at.clone(), "the first"),
            );
            return;
        }
        claim.otherwise = Some(Otherwise { at: marker.at.clone(), holds, sentence: Vec::new() });
    }

    fn holds(&mut self, marker: &Marker, what: &'static str) -> Vec<Expr> {
        let mut keys = marker.keys(what);
        let holds = keys.exprs("holds", self.problems);
        if self.translation
            && let Some((at, _)) = keys.entry("holds")
        {
            self.problems.push(
                Problem::error("claim-holds-in-translation", at.clone(), "a translation repeats no conditions")
                    .hint("take `holds` out; the claim of the same name in the original decides"),
            );
        }
        keys.finish(self.problems);
        if self.translation { Vec::new() } else { holds }
    }
}
