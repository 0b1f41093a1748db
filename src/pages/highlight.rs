//! Turns code into HTML, line by line, with short class names that the theme gives colours to.
//!
//! Must not know where the code came from. Classes: `k` keyword, `t` type, `q` CUDA qualifier, `b` CUDA builtin, `f` function or
//! call, `l` launch brackets, `p` preprocessor, `n` number, `s` string, `c` comment; in a diff `i` inserted, `d` deleted.

use crate::base::cuda::{self, Kind};

/// `text` as lines of HTML: escaped, with `<span class=…>` that never cross a line end; tags aside, each line is the
/// source's own. A final line end begins no line. A language that is not known stays plain.
#[must_use]
pub fn highlight(text: &str, language: &str) -> Vec<String> {
    let mut lines = Lines::default();
    match language.to_ascii_lowercase().as_str() {
        "cuda" | "cu" | "cuh" | "c" | "h" | "cpp" | "c++" | "cc" | "cxx" | "hpp" | "hh" | "hxx" | "inl" => {
            for token in cuda::tokens(text) {
                lines.push(token.text(text), class(token.kind));
            }
        }
        _ => lines.push(text, ""),
    }
    lines.finish()
}

/// The class of a token; empty for none.
fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Keyword => "k",
        Kind::Type => "t",
        Kind::Qualifier => "q",
        Kind::Builtin => "b",
        Kind::Call => "f",
        Kind::Launch => "l",
        Kind::Directive => "p",
        Kind::Number => "n",
        Kind::String | Kind::RawString | Kind::Char | Kind::Header => "s",
        Kind::LineComment | Kind::BlockComment => "c",
        Kind::Space | Kind::Newline | Kind::Splice | Kind::Identifier | Kind::Operator | Kind::Punctuation | Kind::Other => "",
    }
}

/// Lines of HTML in the making.
#[derive(Default)]
struct Lines {
    done: Vec<String>,
    line: String,
}

impl Lines {
    /// Appends `text` in `class`, which is none if empty.
    fn push(&mut self, text: &str, class: &str) {
        for (index, part) in text.split('\n').enumerate() {
            if index > 0 {
                self.done.push(std::mem::take(&mut self.line));
            }
            if part.is_empty() {
                continue;
            }
            if class.is_empty() {
                escape(part, &mut self.line);
            } else {
                self.line.extend(["<span class=", class, ">"]);
                escape(part, &mut self.line);
                self.line.push_str("</span>");
            }
        }
    }

    fn finish(mut self) -> Vec<String> {
        if !self.line.is_empty() {
            self.done.push(self.line);
        }
        self.done
    }
}

/// Appends `text` as HTML text.
fn escape(text: &str, html: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>']) {
        html.push_str(&rest[..at]);
        html.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            _ => "&gt;",
        });
        rest = &rest[at + 1..];
    }
    html.push_str(rest);
}
