//! Turns a paragraph that begins `kind:` into a marker: kind, target, options, and in a claim the sentence's place.
//!
//! Must not know what any kind means or which options it takes.

use crate::base::slice::Slice;
use crate::base::span::Span;

use super::toml::Table;

/// The kinds of block markers; a paragraph that begins with one of these and a colon is a marker to its end.
pub const KINDS: [&str; 6] = ["snippet", "table", "chart", "transcript", "claim", "otherwise"];

/// A marker as written.
#[derive(Debug, Clone)]
pub struct Marker {
    /// One of [`KINDS`].
    pub kind: String,
    /// What follows the colon up to the brace: a region, a sweep, a claim's name; empty for `otherwise`.
    pub target: Slice,
    /// The inline table; empty if there is none.
    pub options: Table,
    /// What follows the closing brace (a claim's sentence), with the way back to the file.
    pub rest: Slice,
    /// The whole marker.
    pub at: Span,
}
