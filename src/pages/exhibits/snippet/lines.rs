//! Turns regions of sources into lines of HTML: as they are, or as what changed between two, with lines around them.
//!
//! Must not know markers or pages.

use std::ops::Range;

use similar::{ChangeTag, TextDiff};

use crate::course::source::{Region, ShownLine, Source};
use crate::pages::highlight::{Code, Highlighter};
use crate::pages::lines::{Change, Line};

/// A region with the lines around it, all without the margin that they share.
pub(super) struct Excerpt<'a> {
    lines: Vec<ShownLine<'a>>,
    /// Which of the lines are the region's.
    inside: Range<usize>,
    /// How much of the region's own margin was kept, for the sake of the lines around it.
    kept: &'a str,
    /// All lines as HTML.
    html: Code,
}

/// What a region is compared with.
pub(super) struct Before<'a> {
    lines: Vec<ShownLine<'a>>,
    /// Their texts, with the margin that the region has kept.
    texts: Vec<String>,
    html: Code,
}

impl<'a> Excerpt<'a> {
    /// `region` of `source` with up to `context` lines before and behind it.
    pub(super) fn new(source: &'a Source, region: &Region, context: usize, highlighter: &Highlighter) -> Self {
        let (lines, inside) = source.shown_within(region, context);
        let kept = if context == 0 { "" } else { kept(source, region, &lines) };
        let html = highlighter.lines(source, &lines, "");
        Self { lines, inside, kept, html }
    }

    /// The region's own lines.
    pub(super) fn region(&self) -> &[ShownLine<'a>] {
        self.lines.get(self.inside.clone()).unwrap_or_default()
    }

    /// `region` of `source`, moved to where this one stands.
    pub(super) fn before<'b>(&self, source: &'b Source, region: &Region, highlighter: &Highlighter) -> Before<'b> {
        let lines = source.shown(region);
        let texts: Vec<String> = lines.iter().map(|line| indented(self.kept, line.text)).collect();
        let html = highlighter.lines(source, &lines, self.kept);
        Before { lines, texts, html }
    }

    /// Its lines as HTML; where there is something `before`, those that it lacks are inserted, and those that only it has deleted.
    pub(super) fn lines<'h>(&'h self, before: Option<&'h Before<'_>>) -> Vec<Line<'h>> {
        let html: Vec<&str> = self.html.split('\n').collect();
        let line = |change: Change, index: usize| {
            let number = self.lines.get(index)?.number;
            Some(Line {
                number,
                change,
                lit: false,
                outside: !self.inside.contains(&index),
                html: html.get(index).copied().unwrap_or_default(),
            })
        };
        let same = |lines: Range<usize>| lines.filter_map(|index| line(Change::None, index));
        let Some(before) = before else { return same(0..self.lines.len()).collect() };
        let old_html: Vec<&str> = before.html.split('\n').collect();
        let gone = |index: usize| {
            let (number, html) = (before.lines.get(index)?.number, old_html.get(index).copied().unwrap_or_default());
            Some(Line { number, change: Change::Deleted, lit: false, outside: false, html })
        };
        let old: Vec<&str> = before.texts.iter().map(String::as_str).collect();
        let new: Vec<&str> = self.region().iter().map(|line| line.text).collect();
        let first = self.inside.start;
        let diff = TextDiff::from_slices(&old, &new);
        let changes = diff.iter_all_changes().filter_map(|change| match change.tag() {
            ChangeTag::Equal => line(Change::None, first + change.new_index()?),
            ChangeTag::Insert => line(Change::Inserted, first + change.new_index()?),
            ChangeTag::Delete => gone(change.old_index()?),
        });
        same(0..first).chain(changes).chain(same(self.inside.end..self.lines.len())).collect()
    }
}

/// How much of its own margin `region` of `source` has among `lines`, which are more than its own.
fn kept<'a>(source: &'a Source, region: &Region, lines: &[ShownLine<'a>]) -> &'a str {
    let alone = source.shown(region).into_iter().find(|line| !line.text.is_empty());
    let within = alone.as_ref().and_then(|alone| lines.iter().find(|line| line.number == alone.number));
    within.zip(alone.as_ref()).and_then(|(within, alone)| within.text.strip_suffix(alone.text)).unwrap_or_default()
}

fn indented(margin: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{margin}{text}") }
}
