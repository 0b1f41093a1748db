//! Turns what was made for lessons before into what is made now, wherever all that a lesson's part of the site hangs on is as it was.
//!
//! Must not know how it is made. A lesson that anything was wrong with is made anew each time: what a hint names may be elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::digest::Digest;
use crate::base::last::Last;
use crate::base::row::Row;
use crate::base::span::SourceName;
use crate::base::stamp::Stamp;
use crate::course::config;
use crate::course::document::Node;
use crate::course::lesson::Lesson;
use crate::tree::SourceTree;
use crate::tree::snapshot::Snapshot;

use super::devices::DeviceView;
use super::layout::Layout;
use super::lesson::{self, Made};
use super::navigation::{Navigation, Ways};

use super::Press;
use super::page::World;
use super::search::Search;
use super::template::{Templates, is_template};

/// What was made for the site before.
#[derive(Default)]
pub struct Memo {
    lessons: Row<SourceName, Kept>,
    /// The files of the course then.
    files: Mutex<Snapshot>,
    templates: Mutex<Option<(Digest, Arc<Templates>)>>,
    pub(super) ways: Last<Arc<Ways>>,
    layout: Mutex<Option<Arc<Layout>>>,
    search: Mutex<Arc<Search>>,
}

struct Kept {
    /// The lesson, and the one that it translates: a translation inherits conditions and stated figures.
    lesson: Arc<Lesson>,
    original: Option<Arc<Lesson>>,
    /// Whether nothing is wrong with it.
    is_sound: bool,
    /// The files that it looked for.
    asked: Asked,
    /// What else it was made from.
    stamp: Stamp,
    /// The sweeps whose rows or runs the page may show.
    sweeps: Arc<[String]>,
    made: Arc<Made>,
}

/// The marks of the files that a lesson's part of the site looked for. After an edit each lesson is asked whether it looked for what
/// changed: of all but a few in a hundred of those that did not, the marks say so without a look at any name.
struct Asked(u128);

impl Asked {
    fn of(made: &Made) -> Self {
        Self(made.asked.iter().fold(0, |marks, file| marks | mark(file)))
    }

    /// Whether `made`, which these marks are of, looked for any of `files`, which have these `marks`.
    fn has_any(&self, files: &BTreeSet<SourceName>, marks: &[u128], made: &Made) -> bool {
        marks.iter().any(|mark| self.0 & mark == *mark) && made.asked.iter().any(|asked| files.contains(&**asked))
    }
}

/// Two bits that the letters of a name choose, by FNV-1a.
fn mark(name: &str) -> u128 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    1 << (hash >> 57) | 1 << ((hash >> 50) & 127)
}

/// What every lesson's part of the site hangs on.
#[derive(Clone, Copy)]
pub(super) struct Shared(Digest);

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
        Self(Digest::of(text))
    }
}

/// The digest of what the course has in `templates/`, as far as it is `wanted`: a style sheet changes no page.
fn templates(tree: &SourceTree, wanted: fn(&str) -> bool) -> Digest {
    let mut text = String::new();
    tree.below("templates").filter(|(name, _)| wanted(name)).for_each(|(name, file)| text += &format!("{name} {}\n", file.digest));
    Digest::of(text)
}

impl Memo {
    /// What each of `published` gives the site, and how that is laid out.
    pub(super) fn lessons(
        &self,
        world: World<'_>,
        templates: &Templates,
        navigation: &Navigation,
        press: Option<Press<'_>>,
    ) -> (Vec<Arc<Made>>, Arc<Layout>) {
        let shared = Shared::of(world, &navigation.devices);
        let mut around = Stamp::default();
        around.equal(Some(shared.0));
        around.same(&world.course.sweeps);
        world.facts.add_all_to(&mut around);
        world.verdicts.add_all_to(&mut around);
        let changed = lock(&self.files).follow(world.tree);
        let marks: Vec<u128> = changed.iter().map(|file| mark(file)).collect();
        let holds = |lesson: &Arc<Lesson>, kept: &Kept, same_around| {
            Arc::ptr_eq(lesson, &kept.lesson)
                && kept.is_sound
                && !kept.asked.has_any(&changed, &marks, &kept.made)
                && same(world.course.original_of(lesson), kept.original.as_ref())
                && (same_around || kept.stamp == stamp(world, lesson, &kept.sweeps, shared))
        };
        let places: BTreeMap<&str, usize> = match press {
            Some(_) => navigation.lessons.iter().map(|lesson| &*lesson.file).zip(0..).collect(),
            None => BTreeMap::new(),
        };
        let make = |lesson: &Arc<Lesson>| {
            let mut made = lesson::make(world, templates, lesson);
            if let (Some(press), Some(&index)) = (press, places.get(&*lesson.file)) {
                made.hand_over(press, templates, navigation, index);
            }
            let made = Arc::new(made);
            let sweeps = sweeps(lesson);
            let stamp = stamp(world, lesson, &sweeps, shared);
            let (original, asked) = (world.course.original_of(lesson).cloned(), Asked::of(&made));
            Kept { lesson: lesson.clone(), original, is_sound: made.problems.is_empty(), asked, stamp, sweeps, made }
        };
        let kept = self.lessons.again(around, &navigation.lessons, |lesson| &lesson.file, holds, make);
        let lessons: Vec<Arc<Made>> = kept.iter().map(|kept| kept.made.clone()).collect();
        let mut layout = lock(&self.layout);
        let now = Layout::again(layout.take(), (world.tree, &changed), navigation, templates, &lessons);
        (lessons, layout.insert(now).clone())
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
    pub(super) fn search(&self, lessons: &[Arc<Made>]) -> Arc<Search> {
        let mut kept = lock(&self.search);
        let findable = || lessons.iter().filter_map(|made| made.findable.as_ref());
        if !kept.is_of(findable()) {
            *kept = Arc::new(Search::new(findable().cloned().collect()));
        }
        kept.clone()
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
    named(&lesson.document.nodes, &mut sweeps);
    sweeps.sort_unstable();
    sweeps.dedup();
    sweeps.into()
}

fn named(nodes: &[Node], sweeps: &mut Vec<String>) {
    for node in nodes {
        match node {
            Node::Exhibit(marker) if marker.kind != "snippet" => sweeps.push(marker.target.text().to_owned()),
            Node::Claim(claim) => {
                named(&claim.sentence, sweeps);
                named(claim.otherwise.as_ref().map_or(&[], |otherwise| &otherwise.sentence), sweeps);
            }
            _ => {}
        }
    }
}
