//! Holds every figure to the code it came from: a run counts only while its fingerprint is the plan's.
//!
//! Must not know how fingerprints are made.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use super::{Check, Checked, Occasion, Rule, Used};
use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;
use crate::evidence::explain::{Change, changes, explain as difference};
use crate::evidence::{Current, Run};
use crate::plan::{Work, places, spoken};

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

/// A sweep whose latest run on some devices no longer counts.
struct Stale<'a> {
    used: Used<'a>,
    /// The devices, with those runs.
    runs: Vec<(&'a str, Arc<Run>)>,
}

fn stale(checked: &Checked<'_>, problems: &mut Problems) {
    let mut stale: BTreeMap<&str, Stale<'_>> = BTreeMap::new();
    for (name, used) in checked.used() {
        let run = |device| match checked.evidence.current(used.job, device) {
            Current::Stale(run) => Some((device, run)),
            Current::Fresh(_) | Current::Missing => None,
        };
        let runs: Vec<_> = checked.devices_of(used.job).into_iter().filter_map(run).collect();
        if !runs.is_empty() {
            stale.insert(name, Stale { used, runs });
        }
    }
    // What profiles another sweep grows stale with it: one cause is one problem.
    let profiles = |sweep: &Stale<'_>| match &sweep.used.job.work {
        Work::Profile(profile) => Some(profile.of.sweep.name.clone()).filter(|of| stale.contains_key(&**of)),
        _ => None,
    };
    for (name, sweep) in stale.iter().filter(|(_, sweep)| profiles(sweep).is_none()) {
        let with = stale.iter().filter(|(_, other)| profiles(other).is_some_and(|of| of == *name)).map(|(name, _)| *name);
        problems.extend(stale_problem(checked, sweep, &with.collect::<Vec<_>>()));
    }
}

/// That `sweep` is stale, and with it those that are named `with` it.
fn stale_problem(checked: &Checked<'_>, sweep: &Stale<'_>, with: &[&str]) -> Option<Problem> {
    let (job, name) = (sweep.used.job, &sweep.used.job.sweep.name);
    let (_, run) = sweep.runs.first()?;
    let made = match job.work {
        Work::Compile(_) => "was compiled".to_owned(),
        _ if job.needs_gpu() => {
            format!("was measured on {}", sweep.runs.iter().map(|(device, _)| *device).collect::<Vec<_>>().join(" and "))
        }
        _ => "was measured".to_owned(),
    };
    let places = places::of(job, &checked.course.sources);
    let place = |line: usize| places.get(line).cloned().flatten();
    let changes = changes(&job.fingerprint.lines, &run.record);
    let said = |change: &Change| match change {
        Change::Gone(line) => format!("{} went", spoken::about(line)),
        Change::To(index) => {
            let line = job.fingerprint.lines.get(*index).map_or("", String::as_str);
            match (place(*index).map(|at| named(checked, &at)), spoken::code(line)) {
                (Some(at), Some(_)) => format!("{at} changed"),
                (Some(at), None) => format!("{} ({at}) changed", spoken::about(line)),
                (None, _) => format!("{} changed", spoken::about(line)),
            }
        }
    };
    let first: Vec<String> = changes.iter().take(2).map(said).collect();
    let more = match changes.len().saturating_sub(first.len()) {
        0 => String::new(),
        1 => ", and one thing more".to_owned(),
        more => format!(", and {more} things more"),
    };
    let message = format!("`{name}` {made} before {}{more}", first.join(" and "));
    let mut problem = Problem::error(STALE.id, sweep.used.at.clone(), message).label("stands on it");
    let new = changes.iter().find_map(|change| if let Change::To(index) = change { place(*index) } else { None });
    if let Some(at) = new {
        problem = problem.related(at, "new since then");
    }
    let profiled = with.iter().map(|name| format!(", and with it `{name}`, which profiles it")).collect::<String>();
    let all = std::iter::once(name.as_str()).chain(with.iter().copied()).collect::<Vec<_>>().join(" ");
    Some(
        problem.related(Span::top(&run.name), "the run").hint(format!(
            "`lessonc measure {all}` measures it again{profiled}; `lessonc verify --explain {name}` prints all that differs"
        )),
    )
}

/// A place as people write it: its file and line.
fn named(checked: &Checked<'_>, at: &Span) -> String {
    format!("{}:{}", at.file, checked.tree.line_column(&at.file, at.start).line)
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
                    Some(named(checked, place))
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
