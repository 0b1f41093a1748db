//! Turns the first reading of a lesson into its markers, and its text into one with the markers blotted out.
//!
//! Must not know what a marker's options mean.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;

use super::marker::{self, Marker, Reading};
use super::prose::{self, LeafKind, Leaves, Placed};

/// What a marker is blotted out with: a control character that begins no Markdown construct.
pub(super) const BLOT: &str = "\u{1}";

/// A marker that the first reading found.
pub(super) struct Found {
    pub(super) marker: Marker,
    /// Where a claim's sentence begins in the text, if it begins in the marker's own paragraph.
    pub(super) sentence_at: Option<usize>,
    /// The bytes of the text that are the marker.
    pub(super) blots: Vec<Range<usize>>,
}

/// The markers by where their paragraphs begin; `None` for one that is not understood, whose paragraph is left out.
pub(super) fn find_markers(body: &Slice, events: &[Placed<'_>], leaves: &Leaves, problems: &mut Problems) -> Vec<(usize, Option<Found>)> {
    let base = Slice::verbatim(body.file(), body.text(), 0);
    let mut markers = Vec::new();
    for leaf in leaves.iter() {
        let start = leaf.range.start;
        if leaf.kind != LeafKind::Paragraph {
            if let [(_, first), ..] = &events[leaf.inside.clone()] {
                let end = events[leaf.inside.clone()].iter().map(|(_, range)| range.end).max();
                misplaced(body, leaf.kind, first.start, end.unwrap_or(start), problems);
            }
            continue;
        }
        let text = &body.text()[leaf.range.clone()];
        if !marker::may_begin(text.trim_start()) {
            continue;
        }
        match marker::read(&prose::lift(body, &leaf.range, leaf.quotes), problems) {
            Reading::Prose => {}
            Reading::Wrong => markers.push((start, None)),
            Reading::Marker(marker) => {
                // The same paragraph with places in the text instead of the file.
                let local = prose::lift(&base, &leaf.range, leaf.quotes);
                let end = local.text().len() - marker.rest.text().len();
                let sentence_at = (!marker.rest.text().is_empty()).then(|| local.source_offset(end));
                markers.push((start, Some(Found { marker: *marker, sentence_at, blots: blots(&local, end) })));
            }
        }
    }
    markers
}

/// Where the first `end` bytes of `lifted` stand in the text, line by line, without the line breaks.
fn blots(lifted: &Slice, end: usize) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut blots = Vec::new();
    for line in lifted.text()[..end].split_inclusive('\n') {
        let length = line.trim_end_matches('\n').len();
        if length > 0 {
            let start = lifted.source_offset(at);
            blots.push(start..start + length);
        }
        at += line.len();
    }
    blots
}

pub(super) fn blotted(text: &str, markers: &BTreeMap<usize, Option<Found>>) -> String {
    let mut blotted = String::with_capacity(text.len());
    for range in markers.values().flatten().flat_map(|found| &found.blots) {
        blotted.push_str(text.get(blotted.len()..range.start).unwrap_or_default());
        blotted.extend(std::iter::repeat_n(BLOT, range.end - blotted.len()));
    }
    blotted.push_str(text.get(blotted.len()..).unwrap_or_default());
    blotted
}

fn misplaced(body: &Slice, kind: LeafKind, start: usize, end: usize, problems: &mut Problems) {
    let text = body.text()[start..end.max(start)].trim_end();
    if !marker::looks_like(text) {
        return;
    }
    let (id, place) = match kind {
        LeafKind::Heading => ("marker-in-heading", "a heading"),
        LeafKind::Cell => ("marker-in-table", "a table's cell"),
        _ => ("marker-place", "the term of a definition"),
    };
    let at = body.span(start, start + text.lines().next().unwrap_or_default().len());
    problems.push(Problem::error(id, at, format!("a marker can't stand in {place}")).hint(
        "give it a paragraph of its own, with an empty line before and after (a line of `---` or `===` below makes a heading); \
         to begin text with the word, write a `\\` before it",
    ));
}

/// A marker that the second reading no longer found as a paragraph: its options changed what the text around it is.
pub(super) fn misread(marker: &Marker) -> Problem {
    Problem::error("marker-place", marker.at.clone(), format!("this `{}:` is not a paragraph of its own", marker.kind))
        .hint("put an empty line before and after it, and write its options on one line")
}
