//! Turns all rows of a run into CSV: one line a row, every column with its spread, numbers in the unit that the head names.
//!
//! Must not know which table links to it.

use std::sync::Arc;

use crate::base::quantity::{Format, Quantity, Unit, common_unit};
use crate::claims::Facts;
use crate::evidence::Run;
use crate::expr::{Row, Value};

/// The path of the file on the site.
pub(crate) fn path(run: &Run) -> String {
    format!("{}.csv", run.stem())
}

/// The file of `run`.
pub(crate) fn of_run(run: &Run, facts: &Facts) -> String {
    // A run that belongs to no device feeds the pages of each of them alike.
    let sweep = facts.sweep(run.sweep(), run.device()).or_else(|| facts.sweep(run.sweep(), facts.primary()));
    sweep.map(|sweep| text(&sweep.rows_of(run))).unwrap_or_default()
}

fn text(rows: &[Arc<dyn Row>]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut table: Vec<Vec<String>> = vec![Vec::new(); rows.len() + 1];
    for name in first.columns() {
        let values: Vec<Option<Value>> = rows.iter().map(|row| row.column(&name).ok()).collect();
        let unit = common_unit(&values.iter().flatten().filter_map(quantity).collect::<Vec<_>>());
        let measured = values.iter().flatten().filter_map(quantity).any(Quantity::is_measured);
        let symbol = unit.as_ref().map_or("", |unit| &unit.symbol);
        let head = if symbol.is_empty() || symbol == name { name.clone() } else { format!("{name} ({symbol})") };
        table[0].push(field(&head));
        if measured {
            table[0].push(field(&format!("{name} ±99 %")));
        }
        for (line, value) in table[1..].iter_mut().zip(&values) {
            let (number, spread) = cell(value.as_ref(), unit.as_ref());
            line.push(field(&number));
            if measured {
                line.push(field(&spread));
            }
        }
    }
    table.iter().map(|line| line.join(",") + "\n").collect()
}

fn quantity(value: &Value) -> Option<&Quantity> {
    if let Value::Quantity(quantity) = value { Some(quantity) } else { None }
}

/// A cell's number and spread; both empty where the row has no value.
fn cell(value: Option<&Value>, unit: Option<&Unit>) -> (String, String) {
    match value {
        Some(Value::Quantity(quantity)) => {
            let shown = quantity.shown(&Format { unit: unit.cloned(), ..Format::default() });
            (shown.number, shown.spread.unwrap_or_default())
        }
        Some(Value::Text(text)) => (text.to_string(), String::new()),
        Some(Value::Truth(Some(truth))) => (truth.to_string(), String::new()),
        _ => (String::new(), String::new()),
    }
}

/// `text` as a field: in quotes where it needs them, and never one that a spreadsheet takes for a formula.
fn field(text: &str) -> String {
    let text = if text.starts_with(['=', '+', '@']) || (text.starts_with('-') && text.parse::<f64>().is_err()) {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_and_no_formula() {
        let cases =
            [("a", "a"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""), ("=1+1", "'=1+1"), ("-3.5", "-3.5"), ("-x", "'-x")];
        for (text, expected) in cases {
            assert_eq!(field(text), expected);
        }
    }
}
