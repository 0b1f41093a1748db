//! Turns CUDA and C++ text into tokens: for markers, fingerprints and highlighting.
//!
//! Must not know regions or pages; it never fails, whatever the text.

mod scan;
mod words;

use std::ops::Range;

pub use self::scan::tokens;

/// The endings of the files that these tokens are for.
pub const ENDINGS: [&str; 14] = ["cu", "cuh", "c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "inl", "ipp", "ixx"];

/// A piece of the text. The tokens of a text cover it without a gap, in order; none is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Whether it belongs to a preprocessor directive; the line end that closes one does not.
    pub directive: bool,
    /// First byte; always between two characters.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Token {
    /// What it covers of `text`, which must be the text that it was read from.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Blanks and tabs within a line.
    Space,
    /// One line end.
    Newline,
    /// A backslash and the line end that it takes away.
    Splice,
    /// `// …` with the lines that a final backslash adds, without its line end.
    LineComment,
    /// `/* … */`, or up to the end of the text.
    BlockComment,
    /// `"…"` with prefix and suffix; one that isn't closed ends with its line.
    String,
    /// `R"delimiter(…)delimiter"` with prefix and suffix, or up to the end of the text.
    RawString,
    /// `'…'` with prefix and suffix; one that isn't closed ends with its line.
    Char,
    /// A number with its separators, exponent and suffix.
    Number,
    /// A name that is nothing of the below.
    Identifier,
    /// A word of C++.
    Keyword,
    /// A type of C++, a name that ends in `_t`, or one that the text has declared as a type.
    Type,
    /// `__global__`, `__shared__`, `__launch_bounds__` and the like.
    Qualifier,
    /// What CUDA gives to device code: `blockIdx`, `float4`, `__syncthreads`, `atomicAdd`.
    Builtin,
    /// A name that is called or launched (or declared as a function): it stands before `(` or `<<<`, template
    /// arguments between or not.
    Call,
    /// `<<<`, and the `>>>` that closes it.
    Launch,
    /// `#` at the start of a line with the word that follows; also the first word after `#pragma`.
    Directive,
    /// `<…>` after `#include`.
    Header,
    /// `+`, `->`, `::`, `>>=`, …
    Operator,
    /// `( ) [ ] { } , ;`
    Punctuation,
    /// What C++ has no use for.
    Other,
}

impl Kind {
    /// Whether it has a colour of its own: no white space, plain name, operator or bracket.
    #[must_use]
    pub fn stands_out(self) -> bool {
        !matches!(self, Self::Space | Self::Newline | Self::Splice | Self::Identifier | Self::Operator | Self::Punctuation | Self::Other)
    }

    /// Whether a compiler sees it: not white space, not a comment.
    #[must_use]
    pub fn is_code(self) -> bool {
        !matches!(self, Self::Space | Self::Newline | Self::Splice | Self::LineComment | Self::BlockComment)
    }
}

/// A token that readers see in another colour than what is around it, in eight bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accent {
    start: u32,
    /// The lower three bytes of its length.
    length: [u8; 3],
    /// What it is.
    pub kind: Kind,
}

impl Accent {
    /// `token`, if it stands out. Past four billion bytes nothing does, and nothing that takes more than sixteen million.
    #[must_use]
    pub fn of(token: &Token) -> Option<Self> {
        let start = u32::try_from(token.start).ok().filter(|_| token.kind.stands_out())?;
        let [length @ .., 0] = u32::try_from(token.end - token.start).ok()?.to_le_bytes() else { return None };
        Some(Self { start, length, kind: token.kind })
    }

    /// Where it stands, in bytes.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        let [a, b, c] = self.length;
        let start = self.start as usize;
        start..start + u32::from_le_bytes([a, b, c, 0]) as usize
    }
}

/// The word of a directive: `pragma` of the token `#  pragma`.
#[must_use]
pub fn directive_word(token: &str) -> &str {
    token.trim_start_matches(|c: char| !(c.is_alphabetic() || c == '_'))
}

#[cfg(test)]
mod tests;
