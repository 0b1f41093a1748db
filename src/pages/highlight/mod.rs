//! Turns code into HTML, line by line, with elements of short names that the theme gives colours to.
//!
//! Must not know where the code came from. A token is `<k->for</k->`: names with a hyphen are HTML, mean nothing to those who can't see
//! colours, and take half the bytes of a `span` with a class. Elements: `k-` keyword, `t-` type or key, `q-` CUDA qualifier, `b-` CUDA
//! builtin, variable or register, `f-` function or call, `l-` launch brackets, `p-` preprocessor, prompt or heading, `n-` number,
//! `s-` string, `c-` comment; in a diff `i-` inserted and `d-` deleted. Operators and plain names have none.

mod grammar;
mod simple;

use std::ops::Deref;
use std::sync::Arc;

use crate::base::cuda::{self, Kind};
use crate::base::digest::Checksum;
use crate::base::memo::Memo;
use crate::course::source::{Language, ShownLine, Source};
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

/// `text` as HTML: escaped, with elements that never cross a line end; tags aside, it is the text itself. A language that is not known
/// stays plain.
#[must_use]
pub fn highlight(text: &str, language: &str) -> String {
    read(text, &reader(language))
}

/// Code as HTML.
#[derive(Debug)]
pub enum Code {
    /// Made for this once.
    Made(String),
    /// Also kept for the next who asks.
    Kept(Arc<str>),
}

impl Deref for Code {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Made(html) => html,
            Self::Kept(html) => html,
        }
    }
}

/// Highlights, and remembers what was slow to do. Lives as long as its owner wants the results; nothing is kept beside it.
#[derive(Debug, Default)]
pub struct Highlighter {
    /// HTML by language and digest of the text.
    memo: Memo<(String, Checksum), Arc<str>>,
}

impl Highlighter {
    /// As the function [`highlight`].
    #[must_use]
    pub fn highlight(&self, text: &str, language: &str) -> Code {
        let reader = reader(language);
        if !matches!(reader, Reader::Grammar(_)) {
            return Code::Made(read(text, &reader));
        }
        Code::Kept(self.memo.get_or((language.to_ascii_lowercase(), Checksum::of(text)), || read(text, &reader).into()))
    }

    /// The HTML of `lines` of `source`, each behind `margin` and closed in itself. What they are is known from the whole file: a comment
    /// may begin before them.
    #[must_use]
    pub fn lines(&self, source: &Source, lines: &[ShownLine<'_>], margin: &str) -> Code {
        if source.language == Language::Cuda {
            return Code::Made(read_lines(source, lines, margin));
        }
        let margin = |line: &ShownLine<'_>| if line.text.is_empty() { "" } else { margin };
        let text: String = lines.iter().flat_map(|line| [margin(line), line.text, "\n"]).collect();
        self.highlight(&text, source.language_name())
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

fn read(text: &str, reader: &Reader) -> String {
    // Code doubles at most, and seldom so.
    let mut html = Html { text: String::with_capacity(text.len() * 2), ..Html::default() };
    match reader {
        Reader::Cuda => read_cuda(text, &mut html),
        Reader::Simple(language) => simple::read(text, *language, &mut html),
        Reader::Grammar(grammar) => grammar.read(text, &mut html),
        Reader::Plain => html.push(text, ""),
    }
    html.finish()
}

/// Appends `text`, what stands between two tokens of a class at once.
fn read_cuda(text: &str, html: &mut Html) {
    let mut done = 0;
    for token in cuda::tokens(text) {
        let class = class(token.kind, token.text(text));
        if !class.is_empty() {
            html.push(text.get(done..token.start).unwrap_or_default(), "");
            html.push(token.text(text), class);
            done = token.end;
        }
    }
    html.push(text.get(done..).unwrap_or_default(), "");
}

/// As [`Highlighter::lines`], in our own language.
fn read_lines(source: &Source, lines: &[ShownLine<'_>], margin: &str) -> String {
    let bytes: usize = lines.iter().map(|line| line.text.len() + 1).sum();
    let mut html = Html { text: String::with_capacity(bytes * 2), ..Html::default() };
    let mut accents = source.accents_from(lines.first().map_or(0, |line| line.at));
    for line in lines {
        let (end, mut done) = (line.at + line.text.len(), 0);
        if done < line.text.len() {
            html.push(margin, "");
        }
        while let [accent, behind @ ..] = accents {
            let range = accent.range();
            if range.start >= end {
                break;
            }
            let (from, to) = (range.start.saturating_sub(line.at), range.end.min(end).saturating_sub(line.at));
            if from < to {
                html.push(line.text.get(done..from).unwrap_or_default(), "");
                let text = line.text.get(from..to).unwrap_or_default();
                html.push(text, class(accent.kind, text));
                done = to;
            }
            if range.end > end {
                break;
            }
            accents = behind;
        }
        html.push(line.text.get(done..).unwrap_or_default(), "");
        html.close();
        html.text.push('\n');
    }
    html.finish()
}

/// Keywords that stand before a type and say something of it. They have its colour, and so mostly its element, too.
const OF_TYPES: [&str; 9] = ["auto", "const", "constexpr", "extern", "inline", "mutable", "static", "typename", "volatile"];

/// What the token `text` is, as the first letter of its element; empty for none.
fn class(kind: Kind, text: &str) -> &'static str {
    match kind {
        Kind::Keyword if OF_TYPES.contains(&text) => "t",
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

/// HTML in the making.
#[derive(Default)]
struct Html {
    text: String,
    /// The class of the element that is still open: what comes next may be of the same.
    open: &'static str,
    /// Whether a blank came since.
    blank: bool,
}

impl Html {
    /// Appends `text` in `class`, which is none if empty.
    fn push(&mut self, text: &str, class: &'static str) {
        if class.is_empty() {
            return self.plain(text);
        }
        let mut rest = text;
        while let Some(end) = rest.as_bytes().iter().position(|&byte| byte == b'\n') {
            self.classed(&rest[..end], class);
            self.close();
            self.text.push('\n');
            rest = &rest[end + 1..];
        }
        self.classed(rest, class);
    }

    fn plain(&mut self, text: &str) {
        match text {
            "" => {}
            " " if !self.open.is_empty() && !self.blank => self.blank = true,
            _ => {
                self.close();
                push_text(text, &mut self.text);
            }
        }
    }

    /// Appends within a line. Neighbours of one class share an element, with a blank between them too: nobody sees its colour.
    fn classed(&mut self, part: &str, class: &'static str) {
        if part.is_empty() {
            return;
        }
        if class != self.open {
            self.close();
            self.text.push('<');
            self.text.push_str(class);
            self.text.push_str("->");
            self.open = class;
        } else if std::mem::take(&mut self.blank) {
            self.text.push(' ');
        }
        push_text(part, &mut self.text);
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.text.push_str("</");
            self.text.push_str(self.open);
            self.text.push_str("->");
            self.open = "";
        }
        if std::mem::take(&mut self.blank) {
            self.text.push(' ');
        }
    }

    fn finish(mut self) -> String {
        self.close();
        self.text
    }
}

#[cfg(test)]
mod tests;
