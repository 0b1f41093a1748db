//! Turns the files of a course into what the author wrote, and reads only those that changed since the time before.
//!
//! Must not know what is in a file. What was wrong with one that is as it was is said again each time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::digest::Digest;
use crate::base::last::{Clean, Last};
use crate::base::problem::{Problem, Problems};
use crate::base::row::Row;
use crate::base::span::{SourceName, Span};
use crate::base::stamp::Stamp;
use crate::tree::{SourceFile, SourceTree};

use super::config::{self, Config};
use super::document::Document;
use super::lesson::{self, Lesson};
use super::source::Source;
use super::sweep::{self, Sweep};
use super::{Course, check, kernel_path};

/// What the files were read as before.
#[derive(Debug, Default)]
pub struct Memo {
    config: Last<(Arc<Config>, Arc<[Problem]>)>,
    kernels: Last<Kernels>,
    sweeps: Row<SourceName, Read<Sweep>>,
    sources: Row<SourceName, Read<Source>>,
    lessons: Row<SourceName, Read<Lesson>>,
    arranged: Mutex<Option<Arranged>>,
    /// Whether what lessons name is there.
    references: Clean,
}

/// What a file was read as, if it could be, and what is wrong with it.
#[derive(Debug)]
struct Read<T> {
    digest: Digest,
    value: Option<Arc<T>>,
    problems: Vec<Problem>,
}

/// What is in `kernels/`; maps in which nothing changed are the very same ones.
#[derive(Debug, Clone, Default)]
struct Kernels {
    sources: Arc<BTreeMap<String, Arc<Source>>>,
    sweeps: Arc<BTreeMap<String, Arc<Sweep>>>,
    unread: Arc<BTreeSet<String>>,
    problems: Arc<[Problem]>,
}

/// The lessons in the order of the course.
#[derive(Debug, Clone)]
struct Arranged {
    config: Arc<Config>,
    /// The lessons in the order of their files.
    by_name: Arc<[Arc<Lesson>]>,
    /// Each lesson of the course by its place among those.
    order: Arc<[usize]>,
    by_file: Arc<BTreeMap<SourceName, usize>>,
    /// See [`Course::face`].
    face: Arc<()>,
}

/// Reads the course that `tree` holds; files that are as they were when `memo` saw them are not read again.
pub(super) fn read(tree: &SourceTree, memo: &Memo, problems: &mut Problems) -> Course {
    let config = memo.config(tree, problems);
    let Kernels { sources, sweeps, unread, problems: found } = memo.kernels(tree);
    problems.extend(found.iter().cloned());
    let (by_name, unread_lessons) = memo.lessons(tree, &config, problems);
    let Arranged { by_name, order, by_file, face, .. } = memo.arranged(&config, by_name);
    let lessons = order.iter().filter_map(|&index| by_name.get(index).cloned()).collect();
    let course = Course { config, lessons, sources, sweeps, unread, unread_lessons, face, by_file };
    let mut stamp = Stamp::default();
    stamp.same(&course.config);
    stamp.same(&course.face);
    stamp.same(&course.sweeps);
    stamp.same(&course.unread);
    let unread: String = course.unread_lessons.iter().map(|name| format!("{name}\n")).collect();
    stamp.equal(Some(Digest::of(unread)));
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

    fn kernels(&self, tree: &SourceTree) -> Kernels {
        let mut stamp = Stamp::default();
        stamp.equal(Some(tree.state("kernels", |_| true)));
        self.kernels.again(stamp, |before| {
            let (before, mut problems) = (before.unwrap_or_default(), Problems::new());
            // What describes the fake device for a sweep's tests is no part of the course: nothing that is published may hang on it.
            let files = tree.below("kernels").filter(|(name, _)| !name.ends_with(".fake.toml"));
            let (manifests, sources): (Vec<_>, Vec<_>) = files.partition(|(name, _)| name.ends_with(".toml"));
            let read = |name: &SourceName, text: &Arc<str>, problems: &mut Problems| sweep::read(name, stem(name)?, text, problems);
            let read = files_again(&self.sweeps, Stamp::default(), &manifests, read, &mut problems);
            let stems = || manifests.iter().filter_map(|(name, _)| stem(name));
            let unread = stems().zip(&read).filter(|(_, sweep)| sweep.is_none()).map(|(stem, _)| stem.to_owned()).collect();
            let sweeps = stems().zip(read).filter_map(|(stem, sweep)| Some((stem.to_owned(), sweep?))).collect();
            let read = |name: &SourceName, text: &Arc<str>, problems: &mut Problems| Some(Source::parse(name, text, problems));
            let read = files_again(&self.sources, Stamp::default(), &sources, read, &mut problems);
            let sources =
                sources.iter().zip(read).filter_map(|((name, _), source)| Some((kernel_path(name)?.to_owned(), source?))).collect();
            Kernels {
                sources: settled(&before.sources, sources),
                sweeps: settled(&before.sweeps, sweeps),
                unread: if *before.unread == unread { before.unread } else { Arc::new(unread) },
                problems: problems.into_iter().collect(),
            }
        })
    }

    /// The lessons in the order of their files, and those files that were meant to be lessons and could not be read.
    fn lessons(&self, tree: &SourceTree, config: &Config, problems: &mut Problems) -> (Vec<Arc<Lesson>>, BTreeSet<SourceName>) {
        let mut around = Stamp::default();
        around.equal(Some(Digest::of(format!("{}\n{}", config.language, config.macros.text()))));
        let (files, others): (Vec<_>, Vec<_>) = tree.below("lessons").partition(|(name, _)| name.ends_with(".md") && !is_deep(name));
        let read = |name: &SourceName, text: &Arc<str>, problems: &mut Problems| lesson::read(name, text, config, problems);
        let read = files_again(&self.lessons, around, &files, read, problems);
        let missed = files.iter().zip(&read).filter(|(_, lesson)| lesson.is_none()).map(|(file, _)| file);
        let deep = others.iter().filter(|(name, _)| name.ends_with(".md"));
        let is_meant = |(name, file): &&(&SourceName, &SourceFile)| lesson::opens(&file.text) || lesson::is_emptied(name, &file.text);
        let unread = missed.chain(deep).filter(is_meant).map(|(name, _)| (*name).clone()).collect();
        problems.extend(others.into_iter().filter_map(|(name, file)| misplaced(name, &file.text)));
        (read.into_iter().flatten().collect(), unread)
    }

    /// The order of `by_name`: as outlined, then by `order`, then by name; a lesson before its translations.
    fn arranged(&self, config: &Arc<Config>, by_name: Vec<Arc<Lesson>>) -> Arranged {
        let mut kept = self.arranged.lock().unwrap_or_else(PoisonError::into_inner);
        let alike = |known: &Arranged| {
            let mut pairs = known.by_name.iter().zip(&by_name);
            Arc::ptr_eq(&known.config, config)
                && known.by_name.len() == by_name.len()
                && pairs.all(|(one, other)| Arc::ptr_eq(one, other) || one.shows_others_the_same(other))
        };
        let arranged = match kept.take() {
            Some(known) if alike(&known) => Arranged { by_name: by_name.into(), ..known },
            _ => {
                let order = order(config, &by_name);
                let files = order.iter().enumerate().map(|(place, &index)| (by_name[index].file.clone(), place)).collect();
                Arranged {
                    config: config.clone(),
                    by_name: by_name.into(),
                    order: order.into(),
                    by_file: Arc::new(files),
                    face: Arc::default(),
                }
            }
        };
        kept.insert(arranged).clone()
    }
}

/// What each of `files`, in their order, is read as: by `read`, unless it is as it was.
fn files_again<T: Send + Sync>(
    row: &Row<SourceName, Read<T>>,
    around: Stamp,
    files: &[(&SourceName, &SourceFile)],
    read: impl Fn(&SourceName, &Arc<str>, &mut Problems) -> Option<T> + Sync,
    problems: &mut Problems,
) -> Vec<Option<Arc<T>>> {
    let holds = |(_, file): &(&SourceName, &SourceFile), known: &Read<T>, same_around| same_around && known.digest == file.digest;
    let make = |(name, file): &(&SourceName, &SourceFile)| {
        let mut problems = Problems::new();
        let value = read(name, &file.text, &mut problems).map(Arc::new);
        Read { digest: file.digest, value, problems: problems.into_iter().collect() }
    };
    let values = row.again(around, files, |(name, _)| name, holds, make);
    problems.extend(values.iter().flat_map(|read| &read.problems).cloned());
    values.iter().map(|read| read.value.clone()).collect()
}

/// `now`, or the very map of `before` where both hold the very same values.
fn settled<T>(before: &Arc<BTreeMap<String, Arc<T>>>, now: BTreeMap<String, Arc<T>>) -> Arc<BTreeMap<String, Arc<T>>> {
    let same = before.len() == now.len() && before.iter().zip(&now).all(|(one, other)| one.0 == other.0 && Arc::ptr_eq(one.1, other.1));
    if same { before.clone() } else { Arc::new(now) }
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
    let ending = name.rsplit('.').next().unwrap_or_default();
    if !["md", "markdown"].iter().any(|known| ending.eq_ignore_ascii_case(known)) || !text.starts_with("+++") {
        return None;
    }
    let (message, hint) = if name.ends_with(".md") {
        (format!("{name} is in a folder below `lessons/`"), "lessons stand side by side in `lessons/`")
    } else {
        (format!("{name} is not read: a lesson's name ends in `.md`"), "rename the file")
    };
    Some(Problem::error("lesson-place", Span::top(name), message).hint(hint))
}

/// The places of `lessons` in the order of the course.
fn order(config: &Config, lessons: &[Arc<Lesson>]) -> Vec<usize> {
    let originals = lessons.iter().filter(|lesson| !lesson.translation);
    let own: BTreeMap<&str, i64> = originals.filter_map(|lesson| Some((&*lesson.name, lesson.order?))).collect();
    let mut order: Vec<usize> = (0..lessons.len()).collect();
    order.sort_by_cached_key(|&index| {
        let Lesson { name, translation, language, .. } = &*lessons[index];
        let outlined = config.outline.place(name).unwrap_or(usize::MAX);
        (outlined, own.get(&**name).copied().unwrap_or(i64::MAX), name, *translation, language)
    });
    order
}

impl Lesson {
    /// Whether all that other lessons, lists, and the checks between files see of it is as in `other`: anything but what its text says.
    fn shows_others_the_same(&self, other: &Self) -> bool {
        let Self { file, name, language, translation, date, updated, order, tags, aliases, draft, sweeps, document, .. } = self;
        let claims = |document: &Document| -> Vec<String> { document.claims().map(|claim| claim.name.clone()).collect() };
        let terms = |document: &Document| -> Vec<String> { document.terms().map(|(term, _)| term.anchor()).collect() };
        (file, name, language, translation) == (&other.file, &other.name, &other.language, &other.translation)
            && (date, updated, order, draft) == (&other.date, &other.updated, &other.order, &other.draft)
            && (tags, aliases, sweeps) == (&other.tags, &other.aliases, &other.sweeps)
            && self.plain_title() == other.plain_title()
            && (document.torn, &document.regions) == (other.document.torn, &other.document.regions)
            && (claims(document), terms(document)) == (claims(&other.document), terms(&other.document))
    }
}
