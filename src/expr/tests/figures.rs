//! What figures print: prefixes, signs, ranges, the words of a language.

use super::*;

#[test]
fn figures_print_as_readers_expect() {
    let cases = [
        // A unit without a prefix takes the one that fits, unless its author chose it.
        ("0.0000618 s", "61.8 µs"),
        ("0.0000618 s | unit('s')", "0.0000618 s"),
        ("0.0000618 s | unit('ms') | fixed(3)", "0.062 ms"),
        ("4159000000 B / 1 s", "4.159 GB/s"),
        ("4159000000 B / 1 s | unit('B/s')", "4159000000 B/s"),
        ("1980000000 Hz", "1.98 GHz"),
        ("4096 B", "4096 B"),
        ("1234567 cycles", "1234567 cycles"),
        ("12 s", "12 s"),
        // Nothing that is there prints as nothing, nor does it lose its sign.
        ("-0.004 | fixed(2)", "-0.004"),
        ("1e-9 | fixed(3)", "0.000000001"),
        ("0 | fixed(2)", "0.00"),
        ("-1e-9 | percent(1)", "-0.0000001 %"),
        ("1e-30 * 1", "0.000000000000000000000000000001"),
        ("10000000 * 10000000 * 1.5", "150000000000000"),
        ("-5 ms", "-5 ms"),
        ("row('64').ms - row('64').ms | fixed(2)", "0.00 ms"),
        ("row('256').ms - row('64').ms | fixed(0)", "-1 ms"),
        // Ranges: both ends in one unit, each with its own digits.
        ("range(1.1 ms, 1.4 ms)", "1.1 to 1.4 ms"),
        ("range(1.4 ms, 1100 µs, 1.2 ms)", "1.1 to 1.4 ms"),
        ("range(0.0000011 s, 0.0000014 s)", "1.1 to 1.4 µs"),
        ("range(-3, -1)", "-3 to -1"),
        ("range(2 ms, 2 ms)", "2 ms"),
        ("range(rows where threads < 200, 'threads')", "64 to 128 threads"),
        ("tiles.rows where threads < 200 | range('ms') | fixed(1)", "0.4 to 0.8 ms"),
        ("range(rows where threads < 600, 'ms') | fixed(2)", "0.25 to 0.80 ms"),
        ("range(rows where threads < 200, 'ms') | unit('µs') | fixed(0)", "400 to 800 µs"),
        ("range(row('64').ms / row('128').ms, 3) | times(1)", "2.0 to 3.0×"),
        ("range(45%, 0.99) | percent", "45 to 99 %"),
        ("range(1 ms, 2 B)", "! expr-unit 0: a range can't go from a time (ms) to a size (B)"),
        ("range(1 ms)", "! expr-call 0: `range` is not given what it needs; write `range(a, b)` or `range(rows, \"ms\")`"),
        ("range(rows where threads == 7, 'ms')", "! expr-value 0: there are no rows"),
        (
            "1 + range(1, 2)",
            "! expr-call 4: `range` is two values, and nothing can be computed from it; put it outermost, or take `min(…)` or `max(…)`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(worth(text), expected, "{text}");
    }
    let hebrew = Wording { to: "–", none: "אין", ..ENGLISH };
    let in_hebrew = |text: &str| figure_in(&parse(text).unwrap(), &tiles(), &hebrew).unwrap().text.replace('\u{a0}', " ");
    assert_eq!(in_hebrew("range(1.1 ms, 1.4 ms)"), "1.1–1.4 ms");
    assert_eq!(in_hebrew("best('ms').threads"), "256–512 threads");
    assert_eq!(in_hebrew("rows where threads == 7"), "אין");
    assert!(evaluate(&parse("range(1, 2)").unwrap(), &tiles()).is_err());
}
