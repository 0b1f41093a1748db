//! Turns the text of a comment into the marker it is, or the one it was meant to be.
//!
//! Must not know where the comment stands or which regions are open.

use std::ops::Range;

use crate::base::name::is_name;

/// What a comment says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    /// The marker.
    pub(super) marker: Marker,
    /// What is wrong with its spelling.
    pub(super) fault: Option<Fault>,
}

/// A marker; ranges are bytes of the comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Marker {
    /// `// snippet: NAME`
    Open(Range<usize>),
    /// `// end snippet [NAME]`
    End(Option<Range<usize>>),
}

/// How a marker is misspelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is nearly a marker.
    NearMiss,
    /// No name follows `snippet:`.
    NoName,
    /// What follows is no name.
    BadName,
    /// Something follows the name.
    Trailing,
}

/// Reads a comment with its `//`, `/*` or `#` in front; `None` if it is no marker and was not meant to be one.
pub(super) fn read(comment: &str) -> Option<Reading> {
    match comment.strip_prefix("//") {
        Some(body) => exact(comment, body).or_else(|| near_miss(comment, body)),
        // Markers are line comments; another comment with nothing but a marker in it was meant as one.
        None if comment.contains('\n') => None,
        None => {
            let body = comment.strip_prefix("/*").map(|body| body.strip_suffix("*/").unwrap_or(body)).or(comment.strip_prefix('#'))?;
            let reading = exact(comment, body).filter(|reading| reading.fault.is_none())?;
            Some(Reading { fault: Some(Fault::NearMiss), ..reading })
        }
    }
}

/// The exact forms, right or with a wrong name.
fn exact(comment: &str, body: &str) -> Option<Reading> {
    let body = body.trim();
    let (rest, end) = match body.strip_prefix("snippet:") {
        Some(rest) => (rest, false),
        None => (body.strip_prefix("end snippet").filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))?, true),
    };
    let rest = rest.trim();
    let first = rest.split_whitespace().next().unwrap_or_default();
    let fault = match (rest, end) {
        ("", true) => None,
        ("", false) => Some(Fault::NoName),
        _ if is_name(rest) => None,
        _ if is_name(first) => Some(Fault::Trailing),
        _ => Some(Fault::BadName),
    };
    let name = range(comment, if fault == Some(Fault::Trailing) { first } else { rest });
    let marker = if end { Marker::End((!rest.is_empty()).then_some(name)) } else { Marker::Open(name) };
    Some(Reading { marker, fault })
}

/// A comment that is a marker but for its spelling: another case, a plural, a missing colon, a slash too many.
fn near_miss(comment: &str, body: &str) -> Option<Reading> {
    // What touches the slashes belongs to a documentation comment; a comment within the comment was put there on purpose.
    let body = body.trim_start_matches(['/', '!', '<', '*']);
    let words = body.split(|c: char| c.is_whitespace() || matches!(c, ':' | '=')).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.take(4).collect();
    let near = |word: &str| ["snippet", "snippets"].iter().any(|known| strsim::osa_distance(&word.to_lowercase(), known) <= 1);
    let is = |word: &str, known: &[&str]| known.contains(&word.to_lowercase().as_str());
    let (name, end) = match *words.as_slice() {
        [end] if is(end, &["endsnippet", "end-snippet", "end_snippet"]) => (None, true),
        [end, name] if is(end, &["endsnippet", "end-snippet", "end_snippet"]) => (Some(name), true),
        [end, word] if is(end, &["end"]) && near(word) => (None, true),
        [end, word, name] if is(end, &["end"]) && near(word) => (Some(name), true),
        [end, of, word] if is(end, &["end"]) && is(of, &["of"]) && near(word) => (None, true),
        [word, end] if near(word) && is(end, &["end"]) => (None, true),
        [begin, word, name] if is(begin, &["begin", "start"]) && near(word) => (Some(name), false),
        [word, name] if near(word) => (Some(name), false),
        _ => return None,
    };
    if name.is_some_and(|name| !is_name(name)) {
        return None;
    }
    let name = name.map(|name| range(comment, name));
    let marker = if end { Marker::End(name) } else { Marker::Open(name?) };
    Some(Reading { marker, fault: Some(Fault::NearMiss) })
}

/// Where `part` stands in `whole`, of which it is a slice.
fn range(whole: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + part.len()
}
