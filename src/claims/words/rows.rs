//! Turns what was found of rows into a sentence: for which it holds, for which not, and what decided for those that matter.
//!
//! Must not know which of that a verdict stands on.

use crate::expr::{Asked, Finding, RowFinding, RowsFinding};

use super::comparison::{comparison, plain};

/// So many rows are told in full; the others are named only.
const TOLD: usize = 2;

/// What was found of `rows`.
pub(super) fn rows(rows: &RowsFinding) -> String {
    let (verb, verb_not) = match rows.asked {
        Asked::Best => ("beats", "doesn't beat"),
        Asked::Near => ("has", "doesn't have"),
        _ => ("holds for", "doesn't hold for"),
    };
    let total = rows.rows.len();
    let yes: Vec<&str> = rows.labels(Some(true)).collect();
    let no: Vec<&str> = rows.labels(Some(false)).collect();
    let open: Vec<&str> = rows.rows.iter().filter(|row| is_open(row)).map(|row| row.label.as_str()).collect();
    let text = &rows.text;
    let mut parts = Vec::new();
    if yes.is_empty() {
        parts.push(format!("`{text}` {verb_not} {}", if total == 1 { named(&no) } else { format!("any of {total} rows for sure") }));
    } else {
        parts.push(format!("`{text}` {verb} {} of {total} rows ({})", yes.len(), named(&yes)));
        parts.extend((!no.is_empty()).then(|| format!("it {verb_not} {}", named(&no))));
    }
    if !open.is_empty() {
        parts.push(format!("the rounds can't tell for {}", named(&open)));
    }
    parts.extend(rows.why.clone());
    parts.extend(rows.rows.iter().filter_map(|row| row.unmeasured.clone()));
    parts.extend(told(rows));
    parts.join("; ")
}

fn is_open(row: &RowFinding) -> bool {
    row.truth.is_none() && row.unmeasured.is_none()
}

/// What decided for the rows that are in the way of a yes: of `none` those for which it holds, of all else those for which it does
/// not, and before all those of which the data can't tell.
fn told(rows: &RowsFinding) -> Vec<String> {
    let in_the_way = Some(rows.asked == Asked::None);
    let (open, failing): (Vec<&RowFinding>, Vec<&RowFinding>) =
        rows.rows.iter().filter(|row| is_open(row) || row.truth == in_the_way).partition(|row| is_open(row));
    let picks = matches!(rows.asked, Asked::Where | Asked::Near | Asked::From);
    // Where rows are only picked, those that clearly aren't are no news beside those that may be.
    let failing = if picks && !open.is_empty() { Vec::new() } else { failing };
    let (first, then) = if picks { (open, failing) } else { (failing, open) };
    let told = first.into_iter().chain(then).filter(|row| !row.findings.is_empty()).take(TOLD);
    told.map(|row| format!("in row {}: {}", row.label, decisive(row, picks && rows.rows.len() > 1))).collect()
}

/// What decided for a row; the strongest statement that holds is one of the whole where rows are only picked.
fn decisive(row: &RowFinding, picks: bool) -> String {
    let decisive = row.findings.iter().find(|finding| super::truth(finding) == Some(row.truth)).or(row.findings.first());
    match decisive {
        Some(Finding::Comparison(found)) if picks => plain(found),
        Some(Finding::Comparison(found)) => comparison(found),
        Some(Finding::Rows(found)) => rows(found),
        Some(Finding::Texts(found)) => super::texts(found),
        None => String::new(),
    }
}

/// "64, 128 and 256".
fn named(labels: &[&str]) -> String {
    match labels {
        [] => "it".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
