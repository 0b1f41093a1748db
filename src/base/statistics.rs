//! Turns the values of rounds into medians, spreads and one-sided bounds, to the same bits on every machine.
//!
//! Must not know what was measured. Sums run in the order of the rounds, and all functions beyond `+ - * /` and the
//! square root are from `libm`.

/// Fewer rounds than these say nothing: no time is shown and no comparison made of them.
pub const LEAST_ROUNDS: usize = 5;

/// The level of the two-sided intervals that stand beside figures.
pub const LEVEL: f64 = 0.99;

/// The median; the mean of the middle two where the count is even, `None` of nothing.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    median_of(values.iter().copied())
}

/// The [`median`] of values that stand nowhere together.
#[must_use]
pub fn median_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len() % 2 == 1 { upper } else { sorted[middle - 1] / 2.0 + upper / 2.0 })
}

/// The arithmetic mean, `None` of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() { None } else { Some(values.iter().sum::<f64>() / values.len() as f64) }
}

/// The standard deviation of a sample (n - 1 in the denominator); `None` for fewer than two values.
#[must_use]
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some(libm::sqrt(squares / (values.len() - 1) as f64))
}

/// The standard deviation, but not less than that of a value rounded to steps of `quantum` (a uniform error of one
/// step has the standard deviation quantum/√12). A single value has the floor only.
#[must_use]
pub fn floored_deviation(values: &[f64], quantum: f64) -> f64 {
    standard_deviation(values).unwrap_or(0.0).max(quantum / libm::sqrt(12.0))
}

/// Half the width of the two-sided t interval of the mean at `level`, with the floor of [`floored_deviation`]. Infinite
/// for fewer than two values.
#[must_use]
pub fn half_width(values: &[f64], quantum: f64, level: f64) -> f64 {
    if values.len() < 2 {
        return f64::INFINITY;
    }
    let n = values.len() as f64;
    student_quantile(0.5 + level / 2.0, n - 1.0) * floored_deviation(values, quantum) / libm::sqrt(n)
}

/// Lower and upper one-sided bounds of the mean, each at `level` alone, with the floor of [`floored_deviation`].
/// `None` for fewer than two values.
#[must_use]
pub fn one_sided_bounds(values: &[f64], quantum: f64, level: f64) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let reach = student_quantile(level, n - 1.0) * floored_deviation(values, quantum) / libm::sqrt(n);
    let mean = mean(values)?;
    Some((mean - reach, mean + reach))
}

/// One side of a comparison that is not paired.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Mean of the values.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// How many they are.
    pub count: usize,
}

impl Sample {
    /// The sample that `values` are, with a floor for the deviation; `None` for fewer than two.
    #[must_use]
    pub fn of(values: &[f64], quantum: f64) -> Option<Self> {
        let mean = mean(values).filter(|_| values.len() >= 2)?;
        Some(Self { mean, deviation: floored_deviation(values, quantum), count: values.len() })
    }
}

/// Welch's comparison of two means: difference, its standard error and the degrees of freedom of
/// Welch and Satterthwaite.
#[must_use]
pub fn welch(left: Sample, right: Sample) -> (f64, f64, f64) {
    contrast(&[(1.0, left), (-1.0, right)])
}

/// A weighted sum of independent means, its standard error and the degrees of freedom of Welch and Satterthwaite.
#[must_use]
pub fn contrast(terms: &[(f64, Sample)]) -> (f64, f64, f64) {
    let (mut sum, mut variance, mut squares) = (0.0, 0.0, 0.0);
    for (weight, sample) in terms {
        let part = weight * weight * sample.deviation * sample.deviation / sample.count as f64;
        sum += weight * sample.mean;
        variance += part;
        squares += part * part / (sample.count as f64 - 1.0);
    }
    let freedom = variance * variance / squares;
    // Samples without any spread leave 0/0; the smallest count is the careful answer.
    let fewest = || terms.iter().map(|(_, sample)| sample.count).min().unwrap_or(0) as f64 - 1.0;
    (sum, libm::sqrt(variance), if freedom.is_finite() { freedom } else { fewest() })
}

/// The probability that Student's t with `freedom` degrees is at most `t`.
#[must_use]
pub fn student_cdf(t: f64, freedom: f64) -> f64 {
    let tail = 0.5 * incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t));
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The value that Student's t with `freedom` degrees stays below with probability `p` (0 < p < 1).
///
/// Found by Newton's steps on the tail's own probability, so that it is as exact far out as near the middle; a step that leaves
/// the bracket is a bisection.
#[must_use]
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    if !(p > 0.0 && p < 1.0 && freedom > 0.0) {
        return if p >= 1.0 {
            f64::INFINITY
        } else if p <= 0.0 {
            f64::NEG_INFINITY
        } else {
            f64::NAN
        };
    }
    if p < 0.5 {
        return -student_quantile(1.0 - p, freedom);
    }
    quantiles::known(p, freedom, upper_quantile)
}

/// [`student_quantile`] for `p` from a half on.
fn upper_quantile(p: f64, freedom: f64) -> f64 {
    let tail = 1.0 - p;
    let beyond = |t: f64| 0.5 * incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t)) - tail;
    let half = (freedom + 1.0) / 2.0;
    let front = libm::exp(libm::lgamma(half) - libm::lgamma(freedom / 2.0)) / libm::sqrt(freedom * std::f64::consts::PI);
    let density = |t: f64| front * libm::pow(1.0 + t * t / freedom, -half);
    let (mut low, mut high) = (0.0, 1.0);
    while beyond(high) > 0.0 && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    let mut t = low;
    for _ in 0..200 {
        let excess = beyond(t);
        if excess > 0.0 {
            low = t
        } else {
            high = t
        }
        let newton = t + excess / density(t);
        let next = if newton > low && newton < high { newton } else { low + (high - low) / 2.0 };
        if (next - t).abs() <= t.abs() * 1e-15 || next <= low || next >= high {
            return next;
        }
        t = next;
    }
    t
}

/// Quantiles that were asked for before: a course has a handful of levels and of counts of rounds, and asks for each a thousand times.
mod quantiles {
    use std::cell::RefCell;

    /// Places; a quantile takes that of another one whose place is the same.
    const PLACES: usize = 64;

    thread_local! {
        static KNOWN: RefCell<[Option<(u64, u64, f64)>; PLACES]> = const { RefCell::new([None; PLACES]) };
    }

    /// `quantile(p, freedom)`, which hangs on nothing else.
    pub(super) fn known(p: f64, freedom: f64, quantile: fn(f64, f64) -> f64) -> f64 {
        let key = (p.to_bits(), freedom.to_bits());
        let place = (key.0 ^ key.1.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - PLACES.ilog2());
        KNOWN.with_borrow_mut(|known| match &mut known[place as usize] {
            Some((p, freedom, value)) if (*p, *freedom) == key => *value,
            other => other.insert((key.0, key.1, quantile(p, freedom))).2,
        })
    }
}

/// The regularised incomplete beta function I_x(a, b), by its continued fraction (Abramowitz and Stegun 26.5.8),
/// evaluated with the modified Lentz method.
#[must_use]
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = libm::exp(libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x));
    // The fraction converges fast on one side of the mean; the other side is reached by symmetry.
    if x < (a + 1.0) / (a + b + 2.0) { front * beta_fraction(a, b, x) / a } else { 1.0 - front * beta_fraction(b, a, 1.0 - x) / b }
}

fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let away_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    for step in 1..10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            result *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF, StudentsT};

    use super::*;

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        // One-sided level, degrees of freedom, value: the usual printed table, and SciPy for the last two.
        let cases = [
            (0.99, 4.0, 3.7469),
            (0.995, 4.0, 4.6041),
            (0.99, 10.0, 2.7638),
            (0.995, 10.0, 3.1693),
            (0.99, 30.0, 2.4573),
            (0.995, 30.0, 2.7500),
            (0.975, 1.0, 12.7062),
            (0.95, 2.0, 2.9200),
            (0.9995, 10.0, 4.5869),
            (0.99, 120.0, 2.3578),
        ];
        for (p, freedom, expected) in cases {
            assert!((student_quantile(p, freedom) - expected).abs() < 1e-4, "t({p}, {freedom}) is {}", student_quantile(p, freedom));
        }
        assert!(student_quantile(0.5, 7.0).abs() < 1e-12);
        assert!(student_quantile(0.0, 3.0).is_infinite() && student_quantile(2.0, 3.0).is_infinite());
    }

    #[test]
    fn student_t_agrees_with_another_implementation() {
        for freedom in [1.0, 2.0, 4.0, 4.7, 9.0, 10.0, 19.7, 30.0, 100.0, 1000.0] {
            let other = StudentsT::new(0.0, 1.0, freedom).unwrap();
            for t in [-20.0, -5.0, -2.3, -0.7, 0.0, 0.1, 1.0, 2.5, 4.0, 12.0] {
                let (ours, theirs) = (student_cdf(t, freedom), other.cdf(t));
                assert!((ours - theirs).abs() < 1e-10, "P(T <= {t}) at {freedom}: {ours} and {theirs}");
            }
            for p in [0.001, 0.2, 0.6, 0.9, 0.99, 0.995, 0.9995, 0.999_99] {
                let ours = student_quantile(p, freedom);
                assert!((student_cdf(ours, freedom) - p).abs() < 1e-12, "quantile {p} at {freedom}");
                assert!((other.cdf(ours) - p).abs() < 1e-9, "quantile {p} at {freedom} is {ours}");
            }
        }
    }

    #[test]
    fn a_quantile_asked_for_again_is_the_same() {
        // More of them than are kept, so that they take each other's places.
        let asked: Vec<(f64, f64)> = (1..300).map(|n| (0.5 + 0.499 * f64::from(n % 97) / 97.0, f64::from(n) / 3.0)).collect();
        for (p, freedom) in asked.iter().chain(asked.iter().rev()) {
            assert_eq!(student_quantile(*p, *freedom).to_bits(), upper_quantile(*p, *freedom).to_bits(), "quantile {p} at {freedom}");
        }
    }

    #[test]
    fn medians_and_spreads_of_small_samples() {
        assert_eq!((median(&[]), median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 3.0, 2.0])), (None, Some(2.0), Some(2.5)));
        assert_eq!(
            (standard_deviation(&[1.0]), standard_deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0])),
            (None, Some(libm::sqrt(32.0 / 7.0)))
        );
        let values = [10.0, 11.0, 12.0, 11.0, 11.0];
        // Mean 11, deviation √0.5; t(.995, 4) = 4.6041, t(.99, 4) = 3.7469.
        assert!((half_width(&values, 0.0, 0.99) - 4.6041 * libm::sqrt(0.1)).abs() < 1e-4);
        let (low, high) = one_sided_bounds(&values, 0.0, 0.99).unwrap();
        assert!((low - (11.0 - 3.7469 * libm::sqrt(0.1))).abs() < 1e-4 && (high + low - 22.0).abs() < 1e-12);
        assert_eq!(one_sided_bounds(&[1.0], 0.0, 0.99), None);
    }

    #[test]
    fn equal_readings_are_not_infinitely_sure() {
        let same = [100.0; 11];
        assert_eq!(half_width(&same, 0.0, 0.99), 0.0);
        let expected = 3.1693 / libm::sqrt(12.0) / libm::sqrt(11.0);
        assert!((half_width(&same, 1.0, 0.99) - expected).abs() < 1e-4);
    }

    #[test]
    fn welch_takes_unequal_samples() {
        let left = Sample::of(&[27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4], 0.0).unwrap();
        let right = Sample::of(&[27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.3], 0.0).unwrap();
        let (difference, error, freedom) = welch(left, right);
        // Published worked example: t = -2.8413, df = 27.88.
        assert!((difference / error + 2.8413).abs() < 0.01, "{}", difference / error);
        assert!((freedom - 27.88).abs() < 0.05, "{freedom}");
        let still = Sample { mean: 1.0, deviation: 0.0, count: 5 };
        assert_eq!(welch(still, Sample { count: 7, ..still }), (0.0, 0.0, 4.0));
    }

    #[test]
    fn welch_quantiles_are_the_published_ones() {
        let sample = |mean: f64, variance: f64, count: usize| Sample { mean, deviation: libm::sqrt(variance), count };
        // Three published worked examples of the test, whose means and variances are rounded, and a case that needs no table.
        let cases = [
            (sample(20.8, 7.9, 15), sample(23.0, 3.8, 15), -2.49, 24.9),
            (sample(20.6, 9.0, 10), sample(22.1, 0.9, 20), -1.54, 9.92),
            (sample(19.4, 1.4, 10), sample(21.5, 17.1, 20), -2.11, 24.4),
            (sample(5.0, 4.0, 8), sample(4.0, 4.0, 8), 1.0, 14.0),
        ];
        for (left, right, t, expected) in cases {
            let (difference, error, freedom) = welch(left, right);
            assert!((difference / error - t).abs() < 0.02, "{} is not {t}", difference / error);
            assert!((freedom - expected).abs() < 0.1, "{freedom} is not {expected}");
        }
    }

    #[test]
    fn a_contrast_of_four_means_adds_what_each_is_unsure_of() {
        let one = |mean: f64| Sample { mean, deviation: 2.0, count: 16 };
        let (sum, error, freedom) = contrast(&[(1.0, one(9.0)), (-1.0, one(5.0)), (-1.0, one(3.0)), (1.0, one(2.0))]);
        assert_eq!((sum, error, freedom), (3.0, 1.0, 60.0));
        let (_, error, freedom) = contrast(&[(1.0, one(0.0)), (-3.0, one(0.0))]);
        // Parts 1/4 and 9/4: (10/4)² / ((1/16 + 81/16) / 15).
        assert!((error - libm::sqrt(2.5)).abs() < 1e-12 && (freedom - 6.25 * 15.0 / (82.0 / 16.0)).abs() < 1e-9);
    }
}
