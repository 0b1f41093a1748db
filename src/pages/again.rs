//! Turns what was made for lessons before into what is made now, wherever all that a lesson's part of the site hangs on is as it was.
//!
//! Must not know how it is made. A lesson that anything was wrong with is made anew each time: what a hint names may be elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::digest::Checksum;
use crate::base::last::Last;
use crate::base::problem::Problem;
use crate::base::row::{self, Maker, Row};
use crate::base::series::Series;
use crate::base::span::SourceName;
use crate::base::stamp::Stamp;
use crate::course::config;
use crate::course::lesson::Lesson;
use crate::tree::SourceTree;

use super::asked::{Mark, Marks};
use super::devices::DeviceView;
use super::layout::{Laid, Layout};
use super::lesson::{self, Made};
use super::navigation::{Navigation, Ways};
use super::page::World;
use super::search::{Findable, Search};
use super::template::{Templates, is_template};
use super::{Counts, Press};

/// What was made for the site before.
#[derive(Default)]
pub struct Memo {
    lessons: Row<Arc<Lesson>, Arc<Kept>, Sum>,
    templates: Mutex<Option<(Checksum, Arc<Templates>)>>,
    pub(super) ways: Last<Arc<Ways>>,
    layout: Mutex<Option<Laid>>,
    search: Mutex<Arc<Search>>,
}

struct Kept {
    /// The lesson, and the one that it translates: a translation inherits conditions and stated figures.
    lesson: Arc<Lesson>,
    original: Option<Arc<Lesson>>,
    /// The files that it looked for.
    asked: Marks<2>,
    /// What else it was made from.
    stamp: Stamp,
    /// The sweeps whose rows or runs the page may show.
    sweeps: Arc<[String]>,
    made: Arc<Made>,
}

/// What was made of the lessons of a part.
struct Sum {
    made: Arc<[Arc<Made>]>,
    findable: Arc<[Arc<Findable>]>,
    counts: Counts,
    /// What is wrong with them: such a part is looked into each time.
    problems: Vec<Problem>,
    /// The files that they looked for.
    asked: Marks<128>,
}

/// What lessons give the site.
pub(super) struct Lessons {
    /// In their order.
    pub(super) made: Series<Arc<Made>>,
    /// How they can be found.
    pub(super) findable: Series<Arc<Findable>>,
    /// What was checked.
    pub(super) counts: Counts,
    /// What is wrong.
    pub(super) problems: Vec<Problem>,
}

impl Lessons {
    fn of(parts: &row::Parts<Arc<Kept>, Sum>) -> Self {
        let sums = || parts.iter().map(|part| &part.sum);
        Self {
            made: Series::of_parts(sums().map(|sum| sum.made.clone())),
            findable: Series::of_parts(sums().map(|sum| sum.findable.clone())),
            counts: sums().fold(Counts::default(), |counts, sum| counts.plus(sum.counts)),
            problems: sums().flat_map(|sum| sum.problems.iter().cloned()).collect(),
        }
    }
}

/// What every lesson's part of the site hangs on.
#[derive(Clone, Copy)]
pub(super) struct Shared(Checksum);

impl Shared {
    /// Of what `world` holds, shown to readers on `devices`.
    pub(super) fn of(world: World<'_>, devices: &[DeviceView]) -> Self {
        let mut text = format!("{} {} {}\n", world.draft, world.facts.shared(), world.vouched.digest());
        let config = world.tree.get(config::FILE).map(|file| file.digest.to_string());
        text += &config.unwrap_or_default();
        text += &templates(world.tree, is_template).to_string();
        let course = world.course;
        let names = devices.iter().flat_map(|device| [&device.slug, &device.name]).chain(course.sweeps.keys()).chain(course.unread.iter());
        names.for_each(|name| text.extend(["\n", name]));
        Self(Checksum::of(text))
    }
}

/// The digest of what the course has in `templates/`, as far as it is `wanted`: a style sheet changes no page.
fn templates(tree: &SourceTree, wanted: fn(&str) -> bool) -> Checksum {
    let mut text = String::new();
    tree.below("templates").filter(|(name, _)| wanted(name)).for_each(|(name, file)| text += &format!("{name} {}\n", file.digest));
    Checksum::of(text)
}

impl Memo {
    /// What each of the lessons of `navigation` gives the site, and how that is laid out; the files `changed` are others than before.
    pub(super) fn lessons(
        &self,
        world: World<'_>,
        changed: &BTreeSet<SourceName>,
        templates: &Templates,
        navigation: &Navigation,
        press: Option<Press<'_>>,
    ) -> (Lessons, Arc<Layout>) {
        let shared = Shared::of(world, &navigation.devices);
        let mut around = Stamp::default();
        around.equal(Some(shared.0));
        around.same(&world.course.sweeps);
        world.facts.add_all_to(&mut around);
        world.verdicts.add_all_to(&mut around);
        let places = press.map(|_| navigation.lessons.iter().map(|lesson| &*lesson.file).zip(0..).collect()).unwrap_or_default();
        let marks = changed.iter().map(|file| Mark::of(file)).collect();
        let making = Making { world, templates, shared, changed, marks, navigation, press, places };
        let lessons = Lessons::of(&self.lessons.again(around, &navigation.lessons, &making));
        let mut laid = lock(&self.layout);
        let now = Laid::again(laid.take(), (world.tree, changed), navigation, templates, &lessons.made);
        (lessons, laid.insert(now).layout.clone())
    }

    /// The templates of `tree`, made by `make` unless they are those of before. Ones that anything was wrong with are not kept.
    pub(super) fn templates(&self, tree: &SourceTree, make: impl FnOnce() -> (Templates, bool)) -> Arc<Templates> {
        let digest = templates(tree, |_| true);
        let mut kept = lock(&self.templates);
        if let Some((_, templates)) = kept.as_ref().filter(|(known, _)| *known == digest) {
            return templates.clone();
        }
        let (templates, sound) = make();
        let templates = Arc::new(templates);
        *kept = sound.then(|| (digest, templates.clone()));
        templates
    }

    /// The index of `lessons`: that of before, if it is of the very same lessons.
    pub(super) fn search(&self, lessons: Series<Arc<Findable>>) -> Arc<Search> {
        let mut kept = lock(&self.search);
        if !kept.is_of(&lessons) {
            *kept = Arc::new(Search::new(lessons));
        }
        kept.clone()
    }
}

/// What lessons' parts of the site are made from.
struct Making<'a> {
    world: World<'a>,
    templates: &'a Templates,
    shared: Shared,
    /// The files that are others than before, and their marks.
    changed: &'a BTreeSet<SourceName>,
    marks: Vec<Mark>,
    navigation: &'a Navigation,
    /// Who takes pages that are finished, and which lesson a file is.
    press: Option<Press<'a>>,
    places: BTreeMap<&'a str, usize>,
}

impl Maker for Making<'_> {
    type Thing = Arc<Lesson>;
    type Key = SourceName;
    type Value = Arc<Kept>;
    type Sum = Sum;

    fn key<'t>(&self, lesson: &'t Arc<Lesson>) -> &'t SourceName {
        &lesson.file
    }

    fn stands(&self, sum: &Sum) -> bool {
        sum.problems.is_empty() && !self.marks.iter().any(|mark| sum.asked.may_have(*mark))
    }

    fn holds(&self, lesson: &Arc<Lesson>, kept: &Arc<Kept>, same_around: bool) -> bool {
        let asked = || self.marks.iter().any(|mark| kept.asked.may_have(*mark)) && kept.made.asked_any(self.changed);
        Arc::ptr_eq(lesson, &kept.lesson)
            && kept.made.problems.is_empty()
            && !asked()
            && same(self.world.course.original_of(lesson), kept.original.as_ref())
            && (same_around || kept.stamp == stamp(self.world, lesson, &kept.sweeps, self.shared))
    }

    fn make(&self, lesson: &Arc<Lesson>) -> Arc<Kept> {
        let mut made = lesson::make(self.world, self.templates, lesson);
        if let (Some(press), Some(&index)) = (self.press, self.places.get(&*lesson.file)) {
            made.hand_over(press, self.templates, self.navigation, index);
        }
        let made = Arc::new(made);
        let sweeps = sweeps(lesson);
        let stamp = stamp(self.world, lesson, &sweeps, self.shared);
        let asked = Marks::of(made.asked.iter().map(String::as_str));
        Arc::new(Kept { lesson: lesson.clone(), original: self.world.course.original_of(lesson).cloned(), asked, stamp, sweeps, made })
    }

    fn sum(&self, kept: &[Arc<Kept>]) -> Sum {
        // Translations, which ask for what their original claims, stand in its part.
        if self.world.tree.is_for_once() {
            kept.iter().for_each(|kept| self.let_go(&kept.lesson));
        }
        let made = || kept.iter().map(|kept| &kept.made);
        Sum {
            made: made().cloned().collect(),
            findable: made().filter_map(|made| made.findable.clone()).collect(),
            counts: made().fold(Counts::default(), |counts, made| counts.plus(made.counts)),
            problems: made().flat_map(|made| made.problems.iter().cloned()).collect(),
            asked: Marks::of(made().flat_map(|made| made.asked.iter().map(String::as_str))),
        }
    }
}

impl Making<'_> {
    /// Lets go of what `lesson` says: all that the site needs of it was made.
    fn let_go(&self, lesson: &Lesson) {
        lesson.text.let_go();
        self.world.tree.let_go(&lesson.file);
    }
}

/// What else than `lesson` and the files that it looks for its part of the site hangs on, which may show `sweeps`.
fn stamp(world: World<'_>, lesson: &Lesson, sweeps: &[String], shared: Shared) -> Stamp {
    let mut stamp = Stamp::default();
    stamp.equal(Some(shared.0));
    stamp.same_or_none(world.verdicts.of_lesson(&lesson.name));
    for sweep in sweeps {
        stamp.same_or_none(world.course.sweeps.get(sweep));
        world.facts.add_to(&mut stamp, sweep);
    }
    stamp
}

fn same(one: Option<&Arc<Lesson>>, other: Option<&Arc<Lesson>>) -> bool {
    one.map(Arc::as_ptr) == other.map(Arc::as_ptr)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sweeps that the page of `lesson` may show something of: those it stands on, and what its exhibits name.
fn sweeps(lesson: &Lesson) -> Arc<[String]> {
    let mut sweeps: Vec<String> = lesson.sweeps.iter().map(|(name, _)| name.clone()).collect();
    sweeps.extend(lesson.face.exhibits.iter().map(ToString::to_string));
    sweeps.sort_unstable();
    sweeps.dedup();
    sweeps.into()
}
