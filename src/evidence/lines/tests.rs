//! Turns rows and canaries in a round into lines and back: what is as one expects, what is not, and what nobody writes.
//!
//! Must not need a whole run.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::evidence::canary::Canary;
use crate::evidence::record::{Outcome, Receipt};

fn receipt(wrong: u64, largest_relative: &str) -> Receipt {
    let first_wrong = (wrong > 0).then(|| "y[3]: got 1, expected \"2\"".to_owned());
    Receipt { elements: 1024, wrong, first_wrong, largest_relative: largest_relative.to_owned() }
}

/// A row of which everything is as one expects.
fn usual() -> RowResult {
    RowResult {
        round: 2,
        row: 7,
        outcome: Outcome::Ok,
        spans_ns: vec![301, 300, 302],
        clock_mhz: vec![1980; 3],
        empty_pair_ns: Some(40),
        before: Some(receipt(0, "0")),
        after: Some(receipt(0, "0")),
        throttle_before: Some(Vec::new()),
        throttle_after: Some(Vec::new()),
        temperature_c: Some(41),
        warmup_launches: 30,
        reads: BTreeMap::new(),
    }
}

fn canary() -> CanaryResult {
    CanaryResult {
        round: 2,
        canary: Canary::Fma,
        outcome: Outcome::Ok,
        launches: 4,
        work: 99,
        spans_ns: vec![301, 300],
        clock_mhz: vec![1500; 2],
        throttle_before: Some(Vec::new()),
        throttle_after: Some(Vec::new()),
        warmup_launches: 3,
    }
}

const USUAL: &str = "{\"line\":\"result\",\"round\":2,\"row\":7,\"spans_ns\":[301,300,302],\"clock_mhz\":1980,\"empty_pair_ns\":40,\"checked\":1024,\
                     \"temperature_c\":41,\"warmup_launches\":30}\n";
const CANARY: &str = "{\"line\":\"canary\",\"round\":2,\"canary\":\"fma\",\"launches\":4,\"work\":99,\"spans_ns\":[301,300],\"clock_mhz\":1500,\
                      \"warmup_launches\":3}\n";

/// The line of a record of version `version`, read.
fn read(version: u32, line: &str) -> Result<Line, String> {
    LineReader::new(version).read(1, line).map_err(|fault| fault.message)
}

#[test]
fn what_is_as_one_expects_is_told_shortly() {
    type Change = fn(&mut RowResult);
    let cases: [(Change, &str, &str); 16] = [
        (|_| {}, "", ""),
        (
            |row| row.outcome = Outcome::Throttled("hot".to_owned()),
            ",\"spans",
            ",\"outcome\":{\"is\":\"throttled\",\"why\":\"hot\"},\"spans",
        ),
        (|row| row.clock_mhz[1] = 1979, ":1980", ":[1980,1979,1980]"),
        (|row| row.clock_mhz = vec![1980; 2], ":1980", ":[1980,1980]"),
        (|row| row.spans_ns = Vec::new(), ":[301,300,302],\"clock_mhz\":1980", ":[],\"clock_mhz\":[1980,1980,1980]"),
        (|row| (row.spans_ns, row.clock_mhz) = (Vec::new(), Vec::new()), ":[301,300,302],\"clock_mhz\":1980", ":[],\"clock_mhz\":[]"),
        (|row| row.empty_pair_ns = None, ":40", ":null"),
        (|row| row.after = None, "\"checked\":1024", "\"before\":1024,\"after\":null"),
        (|row| (row.before, row.after) = (None, None), "\"checked\":1024", "\"before\":null,\"after\":null"),
        (
            |row| row.after = Some(receipt(1, "inf")),
            "\"checked\":1024",
            "\"before\":1024,\"after\":{\"elements\":1024,\"wrong\":1,\"first_wrong\":\"y[3]: got 1, expected \\\"2\\\"\",\"largest_relative\":\"inf\"}",
        ),
        (
            |row| (row.before, row.after) = (Some(receipt(0, "2.5e-8")), Some(receipt(0, "2.5e-8"))),
            ":1024",
            ":{\"elements\":1024,\"largest_relative\":\"2.5e-8\"}",
        ),
        (|row| row.throttle_before = None, ",\"temp", ",\"throttle_before\":null,\"temp"),
        (|row| row.throttle_after = Some(vec!["hw".to_owned()]), ",\"temp", ",\"throttle_after\":[\"hw\"],\"temp"),
        (|row| row.temperature_c = None, ":41", ":null"),
        (|row| row.warmup_launches = 0, ":30}", ":0}"),
        (|row| _ = row.reads.insert("cycles".to_owned(), vec![5, -6]), ":30}", ":30,\"reads\":{\"cycles\":[5,-6]}}"),
    ];
    for (change, from, to) in cases {
        let mut row = usual();
        change(&mut row);
        let expected = USUAL.replacen(from, to, 1);
        assert_eq!(LineRef::Result(&row).print(2), expected);
        assert_eq!(read(2, &expected), Ok(Line::Result(row.into())));
    }
    assert_eq!(LineRef::Canary(&canary()).print(2), CANARY);
    assert_eq!(read(2, CANARY), Ok(Line::Canary(canary().into())));
}

#[test]
fn each_value_has_one_spelling() {
    let cases = [
        (",\"spans", ",\"outcome\":{\"is\":\"ok\"},\"spans"),
        (":1980", ":[1980,1980,1980]"),
        (":[301,300,302]", ":[]"),
        (":[301,300,302]", ":[301,0300,302]"),
        (":[301,300,302]", ":[301,300,3.02e2]"),
        (":[301,300,302]", ":[301,300,-302]"),
        (":1024", ":{\"elements\":1024}"),
        (":1024", ":{\"elements\":1024,\"wrong\":0,\"largest_relative\":\"2.5e-8\"}"),
        (":1024", ":{\"elements\":1024,\"largest_relative\":\"0\"}"),
        (":1024", ":{\"largest_relative\":\"2.5e-8\",\"elements\":1024}"),
        (":1024", ":{\"elements\": 1024,\"largest_relative\":\"2.5e-8\"}"),
        (":1024", ":null"),
        ("\"checked\":1024", "\"before\":1024,\"after\":1024"),
        ("\"checked\":1024", "\"before\":1024"),
        (",\"temp", ",\"throttle_before\":[],\"temp"),
        (",\"temp", ",\"throttle_after\":[\"hw\"],\"throttle_before\":null,\"temp"),
        (",\"temp", ",\"throttle_after\":[\"\\u0068w\"],\"temp"),
        (":30}", ":30,\"reads\":{}}"),
        (":30}", ":30,\"reads\":{\"b\":[1],\"a\":[2]}}"),
        (":30}", ":30,\"reads\":{\"a\":[1],\"a\":[2]}}"),
        (":30}", ":30,\"note\":1}"),
        (":30}", ":30 }"),
        (":30}", ":30}}"),
        ("\"round\":2,\"row\":7", "\"row\":7,\"round\":2"),
        ("\"row\":7", "\"row\": 7"),
        ("\"row\":7", "\"row\":null"),
        ("\"row\":7", "\"row\":4294967296"),
        ("\"row\":7,", ""),
        ("}\n", "}\r\n"),
        ("}\n", "} \n"),
    ];
    for (from, to) in cases {
        let spoilt = USUAL.replacen(from, to, 1);
        assert_ne!(spoilt, USUAL, "{from}");
        let message = read(2, &spoilt).expect_err(&spoilt);
        assert!(message.starts_with("the line is not as lessonc writes it: ") && message.contains(" is expected at column "), "{message}");
    }
    for (from, to) in [("\"fma\"", "\"\\u0066ma\""), ("\"fma\"", "\"warp\""), (":1500", ":[1500,1500]"), ("\"launches\":4,", "")] {
        assert!(read(2, &CANARY.replacen(from, to, 1)).is_err(), "{to}");
    }
    // At length and shortly are not mixed.
    assert!(read(2, &LineRef::Result(&usual()).print(1)).is_err() && read(1, USUAL).is_err());
}

#[test]
fn the_lines_of_the_reference_are_lines_of_a_record() {
    let reference = include_str!("../../course/reference.md");
    let lines: Vec<&str> = reference.split_inclusive('\n').filter(|line| line.starts_with("{\"line\":")).collect();
    assert_eq!(lines.len(), 3);
    for line in lines {
        assert_eq!(read(2, line).map(|read| again(2, &read)), Ok(line.to_owned()));
    }
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    prop_oneof![3 => Just(Outcome::Ok), 1 => ".{0,8}".prop_map(Outcome::Runtime), 1 => Just(Outcome::TooShort("1 ns".to_owned()))]
}

fn samples() -> impl Strategy<Value = (Vec<u64>, Vec<u32>)> {
    let many = prop::collection::vec(any::<u64>(), 0..5);
    prop_oneof![
        (many.clone(), 0..3_u32).prop_map(|(spans, clock)| {
            let clocks = vec![clock; spans.len()];
            (spans, clocks)
        }),
        (many, prop::collection::vec(0..3_u32, 0..5)),
    ]
}

fn receipts() -> impl Strategy<Value = Option<Receipt>> {
    let first = prop::option::of("[a-z\" ]{0,4}");
    let receipt = (0..3_u64, 0..2_u64, first, prop::sample::select(vec!["0", "0e0", "2.5e-8", "NaN"]));
    prop::option::of(receipt.prop_map(|(elements, wrong, first_wrong, largest)| Receipt {
        elements,
        wrong,
        first_wrong,
        largest_relative: largest.to_owned(),
    }))
}

fn throttles() -> impl Strategy<Value = Option<Vec<String>>> {
    prop::option::of(prop::collection::vec("[a-z\\\\]{0,3}", 0..2))
}

fn results() -> impl Strategy<Value = RowResult> {
    let numbers = (any::<(u32, u32, Option<u64>, Option<u32>, u32)>(), outcomes(), samples());
    let reads = prop::collection::btree_map("[a-z]{0,2}", prop::collection::vec(any::<i64>(), 0..3), 0..3);
    let told = (receipts(), receipts(), any::<bool>(), throttles(), throttles(), reads);
    (numbers, told).prop_map(|((numbers, outcome, (spans_ns, clock_mhz)), told)| {
        let (round, row, empty_pair_ns, temperature_c, warmup_launches) = numbers;
        let (before, after, same, throttle_before, throttle_after, reads) = told;
        let after = if same { before.clone() } else { after };
        RowResult {
            round,
            row,
            outcome,
            spans_ns,
            clock_mhz,
            empty_pair_ns,
            before,
            after,
            throttle_before,
            throttle_after,
            temperature_c,
            warmup_launches,
            reads,
        }
    })
}

fn canaries() -> impl Strategy<Value = CanaryResult> {
    let told = (outcomes(), samples(), throttles(), throttles());
    (any::<(u32, bool, u32, u64, u32)>(), told).prop_map(|(numbers, (outcome, (spans_ns, clock_mhz), throttle_before, throttle_after))| {
        let (round, copies, launches, work, warmup_launches) = numbers;
        let canary = if copies { Canary::Copy } else { Canary::Fma };
        CanaryResult { round, canary, outcome, launches, work, spans_ns, clock_mhz, throttle_before, throttle_after, warmup_launches }
    })
}

/// What `line` holds, printed again as version `version`.
fn again(version: u32, line: &Line) -> String {
    match line {
        Line::Result(result) => LineRef::Result(result).print(version),
        Line::Canary(canary) => LineRef::Canary(canary).print(version),
        other => panic!("{other:?}"),
    }
}

proptest! {
    /// Nothing is lost, in either version.
    #[test]
    fn lines_read_back(result in results(), canary in canaries(), version in 1..=2_u32) {
        for line in [Line::Result(result.into()), Line::Canary(canary.into())] {
            prop_assert_eq!(read(version, &again(version, &line)), Ok(line));
        }
    }

    /// A line of which a piece is another is another line, or none: what is read is spelled in one way.
    #[test]
    fn what_is_read_is_what_is_printed(result in results(), canary in canaries(), at in any::<prop::sample::Index>(), with in "[]\\[{}:,\" 0-9a-z]{0,2}") {
        for line in [Line::Result(result.into()), Line::Canary(canary.into())] {
            let mut text = again(2, &line);
            let ends: Vec<usize> = text.char_indices().map(|(end, _)| end).collect();
            let at = *at.get(&ends);
            text.replace_range(at..at + text[at..].chars().next().map_or(0, char::len_utf8), &with);
            let is_short = text.starts_with(short::RESULT) || text.starts_with(short::CANARY);
            if let Some(line) = Some(&text).filter(|_| is_short).and_then(|text| read(2, text).ok()) {
                prop_assert_eq!(again(2, &line), text);
            }
        }
    }
}
