//! Which conditions ask for nothing.

use super::*;

#[test]
fn conditions_that_cannot_fail_are_seen() {
    let cases = [
        ("row('a').ms > 0 ms", true, true),
        ("row('a').local_bytes > 0 B", false, false),
        ("row('a').registers >= 0", false, true),
        ("row('a').ms - row('b').ms > 0 ms", true, false),
        ("row('a').ms <= row('a').ms", true, true),
        ("row('a').ms < row('b').ms", true, false),
        ("not row('a').ms < 0 ms", true, true),
        ("row('a').ms < 1 ms or row('a').ms >= 0 ms", true, true),
        ("all(rows, ms > 0 ms)", true, true),
        ("all(rows, ms > 1 ms)", true, false),
        ("any(rows where items == 2, ms > 0 ms)", true, true),
        ("none(rows, ms < 0 ms)", true, true),
        ("none(rows, ms <= row('a').ms)", true, false),
        ("count(rows where ms > 0 ms) >= 3", true, true),
        ("count(rows where ms > 0 ms and items == 2) >= 3", true, false),
        ("count(near_best('ms', 5%)) >= 1", true, true),
        ("count(near_best('ms', 5%)) >= 2", true, false),
        ("count(rows where ms < 1 ms) >= 0", true, true),
        ("fastest() in near_best('ms', 5%)", true, true),
        ("fastest() in rows", true, true),
        ("fastest() in (rows where items == 2)", true, false),
        ("fastest() == row('a')", true, false),
        ("fastest().ms <= row('a').ms", true, true),
        ("row('a').ms >= best('ms').ms", true, true),
        ("within(row('a').ms, row('a').ms, 1%)", true, true),
        ("no_gain(row('a').ms, row('a').ms, 1%)", true, true),
        ("no_gain(row('a').ms, row('b').ms, 1%)", true, false),
        ("from(rows, 'n', ms > 1 ms) >= 0", true, true),
        ("count(rows where of_best >= 0.9) >= 1", true, false),
        ("-1 < row('a').ms and row('a').ms < 1 ms", true, true),
    ];
    for (text, timed, expected) in cases {
        assert_eq!(parse(text).unwrap().cannot_fail(timed).is_some(), expected, "{text}");
    }
}
