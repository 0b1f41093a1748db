//! What conditions over rows, choices and places are worth, one small sweep a form.

use super::*;
use crate::base::quantity::Amount;

/// Rows of plain columns, and a value of another run.
pub(super) struct Made {
    rows: Vec<Arc<dyn Row>>,
    elsewhere: Quantity,
}

impl Made {
    /// Rows `r1`, `r2`, … of these times in milliseconds, round by round, and those of another run.
    pub(super) fn of(times: &[Vec<f64>], elsewhere: Vec<f64>) -> Self {
        const LABELS: [&str; 5] = ["r1", "r2", "r3", "r4", "r5"];
        let rounds = |run: &str, times: &[f64]| {
            let values: Vec<Option<f64>> = times.iter().map(|time| Some(time * 1e-3)).collect();
            Quantity::measured(Rounds::new(run.into(), values.into(), 0.0), Unit::scaled("ms").unwrap())
        };
        let row = |(index, times): (usize, &Vec<f64>)| {
            Arc::new(Fixed {
                columns: vec![
                    ("label", Ok(Value::Text(LABELS[index].into()))),
                    ("n", Ok(Value::Quantity(Quantity::count(index as i128 + 1)))),
                    ("ms", Ok(Value::Quantity(rounds("evidence/tiles/a.jsonl", times)))),
                ],
            }) as Arc<dyn Row>
        };
        Self { rows: times.iter().enumerate().map(row).collect(), elsewhere: rounds("evidence/other/b.jsonl", &elsewhere) }
    }
}

/// A time of eleven rounds around `middle` milliseconds, of the run `run`; the wobble differs between seeds.
fn time(run: &str, middle: f64, wobble: f64, seed: f64) -> Quantity {
    let values: Vec<Option<f64>> =
        (0..11).map(|round| Some(middle * 1e-3 * (1.0 + wobble * libm::sin(seed * 17.0 + f64::from(round) * 2.3)))).collect();
    Quantity::measured(Rounds::new(run.into(), values.into(), 0.0), Unit::scaled("ms").unwrap())
}

fn made(times: &[(&'static str, i128, &'static str, f64)]) -> Made {
    let row = |(index, &(label, n, kind, middle)): (usize, &(&'static str, i128, &'static str, f64))| {
        let ms = if middle.is_nan() {
            Err(Absent::unmeasured(format!("row {label} of tiles was lost")))
        } else {
            Ok(Value::Quantity(time("evidence/tiles/a.jsonl", middle, 0.002, index as f64)))
        };
        Arc::new(Fixed {
            columns: vec![
                ("label", Ok(Value::Text(label.into()))),
                ("n", Ok(Value::Quantity(Quantity::count(n)))),
                ("kind", Ok(Value::Text(kind.into()))),
                ("ms", ms),
            ],
        }) as Arc<dyn Row>
    };
    Made { rows: times.iter().enumerate().map(row).collect(), elsewhere: time("evidence/other/b.jsonl", 0.2, 0.003, 40.0) }
}

impl Scope for Made {
    fn name(&self, name: &str) -> Option<Result<Value, Absent>> {
        match name {
            "tiles" => Some(Ok(Value::Rows(RowSet::of(self.rows.clone())))),
            "elsewhere" => Some(Ok(Value::Quantity(self.elsewhere.clone()))),
            "shifted" => Some(Ok(Value::Quantity(self.elsewhere.multiply(&Quantity::count(2)).unwrap()))),
            _ => None,
        }
    }

    fn names(&self) -> Vec<String> {
        vec!["tiles".to_owned(), "elsewhere".to_owned()]
    }

    fn rows(&self) -> Result<RowSet, Absent> {
        Ok(RowSet::of(self.rows.clone()))
    }
}

/// `yes`, `no`, `open`, or the problem.
fn decided(scope: &Made, text: &str) -> String {
    match parse(text).and_then(|expr| decide(&expr, scope, Levels::both(0.01))) {
        Ok(Decision { truth: Some(true), .. }) => "yes".to_owned(),
        Ok(Decision { truth: Some(false), .. }) => "no".to_owned(),
        Ok(Decision { truth: None, .. }) => "open".to_owned(),
        Err(problem) => format!("! {} {}", problem.id, problem.message),
    }
}

fn check(scope: &Made, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(decided(scope, text), *expected, "{text}");
    }
}

/// Four rows clearly apart, and two that can't be told from each other at the top.
fn ladder() -> Made {
    made(&[("a", 1, "x", 0.8), ("b", 2, "x", 0.4), ("c", 3, "y", 0.2), ("d", 4, "y", 0.20005), ("e", 5, "y", 0.206)])
}

#[test]
fn quantifiers_hold_for_all_for_any_and_for_none() {
    check(
        &ladder(),
        &[
            ("all(rows, ms < 1 ms)", "yes"),
            ("all(ms < 1 ms)", "yes"),
            ("tiles.all(ms < 1 ms)", "yes"),
            ("all(rows where kind == 'y', ms < 0.21 ms)", "yes"),
            ("all(rows, ms < 0.5 ms)", "no"),
            ("all(rows where kind == 'y', ms <= row('c').ms)", "no"),
            ("all(rows where n == 3 or n == 4, ms <= row('c').ms)", "open"),
            ("any(rows, ms > 0.7 ms)", "yes"),
            ("any(rows, ms > 0.9 ms)", "no"),
            ("any(rows where n == 4, ms < row('c').ms)", "open"),
            ("none(rows, ms > 0.9 ms)", "yes"),
            ("none(rows, ms > 0.7 ms)", "no"),
            ("not none(rows, ms > 0.7 ms)", "yes"),
            ("any(rows where n > 9, ms > 0 ms)", "no"),
            ("all(rows where n > 9, ms < 1 ms)", "! expr-value there are no rows, so that nothing is said of any"),
            ("all(rows where ms < 0.20003 ms, n >= 3)", "yes"),
            ("all(rows where ms < 0.20003 ms, n == 3)", "open"),
            ("all(rows, any(rows, ms < 0.3 ms))", "yes"),
            ("all(rows)", "! expr-type a condition is needed here, and this is a list of rows"),
            ("all(1, ms < 1 ms)", "! expr-type rows are needed here, and this is a plain number"),
        ],
    );
    let lost = made(&[("a", 1, "x", 0.8), ("b", 2, "x", f64::NAN)]);
    check(
        &lost,
        &[
            ("all(rows, ms < 1 ms)", "! figure-not-measured row b of tiles was lost"),
            ("all(rows, ms < 0.5 ms)", "no"),
            ("any(rows, ms > 0.5 ms)", "yes"),
            ("any(rows, ms > 0.9 ms)", "! figure-not-measured row b of tiles was lost"),
            ("none(rows, ms > 0.5 ms)", "no"),
        ],
    );
}

#[test]
fn the_fastest_is_a_row_only_where_it_beats_all_others() {
    check(
        &ladder(),
        &[
            ("fastest() == row('c')", "open"),
            ("fastest() == row('a')", "no"),
            ("fastest() != row('a')", "yes"),
            ("row('b') == fastest()", "no"),
            ("fastest() in (rows where n == 3 or n == 4)", "yes"),
            ("fastest() in (rows where n >= 4)", "open"),
            ("fastest() in (rows where n <= 2)", "no"),
            ("fastest() in (rows where n > 9)", "no"),
            ("worst('ms') == row('a')", "yes"),
            ("(rows where kind == 'x').fastest() == row('b')", "yes"),
            ("best('ms', lowest = false) == row('a')", "yes"),
            ("row('a') == row('a')", "yes"),
            ("row('a') == row('b')", "no"),
            ("row('c') in ties('ms')", "yes"),
            ("row('b') in ties('ms')", "no"),
            ("row('b') in (rows where ms < 0.41 ms)", "yes"),
            ("fastest() == best('ms')", "! expr-type the data choose both rows, so that neither is given"),
            ("fastest() in row('a')", "! expr-type rows are needed here, and this is a row (row a of tiles)"),
            ("1 in rows", "! expr-type a row is needed here, and this is a plain number"),
            ("fastest() in rows where n == 3", "! expr-type `where` chooses among rows, and this is a yes or no"),
        ],
    );
    let lost = made(&[("a", 1, "x", 0.8), ("b", 2, "x", f64::NAN)]);
    check(&lost, &[("fastest() == row('a')", "yes"), ("fastest() == row('b')", "! figure-not-measured row b of tiles was lost")]);
}

#[test]
fn rows_near_the_best_are_counted_and_asked_for() {
    check(
        &ladder(),
        &[
            ("count(near_best('ms', 5%)) == 3", "yes"),
            ("count(near_best('ms', 5%)) >= 4", "no"),
            ("count(near_best('ms', 1%)) == 2", "yes"),
            // 3 % is where the last one lies.
            ("count(near_best('ms', 3%)) == 3", "open"),
            ("count(near_best('ms', 3%)) >= 2", "yes"),
            ("count(near_best('ms', 3%)) <= 3", "yes"),
            ("row('e') in near_best('ms', 5%)", "yes"),
            ("row('e') in near_best('ms', 3%)", "open"),
            ("row('b') in near_best('ms', 5%)", "no"),
            ("(rows where kind == 'x').row('b') in tiles.near_best('ms', 5%)", "no"),
            ("count((rows where kind == 'x').near_best('ms', 5%)) == 1", "yes"),
            ("count(near_best('ms', 5%, lowest = false)) == 1", "yes"),
            ("count(near_best('ms')) == 1", "! expr-call `near_best` is not given what it needs"),
            ("count(near_best('ms', 5)) == 1", "! expr-call the share is an exact number between 0 and 1, such as `2%`"),
            ("count(near_best('mss', 5%)) == 1", "! expr-name row a of tiles has no column `mss`"),
        ],
    );
    let lost = made(&[("a", 1, "x", 0.8), ("b", 2, "x", 0.4), ("c", 3, "x", f64::NAN)]);
    check(
        &lost,
        &[
            ("count(near_best('ms', 5%)) == 1", "open"),
            ("count(near_best('ms', 5%)) <= 2", "yes"),
            ("row('c') in near_best('ms', 5%)", "! figure-not-measured row c of tiles was lost"),
            ("(rows where ms < 0.5 ms).best('ms') == row('b')", "yes"),
        ],
    );
    // Whether c or d is under the bound is open, so that there is no telling among which rows the best is sought.
    let unsure = "! expr-value the rounds can't tell which rows are meant";
    check(
        &ladder(),
        &[
            ("(rows where ms < 0.20003 ms).best('ms') == row('c')", unsure),
            ("(rows where ms < 0.20003 ms).fastest() == row('c')", unsure),
            ("count((rows where ms < 0.20003 ms).near_best('ms', 5%)) == 1", unsure),
        ],
    );
}

#[test]
fn values_are_alike_and_gains_are_none() {
    check(
        &ladder(),
        &[
            ("alike(rows where n >= 3, 'ms', 4%)", "yes"),
            ("alike(rows where n >= 3, 'ms', 2%)", "no"),
            ("alike(rows where n >= 3, 'ms', 3%)", "open"),
            ("alike(rows where n == 3, 'ms', 3%)", "! expr-value fewer than two rows are left, and one is always like itself"),
            ("no_gain(row('d').ms, row('c').ms, 1%)", "yes"),
            ("no_gain(row('b').ms, row('a').ms, 1%)", "no"),
            // It is worse, which is no gain either.
            ("no_gain(row('a').ms, row('b').ms, 1%)", "yes"),
            ("no_gain(1 GB / row('b').ms, 1 GB / row('a').ms, 1%)", "no"),
            ("no_gain(1 GB / row('a').ms, 1 GB / row('b').ms, 1%)", "yes"),
            ("no_gain(103, 100, 2%)", "no"),
            ("no_gain(102, 100, 2%)", "yes"),
            ("within(98, 100, 2%) and not within(97, 100, 2%)", "yes"),
        ],
    );
}

#[test]
fn a_crossover_is_the_place_from_which_on_something_holds() {
    // Two kernels over five sizes: y is faster from 4 on, and at 8 nothing can be told in the second set.
    let sizes = |y: [f64; 5]| {
        let mut rows = Vec::new();
        for (index, label) in ["x1", "x2", "x4", "x8", "x16"].into_iter().enumerate() {
            rows.push((label, 1 << index, "x", 0.1 * f64::from(1 << index)));
        }
        for (index, label) in ["y1", "y2", "y4", "y8", "y16"].into_iter().enumerate() {
            rows.push((label, 1 << index, "y", y[index]));
        }
        made(&rows)
    };
    let faster = "from(rows where kind == 'y', 'n', ms < row(kind = 'x', n = n).ms)";
    let at = |scope: &Made, rest: &str| decided(scope, &format!("{faster}{rest}"));
    let clear = sizes([0.3, 0.3, 0.35, 0.5, 0.9]);
    assert_eq!([" == 4", " == 2", " >= 4", " > 4", " != 4"].map(|rest| at(&clear, rest)), ["yes", "no", "yes", "no", "no"]);
    // At 4 both are as fast: from 4 on, or from 8 on.
    let open = sizes([0.3, 0.3, 0.40001, 0.5, 0.9]);
    assert_eq!([" == 4", " == 8", " >= 4", " <= 8", " == 2"].map(|rest| at(&open, rest)), ["open", "open", "yes", "yes", "no"]);
    // Faster at 2, slower at 4: there is no such place.
    let twice = sizes([0.3, 0.1, 0.5, 0.5, 0.9]);
    assert_eq!([" == 2", " == 8", " >= 1"].map(|rest| at(&twice, rest)), ["no", "no", "no"]);
    let never = sizes([0.3, 0.3, 0.5, 0.9, 1.9]);
    assert_eq!([" == 16", " >= 1"].map(|rest| at(&never, rest)), ["no", "no"]);
    let perhaps = sizes([0.3, 0.3, 0.5, 0.9, 1.60001]);
    assert_eq!([" == 16", " <= 8"].map(|rest| at(&perhaps, rest)), ["open", "no"]);
    // At 4 and at 8 it is open, so that it may hold at 4 and not at 8.
    let ragged = sizes([0.3, 0.3, 0.40001, 0.80001, 0.9]);
    assert_eq!([" == 4", " >= 4", " >= 2", " <= 2"].map(|rest| at(&ragged, rest)), ["open", "open", "open", "no"]);
    let behind = sizes([0.3, 0.1, 0.2, 0.5, 1.60001]);
    assert_eq!([" == 2", " == 4"].map(|rest| at(&behind, rest)), ["open", "no"]);
    let always = sizes([0.05, 0.1, 0.2, 0.5, 0.9]);
    assert_eq!(at(&always, " == 1"), "yes");
    let shown = |scope: &Made| match parse(faster).and_then(|expr| figure(&expr, scope)) {
        Ok(figured) => figured.text,
        Err(problem) => format!("! {}", problem.message),
    };
    assert_eq!([&clear, &open, &twice, &perhaps].map(shown), ["4", "4 to 8", "nowhere", "16, if anywhere"],);
    let problem = decided(&clear, "from(rows, 'n', ms < 1 ms) == 4");
    assert_eq!(problem, "! expr-value the rows x1 and y1 have the same `n`, 1");
    let problem = decided(&clear, "from(rows, 'ms', n < 2) == 4");
    assert_eq!(problem, "! expr-value `ms` was measured in row x1 of tiles; rows are put in order by an exact column");
}

#[test]
fn a_pair_is_found_by_what_it_shares_and_what_sets_it_apart() {
    let scope = made(&[("a", 1, "x", 0.8), ("b", 2, "x", 0.4), ("c", 9, "y", 0.2), ("d", 4, "y", 0.25), ("e", 5, "z", 0.2)]);
    let worth = |text: &str| match parse(text).and_then(|expr| figure(&expr, &scope)) {
        Ok(figured) => figured.text,
        Err(problem) => format!("! {}", problem.message),
    };
    let cases = [
        ("pair(same = 'kind', apart = 'n')", "d and c"),
        ("pair(rows where kind == 'x', same = 'kind', apart = 'n')", "a and b"),
        ("last(pair(same = 'kind', apart = 'n')).n", "9"),
        ("first(pair(same = 'kind', apart = 'n')).ms / last(pair(same = 'kind', apart = 'n')).ms | fixed(2)", "1.25"),
        ("first(rows where n > 3).label", "c"),
        ("pair(same = 'n', apart = 'kind')", "! `kind` is no exact number in row a of tiles"),
        ("pair(same = 'kind', apart = 'ms')", "! `ms` is no exact number in row a of tiles"),
        ("pair(same = 'n', apart = 'n')", "! no two rows have the same `n` and another `n`"),
        ("pair('kind', 'n')", "! `pair` is not given what it needs"),
        ("first(rows where n > 99)", "! there are no rows"),
    ];
    for (text, expected) in cases {
        assert_eq!(worth(text), expected, "{text}");
    }
}

#[test]
fn values_of_two_runs_are_compared_without_pairs() {
    let scope = ladder();
    check(
        &scope,
        &[
            ("row('a').ms > elsewhere", "yes"),
            ("row('a').ms / elsewhere >= 3.9", "yes"),
            ("row('a').ms / elsewhere >= 4.1", "no"),
            ("row('a').ms >= 3.9 * elsewhere", "yes"),
            ("row('c').ms < elsewhere", "open"),
            ("within(row('c').ms, elsewhere, 2%)", "yes"),
            ("row('a').ms - elsewhere > 0.59 ms", "yes"),
            ("row('a').ms + elsewhere < 0.9 ms", "no"),
            // What both runs share cancels: a value beside itself is sure.
            ("shifted / elsewhere >= 1.999", "yes"),
            ("(row('a').ms + elsewhere) - elsewhere > 0.799 ms", "open"),
            ("max(row('a').ms, elsewhere) > 0.79 ms", "yes"),
            (
                "row('a').ms == elsewhere",
                "! expr-value measured values are never exactly equal; `within(a, b, 2%)` asks whether they are about the same",
            ),
        ],
    );
    let expr = parse("row('a').ms / elsewhere | times").unwrap();
    let Ok(Figured { value: Value::Quantity(quantity), text, .. }) = figure(&expr, &scope) else { panic!("a figure") };
    assert!(matches!(&quantity.amount, Amount::Across(across) if across.parts.len() == 2), "{quantity:?}");
    assert_eq!(text, "4.001×");
    let decision = decide(&parse("row('a').ms > elsewhere").unwrap(), &scope, Levels::both(0.01)).unwrap();
    let Finding::Comparison(comparison) = &decision.findings[0] else { panic!("a comparison") };
    assert_eq!(comparison.test.as_ref().map(|test| test.rounds.clone()), Some(vec![11, 11]));
}

#[test]
fn equal_readings_of_two_runs_are_not_infinitely_sure() {
    let cycles = |run: &str, value: f64| {
        let rounds = Rounds::new(run.into(), vec![Some(value); 11].into(), 1.0);
        Quantity::measured(rounds, Unit::scaled("cycles").unwrap())
    };
    let (left, right) = (cycles("a", 1000.0), cycles("b", 1001.0));
    let decided = |relation: Relation, right: &Quantity| decide_quantities(relation, &left, right, Levels::both(0.01)).unwrap();
    // A step of one cycle: 1/√12 in each of eleven rounds of two runs is 0.12 cycles, and t is 2.5.
    assert_eq!(decided(Relation::Less, &right).0, Some(true));
    assert_eq!(decided(Relation::Less, &cycles("b", 1000.2)).0, None);
    let test = decided(Relation::Less, &right).1.unwrap();
    assert!((test.yes.high - test.yes.low) * 500.0 > 0.3 && (test.yes.high - test.yes.low) * 500.0 < 0.33, "{test:?}");
}

#[test]
fn conditions_over_rows_are_not_nested_without_end() {
    let nested = |depth: usize| format!("{}ms < 1 ms{}", "all(rows, ".repeat(depth), ")".repeat(depth));
    assert_eq!(decided(&ladder(), &nested(3)), "yes");
    assert_eq!(decided(&ladder(), &nested(4)), "! expr-syntax conditions over rows are nested more than 3 deep");
}

#[test]
fn a_factor_of_one_side_is_what_was_asked_for() {
    let scope = ladder();
    let comparison = |text: &str| {
        let decision = decide(&parse(text).unwrap(), &scope, Levels::both(0.01)).unwrap();
        let Finding::Comparison(comparison) = decision.findings[0].clone() else { panic!("a comparison") };
        *comparison
    };
    for text in ["row('a').ms >= 1.3 * row('b').ms", "row('a').ms >= row('b').ms * 130%", "2 * row('a').ms >= 2.6 * row('b').ms"] {
        let found = comparison(text);
        assert_eq!((found.left_text.as_str(), found.right_text.as_str()), ("row('a').ms", "row('b').ms"), "{text}");
        assert_eq!(found.times, Rational::new(13, 10), "{text}");
        let test = found.test.unwrap();
        assert!(test.yes.low < 2.0 && 2.0 < test.yes.high && test.yes.low > 1.99, "{text}: {test:?}");
    }
    assert_eq!(comparison("row('a').ms >= 1.3 * row('a').ms - row('b').ms").times, Rational::from_integer(1));
}
