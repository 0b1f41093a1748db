//! Turns what is wrong with a marker into a problem with the likely fix.
//!
//! Must not know how markers are found.

use crate::base::name::{RULE, is_name, nearest};
use crate::base::problem::Problem;
use crate::base::span::Span;

use super::comment::Fault;

/// "`// snippets: tile` is not a marker" and the other misspellings; `name` is the name it gives, if any.
pub(super) fn misspelt(at: Span, text: &str, fault: Fault, fix: &str, name: &str) -> Problem {
    let text = text.lines().next().unwrap_or_default().trim_end();
    match fault {
        Fault::NearMiss => Problem::error("snippet-marker", at, format!("`{text}` is nearly a marker, but not one"))
            .hint(format!("write `{fix}` alone on its line, or reword the comment")),
        Fault::NoName => {
            Problem::error("snippet-name", at, "this marker gives its region no name").hint(format!("write `// snippet: NAME`; {RULE}"))
        }
        Fault::BadName => Problem::error("snippet-name", at, format!("`{name}` can't name a region")).hint(match suggestion(name) {
            Some(better) => format!("write `{better}`: letters, digits, `.`, `_` and `-`, the first a letter or digit"),
            None => RULE.to_owned(),
        }),
        Fault::Trailing => Problem::error("snippet-marker", at, format!("something follows the name `{name}` in this marker"))
            .hint(format!("write `{fix}` alone on its line")),
    }
}

/// `name` with its unfit characters replaced.
fn suggestion(name: &str) -> Option<String> {
    let better: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    let better = better.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    is_name(better).then(|| better.to_owned())
}

/// A marker behind code, or behind another comment.
pub(super) fn not_alone(at: Span, fix: &str) -> Problem {
    Problem::error("snippet-marker", at, "a marker must stand alone on its line").hint(format!("move `{fix}` to a line of its own"))
}

/// A marker on a line that a backslash ties to the directive above.
pub(super) fn in_directive(at: Span) -> Problem {
    Problem::error("snippet-marker", at, "this marker is part of the preprocessor directive above it")
        .hint("move it out of the directive, or take the backslash away from the line before")
}

/// A region without an end.
pub(super) fn unclosed(at: Span, name: &str, next: Option<Span>) -> Problem {
    let problem = Problem::error("snippet-unclosed", at, format!("region `{name}` is never closed"));
    let problem = problem.hint(format!("write `// end snippet {name}` after its last line"));
    match next {
        Some(next) => problem.related(next, "the next region opens here"),
        None => problem,
    }
}

/// A region with nothing to show.
pub(super) fn empty(at: Span, name: &str) -> Problem {
    Problem::error("snippet-empty", at, format!("region `{name}` is empty"))
        .hint("put its markers around the lines that a page should show, or remove them")
}

/// Two regions of one name.
pub(super) fn duplicate(at: Span, first: Span, name: &str) -> Problem {
    Problem::error("snippet-duplicate", at, format!("this file has two regions called `{name}`"))
        .related(first, "the first one")
        .hint(format!("give one of them another name, such as `{name}-2`"))
}

/// An end that passes over a region which is still open.
pub(super) fn crossed(at: Span, name: &str, inner: &str, inner_at: Span) -> Problem {
    Problem::error("snippet-crossed", at, format!("region `{name}` ends inside `{inner}`, which is still open"))
        .related(inner_at, format!("`{inner}` opens here"))
        .hint(format!("close the inner one first: `// end snippet {inner}` above this line"))
}

/// An end without a name where it could mean two regions.
pub(super) fn end_name(at: Span, inner: &str, outer_at: Span, outer: &str) -> Problem {
    Problem::error("snippet-end-name", at, "two regions are open here, so the end must say which one it closes")
        .related(outer_at, format!("`{outer}` is open as well"))
        .hint(format!("write `// end snippet {inner}`"))
}

/// An end of nothing that is open; `open` are the names that are.
pub(super) fn not_opened(at: Span, name: Option<&str>, open: &[&str], closed: Option<Span>) -> Problem {
    let Some(name) = name else {
        return Problem::error("snippet-not-opened", at, "no region is open here")
            .hint("remove this line, or open the region with `// snippet: NAME`");
    };
    let problem = Problem::error("snippet-not-opened", at, format!("no region `{name}` is open here"));
    let problem = match closed {
        Some(closed) => problem.related(closed, format!("`{name}` opens here and is closed before this line")),
        None => problem,
    };
    problem.hint(match (nearest(name, open.iter().copied()), open) {
        (Some(meant), _) => format!("did you mean `// end snippet {meant}`?"),
        (None, [.., inner]) => format!("the region that is open is `{inner}`"),
        (None, []) => format!("remove this line, or open the region with `// snippet: {name}`"),
    })
}
