//! Holds every run to physics: no rate above a peak, no chain of operations shorter than it is, no
//! span that the timer can't resolve.
//!
//! Must not know which page shows a run.

use super::{Check, Checked, Occasion, Rule, invalid};
use crate::base::problem::Problems;
use crate::base::quantity::Dimension;
use crate::course::sweep::{CachePolicy, Level};
use crate::evidence::Run;
use crate::evidence::profiled::{ACHIEVED, TOLERANCE as TOLERANCE_POINTS};
use crate::evidence::record::{LEAST_TICKS, Outcome, RowPlan};
use crate::plan::launch::{DeviceFacts, Launch};
use crate::plan::physics::Limits;
use crate::plan::{Job, KernelJob};

pub(super) static RATE: Rule = Rule {
    id: "physics-bandwidth",
    protects: "rates above what the memory can deliver: bytes counted that never moved, or a cache that served them",
    example: "a row moves 6.1 TB/s on a card whose memory peaks at 4.9 TB/s",
    occasion: Occasion::Build,
    check: Check::Run(rate),
};

pub(super) static SPAN: Rule = Rule {
    id: "physics-span",
    protects: "times that are mostly the timer's own step",
    example: "a sample spans 3 µs, 93 ticks of a timer of 32 ns",
    occasion: Occasion::Build,
    check: Check::Run(span),
};

pub(super) static OCCUPANCY: Rule = Rule {
    id: "physics-occupancy",
    protects: "counters that can't be so: more warps on an SM than the launch allows",
    example: "a row's achieved occupancy is 71 % where its blocks allow 50 %",
    occasion: Occasion::Build,
    check: Check::Run(occupancy),
};

pub(super) static FLOPS: Rule = Rule {
    id: "physics-flops",
    protects: "operations counted that were never done",
    example: "a row computes 90 TFLOP/s on a card whose stated peak is 67 TFLOP/s",
    occasion: Occasion::Build,
    check: Check::Run(flops),
};

pub(super) static CHAIN: Rule = Rule {
    id: "physics-chain",
    protects: "latencies of operations that did not wait for each other, or that the compiler removed",
    example: "a million dependent additions of 4 cycles take 1 ms at 1.98 GHz, where 2 ms are the least",
    occasion: Occasion::Build,
    check: Check::Run(chain),
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

/// Whether the bytes that row `row` of the run declares come from DRAM, where the sweep does not say.
fn streams(run: &Run, row: &RowPlan) -> bool {
    let identity = &run.record.header.identity;
    let working_set: u64 = identity.buffers_of(row.data).iter().map(|buffer| buffer.bytes()).sum();
    identity.timing.cache == CachePolicy::Cold || identity.gpu.as_ref().is_some_and(|gpu| working_set >= STREAMING * gpu.l2_bytes)
}

/// A row of a run that was timed, with what it can't exceed.
struct Timed<'a> {
    run: &'a Run,
    row: &'a RowPlan,
    gpu: &'a DeviceFacts,
    launch: &'a Launch,
    limits: Limits,
    /// The shortest time of a launch over the rounds, nanoseconds; infinite for a row that was not timed.
    fastest: f64,
    /// The fewest cycles that the longest count of a launch has over the rounds, where cycles are read back.
    cycles: Option<f64>,
}

/// The fewest cycles, over the rounds, of what `kernel` reads back in cycles from row `index`: of several counts the longest one
/// in each round, which may span a chain while others span a part of it.
fn cycles(kernel: &KernelJob, run: &Run, index: usize) -> Option<f64> {
    let counts = kernel.reads.iter().filter(|read| read.unit.dimension == Dimension::CYCLES);
    let rounds: Vec<Vec<Option<f64>>> = counts.map(|read| run.record.round_reads(index, &read.name)).collect();
    let longest = |round: usize| rounds.iter().filter_map(|counts| counts.get(round).copied().flatten()).reduce(f64::max);
    (0..rounds.first()?.len()).filter_map(longest).reduce(f64::min)
}

/// Asks `fault` for what is wrong with each timed row of `run`: a sentence, and what to do.
fn each(
    checked: &Checked<'_>,
    (job, run): (&Job, &Run),
    rule: &Rule,
    problems: &mut Problems,
    fault: impl Fn(&Timed<'_>) -> Option<(String, &'static str)>,
) {
    for (index, row) in run.record.rows.iter().enumerate() {
        let planned = job.rows.iter().find(|planned| planned.label == row.label);
        let gpu = run.record.header.identity.gpu.as_ref();
        let (Some(kernel), Some(planned), Some(launch), Some(gpu)) = (job.kernel(), planned, &row.launch, gpu) else { continue };
        let limits = match kernel.limits(planned, gpu) {
            Ok(limits) => limits,
            // It is the same for all rules and, mostly, for all rows: one of them says it.
            Err(problem) => {
                problems.extend((rule.id == RATE.id).then_some(problem));
                break;
            }
        };
        let fastest = run.round_ns(index).iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let at = run.record.results.iter().position(|result| result.row as usize == index).unwrap_or(0);
        let cycles = cycles(kernel, run, index);
        if let Some((message, hint)) = fault(&Timed { run, row, gpu, launch, limits, fastest, cycles }) {
            problems.push(invalid(checked, rule, run, at, message).hint(hint));
        }
    }
}

fn occupancy(checked: &Checked<'_>, _: &Job, run: &Run, problems: &mut Problems) {
    for (index, profiled) in run.record.profiled.iter().enumerate() {
        let Some((threads, all)) = run.record.theoretical(profiled.row as usize) else { continue };
        let theoretical = f64::from(threads) / f64::from(all.max(1)) * 100.0;
        let achieved = profiled.launches.iter().filter_map(|launch| launch.get(ACHIEVED)).copied().fold(0.0, f64::max);
        if achieved > theoretical + TOLERANCE_POINTS {
            let label = run.record.rows.get(profiled.row as usize).map_or("?", |row| &row.label);
            let message =
                format!("row `{label}` would have {achieved:.1} % of an SM's warps, above the {theoretical:.1} % that its launch allows");
            problems.push(invalid(checked, &OCCUPANCY, run, index, message));
        }
    }
}

fn rate(checked: &Checked<'_>, job: &Job, run: &Run, problems: &mut Problems) {
    each(checked, (job, run), &RATE, problems, |timed| {
        let (level, peak) = match timed.limits.level {
            None if !streams(timed.run, timed.row) => return None,
            None | Some(Level::Dram) => ("memory", peak(timed.run)?),
            Some(level) => (level.name(), timed.limits.bandwidth? / 1e9),
        };
        let rate = timed.launch.bytes? as f64 / timed.fastest;
        (rate > TOLERANCE * peak).then(|| {
            let message = format!(
                "row `{}` would move {rate:.0} GB/s, above the {peak:.0} GB/s that the {level} of {} can deliver",
                timed.row.label, timed.gpu.name
            );
            (message, "the bytes of `launch.bytes` did not all come from there: correct them and measure again")
        })
    });
}

fn flops(checked: &Checked<'_>, job: &Job, run: &Run, problems: &mut Problems) {
    each(checked, (job, run), &FLOPS, problems, |timed| {
        let peak = timed.limits.flops? / 1e9;
        let rate = timed.launch.flop? as f64 / timed.fastest;
        (rate > TOLERANCE * peak).then(|| {
            let message = format!("row `{}` would compute {rate:.0} GFLOP/s, above the peak of {peak:.0} GFLOP/s", timed.row.label);
            (message, "the operations of `launch.flop` were not all done, or the peak is of another kind of arithmetic")
        })
    });
}

fn chain(checked: &Checked<'_>, job: &Job, run: &Run, problems: &mut Problems) {
    each(checked, (job, run), &CHAIN, problems, |timed| {
        let (chain, top_khz) = (timed.limits.cycles?, f64::from(timed.gpu.sm_clock_khz));
        let least = chain / top_khz * 1e6;
        let hint = "the operations don't wait for each other, or the compiler removed some: look at the code it made";
        let label = &timed.row.label;
        if top_khz > 0.0 && timed.fastest * TOLERANCE < least {
            let took = format!("a launch of row `{label}` took {:.0} ns", timed.fastest);
            return Some((format!("{took}, and its chain of operations takes {least:.0} ns at the top clock"), hint));
        }
        // The clock may be read while the last operation is on its way.
        let counted = timed.cycles.filter(|counted| counted * TOLERANCE < chain)?;
        let message = format!("row `{label}` counted {counted:.0} cycles at most, and its chain of operations takes {chain:.0}");
        Some((message, hint))
    });
}

fn span(checked: &Checked<'_>, _: &Job, run: &Run, problems: &mut Problems) {
    let Some(tick) = run.record.footer.as_ref().and_then(|footer| footer.tick_ns) else { return };
    let short = run.record.results.iter().enumerate().find_map(|(index, result)| {
        let span = result.spans_ns.iter().copied().min()?;
        (result.outcome == Outcome::Ok && span < LEAST_TICKS.saturating_mul(tick)).then_some((index, result, span))
    });
    if let Some((index, result, span)) = short {
        let label = run.record.rows.get(result.row as usize).map_or("?", |row| &row.label);
        let message = format!("a sample of row `{label}` spans {span} ns, under {LEAST_TICKS} of the timer's ticks of {tick} ns");
        problems.push(invalid(checked, &SPAN, run, index, message));
    }
}
