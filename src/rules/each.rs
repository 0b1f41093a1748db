//! Turns the rules that look at one run or one lesson at a time into problems, on every core, and passes over what was in order before.
//!
//! Must not know what any rule looks for.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Check, Checked, Occasion, RULES};
use crate::base::memo;
use crate::base::problem::Problems;
use crate::base::span::SourceName;
use crate::base::stamp::Stamp;
use crate::course::config;
use crate::course::lesson::Lesson;
use crate::evidence::Run;
use crate::plan::Job;

/// The runs and lessons, by their files, in which no rule found anything, each with what they were then.
#[derive(Debug, Default)]
pub struct Memo(memo::Memo<SourceName, Stamp>);

/// Asks the rules that look at runs.
pub(super) fn runs(checked: &Checked<'_>, problems: &mut Problems) {
    let one = |(job, run): &(&Arc<Job>, Arc<Run>)| {
        let mut stamp = Stamp::default();
        stamp.same(job);
        stamp.same(run);
        checked.unless_clean(&run.name, stamp, |problems| {
            for rule in RULES {
                debug_assert!(rule.occasion == Occasion::Build || !matches!(rule.check, Check::Run(_) | Check::Lesson(_)));
                if let Check::Run(check) = rule.check {
                    check(checked, job, run, problems);
                }
            }
        })
    };
    let found: Vec<Problems> = checked.feeding().par_iter().map(one).collect();
    problems.extend(found.into_iter().flatten());
}

/// Asks the rules that look at lessons.
pub(super) fn lessons(checked: &Checked<'_>, problems: &mut Problems) {
    let one = |lesson: &Arc<Lesson>| {
        checked.unless_clean(&lesson.file, stamp(checked, lesson), |problems| {
            for rule in RULES {
                if let Check::Lesson(check) | Check::LessonAndWhole(check, _) = rule.check {
                    check(checked, lesson, problems);
                }
            }
        })
    };
    let found: Vec<Problems> = checked.course.lessons.par_iter().map(one).collect();
    problems.extend(found.into_iter().flatten());
    checked.memo.inspect(|memo| memo.0.forget_unused());
}

fn stamp(checked: &Checked<'_>, lesson: &Arc<Lesson>) -> Stamp {
    let mut stamp = Stamp::default();
    stamp.same(lesson);
    stamp.equal(checked.tree.digest(config::FILE));
    stamp.same_or_none(checked.course.original_of(lesson));
    for (sweep, _) in &lesson.sweeps {
        checked.facts.add_to(&mut stamp, sweep);
    }
    stamp
}

impl Checked<'_> {
    /// What `look` finds in the file `name`, unless it found nothing when all was as `stamp` says.
    fn unless_clean(&self, name: &SourceName, stamp: Stamp, look: impl FnOnce(&mut Problems)) -> Problems {
        let mut problems = Problems::new();
        if self.memo.is_some_and(|memo| memo.0.get(name).as_ref() == Some(&stamp)) {
            return problems;
        }
        look(&mut problems);
        if let Some(memo) = self.memo.filter(|_| problems.is_empty()) {
            memo.0.put(name.clone(), stamp);
        }
        problems
    }
}
