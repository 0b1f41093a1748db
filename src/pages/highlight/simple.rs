//! Turns languages of few rules into classed text: manifests, build files, terminals, diffs, listings of machine code.
//!
//! Must not know how it becomes HTML. The syntax library has no grammar for most of these, and needs none for the rest.

use super::Html;

/// A language of few rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Toml,
    Json,
    CMake,
    Console,
    Diff,
    /// PTX and SASS.
    Machine,
}

impl Language {
    /// The language by its name in lower case.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "toml" => Self::Toml,
            "json" | "jsonl" | "sarif" => Self::Json,
            "cmake" => Self::CMake,
            "console" | "terminal" | "shell-session" | "sh-session" => Self::Console,
            "diff" | "patch" => Self::Diff,
            "ptx" | "sass" => Self::Machine,
            _ => return None,
        })
    }

    /// What opens a comment to the end of the line.
    fn comment(self) -> Option<&'static str> {
        match self {
            Self::Toml | Self::CMake => Some("#"),
            Self::Machine => Some("//"),
            Self::Json | Self::Console | Self::Diff => None,
        }
    }

    /// The quotes of strings, the longest first; those of three go on over line ends.
    fn quotes(self) -> &'static [&'static str] {
        match self {
            Self::Toml => &["\"\"\"", "'''", "\"", "'"],
            _ => &["\""],
        }
    }
}

/// Appends `text`, all of it.
pub(super) fn read(text: &str, language: Language, html: &mut Html) {
    match language {
        Language::Diff => text.split_inclusive('\n').for_each(|line| html.push(line, diff_class(line))),
        Language::Console => text.split_inclusive('\n').for_each(|line| console(line, html)),
        _ => Scanner { rest: text, language, line_start: true }.scan(html),
    }
}

fn diff_class(line: &str) -> &'static str {
    match line.as_bytes() {
        [b'@', b'@', ..] | [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => "p",
        [b'+', ..] => "i",
        [b'-', ..] => "d",
        _ if line.starts_with("diff ") || line.starts_with("index ") => "p",
        _ => "",
    }
}

/// A line of a terminal: after a prompt a command, else what it printed.
fn console(line: &str, html: &mut Html) {
    let Some(command) = line.strip_prefix("$ ") else { return html.push(line, "") };
    html.push("$", "p");
    html.push(" ", "");
    let word = command.find(|c: char| c.is_whitespace()).unwrap_or(command.len());
    let (word, arguments) = command.split_at(word);
    html.push(word, "f");
    let (arguments, comment) = arguments.find(" #").map_or((arguments, ""), |at| arguments.split_at(at + 1));
    html.push(arguments, "");
    html.push(comment, "c");
}

struct Scanner<'a> {
    rest: &'a str,
    language: Language,
    /// Whether no word has come yet on this line.
    line_start: bool,
}

impl<'a> Scanner<'a> {
    fn scan(mut self, html: &mut Html) {
        while let Some(first) = self.rest.chars().next() {
            let (length, class) = self.piece(first);
            let (piece, rest) = self.rest.split_at_checked(length.max(first.len_utf8())).unwrap_or((self.rest, ""));
            self.rest = rest;
            html.push(piece, class);
            if first == '\n' {
                self.line_start = true;
            } else if !first.is_whitespace() && class != "c" {
                self.line_start = false;
            }
        }
    }

    /// The length and class of what begins with `first`.
    fn piece(&self, first: char) -> (usize, &'static str) {
        let rest = self.rest;
        if self.language.comment().is_some_and(|open| rest.starts_with(open)) {
            return (line_end(rest), "c");
        }
        if self.language == Language::Machine && rest.starts_with("/*") {
            return (rest.find("*/").map_or(rest.len(), |end| end + 2), "c");
        }
        if let Some(quote) = self.language.quotes().iter().find(|quote| rest.starts_with(**quote)) {
            let length = string(rest, quote);
            let is_key = self.language != Language::CMake && self.key_follows(length);
            return (length, if is_key { "t" } else { "s" });
        }
        if self.language == Language::Toml && first == '[' && self.line_start {
            return (rest[..line_end(rest)].rfind(']').map_or(1, |end| end + 1), "p");
        }
        if self.language == Language::CMake && rest.starts_with("${") {
            return (rest[..line_end(rest)].find('}').map_or(2, |end| end + 1), "b");
        }
        let signed = matches!(first, '-' | '+') && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '%' | '$' | '@' | '+');
        if signed || first.is_alphanumeric() || matches!(first, '_' | '.' | '%' | '$' | '@') {
            let skip = usize::from(signed);
            let length = rest[skip..].find(|c| !is_word(c)).map_or(rest.len(), |end| end + skip);
            return (length, self.word(&rest[..length]));
        }
        (first.len_utf8(), "")
    }

    fn word(&self, word: &str) -> &'static str {
        let is_number = word.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit());
        match self.language {
            Language::Toml if self.line_start || self.key_follows(word.len()) => "t",
            Language::Toml | Language::Json if matches!(word, "true" | "false" | "null" | "inf" | "nan") => "k",
            Language::CMake if self.rest[word.len()..].trim_start_matches(' ').starts_with('(') => "f",
            Language::Machine if word.starts_with('.') => "p",
            Language::Machine if word.starts_with(['%', '@']) || is_register(word) => "b",
            Language::Machine if self.line_start => "k",
            _ if is_number => "n",
            _ => "",
        }
    }

    /// Whether what is `length` bytes long is a key: `=` or `:` comes after it.
    fn key_follows(&self, length: usize) -> bool {
        let after = self.rest.get(length..).unwrap_or_default().trim_start_matches([' ', '\t']);
        after.starts_with(if self.language == Language::Json { ':' } else { '=' })
    }
}

/// A register of SASS: `R12`, `UR4`, `P0`, `RZ`, `PT`.
fn is_register(word: &str) -> bool {
    let name = word.split('.').next().unwrap_or_default();
    let number = name.strip_prefix('U').unwrap_or(name).strip_prefix(['R', 'P']);
    number.is_some_and(|number| matches!(number, "Z" | "T") || (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())))
}

fn line_end(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The length of the string that `quote` opens; one of a line ends with it, closed or not.
fn string(text: &str, quote: &str) -> usize {
    let end = if quote.len() == 3 { text.len() } else { line_end(text) };
    let mut at = quote.len();
    while let Some(rest) = text.get(at..end).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(quote) {
            return at + quote.len();
        }
        let escaped = rest.starts_with('\\') && !quote.starts_with('\'');
        at += rest.chars().take(1 + usize::from(escaped)).map(char::len_utf8).sum::<usize>();
    }
    end
}
