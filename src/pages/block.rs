//! Turns the parts of a page into plain data: runs of HTML, and exhibits that a template shapes.
//!
//! Must not know what is in them.

use serde::Serialize;

use super::html::escape;

/// One part of a page.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Block {
    /// HTML as it stands.
    Html {
        /// The HTML.
        html: String,
    },
    /// A template with its view.
    Template {
        /// The template's file name.
        template: &'static str,
        /// Plain data.
        view: minijinja::Value,
    },
}

impl Block {
    /// `view` in the shape that `template` gives it.
    pub(crate) fn of(template: &'static str, view: impl Serialize) -> Self {
        Self::Template { template, view: from_view(view) }
    }

    /// A box that says in a draft why something is not shown.
    pub(crate) fn problem(what: &str, why: &str) -> Self {
        Self::Html { html: format!("<p class=\"problem\"><code>{}</code>: {}</p>\n", escape(what), escape(why)) }
    }
}

/// Plain data as templates see it.
pub(crate) fn from_view(view: impl Serialize) -> minijinja::Value {
    minijinja::Value::from(minijinja::value::Serde(view))
}
