//! Turns text in an option or in front matter into HTML within a line: Markdown and figures, but no blocks.
//!
//! Must not know what the text is a caption of.

use crate::base::slice::Slice;
use crate::course::document;

use super::page::Page;
use super::text;

/// What an exhibit of `sweep` is called, as HTML: its `caption`, or the sweep's title.
pub(crate) fn of_exhibit(caption: Option<&Slice>, sweep: &str, page: &mut Page<'_>) -> String {
    match caption {
        Some(caption) => html(caption, page),
        None => page.sweep_title(sweep),
    }
}

/// `caption` as HTML.
pub(crate) fn html(caption: &Slice, page: &mut Page<'_>) -> String {
    let nodes = document::inline(caption, &mut page.problems);
    text::inline(&nodes, page)
}
