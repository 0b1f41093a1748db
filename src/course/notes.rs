//! Turns the footnotes of a lesson into problems where a mark and its text don't meet.
//!
//! Must not know where footnotes stand on a page.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Tag};

use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;
use crate::base::span::Span;

use super::prose::{Leaves, Placed};

/// What a footnote is known by, whichever way its label is written.
#[must_use]
pub fn key(label: &str) -> String {
    label.to_lowercase()
}

/// Checks the footnotes of `body`.
pub(super) fn check(body: &Slice, events: &[Placed<'_>], leaves: &Leaves, problems: &mut Problems) {
    let mut texts: BTreeMap<String, Span> = BTreeMap::new();
    let mut marks: BTreeSet<String> = BTreeSet::new();
    for (event, range) in events {
        match event {
            Event::FootnoteReference(label) => _ = marks.insert(key(label)),
            Event::Start(Tag::FootnoteDefinition(label)) => {
                let at = body.span(range.start, range.start + body.text()[range.start..].find(':').map_or(1, |end| end + 1));
                if let Some(first) = texts.insert(key(label), at.clone()) {
                    let problem = Problem::error("footnote-duplicate", at, format!("there are two footnotes `{label}`"));
                    problems.push(problem.related(first, "the first").hint("give one of them another name"));
                }
            }
            _ => {}
        }
    }
    for (label, at) in texts.iter().filter(|(label, _)| !marks.contains(&**label)) {
        problems.push(
            Problem::warning("footnote-unused", at.clone(), format!("nothing refers to the footnote `{label}`"))
                .hint(format!("write `[^{label}]` where it belongs; the page doesn't show it")),
        );
    }
    for leaf in leaves.iter() {
        for (event, range) in &events[leaf.inside.clone()] {
            // Markdown leaves a mark without a text as it stands.
            let Event::Text(text) = event else { continue };
            if !text.starts_with('[') || body.text()[..range.start].ends_with('\\') {
                continue;
            }
            let Some((label, end)) = mark(body.text(), range.start) else { continue };
            problems.push(
                Problem::error("footnote-missing", body.span(range.start, end), format!("there is no footnote `{label}`"))
                    .meant(label, texts.keys().map(String::as_str)),
            );
        }
    }
}

/// The label of the footnote's mark that begins at `at`, and where the mark ends.
fn mark(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text.get(at..)?.strip_prefix("[^")?;
    let end = rest.find([']', '[', '\n', ' '])?;
    (end > 0 && rest[end..].starts_with(']')).then(|| (&rest[..end], at + end + 3))
}
