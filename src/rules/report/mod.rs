//! Turns problems into text: for people, one a line for editors, JSON, SARIF, or annotations of GitHub.
//!
//! Must not leave a problem out or change its order.

mod github;
mod human;
mod json;
mod sarif;

use crate::base::problem::{Problem, Severity};
use crate::base::span::{LineColumn, Span};
use crate::pages::Counts;
use crate::tree::SourceTree;

pub use self::github::github;
pub use self::human::{human, short};
pub use self::json::{SCHEMA, json};
pub use self::sarif::sarif;

/// What printing needs besides the problems.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Where the lines come from.
    pub tree: &'a SourceTree,
    /// What stands before a file's name, to make a path from where the reader stands: the current folder, the course or the
    /// repository.
    pub prefix: &'a str,
    /// Whether the text may have colours.
    pub colour: bool,
}

impl Context<'_> {
    fn path(&self, span: &Span) -> String {
        format!("{}{}", self.prefix, span.file)
    }

    fn place(&self, span: &Span) -> LineColumn {
        self.tree.line_column(&span.file, span.start)
    }

    fn end(&self, span: &Span) -> LineColumn {
        self.tree.line_column(&span.file, span.end.max(span.start))
    }

    /// Whether there is a file to count lines in.
    fn is_there(&self, span: &Span) -> bool {
        self.tree.get(&span.file).is_some()
    }

    /// What a tool may put in the place of what `problem` points at: the name that was meant for the one that was written. Only
    /// where that stands there once, so that nothing else is ever replaced.
    fn fix<'p>(&self, problem: &'p Problem) -> Option<(Span, &'p str)> {
        let (at, meant) = (problem.at.as_ref()?, problem.meant.as_ref()?);
        let shown = self.tree.text(&at.file).get(at.start..at.end)?;
        let mut places = shown.match_indices(&*meant.written);
        let (start, _) = places.next().filter(|_| !meant.written.is_empty() && places.next().is_none())?;
        Some((Span::new(&at.file, at.start + start, at.start + start + meant.written.len()), &meant.name))
    }
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn named(counts: &Counts) -> [(&'static str, usize); 8] {
    let Counts { snippets, figures, tables, charts, claims, runs, links, pages } = *counts;
    [
        ("snippets", snippets),
        ("figures", figures),
        ("tables", tables),
        ("charts", charts),
        ("claims", claims),
        ("runs", runs),
        ("links", links),
        ("pages", pages),
    ]
}

/// What was checked as one line without a full stop: `1 snippet, 12 figures, … and 3 pages`.
#[must_use]
pub fn counts(counts: &Counts) -> String {
    let parts: Vec<String> = named(counts).iter().map(|&(name, count)| plural(count, name.trim_end_matches('s'))).collect();
    match parts.split_last() {
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// `2 errors and 1 warning`, or what there is of them.
#[must_use]
pub fn tally(problems: &[Problem]) -> String {
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    let warnings = problems.len() - errors;
    match (errors, warnings) {
        (0, 0) => "no problems".to_owned(),
        (errors, 0) => plural(errors, "error"),
        (0, warnings) => plural(warnings, "warning"),
        (errors, warnings) => format!("{} and {}", plural(errors, "error"), plural(warnings, "warning")),
    }
}

/// `1 page`, `2 pages`.
#[must_use]
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
