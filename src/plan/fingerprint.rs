//! Turns all that can change a measurement into lines of text, and the lines into one digest.
//!
//! Must not know how a difference is shown; equal lines mean that an old run still speaks for this code.

use crate::base::cuda::{self, Kind, Token};
use crate::base::digest::Digest;

/// What a run is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The hashed lines, readable: code as its tokens, a statement a line; options, sizes, policy.
    pub lines: Vec<String>,
    /// The digest of the lines, each with its LF.
    pub digest: Digest,
}

impl Fingerprint {
    /// The fingerprint of `lines`.
    #[must_use]
    pub fn of(lines: Vec<String>) -> Self {
        let mut text = lines.join("\n");
        text.push('\n');
        Self { digest: Digest::of(&text), lines }
    }
}

/// `text`, CUDA or C++, as hashed lines: its tokens without comments and white space, a statement or a directive a line.
///
/// A line ends after `;`, `{` and `}` outside of parentheses. Strings stay as they are, but for the line ends of raw
/// ones. `#line` does not count, since it moves with code that isn't compiled.
#[must_use]
pub fn code_lines(text: &str) -> Vec<String> {
    let mut lines = CodeLines::default();
    for token in cuda::tokens(text) {
        lines.take(&token, text);
    }
    lines.end_directive();
    lines.end_line();
    lines.lines
}

/// The lines so far and the ones being written.
#[derive(Default)]
struct CodeLines {
    lines: Vec<String>,
    code: String,
    /// Open parentheses and brackets in the code.
    depth: usize,
    directive: Option<String>,
    /// Whether the token before this one ran into a backslash and line end, with nothing between.
    spliced: bool,
    /// Whether white space or a comment came since the last token.
    apart: bool,
    /// Tokens of the directive so far.
    words: usize,
}

impl CodeLines {
    fn take(&mut self, token: &Token, text: &str) {
        let word = token.text(text);
        match token.kind {
            Kind::Newline => {
                self.end_directive();
                self.apart = true;
            }
            Kind::Splice => self.spliced = !self.apart,
            Kind::Space | Kind::LineComment | Kind::BlockComment => (self.apart, self.spliced) = (true, false),
            Kind::Directive if self.directive.is_none() => {
                self.directive = Some(format!("#{}", cuda::directive_word(word)));
                self.words = 1;
                (self.apart, self.spliced) = (false, false);
            }
            _ => self.code_token(token, word),
        }
    }

    fn code_token(&mut self, token: &Token, word: &str) {
        // Two tokens that only a backslash and line end parts are one to the compiler. And `#define F(x)` is not `#define F (x)`.
        let parameters = self.words == 2 && word == "(" && self.directive.as_deref().is_some_and(|line| line.starts_with("#define "));
        let glued = !self.apart && (self.spliced || parameters);
        (self.apart, self.spliced) = (false, false);
        let line = self.directive.as_mut().unwrap_or(&mut self.code);
        if !line.is_empty() && !glued {
            line.push(' ');
        }
        match token.kind {
            Kind::RawString => line.push_str(&word.replace('\\', "\\\\").replace('\n', "\\n")),
            Kind::String | Kind::Char => line.push_str(&word.replace("\\\n", "")),
            _ => line.push_str(word),
        }
        if self.directive.is_some() {
            self.words += 1;
            return;
        }
        match word {
            "(" | "[" => self.depth += 1,
            ")" | "]" => self.depth = self.depth.saturating_sub(1),
            ";" | "{" | "}" if self.depth == 0 => self.end_line(),
            _ => {}
        }
    }

    /// Ends a directive, and the part of a statement that stands before it.
    fn end_directive(&mut self) {
        if let Some(line) = self.directive.take() {
            if line != "#line" && !line.starts_with("#line ") {
                self.end_line();
                self.lines.push(line);
            }
        }
    }

    fn end_line(&mut self) {
        if !self.code.is_empty() {
            self.lines.push(std::mem::take(&mut self.code));
        }
    }
}
