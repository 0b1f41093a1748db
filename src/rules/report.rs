//! Turns problems into text: for people, one a line for editors, JSON, or annotations of GitHub.
//!
//! Must not leave a problem out or change its order.

use std::fmt::Write as _;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::json;

use crate::base::problem::{Problem, Severity};
use crate::base::span::{LineColumn, Span, floor_char};
use crate::course::Course;
use crate::pages::Counts;
use crate::tree::SourceTree;

use super::coverage;

/// What printing needs besides the problems.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Where the lines come from.
    pub tree: &'a SourceTree,
    /// What stands before a file's name, to make a path from the current folder.
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
        self.tree.line_column(&span.file, span.end)
    }
}

/// Lines longer than this (a record's, a minified script's) are named and not shown.
const LONGEST_LINE: usize = 400;

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

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

/// `problems`, what was checked, and the pages' coverage as one JSON object; `version` changes when a member changes its meaning.
#[must_use]
pub fn json(problems: &[Problem], checked: Option<(&Counts, &Course)>, context: Context<'_>) -> String {
    let place = |span: &Span| {
        let (start, end) = (context.place(span), context.end(span));
        json!({
            "path": context.path(span),
            "line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column,
            "start_byte": span.start, "end_byte": span.end,
        })
    };
    let problem = |problem: &Problem| {
        json!({
            "id": problem.id,
            "severity": word(problem.severity),
            "message": problem.message,
            "at": problem.at.as_ref().map(place),
            "label": problem.label,
            "hint": problem.hint,
            "related": problem.related.iter().map(|(span, words)| json!({ "at": place(span), "message": words })).collect::<Vec<_>>(),
        })
    };
    let value = json!({
        "version": 1,
        "problems": problems.iter().map(problem).collect::<Vec<_>>(),
        "coverage": checked.map(|(_, course)| coverage::json(course)),
        "checked": checked.map(|(counts, _)| named(counts).into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect::<serde_json::Map<_, _>>()),
    });
    format!("{value:#}\n")
}

/// `problems` as workflow commands, which GitHub shows beside the lines of a pull request.
#[must_use]
pub fn github(problems: &[Problem], context: Context<'_>) -> String {
    let mut text = String::new();
    for problem in problems {
        let mut properties = Vec::new();
        if let Some(span) = &problem.at {
            let (start, end) = (context.place(span), context.end(span));
            properties.push(format!("file={}", escape_property(&context.path(span))));
            properties.push(format!("line={}", start.line));
            if start.line == end.line {
                properties.push(format!("col={},endColumn={}", start.column, end.column));
            } else {
                properties.push(format!("endLine={}", end.line));
            }
        }
        properties.push(format!("title={}", escape_property(problem.id)));
        let mut message = problem.message.clone();
        if let Some(hint) = &problem.hint {
            let _ = write!(message, "\n{hint}");
        }
        let _ = writeln!(text, "::{} {}::{}", word(problem.severity), properties.join(","), escape_data(&message));
    }
    text
}

fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
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
mod tests {
    use super::*;
    use crate::base::problem::Problems;

    fn example() -> (SourceTree, Vec<Problem>) {
        let mut tree = SourceTree::new();
        tree.insert("lessons/a.md", "one\nsnippet: k.cu#sacle\n".as_bytes(), &mut Problems::new());
        tree.insert("kernels/k.cu", b"// snippet: scale\n", &mut Problems::new());
        let problem =
            Problem::error("snippet-missing", Span::new(&"lessons/a.md".into(), 13, 23), "k.cu has no region `sacle`: 50%,\nreally")
                .label("named here")
                .hint("did you mean `scale`?")
                .related(Span::new(&"kernels/k.cu".into(), 12, 17), "a region that is near");
        (tree, vec![problem, Problem::of_course("nothing-checked", "nothing was checked")])
    }

    #[test]
    fn every_format_says_where_and_what() {
        let (tree, problems) = example();
        let context = Context { tree: &tree, prefix: "../", colour: false };
        assert_eq!(
            short(&problems, context),
            "../lessons/a.md:2:10: error[snippet-missing]: k.cu has no region `sacle`: 50%, really\n\
             error[nothing-checked]: nothing was checked\n"
        );
        assert_eq!(
            github(&problems[..1], context),
            "::error file=../lessons/a.md,line=2,col=10,endColumn=20,title=snippet-missing::k.cu has no region `sacle`: 50%25,%0Areally%0A\
             did you mean `scale`?\n"
        );
        let human = human(&problems, context);
        for part in [
            "error[snippet-missing]",
            "../lessons/a.md:2:10",
            "snippet: k.cu#sacle",
            "^^^^^^^^^^ named here",
            "did you mean",
            "kernels/k.cu:1:13",
            "error[nothing-checked]",
        ] {
            assert!(human.contains(part), "{part} is not in\n{human}");
        }
        let value: serde_json::Value =
            serde_json::from_str(&json(&problems, Some((&Counts::default(), &Course::default())), context)).unwrap();
        assert_eq!(value["problems"][0]["at"]["line"], 2);
        assert_eq!(value["problems"][0]["related"][0]["at"]["path"], "../kernels/k.cu");
        assert_eq!((&value["checked"]["pages"], &value["coverage"]["all"]["bound"]), (&json!(0), &json!(0)));
    }

    #[test]
    fn a_place_that_is_not_there_is_no_panic() {
        let (tree, _) = example();
        let context = Context { tree: &tree, prefix: "", colour: true };
        for span in
            [Span::new(&"lessons/a.md".into(), 999, 9999), Span::new(&"gone".into(), 5, 9), Span::new(&"lessons/a.md".into(), 23, 24)]
        {
            let problems = [Problem::error("x", span, "m")];
            assert!(!human(&problems, context).is_empty() && !short(&problems, context).is_empty());
            let _ = (github(&problems, context), json(&problems, None, context));
        }
    }

    #[test]
    fn counts_read_as_a_sentence() {
        let line = counts(&Counts { snippets: 1, pages: 3, ..Counts::default() });
        assert_eq!(line, "1 snippet, 0 figures, 0 tables, 0 charts, 0 claims, 0 runs, 0 links and 3 pages");
        assert_eq!(tally(&example().1), "2 errors");
    }
}
