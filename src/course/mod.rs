//! Turns the source tree into what the author wrote: lessons, kernels with their regions, sweeps, configuration.
//!
//! Must not know of runs or figures: nothing here reads `evidence/`, and nothing here computes a value.
//!
#![doc = include_str!("reference.md")]

mod again;
mod arranged;
mod check;
mod claim;
pub mod columns;
mod compile_sweep;
pub mod config;
mod container;
pub mod document;
pub mod face;
mod dollar;
pub mod figures;
mod find;
pub mod folded;
mod formula;
pub mod keys;
pub mod lesson;
pub mod localised;
pub mod macros;
pub mod mark;
pub mod marker;
mod manifest;
pub mod mention;
pub mod notes;
pub mod outline;
pub mod policy;
mod profile_sweep;
mod program;
mod prose;
mod shelf;
pub mod source;
pub mod sources;
pub mod stated;
pub mod sweep;
mod sweep_check;
mod sweep_kind;
mod terms;
pub mod toml;
mod weave;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::problem::Problems;
use crate::base::series::Series;
use crate::base::span::SourceName;
use crate::tree::SourceTree;

pub use self::again::Memo;
pub use self::arranged::Family;

use self::config::Config;
use self::lesson::Lesson;
use self::sources::Sources;
use self::sweep::Sweep;

/// What the author wrote, read and understood; anything that could not be is a problem and is left out.
#[derive(Debug, Clone, Default)]
pub struct Course {
    /// `lessons/course.toml`.
    pub config: Arc<Config>,
    /// Every lesson in every language, in the order of the course.
    pub lessons: Series<Arc<Lesson>>,
    /// The same lessons, each with its translations, part by part.
    pub families: Series<Family>,
    /// Every text file under `kernels/` but the sweeps' manifests, by its path from `kernels/`.
    pub sources: Arc<Sources>,
    /// Every sweep by its name (`kernels/NAME.toml`).
    pub sweeps: Arc<BTreeMap<String, Arc<Sweep>>>,
    /// Sweeps whose manifest is there and could not be made sense of; its problems say why.
    pub unread: Arc<BTreeSet<String>>,
    /// Lessons' files of which the same is true.
    pub unread_lessons: Arc<BTreeSet<SourceName>>,
    /// The very same value for as long as lessons show each other, lists and the checks between files the same of themselves.
    pub face: Arc<()>,
    /// Which of the lessons a file is.
    by_file: Arc<BTreeMap<SourceName, usize>>,
}

impl Course {
    /// The lesson in the file `name` of the tree.
    #[must_use]
    pub fn lesson_at(&self, name: &str) -> Option<&Lesson> {
        self.by_file.get(name).and_then(|&index| self.lessons.get(index)).map(AsRef::as_ref)
    }

    /// The lesson that `lesson` translates, if it is a translation of one that is there.
    #[must_use]
    pub fn original_of(&self, lesson: &Lesson) -> Option<&Arc<Lesson>> {
        let name = lesson.translation.then(|| format!("lessons/{}.md", lesson.name))?;
        self.by_file.get(&*name).and_then(|&index| self.lessons.get(index))
    }
}

/// The path that the author writes (from `kernels/`) for a file of the tree.
#[must_use]
pub fn kernel_path(name: &SourceName) -> Option<&str> {
    name.strip_prefix("kernels/")
}

/// Reads the course that `tree` holds.
pub fn read(tree: &SourceTree, problems: &mut Problems) -> Course {
    read_again(tree, &BTreeSet::new(), &Memo::default(), problems)
}

/// Reads the course that `tree` holds, in which the files `changed` are others than when `memo` saw it; no others are read again.
pub fn read_again(tree: &SourceTree, changed: &BTreeSet<SourceName>, memo: &Memo, problems: &mut Problems) -> Course {
    again::read(tree, changed, memo, problems)
}
