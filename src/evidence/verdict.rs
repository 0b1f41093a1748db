//! Turns the raw samples of a row into the outcome that they allow, and spans into the timer's tick.
//!
//! Must not know devices, nor whether it is asked while measuring or of a record years later: both get the same answer.

use super::record::{LEAST_TICKS, Outcome, RowResult};
use crate::course::sweep::{CachePolicy, TimingPolicy};

/// A cold span must be at least this many times what an empty event pair spans.
pub const EMPTY_PAIRS: u64 = 100;
/// The SM clock may vary by this share of its median within a row.
pub const CLOCK_TOLERANCE: f64 = 0.02;
/// A warm sample spans at least this long, nanoseconds, and [`LEAST_TICKS`] of the timer.
pub const LEAST_NS: u64 = 100_000;

/// What the samples of `result` allow: `ok`, `throttled` or `too-short`. `launches` is of a sample, `least_span_ns` the
/// least span of a warm one; cold ones are held to the empty event pair instead.
#[must_use]
pub fn of_samples(result: &RowResult, timing: &TimingPolicy, launches: u32, least_span_ns: u64) -> Outcome {
    let short = || match timing.cache {
        CachePolicy::Cold => too_short_cold(result),
        CachePolicy::Warm => too_short_warm(result, launches, least_span_ns),
    };
    throttled(&result.clock_mhz, [&result.throttle_before, &result.throttle_after])
        .or_else(|| if timing.time { short() } else { None })
        .unwrap_or(Outcome::Ok)
}

/// Whether the clock was held down, or moved while the samples were taken. What the driver calls a software power cap,
/// idle or application clocks is recorded only: it is how the card runs.
#[must_use]
pub fn throttled(clock_mhz: &[u32], reasons: [&Option<Vec<String>>; 2]) -> Option<Outcome> {
    let reasons = reasons.into_iter().flatten().flatten();
    let holds = |reason: &&String| ["thermal", "hw-slowdown", "power-brake"].iter().any(|word| reason.contains(word));
    if let Some(reason) = reasons.into_iter().find(holds) {
        return Some(Outcome::Throttled(format!("the driver reports {reason}")));
    }
    let clocks = || clock_mhz.iter().filter(|&&mhz| mhz > 0).map(|&mhz| u64::from(mhz));
    let (low, high) = (clocks().min()?, clocks().max()?);
    // Mostly it did not move at all.
    let moved = high > low && (high - low) as f64 > CLOCK_TOLERANCE * median(&clocks().collect::<Vec<_>>()) as f64;
    moved.then(|| Outcome::Throttled(format!("the SM clock moved from {low} to {high} MHz within the row")))
}

fn too_short_cold(result: &RowResult) -> Option<Outcome> {
    let (span, empty) = (median(&result.spans_ns), result.empty_pair_ns?);
    (span < EMPTY_PAIRS.saturating_mul(empty))
        .then(|| Outcome::TooShort(format!("a launch spans {span} ns, under {EMPTY_PAIRS} times the {empty} ns of an empty event pair")))
}

fn too_short_warm(result: &RowResult, launches: u32, least: u64) -> Option<Outcome> {
    let span = median(&result.spans_ns);
    (span < least).then(|| Outcome::TooShort(format!("{launches} launches span {span} ns, under the least span of {least} ns")))
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

/// The middle value of `values`, the lower one of two; 0 of none.
#[must_use]
pub fn median(values: &[u64]) -> u64 {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::record::tests::sample;

    #[test]
    fn only_what_holds_the_clock_down_counts() {
        let with = |reasons: &[&str], clocks: &[u32]| {
            let mut result = sample().results[0].clone();
            result.throttle_after = Some(reasons.iter().map(|&reason| reason.to_owned()).collect());
            result.clock_mhz = clocks.to_vec();
            throttled(&result.clock_mhz, [&result.throttle_before, &result.throttle_after]).is_some()
        };
        let cases = [
            (&["sw-power-cap", "gpu-idle"][..], &[1980, 1980][..], false),
            (&["sw-thermal-slowdown"], &[1980], true),
            (&["hw-power-brake-slowdown"], &[1980], true),
            (&["hw-slowdown"], &[], true),
            (&[], &[1980, 1942], false),
            (&[], &[1980, 1980, 1930], true),
            (&[], &[1980, 0], false),
        ];
        for (reasons, clocks, expected) in cases {
            assert_eq!(with(reasons, clocks), expected, "{reasons:?} {clocks:?}");
        }
    }

    #[test]
    fn a_warm_sample_spans_ticks_and_time() {
        assert_eq!(least_span_ns(None), 100_000);
        assert_eq!(least_span_ns(Some(1_024)), 204_800);
    }

    #[test]
    fn the_tick_is_the_smallest_step() {
        assert_eq!(tick_ns([96, 32, 32, 160]), Some(64));
        assert_eq!(tick_ns([7, 7]), None);
    }
}
