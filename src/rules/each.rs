//! Turns the rules that look at one run or one lesson at a time into problems, on every core, and passes over what was in order before.
//!
//! Must not know what any rule looks for.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Check, Checked, Occasion, RULES, unused};
use crate::base::last::Clean;
use crate::base::memo;
use crate::base::problem::{Problem, Problems};
use crate::base::row::{Maker, Row};
use crate::base::share;
use crate::base::span::SourceName;
use crate::base::stamp::Stamp;
use crate::course::config;
use crate::course::lesson::Lesson;
use crate::evidence::{Run, name, signers};
use crate::plan::Job;

/// What no rule found anything in, each with what it was then.
#[derive(Debug, Default)]
pub struct Memo {
    /// The course as a whole, its runs included.
    pub(super) whole: Clean,
    /// The runs, by their files.
    runs: memo::Memo<SourceName, Stamp>,
    lessons: Row<Arc<Lesson>, Arc<Looked>, Vec<Problem>>,
    /// What no lesson shows.
    pub(super) regions: unused::Memo,
}

/// What was found in a lesson.
#[derive(Debug)]
struct Looked {
    lesson: Arc<Lesson>,
    original: Option<Arc<Lesson>>,
    stamp: Stamp,
    found: Vec<Problem>,
}

/// What the rules that look at the whole hang on.
pub(super) fn whole(checked: &Checked<'_>) -> Stamp {
    let Checked { tree, course, plan, evidence, facts, .. } = *checked;
    let mut stamp = Stamp::default();
    stamp.same(&course.config);
    stamp.same(&course.face);
    stamp.same(&course.sweeps);
    stamp.same(&course.unread);
    stamp.same(plan);
    stamp.same(evidence);
    facts.add_all_to(&mut stamp);
    stamp.equal(Some(tree.state(name::FOLDER, |_| true)));
    stamp.equal(tree.digest(signers::FILE));
    stamp.same(&course.unread_lessons);
    stamp
}

/// Asks the rules that look at runs.
pub(super) fn runs(checked: &Checked<'_>, memo: &Memo, problems: &mut Problems) {
    let one = |(job, run): &(&Arc<Job>, Arc<Run>)| {
        let (mut problems, mut stamp) = (Problems::new(), Stamp::default());
        stamp.same(job);
        stamp.same(run);
        if memo.runs.get(&run.name).is_some_and(|known| known == stamp) {
            return problems;
        }
        for rule in RULES {
            debug_assert!(rule.occasion == Occasion::Build || !matches!(rule.check, Check::Run(_) | Check::Lesson(_)));
            if let Check::Run(check) = rule.check {
                check(checked, job, run, &mut problems);
            }
        }
        if problems.is_empty() {
            memo.runs.put(run.name.clone(), stamp);
        }
        problems
    };
    let found: Vec<Problems> = checked.feeding().par_iter().with_max_len(share::LARGEST).map(one).collect();
    memo.runs.forget_unused();
    problems.extend(found.into_iter().flatten());
}

/// Asks the rules that look at lessons.
pub(super) fn lessons(checked: &Checked<'_>, memo: &Memo, problems: &mut Problems) {
    let mut around = Stamp::default();
    around.equal(checked.tree.digest(config::FILE));
    checked.facts.add_all_to(&mut around);
    let parts = memo.lessons.again(around, &checked.course.lessons, &Looking(checked));
    problems.extend(parts.iter().flat_map(|part| part.sum.iter().cloned()));
}

/// Looks at lessons.
struct Looking<'a>(&'a Checked<'a>);

impl Maker for Looking<'_> {
    type Thing = Arc<Lesson>;
    type Key = SourceName;
    type Value = Arc<Looked>;
    type Sum = Vec<Problem>;

    fn key<'t>(&self, lesson: &'t Arc<Lesson>) -> &'t SourceName {
        &lesson.file
    }

    fn stands(&self, found: &Vec<Problem>) -> bool {
        found.is_empty()
    }

    fn holds(&self, lesson: &Arc<Lesson>, looked: &Arc<Looked>, same_around: bool) -> bool {
        Arc::ptr_eq(lesson, &looked.lesson)
            && looked.found.is_empty()
            && self.0.course.original_of(lesson).map(Arc::as_ptr) == looked.original.as_ref().map(Arc::as_ptr)
            && (same_around || looked.stamp == stamp(self.0, lesson))
    }

    fn make(&self, lesson: &Arc<Lesson>) -> Arc<Looked> {
        let mut problems = Problems::new();
        for rule in RULES {
            if let Check::Lesson(check) | Check::LessonAndWhole(check, _) = rule.check {
                check(self.0, lesson, &mut problems);
            }
        }
        let (original, stamp) = (self.0.course.original_of(lesson).cloned(), stamp(self.0, lesson));
        Arc::new(Looked { lesson: lesson.clone(), original, stamp, found: problems.into_iter().collect() })
    }

    fn sum(&self, looked: &[Arc<Looked>]) -> Vec<Problem> {
        looked.iter().flat_map(|looked| looked.found.iter().cloned()).collect()
    }
}

/// What else than the lesson and the one that it translates the rules on `lesson` hang on.
fn stamp(checked: &Checked<'_>, lesson: &Lesson) -> Stamp {
    let mut stamp = Stamp::default();
    stamp.equal(checked.tree.digest(config::FILE));
    for (sweep, _) in &lesson.sweeps {
        checked.facts.add_to(&mut stamp, sweep);
    }
    stamp
}
