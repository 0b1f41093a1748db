//! Turns a lesson into the view of its page.
//!
//! Must not know templates beyond their names.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::base::problem::Problem;
use crate::base::span::SourceName;
use crate::course::Course;
use crate::course::document::Document;
use crate::course::lesson::Lesson;
use crate::course::stated::Stated;
use crate::evidence::Run;

use super::block::{Block, Markup, from_view};
use super::changes::Changes;
use super::dated::{self, History};
use super::devices::DeviceView;
use super::frame::{Frame, LinkView, Place, root_of};
use super::html::{figures_plain, plain};
use super::links::lesson_path;
use super::lists::{List, Listed};
use super::metadata;
use super::navigation::Navigation;
use super::page::{Page, World};
use super::provenance::Provenance;
use super::search::{Findable, findable};
use super::sidebar::SideView;
use super::template::Templates;
use super::text::{self, NoteView};
use super::words::{Words, direction, made_once};
use super::{Counts, Press};
use super::{forge, problems, reading_time, run_it};

/// What a lesson gives its page and others, made once; only the frame of its page and the ways to others are added when it is
/// rendered, so that what changes elsewhere in the course leaves this as it is.
pub(crate) struct Made {
    /// How the list of lessons shows it.
    pub entry: Entry,
    /// What its own page alone shows; `None` once that was handed over.
    own: Option<Own>,
    /// What was checked.
    pub counts: Counts,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// The runs it stands on.
    pub runs: Vec<Arc<Run>>,
    /// The sources it shows.
    pub sources: Vec<String>,
    /// The lines that it links to, each with the path of its source.
    pub lines: Vec<(String, usize)>,
    /// The files of the course that it links to or shows as they are.
    pub files: BTreeSet<String>,
    /// Files of the course that it looked for, there or not, in order.
    pub asked: Vec<String>,
    /// How it can be found, where readers can search.
    pub findable: Option<Arc<Findable>>,
    /// What it puts into lists.
    pub listed: Listed,
}

/// What stands on a lesson's page and on no other.
struct Own {
    /// Its title as HTML.
    title_html: String,
    /// Its text with all exhibits, or the template that could not be filled.
    body: Result<Markup, Problem>,
    /// The devices between which its readers choose.
    devices: Vec<DeviceView>,
    /// What else, as plain data.
    rest: minijinja::Value,
}

impl Made {
    /// Whether it looked for one of `files`.
    pub(crate) fn asked_any(&self, files: &BTreeSet<SourceName>) -> bool {
        self.asked.iter().any(|asked| files.contains(&**asked))
    }
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
struct View<'a> {
    lesson: LessonView<'a>,
    body: &'a Markup,
    rest: &'a minijinja::Value,
}

#[derive(Serialize)]
struct LessonView<'a> {
    date: &'a Option<String>,
    updated: &'a Option<String>,
    reading_time: &'a str,
    side: SideView,
    previous: Option<LinkView>,
    next: Option<LinkView>,
    /// Its tags, each with the way to the other lessons that have it.
    tags: Vec<LinkView>,
    /// Where the lesson can be edited or, where nobody knows, seen.
    edit: Option<EditView>,
}

#[derive(Serialize)]
struct RestView {
    summary_html: Option<String>,
    contents: Vec<HeadingView>,
    footnotes: Vec<NoteView>,
    runs: Vec<Provenance>,
    stated: Vec<StatedView>,
    changes: Option<Changes>,
    /// How the figures of the text moved over dated runs, if any did.
    moved: Option<History>,
    run_it: Option<run_it::View>,
}

/// What the template of a lesson's text sees.
#[derive(Serialize)]
struct BodyView {
    page: BodyPage,
    blocks: Vec<Block>,
    #[serde(serialize_with = "made_once")]
    words: &'static Words,
}

/// What a lesson's text knows of its page.
#[derive(Serialize)]
struct BodyPage {
    direction: &'static str,
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

/// The template of a lesson's page.
pub(crate) const TEMPLATE: &str = "lesson.html";

/// Bytes of a page beside its text, about.
const FRAME: usize = 12 << 10;

/// Fewer headings than these need no table of contents.
const LEAST_HEADINGS: usize = 3;

/// Makes what `lesson` gives the site.
pub(crate) fn make(world: World<'_>, templates: &Templates, lesson: &Lesson) -> Made {
    let document = &lesson.document();
    let mut page = Page::new(world, lesson);
    page.counts.pages += 1;
    let title_html = text::inline(&lesson.title, &mut page);
    let summary_html = lesson.summary.as_ref().map(|summary| text::inline(summary, &mut page));
    let blocks = text::blocks(&document.nodes, &mut page);
    let footnotes = text::footnotes(&mut page);
    check_headings(&mut page);
    let contents = contents(document, &mut page);
    let runs = page.provenances();
    let title = figures_plain(&title_html);
    let entry = Entry {
        path: lesson_path(lesson, &world.course.config.language),
        language: lesson.language.clone(),
        title: plain(&title),
        title_html: title,
        summary_html: summary_html.as_deref().map(figures_plain),
        date: lesson.date.clone(),
        updated: lesson.updated.clone(),
        reading_time: page.words.frame.reading_time.of(&[reading_time::minutes(document, page.lines_shown)], &[]),
        measured: runs.iter().map(|source| source.measured.clone()).collect(),
        draft: lesson.draft,
    };
    let body = templates
        .fill("blocks.html", &from_view(BodyView { page: BodyPage { direction: direction(&lesson.language) }, blocks, words: page.words }));
    let devices = page.choice();
    let (changes, moved) = (page.said.changes(&devices), moved(&mut page));
    let run_it = run_it::view(&page);
    let rest = RestView { summary_html, contents, footnotes, runs, stated: stated(lesson, world.course), changes, moved, run_it };
    Made {
        findable: world.course.config.has_search.then(|| Arc::new(findable((lesson, document), &entry.path, &entry.title, &page))),
        listed: Listed::of(document, &page),
        own: Some(Own { title_html, body: body.map(Markup::from), devices, rest: from_view(rest) }),
        entry,
        counts: page.counts,
        runs: page.runs().to_vec(),
        sources: page.shown_sources(),
        lines: page.linked_lines(),
        files: page.files,
        asked: page.asked.into_iter().collect(),
        problems: page.problems.into_iter().collect(),
    }
}

impl Made {
    /// Whether its page is in others' hands already, and can't be made again.
    pub(crate) fn is_handed_over(&self) -> bool {
        self.own.is_none()
    }

    /// Hands the page over to `press`, if nothing is wrong with it. It is that of the lesson at `index` of those that `navigation` leads to.
    pub(crate) fn hand_over(&mut self, press: Press<'_>, templates: &Templates, navigation: &Navigation, index: usize) {
        let text = self.own.as_ref().and_then(|own| own.body.as_ref().ok()).map_or(0, |body| body.text().len());
        let mut bytes = Vec::with_capacity(text + FRAME);
        if self.problems.is_empty()
            && let Ok(view) = view(self, navigation, index)
            && templates.fill_to(TEMPLATE, &view, &mut bytes).is_ok()
        {
            press(&self.entry.path, &bytes);
            self.own = None;
        }
    }
}

/// What fills the template of the page of which `made` is, the lesson at `index` of those that `navigation` leads to.
///
/// # Errors
/// The template of a part of it that could not be filled.
pub(crate) fn view(made: &Made, navigation: &Navigation, index: usize) -> Result<minijinja::Value, Problem> {
    let lesson = &navigation.lessons[index];
    let Made { entry, own: Some(Own { title_html, body, devices, rest }), .. } = made else { return Ok(minijinja::Value::UNDEFINED) };
    let body = body.as_ref().map_err(Problem::clone)?;
    let root = root_of(&entry.path);
    let place = Place { versions: navigation.versions(index), ..Place::new("lesson", &lesson.language, &entry.path) };
    let mut frame = Frame::new(navigation, &place, entry.title.clone());
    frame.page.crumbs.extend(navigation.part(index, &root));
    frame.page.title_html.clone_from(title_html);
    frame.page.description = entry.summary_html.as_deref().map(plain);
    frame.page.draft = lesson.draft;
    frame.course.devices.clone_from(devices);
    frame.page.data = metadata::of_lesson(&frame, lesson, navigation);
    let (previous, next) = navigation.neighbours(index, &root);
    let view = LessonView {
        date: &entry.date,
        updated: &entry.updated,
        reading_time: &entry.reading_time,
        side: navigation.side(index),
        previous,
        next,
        tags: tags(lesson, navigation, &root),
        edit: edit(lesson, &navigation.course),
    };
    Ok(frame.around(View { lesson: view, body, rest }))
}

/// How the figures of the text moved over the dated runs; `None` where none of them has two.
fn moved(page: &mut Page<'_>) -> Option<History> {
    let figures = std::mem::take(&mut page.moved);
    let tables = dated::of_figures(&figures, page.has_choice(), page.words);
    let summary = page.words.dated.figures.to_owned();
    (!tables.is_empty()).then(|| History { id: page.id("history"), summary, tables, same: None, others: None })
}

/// The lesson's tags as links to the list of tags.
fn tags(lesson: &Lesson, navigation: &Navigation, root: &str) -> Vec<LinkView> {
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
fn contents(document: &Document, page: &mut Page<'_>) -> Vec<HeadingView> {
    let headings: Vec<_> = document.headings.iter().filter(|heading| matches!(heading.level, 2 | 3)).collect();
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
