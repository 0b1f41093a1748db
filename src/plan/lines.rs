//! Turns a job into the lines that its fingerprint is the digest of: all that can change a measurement, and nothing else.
//!
//! Must not know how a difference is shown. Names of files, titles, columns, comments, white space and the order of keys
//! don't count; code, options, sizes, rows, calls, the launch and the timing do.

use std::collections::BTreeSet;

use crate::base::quantity::{Quantity, Unit, rational_text};
use crate::course::sweep::{ArgumentSpec, KernelSpec, LaunchSpec, TimingPolicy};
use crate::expr::Expr;

use super::fingerprint::code_lines;
use super::launch::{Argument, BufferPlan, Check, Code, HostCall};
use super::{OwnValue, PlannedRow};

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
    pub(super) buffers: &'a [BufferPlan],
    pub(super) inputs: &'a [HostCall],
    pub(super) check: Option<&'a Check>,
    pub(super) timing: &'a TimingPolicy,
}

/// The lines.
pub(super) fn of(parts: &Parts<'_>) -> Vec<String> {
    let mut lines = vec![format!("lessonc fingerprint {VERSION}"), format!("protocol {PROTOCOL}")];
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
    lines.extend(data(parts.buffers, parts.inputs, parts.check));
    launch(parts.launch, &mut lines);
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
pub fn data(buffers: &[BufferPlan], inputs: &[HostCall], checked: Option<&Check>) -> Vec<String> {
    let mut lines: Vec<String> = buffers.iter().map(buffer).collect();
    lines.sort();
    lines.extend(inputs.iter().map(|call| format!("input {}", host_call(call))));
    lines.extend(checked.map(check));
    lines
}

/// The line of how rows are timed.
#[must_use]
pub fn timing(timing: &TimingPolicy) -> String {
    let TimingPolicy { cache, rounds, samples, warmup_ms, limit_s } = timing;
    format!("timing {}, rounds {rounds}, samples {samples}, warmup_ms {warmup_ms}, limit_s {limit_s}", cache.name())
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

fn names(launch: &LaunchSpec) -> BTreeSet<String> {
    let scalars = launch.arguments.iter().filter_map(|argument| match argument {
        ArgumentSpec::Scalar(_, expr) => Some(expr),
        ArgumentSpec::Buffer(..) => None,
    });
    let mut used = BTreeSet::new();
    for expr in expressions(launch).into_iter().map(|(_, expr)| expr).chain(scalars) {
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
    lines.extend(launch.arguments.iter().map(|argument| match argument {
        ArgumentSpec::Buffer(name, _) => format!("launch argument {name}"),
        ArgumentSpec::Scalar(element, expr) => format!("launch argument {} {}", element.name(), expr.canonical()),
    }));
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
