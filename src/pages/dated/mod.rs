//! Turns the dated runs of a sweep on the page's device into those that a page names, each with what sets it apart from the one that
//! counts, and two values of one figure into how far they lie apart.
//!
//! Must not know which figures there are, nor decide what differs: that is said as for two bodies of evidence, and as `verify --fresh`
//! compares runs.

mod figure;
mod table;

use std::sync::Arc;

use serde::Serialize;

use crate::base::quantity::Quantity;
use crate::claims::{LessonScope, SweepFacts};
use crate::evidence::Run;
use crate::evidence::drift;
use crate::review;

use super::page::Page;
use super::provenance::transcript_page;
use super::words::Words;

pub(crate) use self::figure::{Moves, note};
pub(crate) use self::table::{CellView, History, Line, MovedFigure, RowView, TableView, of_figures, others};

/// So many runs are named, the last ones and the one that counts.
const RUNS: usize = 6;

/// The runs of a sweep that a page names, the oldest first.
pub(crate) struct Dated {
    /// The runs.
    pub runs: Vec<DatedRun>,
    /// How many there are besides.
    pub others: usize,
}

/// One of them.
pub(crate) struct DatedRun {
    /// The run.
    pub run: Arc<Run>,
    /// How the page names it.
    pub view: RunView,
    /// What names mean on the page had it counted; `None` where it says nothing of the rows that are planned today.
    scope: Option<LessonScope>,
}

/// A run as pages name it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RunView {
    /// UTC date, `YYYY-MM-DD`.
    pub date: String,
    /// Which run of its day it is, behind the first.
    pub of_day: Option<u32>,
    /// The way to its transcript.
    pub href: String,
    /// Whether the page's figures come from it.
    pub current: bool,
    /// In words, what sets it apart from that one, or that it is that one; empty for a run like it.
    pub apart: String,
}

impl DatedRun {
    fn of(run: &Arc<Run>, current: &Run, page: &Page<'_>) -> Self {
        let scope = page.scope().by(run.sweep(), run);
        let view = RunView {
            date: run.date().to_owned(),
            of_day: Some(run.suffix).filter(|suffix| *suffix > 1),
            href: format!("{}{}", page.root, transcript_page(run)),
            current: run.name == current.name,
            apart: apart(run, current, scope.is_some(), page.words),
        };
        Self { run: run.clone(), view, scope }
    }
}

/// What sets `run` apart from `current`, in words.
fn apart(run: &Run, current: &Run, means_the_same: bool, words: &Words) -> String {
    if run.name == current.name {
        return words.dated.shown.to_owned();
    }
    let (then, now) = (&run.record.header, &current.record.header);
    let mut apart: Vec<String> = Vec::new();
    if !means_the_same {
        apart.push(words.dated.other_sizes.into());
    } else if then.identity.fingerprint != now.identity.fingerprint {
        apart.push(words.dated.other_code.into());
    } else if !drift::differences(then, now).is_empty() {
        apart.push(words.dated.other_tools.into());
    }
    if then.circumstance.uuid_digest != now.circumstance.uuid_digest {
        apart.push(words.dated.other_card.into());
    }
    let rounds = then.identity.timing.rounds;
    if rounds != now.identity.timing.rounds {
        apart.push(words.rounds.of(&[rounds as usize], &[]));
    }
    apart.join(", ")
}

impl Page<'_> {
    /// The runs of `sweep` on the page's device; `None` where nothing can have moved: there is one at most, or none that counts.
    pub(crate) fn dated(&mut self, sweep: &SweepFacts) -> Option<Arc<Dated>> {
        let current = sweep.run.as_ref()?;
        let others = sweep.runs().count().checked_sub(1).filter(|others| *others > 0)?;
        let key = (self.device, sweep.name.clone());
        if let Some(dated) = self.known_runs.get(&key) {
            return Some(dated.clone());
        }
        let first = (others + 1).saturating_sub(RUNS);
        let named = sweep.runs().enumerate().filter(|(at, run)| *at >= first || run.name == current.name);
        let runs: Vec<DatedRun> = named.map(|(_, run)| DatedRun::of(run, current, self)).collect();
        let dated = Arc::new(Dated { others: others + 1 - runs.len(), runs });
        self.known_runs.insert(key, dated.clone());
        Some(dated)
    }
}

/// How far the value of another run lies from the one that is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Moved {
    /// By how many percent, where both are above zero.
    pub share: Option<String>,
    /// Whether that is more than their rounds leave open.
    pub beyond: bool,
}

impl Moved {
    /// From `shown` to `then`; `None` where they are one.
    pub(crate) fn between(shown: &Quantity, then: &Quantity) -> Option<Self> {
        if shown.amount == then.amount {
            return None;
        }
        Some(Self { share: review::share(shown, then).map(percent), beyond: review::moved(shown, then) })
    }
}

/// `share` in percent with its sign, to a hundredth below one, to a whole one from ten on.
fn percent(share: f64) -> String {
    let percent = share.abs() * 100.0;
    let places = if percent < 0.995 {
        2
    } else if percent < 9.95 {
        1
    } else {
        0
    };
    let number = format!("{percent:.places$}");
    let is_zero = number.chars().all(|digit| matches!(digit, '0' | '.'));
    let sign = match share < 0.0 {
        _ if is_zero => "",
        true => "\u{2212}",
        false => "+",
    };
    format!("{sign}{number}\u{a0}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_a_sign_and_two_or_three_digits() {
        for (share, expected) in [
            (0.0044, "+0.44\u{a0}%"),
            (-0.0123, "\u{2212}1.2\u{a0}%"),
            (0.0996, "+10\u{a0}%"),
            (0.31, "+31\u{a0}%"),
            (11.0, "+1100\u{a0}%"),
            (-0.000_01, "0.00\u{a0}%"),
            (0.0, "0.00\u{a0}%"),
        ] {
            assert_eq!(percent(share), expected);
        }
    }

    #[test]
    fn what_is_exact_moves_if_it_differs() {
        let (one, two) = (Quantity::count(18), Quantity::count(20));
        assert_eq!(Moved::between(&one, &one), None);
        assert_eq!(Moved::between(&one, &two), Some(Moved { share: Some("+11\u{a0}%".into()), beyond: true }));
    }
}
