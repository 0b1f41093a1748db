//! Turns problems into a SARIF 2.1.0 log, which code scanners and editors read.
//!
//! Must not describe rules in words of its own: they come from the one list of rules.

use serde_json::{Value, json};

use super::json::counted;
use super::{Context, word};
use crate::base::problem::{Problem, Severity};
use crate::base::span::Span;
use crate::course::Course;
use crate::pages::Counts;
use crate::rules::published::VERSION;
use crate::rules::{catalogue, coverage};

/// Where the schema of a log is published.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The name of the folder that paths start from.
const ROOT: &str = "%SRCROOT%";

/// `problems` as a log of one run; what was checked and the pages' coverage are among the run's properties.
#[must_use]
pub fn sarif(problems: &[Problem], checked: (&Counts, &Course), context: Context<'_>) -> String {
    let entries = catalogue::entries();
    let rules: Vec<(&str, Value)> = entries.iter().flat_map(|entry| entry.ids.iter().map(move |id| (*id, descriptor(id, entry)))).collect();
    let ids: Vec<&str> = rules.iter().map(|(id, _)| *id).collect();
    let failed = problems.iter().any(|problem| problem.severity == Severity::Error);
    let (counts, course) = checked;
    let run = json!({
        "tool": { "driver": {
            "name": "lessonc",
            "semanticVersion": VERSION,
            "rules": rules.into_iter().map(|(_, rule)| rule).collect::<Vec<_>>(),
        } },
        "invocations": [{ "executionSuccessful": true, "exitCode": u8::from(failed) }],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": { ROOT: { "description": { "text": "The repository's root, or the course's where there is no repository." } } },
        "results": problems.iter().map(|problem| result(problem, &ids, context)).collect::<Vec<_>>(),
        "properties": { "checked": counted(counts), "coverage": coverage::json(course) },
    });
    format!("{:#}\n", json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }))
}

fn descriptor(id: &str, entry: &catalogue::Entry) -> Value {
    json!({
        "id": id,
        "shortDescription": { "text": catalogue::meaning(id) },
        "fullDescription": { "text": format!("{} Protects {}.", catalogue::meaning(id), entry.protects) },
        "help": { "text": format!("Protects {}.\nAn example: {}.", entry.protects, entry.example) },
        "properties": { "level": catalogue::leeway(id).map_or("always on", catalogue::words) },
    })
}

fn result(problem: &Problem, rules: &[&str], context: Context<'_>) -> Value {
    let mut text = problem.message.clone();
    if let Some(hint) = &problem.hint {
        text = format!("{text}\n{hint}");
    }
    let mut result = json!({ "ruleId": problem.id, "level": word(problem.severity), "message": { "text": text } });
    if let Some(index) = rules.iter().position(|rule| *rule == problem.id) {
        result["ruleIndex"] = json!(index);
    }
    if let Some(span) = &problem.at {
        let mut place = json!({ "physicalLocation": physical(span, context) });
        if let Some(label) = &problem.label {
            place["message"] = json!({ "text": label });
        }
        result["locations"] = json!([place]);
    }
    if !problem.related.is_empty() {
        let related = problem.related.iter().enumerate().map(
            |(index, (span, words))| json!({ "id": index + 1, "message": { "text": words }, "physicalLocation": physical(span, context) }),
        );
        result["relatedLocations"] = related.collect();
    }
    if let Some((span, name)) = context.fix(problem) {
        result["fixes"] = json!([{
            "description": { "text": format!("Write `{name}`") },
            "artifactChanges": [{
                "artifactLocation": artifact(&span, context),
                "replacements": [{ "deletedRegion": region(&span, context), "insertedContent": { "text": name } }],
            }],
        }]);
    }
    result
}

fn physical(span: &Span, context: Context<'_>) -> Value {
    let mut place = json!({ "artifactLocation": artifact(span, context) });
    // A file that is missing has no lines.
    if context.is_there(span) {
        place["region"] = region(span, context);
    }
    place
}

fn artifact(span: &Span, context: Context<'_>) -> Value {
    json!({ "uri": encoded(&context.path(span)), "uriBaseId": ROOT })
}

fn region(span: &Span, context: Context<'_>) -> Value {
    let (start, end) = (context.place(span), context.end(span));
    json!({ "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column })
}

/// `path` as a relative URI. A colon in a first part would be taken for a scheme's, so it is encoded too.
fn encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
