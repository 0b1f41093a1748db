//! Turns what lessons stand on into pages of their own: the code of each file shown, each run's transcript, the list of
//! lessons, and the page for addresses that lead nowhere.
//!
//! Must not know how lessons are made.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::course::source::{Region, Source};
use crate::evidence::Run;

use super::block::{Markup, from_view};
use super::explorer;
use super::forge;
use super::frame::{Frame, LinkView, Place, root_of};
use super::html::escape;
use super::lesson::Entry;
use super::lines::{Lines, line_id};
use super::links::{line_range, source_path};
use super::navigation::{Edition, Navigation, part_id};
use super::provenance::{Provenance, device_name, transcript_page};
use super::stock::Stock;
use super::words::{fill, words};

#[derive(Serialize)]
struct SourceView {
    path: String,
    /// Its lines as HTML.
    code: Markup,
    regions: Vec<RegionView>,
    lessons: Vec<LinkView>,
    repository: Option<String>,
    /// The way to Compiler Explorer, for a source that stands alone.
    explorer: Option<String>,
}

#[derive(Serialize)]
struct RegionView {
    name: String,
    first: usize,
    last: usize,
}

/// The view of the page of `source`.
pub(crate) fn source(stock: &Stock, source: &Source) -> minijinja::Value {
    let config = &stock.course.config;
    let path = source_path(source);
    let root = root_of(&path);
    let shown_in: Vec<&Entry> = stock.shown_in.get(&source.path).into_iter().flatten().map(|&index| &stock.lessons[index].entry).collect();
    let region = |region: &Region| RegionView { name: region.name.clone(), first: region.lines.start + 1, last: region.lines.end };
    let link =
        |entry: &&Entry| LinkView { title: entry.title.clone(), href: format!("{root}{}", entry.path), language: entry.language.clone() };
    let words = words(&config.language);
    let lessons = shown_in.iter().map(|entry| entry.title.as_str()).collect::<Vec<_>>().join(", ");
    let mut description = fill(words.code_of, &[&source.path]);
    if !lessons.is_empty() {
        description += &format!(" · {} {lessons}", words.shown_in);
    }
    let frame = Frame::new(&stock.navigation, &Place::new("source", &config.language, &path), source.path.clone());
    frame.described(description).around(SourceView {
        path: source.path.clone(),
        code: code(stock, source).into(),
        regions: source.regions.iter().map(region).collect(),
        lessons: shown_in.iter().map(link).collect(),
        repository: config.in_repository(&source.name),
        explorer: explorer(stock, source),
    })
}

/// All of `source` but its markers; links lead to each region by its lines and by its name, and to each line that a lesson links to. To
/// other lines only where there are scripts: an id for each would be a tenth of the page.
fn code(stock: &Stock, source: &Source) -> String {
    let shown = source.whole();
    let html = stock.highlighter.lines(source, &shown, "");
    let opens: BTreeMap<usize, &Region> = source.regions.iter().map(|region| (region.lines.start + 1, region)).collect();
    let linked = stock.linked.get(&source.path);
    let mut lines = Lines::of(shown.len(), html.len());
    for (line, html) in shown.iter().zip(html.split('\n')) {
        let region = opens.get(&line.number);
        let number = linked.filter(|linked| linked.contains(&line.number)).map(|_| line_id(line.number));
        let names = [number, region.map(|region| line_range(region)), region.map(|region| region.name.clone())];
        lines.push_named(line.number, names.iter().flatten().map(String::as_str), html);
    }
    lines.html()
}

/// The way to Compiler Explorer, with the options of the first run of `source` that pages stand on.
fn explorer(stock: &Stock, source: &Source) -> Option<String> {
    let mut sweeps = stock.course.sweeps.values().filter(|sweep| sweep.source().is_some_and(|(path, _)| path == source.path));
    let run = sweeps.find_map(|sweep| forge::run(sweep, &stock.facts))?;
    let identity = &run.record.header.identity;
    explorer::link(source, &identity.architecture, &identity.compile_options)
}

#[derive(Serialize)]
struct TranscriptView {
    title: String,
    source: Provenance,
    /// Its lines as HTML.
    lines: Markup,
    text_file: String,
    /// The way to the record's signature, if it has one.
    signature: Option<String>,
}

/// The view of the page of a run's transcript; `signature` is the path of the record's signature.
pub(crate) fn transcript(stock: &Stock, run: &Run, signature: Option<&str>) -> minijinja::Value {
    let (course, navigation) = (&stock.course, &stock.navigation);
    let path = transcript_page(run);
    let root = root_of(&path);
    let words = words(&course.config.language);
    let title = course.sweeps.get(run.sweep()).map_or_else(|| run.sweep().to_owned(), |sweep| sweep.title.clone());
    let page_title = format!("{}: {}, {}, {}", words.transcript, run.sweep(), device_name(run), run.date());
    let description = format!("{title} · {page_title}");
    let frame = Frame::new(navigation, &Place::new("transcript", &course.config.language, &path), page_title);
    frame.described(description).around(TranscriptView {
        title,
        source: Provenance::new(run, None, &root, words),
        lines: printed(run.expected_transcript()).into(),
        text_file: format!("{root}{}", run.transcript_name),
        signature: signature.map(|path| format!("{root}{path}")),
    })
}

/// The lines of a transcript, each to be linked to.
fn printed(transcript: &str) -> String {
    let mut lines = Lines::of(transcript.lines().count(), transcript.len());
    for (text, number) in transcript.lines().zip(1..) {
        lines.push_named(number, [&*line_id(number)], &escape(text));
    }
    lines.html()
}

#[derive(Serialize)]
struct IndexView {
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

/// The view of the list of lessons of `edition`.
pub(crate) fn index(stock: &Stock, edition: &Edition) -> minijinja::Value {
    let navigation = &stock.navigation;
    let config = &navigation.course.config;
    let path = navigation.home(&edition.language);
    let versions = navigation.editions().iter().map(|other| (other.language.clone(), navigation.home(&other.language))).collect();
    let place = Place { versions, ..Place::new("index", &edition.language, &path) };
    let mut frame = Frame::new(navigation, &place, config.title.of(&edition.language).to_owned());
    let summary = config.summary.of(&edition.language).to_owned();
    frame.page.description = Some(summary.clone()).filter(|summary| !summary.is_empty());
    frame.page.data = super::metadata::of_course(&frame, navigation);
    let words = frame.words;
    let device = |slug: &String| match stock.runs.values().filter(|run| run.device() == slug).max_by_key(|run| run.date()) {
        Some(run) => fill(words.measured, &[&device_name(run), run.date()]),
        None => fill(words.not_measured, &[slug]),
    };
    let devices = config.devices.iter().map(device).collect();
    frame.around(IndexView { summary, parts: parts(stock, edition), devices })
}

/// The parts of `edition` with their lessons. A course that has no lesson in its own language lists those that it has.
fn parts(stock: &Stock, edition: &Edition) -> Vec<PartView> {
    let root = root_of(&stock.navigation.home(&edition.language));
    let entry = |index: usize| {
        let entry = &stock.lessons.get(index)?.entry;
        Some(Entry { path: format!("{root}{}", entry.path), ..entry.clone() })
    };
    if edition.lessons.is_empty() {
        let lessons = (0..stock.lessons.len()).filter_map(entry).collect();
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
pub(crate) fn not_found(navigation: &Navigation) -> minijinja::Value {
    let language = &navigation.course.config.language;
    from_view(Frame::new(navigation, &Place::new("lost", language, "404.html"), words(language).not_found.to_owned()))
}
