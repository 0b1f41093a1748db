//! Turns what was made for lessons before into what is made now, wherever all that a lesson's part of the site hangs on is as it was.
//!
//! Must not know how it is made. A lesson that anything was wrong with is made anew each time: what a hint names may be elsewhere.

use std::sync::{Arc, Mutex, PoisonError};

use crate::base::digest::Digest;
use crate::base::memo;
use crate::base::span::SourceName;
use crate::base::stamp::Stamp;
use crate::course::config;
use crate::course::document::Node;
use crate::course::lesson::Lesson;
use crate::tree::SourceTree;

use super::devices::DeviceView;
use super::lesson::{self, Made};
use super::page::World;
use super::search::Search;
use super::template::{Templates, is_template};

/// What was made for the site before.
#[derive(Default)]
pub struct Memo {
    lessons: memo::Memo<SourceName, Kept>,
    templates: Mutex<Option<(Digest, Arc<Templates>)>>,
    search: Mutex<Arc<Search>>,
}

#[derive(Clone)]
struct Kept {
    stamp: Stamp,
    /// The sweeps whose rows or runs the page may show.
    sweeps: Arc<[String]>,
    made: Arc<Made>,
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
        let names = devices.iter().flat_map(|device| [&device.slug, &device.name]).chain(course.sweeps.keys()).chain(&course.unread);
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
    /// What `lesson` gives the site.
    pub(super) fn lesson(&self, world: World<'_>, templates: &Templates, lesson: &Arc<Lesson>, shared: Shared) -> Arc<Made> {
        if let Some(kept) = self.lessons.get(&lesson.file)
            && kept.stamp == stamp(world, lesson, &kept.sweeps, &kept.made, shared)
        {
            return kept.made;
        }
        let made = Arc::new(lesson::make(world, templates, lesson));
        if made.problems.is_empty() {
            let sweeps = sweeps(lesson);
            let stamp = stamp(world, lesson, &sweeps, &made, shared);
            self.lessons.put(lesson.file.clone(), Kept { stamp, sweeps, made: made.clone() });
        }
        made
    }

    /// Drops what belongs to lessons that are no longer there.
    pub(super) fn forget_unused(&self) {
        self.lessons.forget_unused();
    }

    /// The templates of `tree`, made by `make` unless they are those of before. Ones that anything was wrong with are not kept.
    pub(super) fn templates(&self, tree: &SourceTree, make: impl FnOnce() -> (Templates, bool)) -> Arc<Templates> {
        let digest = templates(tree, |_| true);
        let mut kept = self.templates.lock().unwrap_or_else(PoisonError::into_inner);
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
        let mut kept = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.is_of(lessons.iter().map(|made| &made.findable)) {
            *kept = Arc::new(Search::new(lessons.iter().map(|made| made.findable.clone()).collect()));
        }
        kept.clone()
    }
}

/// What `made` hangs on, which was made for `lesson` and may show `sweeps`.
fn stamp(world: World<'_>, lesson: &Arc<Lesson>, sweeps: &[String], made: &Made, shared: Shared) -> Stamp {
    let mut stamp = Stamp::default();
    stamp.equal(Some(shared.0));
    stamp.same(lesson);
    // A translation inherits conditions and stated figures.
    stamp.same_or_none(world.course.original_of(lesson));
    stamp.same_or_none(world.verdicts.of_lesson(&lesson.name));
    for sweep in sweeps {
        stamp.same_or_none(world.course.sweeps.get(sweep));
        world.facts.add_to(&mut stamp, sweep);
    }
    made.asked.iter().for_each(|file| stamp.equal(world.tree.digest(file)));
    stamp
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
