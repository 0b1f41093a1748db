//! Turns jobs and evidence into a list of what is current, stale and missing on each published device, and why.
//!
//! Must not need a device.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::evidence::Current;
use crate::evidence::explain::explain;
use crate::measure::journal;
use crate::plan::Job;

use super::course::Studied;

/// Lines of difference that a list shows of a stale run.
const SHOWN: usize = 8;

/// The list.
pub(super) fn list(studied: &Studied, jobs: &[Arc<Job>]) -> String {
    let (devices, evidence) = (&studied.course.config.devices, &studied.evidence);
    let mut text = String::new();
    for job in jobs {
        let name = &job.sweep.name;
        let known = evidence.runs_for(job, "").last().map(|run| run.record.architectures()).unwrap_or_default();
        let planned = job.rows_for(&known);
        let rows = planned.iter().map(|row| row.label.as_str()).collect::<Vec<_>>().join(", ");
        let _ = match planned.len() {
            0 => writeln!(text, "{name}: {}\n  rows for each architecture that the toolkit compiles for", job.sweep.title),
            1 => writeln!(text, "{name}: {}\n  1 row: {rows}", job.sweep.title),
            count => writeln!(text, "{name}: {}\n  {count} rows: {rows}", job.sweep.title),
        };
        let any = vec!["any device".to_owned()];
        let wanted = if job.needs_gpu() { devices } else { &any };
        for device in wanted {
            match evidence.current(job, device) {
                Current::Fresh(run) => {
                    let _ = writeln!(text, "  {device}: current, {}", run.name);
                }
                Current::Stale(run) => {
                    let _ = writeln!(text, "  {device}: stale; since {} these lines differ:", run.name);
                    let difference = explain(&job.fingerprint.lines, &run.record, &|_| None);
                    difference.lines().take(SHOWN).for_each(|line| {
                        let _ = writeln!(text, "    {line}");
                    });
                    if difference.lines().count() > SHOWN {
                        let _ = writeln!(text, "    and more: `lessonc verify --explain {name}` shows them all");
                    }
                }
                Current::Missing if evidence.runs_for(job, device).next().is_some() => {
                    let _ = writeln!(text, "  {device}: missing; only runs that were cut short, or of too few rounds");
                }
                Current::Missing => {
                    let _ = writeln!(text, "  {device}: missing");
                }
            }
            if let Some((done, all)) = journal::cut_short(&studied.folder.root, name, device) {
                let _ = writeln!(text, "  {device}: a run was cut short at {done} of {all} rows; measuring goes on with it");
            }
        }
        if wanted.is_empty() {
            let _ = writeln!(text, "  the course lists no devices");
        }
    }
    text
}
