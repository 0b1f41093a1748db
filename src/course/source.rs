//! Turns a file under `kernels/` into text with its marked regions.
//!
//! Must not know which page shows a region or which sweep compiles it.

use std::ops::Range;
use std::sync::Arc;

use crate::base::span::{SourceName, Span};

/// How a source is tokenised and highlighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// CUDA, C++ or C: our own lexer.
    Cuda,
    /// Anything else, by its file's ending; `//` opens its marker lines too.
    Other,
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
    /// The lines (from 0) that hold markers; they never reach a page or a compiler's listing.
    pub marker_lines: Vec<usize>,
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

/// One line as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLine<'a> {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its text without the region's common margin.
    pub text: &'a str,
}
