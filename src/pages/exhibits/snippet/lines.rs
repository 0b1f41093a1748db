//! Turns regions of sources into lines of HTML: as they are, or as what changed between two, with lines around them.
//!
//! Must not know markers or pages.

use std::ops::Range;

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use crate::course::source::{Region, Source};
use crate::pages::highlight::Highlighter;

/// A line of code on a page.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Line {
    /// `span`, `ins` or `del`.
    pub(super) element: &'static str,
    pub(super) number: usize,
    pub(super) lit: bool,
    /// Whether it stands around the region and not in it.
    pub(super) outside: bool,
    pub(super) html: String,
}

/// A line of a source before it is HTML.
#[derive(Debug, Clone)]
pub(super) struct Code {
    pub(super) number: usize,
    pub(super) text: String,
}

/// A region with the lines around it, all without the margin that they share.
pub(super) struct Excerpt<'a> {
    pub(super) source: &'a Source,
    pub(super) lines: Vec<Code>,
    /// Which of the lines are the region's.
    pub(super) inside: Range<usize>,
    /// How much of the region's own margin was kept, for the sake of the lines around it.
    kept: String,
}

impl<'a> Excerpt<'a> {
    /// `region` of `source` with up to `context` lines before and behind it.
    pub(super) fn new(source: &'a Source, region: &Region, context: usize) -> Self {
        let (shown, inside) = source.shown_within(region, context);
        let alone = source.shown(region).into_iter().find(|line| !line.text.is_empty());
        let within = alone.as_ref().and_then(|alone| shown.iter().find(|line| line.number == alone.number));
        let kept = within.zip(alone.as_ref()).and_then(|(within, alone)| within.text.strip_suffix(alone.text)).unwrap_or_default();
        let lines = shown.iter().map(|line| Code { number: line.number, text: line.text.to_owned() }).collect();
        Self { source, lines, inside, kept: kept.to_owned() }
    }

    /// The region's own lines.
    pub(super) fn region(&self) -> &[Code] {
        self.lines.get(self.inside.clone()).unwrap_or_default()
    }

    /// Its lines as HTML.
    pub(super) fn plain(&self, highlighter: &Highlighter) -> Vec<Line> {
        let html = highlight(&self.lines, self.source, highlighter);
        let line = |(index, (code, html)): (usize, (&Code, String))| self.line("span", index, code, html);
        self.lines.iter().zip(html).enumerate().map(line).collect()
    }

    fn line(&self, element: &'static str, index: usize, code: &Code, html: String) -> Line {
        Line { element, number: code.number, lit: false, outside: !self.inside.contains(&index), html }
    }

    /// Its lines, those that `old` lacks inserted and those that only `old` has deleted.
    pub(super) fn against(&self, old: &Excerpt<'_>, highlighter: &Highlighter) -> Vec<Line> {
        let moved: Vec<Code> = old.region().iter().map(|code| Code { text: indented(&self.kept, &code.text), ..*code }).collect();
        let (old_texts, new_texts) = (texts(&moved), texts(self.region()));
        let (old_html, new_html) = (highlight(&moved, old.source, highlighter), highlight(&self.lines, self.source, highlighter));
        let new =
            |element: &'static str, index: usize| Some(self.line(element, index, self.lines.get(index)?, new_html.get(index)?.clone()));
        let gone = |index: usize| {
            let (code, html) = (moved.get(index)?, old_html.get(index)?.clone());
            Some(Line { element: "del", number: code.number, lit: false, outside: false, html })
        };
        let first = self.inside.start;
        let diff = TextDiff::from_slices(&old_texts, &new_texts);
        let changes = diff.iter_all_changes().filter_map(|change| match change.tag() {
            ChangeTag::Equal => new("span", first + change.new_index()?),
            ChangeTag::Insert => new("ins", first + change.new_index()?),
            ChangeTag::Delete => gone(change.old_index()?),
        });
        let before = (0..first).filter_map(|index| new("span", index));
        let behind = (self.inside.end..self.lines.len()).filter_map(|index| new("span", index));
        before.chain(changes).chain(behind).collect()
    }
}

fn texts(lines: &[Code]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

fn indented(margin: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{margin}{text}") }
}

/// HTML of each line; padded, should the highlighter and the source disagree on what a line is.
fn highlight(lines: &[Code], source: &Source, highlighter: &Highlighter) -> Vec<String> {
    let text: String = lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
    let mut html = highlighter.highlight(&text, source.language_name()).to_vec();
    html.resize(lines.len(), String::new());
    html
}
