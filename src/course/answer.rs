//! Turns a quotation that opens with `answer:` into a fold: its title, and its text as part of the lesson's.
//!
//! Must not know what an exhibit or a claim inside it is; they are read as anywhere else.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::base::problem::Problem;

use super::document::{self, Answer, Node};
use super::weave::Weaver;

impl Weaver<'_> {
    /// The answer of a quotation, `events` being what stands inside it; it opens with its marker.
    pub(super) fn answer(&mut self, events: Range<usize>, out: &mut Vec<Node>) {
        let Some(leaf) = self.leaves.get(&events.start).cloned() else { return };
        let Some(Some(found)) = self.markers.remove(&leaf.range.start) else { return };
        let mut keys = found.marker.keys("an answer");
        let title = keys.text("title", self.problems);
        keys.finish(self.problems);
        let title = title.map(|title| document::inline(&title, self.problems)).unwrap_or_default();
        let at = found.marker.at;
        out.push(Node::Answer(Box::new(Answer { title, at: at.clone() })));
        let before = out.len();
        if let Some(start) = found.sentence_at {
            out.push(self.node(Event::Start(Tag::Paragraph), &(start..leaf.range.end)));
            self.running_text(&leaf, start, out);
            out.push(self.node(Event::End(TagEnd::Paragraph), &(start..leaf.range.end)));
        }
        self.walk(leaf.events.end..events.end, out);
        if out.len() == before {
            self.problems.push(Problem::error("answer-empty", at, "this answer has no text").hint("it follows in the same quotation"));
        }
        out.push(Node::AnswerEnd);
    }
}
