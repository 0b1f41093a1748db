//! Turns two runs of one sweep into a comparison: row by row, whether the fresh one is as fast as the recorded one.
//!
//! Must not know which run counts, nor which command asks. The round is the unit. Rounds of different runs don't pair, so the
//! means of their logarithms are compared by Welch's test. A session differs a little from any other while nothing changed, and no
//! statistic of one session can see by how much: that is what canaries are for. So whatever is said of a row must hold of its times
//! as they are, and of its times against the canary's; where the data can't tell, the comparison says so. Figures beside the times,
//! such as cycles that were read back, are compared in the same way but for the canaries, which say nothing of them.

mod figure;
mod identity;
mod row;
mod text;

use crate::base::statistics::{LEAST_ROUNDS, Sample, contrast, mean, student_quantile};

use self::row::Sides;
use super::canary::Canary;
use super::record::{Record, RunKind};

pub use self::figure::Figure;
pub use self::identity::{Difference, circumstances, differences};
pub use self::text::{cells, text};

/// The doubt that all rows of a comparison share.
pub const DOUBT: f64 = 0.01;

/// How often a measurement may look at its data: after its rounds, and after each of at most two times as many more.
pub const LOOKS: u32 = 3;

/// A change counts from this share on.
pub const CHANGE: f64 = 0.010;

/// Two times are the same where the change lies within this share for sure.
pub const SAME: f64 = 0.02;

/// The level of each bound of a row's times against the canary's. Rows share a session, so that they need not share the doubt
/// about it; simulated pages of ten rows stay below one false alarm in a hundred however far sessions lie apart.
const AGAINST_CANARY: f64 = 1.0 - DOUBT / (2.0 * LOOKS as f64);

/// What a comparison says of a row, or of all of them. The order is that of their weight: the verdict of the whole is the
/// greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The change is surely within 2 %, and not worth a word.
    Same,
    /// It changed, and so did the machine.
    MachineDrift,
    /// The data can't tell.
    Unresolved,
    /// The two are not of the same thing.
    NotComparable,
    /// It takes less time.
    Faster,
    /// It takes more time.
    Slower,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 6] = [Self::Same, Self::MachineDrift, Self::Unresolved, Self::NotComparable, Self::Faster, Self::Slower];

    /// The verdict as tables have it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "SAME",
            Self::MachineDrift => "MACHINE-DRIFT",
            Self::Unresolved => "UNRESOLVED",
            Self::NotComparable => "NOT-COMPARABLE",
            Self::Faster => "FASTER",
            Self::Slower => "SLOWER",
        }
    }
}

/// How far two runs lie apart: a difference of mean logarithms of times, fresh less recorded, with one-sided bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The difference.
    pub log: f64,
    /// Its lower bound.
    pub low: f64,
    /// Its upper bound.
    pub high: f64,
}

impl Change {
    /// The weighted sum of `terms`, samples of logarithms, with bounds at `level`.
    fn of(terms: &[(f64, Sample)], level: f64) -> Self {
        let (log, error, freedom) = contrast(terms);
        let reach = if error > 0.0 { student_quantile(level, freedom) * error } else { 0.0 };
        Self { log, low: log - reach, high: log + reach }
    }

    fn is_within(&self, share: f64) -> bool {
        self.low > -libm::log1p(share) && self.high < libm::log1p(share)
    }
}

/// A canary in both runs: logarithms of its rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    /// In the recorded run.
    pub recorded: Sample,
    /// In the fresh one.
    pub fresh: Sample,
}

/// The change from `recorded` to `fresh`, logarithms of a row's rounds, and the verdict on it; `canary` is that of the row's
/// kind. The bounds of the change are at `level`.
#[must_use]
pub fn judge(recorded: Sample, fresh: Sample, canary: Option<Moved>, level: f64) -> (Change, Verdict) {
    let change = Change::of(&[(1.0, fresh), (-1.0, recorded)], level);
    let relative = || {
        let against = |canary: Moved| [(1.0, fresh), (-1.0, recorded), (-1.0, canary.fresh), (1.0, canary.recorded)];
        canary.map_or(change, |canary| Change::of(&against(canary), AGAINST_CANARY))
    };
    let counts = change.log.abs() > libm::log1p(CHANGE);
    let verdict = if counts && (change.low > 0.0 || change.high < 0.0) {
        let moved = canary.map_or(0.0, |canary| canary.fresh.mean - canary.recorded.mean);
        let (relative, slower) = (relative(), change.low > 0.0);
        match slower {
            _ if moved * change.log > 0.0 && moved.abs() >= change.log.abs() / 2.0 => Verdict::MachineDrift,
            true if relative.low > 0.0 => Verdict::Slower,
            false if relative.high < 0.0 => Verdict::Faster,
            _ => Verdict::Unresolved,
        }
    } else if change.is_within(SAME) && relative().is_within(SAME) {
        Verdict::Same
    } else {
        Verdict::Unresolved
    };
    (change, verdict)
}

/// The level of each bound where `rows` rows are compared: the doubt is shared by rows, sides and looks.
#[must_use]
pub fn level(rows: usize, looks: u32) -> f64 {
    1.0 - DOUBT / (2.0 * rows.max(1) as f64 * f64::from(looks.max(1)))
}

/// What the comparison says of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowComparison {
    /// The row.
    pub label: String,
    /// The figure of it that is compared; `None` for its time.
    pub figure: Option<String>,
    /// The time in the recorded run, nanoseconds, or the figure: the exponential of the mean logarithm over the rounds.
    pub recorded: Option<f64>,
    /// And in the fresh one.
    pub fresh: Option<f64>,
    /// How far they lie apart, where both have enough rounds.
    pub change: Option<Change>,
    /// The canary of the row's kind, and its change as a logarithm.
    pub canary: Option<(Canary, f64)>,
    /// The verdict; `None` for a row without a time in either run.
    pub verdict: Option<Verdict>,
    /// What the verdict stands on, or what a better one would need; without a full stop, empty for [`Verdict::Same`].
    pub needs: String,
}

/// Two runs, compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The verdict of the whole: the greatest of its rows.
    pub verdict: Verdict,
    /// What differs in the two runs' identity and forbids comparing them.
    pub forbids: Vec<Difference>,
    /// Whether the code differs, and was allowed to.
    pub across_code: bool,
    /// What differs besides, and may explain a change: circumstances, another card of the same kind among them.
    pub differs: Vec<Difference>,
    /// The times of the rows, in the recorded run's order, then those that only the fresh one has; none where nothing is timed.
    pub rows: Vec<RowComparison>,
    /// The figures of the rows.
    pub figures: Vec<RowComparison>,
    /// The canaries that both runs have, and their changes.
    pub canaries: Vec<(Canary, Change)>,
    /// Looks that share the level.
    pub looks: u32,
    /// The level of each one-sided bound.
    pub level: f64,
}

/// Compares `fresh` with `recorded`, times and what was read back; with `across_code`, runs of different code too.
#[must_use]
pub fn compare(recorded: &Record, fresh: &Record, across_code: bool) -> Comparison {
    compare_figures(recorded, fresh, across_code, &figure::read_back(recorded, fresh))
}

/// The same with `figures` of the two runs in the place of what was read back.
#[must_use]
pub fn compare_figures(recorded: &Record, fresh: &Record, across_code: bool, figures: &[Figure]) -> Comparison {
    let (code, forbids): (Vec<_>, Vec<_>) =
        differences(&recorded.header, &fresh.header).into_iter().partition(|difference| across_code && difference.field == "fingerprint");
    let comparable = forbids.is_empty();
    let sides: Vec<Sides> = labels(recorded, fresh).into_iter().map(|label| Sides::of(label, recorded, fresh)).collect();
    let beside: Vec<Sides> = figures.iter().map(Sides::of_figure).collect();
    // A run that was looked at while it was measured might have ended otherwise; any number of looks costs as much as the most.
    let looks = if fresh.header.circumstance.looks.is_some() { LOOKS } else { 1 };
    let level = level(sides.iter().chain(&beside).filter(|sides| sides.samples.is_ok()).count(), looks);
    let moved = if comparable { moved(recorded, fresh) } else { Vec::new() };
    let judge = |sides: &[Sides]| -> Vec<RowComparison> {
        sides.iter().map(|sides| if comparable { sides.judged(&moved, level) } else { sides.refused() }).collect()
    };
    let (rows, figures) = (judge(&sides), judge(&beside));
    let canaries =
        moved.iter().map(|&(canary, moved)| (canary, Change::of(&[(1.0, moved.fresh), (-1.0, moved.recorded)], level))).collect();
    let verdicts = rows.iter().chain(&figures).filter_map(|row| row.verdict);
    let verdict = verdicts.max().filter(|_| comparable).unwrap_or(Verdict::NotComparable);
    let differs = circumstances(&recorded.header, &fresh.header);
    Comparison { verdict, forbids, across_code: !code.is_empty(), differs, rows, figures, canaries, looks, level }
}

impl Comparison {
    /// All that was compared.
    pub fn all(&self) -> impl Iterator<Item = &RowComparison> {
        self.rows.iter().chain(&self.figures)
    }

    /// How many times and figures more rounds could tell more about.
    #[must_use]
    pub fn unresolved(&self) -> usize {
        self.all().filter(|row| row.verdict == Some(Verdict::Unresolved)).count()
    }
}

/// The labels of the rows of both runs, each once; none where neither run times anything itself.
fn labels(recorded: &Record, fresh: &Record) -> Vec<String> {
    let is_timed = |record: &Record| record.header.kind == RunKind::Kernel && record.header.identity.timing.time;
    if !is_timed(recorded) && !is_timed(fresh) {
        return Vec::new();
    }
    let more = fresh.rows.iter().filter(|row| recorded.row_index(&row.label).is_none());
    recorded.rows.iter().chain(more).map(|row| row.label.clone()).collect()
}

/// The canaries that both runs measured in the same way.
fn moved(recorded: &Record, fresh: &Record) -> Vec<(Canary, Moved)> {
    let both = |canary: Canary| {
        let same = recorded.canary_work(canary) == fresh.canary_work(canary);
        let sample = |record: &Record| logarithms(&record.canary_ns(canary), record.canary_quantum_ns(canary));
        let (recorded, fresh) = sample(recorded).zip(sample(fresh)).filter(|_| same)?;
        Some((canary, Moved { recorded, fresh }))
    };
    Canary::ALL.into_iter().filter_map(both).collect()
}

/// Logarithms of `times`, nanoseconds read in steps of `quantum`; `None` for too few.
fn logarithms(times: &[f64], quantum: f64) -> Option<Sample> {
    let logs: Vec<f64> = times.iter().filter(|&&time| time > 0.0).map(|&time| libm::log(time)).collect();
    let typical = libm::exp(mean(&logs)?);
    Sample::of(&logs, quantum / typical).filter(|sample| sample.count >= LEAST_ROUNDS)
}

#[cfg(test)]
mod promise;
#[cfg(test)]
mod tests;
