//! Turns the marker comments of a file into regions, and its includes into a list.
//!
//! Must not know how a marker is spelt: comments are read elsewhere.

use std::ops::Range;

use crate::base::cuda::{self, Accent, Kind};
use crate::base::problem::Problems;
use crate::base::span::Span;

use super::comment::{self, Fault, Marker};
use super::{Include, Language, Region, Source, is_blank, problems};

/// Fills in the regions, marker lines and includes of `source`.
pub(super) fn scan(source: &mut Source, problems: &mut Problems) {
    let text = source.text.clone();
    let mut scanner = Scanner { source, problems, open: Vec::new(), openers: Vec::new(), faulty: Vec::new() };
    match scanner.source.language {
        Language::Cuda => scanner.cuda(&text),
        Language::Other => scanner.other(&text),
    }
    scanner.finish();
}

/// A region whose end is still to come.
struct Open {
    name: String,
    at: Span,
    /// Which region it is; `None` for a second one of the same name.
    region: Option<usize>,
}

struct Scanner<'a> {
    source: &'a mut Source,
    problems: &'a mut Problems,
    /// The open regions, innermost last.
    open: Vec<Open>,
    /// Line and place of every opening marker.
    openers: Vec<(usize, Span)>,
    /// Regions that have a problem of their own already.
    faulty: Vec<usize>,
}

/// How a marker's comment stands in its line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Alone,
    BesideCode,
    InDirective,
}

impl Scanner<'_> {
    fn cuda(&mut self, text: &str) {
        let (mut include, mut accents) = (false, Vec::with_capacity(text.len() / 6));
        for token in cuda::tokens(text) {
            accents.extend(Accent::of(&token));
            match token.kind {
                Kind::LineComment | Kind::BlockComment => self.comment(token.start..token.end, token.directive, text),
                Kind::Directive => include = matches!(cuda::directive_word(token.text(text)), "include" | "include_next"),
                Kind::String if include => {
                    include = false;
                    let name = token.text(text).trim_matches('"').to_owned();
                    let line = self.source.line_of(token.start);
                    self.source.includes.push(Include { name, at: self.span(token.start..token.end), line });
                }
                kind if kind.is_code() || kind == Kind::Newline => include = false,
                _ => {}
            }
        }
        self.source.accents = accents.into();
    }

    /// A language that we have no lexer for: a marker is a line that begins with `//`.
    fn other(&mut self, text: &str) {
        for index in 0..self.source.line_count() {
            let line = self.source.line(index);
            let (comment, blank) = (line.trim(), line.len() - line.trim_start().len());
            if comment.starts_with("//") || comment.starts_with('#') {
                let start = self.source.starts[index] + blank;
                self.comment(start..start + comment.len(), false, text);
            }
        }
    }

    fn span(&self, bytes: Range<usize>) -> Span {
        Span::new(&self.source.name, bytes.start, bytes.end)
    }

    fn comment(&mut self, bytes: Range<usize>, directive: bool, text: &str) {
        let comment = text.get(bytes.clone()).unwrap_or_default();
        let Some(reading) = comment::read(comment) else { return };
        let line = self.source.line_of(bytes.start);
        let first = comment.lines().next().unwrap_or_default();
        let standing = if self.source.line(line).trim() != first.trim_end() {
            Standing::BesideCode
        } else if directive {
            Standing::InDirective
        } else {
            Standing::Alone
        };
        let name_range = match &reading.marker {
            Marker::Open(name) => Some(name.clone()),
            Marker::End(name) => name.clone(),
        };
        let name = name_range.clone().and_then(|range| comment.get(range)).unwrap_or_default();
        let at = name_range.map_or_else(|| self.span(bytes.clone()), |name| self.span(bytes.start + name.start..bytes.start + name.end));
        let fix = match &reading.marker {
            Marker::Open(_) => format!("// snippet: {name}"),
            Marker::End(_) => format!("// end snippet {name}").trim_end().to_owned(),
        };
        let whole = self.span(bytes.start..bytes.start + comment.trim_end().len());
        let problem = match (reading.fault, standing) {
            (Some(Fault::BadName), _) => Some(problems::misspelt(at.clone(), comment, Fault::BadName, &fix, name)),
            (Some(fault), _) => Some(problems::misspelt(whole, comment, fault, &fix, name)),
            (None, Standing::BesideCode) => Some(problems::not_alone(whole, &fix)),
            (None, Standing::InDirective) => Some(problems::in_directive(whole)),
            (None, Standing::Alone) => None,
        };
        self.problems.extend(problem);
        // A faulty marker still opens or closes what it was meant to, so that one slip is one problem.
        if standing == Standing::Alone {
            self.source.marker_lines.extend(line..=line + comment.matches('\n').count());
        }
        match reading.marker {
            Marker::Open(_) => self.open(name.to_owned(), at, line),
            Marker::End(named) => self.end(named.map(|_| name), &at, line),
        }
    }

    fn open(&mut self, name: String, at: Span, line: usize) {
        self.openers.push((line, at.clone()));
        let first = self.source.region(&name).map(|first| first.at.clone());
        let region = match first {
            Some(first) if !name.is_empty() => {
                self.problems.push(problems::duplicate(at.clone(), first, &name));
                None
            }
            _ => {
                self.source.regions.push(Region { name: name.clone(), at: at.clone(), lines: line + 1..line + 1 });
                Some(self.source.regions.len() - 1)
            }
        };
        self.open.push(Open { name, at, region });
    }

    fn end(&mut self, name: Option<&str>, at: &Span, line: usize) {
        let innermost = self.open.len().checked_sub(1);
        let found = name.and_then(|name| self.open.iter().rposition(|open| open.name == name));
        let closes = match (name, innermost) {
            (None, Some(inner)) => {
                if let Some(outer) = inner.checked_sub(1).and_then(|outer| self.open.get(outer)) {
                    self.problems.push(problems::end_name(at.clone(), &self.open[inner].name, outer.at.clone(), &outer.name));
                }
                Some(inner)
            }
            (Some(name), Some(inner)) if found.is_some_and(|found| found < inner) => {
                let open = &self.open[inner];
                self.problems.push(problems::crossed(at.clone(), name, &open.name, open.at.clone()));
                found
            }
            _ if found.is_some() => found,
            _ => {
                let open: Vec<&str> = self.open.iter().map(|open| &*open.name).collect();
                let closed = name.and_then(|name| self.source.region(name)).map(|region| region.at.clone());
                let is_closed = closed.is_some();
                self.problems.push(problems::not_opened(at.clone(), name, &open, closed));
                // The name is wrong; the end itself most likely is not.
                innermost.filter(|_| !is_closed)
            }
        };
        if let Some(index) = closes {
            let open = self.open.remove(index);
            self.close(&open, line);
        }
    }

    /// Gives an open region the lines up to `end`.
    fn close(&mut self, open: &Open, end: usize) {
        if let Some(region) = open.region.and_then(|index| self.source.regions.get_mut(index)) {
            region.lines.end = end.max(region.lines.start);
        }
    }

    /// Settles what only the end of the file can tell: unclosed and empty regions.
    fn finish(mut self) {
        for open in std::mem::take(&mut self.open) {
            let next = self.openers.iter().find(|(_, at)| at.start > open.at.start).cloned();
            // It must not show more than was meant: at most up to the next region.
            let end = next.as_ref().map_or(self.source.line_count(), |(line, _)| *line);
            if !open.name.is_empty() {
                self.problems.push(problems::unclosed(open.at.clone(), &open.name, next.map(|(_, at)| at)));
            }
            self.close(&open, end);
            self.faulty.extend(open.region);
        }
        let source = &*self.source;
        for (index, region) in source.regions.iter().enumerate() {
            let has_text = region.lines.clone().any(|line| !source.is_marker(line) && !is_blank(source.line(line)));
            if !has_text && !self.faulty.contains(&index) {
                self.problems.push(problems::empty(region.at.clone(), &region.name));
            }
        }
        // Regions without a name were kept for their ends; nobody can ask for them.
        self.source.regions.retain(|region| !region.name.is_empty());
    }
}
