//! Turns a quotation that opens with `answer:`, `aside:`, `tab:` or `term:` into a box around a part of the lesson's text.
//!
//! Must not know what an exhibit or a claim inside it is; they are read as anywhere else.

use std::ops::Range;

use pulldown_cmark::{BlockQuoteKind, Event, Tag, TagEnd};

use crate::base::problem::Problem;
use crate::base::span::Span;

use super::document::{self, Alert, Container, Definition, Node};
use super::keys::Keys;
use super::marker::Marker;
use super::prose::{self, Leaf};
use super::weave::Weaver;

/// What an alert may be, as `[!NOTE]` and as the `kind` of an aside.
const ALERTS: [(&str, BlockQuoteKind); 5] = [
    ("note", BlockQuoteKind::Note),
    ("tip", BlockQuoteKind::Tip),
    ("important", BlockQuoteKind::Important),
    ("warning", BlockQuoteKind::Warning),
    ("caution", BlockQuoteKind::Caution),
];

impl Weaver<'_> {
    /// The box that a quotation is, `events` being what stands inside it, if it opens with such a marker.
    pub(super) fn container(&mut self, events: Range<usize>, out: &mut Vec<Node>) -> bool {
        match self.marker_at(events.start) {
            Some("answer" | "aside") => self.single(events, out),
            Some("tab") => self.tabs(events, out),
            Some("term") => self.term(events, out),
            _ => return false,
        }
        true
    }

    fn single(&mut self, events: Range<usize>, out: &mut Vec<Node>) {
        let Some((leaf, marker, start)) = self.take(events.start) else { return };
        let is_answer = marker.kind == "answer";
        let mut keys = marker.keys(if is_answer { "an answer" } else { "an aside" });
        let title = self.title(&mut keys);
        let container = if is_answer { Container::Answer { title } } else { Container::Alert { alert: self.alert(&mut keys), title } };
        keys.finish(self.problems);
        out.push(Node::Open(Box::new(container)));
        let before = out.len();
        self.first(&leaf, start, out);
        self.walk(leaf.events.end..events.end, out);
        if out.len() == before {
            self.empty(&marker.at, if is_answer { "answer" } else { "aside" });
        }
        out.push(Node::Close);
    }

    /// A term and what it means.
    fn term(&mut self, events: Range<usize>, out: &mut Vec<Node>) {
        let Some((leaf, marker, start)) = self.take(events.start) else { return };
        let mut keys = marker.keys("a term");
        let also = keys.texts("also", self.problems).iter().map(|name| name.text().to_owned()).collect();
        keys.finish(self.problems);
        let definition = Definition { name: marker.target.text().to_owned(), also, at: marker.target.whole() };
        out.push(Node::Open(Box::new(Container::Term(definition))));
        let before = out.len();
        self.first(&leaf, start, out);
        self.walk(leaf.events.end..events.end, out);
        if out.len() == before {
            self.empty(&marker.at, "term");
        }
        out.push(Node::Close);
    }

    fn alert(&mut self, keys: &mut Keys<'_>) -> Alert {
        let fold = keys.truth("fold", self.problems).unwrap_or(false);
        let kind = keys.text("kind", self.problems).and_then(|kind| {
            let known = ALERTS.iter().find(|(name, _)| *name == kind.text());
            if known.is_none() {
                let problem = Problem::error("alert-kind", kind.whole(), format!("there is no kind `{}`", kind.text()));
                self.problems.push(problem.meant(kind.text(), ALERTS.map(|(name, _)| name)));
            }
            known
        });
        Alert { kind: kind.map_or(BlockQuoteKind::Note, |(_, kind)| *kind), fold }
    }

    /// Tabs side by side: each marker at the quotation's own level begins one.
    fn tabs(&mut self, events: Range<usize>, out: &mut Vec<Node>) {
        out.push(Node::Open(Box::new(Container::Tabs)));
        // The tab that is open, and how many nodes there were before what stands in it.
        let mut open: Option<(Span, usize)> = None;
        let mut at = events.start;
        while at < events.end {
            let taken = if self.marker_at(at) == Some("tab") { self.take(at) } else { None };
            let next = match taken {
                Some((leaf, marker, start)) => {
                    self.close_tab(open.take(), out);
                    let mut keys = marker.keys("a tab");
                    let title = keys.title("title", self.problems);
                    keys.finish(self.problems);
                    let title = title.map(|title| document::inline(&title, self.problems)).unwrap_or_default();
                    out.push(Node::Open(Box::new(Container::Tab { title })));
                    open = Some((marker.at, out.len()));
                    self.first(&leaf, start, out);
                    leaf.events.end
                }
                None => {
                    let next = self.leaves.at(at).map_or_else(|| prose::block_end(self.events, at), |leaf| leaf.events.end);
                    self.walk(at..next, out);
                    next
                }
            };
            at = next.max(at + 1);
        }
        self.close_tab(open, out);
        out.push(Node::Close);
    }

    fn close_tab(&mut self, open: Option<(Span, usize)>, out: &mut Vec<Node>) {
        let Some((at, before)) = open else { return };
        if out.len() == before {
            self.empty(&at, "tab");
        }
        out.push(Node::Close);
    }

    /// Takes the marker whose paragraph begins with event `at`, and where text follows it in that paragraph.
    fn take(&mut self, at: usize) -> Option<(Leaf, Marker, Option<usize>)> {
        let leaf = self.leaves.at(at).cloned()?;
        let found = self.markers.remove(&leaf.range.start)??;
        Some((leaf, found.marker, found.sentence_at))
    }

    fn title(&mut self, keys: &mut Keys<'_>) -> Vec<Node> {
        let title = keys.text("title", self.problems);
        title.map(|title| document::inline(&title, self.problems)).unwrap_or_default()
    }

    /// The text that follows a marker in its own paragraph, from byte `start` on.
    fn first(&mut self, leaf: &Leaf, start: Option<usize>, out: &mut Vec<Node>) {
        let Some(start) = start else { return };
        out.push(self.node(&Event::Start(Tag::Paragraph), &(start..leaf.range.end)));
        self.running_text(leaf, start, out);
        out.push(self.node(&Event::End(TagEnd::Paragraph), &(start..leaf.range.end)));
    }

    fn empty(&mut self, at: &Span, what: &str) {
        self.problems
            .push(Problem::error("answer-empty", at.clone(), format!("this {what} has no text")).hint("it follows in the same quotation"));
    }

    /// Warns of a quotation, beginning at byte `start`, that opens as an alert does and is none.
    pub(super) fn check_alert(&mut self, events: &Range<usize>) {
        let Some(leaf) = self.leaves.at(events.start) else { return };
        let text = &self.body.text()[leaf.range.clone()];
        let Some((kind, _)) = text.strip_prefix("[!").and_then(|text| text.split_once(']')) else { return };
        if !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            let at = self.body.span(leaf.range.start, leaf.range.start + kind.len() + 3);
            let known = ALERTS.iter().any(|(name, _)| kind.eq_ignore_ascii_case(name));
            let problem = Problem::warning("alert-kind", at, format!("`[!{kind}]` opens no alert and is shown as it stands"));
            self.problems.push(if known {
                problem.hint("it stands alone on its line; a title of your own takes `> aside: { kind = \"note\", title = \"…\" }`")
            } else {
                problem.hint("there are `[!NOTE]`, `[!TIP]`, `[!IMPORTANT]`, `[!WARNING]` and `[!CAUTION]`")
            });
        }
    }
}
