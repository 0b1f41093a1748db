//! Turns what every page has in common into one view: titles, languages, the course, the ways to other pages, the interface's words.
//!
//! Must not know what the page is about.

use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Enumerator, Object};
use serde::Serialize;

use super::block::from_view;
use super::devices::DeviceView;
use super::navigation::Navigation;
use super::words::{Words, direction, language_name, made_once, words};

/// What `base.html` needs.
#[derive(Serialize)]
pub(crate) struct Frame {
    /// The page.
    pub page: PageView,
    /// The course.
    pub course: CourseView,
    /// The lists that every page leads to.
    pub menu: Vec<MenuView>,
    /// The course's languages, each with the way to this page in it, or to its list of lessons; none if there is one language only.
    pub languages: Vec<LanguageView>,
    /// The interface's words in the page's language.
    #[serde(serialize_with = "made_once")]
    pub words: &'static Words,
}

/// A page as its frame sees it.
#[derive(Serialize)]
pub(crate) struct PageView {
    /// What it is, `lesson`, `index`, `source`, `transcript`; the body's class is `page-` and this.
    pub kind: &'static str,
    /// Its title, plain.
    pub title: String,
    /// Its title as HTML.
    pub title_html: String,
    /// What search engines and previews show.
    pub description: Option<String>,
    /// Its language.
    pub language: String,
    /// `ltr` or `rtl`.
    pub direction: &'static str,
    /// Its path from the site's root.
    pub path: String,
    /// The way to the site's root: empty, or `../` for each folder.
    pub root: String,
    /// Its web address, where the course says where it is published.
    pub address: Option<String>,
    /// What search engines read of it, as the text of a script element.
    pub data: Option<String>,
    /// The way to the feed of its language.
    pub feed: Option<String>,
    /// The same page in each of its languages, its own among them; none if there is only one, or no address.
    pub versions: Vec<VersionView>,
    /// The way down to it: the list of lessons, the part of the course.
    pub crumbs: Vec<LinkView>,
    /// Whether it is a draft.
    pub draft: bool,
}

/// The course as every page names it.
#[derive(Serialize)]
pub(crate) struct CourseView {
    /// Its title in the page's language.
    pub title: String,
    /// The way to its list of lessons in that language.
    pub home: String,
    /// The web address of that list, where the course says where it is published.
    pub address: Option<String>,
    /// The devices between which readers of the page choose.
    pub devices: Vec<DeviceView>,
}

/// An entry of the header's menu.
#[derive(Serialize)]
pub(crate) struct MenuView {
    /// Its words.
    pub title: &'static str,
    /// Where it leads.
    pub href: String,
    /// Whether this is it.
    pub current: bool,
}

/// A link.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LinkView {
    /// Its words.
    pub title: String,
    /// Where it leads.
    pub href: String,
    /// The language of what it leads to.
    pub language: String,
}

/// A language of the course.
#[derive(Serialize)]
pub(crate) struct LanguageView {
    /// Its tag.
    pub language: String,
    /// What it calls itself.
    pub title: String,
    /// The way to this page in it, or to its list of lessons.
    pub href: String,
    /// Whether the page is in it.
    pub current: bool,
}

/// A version of a page for search engines.
#[derive(Serialize)]
pub(crate) struct VersionView {
    /// Its language, or `x-default` for readers of none of them.
    pub language: String,
    /// Its web address.
    pub href: String,
}

/// Where a page stands.
pub(crate) struct Place {
    /// What it is: see [`PageView::kind`].
    pub kind: &'static str,
    /// Its language.
    pub language: String,
    /// Its path from the site's root.
    pub path: String,
    /// The same page in each of its languages, with their paths; its own among them, if it has several.
    pub versions: Vec<(String, String)>,
}

impl Place {
    /// The place of a page that is in one language only.
    pub(crate) fn new(kind: &'static str, language: &str, path: &str) -> Self {
        Self { kind, language: language.to_owned(), path: path.to_owned(), versions: Vec::new() }
    }
}

impl Frame {
    /// The frame of a page with a plain title.
    pub(crate) fn new(navigation: &Navigation, place: &Place, title: String) -> Self {
        let config = &navigation.course.config;
        let Place { kind, language, path, versions } = place;
        let root = root_of(path);
        let home = navigation.home(language);
        let words = words(language);
        let crumbs = if *path == home {
            Vec::new()
        } else {
            vec![LinkView { title: words.lessons.to_owned(), href: format!("{root}{home}"), language: language.clone() }]
        };
        Self {
            page: PageView {
                kind,
                title_html: super::html::escape(&title),
                title,
                description: None,
                language: language.clone(),
                direction: direction(language),
                path: path.clone(),
                address: config.address(path),
                data: None,
                feed: navigation.feed(language).map(|feed| format!("{root}{feed}")),
                versions: version_views(navigation, versions),
                crumbs,
                root: root.clone(),
                draft: false,
            },
            course: CourseView {
                title: config.title.of(language).to_owned(),
                address: config.address(&home),
                home: format!("{root}{home}"),
                devices: navigation.devices.clone(),
            },
            menu: menu(navigation, place, words, &root),
            languages: language_views(navigation, place, &root),
            words,
        }
    }

    /// The same, with what search engines and previews are to show.
    pub(crate) fn described(mut self, description: String) -> Self {
        self.page.description = Some(description);
        self
    }

    /// What the template of a page sees: the frame, and `content` in it.
    pub(crate) fn around(self, content: impl Serialize) -> Value {
        Value::from_object(Framed { content: from_view(content), frame: from_view(self) })
    }
}

/// A frame with its content, each looked up where it stands: templates ask for parts of it a hundred times a page.
#[derive(Debug)]
struct Framed {
    content: Value,
    frame: Value,
}

impl Object for Framed {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        let find = |part: &Value| part.get_attr(key).ok().filter(|value| !value.is_undefined());
        find(&self.content).or_else(|| find(&self.frame))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values([&self.content, &self.frame].into_iter().filter_map(|part| part.try_iter().ok()).flatten().collect())
    }
}

/// The lists in the page's language: of lessons, and of what lessons have in common.
fn menu(navigation: &Navigation, place: &Place, words: &'static Words, root: &str) -> Vec<MenuView> {
    let lists = navigation.edition(&place.language).into_iter().flat_map(|edition| &edition.lists);
    let lists = lists.map(|list| (list.title(words), navigation.list(&place.language, *list)));
    let view = |(title, path): (&'static str, String)| MenuView { title, current: path == place.path, href: format!("{root}{path}") };
    std::iter::once((words.lessons, navigation.home(&place.language))).chain(lists).map(view).collect()
}

/// The course's languages, if it has several.
fn language_views(navigation: &Navigation, place: &Place, root: &str) -> Vec<LanguageView> {
    let view = |language: &String| {
        let version = place.versions.iter().find(|(other, _)| other == language).map(|(_, path)| path.clone());
        LanguageView {
            title: language_name(language).to_owned(),
            href: format!("{root}{}", version.unwrap_or_else(|| navigation.home(language))),
            current: *language == place.language,
            language: language.clone(),
        }
    };
    match navigation.editions() {
        [_] => Vec::new(),
        editions => editions.iter().map(|edition| view(&edition.language)).collect(),
    }
}

/// The versions of a page in several languages; readers of another language get the course's own. Search engines take whole
/// addresses only, so that there are none where the course doesn't say where it is published.
fn version_views(navigation: &Navigation, versions: &[(String, String)]) -> Vec<VersionView> {
    if versions.len() < 2 {
        return Vec::new();
    }
    let config = &navigation.course.config;
    let view = |language: &str, path: &str| config.address(path).map(|href| VersionView { language: language.to_owned(), href });
    let own = versions.iter().find(|(language, _)| *language == config.language);
    let default = own.and_then(|(_, path)| view("x-default", path));
    versions.iter().filter_map(|(language, path)| view(language, path)).chain(default).collect()
}

/// The way from the page at `path` to the site's root.
pub(crate) fn root_of(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}
