//! Turns `lessons/NAME.md` or `lessons/NAME.LANG.md` into a lesson: front matter and document.
//!
//! Must not know other lessons, sweeps or evidence.

use crate::base::slice::Slice;
use crate::base::span::{SourceName, Span};

use super::document::Document;

/// One lesson in one language.
#[derive(Debug, Clone)]
pub struct Lesson {
    /// The file.
    pub file: SourceName,
    /// The lesson's name, shared by its translations: `occupancy` for `occupancy.md` and `occupancy.he.md`.
    pub name: String,
    /// Its language.
    pub language: String,
    /// Its title; may hold figures.
    pub title: Slice,
    /// Its summary; may hold figures.
    pub summary: Option<Slice>,
    /// Its date, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Its place in the course, where the outline does not say.
    pub order: Option<i64>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether it is a draft; drafts are built with `--draft` only.
    pub draft: bool,
    /// The sweeps it stands on.
    pub sweeps: Vec<(String, Span)>,
    /// Figures that are stated and not measured, each with its source.
    pub stated: Vec<Stated>,
    /// The text.
    pub document: Document,
}

/// A figure that the page may state: where it comes from.
#[derive(Debug, Clone)]
pub struct Stated {
    /// The figure as it stands in the prose.
    pub figure: Slice,
    /// Its source: a specification, a paper, arithmetic on the page.
    pub source: String,
}
