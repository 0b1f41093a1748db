//! Turns numbers into places along an axis, and an axis into a few round ticks.
//!
//! Must not know pixels. Logarithms come from `libm`, powers of ten from their decimal text, so that bytes repeat.

/// A logarithmic axis with fewer marks can't be read: one mark says nothing of the distance to the next.
const FEWEST: usize = 3;

/// How numbers are spaced along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// Evenly, from zero.
    Linear,
    /// By logarithm, ticks at powers of two.
    Log2,
    /// By logarithm, ticks at powers of ten.
    Log10,
    /// One place for each of a list of names.
    Category,
}

/// Numbers to places between 0 and 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    spacing: Spacing,
    low: f64,
    high: f64,
    step: f64,
}

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    /// Where, from 0 to 1.
    pub at: f64,
    /// What is written there.
    pub label: String,
}

impl Spacing {
    /// Whether marks along an axis of `unit` say their unit themselves.
    pub(crate) fn says_units(self, unit: &str) -> bool {
        self == Self::Log2 && SIZES.contains(&unit)
    }
}

impl Scale {
    /// A scale that holds every finite one of `values`, with about `ticks` marks; for categories, `values` is their count.
    pub(crate) fn over(spacing: Spacing, values: impl Iterator<Item = f64>, ticks: usize) -> Self {
        let positive = matches!(spacing, Spacing::Log2 | Spacing::Log10);
        let (mut low, mut high) = values
            .filter(|value| value.is_finite() && (!positive || *value > 0.0))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (1.0, 1.0);
        }
        match spacing {
            Spacing::Category => Self { spacing, low: -0.5, high: high - 0.5, step: 1.0 },
            Spacing::Linear => Self::linear(low.min(0.0), high.max(0.0), ticks),
            Spacing::Log2 | Spacing::Log10 => {
                let log = |value| if spacing == Spacing::Log2 { libm::log2(value) } else { libm::log10(value) };
                let (low, high) = (log(low), log(high));
                // A little air, so that the first and last points stand free of the frame.
                let air = if high > low { (high - low) * 0.04 } else { 0.5 };
                let (low, high) = (low - air, high + air);
                let step = ((high - low) / ticks.max(1) as f64).ceil().max(1.0);
                Self { spacing, low, high, step }
            }
        }
    }

    /// A linear scale whose ends and ticks are multiples of 1, 2, 2.5 or 5 times a power of ten.
    fn linear(low: f64, high: f64, ticks: usize) -> Self {
        let span = if high > low { high - low } else { 1.0 };
        let rough = span / ticks.max(1) as f64;
        let power = power_of_ten(libm::floor(libm::log10(rough)) as i32);
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= rough * 0.999).unwrap_or(rough);
        let low = (low / step).floor() * step;
        let high = if high > low { (high / step).ceil() * step } else { low + step };
        Self { spacing: Spacing::Linear, low, high, step }
    }

    /// Where `value` stands, from 0 to 1 (outside for what the scale was not made for).
    pub(crate) fn place(&self, value: f64) -> f64 {
        let value = match self.spacing {
            Spacing::Linear | Spacing::Category => value,
            Spacing::Log2 => libm::log2(value),
            Spacing::Log10 => libm::log10(value),
        };
        (value - self.low) / (self.high - self.low)
    }

    /// Where things that grow from nothing start: zero, or the lower end of a logarithmic axis.
    pub(crate) fn base(&self) -> f64 {
        if self.spacing == Spacing::Linear { self.place(0.0) } else { 0.0 }
    }

    /// The marks of a numeric axis of `unit`. Where sizes double, each mark says its own: 512 KiB, 1 MiB.
    pub(crate) fn ticks(&self, unit: &str) -> Vec<Tick> {
        let ticks = self.regular_ticks(unit);
        if ticks.len() >= FEWEST || !matches!(self.spacing, Spacing::Log2 | Spacing::Log10) {
            return ticks;
        }
        self.narrow_ticks(unit)
    }

    /// The marks of a logarithmic axis too short for powers: 1, 2 and 5 times powers of ten, or round steps.
    fn narrow_ticks(&self, unit: &str) -> Vec<Tick> {
        let value_at = |place: f64| if self.spacing == Spacing::Log2 { libm::exp2(place) } else { libm::exp10(place) };
        let (low, high) = (value_at(self.low), value_at(self.high));
        let inside = |value: &f64| (low..=high).contains(value);
        let tick = |value: f64, decimals: usize| Tick { at: self.place(value), label: self.label(value, decimals, unit) };
        if self.spacing == Spacing::Log10 {
            let powers = libm::floor(self.low) as i32..=libm::floor(self.high) as i32;
            let values = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * power_of_ten(power))).filter(inside);
            let ticks: Vec<Tick> = values.map(|value| tick(value, 0)).collect();
            if ticks.len() >= FEWEST {
                return ticks;
            }
        }
        let even = Self::linear(low, high, 4);
        let steps = libm::round((even.high - even.low) / even.step) as i64;
        let values = (0..=steps).map(|index| even.low + index as f64 * even.step).filter(inside);
        values.map(|value| tick(value, decimals(even.step))).collect()
    }

    fn label(&self, value: f64, decimals: usize, unit: &str) -> String {
        let size = (self.spacing == Spacing::Log2).then(|| size(value, unit)).flatten();
        size.unwrap_or_else(|| label(value, decimals))
    }

    fn regular_ticks(&self, unit: &str) -> Vec<Tick> {
        let (from, to) = match self.spacing {
            Spacing::Category => return Vec::new(),
            Spacing::Linear => (0, libm::round((self.high - self.low) / self.step) as i64),
            Spacing::Log2 | Spacing::Log10 => (self.low.ceil() as i64, self.high.floor() as i64),
        };
        let stride = if self.spacing == Spacing::Linear { 1 } else { self.step as i64 };
        let decimals = if self.spacing == Spacing::Linear { decimals(self.step) } else { 0 };
        (from..=to)
            .step_by(stride.max(1) as usize)
            .map(|index| {
                let value = match self.spacing {
                    Spacing::Log2 => libm::exp2(index as f64),
                    Spacing::Log10 => power_of_ten(index as i32),
                    _ => self.low + index as f64 * self.step,
                };
                Tick { at: self.place(value), label: self.label(value, decimals, unit) }
            })
            .collect()
    }
}

/// How many decimals multiples of `step` need.
fn decimals(step: f64) -> usize {
    (0..=9)
        .find(|places| {
            let scaled = step * power_of_ten(*places);
            (scaled - libm::round(scaled)).abs() < 1e-6 * scaled
        })
        .unwrap_or(9) as usize
}

/// `10^exponent`, correctly rounded.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

/// The units of sizes, each 1024 of the one before.
const SIZES: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

/// `value` of `unit`, a size, in the largest unit in which it is whole: `64 KiB`.
fn size(value: f64, unit: &str) -> Option<String> {
    let mut at = SIZES.iter().position(|size| *size == unit)?;
    let mut scaled = value;
    while at > 0 && scaled.fract() != 0.0 {
        (at, scaled) = (at - 1, scaled * 1024.0);
    }
    while at + 1 < SIZES.len() && scaled >= 1024.0 && scaled % 1024.0 == 0.0 {
        (at, scaled) = (at + 1, scaled / 1024.0);
    }
    (scaled.fract() == 0.0).then(|| format!("{scaled} {}", SIZES[at]))
}

/// A tick's text: `512`, `0.25`, `25 000`.
fn label(value: f64, decimals: usize) -> String {
    let decimals = if value != 0.0 && value.abs() < 1.0 && decimals == 0 {
        (0..=9).find(|places| value * power_of_ten(*places) >= 1.0).unwrap_or(0) as usize
    } else {
        decimals
    };
    let text = format!("{value:.decimals$}");
    let whole = text.split('.').next().map_or(0, str::len);
    if whole < 5 {
        return text;
    }
    // A narrow no-break space between thousands, from ten thousand on.
    let (head, tail) = text.split_at(whole);
    let grouped: String = head
        .chars()
        .enumerate()
        .flat_map(|(at, c)| (at > 0 && (whole - at).is_multiple_of(3)).then_some('\u{202f}').into_iter().chain([c]))
        .collect();
    grouped + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(spacing: Spacing, values: &[f64], unit: &str) -> Vec<String> {
        Scale::over(spacing, values.iter().copied(), 5).ticks(unit).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        let cases: [(Spacing, &[f64], &str, &[&str]); 14] = [
            (Spacing::Linear, &[595.0, 4210.0], "GB/s", &["0", "1000", "2000", "3000", "4000", "5000"]),
            (Spacing::Linear, &[0.2, 1.0], "", &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (Spacing::Linear, &[61_000.0], "", &["0", "20\u{202f}000", "40\u{202f}000", "60\u{202f}000", "80\u{202f}000"]),
            (Spacing::Log2, &[16.0, 1024.0], "", &["16", "64", "256", "1024"]),
            (Spacing::Log2, &[16_384.0, 536_870_912.0], "B", &["16 KiB", "256 KiB", "4 MiB", "64 MiB"]),
            (Spacing::Log2, &[16.0, 524_288.0], "KiB", &["16 KiB", "256 KiB", "4 MiB", "64 MiB"]),
            (Spacing::Log2, &[0.015_625, 512.0], "MiB", &["16 KiB", "256 KiB", "4 MiB", "64 MiB"]),
            (Spacing::Linear, &[4000.0], "B", &["0", "1000", "2000", "3000", "4000"]),
            (Spacing::Log10, &[0.01, 10.0], "ms", &["0.01", "0.1", "1", "10"]),
            (Spacing::Log10, &[12.0, 900.0], "ms", &["20", "50", "100", "200", "500", "1000"]),
            (Spacing::Log10, &[200.0, 357.0], "GB/s", &["200", "250", "300", "350"]),
            (Spacing::Log2, &[0.75, 1.35], "ms", &["0.8", "1.0", "1.2"]),
            (Spacing::Log2, &[256.0, 256.0], "", &["200", "250", "300", "350"]),
            (Spacing::Linear, &[], "", &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ];
        for (spacing, values, unit, expected) in cases {
            assert_eq!(labels(spacing, values, unit), expected, "{values:?}");
        }
    }

    #[test]
    fn places_grow_with_the_values_and_stay_inside() {
        for spacing in [Spacing::Linear, Spacing::Log2, Spacing::Log10] {
            let values = [3.0, 17.0, 90.0, 91.0, 4000.0];
            let scale = Scale::over(spacing, values.into_iter(), 5);
            let places = values.map(|value| scale.place(value));
            assert!(places.is_sorted() && places.iter().all(|place| (0.0..=1.0).contains(place)), "{spacing:?} {places:?}");
        }
        let names = Scale::over(Spacing::Category, std::iter::once(4.0), 5);
        assert_eq!((names.place(0.0), names.place(3.0)), (0.125, 0.875));
    }
}
