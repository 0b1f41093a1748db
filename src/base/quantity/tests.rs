//! Units, arithmetic and figures.

use proptest::prelude::*;

use super::*;

fn exact(text: &str) -> Quantity {
    Quantity::parse_exact(text).unwrap_or_else(|why| panic!("{text}: {why}"))
}

fn rounds(run: &str, values: &[Option<f64>], quantum: f64) -> Rounds {
    Rounds::new(run.into(), values.into(), quantum)
}

/// Eleven rounds around `middle`, `step` apart, in `symbol`.
fn around(middle: f64, step: f64, symbol: &str) -> Quantity {
    let unit = Unit::parse(symbol).unwrap();
    let scale = rational_to_f64(unit.scale);
    let values: Vec<Option<f64>> = (-5..=5).map(|round| Some((middle + f64::from(round) * step) * scale)).collect();
    Quantity::measured(rounds("run", &values, 0.0), unit)
}

#[test]
fn units_parse_to_dimension_and_scale() {
    let cases = [
        ("ms", "ms", Dimension::TIME, (1, 1000)),
        ("us", "µs", Dimension::TIME, (1, 1_000_000)),
        ("KiB", "KiB", Dimension::BYTES, (1024, 1)),
        ("GB/s", "GB/s", Dimension { bytes: 1, time: -1, ..Dimension::NONE }, (1_000_000_000, 1)),
        ("FLOP / B", "FLOP/B", Dimension { bytes: -1, flop: 1, ..Dimension::NONE }, (1, 1)),
        ("B/cycle", "B/cycle", Dimension { bytes: 1, cycles: -1, ..Dimension::NONE }, (1, 1)),
        ("MHz", "MHz", Dimension::CLOCK, (1_000_000, 1)),
        ("%", "%", Dimension::NONE, (1, 100)),
        ("warps/SM", "warps/SM", Dimension::NONE, (1, 1)),
        ("", "", Dimension::NONE, (1, 1)),
    ];
    for (text, symbol, dimension, (numerator, denominator)) in cases {
        let unit = Unit::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!((&*unit.symbol, unit.dimension, unit.scale), (symbol, dimension, Rational::new(numerator, denominator)), "{text}");
    }
    let errors = [
        ("GB/ss", "there is no unit `ss`"),
        ("cyles", "did you mean `cycles`?"),
        ("q", "there is no unit `q`"),
        ("ms/", "there is no unit ``"),
    ];
    for (text, expected) in errors {
        let why = Unit::parse(text).unwrap_err();
        assert!(why.contains(expected), "{text}: {why}");
    }
}

#[test]
fn arithmetic_keeps_units_apart_and_derives_them() {
    let show =
        |result: Result<Quantity, String>| result.map_or_else(|why| format!("! {why}"), |quantity| quantity.text().replace('\u{a0}', " "));
    let (a, b) = (exact("1.5 ms"), exact("100 µs"));
    let cases = [
        (a.add(&b), "1.6 ms"),
        (a.subtract(&b), "1.4 ms"),
        (a.divide(&b), "15"),
        (exact("2 GB").divide(&exact("1 ms")), "2 TB/s"),
        (exact("3 kFLOP").divide(&exact("2 ns")), "1.5 TFLOP/s"),
        (exact("30 FLOP").divide(&exact("12 B")), "2.5 FLOP/B"),
        (exact("1980 cycles").divide(&exact("1.98 GHz")), "1 µs"),
        (exact("256 threads").multiply(&exact("2")), "512 threads"),
        (exact("256 threads").divide(&exact("32 threads")), "8"),
        (exact("48 KiB").multiply(&exact("2")), "96 KiB"),
        (exact("16 B").multiply(&exact("134217728 pixels")), "2147483648 B"),
        (a.add(&exact("1 B")), "! a time (ms) can't be added to a size (B)"),
        (exact("7").remainder(&exact("-2")), "-1"),
        (exact("7").divide_floor(&exact("2")), "3"),
        (exact("-7").divide_floor(&exact("2")), "-4"),
        (exact("1").divide(&exact("0")), "! division by zero"),
        (exact("3").power(&exact("-2")), "0.1111"),
        (exact("2").power(&exact("0.5")), "! the power must be a plain whole number between -64 and 64"),
        (exact("10").power(&exact("64")), "! the exact result is too large to be held"),
        (exact("9/4").square_root(), "1.5"),
        (exact("2").square_root(), "1.414"),
        (exact("-1").square_root(), "! a negative number has no square root"),
        (exact("2 ms").square_root(), "! a time (ms) has no square root"),
        (exact("8").of_plain("log2", libm::log2, |x| 1.0 / x), "3"),
        (exact("-8").of_plain("log2", libm::log2, |x| 1.0 / x), "! log2 has no value here"),
        (exact("2.5").whole(Whole::Nearest), "3"),
        (exact("-2.5 ms").whole(Whole::Up), "-2 ms"),
    ];
    for (index, (result, expected)) in cases.into_iter().enumerate() {
        assert_eq!(show(result), expected, "case {index}");
    }
    assert_eq!(exact("2/3").compare_exact(&exact("0.5")), Ok(Some(std::cmp::Ordering::Greater)));
}

#[test]
fn rounds_pair_within_a_run_and_lost_ones_stay_lost() {
    let left = Quantity::measured(rounds("a", &[Some(2.0), None, Some(4.0)], 0.3), Unit::bare());
    let right = Quantity::measured(rounds("a", &[Some(1.0), Some(1.0), Some(2.0)], 0.4), Unit::bare());
    let Amount::Measured(sum) = left.add(&right).unwrap().amount else { panic!("a sum of rounds is over rounds") };
    assert_eq!(&*sum.values, &[Some(3.0), None, Some(6.0)]);
    assert!((sum.quantum - 0.5).abs() < 1e-12);
    let Amount::Measured(ratio) = left.divide(&right).unwrap().amount else { panic!("a ratio of rounds is over rounds") };
    assert_eq!(&*ratio.values, &[Some(2.0), None, Some(2.0)]);
    assert_eq!(left.pairs(&right).unwrap().unwrap(), [(2.0, 1.0), (4.0, 2.0)]);

    let other = Quantity::measured(rounds("b", &[Some(1.0); 3], 0.0), Unit::bare());
    let Amount::Across(across) = left.multiply(&other).unwrap().amount else { panic!("a product of two runs") };
    assert_eq!((across.centre, across.parts.len()), (3.0, 2));
    assert_eq!(&*across.parts[0].values, &[Some(2.0), None, Some(4.0)], "beside the median of the other run");
    assert_eq!((&*across.parts[1].values, across.parts[0].quantum), (&[Some(3.0); 3][..], 0.3));
    let shorter = Quantity::measured(rounds("a", &[Some(1.0); 2], 0.0), Unit::bare());
    assert_eq!(left.add(&shorter).unwrap_err(), "rounds of a do not pair");
    let zero = Quantity::measured(rounds("a", &[Some(1.0), Some(0.0), Some(0.0)], 0.0), Unit::bare());
    assert!(left.divide(&zero).unwrap_err().contains("in round 3"));
    assert!(left.divide_floor(&right).unwrap_err().contains("needs exact numbers"));
}

#[test]
fn measured_figures_end_where_their_spread_begins() {
    let cases = [
        // The spread is 3.17 times the deviation (3.317 steps) over √11: 3.17 steps.
        (around(0.061_83, 0.000_04, "ms"), "0.0618 ms", Some("0.00013")),
        (around(0.061_83, 0.000_4, "ms"), "0.062 ms", Some("0.0013")),
        (around(4156.31, 4.0, "GB/s"), "4160 GB/s", Some("13")),
        (around(4156.31, 0.1, "GB/s"), "4156.3 GB/s", Some("0.32")),
        (around(-1.234, 0.001, ""), "-1.234", Some("0.0032")),
        (around(0.5, 40.0, ""), "0.5", Some("130")),
        (around(99.96, 0.1, "%"), "100.0 %", Some("0.32")),
    ];
    for (quantity, text, spread) in cases {
        let shown = quantity.shown(&Format::default());
        assert_eq!((shown.text().replace('\u{a0}', " ").as_str(), shown.spread.as_deref()), (text, spread));
    }
    let lost = Quantity::measured(rounds("a", &[None, None], 0.0), Unit::bare());
    assert_eq!(lost.text(), "no rounds");

    // A value beside itself is 1 in every round, whatever the timer's step, and claims no digits.
    let time = Quantity::measured(rounds("a", &[Some(0.5), None, Some(0.7)], 0.01), Unit::scaled("s").unwrap());
    let ratio = time.divide(&time).unwrap();
    let percent = ratio.shown(&Format { unit: Unit::scaled("%"), ..Format::default() });
    assert_eq!((percent.text().as_str(), percent.spread.as_deref()), ("100\u{a0}%", Some("0")));
    assert_eq!(ratio.shown(&Format { style: Style::Fixed(2), ..Format::default() }).text(), "1.00");
}

#[test]
fn formats_choose_digits_and_units() {
    let styled = |quantity: &Quantity, style: Style, unit: Option<&str>| {
        quantity
            .shown(&Format { style, unit: unit.map(|unit| Unit::parse(unit).unwrap()), ..Format::default() })
            .text()
            .replace('\u{a0}', " ")
    };
    let cases = [
        (exact("2/3"), Style::Fixed(2), None, "0.67"),
        (exact("2/3"), Style::Natural, Some("%"), "66.67 %"),
        (exact("1.316"), Style::Fixed(2), Some("×"), "1.32×"),
        (exact("1.5 ms"), Style::Digits(3), Some("µs"), "1500 µs"),
        (exact("123456 B"), Style::Digits(2), None, "120000 B"),
        (exact("-0.004"), Style::Fixed(2), None, "-0.004"),
        (exact("0.0000618"), Style::Fixed(3), None, "0.00006"),
        (exact("0"), Style::Fixed(2), None, "0.00"),
        (around(-0.000_41, 0.000_000_1, "ms"), Style::Fixed(2), None, "-0.0004 ms"),
        (exact("12345.678"), Style::Natural, None, "12346"),
        (exact("0.00012345"), Style::Natural, None, "0.0001235"),
        (around(4.1591, 0.0001, "TB/s"), Style::Fixed(1), None, "4.2 TB/s"),
        (around(4.1591, 0.0001, "TB/s"), Style::Digits(2), Some("GB/s"), "4200 GB/s"),
    ];
    for (quantity, style, unit, expected) in cases {
        assert_eq!(styled(&quantity, style, unit), expected);
    }
    let automatic = [(1_i128 << 31, "2 GiB"), (62_914_560, "60 MiB"), (1_500_000, "1.5 MB"), (12, "12 B"), (0, "0 B"), (-2048, "-2 KiB")];
    for (bytes, expected) in automatic {
        assert_eq!(Quantity::bytes(bytes).text().replace('\u{a0}', " "), expected);
    }
    let range = Quantity { amount: Amount::Between(Rational::from_integer(8), Rational::from_integer(9)), unit: Unit::bare() };
    assert_eq!(range.text(), "8 to 9");
}

#[test]
fn bad_exact_texts_are_refused() {
    for text in [
        "",
        "x",
        "1/0",
        "1.",
        "--1",
        "1 2",
        "1e5",
        "5 q",
        "1/2/3",
        ".5",
        "170141183460469231731687303715884105728",
        "9999999999999999999999999999999999 PB",
    ] {
        assert!(Quantity::parse_exact(text).is_err(), "{text}");
    }
}

fn units() -> impl Strategy<Value = Unit> {
    let atoms = ["s", "ms", "µs", "B", "KiB", "GB", "FLOP", "cycles", "MHz", "%", "threads", "loads"];
    prop::collection::vec((prop::sample::select(atoms.to_vec()), any::<bool>()), 0..4).prop_map(|parts| {
        let text: Vec<String> = parts
            .iter()
            .enumerate()
            .map(|(index, (atom, over))| if index == 0 { (*atom).to_owned() } else { format!("{}{atom}", if *over { '*' } else { '/' }) })
            .collect();
        Unit::parse(&text.concat()).expect("atoms of the language")
    })
}

#[test]
fn a_relative_spread_has_two_digits_and_is_never_understated() {
    let share = |value: f64| exact::two_digits_above(value).map(rational_text);
    let cases = [
        (0.0, "0"),
        (0.01, "1/100"),
        (0.0101, "11/1000"),
        (0.000_612_3, "31/50000"),
        (0.000_619_9, "31/50000"),
        (0.099_9, "1/10"),
        (0.25, "1/4"),
        (3.0, "3"),
        (12.1, "13"),
        (4321.0, "4400"),
    ];
    for (value, expected) in cases {
        assert_eq!(share(value).as_deref(), Some(expected), "{value}");
    }
    assert_eq!((share(f64::NAN), share(f64::INFINITY), share(1e-60)), (None, None, None));
    let spread = |quantity: &Quantity| quantity.relative_spread().map(|spread| spread.text().replace('\u{a0}', " "));
    let time = around(0.5, 0.0005, "ms");
    let estimate = time.estimate().unwrap();
    let printed = time.relative_spread().unwrap();
    assert!(!printed.is_measured() && rational_to_f64(printed.as_exact().unwrap()) >= estimate.spread / estimate.value);
    assert_eq!(spread(&time).as_deref(), Ok("0.32 %"));
    assert_eq!(spread(&exact("3 ms")).as_deref(), Ok("0 %"));
    assert!(spread(&around(0.0, 0.5, "ms")).is_err());
    let range = Quantity { amount: Amount::Between(Rational::from_integer(8), Rational::from_integer(9)), unit: Unit::bare() };
    assert!(spread(&range).is_err());
}

fn styles() -> impl Strategy<Value = Style> {
    prop_oneof![Just(Style::Natural), (0_u8..8).prop_map(Style::Fixed), (1_u8..8).prop_map(Style::Digits)]
}

#[test]
fn bounds_are_never_narrowed() {
    let cases = [
        (1.234_561, "1.234", "1.235"),
        (0.012_345, "0.01234", "0.01235"),
        (-0.5001, "-0.5001", "-0.5001"),
        (4210.4, "4210", "4211"),
        (1.25, "1.250", "1.250"),
        (0.0, "0", "0"),
    ];
    for (value, below, above) in cases {
        assert_eq!((bound_below(value), bound_above(value)), (below.to_owned(), above.to_owned()), "{value}");
    }
}

proptest! {
    #[test]
    fn exact_text_reads_back(numerator in -1_000_000_000_000_i128..1_000_000_000_000, denominator in 1_i128..1_000_000, unit in units()) {
        let quantity = Quantity::exact(Rational::new(numerator, denominator), unit).unwrap();
        let text = quantity.to_exact_text().unwrap();
        prop_assert_eq!(Quantity::parse_exact(&text), Ok(quantity));
    }

    #[test]
    fn a_printed_figure_reads_back_within_its_last_digit(middle in -1e7_f64..1e7, step in 1e-6_f64..1e3) {
        let quantity = around(middle, step, "ms");
        let shown = quantity.shown(&Format::default());
        let estimate = quantity.estimate().unwrap();
        let read = rational_to_f64(Quantity::parse_exact(&shown.text()).unwrap().as_exact().unwrap()) * 1e3;
        // The last printed digit is where the spread begins, but never before the value's first.
        let allowed = 0.5001 * estimate.spread.min(estimate.value.abs()) + 1e-12 * estimate.value.abs();
        prop_assert!((read - estimate.value).abs() <= allowed, "{} for {} ± {}", shown.number, estimate.value, estimate.spread);
    }

    #[test]
    fn in_any_format_a_figure_reads_back_and_keeps_its_sign(
        mantissa in 1_i64..100_000_000, power in -12_i32..9, negative in any::<bool>(), style in styles(), measured in any::<bool>(),
        unit in prop::sample::select(vec!["", "ms", "s", "%", "×", "GB/s", "KiB", "cycles"]),
    ) {
        let size = mantissa as f64 * libm::pow(10.0, f64::from(power));
        let value = if negative { -size } else { size };
        let unit = Unit::parse(unit).unwrap();
        let scale = rational_to_f64(unit.scale);
        let quantity = if measured {
            Quantity::measured(rounds("run", &[Some(value * scale); 5], 0.0), unit.clone())
        } else {
            let amount = Rational::new(i128::from(mantissa), 1) * Rational::from_integer(10).pow(power);
            Quantity::exact(if negative { -amount } else { amount }, unit.clone()).unwrap()
        };
        let text = quantity.shown(&Format { style, ..Format::default() }).text();
        prop_assert!(!text.contains(['e', 'E']) || text.contains("cycles"), "{}", text);
        let read = Quantity::parse_exact(&text).unwrap();
        prop_assert_eq!(&read.unit, &unit);
        let read = rational_to_f64(read.as_exact().unwrap()) / scale;
        prop_assert!(read != 0.0 && (read < 0.0) == negative, "{} for {}", text, value);
        // The last printed digit is right: of what follows the point if there is any, else of what is not rounded away.
        let number = text.trim_start_matches('-').split(['\u{a0}', '×']).next().unwrap().to_owned();
        let places = number.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
        let zeros = if places > 0 { 0 } else { (number.len() - number.trim_end_matches('0').len()) as i32 };
        let last = libm::pow(10.0, f64::from(zeros - places));
        prop_assert!((read - value).abs() <= 0.5001 * last + 1e-12 * size, "{} for {}", text, value);
    }

    #[test]
    fn both_ends_of_a_range_read_back(a in -100_000_i64..100_000, b in -100_000_i64..100_000, style in styles()) {
        let [low, high] = [a.min(b), a.max(b)].map(|end| Quantity::exact(Rational::new(i128::from(end), 1000), Unit::parse("ms").unwrap()).unwrap());
        let format = Format { style, ..Format::default() };
        let text = low.shown_to(&high, &format).text();
        let ends: Vec<&str> = text.split(" to ").collect();
        let last = Quantity::parse_exact(ends.last().unwrap()).unwrap();
        prop_assert_eq!(last, Quantity::parse_exact(&high.shown(&format).text()).unwrap());
        prop_assert_eq!(Quantity::parse_exact(&format!("{} ms", ends[0].trim_end_matches("\u{a0}ms"))), Quantity::parse_exact(&low.shown(&format).text()));
    }

    #[test]
    fn whole_numbers_print_whole_and_read_back(count in any::<i64>()) {
        let quantity = Quantity::counted(count, "threads");
        prop_assert_eq!(Quantity::parse_exact(&quantity.text()), Ok(quantity));
    }

    #[test]
    fn exact_arithmetic_never_panics(a in any::<i128>(), b in any::<i128>(), c in 1_i128.., d in 1_i128..) {
        let number = |n: i128, d: i128| Quantity::exact(Rational::from_integer(n.max(-i128::MAX)), Unit::bare()).and_then(|n| n.divide(&Quantity::count(d)));
        if let (Ok(x), Ok(y)) = (number(a, c), number(b, d)) {
            let results = [x.add(&y), x.subtract(&y), x.multiply(&y), x.divide(&y), x.remainder(&y), x.divide_floor(&y), x.square_root()];
            for result in results.into_iter().flatten() {
                prop_assert!(!result.text().is_empty());
            }
            prop_assert!(x.whole(Whole::Nearest).map_or(true, |whole| whole.as_integer().is_some()));
            prop_assert!(x.compare_exact(&y).is_ok());
        }
    }

    #[test]
    fn parsing_never_panics(text in ".{0,24}") {
        let _ = Quantity::parse_exact(&text);
        let _ = Unit::parse(&text);
    }
}
