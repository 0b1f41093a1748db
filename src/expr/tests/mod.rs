//! What expressions parse to and what they are worth.

mod figures;

use std::sync::Arc;

use proptest::prelude::*;

use super::tree::{Argument, Call, Form, Kind, Node, Operator};
use super::*;
use crate::base::quantity::{Quantity, Rational, Rounds, Unit};

mod certain;
mod forms;
mod levels;

fn parse(text: &str) -> Result<Expr, Problem> {
    Expr::parse(&Slice::verbatim(&"lessons/a.md".into(), text, 0))
}

/// A row of a made-up sweep: columns by name.
struct Fixed {
    columns: Vec<(&'static str, Result<Value, Absent>)>,
}

impl Row for Fixed {
    fn title(&self) -> String {
        let Some(Ok(Value::Text(label))) = self.columns.first().map(|column| &column.1) else { return "the device".to_owned() };
        format!("row {label} of tiles")
    }

    fn column(&self, name: &str) -> Result<Value, Absent> {
        self.columns.iter().find(|column| column.0 == name).map_or_else(|| Err("no such column".into()), |column| column.1.clone())
    }

    fn columns(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.0.to_owned()).collect()
    }
}

/// A sweep of four rows: 64 and 128 are clearly apart, 256 and 512 can't be told from each other, 1024 was not measured.
struct Tiles {
    rows: Vec<Arc<dyn Row>>,
}

fn times(middle: f64, wobble: f64) -> Quantity {
    // Eleven rounds whose wobble doesn't cancel between rows.
    let values: Vec<Option<f64>> =
        (0..11).map(|round| Some((middle + wobble * libm::sin(middle * 1e5 + f64::from(round) * 2.0)) * 1e-3)).collect();
    Quantity::measured(Rounds::new("evidence/tiles/a.jsonl".into(), values.into(), 0.0), Unit::scaled("ms").unwrap())
}

fn tiles() -> Tiles {
    let row = |label: &'static str, threads: i128, ms: Result<Quantity, Absent>| {
        let gigabytes = ms.clone().map(|ms| Quantity::bytes(1_000_000_000).divide(&ms).unwrap()).map(Value::Quantity);
        Arc::new(Fixed {
            columns: vec![
                ("label", Ok(Value::Text(label.into()))),
                ("threads", Ok(Value::Quantity(Quantity::counted(threads, "threads")))),
                ("ms", ms.map(Value::Quantity)),
                ("GB/s", gigabytes),
            ],
        }) as Arc<dyn Row>
    };
    let rows = vec![
        row("64", 64, Ok(times(0.8, 0.001))),
        row("128", 128, Ok(times(0.4, 0.001))),
        row("256", 256, Ok(times(0.2501, 0.001))),
        row("512", 512, Ok(times(0.2502, 0.001))),
        row("1024", 1024, Err(Absent::unmeasured("row 1024 of tiles has no time"))),
    ];
    Tiles { rows }
}

impl Scope for Tiles {
    fn name(&self, name: &str) -> Option<Result<Value, Absent>> {
        match name {
            "pixels" => Some(Ok(Value::Quantity(Quantity::counted(1 << 27, "pixels")))),
            "tiles" => Some(Ok(Value::Rows(RowSet::of(self.rows.clone())))),
            "other" => Some(Err(Absent::unmeasured("other was not measured on test-card"))),
            "device" => Some(Ok(Value::Row(Arc::new(Fixed {
                columns: vec![
                    ("sms", Ok(Value::Quantity(Quantity::counted(132, "SMs")))),
                    ("warp_size", Ok(Value::Quantity(Quantity::count(32)))),
                ],
            })))),
            _ => None,
        }
    }

    fn names(&self) -> Vec<String> {
        ["pixels", "tiles", "other", "device"].map(str::to_owned).to_vec()
    }

    fn rows(&self) -> Result<RowSet, Absent> {
        Ok(RowSet::of(self.rows.clone()))
    }
}

/// The figure's text, or `! id column: message; hint`.
fn worth(text: &str) -> String {
    let shown = parse(text).and_then(|expr| figure(&expr, &tiles()));
    match shown {
        Ok(figured) => figured.text.replace('\u{a0}', " "),
        Err(problem) => {
            let at = problem.at.map_or(0, |at| at.start);
            format!("! {} {at}: {}{}", problem.id, problem.message, problem.hint.map(|hint| format!("; {hint}")).unwrap_or_default())
        }
    }
}

#[test]
fn the_canonical_spelling_keeps_what_the_author_meant() {
    let cases = [
        ("1+2*3", "1 + 2 * 3"),
        ("(1+2)*3", "(1 + 2) * 3"),
        ("-x**2", "-x ** 2"),
        ("a-(b-c)", "a - (b - c)"),
        ("2**3**4", "2 ** 3 ** 4"),
        ("5% * 3 % 2", "5% * 3 % 2"),
        ("48 KiB", "48 KiB"),
        ("4.10 TB/s", "4.1 TB/s"),
        ("16 B*pixels", "16 B * pixels"),
        ("5 B / s", "5 B / s"),
        ("row(\"256\")['GB/s']", "row('256')['GB/s']"),
        ("count(rows where of_best>=0.95 and not a)", "count(rows where of_best >= 0.95 and not a)"),
        ("x|fixed(3)", "x | fixed(3)"),
        ("block_size.row(threads=256).ms", "block_size.row(threads = 256).ms"),
        ("1e6", "1000000"),
        ("16_384", "16384"),
    ];
    for (text, expected) in cases {
        let expr = parse(text).unwrap_or_else(|problem| panic!("{text}: {}", problem.message));
        assert_eq!(expr.canonical(), expected, "{text}");
        assert_eq!(parse(expected).unwrap().root, expr.root, "{text}");
    }
}

#[test]
fn what_does_not_parse_points_at_its_column() {
    let cases = [
        ("", "! expr-syntax 0: the expression is empty"),
        ("1 +", "! expr-syntax 3: the expression ends where a value is needed"),
        ("row('a'", "! expr-syntax 3: the expression ends where `)` is needed"),
        ("'abc", "! expr-syntax 0: this text has no closing quote"),
        ("a < b < c", "! expr-syntax 6: comparisons don't chain; write `a < b and b < c`"),
        ("a = 3", "! expr-syntax 2: `=` stands where an operator or the end is needed; equality is `==`"),
        (
            "10%3",
            "! expr-syntax 3: a number stands where an operator or the end is needed; the remainder is written with spaces: `a % b`; without, `5%` is a number",
        ),
        ("5 KIB", "! expr-unit 2: there is no unit `KIB`; did you mean `KiB`?"),
        ("16 pixls", "! expr-unit 3: there is no unit `pixls`; did you mean `pixels`?"),
        (
            "x \\| fixed(3)",
            "! expr-syntax 2: `\\` has no meaning here; in a table's cell a pipe is written `\\|`, or the formatter as a call: `fixed(x, 3)`",
        ),
        ("x.3", "! expr-syntax 2: a number stands where a column's name is needed; columns with odd names are written `[\"GB/s\"]`"),
        ("a ≤ b", "! expr-syntax 2: `≤` has no meaning here; write `<=`"),
        ("9999999999999999999999999999999999999999", "! expr-syntax 0: this number has more digits than are held exactly (about 36)"),
    ];
    for (text, expected) in cases {
        assert_eq!(worth(text), expected, "{text}");
    }
    let deep = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(200), close.repeat(200));
    for text in [
        deep("(", "1", ")"),
        deep("-", "1", ""),
        deep("abs(", "1", ")"),
        deep("1 + ", "1", ""),
        deep("2 ** ", "1", ""),
        deep("", "a", ".b"),
    ] {
        assert!(worth(&text).contains("nested more than 64 deep"), "{}", worth(&text));
    }
    assert!(worth(&"1 ".repeat(4000)).contains("longer than 4096 bytes"));
}

#[test]
fn expressions_are_worth_what_they_say() {
    let cases = [
        ("1 + 2 * 3", "7"),
        ("2 ** 3 ** 2", "512"),
        ("-2 ** 2", "-4"),
        ("7 // 2 + 7 % 4", "6"),
        ("48 KiB + 1 KiB", "49 KiB"),
        ("16 B * pixels", "2 GiB"),
        ("2 GB / 1 ms", "2 TB/s"),
        ("1.5 ms | unit('µs')", "1500 µs"),
        ("5% | fixed(1)", "5.0 %"),
        ("2/3 | percent(1)", "66.7 %"),
        ("row('64').ms / row('128').ms | times(1)", "2.0×"),
        ("fixed(2/3, 3)", "0.667"),
        ("ceil_div(100, device.warp_size)", "4"),
        ("ceil_div(-3, 2)", "-1"),
        ("max(1, min(132 * 8, ceil_div(pixels, 256)))", "1056"),
        ("min(1 ms, 200 µs)", "0.2 ms"),
        ("row('128').threads", "128 threads"),
        ("row(threads = 2 * 64).label", "128"),
        ("tiles.row('64').threads", "64 threads"),
        ("row('64').ms", "0.7999 ms"),
        ("row('64')['GB/s'] | unit('GB/s') | digits(3)", "1250 GB/s"),
        ("count(rows)", "5"),
        ("count(rows where threads <= 256)", "3"),
        ("tiles.rows where threads > 128 and threads < 1024", "256 and 512"),
        ("rows where threads == 7", "none"),
        // 1024 was not measured, and 512 may be the slower one: neither is sure. A row is never slower than itself.
        ("count(rows where ms < 0.3 ms)", "2 to 3"),
        ("count(rows where ms <= row('256').ms)", "1 to 3"),
        ("worst(\"ms\").label", "64"),
        ("best('GB/s').label", "256 or 512"),
        ("best('ms').threads", "256 to 512 threads"),
        ("fastest()", "256 or 512"),
        ("(rows where threads < 200).best('ms').label", "128"),
        ("best('threads', lowest = true).threads", "64 threads"),
        ("ties('ms')", "256 and 512"),
        ("max(rows, 'threads')", "1024 threads"),
        ("sum(rows where threads < 200, 'threads')", "192 threads"),
        ("row('64').ms > row('128').ms", "yes"),
        ("row('512').ms > row('256').ms", "undecided"),
        ("within(row('512').ms, row('256').ms, 2%)", "yes"),
        ("within(1.03, 1, 2%) or 1 == 2", "no"),
        ("best('ms').label == '256'", "undecided"),
        ("best('ms').label == '64'", "no"),
        ("best('ms').threads >= 256", "yes"),
        ("'tile<' + row('64').threads + '>'", "tile<64>"),
        ("sqrt(16 B * 16 B)", "16 B"),
        ("log2(1024)", "10"),
        ("round(2.5) + floor(-0.5) + ceil(0.2)", "3"),
        ("2/3 == 4/6 and not 0.1 + 0.2 != 0.3", "yes"),
    ];
    for (text, expected) in cases {
        assert_eq!(worth(text), expected, "{text}");
    }
}

#[test]
fn what_has_no_value_says_why_at_its_column() {
    let cases = [
        ("1 + pixel", "! expr-name 4: there is no name `pixel`; did you mean `pixels`?"),
        ("row('64').mss", "! expr-name 0: there is no column of row 64 of tiles `mss`; did you mean `ms`?"),
        ("row('65')", "! expr-name 4: there is no row `65`; did you mean `64`?"),
        ("1 ms + 1 B", "! expr-unit 0: a time (ms) can't be added to a size (B)"),
        ("row('64').ms < 3", "! expr-unit 0: a time (ms) can't be compared with a plain number"),
        (
            "row('64').ms == row('128').ms",
            "! expr-value 0: measured values are never exactly equal; `within(a, b, 2%)` asks whether they are about the same",
        ),
        ("row('1024').ms", "! figure-not-measured 0: row 1024 of tiles has no time"),
        ("other.row('a').ms", "! figure-not-measured 0: other was not measured on test-card"),
        ("tiles.ms", "! expr-type 0: `ms` is a column of a row, and these are many rows; choose one: `.row('…').ms` or `.best(\"…\").ms`"),
        ("1 / 0", "! expr-value 0: division by zero"),
        ("sqr(2)", "! expr-name 0: there is no function `sqr`; did you mean `sqrt`?"),
        ("sqrt(1, 2)", "! expr-call 0: `sqrt` is not given what it needs; write sqrt(x)"),
        ("best(ms)", "! expr-name 5: there is no name `ms`; known here: `pixels`, `tiles`, `other`, `device`"),
        ("best('mss')", "! expr-name 5: row 64 of tiles has no column `mss`; did you mean `ms`?"),
        ("1 | tims", "! expr-name 4: there is no formatter `tims`; did you mean `times`?"),
        ("row('64').bset('ms')", "! expr-name 10: there is no function `bset`; did you mean `best`?"),
        ("5 percent", "! expr-unit 2: there is no unit `percent`; write `5%`"),
        (
            "(1 | fixed(2)) + 1",
            "! expr-call 0: `fixed` chooses the digits that are printed, so it must come last; put it at the end of the expression",
        ),
        (
            "row('64') < row('128')",
            "! expr-type 0: a row (row 64 of tiles) can't be compared with a row (row 128 of tiles); compare a column of the row: `.ms < …`",
        ),
        ("row(threads = 7)", "! expr-value 0: no row has these values"),
        ("1 and true", "! expr-type 0: a condition is needed here, and this is a plain number; compare it with something: `… >= 1.2`"),
        ("1 ms | unit('GB/s')", "! expr-unit 0: a time (ms) can't be shown in a rate (GB/s)"),
        ("1 ms | unit('mss')", "! expr-unit 12: there is no unit `mss`; did you mean `ms`?"),
        ("within(1, 2, 3)", "! expr-call 13: the share is an exact number between 0 and 1, such as `2%`"),
    ];
    for (text, expected) in cases {
        assert_eq!(worth(text), expected, "{text}");
    }
}

#[test]
fn names_are_known_without_a_value() {
    let names = parse("max(pixels, 3) / occupancy_x.row('a').ms + best('GB/s')['of best'] + count(rows where items == width) + device.sms")
        .unwrap()
        .names();
    let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(names.bare, set(&["device", "pixels"]));
    assert_eq!(names.columns, set(&["GB/s", "items", "ms", "of best", "width"]));
    assert_eq!(names.sweeps, set(&["occupancy_x"]));
    assert_eq!(names.device, set(&["sms"]));
    assert!(names.rows && !parse("occupancy.rows").unwrap().names().rows);
    let names = parse("copy_x.run('2026-01-02-card').row('a').ms / copy_x.run().tick").unwrap().names();
    assert_eq!((names.sweeps, names.runs), (set(&["copy_x"]), set(&["2026-01-02-card"])));
    assert_eq!((names.columns, names.rows), (set(&["ms", "tick"]), false));
    assert!(parse("run('2026-01-02-card').tick").unwrap().names().rows && parse("run().tick").unwrap().names().rows);
}

#[test]
fn a_decision_keeps_its_comparisons_and_shares_the_level_of_alternatives() {
    let scope = tiles();
    let decision =
        decide(&parse("row('64').ms > row('128').ms or row('512').ms > row('256').ms").unwrap(), &scope, Levels::both(0.01)).unwrap();
    assert_eq!(decision.truth, Some(true));
    let comparisons: Vec<&Comparison> = decision
        .findings
        .iter()
        .map(|finding| if let Finding::Comparison(comparison) = finding { &**comparison } else { panic!("{finding:?}") })
        .collect();
    let levels = |test: &Test| (test.yes.level, test.no.level);
    let found: Vec<(f64, f64)> = comparisons.iter().map(|comparison| levels(comparison.test.as_ref().unwrap())).collect();
    assert_eq!(found, [(0.995, 0.99), (0.995, 0.99)]);
    let test = comparisons[0].test.as_ref().unwrap();
    assert!(test.kind == TestKind::Ratio && test.yes.low < 2.0 && 2.0 < test.yes.high && test.yes.low > 1.98, "{test:?}");
    assert_eq!(comparisons[1].left_text, "row('512').ms");
}

fn node(kind: Kind) -> Node {
    Node { kind, start: 0, end: 0 }
}

fn trees() -> impl Strategy<Value = Node> {
    let name = prop::sample::select(vec!["a", "ms", "pixels", "rows", "device"]);
    let literal = (0_i128..100_000, 0_u32..4, prop::sample::select(vec!["", "ms", "KiB", "%", "GB/s", "threads"]))
        .prop_map(|(digits, places, unit)| Kind::Number(Rational::new(digits, 10_i128.pow(places)), Unit::parse(unit).unwrap()));
    let leaf = prop_oneof![
        literal,
        "[ a-zA-Z/%]{0,6}".prop_map(Kind::Text),
        any::<bool>().prop_map(Kind::Truth),
        name.clone().prop_map(|name| Kind::Name(name.to_owned())),
    ]
    .prop_map(node);
    leaf.prop_recursive(5, 40, 3, move |inner| {
        let argument = (prop::option::of(Just("lowest".to_owned())), inner.clone()).prop_map(|(name, value)| Argument { name, value });
        let function = prop::sample::select(vec!["row", "best", "count", "fixed", "min", "all", "from"]);
        let call =
            (function, inner.clone(), prop::collection::vec(argument, 0..3), 0_usize..3).prop_map(|(name, first, mut arguments, form)| {
                let form = [Form::Plain, Form::Method, Form::Piped][form];
                if form != Form::Plain {
                    arguments.insert(0, Argument { name: None, value: first });
                }
                Kind::Call(Call { name: name.to_owned(), form, arguments })
            });
        let operator = prop::sample::select(Operator::ALL.to_vec());
        prop_oneof![
            (operator, inner.clone(), inner.clone()).prop_map(|(operator, a, b)| Kind::Binary(operator, Box::new(a), Box::new(b))),
            (inner.clone(), "[ a-z/]{1,5}").prop_map(|(on, name)| Kind::Member(Box::new(on), name)),
            inner.clone().prop_map(|part| Kind::Negate(Box::new(part))),
            inner.clone().prop_map(|part| Kind::Not(Box::new(part))),
            (inner.clone(), inner).prop_map(|(rows, predicate)| Kind::Where(Box::new(rows), Box::new(predicate))),
            call,
        ]
        .prop_map(node)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_printed_parses_to_the_same(tree in trees()) {
        let text = tree.to_string();
        prop_assert_eq!(super::parse::whole(&text).map_err(|fault| format!("{text}: {}", fault.message)), Ok(tree));
    }

    #[test]
    fn no_text_panics(text in ".{0,60}") {
        worth(&text);
    }

    #[test]
    fn no_words_of_the_language_panic(words in prop::collection::vec(prop::sample::select(vec![
        "1", "0", "5%", "48 KiB", "1e9", "2 ms", "'64'", "\"ms\"", "row", "rows", "best", "count", "where", "and", "or", "not", "(", ")", "[", "]", ",", ".",
        "+", "-", "*", "/", "//", "%", "**", "<", ">=", "==", "=", "|", "fixed", "percent", "tiles", "ms", "threads", "device", "within", "lowest", "true", "this", "sqrt", "ln", "in", "all", "any", "none", "from", "near_best", "alike", "no_gain", "pair", "same", "apart", "first", "last",
    ]), 0..14)) {
        worth(&words.join(" "));
        worth(&words.concat());
    }
}
