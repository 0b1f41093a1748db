//! Which conditions ask for nothing.

use super::*;

/// Holds each condition to whether it asks for nothing.
fn check(cases: &[(&str, bool)]) {
    let least = |name: &str| match name {
        "ms" => Least::AboveZero,
        "gain" => Least::BelowZero,
        "local_bytes" | "registers" => Least::Zero,
        _ => Least::NotOfRun,
    };
    for &(text, expected) in cases {
        assert_eq!(parse(text).unwrap().cannot_fail(&least).is_some(), expected, "{text}");
    }
}

#[test]
fn conditions_that_cannot_fail_are_seen() {
    check(&[
        ("row('a').ms > 0 ms", true),
        ("row('a').local_bytes > 0 B", false),
        ("row('a').local_bytes >= 0 B", true),
        ("all(rows, local_bytes > 0 B and ms > 1 ms)", false),
        ("none(rows where ms < 1 ms, local_bytes <= 0 B)", false),
        ("row('a').ms * row('a').local_bytes > 0", false),
        ("row('a').ms / row('b').ms > 0", true),
        ("min(rows where local_bytes == 0 B, 'ms') > 0 ms", true),
        ("min(rows, 'local_bytes') > 0 B", false),
        ("row('a').ms // 1 ms > 0", false),
        ("row('a').registers >= 0", true),
        ("row('a').ms - row('b').ms > 0 ms", false),
        ("row('a').ms <= row('a').ms", true),
        ("row('a').ms < row('b').ms", false),
        ("not row('a').ms < 0 ms", true),
        ("row('a').ms < 1 ms or row('a').ms >= 0 ms", true),
        ("all(rows, ms > 0 ms)", true),
        ("all(rows, ms > 1 ms)", false),
        ("any(rows where items == 2, ms > 0 ms)", true),
        ("none(rows, ms < 0 ms)", true),
        ("none(rows, ms <= row('a').ms)", false),
        ("count(rows where ms > 0 ms) >= 3", true),
        ("count(rows where ms > 0 ms and items == 2) >= 3", false),
        ("count(near_best('ms', 5%)) >= 1", true),
        ("count(near_best('ms', 5%)) >= 2", false),
        ("count(rows where ms < 1 ms) >= 0", true),
        ("fastest() in near_best('ms', 5%)", true),
        ("fastest() in rows", true),
        ("fastest() in (rows where items == 2)", false),
        ("fastest() == row('a')", false),
        ("fastest().ms <= row('a').ms", true),
        ("row('a').ms >= best('ms').ms", true),
        ("within(row('a').ms, row('a').ms, 1%)", true),
        ("no_gain(row('a').ms, row('a').ms, 1%)", true),
        ("no_gain(row('a').ms, row('b').ms, 1%)", false),
        ("from(rows, 'n', ms > 1 ms) >= 0", true),
        ("count(rows where of_best >= 0.9) >= 1", false),
    ]);
}

#[test]
fn arithmetic_that_makes_a_condition_true_is_seen() {
    check(&[
        ("row('a').ms * 2 > row('a').ms", true),
        ("row('a').ms < 1.5 * row('a').ms", true),
        ("row('a').ms * 0.5 > row('a').ms", false),
        ("row('a').local_bytes * 2 > row('a').local_bytes", false),
        ("row('a').ms + 1 ms > row('a').ms", true),
        ("row('a').ms >= row('a').ms - 100 ns", true),
        ("row('a').ms + 1 ms > row('b').ms", false),
        ("abs(row('a').ms - row('b').ms) >= 0 ms", true),
        ("abs(row('a').ms - row('b').ms) < 1 ms", false),
        ("max(row('a').ms, row('b').ms) >= row('a').ms", true),
        ("min(row('a').ms, row('b').ms) <= row('b').ms", true),
        ("min(row('a').ms, row('b').ms) <= row('c').ms", false),
        ("row('a').ms / row('b').ms > 0.001", false),
        ("row('a').bytes < 1e20 B", false),
        ("row('a').ms < 3 s", false),
        ("row('a').ms < row('b').ms or 1 < 2", true),
        ("row('a').ms < row('b').ms or row('a').ms >= row('b').ms", true),
        ("row('a').ms < row('b').ms or row('b').ms < row('a').ms", true),
        ("not (row('a').ms < row('b').ms and row('a').ms > row('b').ms)", true),
        ("row('a').ms < row('b').ms or row('a').ms > row('c').ms", false),
        ("row('a').ms < 1.4 * row('b').ms or row('a').ms > 1.5 * row('b').ms", false),
        ("within(row('a').ms, 1.001 * row('a').ms, 2%)", true),
        ("within(row('a').ms, 1.1 * row('a').ms, 2%)", false),
        ("within(row('a').ms, row('b').ms, 99%)", false),
        ("row('a').gain >= 0 ms", false),
        ("row('a').gain > -1 ms", false),
        ("row('a').gain * 2 > row('a').gain", false),
        ("all(rows, gain >= 0 ms)", false),
        ("-1 < row('a').ms and row('a').ms < 1 ms", true),
    ]);
}
