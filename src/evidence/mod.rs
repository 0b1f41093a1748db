//! Turns the files under `evidence/` into runs: parsed records, their transcripts, and which run is current.
//!
//! Must not know lessons or pages.

pub mod canary;
pub mod compiled;
mod compiled_transcript;
pub mod consistent;
pub mod drift;
pub mod effort;
pub mod explain;
pub mod lines;
pub mod name;
pub mod order;
pub mod output;
pub mod printed;
pub mod privacy;
pub mod profiled;
mod profiled_transcript;
pub mod record;
pub mod run;
pub mod signature;
pub mod signers;
pub mod transcript;
pub mod verdict;
pub mod vouched;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::base::digest::Checksum;
use crate::base::last::Last;
use crate::base::memo;
use crate::base::problem::{Problem, Problems};
use crate::base::share;
use crate::base::span::{SourceName, Span};
use crate::base::stamp::Stamp;
use crate::plan::{Job, Work};
use crate::tree::{SourceFile, SourceTree};

pub use self::run::{FAKE, Run, YOURS, spoken};

use self::record::RunKind;

/// Every run of the course.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// By sweep, the oldest first; sweeps that the course no longer has among them.
    pub runs: BTreeMap<String, Vec<Arc<Run>>>,
    /// Runs that are no evidence, likewise: pages show them, marked, and no rule counts them.
    pub private: BTreeMap<String, Vec<Arc<Run>>>,
}

/// What the evidence has to say of a job on a device.
#[derive(Debug, Clone)]
pub enum Current {
    /// The latest complete run of exactly this job.
    Fresh(Arc<Run>),
    /// There are complete runs, but of other code, sizes or timing; the one whose code is nearest.
    Stale(Arc<Run>),
    /// There is no complete run, or none of the sweep's rounds.
    Missing,
}

impl Evidence {
    /// The run of `job` that counts on the device `device` (a slug): the latest complete one whose fingerprint is the job's, and
    /// that took the sweep's rounds. One of fewer was a look.
    #[must_use]
    pub fn current(&self, job: &Job, device: &str) -> Current {
        let complete = self.runs_for(job, device).filter(|run| run.is_complete());
        let (same, other): (Vec<_>, Vec<_>) = complete.partition(|run| run.record.header.identity.fingerprint == job.fingerprint.digest);
        let fresh = same.into_iter().rfind(|run| took_all(run, job.rounds()));
        match (fresh, nearest(&job.fingerprint.lines, job.rounds(), other)) {
            (Some(run), _) => Current::Fresh(run.clone()),
            (None, Some(run)) => Current::Stale(run.clone()),
            (None, None) => Current::Missing,
        }
    }

    /// The run of `job` that pages show on the device `device`: the one that counts. Where none does, a private one of the same code,
    /// however few its rounds; on a reader's own device that comes first.
    #[must_use]
    pub fn shown(&self, job: &Job, device: &str) -> Current {
        let kind = kind_of(job);
        let of_device = |run: &Arc<Run>| run.device() == device || !job.needs_gpu() && run.device() != YOURS;
        let same = |run: &Arc<Run>| run.kind() == kind && run.record.header.identity.fingerprint == job.fingerprint.digest;
        let mut private = self.private.get(&job.sweep.name).into_iter().flatten();
        let private = private.rfind(|run| run.is_complete() && same(run) && of_device(run));
        match (self.current(job, device), private) {
            (Current::Fresh(run), _) if device != YOURS => Current::Fresh(run),
            (_, Some(private)) => Current::Fresh(private.clone()),
            (current, None) => current,
        }
    }

    /// All runs of `job` that count on the device `device`, the oldest first: what a compiler says, or a program that needs no
    /// GPU, is said on every device.
    pub fn runs_for<'a>(&'a self, job: &Job, device: &'a str) -> impl Iterator<Item = &'a Arc<Run>> + 'a {
        let (kind, anywhere) = (kind_of(job), !job.needs_gpu());
        let runs = self.runs.get(&job.sweep.name).into_iter().flatten();
        runs.filter(move |run| run.kind() == kind && (anywhere || run.device() == device))
    }

    /// All runs of `sweep` on the device `device`, the oldest first, incomplete ones among them.
    pub fn history<'a>(&'a self, sweep: &str, device: &'a str) -> impl Iterator<Item = &'a Arc<Run>> + 'a {
        self.runs.get(sweep).into_iter().flatten().filter(move |run| run.device() == device)
    }

    /// The run of the record `name`, by its path in the course or by its file's stem.
    #[must_use]
    pub fn run(&self, name: &str) -> Option<&Arc<Run>> {
        let mut all = self.runs.values().flatten();
        all.find(|run| *run.name == *name || run.stem() == name || run.stem().ends_with(&format!("/{name}")))
    }

    /// Every run.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Run>> {
        self.runs.values().flatten()
    }
}

/// Whether `run` took all `rounds` that its sweep asks for; one of fewer was a look.
fn took_all(run: &Run, rounds: u32) -> bool {
    run.record.header.identity.timing.rounds >= rounds
}

/// Of `runs` of other code, the oldest first, the one that says most of what has these hashed `lines` now: one of all `rounds`, of the
/// code that has most lines in common, and the latest of those. So a preview goes on with what it showed when a line changes, whatever
/// was measured of other code since.
fn nearest<'a>(lines: &[String], rounds: u32, runs: Vec<&'a Arc<Run>>) -> Option<&'a Arc<Run>> {
    if let [_] | [] = runs[..] {
        return runs.first().copied();
    }
    let lines: BTreeSet<&str> = lines.iter().map(String::as_str).collect();
    let common = |run: &Run| run.record.header.fingerprint_lines.iter().filter(|line| lines.contains(line.as_str())).count();
    runs.into_iter().enumerate().max_by_key(|(at, run)| (took_all(run, rounds), common(run), *at)).map(|(_, run)| run)
}

/// What a run of `job` did for each row.
fn kind_of(job: &Job) -> RunKind {
    match job.work {
        Work::Kernel(_) => RunKind::Kernel,
        Work::Compile(_) => RunKind::Compile,
        Work::Profile(_) => RunKind::Profile,
        Work::Program(_) => RunKind::Program,
    }
}

/// Reads all runs of the course. A record that is not whole is a problem and no evidence; a transcript that no record
/// stands beside is a warning, since nothing backs it.
#[must_use]
pub fn read(tree: &SourceTree, problems: &mut Problems) -> Evidence {
    runs(tree, &memo::Memo::default(), problems)
}

/// The same, with the help of what `memo` holds of the reading before: the very same evidence where no file of it is another.
#[must_use]
pub fn read_again(tree: &SourceTree, memo: &Memo, problems: &mut Problems) -> Arc<Evidence> {
    let mut stamp = Stamp::default();
    [name::FOLDER, name::PRIVATE].into_iter().for_each(|folder| stamp.equal(Some(tree.state(folder, |_| true))));
    let (evidence, found) = memo.whole.again(stamp, |_| {
        let mut found = Problems::new();
        (Arc::new(runs(tree, &memo.runs, &mut found)), found.into_iter().collect())
    });
    problems.extend(found.iter().cloned());
    evidence
}

fn runs(tree: &SourceTree, memo: &RunMemo, problems: &mut Problems) -> Evidence {
    let files: Vec<_> = tree.below(name::FOLDER).chain(tree.below(name::PRIVATE)).collect();
    let one = |(name, file): &(&SourceName, &SourceFile)| {
        let mut found = Problems::new();
        (one(tree, (name, file), memo, &mut found), found)
    };
    let read: Vec<(Option<Arc<Run>>, Problems)> = files.par_iter().with_max_len(share::LARGEST).map(one).collect();
    let mut evidence = Evidence::default();
    for (run, found) in read {
        problems.extend(found);
        if let Some(run) = run {
            let runs = if name::is_private(&run.name) { &mut evidence.private } else { &mut evidence.runs };
            runs.entry(run.sweep().to_owned()).or_default().push(run);
        }
    }
    memo.forget_unused();
    for runs in evidence.runs.values_mut().chain(evidence.private.values_mut()) {
        runs.sort_by(|a, b| (&a.record.header.started, a.suffix, &a.name).cmp(&(&b.record.header.started, b.suffix, &b.name)));
        only_once(runs, problems);
    }
    evidence
}

/// What was read before.
#[derive(Debug, Default)]
pub struct Memo {
    whole: Last<(Arc<Evidence>, Arc<[Problem]>)>,
    runs: RunMemo,
}

/// The runs of the reading before, by what each was read from: its record's file, and the digests of record and transcript. What was
/// wrong with a record is not among them: a fault is found anew each time, at its place.
type RunMemo = memo::Memo<(SourceName, Checksum, Option<Checksum>), Arc<Run>>;

/// The run of the file `name` below the folder of evidence, if that is a record, and one that is whole.
fn one(tree: &SourceTree, (name, file): (&SourceName, &SourceFile), memo: &RunMemo, problems: &mut Problems) -> Option<Arc<Run>> {
    if let Some(stem) = name.strip_suffix(".txt") {
        if tree.get(&format!("{stem}.jsonl")).is_none() {
            let message = format!("there is no record {stem}.jsonl that this transcript could come from");
            problems.push(
                Problem::warning("evidence-transcript", Span::top(name), message).hint("restore the record, or delete the transcript"),
            );
        }
        return None;
    }
    if !name.ends_with(".jsonl") {
        return None;
    }
    let transcript = tree.get(&name::transcript_name(name));
    let source = (name.clone(), file.digest, transcript.map(|transcript| transcript.digest));
    if let Some(run) = memo.get(&source) {
        return Some(run);
    }
    let run = problems.note(Run::read(name, &file.text(), transcript.map(|transcript| transcript.text())))?;
    // All that it says is known; it is most of what a course has in text.
    tree.let_go(name);
    let run = Arc::new(run);
    memo.put(source, run.clone());
    Some(run)
}

/// Takes copies of a run out of `runs`, which are of one sweep and in order: no two runs of a GPU give the same spans, and a
/// copy under another day would make an old run the latest.
fn only_once(runs: &mut Vec<Arc<Run>>, problems: &mut Problems) {
    let mut seen: BTreeMap<Vec<&[u64]>, &Arc<Run>> = BTreeMap::new();
    let mut copies = Vec::new();
    for (index, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_fake()) {
        let spans: Vec<&[u64]> = run.record.results.iter().map(|result| &*result.spans_ns).collect();
        if spans.iter().all(|spans| spans.is_empty()) {
            continue;
        }
        match seen.entry(spans) {
            Entry::Vacant(free) => drop(free.insert(run)),
            Entry::Occupied(first) => {
                let problem = Problem::error("evidence-copied", Span::top(&run.name), "the record holds the samples of another run");
                problems.push(problem.related(Span::top(&first.get().name), "the same samples").hint("delete the copy"));
                copies.push(index);
            }
        }
    }
    copies.into_iter().rev().for_each(|index| drop(runs.remove(index)));
}

#[cfg(test)]
mod tests;
