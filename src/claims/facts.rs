//! Turns plan and evidence into the values of every sweep on every device: rows with measured and derived columns.
//!
//! Must not know sentences or pages. Derived columns are computed in the manifest's order, each over the ones before it,
//! so that none can stand on itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::base::digest::Checksum;
use crate::base::last::Last;
use crate::base::memo;
use crate::base::problem::{Problem, Problems};
use crate::base::quantity::Quantity;
use crate::base::share;
use crate::base::stamp::Stamp;
use crate::course::Course;
use crate::course::lesson::Lesson;
use crate::course::sweep::Kind;
use crate::evidence::record::RunKind;
use crate::evidence::{Current, Evidence, Run, YOURS, spoken};
use crate::expr::{self, Absent, Expr, History, NOT_MEASURED, Row, RowScope, RowSet, Value};
use crate::plan::{Job, Plan, facts};

use super::columns::{self, Column, ColumnKind};
use super::history::{Named, Runs};
use super::lesson::LessonScope;
use super::on_device::{self, OnDevice};
use super::planned::rows as planned_rows;
use super::printed;
use super::row::RowFacts;
use super::sweep_scope::SweepScope;

/// A sweep on a device.
pub struct SweepFacts {
    /// The sweep's name.
    pub name: Arc<str>,
    /// The device's slug.
    pub device: String,
    /// Its columns, in order: label, own, built-in, derived.
    pub columns: Vec<Column>,
    /// Its rows, in the order of the plan; known without a run too, their measured columns absent then.
    pub rows: Vec<Arc<RowFacts>>,
    /// The run that supplies the figures; `None`: not measured on this device.
    pub run: Option<Arc<Run>>,
    /// The latest run, if it is of other code, sizes or timing than the course has now. Where it is shown, it is `run` too.
    pub stale: Option<Arc<Run>>,
    /// Named exact values of the manifest.
    pub(super) constants: BTreeMap<String, Quantity>,
    /// Named values that a program printed.
    pub(super) values: BTreeMap<String, Result<Value, Absent>>,
    /// All its runs on the device.
    pub(super) runs: Option<Arc<Runs>>,
    pub(super) device_row: Option<Arc<dyn Row>>,
    /// What is wrong with its columns, whatever the device.
    problems: Vec<Problem>,
}

/// What becomes of the latest run of a sweep where the code has moved on since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outdated {
    /// It says nothing: the sweep counts as not measured.
    Hidden,
    /// It supplies the figures, and pages mark them: what a draft shows.
    Shown,
}

/// The values of every sweep on every device of the course.
pub struct Facts {
    /// The published ones first.
    devices: Vec<String>,
    /// How many are published; the others have private runs only.
    published: usize,
    /// By device and sweep.
    sweeps: BTreeMap<String, Arc<OnDevice>>,
    /// What the latest run on a device says of it, whatever the sweep.
    device_rows: BTreeMap<String, Arc<dyn Row>>,
    /// What of all this a lesson may hang on that stands on none of the sweeps.
    shared: Checksum,
}

/// The facts computed before.
#[derive(Default)]
pub struct Memo {
    whole: Last<Arc<Facts>>,
    sweeps: SweepMemo,
}

/// By device and sweep, each with what it was computed from.
type SweepMemo = memo::Memo<(String, String), (Stamp, Arc<SweepFacts>)>;

impl Facts {
    /// The facts of `course`: for the devices it publishes, or if it names none, all that there is evidence of.
    #[must_use]
    pub fn of(course: &Course, plan: &Plan, evidence: &Evidence, outdated: Outdated) -> Self {
        Self::by_sweep(course, plan, evidence, outdated, &SweepMemo::default())
    }

    /// The same, with the help of what `memo` holds of the time before; the very same facts where plan and evidence are the same.
    #[must_use]
    pub fn again(course: &Course, plan: &Arc<Plan>, evidence: &Arc<Evidence>, outdated: Outdated, memo: &Memo) -> Arc<Self> {
        let mut stamp = Stamp::default();
        stamp.same(plan);
        stamp.same(evidence);
        stamp.equal(Some(Checksum::of(course.config.devices.join("\n"))));
        stamp.equal((outdated == Outdated::Shown).then(Checksum::default));
        memo.whole.again(stamp, |_| Arc::new(Self::by_sweep(course, plan, evidence, outdated, &memo.sweeps)))
    }

    /// Of each sweep: one whose job and runs are those of before is not looked at again.
    fn by_sweep(course: &Course, plan: &Plan, evidence: &Evidence, outdated: Outdated, memo: &SweepMemo) -> Self {
        // What a compiler says needs no device; it stands for one only where a course has nothing else.
        let of_devices = || evidence.all().filter(|run| run.kind() != RunKind::Compile);
        let mut measured: BTreeSet<&str> = of_devices().map(|run| run.device()).collect();
        if measured.is_empty() {
            measured = evidence.all().map(|run| run.device()).collect();
        }
        let mut devices = course.config.devices.clone();
        if devices.is_empty() {
            devices = measured.iter().map(|&device| device.to_owned()).collect();
        }
        let published = devices.len();
        let private = evidence.private.values().flatten();
        for run in private.filter(|run| run.device() == YOURS || run.record.header.identity.gpu.is_some()) {
            if !devices.iter().any(|device| device == run.device()) {
                devices.push(run.device().to_owned());
            }
        }
        let (device_rows, sources) = on_device::latest_rows(evidence);
        let shared: Vec<&str> = devices.iter().chain(&sources).chain(plan.jobs.keys()).map(String::as_str).collect();
        let shared = Checksum::of(shared.join("\n"));
        let jobs: Vec<&Arc<Job>> = plan.jobs.values().collect();
        let on_device = |device: &String| {
            let of_job = |job: &&Arc<Job>| {
                let stamp = on_device::stamp(job, evidence, outdated);
                let key = (device.clone(), job.sweep.name.clone());
                if let Some((_, known)) = memo.get(&key).filter(|(known, _)| *known == stamp) {
                    return known;
                }
                let facts = Arc::new(of_job(job, device, evidence, outdated));
                memo.put(key, (stamp, facts.clone()));
                facts
            };
            (device.clone(), Arc::new(OnDevice::of(jobs.par_iter().with_max_len(share::LARGEST).map(of_job).collect())))
        };
        // Where nothing was measured on anything, what is planned is known all the same.
        let nowhere = String::new();
        let sweeps = devices.iter().chain(devices.is_empty().then_some(&nowhere)).map(on_device).collect();
        memo.forget_unused();
        Self { devices, published, sweeps, device_rows, shared }
    }

    /// The published devices by slug, the primary one first.
    #[must_use]
    pub fn devices(&self) -> &[String] {
        &self.devices[..self.published]
    }

    /// The devices that the page of `lesson` shows: the published ones, and behind them one that it has a private run on.
    #[must_use]
    pub fn devices_of(&self, lesson: &Lesson) -> &[String] {
        let is_private = |sweep: &str, device: &str| self.private_run(sweep, device).is_some();
        let own = |device: &String| lesson.sweeps.iter().any(|(sweep, _)| is_private(sweep, device));
        if self.devices[self.published..].iter().any(own) { &self.devices } else { self.devices() }
    }

    /// The private run that `sweep` shows on the device `device`, if it does.
    #[must_use]
    pub fn private_run(&self, sweep: &str, device: &str) -> Option<&Arc<Run>> {
        self.sweep(sweep, device)?.run.as_ref().filter(|run| run.private().is_some())
    }

    /// The slug of the device that supplies figures and verdicts where nothing else is chosen; empty where there is none.
    #[must_use]
    pub fn primary(&self) -> &str {
        self.devices.first().map_or("", String::as_str)
    }

    /// What the device `device` is called: by its product name where a run knows it, else by its slug.
    #[must_use]
    pub fn device_name(&self, device: &str) -> String {
        let name = self.sweeps.get(device).and_then(|on_device| on_device.device_name(device));
        name.unwrap_or_else(|| device.to_owned())
    }

    /// The sweep `name` on the device `device`; `None` if the plan has no such sweep or the course no such device. Whether
    /// it was measured there, its `run` says.
    #[must_use]
    pub fn sweep(&self, name: &str, device: &str) -> Option<&SweepFacts> {
        self.sweeps.get(device)?.sweep(name).map(Arc::as_ref)
    }

    /// Adds all sweeps on all devices to what `stamp` says that something was made from.
    pub fn add_all_to(&self, stamp: &mut Stamp) {
        stamp.equal(Some(self.shared));
        self.sweeps.values().for_each(|on_device| stamp.same(on_device));
    }

    /// Adds `sweep` to what `stamp` says that something was made from, on whatever device.
    pub fn add_to(&self, stamp: &mut Stamp, sweep: &str) {
        self.sweeps.values().for_each(|on_device| stamp.same_or_none(on_device.sweep(sweep)));
    }

    /// Whether these are the very same values as `before`.
    #[must_use]
    pub fn is_as(&self, before: &Self) -> bool {
        let all = |facts: &Self| -> Vec<*const SweepFacts> {
            facts.sweeps.values().flat_map(|on_device| on_device.all()).map(Arc::as_ptr).collect()
        };
        self.shared == before.shared && all(self) == all(before)
    }

    /// The digest of what a lesson may hang on beside the sweeps that it stands on: which devices and sweeps there are, and what the
    /// latest run says of each device.
    #[must_use]
    pub fn shared(&self) -> Checksum {
        self.shared
    }

    /// What names mean in the sentences and figures of `lesson` on the device `device`.
    #[must_use]
    pub fn scope(&self, lesson: &Lesson, device: &str) -> LessonScope {
        let all = self.sweeps.get(device).cloned().unwrap_or_default();
        let own = lesson.sweeps.iter().map(|(name, _)| name.as_str());
        LessonScope::new(device, all, own, self.device_rows.get(device).cloned())
    }

    /// Notes what is wrong with derived columns, once a sweep.
    pub fn check(&self, problems: &mut Problems) {
        let mut seen = BTreeSet::new();
        for sweep in self.sweeps.values().flat_map(|on_device| on_device.all()) {
            for problem in &sweep.problems {
                // A name that means nothing was seen in the plan already.
                let is_known = problems.iter().any(|known| known.id == problem.id && known.at == problem.at);
                if !is_known && seen.insert((problem.id, problem.at.clone())) {
                    problems.push(problem.clone());
                }
            }
        }
    }
}

/// The facts of `job` on `device`.
fn of_job(job: &Arc<Job>, device: &str, evidence: &Evidence, outdated: Outdated) -> SweepFacts {
    let facts = match (evidence.shown(job, device), outdated) {
        (Current::Stale(run), Outdated::Shown) => {
            SweepFacts { stale: Some(run.clone()), ..SweepFacts::new(job, device, Current::Fresh(run)) }
        }
        (current, _) => SweepFacts::new(job, device, current),
    };
    let runs = Arc::new(Runs::of(job, device, evidence, facts.run.as_ref()));
    SweepFacts { runs: Some(runs), ..facts }
}

impl SweepFacts {
    /// The sweep of `job` on `device`, from what the evidence has `current` there.
    #[must_use]
    pub fn new(job: &Job, device: &str, current: Current) -> Self {
        let name: Arc<str> = job.sweep.name.as_str().into();
        let (run, stale) = match current {
            Current::Fresh(run) => (Some(run), None),
            Current::Stale(run) => (None, Some(run)),
            Current::Missing => (None, None),
        };
        let lacking = unmeasured(&name, device, stale.as_deref());
        let mut columns = columns::columns(job);
        let names: Arc<[String]> = columns.iter().map(|column| column.name.clone()).collect();
        let (rows, values, problems) = match (&job.sweep.kind, run.as_deref()) {
            (Kind::Program(program), Some(run)) => {
                let read = printed::read(job, program, run);
                let rows = read.rows.into_iter().map(|row| Arc::new(RowFacts::printed(&name, &columns, &names, row))).collect();
                (rows, read.values, read.problems)
            }
            (Kind::Program(program), None) => {
                let values = program.values.iter().map(|value| (value.name.clone(), Err(lacking.clone())));
                (Vec::new(), values.collect(), Vec::new())
            }
            (Kind::Kernel(_) | Kind::Compile(_) | Kind::Profile(_), run) => {
                (planned_rows(job, run, (&name, &columns, &names), &lacking), BTreeMap::new(), Vec::new())
            }
        };
        for (index, column) in columns.iter_mut().enumerate().filter(|(_, column)| column.kind == ColumnKind::Printed) {
            column.measured = rows.iter().any(|row| row.is_measured(index));
        }
        let gpu = run.as_ref().and_then(|run| run.record.header.identity.gpu.as_ref());
        let device_row = gpu.map(|gpu| facts::device(gpu) as Arc<dyn Row>);
        let constants = job.constants.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let device = device.to_owned();
        let mut sweep = Self { name, device, columns, rows, run, stale, constants, values, runs: None, device_row, problems };
        sweep.fill_derived(job);
        sweep
    }

    /// The row at `index`, in the order of the plan, as expressions meet it.
    #[must_use]
    pub fn value(&self, index: usize) -> Option<Arc<dyn Row>> {
        self.rows.get(index).map(|row| row.clone() as Arc<dyn Row>)
    }

    /// The names of its columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The rows as expressions meet them.
    #[must_use]
    pub fn row_values(&self) -> Vec<Arc<dyn Row>> {
        self.rows.iter().map(|row| row.clone() as Arc<dyn Row>).collect()
    }

    /// The column `name`.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Whether its figures come from `run` though the code has moved on since.
    #[must_use]
    pub fn shows_outdated(&self, run: &Run) -> bool {
        self.run.is_some() && self.stale.as_ref().is_some_and(|stale| stale.name == run.name)
    }

    /// Whether one of its derived columns is wrong; a problem says how.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        !self.problems.is_empty()
    }

    /// What the bare name `name` means where this sweep is the only one: a constant, or a value that a program printed.
    pub(super) fn named(&self, name: &str) -> Option<Result<Value, Absent>> {
        let constant = self.constants.get(name).map(|constant| Ok(Value::Quantity(constant.clone())));
        constant.or_else(|| self.values.get(name).cloned())
    }

    /// The names that [`SweepFacts::named`] knows.
    pub(super) fn known_names(&self) -> impl Iterator<Item = String> {
        self.constants.keys().chain(self.values.keys()).cloned()
    }

    /// Its rows, with the values that a program printed beside them, and its runs.
    pub(super) fn row_set(&self) -> RowSet {
        let values =
            (!self.values.is_empty()).then(|| -> Arc<dyn Row> { Arc::new(Named::new(self.name.to_string(), self.values.clone())) });
        let history = self.runs.clone().map(|runs| runs as Arc<dyn History>);
        RowSet { values, history, ..RowSet::of(self.row_values()) }
    }

    /// Why there is no run.
    pub(super) fn unmeasured(&self) -> Absent {
        unmeasured(&self.name, &self.device, self.stale.as_deref())
    }

    fn fill_derived(&mut self, job: &Job) {
        let mut derived = job.sweep.columns.iter();
        for index in 0..self.columns.len() {
            if self.columns[index].kind != ColumnKind::Derived {
                continue;
            }
            let Some(column) = derived.next() else { return };
            let values: Vec<Result<Value, Problem>> = self.rows.iter().map(|row| self.derived(row, &column.value, index)).collect();
            let mut measured = false;
            for (row, value) in self.rows.iter().zip(&values) {
                measured |= matches!(value, Ok(Value::Quantity(quantity)) if quantity.is_measured());
                row.fill(index, value.clone().map_err(|problem| absent(&problem)));
            }
            self.columns[index].measured = measured;
            let first = values.into_iter().filter_map(Result::err).find(|problem| problem.id != NOT_MEASURED);
            self.problems.extend(first);
        }
    }

    fn derived(&self, row: &Arc<RowFacts>, expr: &Expr, index: usize) -> Result<Value, Problem> {
        let outer = SweepScope(self);
        let scope = RowScope { row: row.clone(), outer: &outer };
        let value = expr::evaluate(expr, &scope)?;
        match (value, &self.columns[index].unit) {
            (Value::Quantity(quantity), Some(unit)) => {
                quantity.in_unit(unit).map(Value::Quantity).map_err(|why| Problem::error("expr-unit", expr.span(), why))
            }
            (value, _) => Ok(value),
        }
    }
}

/// Why the sweep `name` has no current run on `device`, where the latest run is `stale` or missing.
fn unmeasured(name: &str, device: &str, stale: Option<&Run>) -> Absent {
    let device = spoken(device);
    Absent::unmeasured(match stale {
        Some(run) => format!("{name} was measured on {device} on {}, but its code, sizes or timing changed since", run.date()),
        None => format!("{name} was not measured on {device}"),
    })
}

/// A problem of a column as the reason why it has no value. It is the column's, and not that of whatever asks for it.
fn absent(problem: &Problem) -> Absent {
    Absent::unmeasured(problem.message.clone())
}
