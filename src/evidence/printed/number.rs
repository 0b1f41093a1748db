//! Turns a number as programs print it (`1,234`, `0.387 ms`, `12.3%`, `3.2e+05`) into a value, its unit and its last place.
//!
//! Must not know where it was printed.

use crate::base::quantity::{Rational, Unit};

/// A number that was printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// How much, in base units.
    pub value: f64,
    /// The step of its last printed place, in base units: no two printed values can lie nearer together.
    pub step: f64,
    /// Exactly how much in base units, if it was printed as a whole number.
    pub whole: Option<Rational>,
    /// The unit to show it in.
    pub unit: Unit,
}

/// Reads `text`. What stands behind the number is its unit; else it counts in `unit`. A unit behind the number may be
/// another one of the same kind (`387 us` where `ms` is wanted): the value is converted.
///
/// # Errors
/// One sentence: what is no number, or a unit of another kind.
pub fn read(text: &str, unit: Option<&Unit>) -> Result<Number, String> {
    let text = text.trim();
    let (digits, rest) =
        split(text).ok_or_else(|| if text.is_empty() { "nothing is printed".to_owned() } else { format!("`{text}` is no number") })?;
    let printed = suffix(rest, unit.is_some()).map_err(|why| format!("`{text}` is no number: {why}"))?;
    if let (Some(printed), Some(wanted)) = (&printed, unit) {
        let counts = printed.dimension.is_none() && printed.scale == wanted.scale;
        let others = counts && !wanted.symbol.is_empty() && printed.symbol != wanted.symbol && !is_times(printed);
        if printed.dimension != wanted.dimension || others {
            return Err(format!("`{text}` is {}, where {} is wanted", printed.describe(), wanted.describe()));
        }
    }
    let scale = printed.as_ref().or(unit).map_or(Rational::from_integer(1), |unit| unit.scale);
    let shown = unit.cloned().or(printed).unwrap_or_else(Unit::bare);
    digits.number(scale, shown).ok_or_else(|| format!("`{text}` is too large a number"))
}

/// What a word of a units row or a suffix is in: `ms`, `(ms)`, `[GB/s]`, `%`, `x`.
#[must_use]
pub fn unit_word(text: &str) -> Option<Unit> {
    let inner = [('(', ')'), ('[', ']')].iter().find_map(|&(open, close)| text.strip_prefix(open)?.strip_suffix(close)).unwrap_or(text);
    let inner = if matches!(inner, "x" | "X") { "×" } else { inner };
    let unit = Unit::parse(inner).ok().filter(|unit| !unit.symbol.is_empty())?;
    (inner.starts_with(|c: char| c.is_alphabetic() || matches!(c, '%' | '×'))).then_some(unit)
}

fn is_times(unit: &Unit) -> bool {
    &*unit.symbol == "×"
}

/// A number's text without what only serves the eye.
struct Digits {
    /// `-12.5e3`.
    plain: String,
    /// The power of ten of its last place.
    place: i32,
}

impl Digits {
    fn number(&self, scale: Rational, unit: Unit) -> Option<Number> {
        let value = self.plain.parse::<f64>().ok().filter(|value| value.is_finite())?;
        // The standard library's reading of decimals is exact to the last bit and the same everywhere.
        let step = format!("1e{}", self.place).parse::<f64>().ok()?;
        let whole = self.plain.parse::<i128>().ok().filter(|whole| self.place == 0 && whole.unsigned_abs() < 1 << 100);
        let whole = whole.and_then(|whole| Some(Rational::new(whole.checked_mul(*scale.numer())?, *scale.denom())));
        // A scale such as 1/1000 is applied by a division: its quotient would be rounded before it is used.
        let base = |number: f64| number * *scale.numer() as f64 / *scale.denom() as f64;
        Some(Number { value: base(value), step: base(step), whole, unit })
    }
}

/// `text` as a number and what follows it.
fn split(text: &str) -> Option<(Digits, &str)> {
    let (sign, rest) = match text.chars().next()? {
        '-' | '\u{2212}' => ("-", &text[text.chars().next()?.len_utf8()..]),
        '+' => ("", &text[1..]),
        _ => ("", text),
    };
    let (whole, rest) = whole(rest)?;
    let (fraction, rest) = match rest.strip_prefix('.') {
        // `5.` is the end of a sentence, and `1.2.3` a version.
        Some(after) => Some(run(after)).filter(|(digits, rest)| !digits.is_empty() && !rest.starts_with('.'))?,
        None => ("", rest),
    };
    let (exponent, rest) = exponent(rest);
    let places = i32::try_from(fraction.len()).ok()?;
    let plain = match (fraction, exponent) {
        ("", 0) => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}e{exponent}"),
    };
    Some((Digits { plain, place: exponent.checked_sub(places)? }, rest))
}

/// The digits that `text` begins with.
fn run(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// A whole part, its digits in threes behind `,`, `'` or `_` if it likes; empty before a point.
fn whole(text: &str) -> Option<(String, &str)> {
    let (first, mut rest) = run(text);
    let mut digits = first.to_owned();
    if first.is_empty() {
        return rest.starts_with('.').then_some((String::new(), rest));
    }
    let Some(separator) = rest.chars().next().filter(|c| matches!(c, ',' | '\'' | '_')) else { return Some((digits, rest)) };
    while let Some(after) = rest.strip_prefix(separator) {
        let (group, end) = run(after);
        if group.len() != 3 || first.len() > 3 {
            // `1,5` may be a decimal comma or two numbers.
            return None;
        }
        digits.push_str(group);
        rest = end;
    }
    Some((digits, rest))
}

/// `e+05` behind a number; 0 and all of `text` if there is none.
fn exponent(text: &str) -> (i32, &str) {
    let read = || {
        let after = text.strip_prefix(['e', 'E'])?;
        let (sign, after) = match after.strip_prefix('-') {
            Some(after) => (-1, after),
            None => (1, after.strip_prefix('+').unwrap_or(after)),
        };
        let (digits, rest) = run(after);
        Some((sign * digits.parse::<i32>().ok().filter(|&power| power <= 400)?, rest))
    };
    read().unwrap_or((0, text))
}

/// The unit behind a number. Glued to it only what has a dimension, `%` or `x`: `3way` is no number of ways.
fn suffix(rest: &str, wanted: bool) -> Result<Option<Unit>, String> {
    if rest.is_empty() {
        return Ok(None);
    }
    let apart = rest.starts_with(char::is_whitespace);
    let word = rest.trim();
    match unit_word(word) {
        Some(unit) if apart || wanted || !unit.dimension.is_none() || matches!(&*unit.symbol, "%" | "×") => Ok(Some(unit)),
        _ => Err(format!("`{word}` behind it is no unit")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, unit: Option<&str>, expected: Result<(f64, f64, &str), &str>) {
        let unit = unit.map(|unit| Unit::parse(unit).expect("a unit"));
        let found = read(text, unit.as_ref());
        let found = found.as_ref().map(|number| (number.value, number.step, &*number.unit.symbol)).map_err(String::as_str);
        assert_eq!(found, expected, "{text:?} in {unit:?}");
    }

    #[test]
    fn numbers_as_programs_print_them() {
        check("256", None, Ok((256.0, 1.0, "")));
        check(" 0.0618 ", Some("ms"), Ok((0.0618 / 1e3, 1e-4 / 1e3, "ms")));
        check("1.234 ms", None, Ok((1.234 / 1e3, 1e-3 / 1e3, "ms")));
        check("387 us", Some("ms"), Ok((387e-6, 1e-6, "ms")));
        check("12.3%", None, Ok((12.3 / 100.0, 0.1 / 100.0, "%")));
        check("12.3 %", Some("%"), Ok((12.3 / 100.0, 0.1 / 100.0, "%")));
        check("12.3", Some("%"), Ok((12.3 / 100.0, 0.1 / 100.0, "%")));
        check("64 KiB", None, Ok((65536.0, 1024.0, "KiB")));
        check("64KiB", Some("B"), Ok((65536.0, 1024.0, "B")));
        check("16,777,216", None, Ok((16_777_216.0, 1.0, "")));
        check("1_000'000", None, Err("`1_000'000` is no number: `'000` behind it is no unit"));
        check("3.2e+05", None, Ok((320_000.0, 10_000.0, "")));
        check("-1.5E-3", None, Ok((-0.0015, 0.0001, "")));
        check("\u{2212}4", None, Ok((-4.0, 1.0, "")));
        check(".5", None, Ok((0.5, 0.1, "")));
        check("1.25x", None, Ok((1.25, 0.01, "×")));
        check("2930.4 (GB/s)", None, Ok((2930.4e9, 0.1e9, "GB/s")));
        check("256 threads", Some("threads"), Ok((256.0, 1.0, "threads")));
    }

    #[test]
    fn what_is_no_number_says_so() {
        check("", None, Err("nothing is printed"));
        for text in
            ["-", "n/a", "nan", "inf", "0x1F", "1,5", "1,23,456", "1234,567", "5.", "1.2.3", "3-way", "4x4", "8way", "2026-11-30", "--"]
        {
            assert!(read(text, None).is_err(), "{text:?} {:?}", read(text, None));
        }
        check("0.4 GB", Some("ms"), Err("`0.4 GB` is a size (GB), where a time (ms) is wanted"));
        check("8 blocks", Some("threads"), Err("`8 blocks` is a plain number (blocks), where a plain number (threads) is wanted"));
        check("1e399", None, Err("`1e399` is too large a number"));
    }

    #[test]
    fn whole_numbers_stay_exact() {
        let whole = |text: &str, unit: &str| read(text, Unit::parse(unit).ok().as_ref()).expect("a number").whole;
        assert_eq!(whole("72057594037927937", ""), Some(Rational::from_integer(72_057_594_037_927_937)));
        assert_eq!(whole("64", "KiB"), Some(Rational::from_integer(65536)));
        assert_eq!(whole("98", "%"), Some(Rational::new(98, 100)));
        assert_eq!(whole("98.0", "%"), None);
        assert_eq!(whole("1e3", ""), None);
    }
}
