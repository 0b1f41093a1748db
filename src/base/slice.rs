//! Turns a piece of an author's file into plain text that remembers, byte for byte, where it stood.
//!
//! A marker in a quotation loses its `> ` and a TOML string its escapes, yet an error in either must point at the
//! author's own column. Must not know which grammar reads the text.

use super::span::{SourceName, Span};

/// Text lifted out of a file, with the way back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    text: String,
    file: SourceName,
    /// Runs of text that stand together in the file: (offset in `text`, offset in the file), both ascending.
    runs: Vec<(usize, usize)>,
}

impl Slice {
    /// The bytes of `source` from `start` on that `text` repeats without a change.
    #[must_use]
    pub fn verbatim(file: &SourceName, text: &str, start: usize) -> Self {
        Self { text: text.to_owned(), file: file.clone(), runs: vec![(0, start)] }
    }

    /// An empty slice of `file`, to be filled with [`Slice::push`].
    #[must_use]
    pub fn empty(file: &SourceName) -> Self {
        Self { text: String::new(), file: file.clone(), runs: Vec::new() }
    }

    /// Empties it, for another piece of the same file.
    pub fn clear(&mut self) {
        self.text.clear();
        self.runs.clear();
    }

    /// Appends `text`, which stands (or whose first byte stands for what stands) at `start` in the file.
    pub fn push(&mut self, text: &str, start: usize) {
        // A text that goes on where the last one ended needs no run of its own.
        if self.runs.is_empty() || self.source_offset(self.text.len()) != start {
            self.runs.push((self.text.len(), start));
        }
        self.text.push_str(text);
    }

    /// Appends the part `start..end` of `other`, a slice of the same file, with its way back.
    pub fn append(&mut self, other: &Self, start: usize, end: usize) {
        let part = other.part(start, end);
        for (index, &(at, source)) in part.runs.iter().enumerate() {
            let until = part.runs.get(index + 1).map_or(part.text.len(), |&(next, _)| next);
            self.push(&part.text[at..until], source);
        }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file it comes from.
    #[must_use]
    pub fn file(&self) -> &SourceName {
        &self.file
    }

    /// Where byte `offset` of the text stands in the file.
    #[must_use]
    pub fn source_offset(&self, offset: usize) -> usize {
        let run = self.runs.partition_point(|&(at, _)| at <= offset);
        match run.checked_sub(1).map(|index| self.runs[index]) {
            Some((at, source)) => source + (offset - at),
            None => 0,
        }
    }

    /// The place in the file of the text's bytes `start..end`.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> Span {
        let from = self.source_offset(start);
        // The end is found from its last byte, so that a range which closes a run does not reach into the next one.
        let to = if end > start { self.source_offset(end - 1) + 1 } else { from };
        Span::new(&self.file, from, to.max(from))
    }

    /// The place of the whole text.
    #[must_use]
    pub fn whole(&self) -> Span {
        self.span(0, self.text.len())
    }

    /// The part `start..end` of the text as a slice of its own.
    #[must_use]
    pub fn part(&self, start: usize, end: usize) -> Self {
        let mut runs = vec![(0, self.source_offset(start))];
        runs.extend(self.runs.iter().filter(|&&(at, _)| at > start && at < end).map(|&(at, source)| (at - start, source)));
        Self { text: self.text[start..end].to_owned(), file: self.file.clone(), runs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_marker_points_back_into_its_lines() {
        let file: SourceName = "lessons/a.md".into();
        // "> ab\n> cd": the text without its prefixes is "ab\ncd".
        let mut slice = Slice::empty(&file);
        slice.push("ab\n", 2);
        slice.push("cd", 7);
        assert_eq!(slice.text(), "ab\ncd");
        assert_eq!(slice.span(1, 2), Span::new(&file, 3, 4));
        assert_eq!(slice.span(3, 5), Span::new(&file, 7, 9));
        assert_eq!(slice.span(0, 3), Span::new(&file, 2, 5));
        assert_eq!(slice.part(1, 5).span(2, 4), Span::new(&file, 7, 9));
        let mut copy = Slice::empty(&file);
        copy.append(&slice, 1, 2);
        copy.append(&slice, 2, 5);
        assert_eq!(copy, slice.part(1, 5));
    }
}
