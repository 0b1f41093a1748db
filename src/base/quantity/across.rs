//! Turns values of runs that do not pair into one value, run by run, and into what is known of it.
//!
//! Must not know expressions. For each run it keeps the whole value round by round with the other runs at their medians, so that
//! what a run is unsure of stays that run's, and a value that two terms share is paired where it can be.

use super::exact::rational_to_f64;
use super::{Amount, Estimate, Rounds};
use crate::base::statistics::{self, Sample};

/// A value over several runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Across {
    /// The value where all runs are at their medians, in base units.
    pub centre: f64,
    /// For each run, by name: the value round by round while the other runs stay at their medians.
    pub parts: Vec<Rounds>,
}

/// A mean of independent parts, its standard error and the degrees of freedom of Welch and Satterthwaite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contrast {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom.
    pub freedom: f64,
}

impl Contrast {
    /// The one-sided bounds of the mean, each at `level` alone.
    #[must_use]
    pub fn bounds(&self, level: f64) -> (f64, f64) {
        let reach = statistics::student_quantile(level, self.freedom) * self.error;
        (self.mean - reach, self.mean + reach)
    }
}

impl Across {
    /// The mean of `scale` of the value over all runs; `None` where a run has fewer than two rounds.
    #[must_use]
    pub fn contrast(&self, scale: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64) -> Option<Contrast> {
        let centre = scale(self.centre);
        let sample = |part: &Rounds| {
            let values: Vec<f64> = part.present().into_iter().map(&scale).collect();
            Sample::of(&values, part.quantum * slope(self.centre).abs())
        };
        let samples: Option<Vec<(f64, Sample)>> = self.parts.iter().map(|part| Some((1.0, sample(part)?))).collect();
        let samples = samples?;
        // Each part is the whole value; what it adds is how far its mean lies from the centre.
        let (sum, error, freedom) = statistics::contrast(&samples);
        let mean = sum - centre * (samples.len() as f64 - 1.0);
        Some(Contrast { mean, error, freedom })
    }

    /// The value and its spread in a unit of `scale` base units.
    pub(super) fn estimate(&self, scale: f64) -> Option<Estimate> {
        let contrast = self.contrast(|value| value, |_| 1.0)?;
        let (low, high) = contrast.bounds(0.5 + statistics::LEVEL / 2.0);
        let rounds = self.parts.iter().map(|part| part.present().len()).min().unwrap_or(0);
        Some(Estimate { value: self.centre / scale, spread: (high - low) / 2.0 / scale, rounds })
    }
}

/// One side of a step: its value where all runs are at their medians, and its parts.
struct Side<'a> {
    centre: f64,
    parts: &'a [Rounds],
}

impl<'a> Side<'a> {
    fn of(amount: &'a Amount) -> Result<Self, String> {
        match amount {
            Amount::Exact(amount) => Ok(Self { centre: rational_to_f64(*amount), parts: &[] }),
            Amount::Measured(rounds) => {
                let centre = rounds.median().ok_or_else(|| format!("no round of {} is left", rounds.run))?;
                Ok(Self { centre, parts: std::slice::from_ref(rounds) })
            }
            Amount::Across(across) => Ok(Self { centre: across.centre, parts: &across.parts }),
            Amount::Between(..) => Err(super::arithmetic::OPEN.to_owned()),
        }
    }

    fn part(&self, run: &str) -> Option<&'a Rounds> {
        self.parts.iter().find(|part| &*part.run == run)
    }
}

/// One arithmetic step over the runs of both sides.
pub(super) fn combine(
    left: &Amount,
    right: &Amount,
    measured: impl Fn(f64, f64) -> f64,
    step: impl Fn(f64, f64, f64, f64) -> f64,
) -> Result<Amount, String> {
    let (left, right) = (Side::of(left)?, Side::of(right)?);
    let mut runs: Vec<_> = left.parts.iter().chain(right.parts).map(|part| part.run.clone()).collect();
    runs.sort();
    runs.dedup();
    let mut parts = Vec::new();
    for run in runs {
        let (a, b) = (left.part(&run), right.part(&run));
        let rounds = a.or(b).map_or(0, |part| part.values.len());
        if b.is_some_and(|b| b.values.len() != rounds) {
            return Err(format!("rounds of {run} do not pair"));
        }
        let at = |side: &Side<'_>, part: Option<&Rounds>, round: usize| match part {
            Some(part) => part.values[round],
            None => Some(side.centre),
        };
        let values: Vec<Option<f64>> = (0..rounds).map(|round| Some(measured(at(&left, a, round)?, at(&right, b, round)?))).collect();
        let quantum = |part: Option<&Rounds>| part.map_or(0.0, |part| part.quantum);
        let quantum = super::arithmetic::finite(step(left.centre, quantum(a), right.centre, quantum(b)));
        let choices = [a, b].into_iter().flatten().fold(1_u32, |all, part| all.saturating_mul(part.choices));
        parts.push(Rounds { run, values: super::arithmetic::each(&values, |value| value)?, quantum, choices });
    }
    finite(measured(left.centre, right.centre), parts)
}

/// One function of a value over several runs.
pub(super) fn map(across: &Across, measured: impl Fn(f64) -> f64, quantum: impl Fn(f64, f64) -> f64) -> Result<Amount, String> {
    let part = |part: &Rounds| {
        let values = super::arithmetic::each(&part.values, |value| value.map(&measured))?;
        Ok(Rounds { values, quantum: super::arithmetic::finite(quantum(across.centre, part.quantum)), ..part.clone() })
    };
    finite(measured(across.centre), across.parts.iter().map(part).collect::<Result<_, String>>()?)
}

fn finite(centre: f64, parts: Vec<Rounds>) -> Result<Amount, String> {
    if centre.is_finite() {
        return Ok(Amount::Across(Across { centre, parts }));
    }
    Err("there is no such value (a division by zero, or out of range)".to_owned())
}
