//! Turns what every page has in common into one view: titles, language, the course, the interface's words.
//!
//! Must not know what the page is about.

use serde::Serialize;

use crate::course::Course;

use super::words::{Words, direction, words};

/// What `base.html` needs.
#[derive(Serialize)]
pub(crate) struct Frame {
    /// The page.
    pub page: PageView,
    /// The course.
    pub course: CourseView,
    /// The interface's words in the page's language.
    pub words: &'static Words,
}

/// A page as its frame sees it.
#[derive(Serialize)]
pub(crate) struct PageView {
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
    /// The way to the site's root: empty, or `../` for each folder.
    pub root: String,
    /// Whether it is a draft.
    pub draft: bool,
}

/// The course as every page names it.
#[derive(Serialize)]
pub(crate) struct CourseView {
    /// Its title.
    pub title: String,
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

impl Frame {
    /// The frame of a page with a plain title.
    pub(crate) fn new(course: &Course, language: &str, root: &str, title: String) -> Self {
        Self {
            page: PageView {
                title_html: super::html::escape(&title),
                title,
                description: None,
                language: language.to_owned(),
                direction: direction(language),
                root: root.to_owned(),
                draft: false,
            },
            course: CourseView { title: course.config.title.clone() },
            words: words(language),
        }
    }
}

/// The way from the page at `path` to the site's root.
pub(crate) fn root_of(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}
