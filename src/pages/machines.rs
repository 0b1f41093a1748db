//! Turns the published pages into what machines ask a site for: feeds, a site map, and pages at addresses that lessons once had.
//!
//! Must not know what is on a page. Feeds and site maps hold whole addresses: without a `base_url` there are none.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::Value;
use serde::Serialize;

use crate::course::config::Config;
use crate::course::lesson::Lesson;

use super::block::from_view;
use super::frame::root_of;
use super::lesson::{Entry, Made};
use super::navigation::{Edition, Navigation};
use super::stock::Stock;
use super::words::{direction, words};

/// Lessons in a feed.
const RECENT: usize = 30;
/// Addresses in a site map, by the protocol (sitemaps.org).
const MAPPED: usize = 50_000;

#[derive(Serialize)]
struct FeedView {
    title: String,
    summary: String,
    language: String,
    /// The feed's own address, and that of the list of lessons.
    address: String,
    home: String,
    updated: String,
    entries: Vec<ItemView>,
}

#[derive(Serialize)]
struct ItemView {
    title: String,
    summary: Option<String>,
    address: String,
    published: String,
    updated: String,
}

/// The view of the feed of `edition`: its latest lessons first, those with a date.
pub(crate) fn feed(stock: &Stock, edition: &Edition) -> Value {
    let navigation = &stock.navigation;
    let config = &navigation.course.config;
    let lessons = stock.lessons_of(edition).map(|(_, made)| &made.entry).filter(|entry| !entry.draft);
    let mut items: Vec<ItemView> = lessons.filter_map(|entry| item(navigation, entry)).collect();
    items.sort_by(|a, b| (&b.updated, &a.address).cmp(&(&a.updated, &b.address)));
    items.truncate(RECENT);
    let address = |path: &str| config.address(path).unwrap_or_default();
    let view = FeedView {
        title: config.title.of(&edition.language).to_owned(),
        summary: config.summary.of(&edition.language).to_owned(),
        language: edition.language.clone(),
        address: navigation.feed(&edition.language).map(|path| address(&path)).unwrap_or_default(),
        home: address(&navigation.home(&edition.language)),
        updated: items.first().map(|item| item.updated.clone()).unwrap_or_default(),
        entries: items,
    };
    from_view(view)
}

fn item(navigation: &Navigation, entry: &Entry) -> Option<ItemView> {
    let published = entry.date.clone()?;
    Some(ItemView {
        title: entry.title.clone(),
        summary: entry.summary_html.as_deref().map(super::html::plain),
        address: navigation.course.config.address(&entry.path)?,
        updated: entry.updated.clone().unwrap_or_else(|| published.clone()),
        published,
    })
}

#[derive(Serialize)]
struct MapView {
    /// Whether it lists site maps instead of pages.
    index: bool,
    places: Vec<PlaceView>,
}

#[derive(Serialize)]
struct PlaceView {
    address: String,
    date: Option<String>,
}

/// The files of a site map of `pages` pages: each file's path, and which part it is. Many pages take several files, and one that
/// lists them.
pub(crate) fn site_maps(config: &Config, pages: usize) -> Vec<(String, Option<usize>)> {
    let parts = pages.div_ceil(MAPPED);
    if config.base_url.is_none() || parts == 0 {
        return Vec::new();
    }
    let numbered = (0..parts).filter(|_| parts > 1).map(|part| (part_name(part), Some(part)));
    std::iter::once(("sitemap.xml".to_owned(), None)).chain(numbered).collect()
}

fn part_name(part: usize) -> String {
    format!("sitemap-{}.xml", part + 1)
}

/// The view of the site map of the pages at `paths`, or of one of its parts; lessons have their dates in it.
pub(crate) fn site_map<'a>(stock: &'a Stock, part: Option<usize>, paths: impl Iterator<Item = &'a str>) -> Value {
    let config = &stock.course.config;
    let dated = |made: &'a Arc<Made>| Some((&*made.entry.path, made.entry.updated.as_ref().or(made.entry.date.as_ref())?));
    let dates: BTreeMap<&str, &String> = stock.lessons.iter().filter_map(dated).collect();
    let place = |path: &str| Some(PlaceView { address: config.address(path)?, date: dates.get(path).map(|date| (*date).clone()) });
    let paths: Vec<&str> = paths.collect();
    let index = part.is_none() && paths.len() > MAPPED;
    let places = if index {
        let parts = 0..paths.len().div_ceil(MAPPED);
        parts.filter_map(|part| Some(PlaceView { address: config.address(&part_name(part))?, date: None })).collect()
    } else {
        paths.into_iter().skip(part.unwrap_or(0) * MAPPED).take(MAPPED).filter_map(place).collect()
    };
    from_view(MapView { index, places })
}

#[derive(Serialize)]
struct MovedView {
    language: String,
    direction: &'static str,
    #[serde(serialize_with = "super::words::made_once")]
    words: &'static super::words::Words,
    title: String,
    href: String,
    /// The same as a string of JavaScript.
    quoted: String,
    address: Option<String>,
}

/// The path of the page at the address that `lesson` once had as `alias`.
pub(crate) fn moved_path(lesson: &Lesson, alias: &str, default_language: &str) -> String {
    if lesson.language == default_language { format!("{alias}.html") } else { format!("{}/{alias}.html", lesson.language) }
}

/// The view of the page at the address that the lesson at `index` had by its alias at `alias`.
pub(crate) fn moved(stock: &Stock, index: usize, alias: usize) -> Value {
    let (lesson, entry) = (&stock.navigation.lessons[index], &stock.lessons[index].entry);
    let config = &stock.course.config;
    let path = moved_path(lesson, &lesson.aliases[alias].0, &config.language);
    let href = format!("{}{}", root_of(&path), entry.path);
    from_view(MovedView {
        language: lesson.language.clone(),
        direction: direction(&lesson.language),
        words: words(&lesson.language),
        title: entry.title.clone(),
        quoted: serde_json::Value::from(&*href).to_string().replace('<', "\\u003c"),
        href,
        address: config.address(&entry.path),
    })
}
