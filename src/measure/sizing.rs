//! Turns probed samples into a verdict on the number of launches in a sample, and spans into the timer's tick.
//!
//! Must not know rounds; what it finds is fixed for all of them.

use std::time::Duration;

use crate::device::{Device, Fault, SamplePlan};
use crate::evidence::record::{LEAST_TICKS, Outcome};
use crate::plan::launch::Launch;

use super::row::median;
use super::worker::Probed;

/// A warm sample spans at least this long, nanoseconds, and [`LEAST_TICKS`] of the timer's ticks.
pub const LEAST_NS: u64 = 100_000;
/// Samples of a probe.
const SAMPLES: usize = 20;
/// A probe that fills its time with very short launches ends after so many samples.
const MOST_SAMPLES: usize = 100_000;

/// Keeps the device busy with `launch` for `busy`, then takes a few samples.
pub fn probe(device: &mut dyn Device, row: u32, launch: &Launch, plan: SamplePlan, busy: Duration) -> Probed {
    let spans = spans(device, row, launch, plan, busy).map_err(Outcome::from);
    Probed { spans, condition: device.condition() }
}

fn spans(device: &mut dyn Device, row: u32, launch: &Launch, plan: SamplePlan, busy: Duration) -> Result<Vec<u64>, Fault> {
    device.stage(row, launch)?;
    device.reset_outputs()?;
    device.launch()?;
    let started = device.now();
    for _ in 0..MOST_SAMPLES {
        device.sample(plan)?;
        if device.now().saturating_sub(started) >= busy {
            break;
        }
    }
    (0..SAMPLES).map(|_| device.sample(plan).map(|sample| sample.span_ns)).collect()
}

/// The smallest step between spans: the timer's tick as the data show it. `None` if all are equal.
#[must_use]
pub fn tick_ns(spans: impl IntoIterator<Item = u64>) -> Option<u64> {
    let mut spans: Vec<u64> = spans.into_iter().collect();
    spans.sort_unstable();
    spans.windows(2).map(|pair| pair[1] - pair[0]).filter(|&step| step > 0).min()
}

/// The least span of a warm sample, given the timer's tick.
#[must_use]
pub fn least_span_ns(tick_ns: Option<u64>) -> u64 {
    tick_ns.unwrap_or(1).saturating_mul(LEAST_TICKS).max(LEAST_NS)
}

/// Whether samples that span `spans` are long enough, with a quarter to spare: a sample a little faster than the probe
/// must still span `least_ns`.
#[must_use]
pub fn is_long_enough(spans: &[u64], least_ns: u64) -> bool {
    median(spans) >= least_ns.saturating_add(least_ns / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_long_enough_with_room_to_spare() {
        assert!(!is_long_enough(&[124_999; 20], LEAST_NS));
        assert!(is_long_enough(&[125_000; 20], LEAST_NS));
        assert!(!is_long_enough(&[], LEAST_NS));
        assert_eq!(least_span_ns(None), 100_000);
        assert_eq!(least_span_ns(Some(1_024)), 204_800);
    }

    #[test]
    fn the_tick_is_the_smallest_step() {
        assert_eq!(tick_ns([96, 32, 32, 160]), Some(64));
        assert_eq!(tick_ns([7, 7]), None);
    }
}
