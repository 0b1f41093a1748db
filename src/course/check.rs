//! Turns names that one part of a course uses and another defines into problems where they don't meet.
//!
//! Must not know runs.

use std::collections::BTreeMap;

use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;

use super::Course;
use super::lesson::Lesson;

/// Checks what lessons, outline and front matter name.
pub(super) fn references(course: &Course, problems: &mut Problems) {
    let originals: BTreeMap<&str, &Lesson> =
        course.lessons.iter().filter(|lesson| !lesson.translation).map(|lesson| (&*lesson.name, &**lesson)).collect();
    for (name, at) in course.config.outline.named() {
        if !originals.contains_key(name) && !is_unread(course, name) {
            let problem = Problem::error("outline-missing", at.clone(), format!("there is no lesson `{name}`"));
            problems.push(problem.meant(name, originals.keys().copied()));
        }
    }
    let names = course.lessons.iter().map(|lesson| ((&*lesson.language, &*lesson.name), &**lesson)).collect();
    let (mut taken, mut defined) = (BTreeMap::new(), BTreeMap::new());
    for lesson in course.lessons.iter() {
        for (sweep, at) in &lesson.sweeps {
            if !course.sweeps.contains_key(sweep) && !course.unread.contains(sweep) {
                let problem = Problem::error("sweep-missing", at.clone(), format!("there is no sweep `{sweep}` (kernels/{sweep}.toml)"));
                problems.push(problem.meant(sweep, course.sweeps.keys().map(String::as_str)));
            }
        }
        aliases(&names, lesson, &mut taken, problems);
        terms(lesson, &mut defined, problems);
        // What could not be read has a problem of its own.
        if lesson.translation && !is_unread(course, &lesson.name) {
            translation(lesson, originals.get(&*lesson.name).copied(), problems);
        }
    }
}

/// Whether there is a file for the lesson `name`, and it could not be read.
fn is_unread(course: &Course, name: &str) -> bool {
    course.unread_lessons.contains(&*format!("lessons/{name}.md"))
}

/// Each name that lessons of one language once had leads to one of them, and is no name of today.
fn aliases<'a>(
    names: &BTreeMap<(&str, &str), &Lesson>,
    lesson: &'a Lesson,
    taken: &mut BTreeMap<(&'a str, &'a str), &'a Span>,
    problems: &mut Problems,
) {
    for (alias, at) in &lesson.aliases {
        if let Some(now) = names.get(&(&*lesson.language, &**alias)) {
            let message = format!("`{alias}` is the name of {}", now.file);
            problems.push(Problem::error("alias-taken", at.clone(), message).hint("an alias is a name that no lesson has any longer"));
        } else if let Some(first) = taken.insert((&lesson.language, alias), at) {
            let message = format!("`{alias}` leads to two lessons");
            problems.push(Problem::error("alias-taken", at.clone(), message).related(first.clone(), "the first"));
        }
    }
}

/// A language has one definition of a term.
fn terms<'a>(lesson: &'a Lesson, defined: &mut BTreeMap<(&'a str, String), Span>, problems: &mut Problems) {
    if lesson.face.terms.is_empty() {
        return;
    }
    for (definition, _) in lesson.document().terms() {
        if let Some(first) = defined.insert((&lesson.language, definition.anchor()), definition.at.clone()) {
            let message = format!("`{}` is defined twice", definition.name);
            let problem = Problem::error("term-duplicate", definition.at.clone(), message).related(first, "the first");
            problems.push(problem.hint("define it where it is introduced, and link to that from elsewhere: `[…](lesson.md#term-…)`"));
        }
    }
}

/// A translation stands beside its original, in another language, and claims nothing of its own.
fn translation(lesson: &Lesson, original: Option<&Lesson>, problems: &mut Problems) {
    let top = Span::top(&lesson.file);
    let Some(original) = original else {
        problems.push(
            Problem::error("translation-alone", top, format!("{} translates a lesson that is not there", lesson.file))
                .hint(format!("write lessons/{}.md, or give this file its name", lesson.name)),
        );
        return;
    };
    if original.language == lesson.language {
        let message = format!("{} and {} are both in the language `{}`", original.file, lesson.file, lesson.language);
        problems.push(Problem::error("translation-language", top, message));
    }
    if original.face.torn {
        return;
    }
    let known: Vec<&str> = original.face.claims.iter().map(AsRef::as_ref).collect();
    for claim in lesson.document().claims().filter(|claim| !known.contains(&&*claim.name)) {
        let message = format!("{} makes no claim `{}`", original.file, claim.name);
        problems.push(Problem::error("claim-unknown", claim.at.clone(), message).meant(&claim.name, known.iter().copied()));
    }
}
