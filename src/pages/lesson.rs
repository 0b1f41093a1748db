//! Turns a lesson into the view of its page.
//!
//! Must not know templates beyond their names.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::base::problem::Problems;
use crate::course::Course;
use crate::course::lesson::Lesson;
use crate::course::stated::Stated;
use crate::evidence::Run;

use super::Counts;
use super::block::{Block, from_view};
use super::changes::Changes;
use super::dated::{self, History};
use super::frame::{Frame, LinkView, Place};
use super::html::{figures_plain, plain};
use super::links::lesson_path;
use super::lists::{List, Listed};
use super::metadata;
use super::navigation::{Navigation, SideView};
use super::page::{Page, World};
use super::provenance::Provenance;
use super::search::{Findable, findable};
use super::text::{self, NoteView};
use super::{forge, problems, reading_time, run_it};

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
    /// The files of the course that it links to or shows as they are.
    pub files: BTreeSet<String>,
    /// How it can be found.
    pub findable: Findable,
    /// What it puts into lists.
    pub listed: Listed,
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
    /// When it was last revised, if it was.
    pub updated: Option<String>,
    /// How long reading it takes, in words.
    pub reading_time: String,
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
    footnotes: Vec<NoteView>,
}

#[derive(Serialize)]
struct LessonView {
    date: Option<String>,
    updated: Option<String>,
    reading_time: String,
    summary_html: Option<String>,
    side: SideView,
    contents: Vec<HeadingView>,
    previous: Option<LinkView>,
    next: Option<LinkView>,
    runs: Vec<Provenance>,
    stated: Vec<StatedView>,
    /// Its tags, each with the way to the other lessons that have it.
    tags: Vec<LinkView>,
    /// Where the lesson can be edited or, where nobody knows, seen.
    edit: Option<EditView>,
    changes: Option<Changes>,
    /// How the figures of the text moved over dated runs, if any did.
    moved: Option<History>,
    run_it: Option<run_it::View>,
}

/// The way to a lesson's own text.
#[derive(Serialize)]
struct EditView {
    href: String,
    /// Whether it can be edited there.
    edits: bool,
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

/// Makes the page of the lesson at `index` of those to be published.
pub(crate) fn make(world: World<'_>, navigation: &Navigation<'_>, index: usize) -> Option<Made> {
    let lesson = navigation.lessons.get(index)?;
    let mut page = Page::new(world, lesson);
    page.counts.pages += 1;
    let title_html = text::inline(&lesson.title, &mut page);
    let summary_html = lesson.summary.as_ref().map(|summary| text::inline(summary, &mut page));
    let blocks = text::blocks(&lesson.document.nodes, &mut page);
    let footnotes = text::footnotes(&mut page);
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
        updated: lesson.updated.clone(),
        reading_time: page.words.frame.reading_time.of(&[reading_time::minutes(&lesson.document, page.lines_shown)], &[]),
        measured: sources.iter().map(|source| source.measured.clone()).collect(),
        draft: lesson.draft,
    };
    let versions = navigation.versions(index);
    let place = Place { versions, ..Place::new("lesson", &lesson.language, &entry.path) };
    let mut frame = Frame::new(navigation, &place, plain(&title));
    frame.page.crumbs.extend(navigation.part(index, page.root));
    frame.page.title_html = title_html;
    frame.page.description = description.as_deref().map(plain);
    frame.page.draft = lesson.draft;
    frame.course.devices = page.choice();
    frame.page.data = metadata::of_lesson(&frame, lesson, navigation);
    let (previous, next) = navigation.neighbours(index, page.root);
    let view = LessonView {
        date: entry.date.clone(),
        updated: entry.updated.clone(),
        reading_time: entry.reading_time.clone(),
        summary_html,
        side: navigation.side(index, page.root),
        contents,
        previous,
        next,
        runs: sources,
        stated: stated(lesson, world.course),
        tags: tags(lesson, navigation, page.root),
        edit: edit(lesson, world.course),
        changes: page.said.changes(&frame.course.devices),
        moved: moved(&mut page),
        run_it: run_it::view(&page),
    };
    Some(Made {
        findable: findable(lesson, &entry.path, &entry.title, &page),
        listed: Listed::of(&page),
        path: entry.path.clone(),
        view: from_view(View { frame, lesson: view, blocks, footnotes }),
        entry,
        counts: page.counts,
        runs: page.runs().to_vec(),
        sources: page.shown_sources(),
        files: page.files,
        problems: page.problems,
    })
}

/// How the figures of the text moved over the dated runs; `None` where none of them has two.
fn moved(page: &mut Page<'_>) -> Option<History> {
    let figures = std::mem::take(&mut page.moved);
    let tables = dated::of_figures(&figures, page.has_choice(), page.words);
    let summary = page.words.dated.figures.to_owned();
    (!tables.is_empty()).then(|| History { id: page.id("history"), summary, tables, same: None, others: None })
}

/// The lesson's tags as links to the list of tags.
fn tags(lesson: &Lesson, navigation: &Navigation<'_>, root: &str) -> Vec<LinkView> {
    let Some(edition) = navigation.edition(&lesson.language) else { return Vec::new() };
    let list = navigation.list(&lesson.language, List::Tags);
    let link = |tag: &String| LinkView {
        title: tag.clone(),
        href: format!("{root}{list}#{}", edition.tags.anchor(tag)),
        language: lesson.language.clone(),
    };
    lesson.tags.iter().map(link).collect()
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
            html: figures_plain(&text::label(&heading.nodes, page)),
        })
        .collect();
    // A heading is on the page already; what is wrong with it was said, and its figures were counted.
    (page.counts, page.problems) = (counts, problems);
    views
}

/// The way to where the lesson can be edited, on forges whose addresses say so, or seen.
fn edit(lesson: &Lesson, course: &Course) -> Option<EditView> {
    let href = course.config.in_repository(&lesson.file)?;
    let edited = forge::edited(&href);
    Some(EditView { edits: edited.is_some(), href: edited.unwrap_or(href) })
}
