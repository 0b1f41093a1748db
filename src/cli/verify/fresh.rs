//! `lessonc verify --fresh`: turns a run and the record that counts of the same sweep and device into a comparison.
//!
//! Must not judge: the verdicts come from above.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};

use crate::base::name::did_you_mean;
use crate::base::problem::Problems;
use crate::claims;
use crate::evidence::record::{Record, RunKind};
use crate::evidence::{Run, consistent, drift, lines, name};
use crate::rules::Checked;

use super::super::changes::changes;
use super::super::settings::CourseFolder;
use super::super::{Ending, Terminal};

/// Prints how the run `name` compares with the record that counts. All is well only if every row that has a time is the same.
pub(super) fn fresh(
    name: &str,
    across_code: bool,
    course: &CourseFolder,
    checked: &Checked<'_>,
    terminal: &mut Terminal<'_>,
) -> Result<Ending> {
    let (shown, record) = find(name, course, checked)?;
    let header = &record.header;
    if !matches!(header.kind, RunKind::Kernel | RunKind::Program) {
        bail!("{shown} timed nothing; `lessonc verify --explain {}` compares what it compiled", header.sweep);
    }
    if !record.is_complete() {
        bail!("{shown} was interrupted; only complete runs are compared");
    }
    let Some(recorded) = counterpart(&record, checked) else {
        bail!("there is no other complete run of {} on {} to compare {shown} with", header.sweep, header.device);
    };
    let job = checked.plan.jobs.get(&header.sweep).map(|job| &**job);
    let comparison = claims::drift::compare(job, recorded, &record, across_code);
    writeln!(terminal.out, "{} on {}", header.sweep, header.device)?;
    terminal.out.write_all(drift::text(&comparison, &recorded.name, &shown).as_bytes())?;
    terminal.out.write_all(what_changes(&record, course, checked).as_bytes())?;
    Ok(if comparison.verdict == drift::Verdict::Same { Ending::Fine } else { Ending::Problems })
}

/// What would change on the pages if `record` counted, from what they say without it.
fn what_changes(record: &Record, course: &CourseFolder, checked: &Checked<'_>) -> String {
    let header = &record.header;
    let mut before = checked.tree.clone();
    let mut newer = Vec::new();
    let runs: Vec<&Arc<Run>> = checked.evidence.history(&header.sweep, &header.device).collect();
    let own = runs.iter().position(|run| *run.record == *record);
    for (index, run) in runs.into_iter().enumerate() {
        if Some(index) == own {
            before.remove(&run.name);
        // Runs are in order; those of one second are told apart by their place alone.
        } else if own.map_or(run.record.header.started >= header.started, |own| index > own) {
            newer.push(run.name.clone());
        }
    }
    let mut after = before.clone();
    // Nothing newer may count instead.
    newer.iter().for_each(|name| _ = after.remove(name));
    let mut names = (1..).map(|suffix| format!("{}.jsonl", name::stem(header, suffix)));
    if let Some(name) = names.find(|name| after.get(name).is_none()) {
        after.insert(&name, lines::print(record).as_bytes(), &mut Problems::new());
    }
    changes(&before, &after, &course.prefix)
}

/// The run `name`: one of the course's evidence by path or stem, or a record in a file elsewhere. With the name to show.
fn find(name: &str, course: &CourseFolder, checked: &Checked<'_>) -> Result<(String, Arc<Record>)> {
    let in_course = |name: &str| checked.evidence.run(name).map(|run| (run.name.to_string(), run.record.clone()));
    if let Some(found) = in_course(name) {
        return Ok(found);
    }
    let path = Path::new(name);
    if !path.is_file() {
        let names = checked.evidence.all().map(|run| run.stem());
        bail!(
            "there is no run `{name}`, neither in this course's evidence nor as a file; {}",
            did_you_mean(name, names).unwrap_or_default()
        );
    }
    let below = path.canonicalize().ok().zip(course.root.canonicalize().ok());
    let below = below.and_then(|(path, root)| Some(path.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/")));
    if let Some(found) = below.as_deref().and_then(in_course) {
        return Ok(found);
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?.replace("\r\n", "\n");
    let record = lines::parse(&text).map_err(|fault| anyhow::anyhow!("{name}:{}: {}", fault.line, fault.message))?;
    if let Some(fault) = consistent::first_fault(&record) {
        bail!("{name}:{}: {}", fault.line, fault.message);
    }
    if let Some(replayed) = &record.header.circumstance.replayed {
        bail!("{name} replays {replayed} and measured nothing");
    }
    Ok((name.to_owned(), Arc::new(record)))
}

/// The run that `record` is compared with: the current one of its sweep and device, or, if it is that itself, the latest other one
/// of the same code; and without either, the latest other one.
fn counterpart<'a>(record: &'a Record, checked: &'a Checked<'_>) -> Option<&'a Arc<Run>> {
    let header = &record.header;
    let planned = checked.plan.jobs.get(&header.sweep).map(|job| job.fingerprint.digest);
    let history = checked.evidence.history(&header.sweep, &header.device);
    let others: Vec<&Arc<Run>> = history.filter(|run| run.is_complete() && *run.record != *record).collect();
    let of_code = |code| others.iter().rev().find(|run| Some(run.record.header.identity.fingerprint) == code).copied();
    of_code(planned).or_else(|| of_code(Some(header.identity.fingerprint))).or_else(|| others.last().copied())
}
