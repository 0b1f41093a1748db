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
        if !originals.contains_key(name) {
            let problem = Problem::error("outline-missing", at.clone(), format!("there is no lesson `{name}`"));
            problems.push(problem.meant(name, originals.keys().copied()));
        }
    }
    for lesson in &course.lessons {
        for (sweep, at) in &lesson.sweeps {
            if !course.sweeps.contains_key(sweep) && !course.unread.contains(sweep) {
                let problem = Problem::error("sweep-missing", at.clone(), format!("there is no sweep `{sweep}` (kernels/{sweep}.toml)"));
                problems.push(problem.meant(sweep, course.sweeps.keys().map(String::as_str)));
            }
        }
        if lesson.translation {
            translation(lesson, originals.get(&*lesson.name).copied(), problems);
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
    if original.document.torn {
        return;
    }
    let known: Vec<&str> = original.document.claims().map(|claim| &*claim.name).collect();
    for claim in lesson.document.claims().filter(|claim| !known.contains(&&*claim.name)) {
        let message = format!("{} makes no claim `{}`", original.file, claim.name);
        problems.push(Problem::error("claim-unknown", claim.at.clone(), message).meant(&claim.name, known.iter().copied()));
    }
}
