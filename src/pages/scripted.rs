//! Turns the parts of a page that only scripts can use, the search and the switch of colours, into what the script begins with: once a
//! language, and not once a page.
//!
//! Must not know how a script puts them into a page.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::problem::Problem;

use super::block::from_view;
use super::navigation::Navigation;
use super::template::Templates;
use super::words::{Words, words};

/// What the templates of the parts see.
#[derive(Serialize)]
struct View<'a> {
    page: PageView<'a>,
    words: &'static Words,
}

/// What is known of a page that stands for all in its language; the script knows its way to the root.
#[derive(Serialize)]
struct PageView<'a> {
    language: &'a str,
    root: &'static str,
}

/// What scripts add to the pages in a language.
#[derive(Serialize)]
struct Parts {
    /// None where readers can't search.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<String>,
    theme: String,
    copy: &'static str,
    copied: &'static str,
    anchor: &'static str,
}

/// The beginning of the script: the parts for pages in each language of the course.
///
/// # Errors
/// A template of the course that can't be filled.
pub(super) fn head(navigation: &Navigation, templates: &Templates) -> Result<String, Problem> {
    let mut languages = BTreeMap::new();
    for edition in navigation.editions() {
        let language = edition.language.as_str();
        let words = words(language);
        let view = from_view(View { page: PageView { language, root: "" }, words });
        let fill = |template: &str| templates.fill(template, &view);
        let parts = Parts {
            search: navigation.course.config.has_search.then(|| fill("search.html")).transpose()?,
            theme: fill("theme.html")?,
            copy: words.copy,
            copied: words.copied,
            anchor: words.anchor,
        };
        languages.insert(language, parts);
    }
    let parts = serde_json::to_string(&languages).unwrap_or_default();
    Ok(format!("window.lessonc_parts = {parts};\n"))
}
