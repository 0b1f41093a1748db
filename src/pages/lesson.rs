//! Turns a lesson into the view of its page.
//!
//! Must not know templates beyond their names.

use std::sync::Arc;

use serde::Serialize;

use crate::base::problem::Problems;
use crate::course::Course;
use crate::course::document::Node;
use crate::course::lesson::Lesson;
use crate::course::stated::Stated;
use crate::evidence::Run;

use super::Counts;
use super::block::{Block, from_view};
use super::frame::{Frame, LinkView};
use super::html::{figures_plain, plain};
use super::links::lesson_path;
use super::page::{Page, World};
use super::problems;
use super::provenance::Provenance;
use super::text;

/// A lesson's page, made.
pub(crate) struct Made {
    /// Its path on the site.
    pub path: String,
    /// What fills `lesson.html`.
    pub view: minijinja::Value,
    /// How the list of lessons shows it.
    pub entry: Entry,
    /// What was checked.
    pub counts: Counts,
    /// What is wrong.
    pub problems: Problems,
    /// The runs it stands on.
    pub runs: Vec<Arc<Run>>,
    /// The sources it shows.
    pub sources: Vec<String>,
}

/// A lesson in a list.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Entry {
    /// The way from the site's root.
    pub path: String,
    /// Its language.
    pub language: String,
    /// Its title, without markup.
    pub title: String,
    /// Its title as HTML that may stand in a link.
    pub title_html: String,
    /// Its summary as HTML.
    pub summary_html: Option<String>,
    /// Its date.
    pub date: Option<String>,
    /// Devices and dates of its runs, in words.
    pub measured: Vec<String>,
    /// Whether it is a draft.
    pub draft: bool,
}

#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    frame: Frame,
    lesson: LessonView,
    blocks: Vec<Block>,
}

#[derive(Serialize)]
struct LessonView {
    date: Option<String>,
    summary_html: Option<String>,
    languages: Vec<LinkView>,
    contents: Vec<HeadingView>,
    previous: Option<LinkView>,
    next: Option<LinkView>,
    runs: Vec<Provenance>,
    stated: Vec<StatedView>,
}

/// A figure that the page states, and who says so.
#[derive(Serialize)]
struct StatedView {
    figure: String,
    of: Option<String>,
    source: String,
}

#[derive(Serialize)]
struct HeadingView {
    level: u8,
    id: String,
    html: String,
}

/// Fewer headings than these need no table of contents.
const LEAST_HEADINGS: usize = 3;

/// Makes the page of the lesson at `index` of `lessons`, those to be published.
pub(crate) fn make(world: World<'_>, lessons: &[&Arc<Lesson>], index: usize) -> Option<Made> {
    let lesson = lessons.get(index)?;
    let mut page = Page::new(world, lesson);
    page.counts.pages += 1;
    let title_html = text::inline(&lesson.title, &mut page);
    let summary_html = lesson.summary.as_ref().map(|summary| text::inline(summary, &mut page));
    let blocks = text::blocks(&lesson.document.nodes, &mut page);
    check_headings(&mut page);
    let contents = contents(lesson, &mut page);
    let sources = page.provenances();
    let title = figures_plain(&title_html);
    let description = summary_html.as_deref().map(figures_plain);
    let entry = Entry {
        path: lesson_path(lesson, &world.course.config.language),
        language: lesson.language.clone(),
        title: plain(&title),
        title_html: title.clone(),
        summary_html: description.clone(),
        date: lesson.date.clone(),
        measured: sources.iter().map(|source| source.measured.clone()).collect(),
        draft: lesson.draft,
    };
    let mut frame = Frame::new(world.course, &lesson.language, page.root, plain(&title));
    frame.page.title_html = title_html;
    frame.page.description = description.as_deref().map(plain);
    frame.page.draft = lesson.draft;
    let (previous, next) = neighbours(world.course, lessons, index, page.root);
    let languages = languages(lessons, index, world.course, page.root);
    let stated = stated(lesson, world.course);
    let view = LessonView { date: lesson.date.clone(), summary_html, languages, contents, previous, next, runs: sources, stated };
    Some(Made {
        path: entry.path.clone(),
        view: from_view(View { frame, lesson: view, blocks }),
        entry,
        counts: page.counts,
        runs: page.runs().to_vec(),
        sources: page.shown_sources(),
        problems: page.problems,
    })
}

/// The figures that the page states and says, each once, with their sources.
fn stated(lesson: &Lesson, course: &Course) -> Vec<StatedView> {
    let said = course.stated_in(lesson).filter(|stated| stated.is_on_page_of(lesson));
    let view = |stated: &Stated| StatedView {
        figure: stated.figure.text().to_owned(),
        of: stated.of.as_ref().map(|of| of.text().to_owned()),
        source: stated.source.clone(),
    };
    said.map(view).collect()
}

/// Reports the columns that the lesson gives a heading to and no sweep of it has.
fn check_headings(page: &mut Page<'_>) {
    let device = page.world.device();
    let facts = page.lesson.sweeps.iter().map(|(sweep, _)| page.world.facts.sweep(sweep, device));
    // What is not known of one sweep may be in it.
    let Some(sweeps) = facts.collect::<Option<Vec<_>>>() else { return };
    let known: Vec<&str> = sweeps.iter().flat_map(|sweep| &sweep.columns).map(|column| column.name.as_str()).collect();
    for (name, _) in page.lesson.headings.iter().filter(|(name, _)| !known.contains(&name.text())) {
        page.problems.push(problems::no_column_to_head(name.text(), &name.whole(), known.iter().copied()));
    }
}

/// The headings of the second and third level; none where they are few.
fn contents(lesson: &Lesson, page: &mut Page<'_>) -> Vec<HeadingView> {
    let headings: Vec<_> = lesson.document.headings.iter().filter(|heading| matches!(heading.level, 2 | 3)).collect();
    if headings.len() < LEAST_HEADINGS {
        return Vec::new();
    }
    let (counts, problems) = (page.counts, std::mem::take(&mut page.problems));
    let views = headings
        .into_iter()
        .map(|heading| HeadingView {
            level: heading.level,
            id: heading.id.clone(),
            html: figures_plain(&text::inline(&heading.nodes, page)),
        })
        .collect();
    // A heading is on the page already; what is wrong with it was said, and its figures were counted.
    (page.counts, page.problems) = (counts, problems);
    views
}

/// The lessons before and after, in the same language.
fn neighbours(course: &Course, lessons: &[&Arc<Lesson>], index: usize, root: &str) -> (Option<LinkView>, Option<LinkView>) {
    let language = &lessons[index].language;
    let link = |lesson: &&Arc<Lesson>| LinkView {
        title: plain_title(lesson),
        href: format!("{root}{}", lesson_path(lesson, &course.config.language)),
        language: lesson.language.clone(),
    };
    let same = |lesson: &&&Arc<Lesson>| lesson.language == *language;
    (lessons[..index].iter().rev().find(same).map(link), lessons[index + 1..].iter().find(same).map(link))
}

/// A title as the author wrote it, its markup aside; a figure in it is left out, since it belongs to its own page.
fn plain_title(lesson: &Lesson) -> String {
    let mut title = String::new();
    for node in &lesson.title {
        if let Node::Markdown(pulldown_cmark::Event::Text(text) | pulldown_cmark::Event::Code(text), _) = node {
            title.push_str(text);
        }
    }
    title
}

/// The same lesson in other languages; a course keeps them side by side.
fn languages(lessons: &[&Arc<Lesson>], index: usize, course: &Course, root: &str) -> Vec<LinkView> {
    let lesson = lessons[index];
    let same = |other: &&&Arc<Lesson>| other.name == lesson.name;
    let (before, after) = (lessons[..index].iter().rev().take_while(same).count(), lessons[index + 1..].iter().take_while(same).count());
    let others = lessons[index - before..=index + after].iter().filter(|other| other.language != lesson.language);
    let link = |other: &&Arc<Lesson>| LinkView {
        title: super::words::language_name(&other.language).to_owned(),
        href: format!("{root}{}", lesson_path(other, &course.config.language)),
        language: other.language.clone(),
    };
    others.map(link).collect()
}
