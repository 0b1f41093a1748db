//! Turns probed samples into a verdict on the number of launches in a sample.
//!
//! Must not know rounds; what it finds is fixed for all of them.

use std::time::Duration;

use crate::device::{Device, Fault, SamplePlan};
use crate::evidence::record::Outcome;
use crate::evidence::verdict::median;
use crate::plan::launch::Launch;

use super::worker::Probed;

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

/// Whether samples that span `spans` are long enough, with a quarter to spare: a sample a little faster than the probe
/// must still span `least_ns`.
#[must_use]
pub fn is_long_enough(spans: &[u64], least_ns: u64) -> bool {
    median(spans) >= least_ns.saturating_add(least_ns / 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::verdict::LEAST_NS;

    #[test]
    fn a_sample_is_long_enough_with_room_to_spare() {
        assert!(!is_long_enough(&[124_999; 20], LEAST_NS));
        assert!(is_long_enough(&[125_000; 20], LEAST_NS));
        assert!(!is_long_enough(&[], LEAST_NS));
    }
}
