//! Turns `comparison: SWEEP` into two of its runs side by side: row by row how far they lie apart, and what follows from it.
//!
//! Must not compare anything itself: verdicts come from `evidence::drift`, as `measure` and `verify --fresh` print them.

use std::sync::Arc;

use serde::Serialize;

use crate::base::slice::Slice;
use crate::claims::SweepFacts;
use crate::course::marker::Marker;
use crate::evidence::Run;
use crate::evidence::drift::{self, Verdict};
use crate::expr::Absent;
use crate::pages::block::Block;
use crate::pages::caption;
use crate::pages::page::Page;
use crate::pages::problems;
use crate::pages::provenance::Provenance;
use crate::pages::words::{Comparisons, fill};

use super::Exhibit;
use super::gap::{self, Gap};

/// The kind.
pub(super) struct Comparison;

#[derive(Default, Serialize)]
struct View {
    id: String,
    caption: String,
    head: Vec<&'static str>,
    rows: Vec<RowView>,
    /// How it was decided, as plain text.
    details: String,
    sources: Vec<Provenance>,
    missing: Option<Gap>,
}

#[derive(Serialize)]
struct RowView {
    label: String,
    numbers: Vec<String>,
    verdict: &'static str,
    /// Whether the row changed, for better or worse.
    changed: bool,
}

impl Exhibit for Comparison {
    fn kind(&self) -> &'static str {
        "comparison"
    }

    fn make(&self, marker: &Marker, page: &mut Page<'_>) -> Option<Block> {
        let mut keys = marker.keys("a comparison");
        let recorded = keys.text("recorded", &mut page.problems);
        let fresh = keys.text("fresh", &mut page.problems);
        let across_code = keys.truth("across_code", &mut page.problems).unwrap_or(false);
        let caption = keys.text("caption", &mut page.problems);
        keys.finish(&mut page.problems);
        let sweep = marker.target.text();
        let caption = caption::of_exhibit(caption.as_ref(), sweep, page);
        let mut view = View { id: page.id("comparison"), caption, ..View::default() };
        let facts = match page.facts(sweep, &marker.target.whole()) {
            Ok(facts) => facts,
            Err(absent) => {
                view.missing = Some(gap::gap(sweep, absent, page)?);
                return Some(Block::of("comparison.html", view));
            }
        };
        let fresh = chosen(fresh.as_ref(), facts, page, || facts.run.clone())?;
        let before = |fresh: &Run| before(facts, fresh);
        let recorded = chosen(recorded.as_ref(), facts, page, || fresh.as_deref().and_then(before))?;
        let Some((recorded, fresh)) = recorded.zip(fresh) else {
            view.missing = gap::gap(sweep, Absent::unmeasured(fill(page.words.comparison.one_run, &[sweep])), page);
            return Some(Block::of("comparison.html", view));
        };
        let comparison = drift::compare(&recorded.record, &fresh.record, across_code);
        if !comparison.forbids.is_empty() {
            let fields: Vec<&str> = comparison.forbids.iter().map(|difference| difference.field.as_str()).collect();
            page.problems.push(problems::not_comparable(recorded.short_name(), fresh.short_name(), &fields, &marker.at));
            return None;
        }
        let words = &page.words.comparison;
        view.head = words.head();
        let rows = drift::cells(&comparison).into_iter().zip(&comparison.rows);
        let rows = rows.map(|([label, numbers @ ..], row)| RowView {
            label,
            numbers: numbers.into(),
            verdict: row.verdict.map_or(page.words.unmeasured, |verdict| words.of(verdict)),
            changed: matches!(row.verdict, Some(Verdict::Slower | Verdict::Faster)),
        });
        view.rows = rows.collect();
        view.details = drift::text(&comparison, recorded.short_name(), fresh.short_name());
        view.sources = [&recorded, &fresh].map(|run| Provenance { mark: Some(page.cite(run)), ..page.provenance(run, None) }).into();
        Some(Block::of("comparison.html", view))
    }
}

/// The run that the author names, or the usual one; `None` where the name is of no run, which is a problem.
fn chosen(
    name: Option<&Slice>,
    facts: &SweepFacts,
    page: &mut Page<'_>,
    usual: impl FnOnce() -> Option<Arc<Run>>,
) -> Option<Option<Arc<Run>>> {
    match name {
        Some(name) => named(name, facts, page).map(Some),
        None => Some(usual()),
    }
}

/// The run that the author names; `None` where the name is of no run, which is a problem.
pub(super) fn named(name: &Slice, facts: &SweepFacts, page: &mut Page<'_>) -> Option<Arc<Run>> {
    let found = facts.run_named(name.text());
    if found.is_none() {
        let known: Vec<&str> = facts.runs().map(|run| run.short_name()).collect();
        page.problems.push(problems::no_such_run(&facts.name, name.text(), &name.whole(), known));
    }
    found.cloned()
}

/// The last run before `fresh` of the same code.
fn before(facts: &SweepFacts, fresh: &Run) -> Option<Arc<Run>> {
    let code = |run: &Run| run.record.header.identity.fingerprint;
    facts.runs().take_while(|run| run.name != fresh.name).filter(|run| code(run) == code(fresh)).last().cloned()
}

impl Comparisons {
    fn head(&self) -> Vec<&'static str> {
        vec![self.row, self.recorded, self.fresh, self.change, self.at_least, self.at_most, self.canary, self.verdict]
    }

    pub(super) fn of(&self, verdict: Verdict) -> &'static str {
        match verdict {
            Verdict::Same => self.same,
            Verdict::MachineDrift => self.machine_drift,
            Verdict::Unresolved => self.unresolved,
            Verdict::NotComparable => self.not_comparable,
            Verdict::Faster => self.faster,
            Verdict::Slower => self.slower,
        }
    }
}
