//! What is said of conditions that fail: both values, the bounds that decided, and the strongest statement that holds.

use super::*;

/// Holds what is said of each condition, on the usual run, to what is expected.
fn said(cases: &[(&str, &str)]) {
    let (course, _) = course("\"test-card\"", "Text.");
    let facts = facts(&course, &[run("test-card", &USUAL)]);
    let scope = facts.scope(&course.lessons[0], "test-card");
    for (text, expected) in cases {
        let judged = judge(&[expression(text)], &scope, 1);
        assert_eq!(judged.parts[0].found.replace('\u{a0}', " "), *expected, "{text}");
    }
}

#[test]
fn two_values_are_told_with_their_bounds_and_the_strongest_statement() {
    said(&[
        (
            "row('64').ms / row('128').ms >= 2.1",
            "`row('64').ms / row('128').ms` is 2.000 ± 0.0045 and the bound is 2.1; the rounds put it between 1.996 and 2.004 \
             (99 % bounds over 7 rounds); the data support at least 1.996, not 2.1",
        ),
        (
            "row('64').ms <= 0.19 ms",
            "`row('64').ms` is 0.2000 ms ± 0.00091 and the bound is 0.19 ms; the rounds put it between 0.1992 and 0.2008 ms \
             (99 % bounds over 7 rounds); the data support at most 0.2008 ms, not 0.19 ms",
        ),
        (
            "row('128').ms < row('512').ms",
            "`row('128').ms` is 0.1000 ms ± 0.00051 and `row('512').ms` is 0.0800 ms ± 0.00029; left over right lies between 1.243 and 1.256 \
             (99 % bounds over 6 rounds); 1 of 7 rounds lost; the data support that left is at most 1.256 times right",
        ),
        (
            "row('64').ms >= 2.1 * row('128').ms",
            "`row('64').ms` is 0.2000 ms ± 0.00091 and `row('128').ms` is 0.1000 ms ± 0.00051; left over right lies between \
             1.996 and 2.004 (99 % bounds over 7 rounds); the data support that left is at least 1.996 times right, not 2.1",
        ),
        (
            "row('64').ms - row('128').ms >= 0.11 ms",
            "`row('64').ms - row('128').ms` is 0.1000 ms ± 0.00051 and the bound is 0.11 ms; the rounds put it between \
             0.09957 and 0.1005 ms (99 % bounds over 7 rounds); the data support at least 0.09957 ms, not 0.11 ms",
        ),
        (
            "row('128').ms - row('64').ms >= 0.11 ms",
            "`row('128').ms - row('64').ms` is -0.1000 ms ± 0.00051 and the bound is 0.11 ms; the rounds put it between \
             -0.1005 and -0.09957 ms (99 % bounds over 7 rounds); the data support at least -0.1005 ms, not 0.11 ms",
        ),
        (
            "within(row('64').ms, row('128').ms, 50%)",
            "`row('64').ms` is 0.2000 ms ± 0.00091 and `row('128').ms` is 0.1000 ms ± 0.00051; left over right lies between \
             1.996 and 2.004 (99 % bounds over 7 rounds); the data support within 100.4 %, not 50 %",
        ),
        (
            "no_gain(row('128').ms, row('64').ms, 5%)",
            "`row('64').ms` is 0.2000 ms ± 0.00091 and `row('128').ms` is 0.1000 ms ± 0.00051; left over right lies between \
             1.996 and 2.004 (99 % bounds over 7 rounds); the data support that left is at most 100.4 % above right, not 5 %",
        ),
        (
            "not row('64').ms > row('128').ms",
            "`row('64').ms` is 0.2000 ms ± 0.00091 and `row('128').ms` is 0.1000 ms ± 0.00051; left over right lies between \
             1.996 and 2.004 (99 % bounds over 7 rounds)",
        ),
        ("row('64').blocks_per_sm < 16", "`row('64').blocks_per_sm` is 16 blocks and the bound is 16"),
    ]);
}

#[test]
fn rows_are_told_by_those_that_decided() {
    said(&[
        (
            "alike(rows where threads <= 128, 'ms', 5%)",
            "`row('64').ms` is 0.2000 ms ± 0.00091 and `row('128').ms` is 0.1000 ms ± 0.00051; left over right lies between \
             1.995 and 2.005 (99.5 % bounds over 7 rounds); the data support that left is at most 100.4 % above right, not 5 \
             %",
        ),
        (
            "all(rows, ms < 0.15 ms)",
            "`all(rows, ms < 0.15 ms)` holds for 3 of 4 rows (128, 256 and 512); it doesn't hold for 64; in row 64: `ms` is \
             0.2000 ms ± 0.00091 and the bound is 0.15 ms; the rounds put it between 0.1989 and 0.2011 ms (99.75 % bounds \
             over 7 rounds); the data support at most 0.2008 ms, not 0.15 ms",
        ),
        (
            "any(rows, ms > 0.3 ms)",
            "`any(rows, ms > 0.3 ms)` doesn't hold for any of 4 rows for sure; in row 64: `ms` is 0.2000 ms ± 0.00091 and the \
             bound is 0.3 ms; the rounds put it between 0.1992 and 0.2008 ms (99 % bounds over 7 rounds); the data support at \
             least 0.1989 ms, not 0.3 ms; in row 128: `ms` is 0.1000 ms ± 0.00051 and the bound is 0.3 ms; the rounds put it \
             between 0.09957 and 0.1005 ms (99 % bounds over 7 rounds); the data support at least 0.09941 ms, not 0.3 ms",
        ),
        (
            "none(rows, ms > 0.15 ms)",
            "`none(rows, ms > 0.15 ms)` holds for 1 of 4 rows (64); it doesn't hold for 128, 256 and 512; in row 64: `ms` is \
             0.2000 ms ± 0.00091 and the bound is 0.15 ms; the rounds put it between 0.1989 and 0.2011 ms (99.75 % bounds \
             over 7 rounds)",
        ),
        (
            "fastest() == row('256')",
            "`row('256')` beats 2 of 3 rows (128 and 64); the rounds can't tell for 512; in row 512: `row('256').ms` is \
             0.0800 ms ± 0.00091 and `row('512').ms` is 0.0800 ms ± 0.00029; left over right lies between 0.9887 and 1.009 \
             (99 % bounds over 6 rounds); 1 of 7 rounds lost; the data support that left is at most 1.009 times right",
        ),
        (
            "fastest() == row('64')",
            "`row('64')` doesn't beat any of 3 rows for sure; in row 256: `row('64').ms` is 0.2000 ms ± 0.00091 and \
             `row('256').ms` is 0.0800 ms ± 0.00091; left over right lies between 2.485 and 2.515 (99 % bounds over 7 \
             rounds); the data support that left is at most 2.515 times right; in row 512: `row('64').ms` is 0.2000 ms ± \
             0.00091 and `row('512').ms` is 0.0800 ms ± 0.00029; left over right lies between 2.488 and 2.508 (99 % bounds \
             over 6 rounds); 1 of 7 rounds lost; the data support that left is at most 2.508 times right",
        ),
    ]);
}

#[test]
fn what_picks_rows_is_told_by_those_that_are_open() {
    said(&[
        (
            "count(rows where ms < 0.15 ms) == 4",
            "`rows where ms < 0.15 ms` holds for 3 of 4 rows (128, 256 and 512); it doesn't hold for 64; in row 64: `ms` is \
             0.2000 ms ± 0.00091 and the bound is 0.15 ms; the rounds put it between 0.1989 and 0.2011 ms (99.75 % bounds \
             over 7 rounds); `count(rows where ms < 0.15 ms)` is 3 and the bound is 4",
        ),
        (
            "count(near_best('ms', 1%)) == 2",
            "`near_best('ms', 1%)` doesn't have any of 4 rows for sure; the rounds can't tell for 256 and 512; in row 256: \
             `row('256').ms` is 0.0800 ms ± 0.00091 and `row('512').ms` is 0.0800 ms ± 0.00029; left over right lies between \
             0.9845 and 1.014 (99.75 % bounds over 6 rounds); 1 of 7 rounds lost; in row 512: `row('512').ms` is 0.0800 ms ± \
             0.00029 and `row('256').ms` is 0.0800 ms ± 0.00091; left over right lies between 0.9870 and 1.016 (99.75 % \
             bounds over 6 rounds); 1 of 7 rounds lost; `count(near_best('ms', 1%))` is 0 to 2 and the bound is 2; the data \
             support 0 to 2, and don't tell which",
        ),
        (
            "count(near_best('ms', 5%)) >= 3",
            "`near_best('ms', 5%)` has 2 of 4 rows (256 and 512); it doesn't have 64 and 128; in row 64: `row('64').ms` is \
             0.2000 ms ± 0.00091 and `row('256').ms` is 0.0800 ms ± 0.00091; left over right lies between 2.474 and 2.525 \
             (99.917 % bounds over 7 rounds); in row 128: `row('128').ms` is 0.1000 ms ± 0.00051 and `row('256').ms` is \
             0.0800 ms ± 0.00091; left over right lies between 1.236 and 1.264 (99.917 % bounds over 7 rounds); \
             `count(near_best('ms', 5%))` is 2 and the bound is 3",
        ),
        (
            "row('64') in near_best('ms', 5%)",
            "`near_best('ms', 5%)` doesn't have 64; in row 64: `row('64').ms` is 0.2000 ms ± 0.00091 and `row('256').ms` is \
             0.0800 ms ± 0.00091; left over right lies between 2.474 and 2.525 (99.917 % bounds over 7 rounds); the data \
             support that left is at most 152.0 % above right, not 5 %",
        ),
        (
            "from(rows, 'threads', ms < 0.15 ms) == 256",
            "`from(rows, 'threads', ms < 0.15 ms)` holds for 3 of 4 rows (128, 256 and 512); it doesn't hold for 64; in row \
             64: `ms` is 0.2000 ms ± 0.00091 and the bound is 0.15 ms; the rounds put it between 0.1989 and 0.2011 ms (99.75 \
             % bounds over 7 rounds); `from(rows, 'threads', ms < 0.15 ms)` is 128 threads and the bound is 256",
        ),
        (
            "from(rows, 'threads', ms < row('512').ms) >= 256",
            "`from(rows, 'threads', ms < row('512').ms)` doesn't hold for any of 4 rows for sure; the rounds can't tell for \
             256 and 512; the data can't tell that it holds for any row; in row 256: `ms` is 0.0800 ms ± 0.00091 and \
             `row('512').ms` is 0.0800 ms ± 0.00029; left over right lies between 0.9845 and 1.014 (99.75 % bounds over 6 \
             rounds); 1 of 7 rounds lost; in row 512: `ms` is 0.0800 ms ± 0.00029 and `row('512').ms` is 0.0800 ms ± 0.00029; \
             left over right lies between 0.9996 and 1.001 (99.75 % bounds over 6 rounds); 1 of 7 rounds lost; `from(rows, \
             'threads', ms < row('512').ms)` is 256 to 512 threads and the bound is 256",
        ),
    ]);
}

#[test]
fn names_are_told_as_they_are() {
    said(&[
        ("best('GB/s').label == '256'", "`best('GB/s').label` is 256 / 512"),
        ("row('64').label == row('128').label", "`row('64').label` is 64, and `row('128').label` is 128"),
        ("row('64') == row('128')", "`row('64')` is 64, and `row('128')` is 128"),
        ("row('64') in (rows where threads > 100)", "`row('64')` is 64, and `rows where threads > 100` is 128 / 256 / 512"),
    ]);
}
