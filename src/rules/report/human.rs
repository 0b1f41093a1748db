//! Turns problems into what people read: with the source line and a caret, or one a line.
//!
//! Must not know where the text goes, beyond whether it may have colours.

use std::fmt::Write as _;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Context, word};
use crate::base::problem::{Problem, Severity};
use crate::base::span::{LineColumn, Span, floor_char};

/// Lines longer than this (a record's, a minified script's) are named and not shown.
const LONGEST_LINE: usize = 400;

/// `problems` as people read them, in the given order.
#[must_use]
pub fn human(problems: &[Problem], context: Context<'_>) -> String {
    let renderer = if context.colour { Renderer::styled() } else { Renderer::plain() }.decor_style(DecorStyle::Ascii);
    let mut text = String::new();
    for problem in problems {
        let level = match problem.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level.primary_title(problem.message.as_str()).id(problem.id).elements(None::<Origin<'_>>);
        if let Some(span) = &problem.at {
            let label = problem.label.as_deref();
            group = with_place(group, span, label, AnnotationKind::Primary, context);
        }
        let mut report = vec![];
        match (&problem.hint, &problem.at) {
            (Some(hint), Some(_)) => report.push(group.element(Level::HELP.message(hint.as_str()))),
            // With no lines to stand under, a hint is a line of its own.
            (Some(hint), None) => report.extend([group, Group::with_title(Level::HELP.secondary_title(hint.as_str()))]),
            (None, _) => report.push(group),
        }
        for (span, words) in &problem.related {
            let group = Group::with_title(Level::NOTE.secondary_title(words.as_str()));
            report.push(with_place(group, span, None, AnnotationKind::Primary, context));
        }
        text.push_str(&renderer.render(&report));
        text.push_str("\n\n");
    }
    text
}

/// Adds the place `span` to `group`: its lines with a caret, or its name alone where there is nothing fit to show.
fn with_place<'a>(group: Group<'a>, span: &Span, label: Option<&'a str>, kind: AnnotationKind, context: Context<'a>) -> Group<'a> {
    let source = context.tree.text(&span.file);
    let (start, end) = (floor_char(source, span.start), floor_char(source, span.end.max(span.start)));
    let first = source[..start].rfind('\n').map_or(0, |at| at + 1);
    // One line is enough to find the place; a caret over twenty lines says no more.
    let last = source[start..].find('\n').map_or(source.len(), |at| start + at);
    let LineColumn { line, column } = context.place(span);
    if last - first > LONGEST_LINE || source.is_empty() {
        let origin = Origin::path(context.path(span));
        return group.element(if source.is_empty() { origin } else { origin.line(line).char_column(column) });
    }
    let annotation = kind.span(start - first..end.min(last).max(start) - first).label(label);
    group.element(Snippet::source(source[first..last].to_owned()).line_start(line).path(context.path(span)).annotation(annotation))
}

/// `problems` one a line, in the given order; hints are left out.
#[must_use]
pub fn short(problems: &[Problem], context: Context<'_>) -> String {
    let mut text = String::new();
    for problem in problems {
        if let Some(span) = &problem.at {
            let LineColumn { line, column } = context.place(span);
            let _ = write!(text, "{}:{line}:{column}: ", context.path(span));
        }
        let _ = writeln!(text, "{}[{}]: {}", word(problem.severity), problem.id, problem.message.replace('\n', " "));
    }
    text
}
