//! Turns the source tree into what the author wrote: lessons, kernels with their regions, sweeps, configuration.
//!
//! Must not know of runs or figures: nothing here reads `evidence/`, and nothing here computes a value.

mod check;
mod claim;
pub mod columns;
pub mod config;
pub mod document;
mod find;
pub mod keys;
pub mod lesson;
pub mod marker;
mod manifest;
mod prose;
pub mod source;
pub mod sweep;
mod sweep_check;
mod terms;
pub mod toml;
mod weave;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::problem::{Problem, Problems};
use crate::base::span::{SourceName, Span};
use crate::tree::SourceTree;

use self::config::Config;
use self::lesson::Lesson;
use self::source::Source;
use self::sweep::Sweep;

/// What the author wrote, read and understood; anything that could not be is a problem and is left out.
#[derive(Debug, Clone, Default)]
pub struct Course {
    /// `lessons/course.toml`.
    pub config: Config,
    /// Every lesson in every language, in the order of the course.
    pub lessons: Vec<Arc<Lesson>>,
    /// Every text file under `kernels/` but the sweeps' manifests, by its path from `kernels/`.
    pub sources: BTreeMap<String, Arc<Source>>,
    /// Every sweep by its name (`kernels/NAME.toml`).
    pub sweeps: BTreeMap<String, Arc<Sweep>>,
}

/// The path that the author writes (from `kernels/`) for a file of the tree.
#[must_use]
pub fn kernel_path(name: &SourceName) -> Option<&str> {
    name.strip_prefix("kernels/")
}

/// Reads the course that `tree` holds.
pub fn read(tree: &SourceTree, problems: &mut Problems) -> Course {
    let config = config::read(tree, problems);
    let mut sources = BTreeMap::new();
    let mut sweeps = BTreeMap::new();
    for (name, file) in tree.below("kernels") {
        let Some(path) = kernel_path(name) else { continue };
        if path.ends_with(".fake.toml") {
            // Describes the fake device for a sweep's tests; nothing that is published may hang on it.
            continue;
        }
        if let Some(stem) = path.strip_suffix(".toml") {
            if let Some(sweep) = sweep::read(name, stem, &file.text, problems) {
                sweeps.insert(stem.to_owned(), Arc::new(sweep));
            }
        } else {
            sources.insert(path.to_owned(), Arc::new(Source::parse(name, &file.text, problems)));
        }
    }
    let lessons = lessons(tree, &config, problems);
    let course = Course { config, lessons, sources, sweeps };
    check::references(&course, problems);
    course
}

/// The lessons in the order of the course: as outlined, then by `order`, then by name; a lesson before its translations.
fn lessons(tree: &SourceTree, config: &Config, problems: &mut Problems) -> Vec<Arc<Lesson>> {
    let mut lessons = Vec::new();
    for (name, file) in tree.below("lessons").filter(|(name, _)| name.ends_with(".md")) {
        if name.matches('/').count() == 1 {
            lessons.extend(lesson::read(name, &file.text, &config.language, problems).map(Arc::new));
        } else if file.text.starts_with("+++") {
            problems.push(
                Problem::error("lesson-place", Span::top(name), format!("{name} is in a folder below `lessons/`"))
                    .hint("lessons stand side by side in `lessons/`"),
            );
        }
    }
    let order: BTreeMap<String, i64> =
        lessons.iter().filter(|lesson| !lesson.translation).filter_map(|lesson| Some((lesson.name.clone(), lesson.order?))).collect();
    lessons.sort_by_cached_key(|lesson| {
        let outlined = config.outline.iter().position(|name| *name == lesson.name).unwrap_or(usize::MAX);
        let order = order.get(&lesson.name).copied().unwrap_or(i64::MAX);
        (outlined, order, lesson.name.clone(), lesson.translation, lesson.language.clone())
    });
    lessons
}
