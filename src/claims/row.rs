//! Turns a row of the plan and what a run says of it into columns.
//!
//! Must not know other rows; derived columns are filled in by the sweep, one after the other.

use std::sync::{Arc, OnceLock};

use crate::base::name;
use crate::base::quantity::{self, Dimension, Quantity, Unit, rational_to_f64};
use crate::base::statistics::LEAST_ROUNDS;
use crate::evidence::Run;
use crate::evidence::record::{Outcome, RowPlan};
use crate::expr::{Absent, Row, Value};
use crate::plan::{Job, PlannedRow, facts};

use super::columns::{Column, ColumnKind};
use super::printed::PrintedRow;

/// How the rounds of a row ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rounds {
    /// Rounds that were `ok`.
    pub ok: usize,
    /// Rounds of the run.
    pub of: usize,
    /// The other outcomes: word, reason, and how many rounds ended so, in the order they were first met.
    pub others: Vec<(String, String, usize)>,
}

impl Rounds {
    /// Counts a round that ended as `word` says, for the reason `why`.
    pub(super) fn add(&mut self, word: &str, why: &str) {
        match self.others.iter_mut().find(|other| other.0 == word) {
            Some(other) => other.2 += 1,
            None => self.others.push((word.to_owned(), why.to_owned(), 1)),
        }
    }

    /// What befell the rounds that were not `ok`, in words: "launch in 11 of 11 rounds: too many threads"; `None` when all
    /// were.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        let parts: Vec<String> =
            self.others.iter().map(|(word, why, count)| format!("{word} in {count} of {} rounds: {why}", self.of)).collect();
        if parts.is_empty() { None } else { Some(parts.join("; ")) }
    }
}

/// How a figure that is read back in a row becomes a value.
pub(super) struct ReadFacts {
    /// Its column.
    pub(super) name: String,
    /// How much of a base unit one of the integers is.
    pub(super) step: f64,
    /// The unit to show it in.
    pub(super) unit: Unit,
}

impl ReadFacts {
    /// Those of row `index` of `job`.
    pub(super) fn of_row(job: &Job, index: usize) -> Vec<Self> {
        let reads = job.kernel().into_iter().flat_map(|kernel| &kernel.reads);
        let facts = reads.filter_map(|read| {
            let step = rational_to_f64(read.step(index)?);
            Some(Self { name: read.name.clone(), step, unit: read.unit.clone() })
        });
        facts.collect()
    }
}

/// A row of a sweep on a device, with all its columns.
pub struct RowFacts {
    /// Its label.
    pub label: String,
    /// How its rounds ended; all zero without a run.
    pub rounds: Rounds,
    sweep: Arc<str>,
    names: Arc<[String]>,
    /// A value for each name; a derived column is empty until those before it are known.
    values: Vec<OnceLock<Result<Value, Absent>>>,
}

impl RowFacts {
    /// The row `planned` of the sweep `sweep` as far as it is known without derived columns. `measured` is the run, the
    /// row's index in its record and what the record says it was; `lacking` says why there is no run.
    pub(super) fn new(
        sweep: &Arc<str>,
        columns: &[Column],
        names: &Arc<[String]>,
        (planned, reads): (&PlannedRow, &[ReadFacts]),
        measured: Option<(&Run, usize, &RowPlan)>,
        lacking: &Absent,
    ) -> Self {
        let rounds = measured.map(|(run, index, _)| outcomes(run, index)).unwrap_or_default();
        let row = Self {
            label: planned.label.clone(),
            rounds,
            sweep: sweep.clone(),
            names: names.clone(),
            values: columns.iter().map(|_| OnceLock::new()).collect(),
        };
        for (index, column) in columns.iter().enumerate() {
            let value = match column.kind {
                // A profiler's columns are filled in by the sweep.
                ColumnKind::Derived | ColumnKind::Profiled => continue,
                // What a compiler says is filled in by the sweep; kernel and architecture are planned.
                ColumnKind::Compiled => match own(planned, &column.name) {
                    Some(value) => Ok(value),
                    None => continue,
                },
                ColumnKind::Label => Ok(Value::Text(planned.label.as_str().into())),
                ColumnKind::Own => own(planned, &column.name).ok_or_else(|| format!("{} has no `{}`", row.title(), column.name).into()),
                ColumnKind::Launch | ColumnKind::Measured | ColumnKind::Printed => match measured {
                    Some(measured) => match reads.iter().find(|read| read.name == column.name) {
                        Some(read) => row.read(read, measured),
                        None => row.built_in(&column.name, measured),
                    },
                    None => Err(lacking.clone()),
                },
            };
            row.fill(index, value);
        }
        row
    }

    /// The row `printed` that a program printed, without derived columns.
    pub(super) fn printed(sweep: &Arc<str>, columns: &[Column], names: &Arc<[String]>, mut printed: PrintedRow) -> Self {
        let row = Self {
            label: printed.label.clone(),
            rounds: printed.rounds,
            sweep: sweep.clone(),
            names: names.clone(),
            values: columns.iter().map(|_| OnceLock::new()).collect(),
        };
        for (index, column) in columns.iter().enumerate() {
            let value = match column.kind {
                ColumnKind::Derived => continue,
                ColumnKind::Label => Ok(Value::Text(printed.label.as_str().into())),
                _ => printed
                    .columns
                    .remove(&column.name)
                    .unwrap_or_else(|| Err(Absent::unmeasured(format!("{} is in no table with a column `{}`", row.title(), column.name)))),
            };
            row.fill(index, value);
        }
        row
    }

    /// Whether the value of column `index` was measured.
    pub(super) fn is_measured(&self, index: usize) -> bool {
        let value = self.values.get(index).and_then(OnceLock::get);
        matches!(value, Some(Ok(Value::Quantity(quantity))) if quantity.is_measured())
    }

    /// Sets the value of column `index`, once.
    pub(super) fn fill(&self, index: usize, value: Result<Value, Absent>) {
        if let Some(slot) = self.values.get(index) {
            // A slot is filled by the loop over columns only, so it can't be filled before.
            let _ = slot.set(value);
        }
    }

    fn built_in(&self, name: &str, (run, index, plan): (&Run, usize, &RowPlan)) -> Result<Value, Absent> {
        if let Some(skipped) = &plan.skipped {
            return Err(Absent::unmeasured(format!("{} was skipped: {skipped}", self.title())));
        }
        if name == "ms" || name == "clock" {
            return self.timed(name, run, index);
        }
        let residency = plan.residency.iter().flat_map(facts::residency_values).find(|(known, _)| *known == name);
        if let Some((_, value)) = residency {
            return Ok(value);
        }
        let launch = plan.launch.as_ref();
        let found = launch.into_iter().flat_map(facts::launch_values).find(|(known, _)| *known == name);
        match (found, name, launch) {
            (Some((_, value)), ..) => Ok(Value::Quantity(value)),
            (None, "bytes" | "flop", Some(_)) => Err(format!("the sweep declares no `{name}` of a launch").into()),
            _ => Err(Absent::unmeasured(format!("the run says nothing of `{name}` in {}", self.title()))),
        }
    }

    /// What was read back: the median of each round, by the figure's divisor.
    fn read(&self, read: &ReadFacts, (run, index, plan): (&Run, usize, &RowPlan)) -> Result<Value, Absent> {
        if let Some(skipped) = &plan.skipped {
            return Err(Absent::unmeasured(format!("{} was skipped: {skipped}", self.title())));
        }
        self.enough_rounds(&read.name)?;
        let values = run.record.round_reads(index, &read.name).into_iter().map(|value| value.map(|value| value * read.step)).collect();
        let rounds = quantity::Rounds::new(run.name.clone(), values, read.step);
        Ok(Value::Quantity(Quantity::measured(rounds, read.unit.clone())))
    }

    fn enough_rounds(&self, what: &str) -> Result<(), Absent> {
        if self.rounds.ok < LEAST_ROUNDS {
            let trouble = self.rounds.trouble().unwrap_or_else(|| "the others are missing".to_owned());
            let message = format!(
                "{} has no {what}: {} of {} rounds are ok, and at least {LEAST_ROUNDS} are needed ({trouble})",
                self.title(),
                self.rounds.ok,
                self.rounds.of
            );
            return Err(Absent::unmeasured(message));
        }
        Ok(())
    }

    fn timed(&self, name: &str, run: &Run, index: usize) -> Result<Value, Absent> {
        self.enough_rounds(if name == "ms" { "time" } else { name })?;
        let record = &run.record;
        let clocks;
        let (values, base, quantum, unit) = if name == "ms" {
            (run.round_ns(index), 1e9, record.quantum_ns(index), Unit::scaled("ms"))
        } else {
            clocks = record.round_clock_mhz(index);
            (&*clocks, 1e-6, 1.0, Unit::scaled("MHz"))
        };
        let values = values.iter().map(|value| value.map(|value| value / base)).collect();
        let rounds = quantity::Rounds::new(run.name.clone(), values, quantum / base);
        let fallback = Unit::automatic(if name == "ms" { Dimension::TIME } else { Dimension::CLOCK });
        Ok(Value::Quantity(Quantity::measured(rounds, unit.unwrap_or(fallback))))
    }
}

impl Row for RowFacts {
    fn title(&self) -> String {
        format!("row {} of {}", self.label, self.sweep)
    }

    fn column(&self, name: &str) -> Result<Value, Absent> {
        let Some(index) = self.names.iter().position(|known| known == name) else {
            let hint = name::did_you_mean(name, self.names.iter().map(String::as_str)).map(|hint| format!("; {hint}")).unwrap_or_default();
            return Err(format!("{} has no column `{name}`{hint}", self.title()).into());
        };
        match self.values.get(index).and_then(OnceLock::get) {
            Some(value) => value.clone(),
            None => Err(format!("the column `{name}` comes later in the manifest; a column may use only those before it").into()),
        }
    }

    fn columns(&self) -> Vec<String> {
        self.names.to_vec()
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

/// The row's own value `name`.
fn own(planned: &PlannedRow, name: &str) -> Option<Value> {
    planned.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.value())
}

fn outcomes(run: &Run, index: usize) -> Rounds {
    let mut rounds = Rounds { of: run.record.header.identity.timing.rounds as usize, ..Rounds::default() };
    if let Some(profiled) = run.record.profiled_of(index) {
        rounds.ok = profiled.launches.len();
        let why = profiled.outcome.why();
        rounds.others.extend(why.map(|why| (profiled.outcome.word().to_owned(), why.to_owned(), rounds.of)));
    }
    for result in run.record.results_of(index) {
        if result.outcome == Outcome::Ok {
            rounds.ok += 1;
            continue;
        }
        rounds.add(result.outcome.word(), result.outcome.why().unwrap_or_default());
    }
    rounds
}
