//! Turns problems, counts and coverage into one JSON object, whose schema is published beside it.
//!
//! Must not change what a member means without another `version`; tests hold the object to the schema.

use serde_json::{Value, json};

use super::{Context, named, word};
use crate::base::problem::Problem;
use crate::base::span::Span;
use crate::course::Course;
use crate::pages::Counts;
use crate::rules::coverage;

/// The JSON schema of [`json()`]'s object.
pub const SCHEMA: &str = include_str!("verify.schema.json");

/// `problems`, what was checked, and the pages' coverage as one JSON object.
#[must_use]
pub fn json(problems: &[Problem], checked: (&Counts, &Course), context: Context<'_>) -> String {
    let place = |span: &Span| {
        let (start, end) = (context.place(span), context.end(span));
        json!({
            "path": context.path(span),
            "line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column,
            "start_byte": span.start, "end_byte": span.end.max(span.start),
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
            "fix": context.fix(problem).map(|(span, text)| json!({ "at": place(&span), "text": text })),
            "related": problem.related.iter().map(|(span, words)| json!({ "at": place(span), "message": words })).collect::<Vec<_>>(),
        })
    };
    let (counts, course) = checked;
    let value = json!({
        "version": 1,
        "problems": problems.iter().map(problem).collect::<Vec<_>>(),
        "coverage": coverage::json(course),
        "checked": counted(counts),
    });
    format!("{value:#}\n")
}

/// What was checked, by name.
pub(super) fn counted(counts: &Counts) -> Value {
    Value::Object(named(counts).into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect())
}
