//! Holds every figure to the code it came from: a run counts only while its fingerprint is the plan's.
//!
//! Must not know how fingerprints are made.

use std::fmt::Write as _;

use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;
use crate::evidence::Current;
use crate::evidence::explain::{explain as difference, new_lines};
use crate::plan::{Work, places};

pub(super) static STALE: Rule = Rule {
    id: "evidence-stale",
    protects: "figures that were measured with other code than the page shows",
    example: "an operand of the kernel was changed after the run",
    occasion: Occasion::Build,
    check: Check::Whole(stale),
};

pub(super) static MISSING: Rule = Rule {
    id: "evidence-missing",
    protects: "a page that promises figures of a device nobody measured on",
    example: "lessons/course.toml lists nvidia-h200, and evidence/block-size has no run of it",
    occasion: Occasion::Build,
    check: Check::Whole(missing),
};

fn stale(checked: &Checked<'_>, problems: &mut Problems) {
    for (name, used) in checked.used() {
        for device in checked.devices_of(used.job) {
            let Current::Stale(run) = checked.evidence.current(used.job, device) else { continue };
            let made = match used.job.work {
                Work::Compile(_) => " was compiled".to_owned(),
                _ if used.job.needs_gpu() => format!(" on {device} was measured"),
                _ => " was measured".to_owned(),
            };
            let text = difference(&used.job.fingerprint.lines, &run.record, &|_| None);
            let changed = text.lines().filter(|line| line.starts_with(['-', '+']));
            let count = changed.clone().count();
            let first: Vec<&str> = changed.take(2).collect();
            let message = format!(
                "the evidence of `{name}`{made} with other code: {count} fingerprinted {} ({})",
                if count == 1 { "line differs" } else { "lines differ" },
                first.join(" / ")
            );
            let mut problem =
                Problem::error(STALE.id, used.at.clone(), message).label("stands on it").related(Span::top(&run.name), "the run");
            let places = places::of(used.job, &checked.course.sources);
            let mut new = new_lines(&used.job.fingerprint.lines, &run.record).into_iter();
            if let Some(place) = new.find_map(|line| places.get(line).cloned().flatten()) {
                problem = problem.related(place, "the first line that is new since then");
            }
            problems
                .push(problem.hint(format!(
                    "`lessonc measure {name}` measures it again; `lessonc verify --explain {name}` prints all that differs"
                )));
        }
    }
}

fn missing(checked: &Checked<'_>, problems: &mut Problems) {
    for (name, used) in checked.used() {
        // A course that lists no device shows every one that it has evidence of: of what it shows, one must have a run that counts.
        let unlisted = used.job.needs_gpu() && checked.course.config.devices.is_empty();
        let is_fresh = |device: &String| matches!(checked.evidence.current(used.job, device), Current::Fresh(_));
        if unlisted && !checked.facts.devices().iter().any(is_fresh) {
            problems.push(
                Problem::error(MISSING.id, used.at.clone(), format!("`{name}` was not measured on any device")).label("stands on it").hint(
                    format!(
                        "run `lessonc measure {name}` on a machine with a GPU, and list the GPU under [devices] in lessons/course.toml"
                    ),
                ),
            );
        }
        for device in checked.devices_of(used.job) {
            if let Current::Missing = checked.evidence.current(used.job, device) {
                let cut_short = checked.evidence.runs_for(used.job, device).last();
                let (message, hint) = match used.job.work {
                    Work::Compile(_) => {
                        (format!("`{name}` was not compiled"), format!("run `lessonc measure {name}`; it needs NVRTC and no GPU"))
                    }
                    _ if !used.job.needs_gpu() => {
                        (format!("`{name}` was not measured"), format!("run `lessonc measure {name}`; it needs no GPU"))
                    }
                    _ => (
                        format!("`{name}` was not measured on {device}"),
                        format!(
                            "run `lessonc measure {name}` on a machine with that GPU, or take {device} off `published` in lessons/course.toml"
                        ),
                    ),
                };
                let needed = !used.job.needs_gpu() || checked.course.config.policy.requires(device);
                let problem = if needed { Problem::error } else { Problem::warning };
                let mut problem = problem(MISSING.id, used.at.clone(), message).label("stands on it").hint(hint);
                if let Some(run) = cut_short {
                    let why = match (run.is_complete(), run.record.header.identity.timing.rounds, used.job.rounds()) {
                        (true, rounds, all) => format!("this run took {rounds} of the sweep's {all} rounds and does not count"),
                        (false, ..) => "this run was cut short and does not count".to_owned(),
                    };
                    problem = problem.related(Span::top(&run.name), why);
                }
                problems.push(problem);
            }
        }
    }
}

/// What differs, for each published device, between the course now and the latest run of `sweep`; and whether nothing does.
#[must_use]
pub fn explain(checked: &Checked<'_>, sweep: &str) -> (String, bool) {
    let (mut text, mut fresh) = (String::new(), true);
    let Some(job) = checked.plan.jobs.get(sweep) else { return (text, false) };
    let devices = checked.devices_of(job);
    if devices.is_empty() {
        text.push_str("lessons/course.toml lists no devices\n");
    }
    for device in devices {
        let _ = match checked.evidence.current(job, device) {
            Current::Fresh(run) => writeln!(text, "{sweep} on {device}: {} is current", run.name),
            Current::Missing => {
                fresh = false;
                writeln!(text, "{sweep} on {device}: not measured")
            }
            Current::Stale(run) => {
                fresh = false;
                let places = places::of(job, &checked.course.sources);
                let place = |line: usize| {
                    let place = places.get(line)?.as_ref()?;
                    Some(format!("{}:{}", place.file, checked.tree.line_column(&place.file, place.start).line))
                };
                let lines = difference(&job.fingerprint.lines, &run.record, &place);
                let profiled = match &job.work {
                    Work::Profile(profile) if lines.contains("\n+ of ") || lines.starts_with("+ of ") => {
                        format!("\n`lessonc verify --explain {}` says what changed of the sweep that it profiles", profile.of.sweep.name)
                    }
                    _ => String::new(),
                };
                writeln!(
                    text,
                    "{sweep} on {device}: {} was measured with other code (-: then, +: now)\n{}{profiled}",
                    run.name,
                    lines.trim_end()
                )
            }
        };
    }
    (text, fresh)
}
