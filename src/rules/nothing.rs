//! Refuses empty passes: a course in which nothing was checked, a lesson that stands on a sweep and shows none of it.
//!
//! Must not know what was checked beyond its counts.

use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems};
use crate::course::lesson::Lesson;
use crate::pages::Counts;

pub(super) static CHECKED: Rule = Rule {
    id: "nothing-checked",
    protects: "a green tick that stands for nothing, because a folder was misspelt",
    example: "`lessonc verify --course docs` on a course whose lessons were moved away",
    occasion: Occasion::Verify,
    check: Check::Whole(checked_nothing),
};

pub(super) static SHOWN: Rule = Rule {
    id: "nothing-shown",
    protects: "a lesson that claims to stand on a measurement and shows none",
    example: "`sweeps = [\"block-size\"]`, and no table, chart, figure, claim or transcript in the text",
    occasion: Occasion::Build,
    check: Check::Lesson(shown_nothing),
};

fn checked_nothing(checked: &Checked<'_>, problems: &mut Problems) {
    let Counts { snippets, figures, tables, charts, claims, .. } = *checked.counts;
    if snippets + figures + tables + charts + claims == 0 {
        problems.push(
            Problem::of_course(CHECKED.id, "nothing was checked: no page shows a region, a figure, a table, a chart or a claim")
                .hint("is this the folder of the course, and do its lessons lie in lessons/?"),
        );
    }
}

fn shown_nothing(_: &Checked<'_>, lesson: &Lesson, problems: &mut Problems) {
    let Some((name, at)) = lesson.sweeps.first() else { return };
    if !lesson.face.shows_evidence {
        let message = format!("the lesson stands on the sweep `{name}` and shows nothing of it");
        problems.push(
            Problem::error(SHOWN.id, at.clone(), message).hint(format!("show it, say with `table: {name}`, or take it off `sweeps`")),
        );
    }
}
