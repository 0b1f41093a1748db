//! Turns the parts of a page into plain data: runs of HTML, and exhibits that a template shapes.
//!
//! Must not know what is in them.

use serde::Serialize;

use super::devices;
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
        /// Classes of the device that it is for, where there are several, with a space before them.
        on: String,
    },
}

impl Block {
    /// `view` in the shape that `template` gives it.
    pub(crate) fn of(template: &'static str, view: impl Serialize) -> Self {
        Self::Template { template, view: from_view(view), on: String::new() }
    }

    /// A box that says in a draft why something is not shown.
    pub(crate) fn problem(what: &str, why: &str) -> Self {
        Self::Html { html: format!("<p class=\"problem\"><code>{}</code>: {}</p>\n", escape(what), escape(why)) }
    }
}

/// `blocks`, made of one thing for each device in order, each for its device; a single one where they say the same on all.
pub(crate) fn on_devices(mut blocks: Vec<Block>) -> Vec<Block> {
    if blocks.len() < 2 {
        return blocks;
    }
    let said = |(index, block): (usize, &Block)| {
        let text = serde_json::to_string(block).unwrap_or_default();
        if index == 0 { text } else { text.replace(&devices::id_end(index), "") }
    };
    let said: Vec<String> = blocks.iter().enumerate().map(said).collect();
    if said.windows(2).all(|pair| pair[0] == pair[1]) {
        blocks.truncate(1);
        return blocks;
    }
    for (index, block) in blocks.iter_mut().enumerate() {
        let class = devices::class(index);
        match block {
            Block::Html { html } => *html = format!("<div class=\"{}\">{html}</div>\n", class.trim_start()),
            Block::Template { on, .. } => *on = class,
        }
    }
    blocks
}

/// Plain data as templates see it.
pub(crate) fn from_view(view: impl Serialize) -> minijinja::Value {
    minijinja::Value::from(minijinja::value::Serde(view))
}
