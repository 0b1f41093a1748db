//! Turns the headers of two runs into what differs between them, field by field, under the names that records have.
//!
//! Must not know what a difference leads to. It walks the headers as records hold them, so that a field that is added to the
//! format is compared from the same day on.

use serde::Serialize;
use serde_json::Value;

use crate::evidence::record::Header;

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The field, such as `gpu.sms`.
    pub field: String,
    /// What the recorded run has.
    pub recorded: String,
    /// What the fresh run has.
    pub fresh: String,
}

/// What differs in identity. The number of rounds is left out: it says how sure a run is, not of what.
#[must_use]
pub fn differences(recorded: &Header, fresh: &Header) -> Vec<Difference> {
    let (a, b) = (recorded, fresh);
    let mut found = Vec::new();
    walk("sweep", &json(&a.sweep), &json(&b.sweep), &mut found);
    walk("device", &json(&a.device), &json(&b.device), &mut found);
    walk("", &json(&a.identity), &json(&b.identity), &mut found);
    found.retain(|difference| difference.field != "timing.rounds");
    found
}

/// What differs in circumstance, and may explain a change: another card of the same kind first. The course's commit is no
/// circumstance of the machine, and how the timer's tick was seen in planning is none of a time.
#[must_use]
pub fn circumstances(recorded: &Header, fresh: &Header) -> Vec<Difference> {
    let mut found = Vec::new();
    walk("", &json(&recorded.circumstance), &json(&fresh.circumstance), &mut found);
    found.retain(|difference| !["commit", "dirty", "looks", "planned_tick_ns", "replayed"].contains(&difference.field.as_str()));
    found
}

fn json(part: &impl Serialize) -> Value {
    serde_json::to_value(part).unwrap_or(Value::Null)
}

fn walk(field: &str, a: &Value, b: &Value, found: &mut Vec<Difference>) {
    if a == b {
        return;
    }
    let below = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    match (a, b) {
        (Value::Object(left), Value::Object(right)) => {
            let more = right.keys().filter(|name| !left.contains_key(*name));
            for name in left.keys().chain(more) {
                walk(&below(name), left.get(name).unwrap_or(&Value::Null), right.get(name).unwrap_or(&Value::Null), found);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() && left.iter().any(|item| !item.is_number()) => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                walk(&format!("{field}[{index}]"), left, right, found);
            }
        }
        _ => found.push(Difference { field: field.to_owned(), recorded: plain(a), fresh: plain(b) }),
    }
}

/// The longest value that is printed whole.
const LONGEST: usize = 48;

fn plain(value: &Value) -> String {
    let text = match value {
        Value::Null => "unknown".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.chars().count() <= LONGEST {
        return text;
    }
    let mut short: String = text.chars().take(LONGEST - 1).collect();
    short.push('…');
    short
}
