//! Turns a file under `kernels/` into text with its marked regions and its local includes.
//!
//! Must not know which page shows a region or which sweep compiles it.

mod comment;
mod problems;
mod scan;

use std::ops::Range;
use std::sync::Arc;

use crate::base::cuda::{self, Accent};
use crate::base::problem::Problems;
use crate::base::span::{SourceName, Span};

/// How a source is tokenised and highlighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// CUDA, C++ or C: our own lexer.
    Cuda,
    /// Anything else, by its file's ending; `//` opens its marker lines too.
    Other,
}

impl Language {
    /// The language of the file `name`, by its ending.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match ending(name) {
            Some(ending) if cuda::ENDINGS.contains(&ending) => Self::Cuda,
            _ => Self::Other,
        }
    }
}

/// What follows the last dot of a file's name.
fn ending(name: &str) -> Option<&str> {
    name.rsplit('/').next()?.rsplit_once('.').map(|(_, ending)| ending)
}

/// A text file under `kernels/`.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its name in the tree, `kernels/…`.
    pub name: SourceName,
    /// Its path from `kernels/`, as authors write it.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// Its language.
    pub language: Language,
    /// Its regions, in the order they open.
    pub regions: Vec<Region>,
    /// The lines (from 0, ascending) that hold markers; they never reach a page or a compiler's listing.
    pub marker_lines: Vec<usize>,
    /// What it includes with `#include "…"`, in order.
    pub includes: Vec<Include>,
    /// Where each line begins, and the end of the text.
    starts: Vec<usize>,
    /// What stands out in the text, in order; nothing in a language that is not ours.
    accents: Box<[Accent]>,
}

/// A named part of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Where the name stands in its opening marker.
    pub at: Span,
    /// The lines between its markers, counted from 0; markers of inner regions among them are not shown.
    pub lines: Range<usize>,
}

/// An `#include "…"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// What stands between the quotes.
    pub name: String,
    /// Where it stands, quotes and all.
    pub at: Span,
    /// Its line, from 0.
    pub line: usize,
}

/// One line as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLine<'a> {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its text without the region's common margin, without its line end.
    pub text: &'a str,
    /// Where that begins in the file, in bytes.
    pub at: usize,
}

impl Source {
    /// Reads the file `name` of the tree. Faults of its markers are problems; a region with one is kept as far as it goes.
    #[must_use]
    pub fn parse(name: &SourceName, text: &Arc<str>, problems: &mut Problems) -> Self {
        let mut source = Self {
            name: name.clone(),
            path: super::kernel_path(name).unwrap_or(name).to_owned(),
            text: text.clone(),
            language: Language::of(name),
            regions: Vec::new(),
            marker_lines: Vec::new(),
            includes: Vec::new(),
            starts: starts(text),
            accents: Box::default(),
        };
        scan::scan(&mut source, problems);
        source
    }

    /// What the highlighter knows its language by; empty if it can't know.
    #[must_use]
    pub fn language_name(&self) -> &str {
        match self.language {
            Language::Cuda => "cuda",
            Language::Other => ending(&self.path).unwrap_or_default(),
        }
    }

    /// The region `name`.
    #[must_use]
    pub fn region(&self, name: &str) -> Option<&Region> {
        self.regions.iter().find(|region| region.name == name)
    }

    /// How many lines the file has.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Line `index`, from 0, without its line end; empty past the last.
    #[must_use]
    pub fn line(&self, index: usize) -> &str {
        let Some(&[start, end]) = self.starts.get(index..).and_then(<[usize]>::first_chunk) else { return "" };
        let line = self.text.get(start..end).unwrap_or_default();
        line.strip_suffix('\n').unwrap_or(line)
    }

    /// The line, from 0, of byte `offset`.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Whether line `index`, from 0, holds a marker.
    #[must_use]
    pub fn is_marker(&self, index: usize) -> bool {
        self.marker_lines.binary_search(&index).is_ok()
    }

    /// A region as pages show it: without marker lines, without the margin that all its non-blank lines share.
    #[must_use]
    pub fn shown(&self, region: &Region) -> Vec<ShownLine<'_>> {
        let lines = || self.between(region.lines.clone());
        let margin = margin(lines().map(|line| line.text));
        lines().map(|line| line.without(margin)).collect()
    }

    /// A region with up to `context` lines before and behind it, without marker lines and without the margin that all of them share,
    /// and which of these lines are the region's.
    #[must_use]
    pub fn shown_within(&self, region: &Region, context: usize) -> (Vec<ShownLine<'_>>, Range<usize>) {
        let mut before: Vec<ShownLine<'_>> =
            (0..region.lines.start).rev().flat_map(|line| self.between(line..line + 1)).take(context).collect();
        before.reverse();
        let inside: Vec<ShownLine<'_>> = self.between(region.lines.clone()).collect();
        let behind = self.between(region.lines.end..self.line_count()).take(context);
        let range = before.len()..before.len() + inside.len();
        let lines: Vec<ShownLine<'_>> = before.into_iter().chain(inside).chain(behind).collect();
        let margin = margin(lines.iter().map(|line| line.text));
        (lines.into_iter().map(|line| line.without(margin)).collect(), range)
    }

    /// The whole file without its marker lines.
    #[must_use]
    pub fn whole(&self) -> Vec<ShownLine<'_>> {
        self.between(0..self.line_count()).collect()
    }

    fn between(&self, lines: Range<usize>) -> impl Iterator<Item = ShownLine<'_>> {
        let shown =
            |line: usize| ShownLine { number: line + 1, text: self.line(line), at: self.starts.get(line).copied().unwrap_or_default() };
        lines.filter(|&line| !self.is_marker(line)).map(shown)
    }

    /// What stands out in the text behind the byte `at`, in order, or from before it to behind it.
    #[must_use]
    pub fn accents_from(&self, at: usize) -> &[Accent] {
        self.accents.get(self.accents.partition_point(|accent| accent.range().end <= at)..).unwrap_or_default()
    }
}

impl ShownLine<'_> {
    /// The same without `margin`; nothing of a blank one.
    fn without(self, margin: &str) -> Self {
        let text = if is_blank(self.text) { "" } else { self.text.strip_prefix(margin).unwrap_or(self.text) };
        Self { text, at: self.at + self.text.len() - text.len(), ..self }
    }
}

/// `FILE#NAME` as file and region, split at the last `#`; `None` if either is missing.
#[must_use]
pub fn reference(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once('#').filter(|(file, name)| !file.is_empty() && !name.is_empty())
}

/// Where each line of `text` begins, and its end; a final line end begins no line.
fn starts(text: &str) -> Vec<usize> {
    let mut starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    if starts.last() != Some(&text.len()) || text.is_empty() {
        starts.push(text.len());
    }
    if text.is_empty() {
        starts.truncate(1);
    }
    starts
}

fn is_blank(line: &str) -> bool {
    line.chars().all(char::is_whitespace)
}

/// The white space that all of `lines` but the blank ones begin with, character by character: a tab equals only a tab.
fn margin<'a>(lines: impl Iterator<Item = &'a str>) -> &'a str {
    let indents = lines.filter(|line| !is_blank(line)).map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]);
    indents.reduce(|a, b| &a[..a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()]).unwrap_or("")
}

#[cfg(test)]
mod tests;
