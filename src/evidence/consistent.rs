//! Turns a record into the first place where it contradicts itself, if any: such a record is no evidence.
//!
//! Must not know the course: whether a record is of the sweep as it is now, the rules say. A digest shows that bytes were
//! changed by accident; this shows what can't have been measured. Neither shows a forgery that is careful enough; only the
//! history of the repository does.

mod program;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDateTime};

use crate::course::sweep::{CachePolicy, Role};
use crate::plan::fingerprint::Fingerprint;
use crate::plan::launch::{Check, DeviceFacts, Launch, Residency};
use crate::plan::lines as planned;
use crate::plan::{OwnValue, PlannedRow};

use super::canary::CanaryResult;
use super::compiled;
use super::lines;
use super::order::order;
use super::profiled;
use super::record::{Identity, Outcome, Receipt, Record, RowPlan, RowResult, RunKind};
use super::run::FAKE;
use super::verdict;

/// Most rounds of a run and most samples of a row in a round: what a manifest may ask for.
const MOST_ROUNDS: u32 = 1000;
const MOST_SAMPLES: u32 = 100_000;
/// Fewest launches of warm-up before samples that count.
const WARMUP_LAUNCHES: u32 = 3;
/// The SM clock may be above what the driver calls its top by this much: clocks are nominal, and the probe has an error.
const CLOCK_TOLERANCE: f64 = 1.05;
/// No sensor of a card that works reads more, degrees Celsius.
const HOTTEST_C: u32 = 150;

/// A contradiction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line of the record, from 1.
    pub line: usize,
    /// One sentence without a full stop.
    pub message: String,
}

/// What one part of a record says against another.
pub(super) type Contradiction = Result<(), String>;

pub(super) fn holds(condition: bool, message: impl FnOnce() -> String) -> Contradiction {
    if condition { Ok(()) } else { Err(message()) }
}

/// The first contradiction in `record`.
#[must_use]
pub fn first_fault(record: &Record) -> Option<Fault> {
    if record.header.kind == RunKind::Compile {
        return compiled::first_fault(record).err().map(|(line, message)| Fault { line, message });
    }
    if record.header.kind == RunKind::Profile {
        return profiled::first_fault(record).err().map(|(line, message)| Fault { line, message });
    }
    let checked = if record.header.kind == RunKind::Program { program::check(record) } else { kernel(record) };
    checked.err()
}

/// `message` about the line `line`.
fn at(line: usize) -> impl Fn(String) -> Fault {
    move |message| Fault { line, message }
}

fn kernel(record: &Record) -> Result<(), Fault> {
    header(record).map_err(at(1))?;
    for (index, row) in record.rows.iter().enumerate() {
        self::row(record, row).map_err(|why| at(2 + index)(format!("row `{}` {why}", row.label)))?;
    }
    rows(record).map_err(at(2))?;
    for (index, result) in record.results.iter().enumerate() {
        let label = record.rows.get(result.row as usize).map_or("?", |row| &row.label);
        self::result(record, result)
            .map_err(|why| at(lines::result_line(record, index))(format!("row `{label}` in round {} {why}", result.round)))?;
    }
    in_order(record).map_err(|(index, why)| at(lines::result_line(record, index))(why))?;
    for (index, result) in record.canaries.iter().enumerate() {
        let name = result.canary.word();
        canary(record, result).map_err(|why| at(lines::canary_line(record, index))(format!("the canary `{name}` {why}")))?;
    }
    let last = 2 + record.rows.len() + record.results.len() + record.canaries.len();
    canaries(record).map_err(at(last))?;
    footer(record).map_err(at(last))
}

fn header(record: &Record) -> Contradiction {
    let header = &record.header;
    let identity = &header.identity;
    run(record)?;
    let timing = &identity.timing;
    let gpu = gpu(record)?;
    of_gpu(record, gpu)?;
    options(identity, gpu, &header.code.options)?;
    let evicted = (timing.cache == CachePolicy::Cold).then(|| gpu.l2_bytes.saturating_mul(2));
    holds(identity.flush_bytes == evicted, || {
        format!(
            "{} samples of this device evict {} bytes, and the record says {}",
            timing.cache.name(),
            shown(evicted),
            shown(identity.flush_bytes)
        )
    })?;
    fingerprint(record)
}

/// What a header says of any run: when, of how many rounds, of which rows.
fn run(record: &Record) -> Contradiction {
    let header = &record.header;
    time(&header.started)?;
    if let Some(stranger) = header.circumstance.only_rows.iter().find(|label| record.row_index(label).is_none()) {
        return Err(format!("the row `{stranger}` was asked for, and there is none"));
    }
    let timing = &header.identity.timing;
    let in_range = (1..=MOST_ROUNDS).contains(&timing.rounds) && (1..=MOST_SAMPLES).contains(&timing.samples);
    holds(in_range, || format!("{} rounds of {} samples are no run", timing.rounds, timing.samples))
}

/// The run goes by the slug of its GPU.
fn of_gpu(record: &Record, gpu: &DeviceFacts) -> Contradiction {
    let (slug, device) = (gpu.slug(), &record.header.device);
    holds(*device == slug, || format!("a {} is the device `{slug}`, and the record calls it `{device}`", gpu.name))
}

fn gpu(record: &Record) -> Result<&DeviceFacts, String> {
    record.header.identity.gpu.as_ref().ok_or_else(|| "the run names no GPU".to_owned())
}

fn shown(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "none".to_owned(), |bytes| bytes.to_string())
}

/// `text` as the moment that it names.
pub(super) fn time(text: &str) -> Result<NaiveDateTime, String> {
    DateTime::parse_from_rfc3339(text).map(|time| time.naive_utc()).map_err(|_| format!("`{text}` is no day and time"))
}

/// The options are those of the code, for the architecture of the device.
fn options(identity: &Identity, gpu: &DeviceFacts, own: &[String]) -> Contradiction {
    let (options, architecture) = (&identity.compile_options, &identity.architecture);
    let of_device = gpu.architecture();
    holds(architecture.starts_with(&of_device), || format!("the device is of {of_device}, and the code was compiled for {architecture}"))?;
    holds(options.contains(&format!("--gpu-architecture={architecture}")), || format!("the options do not ask for {architecture}"))?;
    holds(options.ends_with(own), || "the options are not those of the code".to_owned())
}

/// The fingerprint is the digest of its lines, and the lines are of the code, the data and the timing that the record holds.
fn fingerprint(record: &Record) -> Contradiction {
    let (header, identity) = (&record.header, &record.header.identity);
    let lines = &header.fingerprint_lines;
    digest(record)?;
    let beginning = |openings: &[&str]| beginning(lines, openings);
    let code = planned::code(&header.code);
    holds(beginning(&["device: ", "host: ", "header ", "option "]) == code, || "the code is not the code of the fingerprint".to_owned())?;
    let of_rows = record.rows.iter().map(|row| (row.label.as_str(), row.data));
    let data = planned::all_data(&identity.all_data(), of_rows);
    let same = beginning(&["buffer ", "input ", "check ", "data "]) == data;
    holds(same, || "the buffers, inputs or check are not those of the fingerprint".to_owned())?;
    let reads = record.rows.iter().flat_map(|row| row.reads.iter().map(|read| (row.label.as_str(), read.clone())));
    holds(beginning(&["read "]) == planned::reads(reads), || "what is read back is not what the fingerprint says".to_owned())?;
    // `--rounds` may ask for more or fewer rounds than the sweep does.
    let but_rounds = |line: &str| line.split(", ").filter(|part| !part.starts_with("rounds ")).map(str::to_owned).collect::<Vec<_>>();
    let timing = but_rounds(&planned::timing(&identity.timing));
    let same = matches!(*beginning(&["timing "]), [line] if but_rounds(line) == timing);
    holds(same, || "the timing is not that of the fingerprint".to_owned())?;
    row_lines(record)
}

fn digest(record: &Record) -> Contradiction {
    let digest = Fingerprint::of(record.header.fingerprint_lines.clone()).digest;
    holds(digest == record.header.identity.fingerprint, || "the fingerprint is not the digest of its lines".to_owned())
}

/// The ones of `lines` that begin with one of `openings`.
fn beginning<'a>(lines: &'a [String], openings: &[&str]) -> Vec<&'a str> {
    lines.iter().map(String::as_str).filter(|line| openings.iter().any(|opening| line.starts_with(opening))).collect()
}

fn row_lines(record: &Record) -> Contradiction {
    let mut rows = record.rows.iter().map(row_line).collect::<Result<Vec<_>, _>>()?;
    rows.sort();
    holds(beginning(&record.header.fingerprint_lines, &["row '"]) == rows, || "the rows are not those of the fingerprint".to_owned())
}

/// The line of the fingerprint that a recorded row gives.
fn row_line(row: &RowPlan) -> Result<String, String> {
    let value = |(name, text): &(String, String)| match OwnValue::parse(text) {
        Ok(value) => Ok((name.clone(), value)),
        Err(why) => Err(format!("row `{}` has `{text}` for {name}: {why}", row.label)),
    };
    let values = row.values.iter().map(value).collect::<Result<_, _>>()?;
    Ok(planned::row(&PlannedRow { label: row.label.clone(), values }))
}

/// A row was either planned whole or skipped, and asks of the device what the device can give.
fn row(record: &Record, row: &RowPlan) -> Contradiction {
    let whole = match (&row.launch, &row.residency, &row.skipped) {
        (Some(launch), Some(residency), None) => Some((launch, residency)),
        (None, None, Some(_)) => None,
        _ => return Err("is neither planned whole nor skipped".to_owned()),
    };
    let known = row.data as usize <= record.header.identity.other_data.len();
    holds(known, || format!("works on data {}, which the record does not hold", row.data))?;
    let timing = &record.header.identity.timing;
    let once = timing.cache == CachePolicy::Cold || whole.is_none() || !timing.time;
    holds(!once || row.launches_per_sample == 1, || format!("has {} launches in a cold sample", row.launches_per_sample))?;
    whole.map_or(Ok(()), |(launch, residency)| resident(gpu(record)?, launch, residency))
}

/// The blocks that are resident fit on an SM.
fn resident(gpu: &DeviceFacts, launch: &Launch, residency: &Residency) -> Contradiction {
    let blocks = u128::from(residency.blocks_per_sm);
    let threads: u128 = launch.shape.block.iter().map(|&side| u128::from(side)).product();
    let threads = threads.next_multiple_of(u128::from(gpu.warp_size.max(1)));
    let shared = u128::from(launch.shape.shared_bytes) + u128::from(residency.kernel.static_shared_bytes);
    let demands = [
        ("blocks", 1, gpu.blocks_per_sm),
        ("threads", threads, gpu.threads_per_sm),
        ("registers", threads * u128::from(residency.kernel.registers), gpu.registers_per_sm),
        ("bytes of shared memory", shared, gpu.shared_bytes_per_sm),
    ];
    for (what, demand, most) in demands {
        let all = blocks.saturating_mul(demand);
        holds(all <= u128::from(most), || format!("has {blocks} blocks on an SM, which need {all} {what} of {most}"))?;
    }
    Ok(())
}

/// Labels are unique, and the driver says the same of the same kernel and shape.
fn rows(record: &Record) -> Contradiction {
    let mut labels = BTreeSet::new();
    let (mut kernels, mut shapes) = (BTreeMap::new(), BTreeMap::new());
    for row in &record.rows {
        holds(labels.insert(&row.label), || format!("two rows are called `{}`", row.label))?;
        let (Some(launch), Some(residency)) = (&row.launch, &row.residency) else { continue };
        let kernel = (&launch.shape.kernel, &launch.shape.options);
        let same = *kernels.entry(kernel).or_insert(&residency.kernel) == &residency.kernel;
        holds(same, || format!("the driver says of the kernel `{}` now one thing, now another", kernel.0))?;
        let same = *shapes.entry(&launch.shape).or_insert(residency) == residency;
        holds(same, || format!("the driver gives row `{}` another residency than a row of the same shape", row.label))?;
    }
    Ok(())
}

/// A result holds what its outcome says, and its outcome is what its samples allow.
fn result(record: &Record, result: &RowResult) -> Contradiction {
    let identity = &record.header.identity;
    let Some(row) = record.rows.get(result.row as usize).filter(|row| row.skipped.is_none()) else {
        return Err("was skipped and has a result".to_owned());
    };
    let is_measured = identity.timing.time || !row.reads.is_empty();
    let samples = if is_measured { identity.timing.samples as usize } else { 0 };
    let taken = result.clock_mhz.len();
    let spans = if identity.timing.time { taken } else { 0 };
    holds(taken <= samples && result.spans_ns.len() == spans, || {
        format!("has {} spans and {taken} clocks of {samples} samples", result.spans_ns.len())
    })?;
    let planned = |name: &String| row.reads.iter().any(|read| read.name == *name);
    let reads_fit = result.reads.iter().all(|(name, reads)| planned(name) && reads.len() <= taken);
    holds(reads_fit, || "has figures read back that are not planned, or after no sample".to_owned())?;
    holds(result.temperature_c.is_none_or(|degrees| degrees <= HOTTEST_C), || "is hotter than any card".to_owned())?;
    let top = f64::from(gpu(record)?.sm_clock_khz) / 1000.0;
    let high = result.clock_mhz.iter().copied().max().filter(|&clock| top > 0.0 && f64::from(clock) > CLOCK_TOLERANCE * top);
    holds(high.is_none(), || format!("ran at {} MHz on a device whose top is {top:.0} MHz", high.unwrap_or(0)))?;
    result.before.iter().chain(&result.after).try_for_each(|receipt| self::receipt(identity, row.data, receipt))?;
    match &result.outcome {
        Outcome::Ok | Outcome::Throttled(_) | Outcome::TooShort(_) => {
            holds(taken == samples, || format!("is {} after {taken} of {samples} samples", result.outcome.word()))?;
            let all_read = row.reads.iter().all(|read| result.reads.get(&read.name).is_some_and(|reads| reads.len() == taken));
            holds(all_read, || format!("is {} and not all was read back", result.outcome.word()))?;
            judged(record, row, result)
        }
        Outcome::Incorrect(_) => {
            let wrong = result.before.iter().chain(&result.after).any(|receipt| receipt.wrong > 0);
            holds(wrong, || "is incorrect, and no comparison found anything wrong".to_owned())
        }
        _ => holds(result.after.is_none(), || format!("is {} and was compared after its samples", result.outcome.word())),
    }
}

/// A canary holds what its outcome says, and does the same in every round.
fn canary(record: &Record, result: &CanaryResult) -> Contradiction {
    let (samples, taken) = (record.header.identity.timing.samples as usize, result.spans_ns.len());
    holds(taken <= samples && taken == result.clock_mhz.len(), || {
        format!("has {taken} spans and {} clocks of {samples} samples", result.clock_mhz.len())
    })?;
    let first = record.canary_work(result.canary).unwrap_or((result.launches, result.work));
    holds((result.launches, result.work) == first && result.launches > 0, || "does another work than in the rounds before".to_owned())?;
    if !matches!(result.outcome, Outcome::Ok | Outcome::Throttled(_)) {
        return Ok(());
    }
    holds(taken == samples, || format!("is {} after {taken} of {samples} samples", result.outcome.word()))?;
    holds(!result.spans_ns.contains(&0), || "has a sample that took no time".to_owned())?;
    let allowed = verdict::throttled(&result.clock_mhz, [&result.throttle_before, &result.throttle_after]).unwrap_or(Outcome::Ok);
    holds(allowed.word() == result.outcome.word(), || format!("is {}, and its samples say {}", result.outcome.word(), allowed.word()))
}

/// A device has a canary or has none: each that ran in a round ran, well or not, in every round of which there is a result.
fn canaries(record: &Record) -> Contradiction {
    let kinds: BTreeSet<_> = record.canaries.iter().map(|result| result.canary).collect();
    let seen: BTreeSet<_> = record.canaries.iter().map(|result| (result.round, result.canary)).collect();
    for result in &record.results {
        let missing = kinds.iter().find(|&&canary| !seen.contains(&(result.round, canary)));
        holds(missing.is_none(), || format!("round {} lacks the canary `{}`", result.round, missing.map_or("?", |canary| canary.word())))?;
    }
    Ok(())
}

/// The outcome of a row whose samples were all taken is the one that they allow.
fn judged(record: &Record, row: &RowPlan, result: &RowResult) -> Contradiction {
    let least = verdict::least_span_ns(record.header.circumstance.planned_tick_ns);
    let allowed = verdict::of_samples(result, &record.header.identity.timing, row.launches_per_sample, least);
    holds(allowed.word() == result.outcome.word(), || {
        let why = allowed.why().map(|why| format!(": {why}")).unwrap_or_default();
        format!("is {}, and its samples say {}{why}", result.outcome.word(), allowed.word())
    })?;
    if result.outcome != Outcome::Ok || result.clock_mhz.is_empty() {
        return Ok(());
    }
    holds(!result.spans_ns.contains(&0), || "has a sample that took no time".to_owned())?;
    holds(!result.clock_mhz.contains(&0), || "has a sample in which the clock stood still".to_owned())?;
    holds(result.empty_pair_ns.is_some(), || "is ok without an empty event pair".to_owned())?;
    holds(result.warmup_launches >= WARMUP_LAUNCHES, || format!("was warmed up by {} launches", result.warmup_launches))
}

/// A comparison looked at every output, and what it found right was within the tolerance.
fn receipt(identity: &Identity, data: u32, receipt: &Receipt) -> Contradiction {
    let outputs = identity.buffers_of(data).iter().filter(|buffer| matches!(buffer.role, Role::Out | Role::Inout));
    let outputs = outputs.fold(0_u64, |sum, buffer| sum.saturating_add(buffer.count));
    let (seen, wrong) = (receipt.elements, receipt.wrong);
    holds(identity.check.is_some(), || "was compared, and the sweep has no check".to_owned())?;
    holds(seen == outputs && wrong <= seen, || format!("was compared in {seen} elements of {outputs}, {wrong} of them wrong"))?;
    holds(receipt.first_wrong.is_some() == (wrong > 0), || "names a wrong element without one, or none of them".to_owned())?;
    let error: f64 = receipt.largest_relative.parse().unwrap_or(f64::NAN);
    holds(error >= 0.0, || format!("has `{}` for its largest error", receipt.largest_relative))?;
    match &identity.check {
        // An absolute bound lets any relative error pass where the expected value is small.
        Some(Check::Reference { relative, absolute, .. }) if *absolute == 0.0 && wrong == 0 => {
            holds(error <= *relative, || format!("has an error of {error:e} beyond the tolerance of {relative:e} and nothing wrong"))
        }
        _ => Ok(()),
    }
}

/// Results stand in the order that the seed gives, none left out before the last but those of rows that were not asked for: the
/// index of the first that doesn't.
fn in_order(record: &Record) -> Result<(), (usize, String)> {
    let count = u32::try_from(record.rows.len()).unwrap_or(u32::MAX);
    let rounds = 1..=record.header.identity.timing.rounds;
    let asked: BTreeSet<u32> = record.asked().into_iter().collect();
    let (seed, is_asked) = (record.header.order_seed, |row: &u32| asked.contains(row));
    let mut expected = rounds.flat_map(|round| order(seed, round, count).into_iter().filter(is_asked).map(move |row| (round, row)));
    for (index, tried) in record.in_order().enumerate() {
        let next = expected.next();
        if next != Some(tried) {
            let (round, row) = next.unwrap_or_default();
            let why = format!("by the seed, row {row} in round {round} comes here, and not row {} in round {}", tried.1, tried.0);
            return Err((index, why));
        }
    }
    let all = record.rows.iter().filter(|row| row.skipped.is_none()).count() as u64 * u64::from(record.header.identity.timing.rounds);
    let complete = record.is_complete() && (record.tried() as u64) < all;
    if complete { Err((record.tried(), "the record calls itself complete, and results are missing".to_owned())) } else { Ok(()) }
}

/// The run ended after it began, and took at least as long as its samples; the tick is the one that they show.
pub(super) fn footer(record: &Record) -> Contradiction {
    let Some(footer) = &record.footer else { return Ok(()) };
    let took = time(&footer.ended)?.signed_duration_since(time(&record.header.started)?);
    holds(took.num_seconds() >= 0, || format!("the run ended at {}, before it began", footer.ended))?;
    for resumed in &footer.resumed {
        time(&resumed.at)?;
        let (after, all) = (resumed.results as usize, record.tried());
        holds(after <= all, || format!("the run was gone on with after {after} of {all} results"))?;
    }
    let spans = || record.results.iter().flat_map(|result| result.spans_ns.iter().copied());
    let of_canaries = record.canaries.iter().flat_map(|result| result.spans_ns.iter().copied());
    let spanned = spans().chain(of_canaries).fold(0_u64, u64::saturating_add) / 1_000_000_000;
    // A fake device takes no time; seconds are written without their parts.
    let fits = record.header.circumstance.backend == FAKE || i128::from(spanned) <= i128::from(took.num_seconds()) + 1;
    holds(fits, || format!("the samples span {spanned} s of a run that took {} s", took.num_seconds()))?;
    let tick = verdict::tick_ns(spans());
    holds(footer.tick_ns == tick, || format!("the timer's tick is {}, and the samples show {}", shown(footer.tick_ns), shown(tick)))
}

#[cfg(test)]
mod forged;
#[cfg(test)]
mod tests;
