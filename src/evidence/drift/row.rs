//! Turns one row of two runs into its comparison, or into the reason why there is none.
//!
//! Must not know other rows; what they share comes in as a level.

use crate::base::statistics::{LEAST_ROUNDS, Sample, mean};
use crate::evidence::canary::Canary;
use crate::evidence::record::{Outcome, Record, RowPlan};

use super::figure::{self, Figure};
use super::text::share;
use super::{CHANGE, Change, Moved, RowComparison, SAME, Verdict, judge, logarithms};

/// A row in one run.
struct Side<'a> {
    plan: &'a RowPlan,
    times: Vec<f64>,
    quantum: f64,
}

impl<'a> Side<'a> {
    fn of(record: &'a Record, label: &str) -> Option<Self> {
        let row = record.row_index(label)?;
        let times = record.round_ns(row).into_iter().flatten().filter(|&time| time > 0.0).collect();
        Some(Self { plan: record.rows.get(row)?, times, quantum: record.quantum_ns(row) })
    }

    /// The exponential of the mean logarithm, of however few rounds.
    fn typical(&self) -> Option<f64> {
        mean(&self.times.iter().map(|&time| libm::log(time)).collect::<Vec<_>>()).map(libm::exp)
    }
}

/// A row in both runs: its time, or a figure of it.
pub(super) struct Sides {
    label: String,
    figure: Option<String>,
    recorded: Option<f64>,
    fresh: Option<f64>,
    /// The canaries that can stand for its kind.
    kind: Vec<Canary>,
    /// Whether more is faster.
    is_rate: bool,
    /// Whether all rounds of both runs say the same.
    is_fixed: bool,
    /// Both sides' logarithms, or why they can't be compared and how that is called.
    pub(super) samples: Result<(Sample, Sample), (Option<Verdict>, String)>,
}

impl Sides {
    pub(super) fn of(label: String, recorded: &Record, fresh: &Record) -> Self {
        let (before, now) = (Side::of(recorded, &label), Side::of(fresh, &label));
        let typical = |side: &Option<Side<'_>>| side.as_ref().and_then(Side::typical);
        let (recorded_time, fresh_time) = (typical(&before), typical(&now));
        let lost =
            |run: &str, record: &Record| (Some(Verdict::NotComparable), format!("no time in the {run} run: {}", trouble(record, &label)));
        let samples = match (&before, &now) {
            _ if recorded_time.is_none() && fresh_time.is_none() => {
                Err((None, trouble(if now.is_some() { fresh } else { recorded }, &label)))
            }
            (Some(before), Some(now)) if recorded_time.is_some() && fresh_time.is_some() => samples(before, now),
            _ => Err(if recorded_time.is_none() { lost("recorded", recorded) } else { lost("fresh", fresh) }),
        };
        let launch = before.as_ref().and_then(|side| side.plan.launch.as_ref());
        let kind = launch.zip(recorded.header.identity.gpu.as_ref()).and_then(|(launch, gpu)| Canary::of(launch, gpu));
        let kind = kind.map_or_else(|| Canary::ALL.to_vec(), |canary| vec![canary]);
        Self { label, figure: None, recorded: recorded_time, fresh: fresh_time, kind, is_rate: false, is_fixed: false, samples }
    }

    /// A figure of a row; no canary stands for it.
    pub(super) fn of_figure(figure: &Figure) -> Self {
        Self {
            label: figure.label.clone(),
            figure: Some(figure.name.clone()),
            recorded: figure::typical(&figure.recorded),
            fresh: figure::typical(&figure.fresh),
            kind: Vec::new(),
            is_rate: figure.is_rate,
            is_fixed: figure.is_fixed(),
            samples: figure.samples(),
        }
    }

    /// The row, compared with bounds at `level`.
    pub(super) fn judged(&self, canaries: &[(Canary, Moved)], level: f64) -> RowComparison {
        if self.is_fixed {
            // However coarse the steps of what was counted: there is nothing to tell apart.
            let change = Some(Change { log: 0.0, low: 0.0, high: 0.0 });
            return RowComparison { change, ..self.without(Some(Verdict::Same), "") };
        }
        let (before, now) = match &self.samples {
            Ok(samples) => *samples,
            Err((verdict, why)) => return self.without(*verdict, why),
        };
        let along = |moved: Moved| (moved.fresh.mean - moved.recorded.mean) * (now.mean - before.mean).signum();
        // A row that declares neither bytes nor operations may be of either kind: the canary that moved with it speaks for it.
        let of_kind = canaries.iter().filter(|(canary, _)| self.kind.contains(canary)).copied();
        let canary = of_kind.max_by(|(_, a), (_, b)| along(*a).total_cmp(&along(*b)));
        let (change, verdict) = judge(before, now, canary.map(|(_, moved)| moved), level);
        let canary = canary.map(|(canary, moved)| (canary, moved.fresh.mean - moved.recorded.mean));
        let needs = needs(verdict, change, canary, before.count.min(now.count));
        // Of a rate the change is shown as it is, and judged by the time that a thing takes.
        let shown = if self.is_rate { Change { log: -change.log, low: -change.high, high: -change.low } } else { change };
        RowComparison { change: Some(shown), canary, ..self.without(Some(verdict), &needs) }
    }

    /// The row, of runs that can't be compared.
    pub(super) fn refused(&self) -> RowComparison {
        match &self.samples {
            Err((None, why)) => self.without(None, why),
            _ => self.without(Some(Verdict::NotComparable), ""),
        }
    }

    /// The row, with a verdict that stands on no change.
    fn without(&self, verdict: Option<Verdict>, needs: &str) -> RowComparison {
        let (label, figure, needs) = (self.label.clone(), self.figure.clone(), needs.to_owned());
        RowComparison { label, figure, recorded: self.recorded, fresh: self.fresh, change: None, canary: None, verdict, needs }
    }
}

/// Both sides' logarithms, or what they lack.
fn samples(before: &Side<'_>, now: &Side<'_>) -> Result<(Sample, Sample), (Option<Verdict>, String)> {
    let (then, today) = (before.plan.launches_per_sample, now.plan.launches_per_sample);
    if then != today {
        let why =
            format!("{then} launches a sample in the recorded run and {today} in the fresh one: each bears another share of the timing");
        return Err((Some(Verdict::NotComparable), why));
    }
    let logarithms = |side: &Side<'_>| logarithms(&side.times, side.quantum);
    let few = |verdict: Verdict, run: &str, side: &Side<'_>| {
        let rounds = side.times.len();
        (Some(verdict), format!("{rounds} rounds of the {run} run have a time, and {LEAST_ROUNDS} at least are needed"))
    };
    // The fresh run can take more rounds; the recorded one is what it is.
    let then = logarithms(before).ok_or_else(|| few(Verdict::NotComparable, "recorded", before))?;
    let today = logarithms(now).ok_or_else(|| few(Verdict::Unresolved, "fresh", now))?;
    Ok((then, today))
}

/// What `verdict` stands on, or what a better one needs, after `rounds` rounds of the run that has fewer.
fn needs(verdict: Verdict, change: Change, canary: Option<(Canary, f64)>, rounds: usize) -> String {
    match verdict {
        Verdict::Same | Verdict::NotComparable => String::new(),
        Verdict::Slower | Verdict::Faster => {
            let least = share(if verdict == Verdict::Slower { change.low } else { change.high });
            match canary {
                None => format!("by {least} at least; no canary tells whether the machine moved"),
                Some((canary, moved)) => format!("by {least} at least; the canary `{}` moved by {}", canary.word(), share(moved)),
            }
        }
        Verdict::MachineDrift => {
            let (canary, moved) = canary.map_or(("none", 0.0), |(canary, moved)| (canary.word(), moved));
            format!("the canary `{canary}`, which runs nothing of the course, moved by {}: measure again in another session", share(moved))
        }
        Verdict::Unresolved => {
            let between = format!("between {} and {}", share(change.low), share(change.high));
            let (reach, size) = (change.high - change.log, change.log.abs());
            // Either surely within 2 %, or surely a change: whichever is nearer.
            let room = (libm::log1p(SAME) - size).max(if size > libm::log1p(CHANGE) { size } else { 0.0 });
            if reach < room {
                let moved = canary.map_or(String::new(), |(canary, moved)| format!("`{}`, which moved by {}", canary.word(), share(moved)));
                return format!("{between}, but not so against the canary {moved}: measure again in another session");
            }
            let factor = reach / room;
            let rounds = libm::ceil(rounds as f64 * factor * factor);
            if rounds < 1000.0 { format!("{between}; about {rounds} rounds of each run would tell") } else { between }
        }
    }
}

/// Why the row `label` of `record` has no time, in a few words.
fn trouble(record: &Record, label: &str) -> String {
    let Some(row) = record.row_index(label) else { return "no such row".to_owned() };
    if let Some(why) = record.rows.get(row).and_then(|row| row.skipped.as_ref()) {
        return format!("skipped: {why}");
    }
    match record.results_of(row).find(|result| result.outcome != Outcome::Ok) {
        Some(result) => format!("{} in round {}", result.outcome.word(), result.round),
        None => "not tried".to_owned(),
    }
}
