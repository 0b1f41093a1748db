//! Turns the source tree into what the author wrote: lessons, kernels with their regions, sweeps, configuration.
//!
//! Must not know of runs or figures: nothing here reads `evidence/`, and nothing here computes a value.
//!
#![doc = include_str!("reference.md")]

mod check;
mod claim;
pub mod columns;
mod compile_sweep;
pub mod config;
mod container;
pub mod document;
mod dollar;
pub mod figures;
mod find;
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
pub mod source;
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

use rayon::prelude::*;

use crate::base::digest::Digest;
use crate::base::memo;
use crate::base::problem::{Problem, Problems};
use crate::base::span::{SourceName, Span};
use crate::tree::{SourceFile, SourceTree};

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
    /// Sweeps whose manifest is there and could not be made sense of; its problems say why.
    pub unread: BTreeSet<String>,
    /// Lessons' files of which the same is true.
    pub unread_lessons: BTreeSet<SourceName>,
    /// Which of the lessons a file is.
    by_file: BTreeMap<SourceName, usize>,
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
        let index = *self.by_file.get(&*format!("lessons/{}.md", lesson.name)).filter(|_| lesson.translation)?;
        self.lessons.get(index)
    }
}

/// The path that the author writes (from `kernels/`) for a file of the tree.
#[must_use]
pub fn kernel_path(name: &SourceName) -> Option<&str> {
    name.strip_prefix("kernels/")
}

/// What was read of the files before, by their names and digests, with what was wrong in each.
#[derive(Debug, Default)]
pub struct Memo {
    sweeps: memo::Memo<FileKey, Read<Sweep>>,
    sources: memo::Memo<FileKey, Read<Source>>,
    /// By the course's language too, which is that of lessons that name none, and its macros in formulas.
    lessons: memo::Memo<(FileKey, Arc<str>), Read<Lesson>>,
}

type FileKey = (SourceName, Digest);

/// What a file was read as, if it could be, and what is wrong with it.
type Read<T> = (Option<Arc<T>>, Arc<[Problem]>);

impl Memo {
    fn forget_unused(&self) {
        self.sweeps.forget_unused();
        self.sources.forget_unused();
        self.lessons.forget_unused();
    }
}

/// What `memo` has of `key`, or what `read` makes of it.
fn again<K: Ord, T>(
    memo: &memo::Memo<K, Read<T>>,
    key: K,
    problems: &mut Problems,
    read: impl FnOnce(&mut Problems) -> Option<T>,
) -> Option<Arc<T>> {
    let (value, found) = memo.get_or(key, || {
        let mut found = Problems::new();
        let value = read(&mut found).map(Arc::new);
        (value, found.into_iter().collect())
    });
    problems.extend(found.iter().cloned());
    value
}

/// Reads the course that `tree` holds.
pub fn read(tree: &SourceTree, problems: &mut Problems) -> Course {
    read_again(tree, &Memo::default(), problems)
}

/// Reads the course that `tree` holds; files that are as they were when `memo` saw them are not read again.
pub fn read_again(tree: &SourceTree, memo: &Memo, problems: &mut Problems) -> Course {
    let config = config::read(tree, problems);
    // What describes the fake device for a sweep's tests is no part of the course: nothing that is published may hang on it.
    let kernels = || tree.below("kernels").filter_map(|(name, file)| Some((name, kernel_path(name)?, file)));
    let kernels = || kernels().filter(|(_, path, _)| !path.ends_with(".fake.toml"));
    let manifests = || kernels().filter_map(|(name, path, file)| Some((name, path.strip_suffix(".toml")?, file)));
    let sweeps: BTreeMap<String, Arc<Sweep>> = each(manifests().collect(), problems, |(name, stem, file), problems| {
        let read = |problems: &mut Problems| sweep::read(name, stem, &file.text, problems);
        again(&memo.sweeps, key(name, file), problems, read).map(|sweep| (stem.to_owned(), sweep))
    });
    let sources = each(kernels().filter(|(_, path, _)| !path.ends_with(".toml")).collect(), problems, |(name, path, file), problems| {
        let read = |problems: &mut Problems| Some(Source::parse(name, &file.text, problems));
        again(&memo.sources, key(name, file), problems, read).map(|source| (path.to_owned(), source))
    });
    let lessons = lessons(tree, &config, memo, problems);
    memo.forget_unused();
    let by_file: BTreeMap<SourceName, usize> = lessons.iter().enumerate().map(|(index, lesson)| (lesson.file.clone(), index)).collect();
    let unread = manifests().map(|(_, stem, _)| stem.to_owned()).filter(|stem| !sweeps.contains_key(stem)).collect();
    let opened = tree.below("lessons").filter(|(name, file)| name.ends_with(".md") && lesson::opens(&file.text));
    let unread_lessons = opened.map(|(name, _)| name.clone()).filter(|name| !by_file.contains_key(name)).collect();
    let course = Course { config, lessons, sources, sweeps, unread, unread_lessons, by_file };
    check::references(&course, problems);
    course
}

fn key(name: &SourceName, file: &SourceFile) -> FileKey {
    (name.clone(), file.digest)
}

/// What `read` makes of each of `files`, on every core, in their order; so are the problems.
fn each<F: Send, T: Send, C: FromIterator<T>>(
    files: Vec<F>,
    problems: &mut Problems,
    read: impl Fn(F, &mut Problems) -> Option<T> + Sync,
) -> C {
    let one = |file| {
        let mut found = Problems::new();
        (read(file, &mut found), found)
    };
    let made: Vec<(Option<T>, Problems)> = files.into_par_iter().map(one).collect();
    let mut values = Vec::new();
    for (value, found) in made {
        values.extend(value);
        problems.extend(found);
    }
    values.into_iter().collect()
}

/// The lessons in the order of the course: as outlined, then by `order`, then by name; a lesson before its translations.
fn lessons(tree: &SourceTree, config: &Config, memo: &Memo, problems: &mut Problems) -> Vec<Arc<Lesson>> {
    let around: Arc<str> = format!("{}\n{}", config.language, config.macros.text()).into();
    let files = tree.below("lessons").filter(|(name, _)| name.ends_with(".md")).collect();
    let mut lessons: Vec<Arc<Lesson>> = each(files, problems, |(name, file), problems| {
        if name.matches('/').count() == 1 {
            let read = |problems: &mut Problems| lesson::read(name, &file.text, config, problems);
            return again(&memo.lessons, (key(name, file), around.clone()), problems, read);
        }
        if file.text.starts_with("+++") {
            problems.push(
                Problem::error("lesson-place", Span::top(name), format!("{name} is in a folder below `lessons/`"))
                    .hint("lessons stand side by side in `lessons/`"),
            );
        }
        None
    });
    for (name, file) in tree.below("lessons").filter(|(name, _)| !name.ends_with(".md")) {
        let ending = name.rsplit('.').next().unwrap_or_default();
        if file.text.starts_with("+++") && ["md", "markdown"].iter().any(|known| ending.eq_ignore_ascii_case(known)) {
            problems.push(
                Problem::error("lesson-place", Span::top(name), format!("{name} is not read: a lesson's name ends in `.md`"))
                    .hint("rename the file"),
            );
        }
    }
    let order: BTreeMap<String, i64> =
        lessons.iter().filter(|lesson| !lesson.translation).filter_map(|lesson| Some((lesson.name.clone(), lesson.order?))).collect();
    lessons.sort_by_cached_key(|lesson| {
        let outlined = config.outline.place(&lesson.name).unwrap_or(usize::MAX);
        let order = order.get(&lesson.name).copied().unwrap_or(i64::MAX);
        (outlined, order, lesson.name.clone(), lesson.translation, lesson.language.clone())
    });
    lessons
}
