//! Turns code into HTML, line by line, with short class names that the theme gives colours to.
//!
//! Must not know where the code came from. Classes: `k` keyword, `t` type or key, `q` CUDA qualifier, `b` CUDA builtin, variable
//! or register, `f` function or call, `l` launch brackets, `p` preprocessor, prompt or heading, `n` number, `s` string,
//! `c` comment; in a diff `i` inserted and `d` deleted. Operators and plain names have none.

mod grammar;
mod simple;

use std::sync::Arc;

use crate::base::cuda::{self, Kind};
use crate::base::digest::Digest;
use crate::base::memo::Memo;
use crate::pages::html::push_text;

/// Blocks of code that are remembered at least.
const MOST: usize = 4096;

/// Who reads a language.
enum Reader {
    /// Our own lexer.
    Cuda,
    /// A few rules.
    Simple(simple::Language),
    /// A grammar of the syntax library; slow.
    Grammar(grammar::Grammar),
    /// Nobody: the text stays plain.
    Plain,
}

/// `text` as lines of HTML: escaped, with `<span class=…>` that never cross a line end; tags aside, each line is the
/// source's own. A final line end begins no line. A language that is not known stays plain.
#[must_use]
pub fn highlight(text: &str, language: &str) -> Vec<String> {
    read(text, &reader(language))
}

/// Highlights, and remembers what was slow to do. Lives as long as its owner wants the results; nothing is kept beside it.
#[derive(Debug, Default)]
pub struct Highlighter {
    /// Lines by language and digest of the text.
    memo: Memo<(String, Digest), Arc<[String]>>,
}

impl Highlighter {
    /// As the function [`highlight`].
    #[must_use]
    pub fn highlight(&self, text: &str, language: &str) -> Arc<[String]> {
        let reader = reader(language);
        if !matches!(reader, Reader::Grammar(_)) {
            return read(text, &reader).into();
        }
        self.memo.get_or((language.to_ascii_lowercase(), Digest::of(text)), || read(text, &reader).into())
    }

    /// Drops what nobody asked for since the last call, once that is much: pages that are made of others' parts again ask for nothing.
    pub fn forget_unused(&self) {
        if self.memo.count() > MOST {
            self.memo.forget_unused();
        }
    }
}

fn reader(language: &str) -> Reader {
    let language = language.to_ascii_lowercase();
    match language.as_str() {
        "" | "text" | "txt" | "plain" | "none" => Reader::Plain,
        "cuda" => Reader::Cuda,
        ending if cuda::ENDINGS.contains(&ending) => Reader::Cuda,
        _ => match simple::Language::named(&language) {
            Some(simple) => Reader::Simple(simple),
            None => grammar::find(&language).map_or(Reader::Plain, Reader::Grammar),
        },
    }
}

fn read(text: &str, reader: &Reader) -> Vec<String> {
    let mut lines = Lines::default();
    match reader {
        Reader::Cuda => cuda::tokens(text).iter().for_each(|token| lines.push(token.text(text), class(token.kind))),
        Reader::Simple(language) => simple::read(text, *language, &mut lines),
        Reader::Grammar(grammar) => grammar.read(text, &mut lines),
        Reader::Plain => lines.push(text, ""),
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
    /// The class of the span that ends the line so far, if one does.
    last: &'static str,
}

impl Lines {
    /// Appends `text` in `class`, which is none if empty.
    fn push(&mut self, text: &str, class: &'static str) {
        for (index, part) in text.split('\n').enumerate() {
            if index > 0 {
                self.done.push(std::mem::take(&mut self.line));
                self.last = "";
            }
            if !part.is_empty() {
                self.append(part, class);
            }
        }
    }

    /// Appends to the line; two neighbours of one class share a span.
    fn append(&mut self, part: &str, class: &'static str) {
        const CLOSE: &str = "</span>";
        if class.is_empty() {
            push_text(part, &mut self.line);
        } else {
            if class == self.last {
                self.line.truncate(self.line.len() - CLOSE.len());
            } else {
                self.line.extend(["<span class=", class, ">"]);
            }
            push_text(part, &mut self.line);
            self.line.push_str(CLOSE);
        }
        self.last = class;
    }

    fn finish(mut self) -> Vec<String> {
        if !self.line.is_empty() {
            self.done.push(self.line);
        }
        self.done
    }
}

#[cfg(test)]
mod tests;
