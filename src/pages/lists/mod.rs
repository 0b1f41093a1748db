//! Turns what the lessons of a language have in common into lists of their own: checked sentences, measurements, tags, terms.
//!
//! Must not know how a lesson's page is made. A list costs what it lists; a page leads to the lists alone.

mod glossary;
mod sentences;
mod sweeps;
mod tags;

use minijinja::Value;
use serde::Serialize;

use crate::course::document::Document;
use crate::course::lesson::Lesson;

use super::frame::{Frame, Place};
use super::lesson::Entry;
use super::navigation::Edition;
use super::page::Page;
use super::stock::Stock;
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
            Self::Sentences => !lesson.face.claims.is_empty(),
            Self::Sweeps => !lesson.sweeps.is_empty(),
            Self::Tags => !lesson.tags.is_empty(),
            Self::Glossary => !lesson.face.terms.is_empty(),
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
    /// Of the lesson of which this is the document, and whose `page` is written.
    pub(crate) fn of(document: &Document, page: &Page<'_>) -> Self {
        Self { sentences: sentences::of(&document.nodes, page), terms: glossary::of(document, page) }
    }
}

/// The template of `list`, and the view of its page in the language of `edition`.
pub(crate) fn page(stock: &Stock, edition: &Edition, list: List) -> (&'static str, Value) {
    match list {
        List::Sentences => ("claims.html", sentences::page(stock, edition)),
        List::Sweeps => ("sweeps.html", sweeps::page(stock, edition)),
        List::Tags => ("tags.html", tags::page(stock, edition)),
        List::Glossary => ("glossary.html", glossary::page(stock, edition)),
    }
}

/// The frame of the page of `list` in the language of `edition`.
fn frame(stock: &Stock, edition: &Edition, list: List, about: &str) -> Frame {
    let navigation = &stock.navigation;
    let path = navigation.list(&edition.language, list);
    let others = navigation.editions().iter().filter(|other| other.lists.contains(&list));
    let versions = others.map(|other| (other.language.clone(), navigation.list(&other.language, list))).collect();
    let place = Place { versions, ..Place::new("list", &edition.language, &path) };
    let words = super::words::words(&edition.language);
    let mut frame = Frame::new(navigation, &place, list.title(words).to_owned());
    frame.page.description = Some(about.to_owned());
    frame
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
