//! Turns the files of a course into what the author wrote, and reads only those that changed since the time before.
//!
//! Must not know what is in a file. What was wrong with one that is as it was is said again each time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::digest::Checksum;
use crate::base::last::{Clean, Last};
use crate::base::problem::{Problem, Problems};
use crate::base::span::{SourceName, Span};
use crate::base::stamp::Stamp;
use crate::tree::{SourceFile, SourceTree};

use super::arranged::Arranged;
use super::config::{self, Config};
use super::lesson::{self, Lesson};
use super::shelf::Shelf;
use super::source::Source;
use super::sources::Sources;
use super::sweep::{self, Sweep};
use super::{Course, check, kernel_path};

/// What the files were read as before.
#[derive(Debug, Default)]
pub struct Memo {
    config: Last<(Arc<Config>, Arc<[Problem]>)>,
    kernels: Last<Kernels>,
    sweeps: Mutex<Shelf<Sweep>>,
    sources: Mutex<Shelf<Source>>,
    lessons: Mutex<Lessons>,
    arranged: Mutex<Option<Arranged>>,
    /// Whether what lessons name is there.
    references: Clean,
}

/// What is in `kernels/`; what did not change is the very same.
#[derive(Debug, Clone, Default)]
struct Kernels {
    sources: Arc<Sources>,
    sweeps: Arc<BTreeMap<String, Arc<Sweep>>>,
    unread: Arc<BTreeSet<String>>,
    problems: Arc<[Problem]>,
}

/// What is in `lessons/`.
#[derive(Debug, Default)]
struct Lessons {
    shelf: Shelf<Lesson>,
    /// Files that were meant to be lessons and could not be read.
    unread: Arc<BTreeSet<SourceName>>,
    /// What is wrong with files that look like lessons and aren't read.
    misplaced: Vec<Problem>,
}

/// Reads the course that `tree` holds, in which the files `changed` are others than when `memo` saw it; no others are read again.
pub(super) fn read(tree: &SourceTree, changed: &BTreeSet<SourceName>, memo: &Memo, problems: &mut Problems) -> Course {
    let config = memo.config(tree, problems);
    let Kernels { sources, sweeps, unread, problems: found } = memo.kernels(tree, changed);
    problems.extend(found.iter().cloned());
    let mut read = lock(&memo.lessons);
    let again = read.again(tree, changed, &config);
    problems.extend(read.shelf.problems().chain(&read.misplaced).cloned());
    let Arranged { lessons, families, by_file, face, .. } = memo.arranged(&config, &read.shelf, again);
    let unread_lessons = read.unread.clone();
    drop(read);
    let course = Course { config, lessons, families, sources, sweeps, unread, unread_lessons, face, by_file };
    let mut stamp = Stamp::default();
    stamp.same(&course.config);
    stamp.same(&course.face);
    stamp.same(&course.sweeps);
    stamp.same(&course.unread);
    stamp.same(&course.unread_lessons);
    memo.references.unless(stamp, problems, |problems| check::references(&course, problems));
    course
}

impl Memo {
    fn config(&self, tree: &SourceTree, problems: &mut Problems) -> Arc<Config> {
        let mut stamp = Stamp::default();
        stamp.equal(tree.digest(config::FILE));
        let (config, found) = self.config.again(stamp, |_| {
            let mut found = Problems::new();
            (Arc::new(config::read(tree, &mut found)), found.into_iter().collect())
        });
        problems.extend(found.iter().cloned());
        config
    }

    fn kernels(&self, tree: &SourceTree, changed: &BTreeSet<SourceName>) -> Kernels {
        let mut stamp = Stamp::default();
        stamp.equal(Some(tree.state("kernels", |_| true)));
        self.kernels.again(stamp, |before| {
            let (mut sweeps, mut sources) = (lock(&self.sweeps), lock(&self.sources));
            let parse = |name: &SourceName, text: &Arc<str>, problems: &mut Problems| Some(Source::parse(name, text, problems));
            let (around, before) = (Stamp::default(), before.unwrap_or_default());
            let names: Vec<&SourceName> = changed.iter().filter(|name| name.starts_with("kernels/")).collect();
            let is_source = |name: &&SourceName| !name.ends_with(".toml");
            let again = names.iter().all(is_source).then(|| sources.read_again(&around, &names, tree, parse)).flatten();
            let kernels = match again {
                Some(places) => Kernels { sources: Arc::new(before.sources.with(read_at(&sources, &places))), ..before },
                None => {
                    // What describes the fake device for a sweep's tests is no part of the course: nothing that is published may hang on it.
                    let files = tree.below("kernels").filter(|(name, _)| !name.ends_with(".fake.toml"));
                    let (of_sources, manifests): (Vec<_>, Vec<_>) = files.partition(|(name, _)| is_source(name));
                    sweeps.take(around.clone(), &manifests, |name, text, problems| sweep::read(name, stem(name)?, text, problems));
                    sources.take(around, &of_sources, parse);
                    before.of(&sweeps, &sources)
                }
            };
            Kernels { problems: sweeps.problems().chain(sources.problems()).cloned().collect(), ..kernels }
        })
    }

    /// The lessons of `shelf` in the order of the course; `again` says which places there alone are others than before.
    fn arranged(&self, config: &Arc<Config>, shelf: &Shelf<Lesson>, again: Option<Vec<usize>>) -> Arranged {
        let mut kept = lock(&self.arranged);
        let before = kept.take();
        let again =
            again.and_then(|places| before.as_ref()?.with(config, read_at(shelf, &places).into_iter().map(|(_, lesson)| lesson).collect()));
        let arranged = again.unwrap_or_else(|| {
            let lessons = shelf.files().iter().filter_map(|file| file.value.clone()).collect();
            Arranged::of(config, lessons, before)
        });
        kept.insert(arranged).clone()
    }
}

impl Kernels {
    /// What `sweeps` and `sources` hold; maps in which nothing changed are the very same ones.
    fn of(self, sweeps: &Shelf<Sweep>, sources: &Shelf<Source>) -> Self {
        let stems = || sweeps.files().iter().filter_map(|file| Some((stem(&file.name)?.to_owned(), file.value.clone())));
        let unread = stems().filter(|(_, sweep)| sweep.is_none()).map(|(stem, _)| stem).collect();
        let now: BTreeMap<String, Arc<Sweep>> = stems().filter_map(|(stem, sweep)| Some((stem, sweep?))).collect();
        let mut pairs = self.sweeps.iter().zip(&now);
        let same = self.sweeps.len() == now.len() && pairs.all(|(one, other)| one.0 == other.0 && Arc::ptr_eq(one.1, other.1));
        let read: Sources = sources.files().iter().filter_map(|file| file.value.clone()).collect();
        let read = read.or_parts_of(&self.sources);
        let same_sources = read.changed_since(&self.sources).is_some_and(|changed| changed.is_empty());
        Self {
            sources: if same_sources { self.sources } else { Arc::new(read) },
            sweeps: if same { self.sweeps } else { Arc::new(now) },
            unread: if *self.unread == unread { self.unread } else { Arc::new(unread) },
            problems: self.problems,
        }
    }
}

impl Lessons {
    /// Makes it what `tree` has in `lessons/`. Says which places of the shelf alone are others, if no more is.
    fn again(&mut self, tree: &SourceTree, changed: &BTreeSet<SourceName>, config: &Config) -> Option<Vec<usize>> {
        let mut around = Stamp::default();
        around.equal(Some(Checksum::of(format!("{}\n{}", config.language, config.macros.text()))));
        let read = |name: &SourceName, text: &Arc<str>, problems: &mut Problems| lesson::read(name, text, config, problems);
        let names: Vec<&SourceName> = changed.iter().filter(|name| name.starts_with("lessons/") && is_markdown(name)).collect();
        let again = names.iter().all(|name| is_lesson(name)).then(|| self.shelf.read_again(&around, &names, tree, read)).flatten();
        if again.is_some() {
            return again;
        }
        let (files, others): (Vec<_>, Vec<_>) = tree.below("lessons").partition(|(name, _)| is_lesson(name));
        self.shelf.take(around, &files, read);
        let missed = files.iter().zip(self.shelf.files()).filter(|(_, file)| file.value.is_none()).map(|(file, _)| file);
        let deep = others.iter().filter(|(name, _)| name.ends_with(".md"));
        let is_meant = |(name, file): &&(&SourceName, &SourceFile)| lesson::opens(&file.text()) || lesson::is_emptied(name, &file.text());
        let unread = missed.chain(deep).filter(is_meant).map(|(name, _)| (*name).clone()).collect();
        if *self.unread != unread {
            self.unread = Arc::new(unread);
        }
        self.misplaced = others.into_iter().filter_map(|(name, file)| misplaced(name, &file.text())).collect();
        None
    }
}

/// What the files at these `places` were read as, each with its place among the files.
fn read_at<T: Send + Sync>(shelf: &Shelf<T>, places: &[usize]) -> Vec<(usize, Arc<T>)> {
    places.iter().filter_map(|&place| Some((place, shelf.files().get(place)?.value.clone()?))).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the file `name` of `lessons/` is read as a lesson.
fn is_lesson(name: &str) -> bool {
    name.ends_with(".md") && !is_deep(name)
}

/// Whether a file is Markdown by its name, however that is written.
fn is_markdown(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    ["md", "markdown"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The name of the sweep that the file describes.
fn stem(manifest: &SourceName) -> Option<&str> {
    kernel_path(manifest)?.strip_suffix(".toml")
}

/// Whether the file lies in a folder below that of the lessons.
fn is_deep(name: &str) -> bool {
    name.matches('/').count() > 1
}

/// What is wrong with a file that looks like a lesson and stands or is called otherwise.
fn misplaced(name: &SourceName, text: &str) -> Option<Problem> {
    if !is_markdown(name) || !text.starts_with("+++") {
        return None;
    }
    let (message, hint) = if name.ends_with(".md") {
        (format!("{name} is in a folder below `lessons/`"), "lessons stand side by side in `lessons/`")
    } else {
        (format!("{name} is not read: a lesson's name ends in `.md`"), "rename the file")
    };
    Some(Problem::error("lesson-place", Span::top(name), message).hint(hint))
}
