//! Rounds of printed texts, and the values that they come to.

use std::sync::Arc;

use super::cells::{Cell, Cells, Wish, over_rounds};
use crate::base::quantity::Unit;
use crate::course::sweep::Reading;
use crate::expr::{Absent, Value};

/// The value of a column with these texts, a `?` for a round without one.
fn value(reading: Reading, unit: Option<&str>, is_label: bool, texts: &[&str]) -> Result<String, String> {
    let cell = |text: &&str| match *text {
        "?" => Err("nothing matches".to_owned()),
        text => Ok(Cell { text: text.to_owned(), line: 3, unit: None }),
    };
    let cells: Cells = texts.iter().map(cell).collect();
    let unit = unit.map(|unit| Unit::parse(unit).expect("a unit"));
    let wish = Wish { reading, unit, is_label }.settled(cells.iter().filter_map(|cell| cell.as_ref().ok()));
    match over_rounds("row a of s", "x", &wish, &cells, &Arc::from("run")) {
        Ok(Value::Text(text)) => Ok(format!("'{text}'")),
        Ok(Value::Quantity(quantity)) if quantity.is_measured() => Ok(format!("measured {}", quantity.text())),
        Ok(Value::Quantity(quantity)) => Ok(quantity.text()),
        Ok(_) => Ok("another".to_owned()),
        Err(Absent { why, .. }) => Err(why),
    }
}

#[track_caller]
fn check(reading: Reading, texts: &[&str], expected: Result<&str, &str>) {
    let found = value(reading, None, false, texts);
    let expected = expected.map(str::to_owned).map_err(str::to_owned);
    assert_eq!(found.map(|text| text.replace('\u{a0}', " ")), expected, "{texts:?}");
}

#[test]
fn numbers_are_measured_and_lost_rounds_are_not_zero() {
    check(Reading::Found, &["1.50 ms", "1.50 ms", "1.50 ms", "1.50 ms", "1.50 ms"], Ok("measured 1.500 ms"));
    check(Reading::Found, &["1.50 ms", "?", "1500 us", "1.50 ms", "1.50 ms", "1.50 ms"], Ok("measured 1.500 ms"));
    let few = "row a of s has no `x`: 4 of 5 rounds have it, and at least 5 are needed (in round 2, nothing matches)";
    check(Reading::Found, &["1", "?", "1", "1", "1"], Err(few));
    let wrong = "row a of s has no `x`: 4 of 5 rounds have it, and at least 5 are needed (in round 3, line 3: `n/a` is no number)";
    check(Reading::Found, &["1", "1", "n/a", "1", "1"], Err(wrong));
}

#[test]
fn text_and_exact_numbers_are_the_same_in_every_round() {
    check(Reading::Found, &["fast", "fast", "fast"], Ok("'fast'"));
    check(Reading::Text, &["1", "1"], Ok("'1'"));
    let differs = "`x` of row a of s is not the same in every round: `fast`, and `slow` in round 3";
    check(Reading::Found, &["fast", "fast", "slow"], Err(differs));
    check(Reading::Exact, &["32", "32", "?", "32"], Ok("32"));
    let differs = "`x` of row a of s is not the same in every round: `32`, and `40` in round 2";
    check(Reading::Exact, &["32", "40"], Err(differs));
    check(Reading::Exact, &["32.5", "32.5"], Err("`x` of row a of s is to be exact, and `32.5` is no whole number"));
}

#[test]
fn a_label_is_exact_and_kinds_are_not_mixed() {
    let label = |texts: &[&str]| value(Reading::Found, None, true, texts);
    assert_eq!(label(&["256", "256"]), Ok("256".to_owned()));
    assert_eq!(label(&["0.5", "0.5"]), Ok("0.5".to_owned()));
    assert_eq!(label(&["1 item, 3 blocks"; 2]), Ok("'1 item, 3 blocks'".to_owned()));
    // A time and a size in one column are no numbers of one kind.
    assert_eq!(value(Reading::Found, None, false, &["1 ms", "1 GB"]).map_err(|why| why.contains("not the same")), Err(true));
    let wrong = value(Reading::Number, Some("ms"), false, &["1 GB"; 5]);
    assert!(wrong.as_ref().is_err_and(|why| why.contains("`1 GB` is a size (GB), where a time (ms) is wanted")), "{wrong:?}");
}
