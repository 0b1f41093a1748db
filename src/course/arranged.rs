//! Turns the lessons of a course, as their files were read, into the order of the course.
//!
//! Must not know files beyond their names. A lesson whose text alone is another takes the place of the one before; nothing else moves.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::series::Series;
use crate::base::span::SourceName;

use super::config::Config;
use super::lesson::Lesson;

/// A lesson with its translations, which stand side by side.
pub type Family = Arc<[Arc<Lesson>]>;

/// The lessons in the order of the course.
#[derive(Debug, Clone)]
pub(super) struct Arranged {
    config: Arc<Config>,
    /// In the order of the course.
    pub(super) lessons: Series<Arc<Lesson>>,
    /// The same, part by part.
    pub(super) families: Series<Family>,
    /// Which of the lessons a file is.
    pub(super) by_file: Arc<BTreeMap<SourceName, usize>>,
    /// See [`super::Course::face`].
    pub(super) face: Arc<()>,
}

impl Arranged {
    /// Of `lessons`, in the order of their files: as outlined, then by `order`, then by name; a lesson before its translations. The
    /// parts of `before` in which nothing is another are the very same ones.
    pub(super) fn of(config: &Arc<Config>, lessons: Vec<Arc<Lesson>>, before: Option<Self>) -> Self {
        let order = order(config, &lessons);
        let by_file: BTreeMap<SourceName, usize> =
            order.iter().enumerate().map(|(place, &index)| (lessons[index].file.clone(), place)).collect();
        let in_order = order.iter().map(|&index| lessons[index].clone());
        let lessons = Series::cut(in_order, |one, other| one.name != other.name);
        let Some(before) = before else {
            let families = lessons.each_part(None, families);
            return Self { config: config.clone(), lessons, families, by_file: Arc::new(by_file), face: Arc::default() };
        };
        let lessons = lessons.or_parts_of(&before.lessons, Arc::ptr_eq);
        let families = lessons.each_part(Some((&before.lessons, &before.families)), families);
        let shows_the_same = Arc::ptr_eq(config, &before.config)
            && lessons
                .changed_since(&before.lessons)
                .is_some_and(|mut changed| changed.all(|(_, now, then)| now.shows_others_the_same(then)));
        let (by_file, face) = if shows_the_same { (before.by_file, before.face) } else { (Arc::new(by_file), Arc::default()) };
        Self { config: config.clone(), lessons, families, by_file, face }
    }

    /// The same with `changed` lessons in the places of those of their files; `None` where that moves more than their texts.
    pub(super) fn with(&self, config: &Arc<Config>, changed: Vec<Arc<Lesson>>) -> Option<Self> {
        if !Arc::ptr_eq(&self.config, config) {
            return None;
        }
        let in_place = |lesson: Arc<Lesson>| {
            let place = *self.by_file.get(&lesson.file)?;
            self.lessons.get(place)?.shows_others_the_same(&lesson).then_some((place, lesson))
        };
        let lessons = self.lessons.with(changed.into_iter().map(in_place).collect::<Option<Vec<_>>>()?);
        let families = lessons.each_part(Some((&self.lessons, &self.families)), families);
        Some(Self { lessons, families, ..self.clone() })
    }
}

/// The families of the lessons of a part; none goes beyond it.
fn families(part: &[Arc<Lesson>]) -> Vec<Family> {
    part.chunk_by(|one, other| one.name == other.name).map(Family::from).collect()
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
        let Self { file, name, language, translation, date, updated, order, tags, aliases, draft, sweeps, face, .. } = self;
        (file, name, language, translation) == (&other.file, &other.name, &other.language, &other.translation)
            && (date, updated, order, draft) == (&other.date, &other.updated, &other.order, &other.draft)
            && (tags, aliases, sweeps) == (&other.tags, &other.aliases, &other.sweeps)
            && self.plain_title() == other.plain_title()
            && (face.torn, &face.regions) == (other.face.torn, &other.face.regions)
            && (&face.claims, &face.terms) == (&other.face.claims, &other.face.terms)
    }
}
