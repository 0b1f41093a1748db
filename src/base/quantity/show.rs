//! Turns a quantity into the figure that a reader sees: as many digits as the rounds support, with its unit.
//!
//! Must not know where the figure stands. Never scientific notation; what is printed reads back as the same value.

use std::fmt::Write as _;

use super::exact::{self, Rational, rational_to_f64};
use super::{Amount, Dimension, Estimate, Quantity, Unit};
use crate::base::statistics;

/// Between a number and its unit.
const NO_BREAK_SPACE: char = '\u{a0}';

/// How a figure is to be printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// Which digits.
    pub style: Style,
    /// In which unit, if not the quantity's own.
    pub unit: Option<Unit>,
    /// What stands between the ends of a range, spaces among it, in the page's language.
    pub to: &'static str,
}

impl Default for Format {
    fn default() -> Self {
        Self { style: Style::default(), unit: None, to: " to " }
    }
}

/// Which digits of a number are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// As many as the spread supports; exact whole numbers whole, other exact numbers to four significant digits.
    #[default]
    Natural,
    /// This many after the point.
    Fixed(u8),
    /// This many significant digits.
    Digits(u8),
}

/// A figure as printed, number and unit apart, for tables that name the unit once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The number; "8 to 9" for a count that the data leave open.
    pub number: String,
    /// The unit's symbol, empty for none.
    pub unit: String,
    /// Half the width of the 99 % interval in the same unit, to two significant digits; `None` for exact numbers.
    pub spread: Option<String>,
}

impl Shown {
    /// Number and unit as one text that doesn't break across lines.
    #[must_use]
    pub fn text(&self) -> String {
        match self.unit.as_str() {
            "" => self.number.clone(),
            "×" => format!("{}×", self.number),
            unit => format!("{}{NO_BREAK_SPACE}{unit}", self.number),
        }
    }
}

impl Quantity {
    /// The figure as a reader sees it, such as `0.0618 ms`.
    #[must_use]
    pub fn text(&self) -> String {
        self.shown(&Format::default()).text()
    }

    /// The figure in `format`, number and unit apart.
    #[must_use]
    pub fn shown(&self, format: &Format) -> Shown {
        let unit = self.shown_unit(format);
        let symbol = unit.symbol.to_string();
        match &self.amount {
            Amount::Exact(amount) => Shown { number: exact_number(*amount, &unit, format.style), unit: symbol, spread: None },
            Amount::Between(low, high) => {
                let [low, high] = [low, high].map(|end| exact_number(*end, &unit, format.style));
                Shown { number: joined(low, &high, format.to), unit: symbol, spread: None }
            }
            Amount::Measured(_) | Amount::Across(_) => {
                let Some(estimate) = self.estimate_in(&unit) else {
                    return Shown { number: "no rounds".to_owned(), unit: String::new(), spread: None };
                };
                let places = match format.style {
                    Style::Natural => natural_places(estimate),
                    Style::Fixed(places) => i32::from(places),
                    Style::Digits(digits) => i32::from(digits.max(1)) - 1 - magnitude(estimate.value),
                };
                let mut number = visible(decimal(estimate.value, places), estimate.value, decimal);
                if estimate.spread == 0.0 && format.style == Style::Natural {
                    // Equal in every round, such as a row beside itself: zeros at the end would claim a precision.
                    number = shortest(number);
                }
                let spread = if estimate.spread == 0.0 { "0".to_owned() } else { decimal(estimate.spread, 1 - magnitude(estimate.spread)) };
                Shown { number, unit: symbol, spread: Some(spread) }
            }
        }
    }

    /// The figure from this to `high` in `format`: both numbers in one unit, each with its own digits, `1.1 to 1.4 ms`.
    #[must_use]
    pub fn shown_to(&self, high: &Self, format: &Format) -> Shown {
        let format = Format { unit: Some(high.shown_unit(format)), ..format.clone() };
        let (low, high) = (self.shown(&format), high.shown(&format));
        Shown { number: joined(low.number, &high.number, format.to), unit: high.unit, spread: None }
    }

    /// The unit with the prefix that a reader would choose, where the quantity is in a unit without one and too small or too large
    /// for it: 0.0000618 s are 61.8 µs, 4,159,000,000 B/s are 4.159 GB/s.
    #[must_use]
    pub fn readable_unit(&self) -> Option<Unit> {
        let base = Unit::base(self.unit.dimension);
        // Cycles are counted one by one.
        if matches!(self.unit.dimension, Dimension::NONE | Dimension::CYCLES) || self.unit.symbol != base.symbol {
            return None;
        }
        let size = self.size();
        (size != 0.0 && !(0.1..1e5).contains(&size))
            .then(|| prefixed(self.unit.dimension, &self.amount))
            .filter(|unit| unit.symbol != base.symbol)
    }

    /// How large it is in base units, without its sign, as far as one number can say: of a range, its upper end.
    fn size(&self) -> f64 {
        match &self.amount {
            Amount::Between(_, high) => rational_to_f64(*high).abs(),
            _ => self.typical().unwrap_or(0.0).abs(),
        }
    }

    /// Whether what stands for its rounds is below that of `other`, whatever the rounds can tell.
    #[must_use]
    pub fn is_below(&self, other: &Self) -> bool {
        self.typical().unwrap_or(f64::INFINITY) < other.typical().unwrap_or(f64::INFINITY)
    }

    /// The unit that the figure is printed in: the one asked for, the quantity's own, or for an automatic one the
    /// prefix that puts the number between 1 and 1000.
    #[must_use]
    pub fn shown_unit(&self, format: &Format) -> Unit {
        match &format.unit {
            Some(unit) if unit.dimension == self.unit.dimension => unit.clone(),
            _ if self.unit.is_automatic() => prefixed(self.unit.dimension, &self.amount),
            _ => self.unit.clone(),
        }
    }

    /// Value and spread of a measured quantity in its shown unit; `None` for exact ones and where no round is left.
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        self.estimate_in(&self.shown_unit(&Format::default()))
    }

    /// Half the width of the 99 % interval of the rounds' mean as a share of their median, rounded up to two digits; none at all for
    /// what is exact. It is a fact of the record, and has no spread itself.
    ///
    /// # Errors
    /// When it is a count that the data leave open, no round is left, or the median is zero.
    pub fn relative_spread(&self) -> Result<Self, String> {
        let share = match self.as_exact() {
            Some(_) => 0.0,
            None => {
                let estimate = self.estimate_in(&self.unit).ok_or("what has no rounds has no spread")?;
                estimate.spread / estimate.value.abs()
            }
        };
        let amount = exact::two_digits_above(share).ok_or("a spread around zero is no share of it")?;
        Ok(Self { amount: Amount::Exact(amount), unit: Unit::scaled("%").unwrap_or_else(Unit::bare) })
    }

    /// Value and spread in `unit`, which must be of the same dimension; `None` for exact quantities.
    #[must_use]
    pub fn estimate_in(&self, unit: &Unit) -> Option<Estimate> {
        let scale = rational_to_f64(unit.scale);
        let rounds = match &self.amount {
            Amount::Measured(rounds) => rounds,
            Amount::Across(across) => return across.estimate(scale),
            Amount::Exact(_) | Amount::Between(..) => return None,
        };
        let values = rounds.present();
        let value = statistics::median(&values)? / scale;
        let spread = statistics::half_width(&values, rounds.quantum, statistics::LEVEL) / scale;
        Some(Estimate { value, spread, rounds: values.len() })
    }

    /// The number alone, in `unit`, for charts and sorting: the median over rounds, or the exact value.
    #[must_use]
    pub fn number_in(&self, unit: &Unit) -> Option<f64> {
        match &self.amount {
            Amount::Exact(amount) => Some(rational_to_f64(*amount) / rational_to_f64(unit.scale)),
            Amount::Measured(_) | Amount::Across(_) => self.estimate_in(unit).map(|estimate| estimate.value),
            Amount::Between(..) => None,
        }
    }
}

/// Both ends of a range, or the one number that they print as.
fn joined(low: String, high: &str, to: &str) -> String {
    if low == high { low } else { format!("{low}{to}{high}") }
}

/// `text`, unless it shows nothing of a `value` that is not zero: then the first digit that does.
fn visible(text: String, value: f64, print: impl Fn(f64, i32) -> String) -> String {
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'-'));
    if is_zero && value != 0.0 { print(value, -magnitude(value)) } else { text }
}

/// The power of ten of the first digit: 0 for 1 to 9.99, -1 for 0.1 to 0.99.
fn magnitude(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    // Taken from the exact decimal output, since a logarithm may fall on the wrong side of a power of ten.
    let text = format!("{:e}", value.abs());
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// Digits after the point (negative: places before it that are rounded away) so that the last one is the first that
/// the spread reaches, but never none at all.
fn natural_places(estimate: Estimate) -> i32 {
    let first = -magnitude(estimate.value);
    if estimate.spread > 0.0 && estimate.spread.is_finite() {
        return (-magnitude(estimate.spread)).clamp(first, first + 14);
    }
    first + 5
}

/// `value` with `places` digits after the point; zeros before the point where `places` is negative.
fn decimal(value: f64, places: i32) -> String {
    if places >= 0 {
        let text = format!("{value:.*}", places.min(300) as usize);
        return if text.trim_start_matches('-').bytes().all(|b| matches!(b, b'0' | b'.')) {
            text.trim_start_matches('-').to_owned()
        } else {
            text
        };
    }
    let digits = (magnitude(value) + places).max(0) as usize;
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let length = exponent.parse::<usize>().unwrap_or(0) + 1;
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let mut number = mantissa.replace('.', "");
    while number.len() < length {
        number.push('0');
    }
    format!("{sign}{number}")
}

fn exact_number(amount: Rational, unit: &Unit, style: Style) -> String {
    let Ok(inside) = exact::divide(amount, unit.scale) else { return exact::rational_text(amount) };
    let places = match style {
        Style::Natural if inside.is_integer() => return inside.to_integer().to_string(),
        Style::Natural => (3 - magnitude(rational_to_f64(inside))).clamp(0, 300),
        Style::Fixed(places) => i32::from(places),
        Style::Digits(digits) => i32::from(digits.max(1)) - 1 - magnitude(rational_to_f64(inside)),
    };
    let text = visible(exact_decimal(inside, places), rational_to_f64(inside), |_, places| exact_decimal(inside, places));
    if style == Style::Natural { shortest(text) } else { text }
}

/// A decimal without the zeros at its end: its last digit says something.
fn shortest(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// An exact number with `places` digits after the point, halves away from zero; falls back on floating point where the
/// digits don't fit.
fn exact_decimal(amount: Rational, places: i32) -> String {
    let rounded = || -> Option<String> {
        let power = 10_i128.checked_pow(places.unsigned_abs())?;
        let step = if places >= 0 { Rational::new_raw(1, power) } else { Rational::from_integer(power) };
        let size = exact::divide(if amount < Rational::from_integer(0) { -amount } else { amount }, step).ok()?;
        let whole = exact::floor(exact::add(size, Rational::new_raw(1, 2)).ok()?);
        let whole = if places >= 0 { whole } else { whole.checked_mul(power)? };
        let places = places.max(0) as usize;
        let mut digits = format!("{whole:0>width$}", width = places + 1);
        if places > 0 {
            digits.insert(digits.len() - places, '.');
        }
        Some(if amount < Rational::from_integer(0) && whole != 0 { format!("-{digits}") } else { digits })
    };
    rounded().unwrap_or_else(|| decimal(rational_to_f64(amount), places))
}

/// The unit of `dimension` with the prefix that suits `amount`.
fn prefixed(dimension: Dimension, amount: &Amount) -> Unit {
    let base = Unit::base(dimension);
    let size = Quantity { amount: amount.clone(), unit: Unit::bare() }.size();
    if dimension == Dimension::BYTES
        && let Amount::Exact(amount) = amount
        && let Some(unit) =
            ["TiB", "GiB", "MiB", "KiB"].iter().filter_map(|symbol| Unit::scaled(symbol)).find(|unit| is_whole_in(*amount, unit))
    {
        return unit;
    }
    // Only the first part of a symbol takes a prefix: GB/s, TFLOP/s, kFLOP/B.
    let small = [(-3, "n"), (-2, "µ"), (-1, "m"), (0, "")];
    let large = [(0, ""), (1, "k"), (2, "M"), (3, "G"), (4, "T"), (5, "P")];
    let is_time = base.symbol.as_ref() == "s";
    if !(is_time || base.symbol.starts_with(['B', 'F', 'H', 'c'])) || size == 0.0 {
        return base;
    }
    let steps: &[(i32, &str)] = if is_time { &small } else { &large };
    let fits = |step: &&(i32, &str)| size >= libm::pow(1000.0, f64::from(step.0)) * 0.999_95;
    let &(power, prefix) = steps.iter().rfind(fits).unwrap_or(&steps[0]);
    let thousand = 1000_i128.pow(power.unsigned_abs());
    let scale = if power < 0 { Rational::new_raw(1, thousand) } else { Rational::from_integer(thousand) };
    let mut symbol = prefix.to_owned();
    let _ = write!(symbol, "{base}");
    Unit { dimension, scale, symbol: symbol.into() }
}

fn is_whole_in(amount: Rational, unit: &Unit) -> bool {
    exact::divide(amount, unit.scale).is_ok_and(|inside| inside.is_integer() && *inside.numer() != 0)
}

/// A lower bound to four significant digits, never above `value`, so that what is printed stays true.
#[must_use]
pub fn bound_below(value: f64) -> String {
    bound(value, f64::floor)
}

/// An upper bound to four significant digits, never below `value`.
#[must_use]
pub fn bound_above(value: f64) -> String {
    bound(value, f64::ceil)
}

fn bound(value: f64, outward: fn(f64) -> f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let places = (3 - magnitude(value)).clamp(0, 300);
    // A power of ten by its decimal text is the nearest one on every machine.
    let power: f64 = format!("1e{places}").parse().unwrap_or(1.0);
    let scaled = value * power;
    // What is a hair off a round number through binary fractions alone stays there.
    let near = libm::round(scaled);
    let rounded = if (scaled - near).abs() < 1e-6 { near } else { outward(scaled) };
    format!("{:.*}", places as usize, rounded / power)
}
