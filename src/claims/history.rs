//! Turns the runs of a sweep on a device into rows and facts of the run that an expression names.
//!
//! Must not know which run counts: that is given. A run of other code may be named too; its name says which one it is.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::base::name::did_you_mean;
use crate::base::quantity::{self, Dimension, Quantity, Rational, Unit};
use crate::base::statistics::median;
use crate::evidence::canary::Canary;
use crate::evidence::record::{Outcome, Record, RunKind};
use crate::evidence::{Current, Evidence, Run, YOURS, spoken};
use crate::expr::{Absent, History, Row, RowSet, Value};
use crate::plan::Job;

use super::facts::SweepFacts;

/// The complete runs of a sweep on a device, each with its rows once somebody asked for them.
pub(super) struct Runs {
    job: Arc<Job>,
    device: String,
    /// The name of the run that counts.
    current: Option<Arc<str>>,
    /// Those of the device, the oldest first, and behind them those that only can be named.
    runs: Vec<(Arc<Run>, OnceLock<RowSet>)>,
    /// How many are of the device.
    own: usize,
    /// The names of the sweep's runs on other devices.
    elsewhere: Vec<String>,
}

impl Runs {
    /// The runs of `job` that `evidence` has on `device`, of which `current` counts.
    pub(super) fn of(job: &Arc<Job>, device: &str, evidence: &Evidence, current: Option<&Arc<Run>>) -> Self {
        let mut here: Vec<Arc<Run>> = evidence.runs_for(job, device).filter(|run| run.is_complete()).cloned().collect();
        // Of private runs only the one that is shown stands beside the course's own.
        here.extend(current.filter(|run| run.private().is_some()).cloned());
        let own = here.len();
        let all = evidence.runs.get(&job.sweep.name).into_iter().flatten();
        // A sentence about a run that it names is about that run, on a reader's card too.
        let kind = here.first().map(|run| run.kind());
        let guests = all.clone().filter(|run| device == YOURS && Some(run.kind()) == kind && run.is_complete());
        let guests: Vec<Arc<Run>> = guests.filter(|run| here.iter().all(|own| own.name != run.name)).cloned().collect();
        here.extend(guests);
        let elsewhere = all.filter(|run| run.device() != device).map(|run| run.short_name().to_owned()).collect();
        let runs = here.into_iter().map(|run| (run, OnceLock::new())).collect();
        let current = current.map(|run| run.name.clone());
        Self { job: job.clone(), device: device.to_owned(), current, runs, own, elsewhere }
    }

    /// The runs, the oldest first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Run>> {
        self.runs[..self.own].iter().map(|(run, _)| run)
    }

    fn missing(&self, name: Option<&str>) -> Absent {
        let sweep = &self.job.sweep.name;
        let Some(name) = name else {
            return Absent::unmeasured(format!("{sweep} has no run on {} that counts", spoken(&self.device)));
        };
        if self.elsewhere.iter().any(|known| known == name) {
            return Absent::unmeasured(format!("{name} is no run on {}", spoken(&self.device)));
        }
        let hint = did_you_mean(name, self.runs.iter().map(|(run, _)| run.short_name()));
        format!("{sweep} has no run {name} on {}{}", spoken(&self.device), hint.map(|hint| format!("; {hint}")).unwrap_or_default()).into()
    }
}

impl History for Runs {
    fn run(&self, name: Option<&str>) -> Result<RowSet, Absent> {
        let wanted = |run: &Run| match name {
            Some(name) => run.short_name() == name,
            None => self.current.as_ref() == Some(&run.name),
        };
        let (run, rows) = self.runs.iter().find(|(run, _)| wanted(run)).ok_or_else(|| self.missing(name))?;
        let rows = rows.get_or_init(|| {
            let facts = SweepFacts::new(&self.job, &self.device, Current::Fresh(run.clone()));
            let title = format!("the run {} of {}", run.short_name(), self.job.sweep.name);
            let values = facts.values.clone().into_iter().chain(of_run(run)).collect();
            RowSet { values: Some(Arc::new(Named::new(title, values))), ..facts.row_set() }
        });
        Ok(rows.clone())
    }
}

/// What is known of a run itself, whatever its rows.
fn of_run(run: &Run) -> BTreeMap<String, Result<Value, Absent>> {
    let record = &run.record;
    let header = &record.header;
    let mut values = BTreeMap::new();
    let mut note = |name: &str, value: Value| drop(values.insert(name.to_owned(), Ok(value)));
    note("date", Value::Text(run.date().into()));
    note("device", Value::Text(run.made_on().into()));
    if header.kind == RunKind::Kernel || header.kind == RunKind::Program {
        note("rounds", Value::Quantity(Quantity::counted(header.identity.timing.rounds, "rounds")));
    }
    if header.kind != RunKind::Kernel {
        return values;
    }
    note("samples", Value::Quantity(Quantity::counted(header.identity.timing.samples, "samples")));
    let tick = record.footer.as_ref().and_then(|footer| footer.tick_ns).zip(Unit::scaled("ns"));
    if let Some(tick) = tick.and_then(|(tick, unit)| Quantity::exact(Rational::from_integer(tick.into()), unit).ok()) {
        note("tick", Value::Quantity(tick));
    }
    let time = |values: Vec<Option<f64>>, quantum: f64, symbol: &str| {
        let values = values.into_iter().map(|value| value.map(|value| value / 1e9)).collect();
        let rounds = quantity::Rounds::new(run.name.clone(), values, quantum / 1e9);
        let unit = Unit::scaled(symbol).unwrap_or_else(|| Unit::automatic(Dimension::TIME));
        Value::Quantity(Quantity::measured(rounds, unit))
    };
    note("empty_pair", time(empty_pairs(record), record.tick_ns(), "ns"));
    for canary in Canary::ALL {
        let Some((_, work)) = record.canary_work(canary) else { continue };
        note(canary.word(), time(record.canary_round_ns(canary), record.canary_quantum_ns(canary), "ms"));
        let (name, work) = match canary {
            Canary::Copy => ("copy_bytes", Quantity::bytes(work)),
            Canary::Fma => ("fma_flop", Quantity::flop(work)),
        };
        note(name, Value::Quantity(work));
    }
    values
}

/// For each round from the first, the median over its rows of what a pair of events without launches between them spans.
fn empty_pairs(record: &Record) -> Vec<Option<f64>> {
    let rounds = 1..=record.header.identity.timing.rounds;
    let of_round = |round: u32| {
        let ok = record.results.iter().filter(move |result| result.round == round && result.outcome == Outcome::Ok);
        let spans: Vec<f64> = ok.filter_map(|result| result.empty_pair_ns).map(|span| span as f64).collect();
        median(&spans)
    };
    rounds.map(of_round).collect()
}

/// Named values that belong to no row.
pub(super) struct Named {
    title: String,
    values: BTreeMap<String, Result<Value, Absent>>,
}

impl Named {
    /// The values called `title`.
    pub(super) fn new(title: String, values: BTreeMap<String, Result<Value, Absent>>) -> Self {
        Self { title, values }
    }
}

impl Row for Named {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn column(&self, name: &str) -> Result<Value, Absent> {
        self.values.get(name).cloned().unwrap_or_else(|| Err(format!("{} has no `{name}`", self.title).into()))
    }

    fn columns(&self) -> Vec<String> {
        self.values.keys().cloned().collect()
    }
}
