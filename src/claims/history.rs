//! Turns the runs of a sweep on a device into rows and facts of the run that an expression names, or of one that counted before.
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

/// The complete runs of a sweep on a device, each with its facts once somebody asked for them.
pub(super) struct Runs {
    job: Arc<Job>,
    device: String,
    /// The name of the run that counts.
    current: Option<Arc<str>>,
    /// Those of the device, the oldest first, and behind them those that only can be named.
    runs: Vec<Kept>,
    /// How many are of the device.
    own: usize,
    /// The names of the sweep's runs on other devices.
    elsewhere: Vec<String>,
}

/// A run, and what was asked of it so far.
struct Kept {
    run: Arc<Run>,
    /// The sweep as it is by this run, without a history of its own.
    facts: OnceLock<Arc<SweepFacts>>,
    rows: OnceLock<RowSet>,
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
        let runs = here.into_iter().map(|run| Kept { run, facts: OnceLock::new(), rows: OnceLock::new() }).collect();
        let current = current.map(|run| run.name.clone());
        Self { job: job.clone(), device: device.to_owned(), current, runs, own, elsewhere }
    }

    /// The runs, the oldest first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Run>> {
        self.runs[..self.own].iter().map(|kept| &kept.run)
    }

    /// The sweep as it would be if the run `name` counted; `None` if there is no such run, or one of other sizes: what the plan
    /// says of its rows today was not so then.
    pub(super) fn facts(&self, name: &str) -> Option<Arc<SweepFacts>> {
        let kept = self.runs.iter().find(|kept| *kept.run.name == *name)?;
        means_the_same(&self.job, &kept.run.record).then(|| self.facts_of(kept))
    }

    fn facts_of(&self, kept: &Kept) -> Arc<SweepFacts> {
        let facts = || Arc::new(SweepFacts::new(&self.job, &self.device, Current::Fresh(kept.run.clone())));
        kept.facts.get_or_init(facts).clone()
    }

    fn missing(&self, name: Option<&str>) -> Absent {
        let sweep = &self.job.sweep.name;
        let Some(name) = name else {
            return Absent::unmeasured(format!("{sweep} has no run on {} that counts", spoken(&self.device)));
        };
        if self.elsewhere.iter().any(|known| known == name) {
            return Absent::unmeasured(format!("{name} is no run on {}", spoken(&self.device)));
        }
        let hint = did_you_mean(name, self.runs.iter().map(|kept| kept.run.short_name()));
        format!("{sweep} has no run {name} on {}{}", spoken(&self.device), hint.map(|hint| format!("; {hint}")).unwrap_or_default()).into()
    }
}

impl History for Runs {
    fn run(&self, name: Option<&str>) -> Result<RowSet, Absent> {
        let wanted = |run: &Run| match name {
            Some(name) => run.is_named(name),
            None => self.current.as_ref() == Some(&run.name),
        };
        let kept = self.runs.iter().find(|kept| wanted(&kept.run)).ok_or_else(|| self.missing(name))?;
        let rows = kept.rows.get_or_init(|| {
            let facts = self.facts_of(kept);
            let title = format!("the run {} of {}", kept.run.short_name(), self.job.sweep.name);
            let values = facts.values.clone().into_iter().chain(of_run(&kept.run)).collect();
            RowSet { values: Some(Arc::new(Named::new(title, values))), ..facts.row_set() }
        });
        Ok(rows.clone())
    }
}

impl SweepFacts {
    /// Its complete runs on the device, the oldest first.
    pub fn runs(&self) -> impl Iterator<Item = &Arc<Run>> {
        self.runs.iter().flat_map(|runs| runs.all())
    }

    /// The sweep as it would be if `run`, one of its runs, counted; `None` where rows or sizes of that run were other ones than are
    /// planned today.
    #[must_use]
    pub fn by(&self, run: &Run) -> Option<Arc<Self>> {
        self.runs.as_ref()?.facts(&run.name)
    }

    /// The run that an author calls `name`.
    #[must_use]
    pub fn run_named(&self, name: &str) -> Option<&Arc<Run>> {
        self.runs.as_ref()?.runs.iter().map(|kept| &kept.run).find(|run| run.is_named(name))
    }

    /// What expressions may ask its runs, had `run` counted.
    pub(super) fn history_by(&self, run: &Run) -> Option<Arc<dyn History>> {
        let runs = self.runs.clone()?;
        Some(Arc::new(Then { runs, counted: run.name.clone() }))
    }

    /// Its rows as `run`, one of its runs, has them.
    #[must_use]
    pub fn rows_of(&self, run: &Run) -> Vec<Arc<dyn Row>> {
        match &self.run {
            Some(current) if current.name != run.name => {
                self.runs.as_ref().and_then(|runs| runs.run(Some(run.short_name())).ok()).map(|rows| rows.sure).unwrap_or_default()
            }
            _ => self.row_values(),
        }
    }
}

/// The runs as they were while another one counted.
struct Then {
    /// All of them.
    runs: Arc<Runs>,
    /// The path of the one that counted.
    counted: Arc<str>,
}

impl History for Then {
    fn run(&self, name: Option<&str>) -> Result<RowSet, Absent> {
        let counted = || self.runs.all().find(|run| run.name == self.counted).map(|run| run.short_name());
        self.runs.run(name.or_else(counted))
    }
}

/// Whether rows and sizes of `record` are those that `job` plans today, so far as both have them: code may be other.
fn means_the_same(job: &Job, record: &Record) -> bool {
    let lines = &record.header.fingerprint_lines;
    record.header.identity.fingerprint == job.fingerprint.digest || agree(&job.fingerprint.lines, lines)
}

/// Whether the lines of two fingerprints give rows, constants, sizes and timing one meaning; what only one of both has is no other one.
fn agree(now: &[String], then: &[String]) -> bool {
    let then = meanings(then);
    meanings(now).iter().all(|(what, now)| then.get(what).is_none_or(|then| then == now))
}

/// What those lines of a fingerprint say on which columns of today's manifest stand, by what they speak of; less what in them is code,
/// and the number of rounds.
fn meanings(lines: &[String]) -> BTreeMap<&str, String> {
    lines.iter().filter_map(|line| meaning(line)).collect()
}

/// What `line` speaks of, and what it says of it; `None` for one of code.
fn meaning(line: &str) -> Option<(&str, String)> {
    const SIZES: [(&str, &str); 5] = [("row '", "':"), ("constant ", " = "), ("buffer ", ": "), ("read ", "': "), ("timing ", " ")];
    let line = line.split_once("; kernel '").map_or(line, |(row, _)| row);
    let (opening, end) = SIZES.iter().find(|(opening, _)| line.starts_with(opening))?;
    let (what, says) = line.split_at(line.find(end)?);
    let parts = says.split(", ").filter(|part| !(*opening == "timing " && part.starts_with("rounds ")));
    Some((what, parts.collect::<Vec<_>>().join(", ")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_rows_code_and_rounds_leave_a_meaning_and_other_sizes_do_not() {
        let now = ["device: a ;", "option -O3", "constant n = 4", "row 'a': x = 1", "row 'b': x = 2", "timing cold, rounds 11, samples 20"];
        let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<String>>();
        for (at, with, expected) in [
            (0, "device: b ;", true),
            (1, "option -O2", true),
            (2, "constant n = 8", false),
            (3, "row 'a': x = 3", false),
            (3, "row 'c': x = 3", true),
            (4, "row 'b': x = 2; kernel 'k'; options -g", true),
            (5, "timing cold, rounds 7, samples 20", true),
            (5, "timing warm, rounds 11, samples 20", false),
        ] {
            let mut then = now;
            then[at] = with;
            assert_eq!(agree(&lines(&now), &lines(&then)), expected, "{with}");
            assert_eq!(agree(&lines(&then), &lines(&now)), expected, "{with}");
        }
        let reads = |row: &str| lines(&["row 'a': x = 1", &format!("read cycles of row '{row}': u32 x 1")]);
        assert!(!agree(&reads("a"), &lines(&["row 'a': x = 1", "read cycles of row 'a': u64 x 1"])));
        assert!(agree(&reads("a"), &reads("b")), "what only one of both reads is no other figure");
    }
}
