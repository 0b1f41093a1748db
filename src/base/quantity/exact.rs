//! Turns exact numbers into text and back, and does their arithmetic without ever overflowing.
//!
//! Must not know units beyond their scale.

use num_traits::Signed;

use super::{Amount, Quantity, Unit};

/// An exact number.
pub type Rational = num_rational::Ratio<i128>;

const TOO_LARGE: &str = "the exact result is too large to be held";

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1).max(1)
}

/// A ratio in lowest terms, unless a part is beyond what is held.
fn reduced(numerator: i128, denominator: i128) -> Result<Rational, String> {
    if numerator == i128::MIN || denominator == i128::MIN {
        return Err(TOO_LARGE.to_owned());
    }
    if denominator == 0 {
        return Err("division by zero".to_owned());
    }
    let common = gcd(numerator, denominator) * denominator.signum();
    Ok(Rational::new_raw(numerator / common, denominator / common))
}

pub(super) fn multiply(a: Rational, b: Rational) -> Result<Rational, String> {
    // Reduced crosswise first, so that only results that really don't fit are refused.
    let (left, right) = (gcd(*a.numer(), *b.denom()), gcd(*b.numer(), *a.denom()));
    let numerator = (a.numer() / left).checked_mul(b.numer() / right);
    let denominator = (a.denom() / right).checked_mul(b.denom() / left);
    reduced(numerator.ok_or(TOO_LARGE)?, denominator.ok_or(TOO_LARGE)?)
}

pub(super) fn divide(a: Rational, b: Rational) -> Result<Rational, String> {
    if *b.numer() == 0 {
        return Err("division by zero".to_owned());
    }
    multiply(a, reduced(*b.denom(), *b.numer())?)
}

pub(super) fn add(a: Rational, b: Rational) -> Result<Rational, String> {
    let common = gcd(*a.denom(), *b.denom());
    let denominator = (a.denom() / common).checked_mul(*b.denom()).ok_or(TOO_LARGE)?;
    let left = a.numer().checked_mul(b.denom() / common).ok_or(TOO_LARGE)?;
    let right = b.numer().checked_mul(a.denom() / common).ok_or(TOO_LARGE)?;
    reduced(left.checked_add(right).ok_or(TOO_LARGE)?, denominator)
}

pub(super) fn floor(a: Rational) -> i128 {
    a.numer().div_euclid(*a.denom())
}

/// The nearest floating-point number, near enough for any figure; the same on every machine.
#[must_use]
pub fn rational_to_f64(amount: Rational) -> f64 {
    *amount.numer() as f64 / *amount.denom() as f64
}

/// `value` to fifteen significant digits, or `None` where it is no number or past what is held.
#[must_use]
pub fn rational_from_f64(value: f64) -> Option<Rational> {
    if !value.is_finite() {
        return None;
    }
    // The standard library's decimal output is exact and the same everywhere.
    let text = format!("{value:.14e}");
    let (digits, exponent) = text.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let digits: i128 = digits.replace('.', "").parse().ok()?;
    let shift = exponent - 14;
    let power = 10_i128.checked_pow(shift.unsigned_abs())?;
    if shift >= 0 { digits.checked_mul(power).map(Rational::from_integer) } else { reduced(digits, power).ok() }
}

/// The least number of two significant digits that is not below `value`, which is not negative; `None` where it is no number.
pub(super) fn two_digits_above(value: f64) -> Option<Rational> {
    let text = format!("{:.1e}", if value.is_finite() { value } else { return None });
    let (digits, exponent) = text.split_once('e')?;
    let digits: i128 = digits.replace('.', "").parse().ok()?;
    let shift = exponent.parse::<i32>().ok()? - 1;
    let power = 10_i128.checked_pow(shift.unsigned_abs())?;
    let scaled =
        |digits: i128| if shift >= 0 { digits.checked_mul(power).map(Rational::from_integer) } else { reduced(digits, power).ok() };
    scaled(digits).filter(|nearest| rational_to_f64(*nearest) >= value).or_else(|| scaled(digits + 1))
}

/// `256`, `-3/2`.
#[must_use]
pub fn rational_text(amount: Rational) -> String {
    if amount.is_integer() { amount.numer().to_string() } else { format!("{}/{}", amount.numer(), amount.denom()) }
}

/// Reads `256`, `-3/2`, `0.25`; a decimal is taken exactly.
pub(crate) fn parse_rational(text: &str) -> Result<Rational, String> {
    let bad = || format!("`{text}` is no number");
    if let Some((numerator, denominator)) = text.split_once('/') {
        let part = |part: &str| part.parse::<i128>().map_err(|_| bad());
        return reduced(part(numerator)?, part(denominator)?).map_err(|_| bad());
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if digits.is_empty() || !plain(digits) || !plain(fraction) || text.ends_with('.') {
        return Err(bad());
    }
    let numerator: i128 = format!("{whole}{fraction}").parse().map_err(|_| bad())?;
    let denominator = u32::try_from(fraction.len()).ok().and_then(|places| 10_i128.checked_pow(places)).ok_or_else(bad)?;
    reduced(numerator, denominator)
}

impl Quantity {
    /// An exact quantity so that [`Quantity::parse_exact`] gives it back: `256 threads`, `2/3`, `48 KiB`. `None` for a
    /// measured one.
    #[must_use]
    pub fn to_exact_text(&self) -> Option<String> {
        let Amount::Exact(amount) = self.amount else { return None };
        let unit = if self.unit.is_automatic() { Unit::base(self.unit.dimension) } else { self.unit.clone() };
        let number = rational_text(divide(amount, unit.scale).ok()?);
        Some(if unit.symbol.is_empty() { number } else { format!("{number} {unit}") })
    }

    /// Reads what [`Quantity::to_exact_text`] wrote, or a figure's text: a number, then (after a space, plain or not
    /// breaking) a unit.
    ///
    /// # Errors
    /// A sentence that says what is not a number or not a unit.
    pub fn parse_exact(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '.' | '/'))).unwrap_or(text.len());
        let amount = parse_rational(&text[..end])?;
        Self::exact(amount, Unit::parse(&text[end..])?)
    }
}

/// The square root of an exact number, if it is exact too.
pub(super) fn square_root(amount: Rational) -> Option<Rational> {
    if amount.is_negative() {
        return None;
    }
    let root = |n: i128| Some(n.isqrt()).filter(|root| root * root == n);
    reduced(root(*amount.numer())?, root(*amount.denom())?).ok()
}
