//! Holds records to the commits that first had them: evidence is added, and never changed.
//!
//! Must not ask git: what the commits hold comes in as a value.

use std::collections::BTreeMap;

use super::{Check, Checked, Occasion, Rule};
use crate::base::digest::Checksum;
use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;

/// What the commits that lead to the present one say of the course's records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// By path from the course's root.
    pub records: BTreeMap<String, Committed>,
    /// Whether older commits were left out when the repository was copied.
    pub shallow: bool,
}

/// A record as the first commit that had it holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// That commit.
    pub commit: String,
    /// The digest of its text with LF line ends; `None` where the repository was copied without it.
    pub digest: Option<Checksum>,
}

impl Committed {
    fn short(&self) -> &str {
        self.commit.get(..10).unwrap_or(&self.commit)
    }
}

pub(super) static REWRITTEN: Rule = Rule {
    id: "evidence-rewritten",
    protects: "readers from a record that was edited with care, digest, transcript and all, after it was committed",
    example: "a commit added evidence/block-size/2026-11-30-nvidia-h200.jsonl, and the file has other spans now",
    occasion: Occasion::Verify,
    check: Check::Whole(rewritten),
};

pub(super) static REMOVED: Rule = Rule {
    id: "evidence-removed",
    protects: "readers from a course that dropped the runs that did not suit it",
    example: "a commit added a second run of block-size, and a later one removed it",
    occasion: Occasion::Verify,
    check: Check::Whole(removed),
};

fn rewritten(checked: &Checked<'_>, problems: &mut Problems) {
    for (name, first) in checked.history.iter().flat_map(|history| &history.records) {
        let Some((file, digest)) = checked.tree.get(name).zip(first.digest) else { continue };
        if file.digest != digest {
            let message = format!("the record is not the one that commit {} added", first.short());
            problems.push(Problem::error(REWRITTEN.id, Span::top(&name.as_str().into()), message).hint(format!(
                "restore it with `git checkout {} -- {name}`; another run lies beside it, under a name of its own",
                first.short()
            )));
        }
    }
}

fn removed(checked: &Checked<'_>, problems: &mut Problems) {
    for (name, first) in checked.history.iter().flat_map(|history| &history.records) {
        if checked.tree.get(name).is_none() {
            let message = format!("commit {} added the record {name}, and it is gone", first.short());
            problems.push(Problem::warning(REMOVED.id, Span::top(&name.as_str().into()), message).hint(format!(
                "`git checkout {} -- {name}` restores it; older runs feed no page, and show what was measured before",
                first.short()
            )));
        }
    }
}

/// What the commits say of the records that there are, as one line.
#[must_use]
pub fn line(checked: &Checked<'_>) -> Option<String> {
    let history = checked.history?;
    let records = checked.evidence.all().count();
    let held = |name: &str| history.records.get(name).is_some_and(|first| first.digest.is_some());
    let committed = checked.evidence.all().filter(|run| held(&run.name)).count();
    let shallow = if history.shallow { "; older commits are not here (a shallow clone), and were not asked" } else { "" };
    Some(format!("{committed} of {} held to the commits that added them{shallow}", super::report::plural(records, "record")))
}
