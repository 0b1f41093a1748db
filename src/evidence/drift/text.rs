//! Turns a comparison into aligned plain text: what was compared, a table of rows, canaries, and what each verdict needs.
//!
//! Must not decide anything.

use std::fmt::Write as _;

use super::{CHANGE, Change, Comparison, Difference, SAME, Verdict};

/// The comparison of the run `fresh` with the run `recorded`, their names as somebody should read them.
#[must_use]
pub fn text(comparison: &Comparison, recorded: &str, fresh: &str) -> String {
    let mut text = format!("recorded  {recorded}\nfresh     {fresh}\n");
    if comparison.across_code {
        text.push_str("code      differs: two versions of the code are compared\n");
    }
    text.push_str(&fields("These differ, so that the runs can't be compared", &comparison.forbids));
    if comparison.forbids.iter().any(|difference| difference.field == "fingerprint") {
        text.push_str("  the code is not the same: --across-code compares two versions of it\n");
    }
    text.push_str(&fields("These differ too, and may explain a change", &comparison.differs));
    if comparison.forbids.is_empty() {
        text.push('\n');
        text.push_str(&rows(comparison));
        text.push_str(&figures(comparison));
        text.push_str(&canaries(comparison));
        text.push_str(&details(comparison));
    }
    let _ = write!(text, "\n{}", summary(comparison));
    text
}

/// A change as a share: a logarithm as `+1.23 %`.
pub(super) fn share(log: f64) -> String {
    let percent = libm::expm1(log) * 100.0;
    // Never `-0.00`.
    let percent = if percent.abs() < 0.005 { 0.0 } else { percent };
    format!("{percent:+.2} %")
}

fn fields(title: &str, differences: &[Difference]) -> String {
    if differences.is_empty() {
        return String::new();
    }
    let mut table = vec![[String::new(), "field".to_owned(), "recorded".to_owned(), "fresh".to_owned()]];
    table.extend(differences.iter().map(|one| [String::new(), one.field.clone(), one.recorded.clone(), one.fresh.clone()]));
    format!("\n{title}\n{}", aligned(&table, 4))
}

fn rows(comparison: &Comparison) -> String {
    if comparison.rows.is_empty() {
        return String::new();
    }
    let mut table = vec![["row", "recorded ms", "fresh ms", "change", "at least", "at most", "canary", "verdict"].map(str::to_owned)];
    table.extend(cells(comparison).into_iter().zip(&comparison.rows).map(|(cells, row)| {
        let [label, recorded, fresh, change, low, high, canary] = cells;
        [
            label,
            recorded,
            fresh,
            change,
            low,
            high,
            canary,
            row.verdict.map_or_else(|| "no time".to_owned(), |verdict| verdict.word().to_owned()),
        ]
    }));
    aligned(&table, 1)
}

fn figures(comparison: &Comparison) -> String {
    if comparison.figures.is_empty() {
        return String::new();
    }
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.0$}", decimals(value)));
    let mut table = vec![["row", "figure", "recorded", "fresh", "change", "at least", "at most", "verdict"].map(str::to_owned)];
    table.extend(comparison.figures.iter().map(|row| {
        let part = |part: fn(&Change) -> f64| row.change.as_ref().map_or_else(|| "-".to_owned(), |change| share(part(change)));
        [
            row.label.clone(),
            row.figure.clone().unwrap_or_default(),
            number(row.recorded),
            number(row.fresh),
            part(|change| change.log),
            part(|change| change.low),
            part(|change| change.high),
            row.verdict.map_or_else(|| "none".to_owned(), |verdict| verdict.word().to_owned()),
        ]
    }));
    let gap = if comparison.rows.is_empty() { "" } else { "\n" };
    format!("{gap}{}", aligned(&table, 2))
}

/// For each row of `comparison`: label, recorded and fresh time in milliseconds, change, its least and its most, and what the canary of
/// the row's kind did.
#[must_use]
pub fn cells(comparison: &Comparison) -> Vec<[String; 7]> {
    let absent = || "-".to_owned();
    let times = comparison.rows.iter().flat_map(|row| [row.recorded, row.fresh]).flatten();
    let decimals = decimals(times.fold(f64::INFINITY, f64::min) / 1e6);
    let time = |ns: Option<f64>| ns.map_or_else(absent, |ns| format!("{:.decimals$}", ns / 1e6));
    let mut table = Vec::new();
    for row in &comparison.rows {
        let part = |part: fn(&Change) -> f64| row.change.as_ref().map_or_else(absent, |change| share(part(change)));
        table.push([
            row.label.clone(),
            time(row.recorded),
            time(row.fresh),
            part(|change| change.log),
            part(|change| change.low),
            part(|change| change.high),
            row.canary.map_or_else(absent, |(canary, moved)| format!("{} {}", canary.word(), share(moved))),
        ]);
    }
    table
}

/// Decimals of a millisecond that give `ms` five significant digits, nanoseconds at most.
fn decimals(ms: f64) -> usize {
    [1e4, 1e3, 1e2, 1e1, 1e0, 1e-1].iter().position(|least| ms >= *least).unwrap_or(6)
}

fn canaries(comparison: &Comparison) -> String {
    if comparison.canaries.is_empty() {
        return "\nNo canary was measured in both runs, so that a moved machine can't be told from moved code.\n".to_owned();
    }
    let mut table = vec![["canary", "change", "at least", "at most"].map(str::to_owned)];
    for (canary, change) in &comparison.canaries {
        table.push([canary.word().to_owned(), share(change.log), share(change.low), share(change.high)]);
    }
    format!("\n{}", aligned(&table, 1))
}

fn details(comparison: &Comparison) -> String {
    let told: Vec<[String; 3]> = comparison
        .all()
        .filter(|row| !row.needs.is_empty())
        .map(|row| {
            [
                ["  ", &row.label, row.figure.as_ref().map_or("", |_| " "), row.figure.as_deref().unwrap_or("")].concat(),
                row.verdict.map_or("no time", Verdict::word).to_owned(),
                row.needs.clone(),
            ]
        })
        .collect();
    if told.is_empty() { String::new() } else { format!("\n{}", aligned(&told, 3)) }
}

fn summary(comparison: &Comparison) -> String {
    let mut text = comparison.verdict.word().to_owned();
    let count = |verdict: Option<Verdict>| comparison.all().filter(|row| row.verdict == verdict).count();
    let mut counts: Vec<String> = Verdict::ALL
        .into_iter()
        .rev()
        .map(|verdict| (verdict.word(), count(Some(verdict))))
        .filter(|&(_, count)| count > 0)
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    if count(None) > 0 {
        counts.push(format!("{} without a time in either run", count(None)));
    }
    let _ = write!(text, " (rows: {})", if counts.is_empty() { "none".to_owned() } else { counts.join(", ") });
    if comparison.forbids.is_empty() {
        let _ = write!(
            text,
            "\nBounds hold at {:.3} % each, so that all rows, both sides and {} together hold at 99 %. A change counts from {} % on; SAME ends at {} %.",
            comparison.level * 100.0,
            if comparison.looks == 1 { "1 look".to_owned() } else { format!("{} looks", comparison.looks) },
            CHANGE * 100.0,
            SAME * 100.0
        );
    }
    text.push('\n');
    text
}

/// A table's lines; the first `left` columns and the last one to the left, the others to the right.
fn aligned<const N: usize>(table: &[[String; N]], left: usize) -> String {
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in table {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let padding = " ".repeat(width - cell.chars().count());
            let gap = if column > 0 { "  " } else { "" };
            let _ =
                if column < left || column + 1 == N { write!(line, "{gap}{cell}{padding}") } else { write!(line, "{gap}{padding}{cell}") };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
