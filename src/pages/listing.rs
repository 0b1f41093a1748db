//! Turns what lessons stand on into pages of their own: the code of each file shown, each run's transcript, the list of
//! lessons, and the page for addresses that lead nowhere.
//!
//! Must not know how lessons are made.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::course::source::{Region, Source};
use crate::evidence::Run;

use super::block::from_view;
use super::explorer;
use super::forge;
use super::frame::{Frame, LinkView, Place, root_of};
use super::lesson::Entry;
use super::links::{line_range, source_path};
use super::navigation::{Edition, Navigation, part_id};
use super::page::World;
use super::provenance::{Provenance, device_name, line_id, transcript_page};
use super::words::{fill, words};

#[derive(Serialize)]
struct SourceView {
    #[serde(flatten)]
    frame: Frame,
    path: String,
    lines: Vec<LineView>,
    regions: Vec<RegionView>,
    lessons: Vec<LinkView>,
    repository: Option<String>,
    /// The way to Compiler Explorer, for a source that stands alone.
    explorer: Option<String>,
}

#[derive(Serialize)]
struct LineView {
    number: usize,
    /// The region that opens here, as an anchor.
    region: Option<String>,
    /// All lines of that region, as an anchor.
    range: Option<String>,
    html: String,
}

#[derive(Serialize)]
struct RegionView {
    name: String,
    first: usize,
    last: usize,
}

/// The path and view of the page of `source`, which the lessons `shown_in` show.
pub(crate) fn source(world: World<'_>, navigation: &Navigation<'_>, source: &Source, shown_in: &[&Entry]) -> (String, minijinja::Value) {
    let config = &world.course.config;
    let path = source_path(source);
    let root = root_of(&path);
    let shown = source.whole();
    let text: String = shown.iter().flat_map(|line| [line.text, "\n"]).collect();
    let html = world.highlighter.highlight(&text, source.language_name());
    let opens: BTreeMap<usize, &Region> = source.regions.iter().map(|region| (region.lines.start + 1, region)).collect();
    let lines = shown.iter().zip(html.iter()).map(|(line, html)| LineView {
        number: line.number,
        region: opens.get(&line.number).map(|region| region.name.clone()),
        range: opens.get(&line.number).map(|region| line_range(region)),
        html: html.clone(),
    });
    let region = |region: &Region| RegionView { name: region.name.clone(), first: region.lines.start + 1, last: region.lines.end };
    let link =
        |entry: &&Entry| LinkView { title: entry.title.clone(), href: format!("{root}{}", entry.path), language: entry.language.clone() };
    let words = words(&config.language);
    let lessons = shown_in.iter().map(|entry| entry.title.as_str()).collect::<Vec<_>>().join(", ");
    let mut description = fill(words.code_of, &[&source.path]);
    if !lessons.is_empty() {
        description += &format!(" · {} {lessons}", words.shown_in);
    }
    let view = SourceView {
        frame: Frame::new(navigation, &Place::new("source", &config.language, &path), source.path.clone()).described(description),
        path: source.path.clone(),
        lines: lines.collect(),
        regions: source.regions.iter().map(region).collect(),
        lessons: shown_in.iter().map(link).collect(),
        repository: config.in_repository(&source.name),
        explorer: explorer(world, source),
    };
    (path, from_view(view))
}

/// The way to Compiler Explorer, with the options of the first run of `source` that pages stand on.
fn explorer(world: World<'_>, source: &Source) -> Option<String> {
    let mut sweeps = world.course.sweeps.values().filter(|sweep| sweep.source().is_some_and(|(path, _)| path == source.path));
    let run = sweeps.find_map(|sweep| forge::run(sweep, world))?;
    let identity = &run.record.header.identity;
    explorer::link(source, &identity.architecture, &identity.compile_options)
}

#[derive(Serialize)]
struct TranscriptView {
    #[serde(flatten)]
    frame: Frame,
    title: String,
    source: Provenance,
    lines: Vec<TranscriptLine>,
    text_file: String,
    /// The way to the record's signature, if it has one.
    signature: Option<String>,
}

/// The path and view of the page of a run's transcript; `signature` is the path of the record's signature.
pub(crate) fn transcript(navigation: &Navigation<'_>, run: &Run, signature: Option<&str>) -> (String, minijinja::Value) {
    let course = navigation.course;
    let path = transcript_page(run);
    let root = root_of(&path);
    let words = words(&course.config.language);
    let title = course.sweeps.get(run.sweep()).map_or_else(|| run.sweep().to_owned(), |sweep| sweep.title.clone());
    let page_title = format!("{}: {}, {}, {}", words.transcript, run.sweep(), device_name(run), run.date());
    let description = format!("{title} · {page_title}");
    let view = TranscriptView {
        frame: Frame::new(navigation, &Place::new("transcript", &course.config.language, &path), page_title).described(description),
        title,
        source: Provenance::new(run, None, &root, words),
        lines: run
            .expected_transcript()
            .lines()
            .zip(1..)
            .map(|(text, number)| TranscriptLine { id: line_id(number), number, text: text.to_owned() })
            .collect(),
        text_file: format!("{root}{}", run.transcript_name),
        signature: signature.map(|path| format!("{root}{path}")),
    };
    (path, from_view(view))
}

/// A line of a transcript, to be linked to.
#[derive(Serialize)]
struct TranscriptLine {
    id: String,
    number: usize,
    text: String,
}

#[derive(Serialize)]
struct IndexView {
    #[serde(flatten)]
    frame: Frame,
    summary: String,
    parts: Vec<PartView>,
    devices: Vec<String>,
}

#[derive(Serialize)]
struct PartView {
    id: String,
    title: Option<String>,
    /// The number of its first lesson.
    start: usize,
    lessons: Vec<Entry>,
}

/// The path and view of the list of lessons of `edition`; `entries` are those of all published lessons.
pub(crate) fn index(
    navigation: &Navigation<'_>,
    edition: &Edition,
    entries: &[Entry],
    runs: &BTreeMap<String, Arc<Run>>,
) -> (String, minijinja::Value) {
    let config = &navigation.course.config;
    let path = navigation.home(&edition.language);
    let versions = navigation.editions().iter().map(|other| (other.language.clone(), navigation.home(&other.language))).collect();
    let place = Place { versions, ..Place::new("index", &edition.language, &path) };
    let mut frame = Frame::new(navigation, &place, config.title.of(&edition.language).to_owned());
    let summary = config.summary.of(&edition.language).to_owned();
    frame.page.description = Some(summary.clone()).filter(|summary| !summary.is_empty());
    frame.page.data = super::metadata::of_course(&frame, navigation);
    let words = frame.words;
    let device = |slug: &String| match runs.values().filter(|run| run.device() == slug).max_by_key(|run| run.date()) {
        Some(run) => fill(words.measured, &[&device_name(run), run.date()]),
        None => fill(words.not_measured, &[slug]),
    };
    let devices = config.devices.iter().map(device).collect();
    let view = IndexView { frame, summary, parts: parts(navigation, edition, entries), devices };
    (path, from_view(view))
}

/// The parts of `edition` with their lessons. A course that has no lesson in its own language lists those that it has.
fn parts(navigation: &Navigation<'_>, edition: &Edition, entries: &[Entry]) -> Vec<PartView> {
    let root = root_of(&navigation.home(&edition.language));
    let entry = |index: usize| entries.get(index).map(|entry| Entry { path: format!("{root}{}", entry.path), ..entry.clone() });
    if edition.lessons.is_empty() {
        let lessons = (0..entries.len()).filter_map(entry).collect();
        return vec![PartView { id: part_id(0), title: None, start: 1, lessons }];
    }
    let part = |(index, part): (usize, &super::navigation::Part)| PartView {
        id: part_id(index),
        title: part.title.clone(),
        start: part.lessons.start + 1,
        lessons: edition.lessons[part.lessons.clone()].iter().filter_map(|&index| entry(index)).collect(),
    };
    edition.parts.iter().enumerate().map(part).collect()
}

/// The view of the page for addresses that lead nowhere.
pub(crate) fn not_found(navigation: &Navigation<'_>) -> minijinja::Value {
    let language = &navigation.course.config.language;
    from_view(Frame::new(navigation, &Place::new("lost", language, "404.html"), words(language).not_found.to_owned()))
}
