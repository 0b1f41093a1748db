//! Turns a record into its transcript: dated text for people, a pure function of the record and nothing else.
//!
//! Must not know the course, nor derived columns: only what was planned, asked of the driver, and measured.

mod program;

use std::fmt::Write as _;

use super::canary::Canary;
use super::compiled_transcript;
use super::profiled_transcript;
use super::record::{Outcome, Receipt, Record, RowPlan, RunKind};
use crate::base::statistics::{LEVEL, half_width, median};
use crate::course::sweep::CachePolicy;
use crate::plan::launch::{Check, DeviceFacts, Read};

/// The transcript of `record`; LF line ends, no trailing blanks.
#[must_use]
pub fn transcript(record: &Record) -> String {
    if record.header.kind == RunKind::Compile {
        return compiled_transcript::transcript(record);
    }
    if record.header.kind == RunKind::Profile {
        return profiled_transcript::transcript(record, &heading(record));
    }
    let (mut text, sections) = match record.header.kind {
        RunKind::Program => (program::heading(record), vec![outcomes(record), unknown(record), program::outputs(record)]),
        _ => (heading(record), vec![outcomes(record), reads(record), checks(record), clocks(record), canaries(record), unknown(record)]),
    };
    text.push('\n');
    text.push_str(&table(record));
    for section in sections {
        if !section.is_empty() {
            text.push('\n');
            text.push_str(&section);
        }
    }
    text
}

/// `Name      value` lines with the values in one column.
fn heading(record: &Record) -> String {
    let header = &record.header;
    let (identity, circumstance) = (&header.identity, &header.circumstance);
    let gpu = identity.gpu.as_ref();
    let mut lines = opening(record);
    lines.extend([
        ("Complete", complete(record)),
        ("Device", gpu.map_or_else(|| "none".to_owned(), named)),
        ("", gpu.map(described).unwrap_or_default()),
        ("Memory clock", identity.memory_clock_mhz.map_or_else(|| "unknown".to_owned(), |mhz| format!("{mhz} MHz"))),
        ("Driver", format!("{}, CUDA {}", known(&circumstance.driver), known(&identity.driver_cuda))),
        ("NVRTC", known(&identity.nvrtc)),
        ("Architecture", identity.architecture.clone()),
        ("Options", if identity.compile_options.is_empty() { "none".to_owned() } else { identity.compile_options.join(" ") }),
        ("Host compiler", known(&identity.host_compiler)),
        (
            "Host",
            format!("{}, {}, hypervisor {}", known(&circumstance.host_cpu), known(&circumstance.kernel), known(&circumstance.hypervisor)),
        ),
        ("Commit", commit(record)),
        ("lessonc", circumstance.lessonc.clone()),
        ("Backend", circumstance.backend.clone()),
        ("Timing", if header.kind == RunKind::Kernel { timing(record) } else { "none: launched under a profiler".to_owned() }),
        ("Fingerprint", identity.fingerprint.to_string()),
    ]);
    for resumed in record.footer.iter().flat_map(|footer| &footer.resumed) {
        lines.push(("Resumed", format!("{}, after {} results", resumed.at, resumed.results)));
    }
    for reason in &circumstance.busy {
        lines.push(("Busy", format!("the GPU was not idle when the run began: {}", one_line(reason))));
    }
    if let Some(looks) = circumstance.looks {
        let times = if looks == 1 { "once".to_owned() } else { format!("{looks} times") };
        lines.push(("Compared", format!("{times} with the run before, to see whether more rounds were needed")));
    }
    if let Some(replayed) = &circumstance.replayed {
        lines.push(("Replay of", replayed.clone()));
    }
    lines_of(&lines)
}

/// A GPU's name with its MIG profile.
fn named(gpu: &DeviceFacts) -> String {
    format!("{}{}", gpu.name, gpu.mig.as_ref().map(|mig| format!(", MIG {mig}")).unwrap_or_default())
}

/// What the driver says of a GPU, in a line.
fn described(gpu: &DeviceFacts) -> String {
    format!(
        "compute capability {}.{}, {} SMs, L2 {} B, memory {} B, bus {} bit, ECC {}",
        gpu.compute_capability.0,
        gpu.compute_capability.1,
        gpu.sms,
        gpu.l2_bytes,
        gpu.memory_bytes,
        gpu.memory_bus_bits,
        if gpu.ecc { "on" } else { "off" }
    )
}

/// `value`, or that it is not known.
pub(super) fn known(value: &Option<String>) -> String {
    value.clone().unwrap_or_else(|| "unknown".to_owned())
}

/// The lines that every heading begins with.
pub(super) fn opening(record: &Record) -> Vec<(&'static str, String)> {
    let header = &record.header;
    let mut lines = vec![
        ("Sweep", header.sweep.clone()),
        ("Source", header.code.source.clone()),
        ("Started", header.started.clone()),
        ("Ended", record.footer.as_ref().map_or_else(|| "cut short".to_owned(), |footer| footer.ended.clone())),
    ];
    if let Some(private) = header.circumstance.private {
        lines.push(("Private", format!("made by `{}`, and no evidence", private.command())));
    }
    lines
}

/// `Name      value` lines with the values in one column.
pub(super) fn lines_of(lines: &[(&str, String)]) -> String {
    lines.iter().fold(String::new(), |text, (name, value)| text + format!("{name:<15}{value}").trim_end() + "\n")
}

pub(super) fn commit(record: &Record) -> String {
    let circumstance = &record.header.circumstance;
    match (&circumstance.commit, circumstance.dirty) {
        (None, _) => "unknown".to_owned(),
        (Some(commit), Some(false)) => commit.clone(),
        (Some(commit), Some(true)) => format!("{commit}, with changes that were not committed"),
        (Some(commit), None) => format!("{commit}, changes unknown"),
    }
}

pub(super) fn complete(record: &Record) -> String {
    let only = &record.header.circumstance.only_rows;
    match (record.is_complete(), only.is_empty()) {
        (true, _) => "yes".to_owned(),
        (false, true) => "no: this run was interrupted".to_owned(),
        (false, false) => format!("no: only {} of the rows were asked for: {}", only.len(), only.join(", ")),
    }
}

fn timing(record: &Record) -> String {
    let timing = &record.header.identity.timing;
    let cache = match (timing.cache, record.header.identity.flush_bytes) {
        (CachePolicy::Warm, _) => "warm cache".to_owned(),
        (CachePolicy::Cold, Some(bytes)) => format!("cold cache ({bytes} B read before each sample)"),
        (CachePolicy::Cold, None) => "cold cache".to_owned(),
    };
    let tick = match record.footer.as_ref().and_then(|footer| footer.tick_ns) {
        Some(tick) => format!("; timer tick {tick} ns"),
        None => String::new(),
    };
    let (rounds, samples) = (timing.rounds, timing.samples);
    let rounds = if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
    format!("{cache}; {rounds} of {samples} samples a row, order from seed {}{tick}", record.header.order_seed)
}

/// Cells of a table, the first row its heads; numbers to the right.
#[must_use]
pub fn align(rows: &[Vec<String>], left: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // Padding by hand: the format machinery counts characters too, but the last column must not be padded.
            let padding = " ".repeat(width - cell.chars().count());
            let gap = if column > 0 { "  " } else { "" };
            let _ = if column < left { write!(line, "{gap}{cell}{padding}") } else { write!(line, "{gap}{padding}{cell}") };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Median over rounds, half the 99 % interval of their mean, and their range: of a row in ms with `decimals` decimals.
fn times(record: &Record, (row, rounds_ns): (usize, &[Option<f64>]), decimals: usize) -> [String; 4] {
    let rounds: Vec<f64> = rounds_ns.iter().flatten().map(|ns| ns / 1e6).collect();
    summary(&rounds, record.quantum_ns(row) / 1e6, decimals)
}

/// The same of `rounds`, milliseconds read in steps of `quantum`.
fn summary(rounds: &[f64], quantum: f64, decimals: usize) -> [String; 4] {
    let absent = || "-".to_owned();
    let Some((low, high)) = range(rounds) else { return [absent(), absent(), absent(), absent()] };
    let median = median(rounds).unwrap_or(low);
    let spread = half_width(rounds, quantum, LEVEL) / median * 100.0;
    let spread = if spread.is_finite() { format!("{spread:.2} %") } else { absent() };
    [format!("{median:.decimals$}"), spread, format!("{low:.decimals$}"), format!("{high:.decimals$}")]
}

fn range(values: &[f64]) -> Option<(f64, f64)> {
    let first = *values.first()?;
    Some(values.iter().fold((first, first), |(low, high), &value| (low.min(value), high.max(value))))
}

/// Decimals of a millisecond that give the shortest time five significant digits, nanoseconds at most.
fn decimals(rounds_ns: &[Vec<Option<f64>>]) -> usize {
    let shortest = rounds_ns.iter().flatten().flatten().copied().fold(f64::INFINITY, f64::min) / 1e6;
    [1e4, 1e3, 1e2, 1e1, 1e0, 1e-1].iter().position(|least| shortest >= *least).unwrap_or(6)
}

fn shape(dimensions: [u32; 3]) -> String {
    match dimensions {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("{x}x{y}"),
        [x, y, z] => format!("{x}x{y}x{z}"),
    }
}

/// The table of rows: their values, launches and times.
#[must_use]
pub fn table(record: &Record) -> String {
    if record.header.kind == RunKind::Compile {
        return compiled_transcript::table(record);
    }
    if record.header.kind == RunKind::Profile {
        return profiled_transcript::table(record);
    }
    if record.header.kind == RunKind::Program {
        return program::table(record);
    }
    let rounds_ns = record.rounds_ns();
    let decimals = decimals(&rounds_ns);
    let names: Vec<&String> = record.rows.first().map(|row| row.values.iter().map(|(name, _)| name).collect()).unwrap_or_default();
    let reads: Vec<&Read> = record.rows.first().map(|row| row.reads.iter().collect()).unwrap_or_default();
    let options = record.rows.iter().filter_map(|row| row.launch.as_ref()).any(|launch| !launch.shape.options.is_empty());
    let timing = &record.header.identity.timing;
    let mut head = vec!["row".to_owned()];
    head.extend(names.iter().map(|name| name.to_string()));
    let own = options.then_some("options").into_iter();
    let times_of: &[&str] = if timing.time { &["ms", "± 99 %", "min", "max"] } else { &[] };
    let fixed = ["grid", "block", "blocks/SM", "registers"].into_iter().chain(own).chain(["launches"]);
    head.extend(fixed.chain(times_of.iter().copied()).map(str::to_owned));
    head.extend(reads.iter().map(|read| read.name.clone()));
    head.extend(["rounds", "outcome"].map(str::to_owned));
    let mut rows = vec![head];
    for (index, row) in record.rows.iter().enumerate() {
        let mut cells = vec![row.label.clone()];
        cells.extend(names.iter().map(|&name| value(row, name)));
        let absent = || "-".to_owned();
        cells.push(row.launch.as_ref().map_or_else(absent, |launch| shape(launch.grid)));
        cells.push(row.launch.as_ref().map_or_else(absent, |launch| shape(launch.shape.block)));
        cells.push(row.residency.as_ref().map_or_else(absent, |answer| answer.blocks_per_sm.to_string()));
        cells.push(row.residency.as_ref().map_or_else(absent, |answer| answer.kernel.registers.to_string()));
        let row_options = || row.launch.as_ref().filter(|launch| !launch.shape.options.is_empty());
        cells.extend(options.then(|| row_options().map_or_else(absent, |launch| launch.shape.options.join(" "))));
        cells.push(row.launches_per_sample.to_string());
        cells.extend(times(record, (index, &rounds_ns[index]), decimals).into_iter().take(times_of.len()));
        cells.extend(reads.iter().map(|read| read_back(record, index, &read.name)));
        let ok = record.results_of(index).filter(|result| result.outcome == Outcome::Ok).count();
        cells.push(format!("{ok}/{}", timing.rounds));
        cells.push(word(record, index).to_owned());
        rows.push(cells);
    }
    align(&rows, 1)
}

/// The median over the rounds of what was read back as `name` in row `row`, as it was read.
fn read_back(record: &Record, row: usize, name: &str) -> String {
    let rounds: Vec<f64> = record.round_reads(row, name).into_iter().flatten().collect();
    median(&rounds).map_or_else(|| "-".to_owned(), |median| median.to_string())
}

/// What is read back after each sample, and from where.
fn reads(record: &Record) -> String {
    let Some(first) = record.rows.first().filter(|row| !row.reads.is_empty()) else { return String::new() };
    let width = first.reads.iter().map(|read| read.name.chars().count()).max().unwrap_or(0);
    let line = |read: &Read| {
        let same = record.rows.iter().all(|row| row.reads.iter().any(|other| other == read));
        let words = if same { read.words() } else { format!("an element of {}, by row", read.buffer) };
        format!("  {}{}  {words}\n", read.name, " ".repeat(width - read.name.chars().count()))
    };
    first.reads.iter().fold("Read back after each sample\n".to_owned(), |text, read| text + &line(read))
}

pub(super) fn value(row: &RowPlan, name: &str) -> String {
    row.values.iter().find(|(known, _)| known == name).map_or_else(|| "-".to_owned(), |(_, value)| value.clone())
}

/// How a row ended over all rounds, in one word.
fn word(record: &Record, row: usize) -> &'static str {
    if record.rows[row].skipped.is_some() {
        return "skipped";
    }
    match record.outcomes_of(row).find(|(_, outcome)| **outcome != Outcome::Ok) {
        Some((_, outcome)) => outcome.word(),
        None if record.outcomes_of(row).next().is_some() => "ok",
        None => "not tried",
    }
}

/// A line for each outcome that is not ok.
fn outcomes(record: &Record) -> String {
    let mut text = String::new();
    for (index, row) in record.rows.iter().enumerate() {
        if let Some(why) = &row.skipped {
            let _ = writeln!(text, "  {}: skipped: {}", row.label, one_line(why));
        }
        for (round, outcome) in record.outcomes_of(index).filter(|(_, outcome)| **outcome != Outcome::Ok) {
            let why = outcome.why().map(|why| format!(": {}", one_line(why))).unwrap_or_default();
            let _ = writeln!(text, "  {} in round {round}: {}{why}", row.label, outcome.word());
        }
    }
    if text.is_empty() { text } else { format!("Not ok\n{text}") }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the checks of the outputs add up to.
fn checks(record: &Record) -> String {
    let how = match &record.header.identity.check {
        None => return "Checks\n  none: the sweep declares no check, so its times may not be shown\n".to_owned(),
        Some(Check::Reference { call, relative, absolute }) => {
            format!("every element against `{}`, relative {relative:e}, absolute {absolute:e}", call.function)
        }
        Some(Check::Predicate { call }) => format!("by `{}`", call.function),
    };
    let receipts: Vec<&Receipt> = record.results.iter().flat_map(|result| result.before.iter().chain(&result.after)).collect();
    let elements: u64 = receipts.iter().fold(0, |sum, receipt| sum.saturating_add(receipt.elements));
    let wrong: u64 = receipts.iter().fold(0, |sum, receipt| sum.saturating_add(receipt.wrong));
    let largest = receipts.iter().filter_map(|receipt| receipt.largest_relative.parse::<f64>().ok()).fold(0.0, f64::max);
    let (runs, plural) = (receipts.len(), if receipts.len() == 1 { "" } else { "s" });
    format!(
        "Checks\n  {how}\n  before and after the samples of each row and round: {runs} comparison{plural}, {elements} elements, {wrong} wrong, largest \
         relative error {largest:e}\n"
    )
}

/// SM clock, empty event pairs, temperature and throttle reasons over all results.
fn clocks(record: &Record) -> String {
    let mut lines = Vec::new();
    let span = |values: Vec<u64>, unit: &str| match (values.iter().min(), values.iter().max()) {
        (Some(low), Some(high)) if low == high => format!("{low} {unit}"),
        (Some(low), Some(high)) => format!("{low} to {high} {unit}"),
        _ => "unknown".to_owned(),
    };
    let results = &record.results;
    lines.push(("SM clock", span(results.iter().flat_map(|result| &result.clock_mhz).map(|&mhz| mhz.into()).collect(), "MHz")));
    lines.push(("empty event pair", span(results.iter().filter_map(|result| result.empty_pair_ns).collect(), "ns")));
    lines.push(("temperature", span(results.iter().filter_map(|result| result.temperature_c).map(u64::from).collect(), "C")));
    let lists: Vec<&Vec<String>> = results.iter().flat_map(|result| result.throttle_before.iter().chain(&result.throttle_after)).collect();
    let mut reasons: Vec<&str> = lists.iter().flat_map(|list| list.iter().map(String::as_str)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let reasons = match (lists.is_empty(), reasons.is_empty()) {
        (true, _) => "unknown".to_owned(),
        (false, true) => "none".to_owned(),
        (false, false) => reasons.join(", "),
    };
    lines.push(("throttle reasons", reasons));
    lines.into_iter().fold("Clocks\n".to_owned(), |text, (name, value)| text + &format!("  {name:<18}{value}\n"))
}

/// The launches that lessonc brings itself: their times, and the rounds in which they had one.
fn canaries(record: &Record) -> String {
    if record.canaries.is_empty() {
        return String::new();
    }
    let mut table = vec![["canary", "work", "launches", "ms", "± 99 %", "min", "max", "rounds"].map(str::to_owned).to_vec()];
    let mut lost = String::new();
    for canary in Canary::ALL {
        let results = || record.canaries.iter().filter(|result| result.canary == canary);
        let Some(first) = results().next() else { continue };
        let work = format!("{} {}", first.work, if canary == Canary::Copy { "B" } else { "FLOP" });
        let rounds: Vec<f64> = record.canary_ns(canary).into_iter().map(|ns| ns / 1e6).collect();
        let mut cells = vec![canary.word().to_owned(), work, first.launches.to_string()];
        cells.extend(summary(&rounds, record.canary_quantum_ns(canary) / 1e6, 5));
        cells.push(format!("{}/{}", rounds.len(), record.header.identity.timing.rounds));
        table.push(cells);
        for result in results().filter(|result| result.outcome != Outcome::Ok) {
            let why = result.outcome.why().map(one_line).unwrap_or_default();
            let _ = writeln!(lost, "  {} in round {}: {}: {why}", canary.word(), result.round, result.outcome.word());
        }
    }
    let table = align(&table, 1).lines().fold(String::new(), |text, line| text + "  " + line + "\n");
    format!("Canaries\n{table}{lost}")
}

pub(super) fn unknown(record: &Record) -> String {
    let unknown = &record.header.unknown;
    if unknown.is_empty() {
        return String::new();
    }
    let width = unknown.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    unknown.iter().fold("Unknown\n".to_owned(), |text, (name, why)| {
        text + format!("  {name}{}  {}", " ".repeat(width - name.chars().count()), one_line(why)).trim_end() + "\n"
    })
}
