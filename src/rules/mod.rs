//! Turns a finished compilation into verdicts across its parts: one rule a file, each one line in [`RULES`].
//!
//! Must not change what it looks at, nor read anything itself: the published site and the day come in as values.
//!
#![doc = include_str!("problems.md")]

mod age;
pub mod catalogue;
pub mod coverage;
mod device;
mod each;
pub mod fingerprints;
pub mod history;
mod leaks;
mod nothing;
mod physics;
mod planned;
pub mod published;
mod receipts;
pub mod report;
pub mod signatures;
mod site;
mod stated;
mod transcripts;
mod unbound;
mod unused;
mod weights;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::NaiveDate;
use rayon::prelude::*;

use crate::base::digest::Checksum;
use crate::base::problem::{Problem, Problems};
use crate::base::share;
use crate::base::span::{SourceName, Span};
use crate::claims::Facts;
use crate::course::Course;
use crate::course::lesson::Lesson;
use crate::evidence::signers::Signers;
use crate::evidence::{Current, Evidence, Run};
use crate::pages::{Counts, Site};
use crate::plan::{Job, Plan};
use crate::tree::SourceTree;

pub use self::each::Memo;

use self::history::History;
use self::published::{PublishedSite, digest_of_file};

/// All that a rule may look at.
#[derive(Clone, Copy)]
pub struct Checked<'a> {
    /// Every input file.
    pub tree: &'a SourceTree,
    /// What the author wrote.
    pub course: &'a Course,
    /// The sweeps as jobs.
    pub plan: &'a Arc<Plan>,
    /// Every run.
    pub evidence: &'a Arc<Evidence>,
    /// The values of every sweep on every device.
    pub facts: &'a Facts,
    /// The site that the course gives now.
    pub site: &'a Site,
    /// What was checked on its pages.
    pub counts: &'a Counts,
    /// The site as it was published; `None` where nobody asks.
    pub published: Option<&'a PublishedSite>,
    /// The day that evidence is as old as; `None` where nobody asks.
    pub as_of: Option<NaiveDate>,
    /// What the commits of the repository say of the records; `None` where nobody asks, or they say nothing.
    pub history: Option<&'a History>,
    /// Whom runs must be signed by, in the place of the course's own signers and policy; `None` where nobody asks.
    pub signers: Option<&'a Signers>,
    /// What was found in order before; `None` where nobody asks again.
    pub memo: Option<&'a Memo>,
}

/// When a rule is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// By `build`, `serve` and `verify`.
    Build,
    /// By `verify` only.
    Verify,
}

/// How a rule looks.
enum Check {
    /// Once, at the whole. Where `build` asks too, what is wrong hangs on what [`each::whole`] names and on no text of a lesson.
    Whole(fn(&Checked<'_>, &mut Problems)),
    /// Once, at the whole; it remembers what it found before.
    Again(fn(&Checked<'_>, &Memo, &mut Problems)),
    /// At each run that feeds a page, with the job that it is of; what is wrong hangs on these two alone.
    Run(fn(&Checked<'_>, &Job, &Run, &mut Problems)),
    /// At each lesson; what is wrong hangs on it, the lesson that it translates, their sweeps and the configuration.
    Lesson(fn(&Checked<'_>, &Lesson, &mut Problems)),
    /// At each lesson, and once at the whole.
    LessonAndWhole(fn(&Checked<'_>, &Lesson, &mut Problems), fn(&Checked<'_>, &mut Problems)),
    /// At every file of the site as it is rendered; by `verify` only.
    File(fn(&Checked<'_>, &File<'_>, &mut Problems)),
    /// Once, at the digests of all rendered files; by `verify` only.
    Files(fn(&Checked<'_>, &BTreeMap<String, Fresh>, &mut Problems)),
}

/// A file of the site, rendered.
struct File<'a> {
    path: &'a str,
    bytes: &'a [u8],
}

/// What is kept of a rendered file.
struct Fresh {
    digest: Checksum,
    /// Its text, kept only where the published file was edited.
    text: Option<String>,
}

/// A cross-cutting check.
pub struct Rule {
    /// The kind of problem it finds; policies and tests name it.
    pub id: &'static str,
    /// What it protects the reader or the author from.
    pub protects: &'static str,
    /// An example of what it finds.
    pub example: &'static str,
    occasion: Occasion,
    check: Check,
}

/// Every rule, in the order they are asked.
pub static RULES: &[&Rule] = &[
    &transcripts::RULE,
    &fingerprints::STALE,
    &fingerprints::MISSING,
    &device::RULE,
    &planned::RULE,
    &receipts::RULE,
    &history::REWRITTEN,
    &history::REMOVED,
    &signatures::WRONG,
    &signatures::UNKNOWN,
    &signatures::MISSING,
    &physics::RATE,
    &physics::FLOPS,
    &physics::CHAIN,
    &physics::SPAN,
    &physics::OCCUPANCY,
    &age::RULE,
    &age::FUTURE,
    &unused::SWEEP,
    &unused::REGION,
    &unbound::RULE,
    &stated::UNUSED,
    &stated::MEASURED,
    &stated::SHARE,
    &weights::UNKNOWN,
    &weights::FIXED,
    &nothing::SHOWN,
    &nothing::CHECKED,
    &leaks::RULE,
    &site::EDITED,
    &site::STALE,
];

/// Asks every rule that the occasion calls for, and weighs all problems as the course does.
pub fn check(checked: &Checked<'_>, occasion: Occasion, problems: &mut Problems) {
    ask(checked, occasion, problems);
    weights::apply(&checked.course.config.policy, problems);
}

fn ask(checked: &Checked<'_>, occasion: Occasion, problems: &mut Problems) {
    let asked = || RULES.iter().filter(move |rule| occasion == Occasion::Verify || rule.occasion == Occasion::Build);
    let fresh = Memo::default();
    let memo = checked.memo.unwrap_or(&fresh);
    let whole = |problems: &mut Problems| {
        for rule in asked() {
            if let Check::Whole(check) | Check::LessonAndWhole(_, check) = rule.check {
                check(checked, problems);
            }
        }
        each::runs(checked, memo, problems);
    };
    match occasion {
        Occasion::Build => memo.whole.unless(each::whole(checked), problems, whole),
        Occasion::Verify => whole(problems),
    }
    for rule in asked() {
        if let Check::Again(check) = rule.check {
            check(checked, memo, problems);
        }
    }
    each::lessons(checked, memo, problems);
    if occasion == Occasion::Build {
        return;
    }
    let fresh = render(checked, problems);
    for rule in asked() {
        if let Check::Files(check) = rule.check {
            check(checked, &fresh, problems);
        }
    }
}

/// Renders every file once, shows it to the rules that look at files, and keeps its digest.
fn render(checked: &Checked<'_>, problems: &mut Problems) -> BTreeMap<String, Fresh> {
    let paths: Vec<&str> = checked.site.paths().collect();
    let rendered: Vec<(Option<(String, Fresh)>, Problems)> = paths
        .par_iter()
        .with_max_len(share::LARGEST)
        .map(|path| {
            let mut problems = Problems::new();
            let Some(bytes) = checked.site.render(path).and_then(|result| problems.note(result)) else {
                return (None, problems);
            };
            for rule in RULES {
                if let Check::File(check) = rule.check {
                    check(checked, &File { path, bytes: &bytes }, &mut problems);
                }
            }
            let digest = digest_of_file(&bytes);
            let edited = checked.published.is_some_and(|published| published.edited.contains_key(*path));
            let text = edited.then(|| String::from_utf8_lossy(&bytes).replace("\r\n", "\n"));
            (Some(((*path).to_owned(), Fresh { digest, text })), problems)
        })
        .collect();
    let mut fresh = BTreeMap::new();
    for (file, found) in rendered {
        fresh.extend(file);
        problems.extend(found);
    }
    fresh
}

/// A sweep that a published lesson stands on.
struct Used<'a> {
    /// Where the first lesson that names it does so.
    at: &'a Span,
    /// Its job.
    job: &'a Arc<Job>,
}

impl<'a> Checked<'a> {
    /// Every sweep that a lesson stands on, drafts aside, and that could be planned, by name.
    fn used(&self) -> BTreeMap<&'a str, Used<'a>> {
        let mut used = BTreeMap::new();
        for lesson in self.course.lessons.iter().filter(|lesson| !lesson.draft) {
            for (name, at) in &lesson.sweeps {
                if let Some(job) = self.plan.jobs.get(name) {
                    used.entry(name.as_str()).or_insert(Used { at, job });
                }
            }
        }
        used
    }

    /// The published devices that want a run of `job` each; what needs none is said once for all of them.
    fn devices_of(&self, job: &Job) -> Vec<&'a str> {
        if job.needs_gpu() { self.course.config.devices.iter().map(String::as_str).collect() } else { vec!["every device"] }
    }

    /// The place of line `line` (from 1) of the file `name` of the course.
    #[cfg(feature = "cuda")]
    pub(crate) fn line_of(&self, name: &SourceName, line: usize) -> Span {
        line_of(self.tree, name, line)
    }

    /// Every run that feeds a page: the current one of each used sweep on each published device.
    pub(crate) fn feeding(&self) -> Vec<(&'a Arc<Job>, Arc<Run>)> {
        let mut runs = Vec::new();
        for used in self.used().values() {
            for device in self.devices_of(used.job) {
                if let Current::Fresh(run) = self.evidence.current(used.job, device) {
                    runs.push((used.job, run));
                }
            }
        }
        runs
    }
}

/// The place of line `line` (from 1) of the file `name`, for a problem in it.
fn line_of(tree: &SourceTree, name: &SourceName, line: usize) -> Span {
    Span::line(name, tree.text(name), line)
}

/// The place in a record of the result of `row` in `round`: header and rows come first, one line each.
fn result_place(checked: &Checked<'_>, run: &Run, result: usize) -> Span {
    line_of(checked.tree, &run.name, 1 + run.record.rows.len() + result + 1)
}

/// A problem with the record of `run`, at the line of result `result`.
fn invalid(checked: &Checked<'_>, rule: &Rule, run: &Run, result: usize, message: String) -> Problem {
    Problem::error(rule.id, result_place(checked, run, result), message).hint("this is no evidence: find out why, and measure again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_names_of_their_own_and_say_what_they_are_for() {
        let ids: std::collections::BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), RULES.len());
        assert!(RULES.iter().all(|rule| !rule.protects.is_empty() && !rule.example.is_empty() && crate::base::name::is_name(rule.id)));
    }
}
