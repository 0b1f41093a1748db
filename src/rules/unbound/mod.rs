//! Finds figures in the text that look measured and come neither from evidence nor from a stated source.
//!
//! Must not know how figures are recognised; for each it finds, it looks for the expression that would print it.

mod offer;

use self::offer::Seeker;
use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems};
use crate::base::span::{SourceName, Span};
use crate::course::config;
use crate::course::figures::Typed;
use crate::course::lesson::Lesson;
use crate::course::localised::Localised;
use crate::course::mention::{self, Place};
use crate::course::sweep::Kind;

pub(super) use self::offer::{is_comparable, spelled};

pub(super) static RULE: Rule = Rule {
    id: "unbound-figure",
    protects: "readers from a figure that nobody measured, or that was measured once and not since",
    example: "the text says `0.0618 ms`, and neither an expression nor a stated source stands behind it",
    occasion: Occasion::Build,
    check: Check::LessonAndWhole(of_lesson, of_course),
};

/// Figures in what pages show of the course and of its sweeps: such text can neither hold an expression nor state a source.
fn of_course(checked: &Checked<'_>, problems: &mut Problems) {
    let config = &checked.course.config;
    let course: SourceName = config::FILE.into();
    let parts = config.outline.parts().iter().filter_map(|part| part.title.as_ref());
    let of_config = [&config.title, &config.summary].into_iter().chain(parts).flat_map(Localised::all);
    let mut texts: Vec<_> = of_config.map(|text| (&course, text)).collect();
    for sweep in checked.course.sweeps.values() {
        texts.push((&sweep.manifest, sweep.title.as_str()));
        let columns = sweep.columns.iter().flat_map(|column| [&column.title, &column.about]);
        let reads = if let Kind::Kernel(kernel) = &sweep.kind { kernel.reads.as_slice() } else { &[] };
        let reads = reads.iter().flat_map(|read| [&read.title, &read.about]);
        texts.extend(columns.chain(reads).flatten().map(|text| (&sweep.manifest, text.as_str())));
    }
    for (file, text) in texts {
        for mention in mention::find(text, &Place::Prose) {
            let start = checked.tree.text(file).find(text);
            let at = start.map_or_else(|| Span::top(file), |start| Span::new(file, start + mention.range.start, start + mention.range.end));
            let message = format!("`{}` looks measured, and stands where no expression can", &text[mention.range]);
            problems.push(Problem::error(RULE.id, at, message).hint("take the figure out of this text, and bind it in a lesson's"));
        }
    }
}

fn of_lesson(checked: &Checked<'_>, lesson: &Lesson, problems: &mut Problems) {
    let mut free = checked.course.free_in(lesson).peekable();
    if free.peek().is_some() {
        let seeker = Seeker::new(checked, lesson);
        problems.extend(free.map(|typed| problem(typed, &seeker)));
    }
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
