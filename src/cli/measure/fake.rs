//! Turns `kernels/NAME.fake.toml` into the fake device of a sweep: a formula for its times, noise, and faults.
//!
//! Must not count in anything that is published: the file is no part of the manifest and of no fingerprint.
//!
//! ```toml
//! ms = "bytes / (400 GB/s)"       # time of a launch: over the row's values, grid, block, shared, bytes and flop
//! noise = 0.001                   # largest share by which a round differs
//! seed = 1
//! machine = 1                     # how much longer everything takes, canaries included
//! tick_ns = 32                    # step of the timer
//! compile = "a.cu(3): error: x"   # the compiler refuses the code with these words
//! warnings = "a.cu(3): warning: x" # the compiler takes the code with these words
//! busy = "another process"        # why the device calls itself busy
//! processes = true                # each round in a process of its own, as with a GPU
//! pace_ms = 20                    # what a row takes on the wall, so that a test has time to break in
//! grace_s = 1                     # how long a process may be silent beyond a row's limit
//! [reads]                         # figures that are read back, before they are divided; by buffer
//! clock = "400 * steps"
//! [[faults]]
//! row = "256"                     # by label; every row without it
//! round = 2                       # every round without it; 0 is planning
//! outcome = "incorrect"           # with `processes`, `crash` and `hang` too
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::base::name::same_label;
use crate::base::problem::{Problem, Problems};
use crate::base::quantity::{Amount, Dimension, Quantity, rational_to_f64};
use crate::base::slice::Slice;
use crate::base::span::{SourceName, Span};
use crate::course::keys::{self, Keys};
use crate::course::toml;
use crate::device::fake::{FakeFault, FakeSpec, FaultKind, ReadOf, TimeOf, default_read};
use crate::expr::{Absent, Expr, RowSet, Scope, Value, evaluate};
use crate::plan::launch::Launch;
use crate::plan::{Job, facts};
use crate::tree::SourceTree;

/// A fake device as its file describes it.
#[derive(Default)]
pub(super) struct Described {
    /// The device.
    pub(super) spec: FakeSpec,
    /// Whether each round has a process of its own.
    pub(super) processes: bool,
    /// How long a process may be silent beyond a row's limit, if the file says.
    pub(super) grace: Option<Duration>,
}

/// The fake device of `job`; the default one if the course has no file for it.
pub(super) fn read(tree: &SourceTree, job: &Arc<Job>, problems: &mut Problems) -> Described {
    let name: SourceName = format!("kernels/{}.fake.toml", job.sweep.name).into();
    let mut described = Described::default();
    let spec = &mut described.spec;
    let Some(file) = tree.get(&name) else { return described };
    let table = toml::document(&Slice::verbatim(&name, &file.text(), 0), problems);
    let mut keys = Keys::of(&table, "the fake device", Span::top(&name));
    if let Some(ms) = keys.expr("ms", problems) {
        spec.time = time(ms, job.clone());
    }
    if let Some(mut table) = keys.table("reads", "`[reads]`", problems) {
        let formulas = table.all().map(|(buffer, _, item)| (buffer.to_owned(), keys::expr(item, "an expression")));
        spec.read = reads(formulas.filter_map(|(buffer, expr)| Some((buffer, problems.note(expr)?))).collect(), job.clone());
    }
    if let Some(noise) = keys.number("noise", problems) {
        spec.noise = noise;
    }
    if let Some(machine) = keys.number("machine", problems) {
        spec.machine = machine;
    }
    if let Some(seed) = keys.integer("seed", 0, i64::MAX, problems) {
        spec.seed = seed.unsigned_abs();
    }
    if let Some(tick) = keys.integer("tick_ns", 1, 1_000_000, problems) {
        spec.tick_ns = tick.unsigned_abs();
    }
    spec.refusal = keys.string("compile", problems);
    spec.warnings = keys.string("warnings", problems);
    spec.busy.extend(keys.string("busy", problems));
    let mut limit = |key: &str, most: i64| keys.integer(key, 0, most, problems).map(i64::unsigned_abs);
    spec.pace = Duration::from_millis(limit("pace_ms", 60_000).unwrap_or(0));
    described.grace = limit("grace_s", 3600).map(Duration::from_secs);
    described.processes = keys.truth("processes", problems).unwrap_or(false);
    for fault in keys.tables("faults", "a fault", problems) {
        spec.faults.extend(read_fault(fault, job, described.processes, problems));
    }
    keys.finish(problems);
    described
}

fn read_fault(mut keys: Keys<'_>, job: &Job, processes: bool, problems: &mut Problems) -> Option<FakeFault> {
    let row =
        match keys.item("row") {
            None => None,
            Some(item) => {
                let label = problems.note(keys::text(item, "a row's label"))?;
                let index = job.rows.iter().position(|row| same_label(&row.label, label.text()));
                Some(problems.note(
                    index.ok_or_else(|| Problem::error("fake-device", label.whole(), format!("there is no row `{}`", label.text()))),
                )? as u32)
            }
        };
    let round = keys.integer("round", 0, 1000, problems).map(|round| round as u32);
    let kinds: Vec<_> = FaultKind::WORDS.into_iter().chain(FaultKind::OF_PROCESSES.into_iter().filter(|_| processes)).collect();
    let words = kinds.iter().map(|(word, _)| *word).collect::<Vec<_>>().join("`, `");
    let outcome = keys.text("outcome", problems);
    let outcome = keys.required("outcome", outcome, problems)?;
    let kind = kinds.iter().find(|(word, _)| *word == outcome.text()).map(|&(_, kind)| kind);
    let kind = problems
        .note(kind.ok_or_else(|| Problem::error("fake-device", outcome.whole(), format!("`{}` is none of `{words}`", outcome.text()))))?;
    keys.finish(problems);
    Some(FakeFault { row, round, kind })
}

/// The formula `ms` as a function of row and launch.
fn time(ms: Expr, job: Arc<Job>) -> Arc<TimeOf> {
    Arc::new(move |row, launch| {
        let scope = LaunchScope { job: &job, row: row as usize, launch };
        let value = evaluate(&ms, &scope).map_err(|problem| format!("the fake device's formula: {}", problem.message))?;
        let Value::Quantity(Quantity { amount: Amount::Exact(amount), unit }) = value else {
            return Err("the fake device's formula gives no exact number".to_owned());
        };
        // A bare number counts milliseconds; a time says its own unit and is held in seconds.
        let nanoseconds = match unit.dimension {
            Dimension::NONE => 1e6,
            Dimension::TIME => 1e9,
            _ => return Err("the fake device's formula gives no time".to_owned()),
        };
        Ok(rational_to_f64(amount) * nanoseconds)
    })
}

/// The formulas as a function of row, launch and buffer.
fn reads(formulas: BTreeMap<String, Expr>, job: Arc<Job>) -> Arc<ReadOf> {
    Arc::new(move |row, launch, buffer| {
        let Some(formula) = formulas.get(buffer) else { return default_read(row, launch, buffer) };
        let scope = LaunchScope { job: &job, row: row as usize, launch };
        match evaluate(formula, &scope).map_err(|problem| format!("the fake device's formula: {}", problem.message))? {
            Value::Quantity(Quantity { amount: Amount::Exact(amount), .. }) => Ok(rational_to_f64(amount)),
            _ => Err("the fake device's formula gives no exact number".to_owned()),
        }
    })
}

/// The names that the formula may use.
struct LaunchScope<'a> {
    job: &'a Job,
    row: usize,
    launch: &'a Launch,
}

impl LaunchScope<'_> {
    fn values(&self) -> Vec<(String, Value)> {
        let own = self.job.rows.get(self.row).into_iter().flat_map(|row| &row.values);
        let mut values: Vec<(String, Value)> = own.map(|(name, value)| (name.clone(), value.value())).collect();
        let constants = self.job.constants.iter().cloned();
        let launch = facts::launch_values(self.launch).into_iter().map(|(name, value)| (name.to_owned(), value));
        values.extend(constants.chain(launch).map(|(name, value)| (name, Value::Quantity(value))));
        values
    }
}

impl Scope for LaunchScope<'_> {
    fn name(&self, name: &str) -> Option<Result<Value, Absent>> {
        self.values().into_iter().find(|(known, _)| known == name).map(|(_, value)| Ok(value))
    }

    fn names(&self) -> Vec<String> {
        self.values().into_iter().map(|(name, _)| name).collect()
    }

    fn rows(&self) -> Result<RowSet, Absent> {
        Err("a formula for times has no rows to look at".into())
    }
}
