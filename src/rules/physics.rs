//! Holds every run to physics: no rate above the memory's peak, no span that the timer can't resolve.
//!
//! Must not know which page shows a run.

use super::{Check, Checked, Occasion, Rule, invalid};
use crate::base::problem::Problems;
use crate::course::sweep::CachePolicy;
use crate::evidence::Run;
use crate::evidence::profiled::{ACHIEVED, TOLERANCE as TOLERANCE_POINTS};
use crate::evidence::record::{LEAST_TICKS, Outcome};

pub(super) static RATE: Rule = Rule {
    id: "physics-bandwidth",
    protects: "rates above what the memory can deliver: bytes counted that never moved, or a cache that served them",
    example: "a row moves 6.1 TB/s on a card whose memory peaks at 4.9 TB/s",
    occasion: Occasion::Build,
    check: Check::Whole(rate),
};

pub(super) static SPAN: Rule = Rule {
    id: "physics-span",
    protects: "times that are mostly the timer's own step",
    example: "a sample spans 3 µs, 93 ticks of a timer of 32 ns",
    occasion: Occasion::Build,
    check: Check::Whole(span),
};

pub(super) static OCCUPANCY: Rule = Rule {
    id: "physics-occupancy",
    protects: "counters that can't be so: more warps on an SM than the launch allows",
    example: "a row's achieved occupancy is 71 % where its blocks allow 50 %",
    occasion: Occasion::Build,
    check: Check::Whole(occupancy),
};

/// What a measurement may exceed the nominal peak by; clocks are nominal to about a percent.
const TOLERANCE: f64 = 1.02;

/// Working sets from this many L2 sizes up come from DRAM whatever the cache holds.
const STREAMING: u64 = 8;

/// Peak of the memory in bytes a nanosecond: two transfers a clock (double data rate) over the whole bus; `None` where
/// the driver does not say.
fn peak(run: &Run) -> Option<f64> {
    let gpu = run.record.header.identity.gpu.as_ref()?;
    let peak = 2.0 * f64::from(gpu.memory_clock_khz) * 1e3 * f64::from(gpu.memory_bus_bits) / 8.0 / 1e9;
    (peak > 0.0).then_some(peak)
}

/// Whether the bytes that rows of the run declare come from DRAM.
fn streams(run: &Run) -> bool {
    let identity = &run.record.header.identity;
    let working_set: u64 = identity.buffers.iter().map(|buffer| buffer.bytes()).sum();
    identity.timing.cache == CachePolicy::Cold || identity.gpu.as_ref().is_some_and(|gpu| working_set >= STREAMING * gpu.l2_bytes)
}

fn rate(checked: &Checked<'_>, problems: &mut Problems) {
    for (_, run) in checked.feeding() {
        let Some(peak) = peak(&run).filter(|_| streams(&run)) else { continue };
        for (index, row) in run.record.rows.iter().enumerate() {
            let Some(bytes) = row.launch.as_ref().and_then(|launch| launch.bytes) else { continue };
            let fastest = run.record.round_ns(index).into_iter().flatten().fold(f64::INFINITY, f64::min);
            let rate = bytes as f64 / fastest;
            if rate > TOLERANCE * peak {
                let at = run.record.results.iter().position(|result| result.row as usize == index).unwrap_or(0);
                let message = format!(
                    "row `{}` would move {rate:.0} GB/s, above the {peak:.0} GB/s that the memory of {} can deliver",
                    row.label,
                    run.made_on()
                );
                problems.push(
                    invalid(checked, &RATE, &run, at, message)
                        .hint("the bytes of `launch.bytes` did not all come from memory: correct them and measure again"),
                );
            }
        }
    }
}

fn occupancy(checked: &Checked<'_>, problems: &mut Problems) {
    for (_, run) in checked.feeding() {
        for (index, profiled) in run.record.profiled.iter().enumerate() {
            let Some((threads, all)) = run.record.theoretical(profiled.row as usize) else { continue };
            let theoretical = f64::from(threads) / f64::from(all.max(1)) * 100.0;
            let achieved = profiled.launches.iter().filter_map(|launch| launch.get(ACHIEVED)).copied().fold(0.0, f64::max);
            if achieved > theoretical + TOLERANCE_POINTS {
                let label = run.record.rows.get(profiled.row as usize).map_or("?", |row| &row.label);
                let message = format!(
                    "row `{label}` would have {achieved:.1} % of an SM's warps, above the {theoretical:.1} % that its launch allows"
                );
                problems.push(invalid(checked, &OCCUPANCY, &run, index, message));
            }
        }
    }
}

fn span(checked: &Checked<'_>, problems: &mut Problems) {
    for (_, run) in checked.feeding() {
        let Some(tick) = run.record.footer.as_ref().and_then(|footer| footer.tick_ns) else { continue };
        let short = run.record.results.iter().enumerate().find_map(|(index, result)| {
            let span = result.spans_ns.iter().copied().min()?;
            (result.outcome == Outcome::Ok && span < LEAST_TICKS.saturating_mul(tick)).then_some((index, result, span))
        });
        if let Some((index, result, span)) = short {
            let label = run.record.rows.get(result.row as usize).map_or("?", |row| &row.label);
            let message = format!("a sample of row `{label}` spans {span} ns, under {LEAST_TICKS} of the timer's ticks of {tick} ns");
            problems.push(invalid(checked, &SPAN, &run, index, message));
        }
    }
}
