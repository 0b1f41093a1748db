//! Turns a job into the lines that its fingerprint is the digest of: all that can change a measurement, and nothing else.
//!
//! Must not know how a difference is shown. Names of files, titles, columns, comments, white space and the order of keys
//! don't count; code, options, sizes, rows, calls, the launch and the timing do.

use std::collections::BTreeSet;

use crate::base::quantity::{Quantity, Unit, rational_text};
use crate::course::sweep::{ArgumentSpec, KernelSpec, LaunchSpec, OptionPart, OptionSpec, TimingPolicy};
use crate::expr::Expr;

use super::fingerprint::code_lines;
use super::launch::{Argument, BufferPlan, Check, Code, Data, HostCall, Read};
use super::{OwnValue, PlannedRow, ReadPlan};

/// The version of these lines; a change of their form makes every run stale.
pub(super) const VERSION: u32 = 1;
/// The version of the measuring protocol: what a sample, a round and an outcome are. A change of it makes every run stale.
pub const PROTOCOL: u32 = 1;

/// What the lines speak of.
pub(super) struct Parts<'a> {
    pub(super) launch: &'a LaunchSpec,
    pub(super) constants: &'a [(String, Quantity)],
    pub(super) rows: &'a [PlannedRow],
    pub(super) code: &'a Code,
    pub(super) data: &'a [Data],
    pub(super) data_of: &'a [u32],
    pub(super) reads: &'a [ReadPlan],
    pub(super) timing: &'a TimingPolicy,
}

/// The lines.
pub(super) fn of(parts: &Parts<'_>) -> Vec<String> {
    let mut lines = opening();
    lines.extend(code(parts.code));
    let used = names(parts.launch);
    let mut constants: Vec<String> = parts
        .constants
        .iter()
        .filter(|(name, _)| used.contains(name))
        .map(|(name, value)| format!("constant {name} = {}", exact(value)))
        .collect();
    constants.sort();
    lines.extend(constants);
    let mut rows: Vec<String> = parts.rows.iter().map(row).collect();
    rows.sort();
    lines.extend(rows);
    lines.extend(all_data(parts.data, parts.rows.iter().zip(parts.data_of).map(|(row, &data)| (row.label.as_str(), data))));
    launch(parts.launch, &mut lines);
    let takes = parts.rows.iter().enumerate().flat_map(|(index, row)| parts.reads.iter().map(move |read| (row, read.of_row(index))));
    lines.extend(reads(takes.filter_map(|(row, read)| Some((row.label.as_str(), read?)))));
    lines.push(timing(parts.timing));
    lines
}

/// The lines of the code that is compiled, its headers and options.
#[must_use]
pub fn code(code: &Code) -> Vec<String> {
    let mut lines: Vec<String> = code_lines(&code.device).into_iter().map(|line| format!("device: {line}")).collect();
    lines.extend(code_lines(&code.host).into_iter().map(|line| format!("host: {line}")));
    for (name, text) in &code.headers {
        lines.extend(code_lines(text).into_iter().map(|line| format!("header {name}: {line}")));
    }
    lines.extend(code.options.iter().map(|option| format!("option {option}")));
    lines
}

/// The lines of what a launch works on and how its outputs are judged.
#[must_use]
pub fn data(data: &Data) -> Vec<String> {
    let mut lines: Vec<String> = data.buffers.iter().map(buffer).collect();
    lines.sort();
    lines.extend(data.inputs.iter().map(|call| format!("input {}", host_call(call))));
    lines.extend(data.check.as_ref().map(check));
    lines
}

/// The lines of all that rows work on, the first as if it were all, and of which row works on which of the others.
#[must_use]
pub fn all_data<'a>(all: &[Data], rows: impl Iterator<Item = (&'a str, u32)>) -> Vec<String> {
    let mut lines = all.first().map(data).unwrap_or_default();
    for (index, other) in all.iter().enumerate().skip(1) {
        lines.extend(data(other).into_iter().map(|line| format!("data {index}: {line}")));
    }
    let mut used: Vec<String> = rows.filter(|&(_, data)| data > 0).map(|(row, data)| format!("data {data} of row '{row}'")).collect();
    used.sort();
    lines.extend(used);
    lines
}

/// The lines of what is read back, from each row and its figures.
#[must_use]
pub fn reads<'a>(reads: impl Iterator<Item = (&'a str, Read)>) -> Vec<String> {
    let line = |(row, read): (&str, Read)| format!("read {} of row '{row}': {}", read.name, read.words());
    let mut lines: Vec<String> = reads.map(line).collect();
    lines.sort();
    lines
}

/// The line of how rows are timed.
#[must_use]
pub fn timing(timing: &TimingPolicy) -> String {
    let TimingPolicy { cache, rounds, samples, warmup_ms, limit_s, time } = timing;
    let untimed = if *time { "" } else { ", no times" };
    format!("timing {}, rounds {rounds}, samples {samples}, warmup_ms {warmup_ms}, limit_s {limit_s}{untimed}", cache.name())
}

/// The lines that every fingerprint begins with.
pub(super) fn opening() -> Vec<String> {
    vec![format!("lessonc fingerprint {VERSION}"), format!("protocol {PROTOCOL}")]
}

/// The expressions of a launch, in the order of their lines.
fn expressions(launch: &LaunchSpec) -> Vec<(&'static str, &Expr)> {
    let mut all = Vec::new();
    if let KernelSpec::Expression(expr) = &launch.kernel {
        all.push(("kernel", expr));
    }
    all.extend(launch.block.iter().map(|expr| ("block", expr)));
    all.extend(launch.shared.iter().map(|expr| ("shared", expr)));
    all.extend(launch.grid.iter().map(|expr| ("grid", expr)));
    all.extend(launch.bytes.iter().map(|expr| ("bytes", expr)));
    all.extend(launch.flop.iter().map(|expr| ("flop", expr)));
    all
}

/// The expressions in the options of a launch.
pub(super) fn in_options(launch: &LaunchSpec) -> impl Iterator<Item = &Expr> {
    launch.options.iter().flat_map(|option| &option.parts).filter_map(|part| match part {
        OptionPart::Value(expr) => Some(expr),
        OptionPart::Text(_) => None,
    })
}

fn names(launch: &LaunchSpec) -> BTreeSet<String> {
    let scalars = launch.arguments.iter().filter_map(|argument| match argument {
        ArgumentSpec::Scalar(_, expr) => Some(expr),
        ArgumentSpec::Buffer(..) => None,
    });
    let mut used = BTreeSet::new();
    for expr in expressions(launch).into_iter().map(|(_, expr)| expr).chain(scalars).chain(in_options(launch)) {
        let names = expr.names();
        used.extend(names.bare);
        used.extend(names.columns);
    }
    used
}

fn launch(launch: &LaunchSpec, lines: &mut Vec<String>) {
    if let KernelSpec::Name(name) = &launch.kernel {
        lines.push(format!("launch kernel '{}'", name.text()));
    }
    lines.extend(expressions(launch).into_iter().map(|(what, expr)| format!("launch {what} {}", expr.canonical())));
    lines.extend(launch.options.iter().map(|option| format!("launch option {}", option_text(option))));
    lines.extend(launch.arguments.iter().map(|argument| match argument {
        ArgumentSpec::Buffer(name, _) => format!("launch argument {name}"),
        ArgumentSpec::Scalar(element, expr) => format!("launch argument {} {}", element.name(), expr.canonical()),
    }));
}

/// An option with its expressions in braces.
fn option_text(option: &OptionSpec) -> String {
    let part = |part: &OptionPart| match part {
        OptionPart::Text(text) => text.replace('{', "{{").replace('}', "}}"),
        OptionPart::Value(expr) => format!("{{{}}}", expr.canonical()),
    };
    option.parts.iter().map(part).collect()
}

/// An exact number in base units, whatever unit it is shown in.
fn exact(value: &Quantity) -> String {
    let number = value.as_exact().map(rational_text).unwrap_or_default();
    let base = Unit::base(value.dimension());
    if base.dimension.is_none() { number } else { format!("{number} {}", base.symbol) }
}

/// The line of a row.
#[must_use]
pub fn row(row: &PlannedRow) -> String {
    let own = |value: &OwnValue| match value {
        OwnValue::Number(number) => exact(number),
        OwnValue::Text(text) => format!("'{text}'"),
    };
    let mut values: Vec<String> = row.values.iter().map(|(name, value)| format!("{name} = {}", own(value))).collect();
    values.sort();
    format!("row '{}': {}", row.label, values.join(", "))
}

fn buffer(buffer: &BufferPlan) -> String {
    format!("buffer {}: {} {} x {}", buffer.name, buffer.role.name(), buffer.element.name(), buffer.count)
}

fn host_call(call: &HostCall) -> String {
    let arguments = call.arguments.iter().map(|argument| match argument {
        Argument::Buffer(name) => name.clone(),
        Argument::I32(number) => format!("i32 {number}"),
        Argument::U32(number) => format!("u32 {number}"),
        Argument::I64(number) => format!("i64 {number}"),
        Argument::U64(number) => format!("u64 {number}"),
        Argument::F32(number) => format!("f32 {number:?}"),
        Argument::F64(number) => format!("f64 {number:?}"),
    });
    format!("{}({})", call.function, arguments.collect::<Vec<_>>().join(", "))
}

fn check(check: &Check) -> String {
    match check {
        Check::Reference { call, relative, absolute } => {
            format!("check reference {}, relative {relative:?}, absolute {absolute:?}", host_call(call))
        }
        Check::Predicate { call } => format!("check predicate {}", host_call(call)),
    }
}
