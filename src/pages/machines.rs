//! Turns the published pages into what machines ask a site for: feeds, a site map, and pages at addresses that lessons once had.
//!
//! Must not know what is on a page. Feeds and site maps hold whole addresses: without a `base_url` there are none.

use minijinja::Value;
use serde::Serialize;

use super::block::from_view;
use super::frame::root_of;
use super::lesson::Entry;
use super::navigation::{Edition, Navigation};
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

/// The path and view of the feed of `edition`, its latest lessons first: those with a date, if there are any.
pub(crate) fn feed(navigation: &Navigation<'_>, edition: &Edition, entries: &[Entry]) -> Option<(String, Value)> {
    let path = navigation.feed(&edition.language)?;
    let config = &navigation.course.config;
    let lessons = edition.lessons.iter().filter_map(|&index| entries.get(index)).filter(|entry| !entry.draft);
    let mut items: Vec<ItemView> = lessons.filter_map(|entry| item(navigation, entry)).collect();
    items.sort_by(|a, b| (&b.updated, &a.address).cmp(&(&a.updated, &b.address)));
    items.truncate(RECENT);
    let view = FeedView {
        title: config.title.of(&edition.language).to_owned(),
        summary: config.summary.of(&edition.language).to_owned(),
        language: edition.language.clone(),
        address: config.address(&path)?,
        home: config.address(&navigation.home(&edition.language))?,
        updated: items.first()?.updated.clone(),
        entries: items,
    };
    Some((path, from_view(view)))
}

fn item(navigation: &Navigation<'_>, entry: &Entry) -> Option<ItemView> {
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

/// The paths and views of the site map of the pages at `paths`; `entries` know the dates of lessons. Many pages take several files, and
/// one that lists them.
pub(crate) fn site_map<'a>(navigation: &Navigation<'_>, paths: impl Iterator<Item = &'a str>, entries: &[Entry]) -> Vec<(String, Value)> {
    let config = &navigation.course.config;
    let dates: std::collections::BTreeMap<&str, &String> =
        entries.iter().filter_map(|entry| Some((&*entry.path, entry.updated.as_ref().or(entry.date.as_ref())?))).collect();
    let place = |path: &'a str| Some(PlaceView { address: config.address(path)?, date: dates.get(path).map(|date| (*date).clone()) });
    let mut places: Vec<PlaceView> = paths.filter_map(place).collect();
    let mut maps: Vec<Vec<PlaceView>> = Vec::new();
    while !places.is_empty() {
        let rest = places.split_off(places.len().min(MAPPED));
        maps.push(std::mem::replace(&mut places, rest));
    }
    let name = |number: usize| format!("sitemap-{}.xml", number + 1);
    let mut files: Vec<(String, MapView)> = Vec::new();
    if maps.len() > 1 {
        let place = |number: usize| Some(PlaceView { address: config.address(&name(number))?, date: None });
        files.push(("sitemap.xml".into(), MapView { index: true, places: (0..maps.len()).filter_map(place).collect() }));
        files.extend(maps.into_iter().enumerate().map(|(number, places)| (name(number), MapView { index: false, places })));
    } else {
        files.extend(maps.into_iter().map(|places| ("sitemap.xml".to_owned(), MapView { index: false, places })));
    }
    files.into_iter().map(|(path, view)| (path, from_view(view))).collect()
}

#[derive(Serialize)]
struct MovedView {
    language: String,
    direction: &'static str,
    words: &'static super::words::Words,
    title: String,
    href: String,
    /// The same as a string of JavaScript.
    quoted: String,
    address: Option<String>,
}

/// The paths and views of the pages at the addresses that the lesson at `index` once had, shown now as `entry`.
pub(crate) fn moved(navigation: &Navigation<'_>, index: usize, entry: &Entry) -> Vec<(String, Value)> {
    let Some(lesson) = navigation.lessons.get(index) else { return Vec::new() };
    let config = &navigation.course.config;
    let page = |alias: &str| {
        let path = if lesson.language == config.language { format!("{alias}.html") } else { format!("{}/{alias}.html", lesson.language) };
        let href = format!("{}{}", root_of(&path), entry.path);
        let view = MovedView {
            language: lesson.language.clone(),
            direction: direction(&lesson.language),
            words: words(&lesson.language),
            title: entry.title.clone(),
            quoted: serde_json::Value::from(&*href).to_string().replace('<', "\\u003c"),
            href,
            address: config.address(&entry.path),
        };
        (path, from_view(view))
    };
    lesson.aliases.iter().map(|(alias, _)| page(alias)).collect()
}
