//! Turns a sweep without a run into what stands in the place of an exhibit: why there is none, and in a draft what would measure it
//! and the rows that are planned.
//!
//! Must not know which exhibit it stands for.

use serde::Serialize;

use crate::claims::SweepFacts;
use crate::evidence::YOURS;
use crate::expr::Absent;
use crate::pages::page::Page;

/// Why there is nothing to show.
#[derive(Debug, Serialize)]
pub(super) struct Gap {
    text: String,
    /// What measures it, for the author of a draft.
    command: Option<String>,
}

/// What stands for an exhibit of `sweep`, which is `absent`; `None` where that is more than a run that is lacking.
pub(super) fn gap(sweep: &str, absent: Absent, page: &Page<'_>) -> Option<Gap> {
    let text = absent.why_unmeasured()?;
    Some(Gap { text, command: planned(sweep, page).map(|_| format!("lessonc measure {sweep}")) })
}

/// The sweep `name` as it is planned, where a draft shows that in the place of what was not measured yet. What a reader's own card lacks
/// is no author's to measure.
pub(super) fn planned<'a>(name: &str, page: &Page<'a>) -> Option<&'a SweepFacts> {
    let sweep = page.world.facts.sweep(name, page.device()).filter(|_| page.world.draft && page.device() != YOURS)?;
    (sweep.run.is_none() && !sweep.is_faulty()).then_some(sweep)
}
