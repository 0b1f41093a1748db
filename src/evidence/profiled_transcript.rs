//! Turns the record of a profile sweep into its transcript: what was counted in each row's launches, in units a reader can grasp.
//!
//! Must not leave out a metric that the record has: what has no name of its own here goes by a part of its metric's, and below the
//! table each name is said to be which metric.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::profiled::{ACHIEVED, DRAM_BYTES, DURATION, LIMITS, RowProfiled, THEORETICAL};
use super::record::{Outcome, Record};
use super::transcript::{align, known, one_line};

/// What a column's numbers are.
#[derive(Clone, Copy)]
enum Kind {
    Percent,
    Bytes,
    Nanoseconds,
    Number,
}

/// A column of the table.
struct Column {
    name: String,
    metric: String,
    about: &'static str,
    kind: Kind,
}

/// The transcript of `record`, which is of a profile sweep; `heading` is what every run says of itself.
pub(super) fn transcript(record: &Record, heading: &str) -> String {
    let mut text = format!("{heading}{:<15}{}\n\n{}", "Profiler", known(&record.header.identity.profiler), table(record));
    let mut not_ok = String::new();
    for profiled in record.profiled.iter().filter(|profiled| profiled.outcome != Outcome::Ok) {
        let label = record.rows.get(profiled.row as usize).map_or("?", |row| &row.label);
        let why = one_line(profiled.outcome.why().unwrap_or_default());
        let _ = writeln!(not_ok, "  {label}: {}: {why}", profiled.outcome.word());
    }
    if !not_ok.is_empty() {
        let _ = write!(text, "\nNot ok\n{not_ok}");
    }
    text
}

/// The table of rows, least and largest value of each counter over the profiled launches; and which metric each column is.
pub(super) fn table(record: &Record) -> String {
    let columns = columns(record);
    let mut rows = vec![vec!["row".to_owned(), "launches".to_owned()]];
    rows[0].extend(columns.iter().map(|column| column.name.clone()));
    rows[0].extend(["limited by", "outcome"].map(str::to_owned));
    let printed: Vec<Vec<String>> = columns.iter().map(|column| cells(record, column)).collect();
    for (index, row) in record.rows.iter().enumerate() {
        let profiled = record.profiled_of(index);
        let mut line = vec![row.label.clone(), profiled.map_or(0, |profiled| profiled.launches.len()).to_string()];
        line.extend(printed.iter().filter_map(|cells| cells.get(index).cloned()));
        line.push(profiled.and_then(|profiled| profiled.limited_by.clone()).unwrap_or_else(|| "-".to_owned()));
        line.push(match (profiled, &row.skipped) {
            (Some(profiled), _) => profiled.outcome.word().to_owned(),
            (None, Some(_)) => "skipped".to_owned(),
            (None, None) => "not tried".to_owned(),
        });
        rows.push(line);
    }
    align(&rows, 1) + &legend(&columns)
}

/// The columns: those that every pass has, and then what the sweep asked for besides.
fn columns(record: &Record) -> Vec<Column> {
    let known = [
        ("achieved", ACHIEVED, "warps that were there on average while an SM was busy, of all that it can hold", Kind::Percent),
        ("theoretical", THEORETICAL, "warps that the launch allows, of all that an SM can hold", Kind::Percent),
        ("memory", DRAM_BYTES, "moved to and from memory", Kind::Bytes),
        ("under ncu", DURATION, "how long the profiled launch took, which is no time of the kernel", Kind::Nanoseconds),
    ];
    let limits = LIMITS.map(|(metric, name)| (name, metric, "blocks that it allows on an SM", Kind::Number));
    let known: Vec<Column> = known
        .into_iter()
        .chain(limits)
        .map(|(name, metric, about, kind)| Column { name: name.to_owned(), metric: metric.to_owned(), about, kind })
        .collect();
    let counted: BTreeSet<&String> = record.profiled.iter().flat_map(|one| &one.launches).flat_map(|launch| launch.keys()).collect();
    let more: Vec<&String> = counted.iter().copied().filter(|metric| known.iter().all(|column| column.metric != **metric)).collect();
    let own = more.iter().map(|metric| {
        let alone = more.iter().filter(|other| short(other) == short(metric)).count() == 1;
        let name = if alone { short(metric) } else { metric.as_str() }.to_owned();
        Column { name, metric: (*metric).clone(), about: "asked for by the sweep", kind: Kind::Number }
    });
    let own: Vec<Column> = own.collect();
    known.into_iter().filter(|column| counted.contains(&column.metric)).chain(own).collect()
}

/// What of a metric's name says what is counted: `t_bytes` of `l1tex__t_bytes.sum`.
fn short(metric: &str) -> &str {
    let counted = metric.split_once("__").map_or(metric, |(_, rest)| rest);
    counted.split('.').next().unwrap_or(counted)
}

/// What `column` says of each row.
fn cells(record: &Record, column: &Column) -> Vec<String> {
    let ranges: Vec<Option<(f64, f64)>> =
        (0..record.rows.len()).map(|row| record.profiled_of(row).and_then(|profiled| range(profiled, &column.metric))).collect();
    let largest = ranges.iter().flatten().fold(0.0, |largest: f64, (_, high)| largest.max(*high));
    let (scale, unit) = match column.kind {
        Kind::Percent => (1.0, " %"),
        Kind::Bytes => scaled(largest, [(1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1.0, " B")]),
        Kind::Nanoseconds => scaled(largest, [(1e9, " s"), (1e6, " ms"), (1e3, " µs"), (1.0, " ns")]),
        Kind::Number => (1.0, ""),
    };
    let number = |value: f64| if scale > 1.0 { format!("{:.4}", value / scale) } else { value.to_string() };
    let cell = |(low, high): (f64, f64)| match (number(low), number(high)) {
        (low, high) if low == high => format!("{low}{unit}"),
        (low, high) => format!("{low} to {high}{unit}"),
    };
    ranges.into_iter().map(|range| range.map_or_else(|| "-".to_owned(), cell)).collect()
}

/// The largest of `units` of which `value` has one at least, or the last.
fn scaled(value: f64, units: [(f64, &'static str); 4]) -> (f64, &'static str) {
    units.into_iter().find(|(size, _)| value >= *size).unwrap_or(units[3])
}

/// Least and largest value of `metric` over the profiled launches.
fn range(profiled: &RowProfiled, metric: &str) -> Option<(f64, f64)> {
    let values = profiled.launches.iter().filter_map(|launch| launch.get(metric)).copied();
    values.fold(None, |range, value| Some(range.map_or((value, value), |(low, high): (f64, f64)| (low.min(value), high.max(value)))))
}

/// Which metric each of `columns` is.
fn legend(columns: &[Column]) -> String {
    if columns.is_empty() {
        return String::new();
    }
    let width = |text: fn(&Column) -> &str| columns.iter().map(|column| text(column).chars().count()).max().unwrap_or(0);
    let (names, metrics) = (width(|column| &column.name), width(|column| &column.metric));
    let line = |column: &Column| format!("  {:<names$}  {:<metrics$}  {}\n", column.name, column.metric, column.about);
    columns.iter().fold("\nCounters, least to largest over the launches\n".to_owned(), |text, column| text + &line(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_goes_by_what_it_counts() {
        let metrics =
            [("l1tex__t_bytes.sum", "t_bytes"), ("sm__inst_executed.avg.per_cycle_active", "inst_executed"), ("plain", "plain"), ("", "")];
        for (metric, expected) in metrics {
            assert_eq!(short(metric), expected);
        }
    }

    #[test]
    fn a_columns_unit_is_one_that_its_largest_value_fills() {
        let units = [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "-")];
        for (value, expected) in [(2.1e9, "G"), (999_999_999.0, "M"), (1e3, "k"), (999.0, "-"), (0.0, "-")] {
            assert_eq!(scaled(value, units).1, expected, "{value}");
        }
    }
}
