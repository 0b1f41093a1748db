//! Finds figures in the text that look measured and come neither from evidence nor from a stated source.
//!
//! Must not know how figures are recognised; for each it finds, it looks for the expression that would print it.

mod offer;

use rayon::prelude::*;

use self::offer::Seeker;
use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems};
use crate::course::figures::Typed;
use crate::course::lesson::Lesson;

pub(super) use self::offer::{is_comparable, spelled};

pub(super) static RULE: Rule = Rule {
    id: "unbound-figure",
    protects: "readers from a figure that nobody measured, or that was measured once and not since",
    example: "the text says `0.0618 ms`, and neither an expression nor a stated source stands behind it",
    occasion: Occasion::Build,
    check: Check::Whole(check),
};

fn check(checked: &Checked<'_>, problems: &mut Problems) {
    let of = |lesson: &std::sync::Arc<Lesson>| of_lesson(checked, lesson);
    let found: Vec<Vec<Problem>> = checked.course.lessons.par_iter().map(of).collect();
    problems.extend(found.into_iter().flatten());
}

fn of_lesson(checked: &Checked<'_>, lesson: &Lesson) -> Vec<Problem> {
    let mut free = checked.course.free_in(lesson).peekable();
    if free.peek().is_none() {
        return Vec::new();
    }
    let seeker = Seeker::new(checked, lesson);
    free.map(|typed| problem(typed, &seeker)).collect()
}

fn problem(typed: &Typed, seeker: &Seeker<'_>) -> Problem {
    let text = typed.text.replace('\u{a0}', " ");
    let message = if typed.literal {
        format!("this figure computes nothing: `{text}` is typed as any other, and looks measured")
    } else {
        format!("`{text}` looks measured, and neither evidence nor a stated source stands behind it")
    };
    let state = format!("[[stated]] with figure = \"{text}\" and its source");
    let hint = match seeker.offer(typed) {
        Some(offers) => format!("write {} in its place; or, if it is something else, say where it is from: {state}", offers.join(" and ")),
        None => {
            format!("no value of the lesson's sweeps prints so: bind it to one that does, take it out, or say where it is from: {state}")
        }
    };
    Problem::error(RULE.id, typed.at.clone(), message).hint(hint)
}
