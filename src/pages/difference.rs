//! Turns two states of a site into which of its files may differ, without making any of them.
//!
//! Must not know how a page looks. It may take a file for changed that isn't, and never the other way round.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::lesson::Made;
use super::links::source_path;
use super::machines::moved_path;
use super::recipe::{PageOf, Recipe};
use super::stock::Stock;

/// What differs between two states of a site.
pub(super) struct Difference<'a> {
    now: &'a Stock,
    before: &'a Stock,
    /// What every page shows: templates, configuration, titles and addresses of lessons.
    frames: bool,
    /// What any lesson gives to other pages.
    lessons: bool,
    /// Sweeps, and what is known of them.
    sweeps: bool,
}

impl<'a> Difference<'a> {
    /// Between `before` and `now`.
    pub(super) fn between(now: &'a Stock, before: &'a Stock) -> Self {
        let (sweeps, known) = (&now.course.sweeps, &before.course.sweeps);
        let mut pairs = sweeps.values().zip(known.values());
        let same_sweeps = Arc::ptr_eq(sweeps, known) || sweeps.len() == known.len() && pairs.all(|(a, b)| Arc::ptr_eq(a, b));
        Self {
            now,
            before,
            frames: now.navigation.outline() != before.navigation.outline() || !now.templates.fill_alike(&before.templates),
            lessons: !now.lessons.is_as(&before.lessons),
            sweeps: !same_sweeps || !(Arc::ptr_eq(&now.facts, &before.facts) || now.facts.is_as(&before.facts)),
        }
    }

    /// The paths of all files that may differ, if the two sites have the same files and little in them is another; `None` where a look
    /// at each is due.
    pub(super) fn in_place(&self) -> Option<BTreeSet<String>> {
        let Self { now, before, frames: false, lessons, sweeps: false } = self else { return None };
        let sources = now.course.sources.changed_since(&before.course.sources)?;
        let mut paths: BTreeSet<String> = sources.into_iter().map(|source| source_path(source)).collect();
        for (index, made, then) in now.lessons.changed_since(&before.lessons)? {
            paths.insert(made.entry.path.clone());
            if named(made) != named(then) {
                let shown = made.sources.iter().filter_map(|path| now.course.sources.get(path));
                paths.extend(shown.map(|source| source_path(source)));
            }
            let (lesson, language) = (&now.navigation.lessons[index], &now.course.config.language);
            paths.extend(lesson.aliases.iter().map(|(alias, _)| moved_path(lesson, alias, language)));
        }
        if *lessons {
            paths.extend(now.about_all.iter().cloned());
        }
        Some(paths)
    }

    /// Whether a file that was made by `then` and is made by `now` stays as it was.
    pub(super) fn leaves(&self, now: &Recipe, then: &Recipe) -> bool {
        match (now, then) {
            (Recipe::Text(now), Recipe::Text(then)) => Arc::ptr_eq(now, then) || now == then,
            (Recipe::Input(now), Recipe::Input(then)) => now == then,
            (Recipe::Bytes(now), Recipe::Bytes(then)) => Arc::ptr_eq(now, then) || now == then,
            (Recipe::Rows(now), Recipe::Rows(then)) => Arc::ptr_eq(now, then) && !self.sweeps,
            (Recipe::Page(now), Recipe::Page(then)) => !self.frames && self.leaves_page(now, then),
            _ => false,
        }
    }

    /// Whether the same lines of the source at `path` are linked to, and whether it is shown in the same lessons, called the same: a title
    /// may hold figures.
    fn leaves_who_shows(&self, path: &str) -> bool {
        fn who<'s>(stock: &'s Stock, path: &str) -> impl Iterator<Item = (&'s str, &'s str, &'s str)> {
            let lessons = stock.shown_in.get(path).into_iter().flatten().filter_map(|&index| stock.lessons.get(index));
            lessons.map(|made| named(made))
        }
        if self.now.linked.get(path) != self.before.linked.get(path) {
            return false;
        }
        !self.lessons && Arc::ptr_eq(&self.now.shown_in, &self.before.shown_in) || who(self.now, path).eq(who(self.before, path))
    }

    fn leaves_page(&self, now: &PageOf, then: &PageOf) -> bool {
        match (now, then) {
            (PageOf::Lesson(now), PageOf::Lesson(then)) => match (self.now.lessons.get(*now), self.before.lessons.get(*then)) {
                (Some(now), Some(then)) => Arc::ptr_eq(now, then),
                _ => false,
            },
            (PageOf::Source(now), PageOf::Source(then)) => match (self.now.course.sources.at(*now), self.before.course.sources.at(*then)) {
                (Some(now), Some(then)) => Arc::ptr_eq(now, then) && self.leaves_who_shows(&now.path) && !self.sweeps,
                _ => false,
            },
            (PageOf::Transcript(now, signed), PageOf::Transcript(then, was)) => Arc::ptr_eq(now, then) && signed == was && !self.sweeps,
            (PageOf::Lost, PageOf::Lost) => true,
            (PageOf::List(..), PageOf::List(..)) | (PageOf::Index(_), PageOf::Index(_)) => !self.lessons && !self.sweeps,
            (PageOf::Feed(_), PageOf::Feed(_)) | (PageOf::Moved(..), PageOf::Moved(..)) | (PageOf::Map(_), PageOf::Map(_)) => !self.lessons,
            _ => false,
        }
    }
}

/// How a page of a source names a lesson that shows it.
fn named(made: &Made) -> (&str, &str, &str) {
    (&made.entry.path, &made.entry.title, &made.entry.language)
}
