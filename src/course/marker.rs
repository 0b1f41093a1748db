//! Turns a paragraph that begins `kind:` into a marker: kind, target, options, and in a claim the sentence's place.
//!
//! Must not know what any kind means or which options it takes.

use crate::base::name::nearest;
use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;
use crate::base::span::Span;

use super::keys::Keys;
use super::toml::{self, Table};

/// The kinds of block markers; a paragraph that begins with one of these and a colon is a marker to its end.
pub const KINDS: [&str; 12] =
    ["snippet", "table", "chart", "rounds", "comparison", "transcript", "claim", "otherwise", "answer", "aside", "tab", "term"];

/// Those that name nothing behind their colon: text follows them by their nature.
const NAMELESS: [&str; 4] = ["otherwise", "answer", "aside", "tab"];

/// A marker as written.
#[derive(Debug, Clone)]
pub struct Marker {
    /// One of [`KINDS`].
    pub kind: String,
    /// What follows the colon up to the brace: a region, a sweep, a claim's name; empty for those that name nothing.
    pub target: Slice,
    /// The inline table; empty if there is none.
    pub options: Table,
    /// What follows the closing brace (a claim's sentence, an answer's text), with the way back to the file.
    pub rest: Slice,
    /// The whole marker.
    pub at: Span,
}

impl Marker {
    /// Its options, to be read key by key; `what` names the kind in messages, such as "a table".
    #[must_use]
    pub fn keys(&self, what: &'static str) -> Keys<'_> {
        Keys::of(&self.options, what, self.at.clone())
    }
}

/// What a paragraph turned out to be.
#[derive(Debug)]
pub enum Reading {
    /// No marker.
    Prose,
    /// A marker.
    Marker(Box<Marker>),
    /// Meant as a marker, and not one: the problems say why.
    Wrong,
}

/// Whether `text` could be a marker at all; cheap, for the many paragraphs that are none.
#[must_use]
pub fn may_begin(text: &str) -> bool {
    head(text).is_some_and(|(word, _)| word.len() <= 14)
}

/// Whether `text` is a marker of a known kind by its looks: a target by itself, or options.
#[must_use]
pub fn looks_like(text: &str) -> bool {
    head(text).is_some_and(|(word, after)| KINDS.contains(&word) && shape(&text[after..]).is_some())
}

/// Whether `text` begins with a backslash that makes prose of what would be a marker. Markdown itself keeps such a
/// backslash, since no letter needs one.
#[must_use]
pub fn is_escaped(text: &str) -> bool {
    text.strip_prefix('\\').and_then(head).is_some_and(|(word, _)| nearest(word, KINDS).is_some())
}

/// Reads a paragraph whose container's prefixes are stripped.
pub fn read(paragraph: &Slice, problems: &mut Problems) -> Reading {
    let text = paragraph.text();
    let Some((word, after)) = head(text) else { return Reading::Prose };
    if !KINDS.contains(&word) {
        let Some(kind) = meant(word, &text[after..]) else { return Reading::Prose };
        let at = paragraph.span(0, word.len());
        problems.push(
            Problem::error("marker-kind", at, format!("there is no marker `{word}:`"))
                .hint(format!("did you mean `{kind}:`? To begin prose with the word, write `\\{word}:`")),
        );
        return Reading::Wrong;
    }
    match parse(paragraph, word, after, problems) {
        Ok(marker) => Reading::Marker(Box::new(marker)),
        Err(problem) => {
            problems.push(problem);
            Reading::Wrong
        }
    }
}

fn parse(paragraph: &Slice, kind: &str, after: usize, problems: &mut Problems) -> Result<Marker, Problem> {
    let text = paragraph.text();
    let named = !NAMELESS.contains(&kind);
    let sentence = matches!(kind, "claim" | "term") || !named;
    let start = skip_blank(text, after);
    let end = match kind {
        _ if !named => start,
        "term" => start + line(&text[start..]).len(),
        _ => start + token(&text[start..]).len(),
    };
    if named && start == end {
        let what = if sentence { "a name" } else { "what it shows" };
        return Err(Problem::error("marker-target", paragraph.span(0, after), format!("`{kind}:` is not followed by {what}"))
            .hint(format!("write {}", usage(kind))));
    }
    let open = skip_blank(text, end);
    let (options, rest) = if text[open..].starts_with('{') {
        let close = closing_brace(&text[open..]).map_err(|unclosed| split(paragraph, open, unclosed))?;
        (toml::inline_table(&paragraph.part(open, open + close + 1), problems), skip_blank(text, open + close + 1))
    } else {
        (Table::default(), open)
    };
    check_rest(paragraph, kind, rest, sentence)?;
    Ok(Marker {
        kind: kind.to_owned(),
        target: paragraph.part(start, end),
        options,
        rest: paragraph.part(rest, text.len()),
        at: paragraph.span(0, if sentence { rest } else { text.len() }.max(1)),
    })
}

/// What follows a marker's brace must be nothing, or a claim's sentence.
fn check_rest(paragraph: &Slice, kind: &str, rest: usize, sentence: bool) -> Result<(), Problem> {
    let text = paragraph.text();
    let mut at = rest;
    for line in text[rest..].split_inclusive('\n') {
        if let Some((second, _)) = head(line).filter(|(word, _)| KINDS.contains(word)) {
            let place = paragraph.span(at, at + second.len() + 1);
            let gap = if sentence || second == "otherwise" {
                "put a line with nothing but `>` between them"
            } else {
                "put an empty line between them"
            };
            return Err(Problem::error("marker-doubled", place, format!("`{second}:` begins inside the paragraph of `{kind}:`")).hint(gap));
        }
        at += line.len();
    }
    if sentence || rest == text.len() {
        return Ok(());
    }
    let place = paragraph.span(rest, text.len());
    Err(Problem::error("marker-trailing", place, format!("text follows the marker `{kind}:` in its paragraph"))
        .hint(format!("a marker is a paragraph of its own, {}; to begin prose with the word, write `\\{kind}:`", usage(kind))))
}

fn usage(kind: &str) -> &'static str {
    match kind {
        "snippet" => "`snippet: FILE#REGION { options }`",
        "table" => "`table: SWEEP { options }`",
        "chart" => "`chart: SWEEP { options }`",
        "rounds" => "`rounds: SWEEP { options }`",
        "comparison" => "`comparison: SWEEP { options }`",
        "transcript" => "`transcript: SWEEP { options }`",
        "claim" => "`> claim: NAME { holds = \"…\" }` and the sentence",
        "answer" => "`> answer:` and the text",
        "aside" => "`> aside: { title = \"…\" }` and the text",
        "term" => "`> term: NAME` and, from the next line on, what it means",
        "tab" => "`> tab: { title = \"…\" }` and the text",
        _ => "`> otherwise: { holds = \"…\" }` and the text",
    }
}

/// The word before a colon at the start of `text`, and where the text after the colon begins.
fn head(text: &str) -> Option<(&str, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    (length > 0 && text.as_bytes().get(length) == Some(&b':')).then(|| (&text[..length], length + 1))
}

/// The kind that was meant by `word:`, if what follows has the looks of a marker.
fn meant(word: &str, after: &str) -> Option<&'static str> {
    let kind = nearest(word, KINDS)?;
    let lower = word.bytes().all(|byte| byte.is_ascii_lowercase());
    let meant = match shape(after) {
        Some(plain) => lower || !plain,
        None => lower && NAMELESS.contains(&kind),
    };
    meant.then_some(kind)
}

/// Whether `text` is a target by itself (`Some(true)`), one with a region or options (`Some(false)`), or neither.
fn shape(text: &str) -> Option<bool> {
    let target = token(text.trim_start());
    let after = text.trim_start()[target.len()..].trim();
    match after.chars().next() {
        Some('{') => Some(false),
        Some(_) => None,
        None if target.is_empty() => None,
        None => Some(!target.contains('#')),
    }
}

fn token(text: &str) -> &str {
    &text[..text.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(text.len())]
}

/// A name of several words: up to the end of the line, or to the options.
fn line(text: &str) -> &str {
    text[..text.find(['\n', '{']).unwrap_or(text.len())].trim_end()
}

fn skip_blank(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// What was open when the paragraph ended.
enum Unclosed {
    Brace,
    /// A string that opens at this byte.
    String(usize),
}

fn split(paragraph: &Slice, open: usize, unclosed: Unclosed) -> Problem {
    let (at, what) = match unclosed {
        Unclosed::Brace => (open, "the options opened here are not closed before the paragraph ends"),
        Unclosed::String(at) => (open + at, "the string opened here is not closed before the paragraph ends"),
    };
    Problem::error("marker-split", paragraph.span(at, at + 1), what)
        .hint("close it; a marker holds no empty line, and no line that Markdown takes for a list, a heading or a quotation")
}

/// Where the brace at the start of `text` is closed, strings and comments of TOML passed over.
fn closing_brace(text: &str) -> Result<usize, Unclosed> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(at);
                }
            }
            b'#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            b'"' | b'\'' => {
                at = string_end(bytes, at).ok_or(Unclosed::String(at))?;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Err(Unclosed::Brace)
}

/// One past the end of the TOML string that opens at `at`.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes[at];
    let long = bytes[at..].starts_with(&[quote; 3]);
    let width = if long { 3 } else { 1 };
    let mut next = at + width;
    while let Some(&byte) = bytes.get(next) {
        if byte == b'\\' && quote == b'"' {
            next += 2;
        } else if byte == b'\n' && !long {
            return None;
        } else if bytes[next..].starts_with(&[quote; 3][..width]) {
            // Up to two more quotes may belong to a long string's text.
            let more = if long { bytes[next + 3..].iter().take(2).take_while(|&&byte| byte == quote).count() } else { 0 };
            return Some(next + width + more);
        } else {
            next += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `text` reads as: `prose`, the ids of its problems, or `kind|target|keys|rest`.
    fn outcome(text: &str) -> String {
        let mut problems = Problems::new();
        match read(&Slice::verbatim(&"a.md".into(), text, 0), &mut problems) {
            Reading::Prose => "prose".to_owned(),
            Reading::Wrong => problems.iter().map(|problem| problem.id).collect::<Vec<_>>().join(","),
            Reading::Marker(marker) => {
                let keys: Vec<_> = marker.options.entries.iter().map(|(key, ..)| &**key).collect();
                assert!(problems.is_empty(), "{text}: {problems:?}");
                format!("{}|{}|{}|{}", marker.kind, marker.target.text(), keys.join(","), marker.rest.text())
            }
        }
    }

    #[test]
    fn markers_and_what_only_looks_like_one() {
        let cases = [
            ("snippet: a.cu#b", "snippet|a.cu#b||"),
            ("snippet:a.cu#b", "snippet|a.cu#b||"),
            ("table: t { columns = [\"a\", 'b}'], caption = \"\"\"x \"}\" y\"\"\", }", "table|t|columns,caption|"),
            ("chart: t {\n  x = \"n\", # a } in a comment\n  y = 'GB/s',\n}", "chart|t|x,y|"),
            ("claim: few-warps { holds = \"a < b\" }\nMoves `= x` bytes.", "claim|few-warps|holds|Moves `= x` bytes."),
            ("claim: few-warps Moves.", "claim|few-warps||Moves."),
            ("otherwise: On this card it is so.", "otherwise|||On this card it is so."),
            ("otherwise: { holds = [\"a\"] } It is.", "otherwise||holds|It is."),
            ("answer: It does.", "answer|||It does."),
            ("answer: { title = \"Why?\" }", "answer||title|"),
            ("term: shared memory\nThe memory of a block.", "term|shared memory||The memory of a block."),
            ("term: warp { also = ['warps'] }\nLanes.", "term|warp|also|Lanes."),
            ("term:", "marker-target"),
            ("Note: this", "prose"),
            ("Table: three kinds of memory", "prose"),
            ("https://example.org", "prose"),
            ("labels: these are none", "prose"),
            ("no marker: here", "prose"),
            ("\\snippet: a.cu#b", "prose"),
            ("snipet: a.cu#b", "marker-kind"),
            ("Snippet: a.cu#b", "marker-kind"),
            ("tabel: t { columns = [] }", "marker-kind"),
            ("otherwize: On this card.", "marker-kind"),
            ("anwser: It does.", "marker-kind"),
            ("Answer: it does.", "prose"),
            ("snippet:", "marker-target"),
            ("claim: { holds = \"a\" } Text.", "marker-target"),
            ("table: t { columns = [", "marker-split"),
            ("table: t { caption = \"a }", "marker-split"),
            ("snippet: a.cu#b\nsnippet: a.cu#c", "marker-doubled"),
            ("claim: a { holds = \"x\" } Text.\notherwise: Other text.", "marker-doubled"),
            ("table: results are below", "marker-trailing"),
            ("table: t { } and more", "marker-trailing"),
        ];
        for (text, expected) in cases {
            assert_eq!(outcome(text), expected, "{text}");
        }
    }

    #[test]
    fn wrong_options_are_reported_where_they_stand() {
        let mut problems = Problems::new();
        read(&Slice::verbatim(&"a.md".into(), "table: t { a = 1, a = 2 }", 100), &mut problems);
        let found: Vec<_> = problems.iter().map(|problem| (problem.id, problem.at.as_ref().map(|at| at.start))).collect();
        assert_eq!(found, [("toml-duplicate-key", Some(118))]);
    }
}
