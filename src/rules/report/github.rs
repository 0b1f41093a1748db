//! Turns problems into workflow commands, which GitHub shows beside the lines of a pull request.
//!
//! Must not let a course's text become a command: every value is escaped as the runner unescapes it.

use std::fmt::Write as _;

use super::{Context, word};
use crate::base::problem::Problem;

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
        // A command has one place only; the others are named where their words can be read.
        for (span, words) in &problem.related {
            let _ = write!(message, "\n{}:{}: {words}", context.path(span), context.place(span).line);
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
