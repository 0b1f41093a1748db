//! Finds what the author made and no page shows: sweeps that no lesson stands on, regions that no page or sweep uses.
//!
//! Must not know how a page shows a region.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use super::{Check, Checked, Occasion, Rule, each};
use crate::base::problem::{Problem, Problems, Severity};
use crate::base::span::{SourceName, Span};
use crate::base::stamp::Stamp;
use crate::course::Course;
use crate::course::source::{Region, Source};
use crate::course::sources::Sources;

pub(super) static SWEEP: Rule = Rule {
    id: "sweep-unused",
    protects: "the author, who measured for a page and forgot to stand it on the sweep",
    example: "kernels/occupancy.toml is named by no lesson's `sweeps`",
    occasion: Occasion::Build,
    check: Check::Whole(sweeps),
};

pub(super) static REGION: Rule = Rule {
    id: "snippet-unused",
    protects: "the author, who marked a region and forgot to show it, or misspelt it in both places",
    example: "`// snippet: launch` opens a region that no lesson shows and no sweep compiles",
    occasion: Occasion::Build,
    check: Check::Again(regions),
};

fn sweeps(checked: &Checked<'_>, problems: &mut Problems) {
    // Who knows what a lesson that could not be read stands on.
    if !checked.course.unread_lessons.is_empty() {
        return;
    }
    let named: BTreeSet<&str> = checked.course.lessons.iter().flat_map(|lesson| &lesson.sweeps).map(|(name, _)| name.as_str()).collect();
    for (name, sweep) in checked.course.sweeps.iter() {
        if !named.contains(name.as_str()) {
            let message = format!("no lesson stands on the sweep `{name}`");
            problems.push(
                Problem::warning(SWEEP.id, Span::top(&sweep.manifest), message)
                    .hint(format!("name it in a lesson's front matter: sweeps = [\"{name}\"]")),
            );
        }
    }
}

fn regions(checked: &Checked<'_>, memo: &each::Memo, problems: &mut Problems) {
    if !checked.course.unread.is_empty() || !checked.course.unread_lessons.is_empty() {
        return;
    }
    let mut known = memo.regions.0.lock().unwrap_or_else(PoisonError::into_inner);
    let again = known.as_mut().is_some_and(|known| known.follow(checked.course));
    if !again {
        *known = Some(Known::of(checked.course));
    }
    // Where markers are wrong, what is unused follows from it and is not worth a line.
    let torn: BTreeSet<SourceName> = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error && problem.id.starts_with("snippet-"))
        .filter_map(|problem| problem.at.as_ref().map(|at| at.file.clone()))
        .collect();
    let unused = known.iter().flat_map(|known| &known.unused).filter(|(name, _)| !torn.contains(*name));
    problems.extend(unused.flat_map(|(_, unused)| unused.iter().cloned()));
}

/// The regions that were unused before.
#[derive(Debug, Default)]
pub(super) struct Memo(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    /// Of what uses regions.
    stamp: Stamp,
    sources: Sources,
    /// By the names of their sources.
    unused: BTreeMap<SourceName, Vec<Problem>>,
    /// What uses regions; gathered when a source changes and that doesn't.
    used: Option<BTreeSet<String>>,
}

impl Known {
    fn of(course: &Course) -> Self {
        let used = used(course);
        let unused = course.sources.values().map(|source| (source.name.clone(), unused(source, &used)));
        let unused = unused.filter(|(_, unused)| !unused.is_empty()).collect();
        Self { stamp: stamp(course), sources: Sources::clone(&course.sources), unused, used: None }
    }

    /// Makes it what it would be of `course`, if that differs from before in what is in some sources alone; whether it does.
    fn follow(&mut self, course: &Course) -> bool {
        if self.stamp != stamp(course) {
            return false;
        }
        let Some(changed) = course.sources.changed_since(&self.sources) else { return false };
        for source in changed {
            let used = self.used.get_or_insert_with(|| used(course).into_iter().map(Cow::into_owned).collect());
            match unused(source, used) {
                none if none.is_empty() => self.unused.remove(&source.name),
                some => self.unused.insert(source.name.clone(), some),
            };
        }
        self.sources = Sources::clone(&course.sources);
        true
    }
}

/// What says which regions are used.
fn stamp(course: &Course) -> Stamp {
    let mut stamp = Stamp::default();
    stamp.same(&course.face);
    stamp.same(&course.sweeps);
    stamp
}

/// The regions that lessons show and sweeps compile, as `FILE#REGION`.
fn used(course: &Course) -> BTreeSet<Cow<'_, str>> {
    let shown = course.lessons.iter().flat_map(|lesson| &lesson.face.regions).map(|region| Cow::Borrowed(&**region));
    let compiled = course.sweeps.values().filter_map(|sweep| Some((sweep.source()?.0, sweep)));
    let compiled = compiled.flat_map(|(path, sweep)| sweep.regions().map(move |(region, _)| Cow::Owned(format!("{path}#{region}"))));
    shown.chain(compiled).collect()
}

/// What is wrong with those regions of `source` that are not `used`.
fn unused<T: Borrow<str> + Ord>(source: &Source, used: &BTreeSet<T>) -> Vec<Problem> {
    let named = |region: &str| format!("{}#{region}", source.path);
    let regions = source.regions.iter().filter(|region| !used.contains(named(&region.name).as_str()));
    let problem = |region: &Region| {
        let message = format!("no lesson shows the region `{}`, and no sweep names it", region.name);
        Problem::warning(REGION.id, region.at.clone(), message)
            .hint(format!("show it with `snippet: {}`, or remove its markers", named(&region.name)))
    };
    regions.map(problem).collect()
}
