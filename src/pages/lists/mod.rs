//! Turns what the lessons of a language have in common into lists of their own: checked sentences, measurements, tags, terms.
//!
//! Must not know how a lesson's page is made. A list costs what it lists; a page leads to the lists alone.

mod glossary;
mod sentences;
mod sweeps;
mod tags;

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::Value;
use serde::Serialize;

use crate::course::lesson::Lesson;
use crate::evidence::Run;

use super::frame::{Frame, Place};
use super::lesson::Entry;
use super::navigation::{Edition, Navigation};
use super::page::{Page, World};
use super::words::Words;

use self::glossary::Term;
use self::sentences::Sentence;
pub(crate) use self::tags::TagLinks;

/// A list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// Every checked sentence with its verdict.
    Sentences,
    /// Every sweep that lessons stand on.
    Sweeps,
    /// Every tag with its lessons.
    Tags,
    /// Every term that lessons define.
    Glossary,
}

impl List {
    /// In the order of the menu.
    const ALL: [Self; 4] = [Self::Sentences, Self::Sweeps, Self::Tags, Self::Glossary];

    /// Its page's path from the folder of its language: no lesson's page lies there.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Sentences => "lists/claims.html",
            Self::Sweeps => "lists/sweeps.html",
            Self::Tags => "lists/tags.html",
            Self::Glossary => "lists/glossary.html",
        }
    }

    /// What it is called.
    pub(crate) fn title(self, words: &Words) -> &'static str {
        match self {
            Self::Sentences => words.finding.sentences,
            Self::Sweeps => words.finding.sweeps,
            Self::Tags => words.finding.tags,
            Self::Glossary => words.finding.glossary,
        }
    }

    /// Whether `lesson` puts something into it.
    fn takes(self, lesson: &Lesson) -> bool {
        match self {
            Self::Sentences => lesson.document.claims().next().is_some(),
            Self::Sweeps => !lesson.sweeps.is_empty(),
            Self::Tags => !lesson.tags.is_empty(),
            Self::Glossary => lesson.document.terms().next().is_some(),
        }
    }
}

/// The lists to which `lessons` put something.
pub(crate) fn of<'a>(lessons: impl Iterator<Item = &'a Lesson> + Clone) -> Vec<List> {
    List::ALL.into_iter().filter(|list| lessons.clone().any(|lesson| list.takes(lesson))).collect()
}

/// What a lesson puts into lists, beside what its front matter says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listed {
    /// Its checked sentences, in order.
    pub sentences: Vec<Sentence>,
    /// The terms that it defines.
    pub terms: Vec<Term>,
}

impl Listed {
    /// Of the lesson whose `page` is written.
    pub(crate) fn of(page: &Page<'_>) -> Self {
        Self { sentences: sentences::of(&page.lesson.document.nodes, page), terms: glossary::of(page) }
    }
}

/// What lists are made of.
#[derive(Clone, Copy)]
pub(crate) struct Stock<'a> {
    /// The course.
    pub world: World<'a>,
    /// The ways through it.
    pub navigation: &'a Navigation<'a>,
    /// The published lessons, as lists show them.
    pub entries: &'a [Entry],
    /// What each of them puts into lists.
    pub listed: &'a [Listed],
    /// The runs that have a page.
    pub runs: &'a BTreeMap<String, Arc<Run>>,
}

/// A page to be filled: its path, template and view.
type Filled = (String, &'static str, Value);

impl Stock<'_> {
    /// The pages of every list in the language of `edition`.
    pub(crate) fn pages(self, edition: &Edition) -> Vec<Filled> {
        let page = |list: &List| match list {
            List::Sentences => sentences::page(self, edition),
            List::Sweeps => sweeps::page(self, edition),
            List::Tags => tags::page(self, edition),
            List::Glossary => glossary::page(self, edition),
        };
        edition.lists.iter().map(page).collect()
    }

    /// The path of `list` in the language of `edition`, and the frame of its page.
    fn frame(self, edition: &Edition, list: List, about: &str) -> (String, Frame) {
        let navigation = self.navigation;
        let path = navigation.list(&edition.language, list);
        let others = navigation.editions().iter().filter(|other| other.lists.contains(&list));
        let versions = others.map(|other| (other.language.clone(), navigation.list(&other.language, list))).collect();
        let place = Place { versions, ..Place::new("list", &edition.language, &path) };
        let words = super::words::words(&edition.language);
        let mut frame = Frame::new(navigation, &place, list.title(words).to_owned());
        frame.page.description = Some(about.to_owned());
        (path, frame)
    }

    /// The lessons of `edition`, each as lists show it, with its place among all lessons.
    fn lessons<'b>(&'b self, edition: &'b Edition) -> impl Iterator<Item = (usize, &'b Entry)> {
        edition.lessons.iter().filter_map(|&index| Some((index, self.entries.get(index)?)))
    }
}

/// A lesson in a list.
#[derive(Debug, Clone, Serialize)]
struct LessonLink {
    href: String,
    /// Its title as HTML that may stand in a link.
    title_html: String,
}

impl LessonLink {
    /// The way to `entry` from a page that stands `root` away from the site's root.
    fn new(entry: &Entry, root: &str) -> Self {
        Self { href: format!("{root}{}", entry.path), title_html: entry.title_html.clone() }
    }
}
