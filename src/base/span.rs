//! Turns a byte offset in an author's file into a place that can be shown: file, line, column.
//!
//! Must not know what is in the file.

use std::sync::Arc;

/// A file of the course by its path from the course's root, with `/` between the parts on every system.
pub type SourceName = Arc<str>;

/// A range of bytes in one file of the course, counted in the text as [`crate::tree`] holds it (no BOM, LF ends).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: SourceName,
    /// First byte.
    pub start: usize,
    /// One past the last byte; equal to `start` for a place between two characters.
    pub end: usize,
}

impl Span {
    /// The bytes `start..end` of `file`.
    #[must_use]
    pub fn new(file: &SourceName, start: usize, end: usize) -> Self {
        Self { file: file.clone(), start, end }
    }

    /// Line `line` (from 1) of `file`, whose text is `text`, without its line end; the end of the text past the last.
    #[must_use]
    pub fn line(file: &SourceName, text: &str, line: usize) -> Self {
        let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        Self::new(file, start, end)
    }

    /// The very beginning of `file`, for a problem that is about the file as a whole.
    #[must_use]
    pub fn top(file: &SourceName) -> Self {
        Self::new(file, 0, 0)
    }
}

/// A place as people and editors write it, both counted from one; the column counts characters, not bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// The line and column of byte `offset` in `text`; an offset past the end or inside a character is clamped back.
#[must_use]
pub fn line_column(text: &str, offset: usize) -> LineColumn {
    LineStarts::of(text).line_column(text, offset)
}

/// Where the lines of a text begin, so that many of its places can be found without reading it from the top each time.
#[derive(Debug, Clone, Default)]
pub struct LineStarts(Vec<usize>);

impl LineStarts {
    /// Those of `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The line and column of byte `offset` in `text`, which this was made of.
    #[must_use]
    pub fn line_column(&self, text: &str, offset: usize) -> LineColumn {
        let offset = floor_char(text, offset);
        let line = self.0.partition_point(|&start| start <= offset).max(1);
        let start = self.0.get(line - 1).copied().unwrap_or(0);
        LineColumn { line, column: text.get(start..offset).map_or(0, |before| before.chars().count()) + 1 }
    }
}

/// The largest character boundary of `text` that is not past `offset`.
#[must_use]
pub fn floor_char(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let cases =
            [("", 0, (1, 1)), ("ab\ncd", 4, (2, 2)), ("שלום x", 9, (1, 6)), ("a\n", 2, (2, 1)), ("é", 1, (1, 1)), ("a", 99, (1, 2))];
        for (text, offset, (line, column)) in cases {
            assert_eq!(line_column(text, offset), LineColumn { line, column }, "{text:?} at {offset}");
        }
    }
}
