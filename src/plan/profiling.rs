//! Turns a profile sweep and the sweep that it looks at into rows to be launched under a profiler.
//!
//! Must not know metrics beyond their names.

use std::sync::Arc;

use crate::base::name::same_label;
use crate::base::problem::{Problem, Problems};
use crate::course::sweep::{MetricColumn, ProfileSweep};

use super::fingerprint::Fingerprint;
use super::lines::VERSION;
use super::{Job, Plan, PlannedRow};

/// The version of how counters are read; a change of it makes every run of profile sweeps stale.
const PROTOCOL: u32 = 1;

/// Rows to be launched under a profiler.
#[derive(Debug, Clone)]
pub struct ProfileJob {
    /// The sweep whose rows they are.
    pub of: Arc<Job>,
    /// Profiled launches of each row.
    pub launches: u32,
    /// Metrics that become columns.
    pub metrics: Vec<MetricColumn>,
}

/// The job of `sweep`, its rows, and what its runs are known by: the fingerprint of the sweep it looks at among it.
pub(super) fn job(sweep: &ProfileSweep, plan: &Plan, problems: &mut Problems) -> Option<(ProfileJob, Vec<PlannedRow>, Fingerprint)> {
    let Some(of) = plan.jobs.get(sweep.of.text()) else {
        let message = format!("there is no sweep `{}` that could be planned", sweep.of.text());
        let known = plan.jobs.values().filter(|job| job.kernel().is_some()).map(|job| job.sweep.name.as_str());
        problems.push(Problem::error("sweep-missing", sweep.of.whole(), message).meant(sweep.of.text(), known));
        return None;
    };
    if of.kernel().is_none() {
        problems.push(Problem::error("manifest-value", sweep.of.whole(), format!("`{}` launches no kernel of its own", sweep.of.text())));
        return None;
    }
    let mut rows = Vec::new();
    for label in &sweep.only {
        match of.rows.iter().find(|row| same_label(&row.label, label.text())) {
            Some(row) => rows.push(row.clone()),
            None => problems.push(
                Problem::error("manifest-label", label.whole(), format!("`{}` has no row `{}`", sweep.of.text(), label.text()))
                    .meant(label.text(), of.rows.iter().map(|row| row.label.as_str())),
            ),
        }
    }
    if sweep.only.is_empty() {
        rows.clone_from(&of.rows);
    }
    let mut lines = vec![
        format!("lessonc fingerprint {VERSION}"),
        format!("profile protocol {PROTOCOL}"),
        format!("of {}", of.fingerprint.digest),
        format!("launches {}", sweep.launches),
    ];
    lines.extend(rows.iter().map(|row| format!("profiled row '{}'", row.label)));
    lines.extend(sweep.metrics.iter().map(|column| format!("metric {}", column.metric)));
    lines[4..].sort_unstable();
    let job = ProfileJob { of: of.clone(), launches: sweep.launches, metrics: sweep.metrics.clone() };
    Some((job, rows, Fingerprint::of(lines)))
}
