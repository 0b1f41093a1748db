//! Turns HTML that the author wrote into what of it may pass: plain tags without attributes, such as `<kbd>` and `<br>`.
//!
//! Must not let a page be broken or scripted: comments vanish, and all else is shown as text.

use pulldown_cmark::Event;

use super::Writer;

/// Tags that pass when they stand without attributes.
const TAGS: [&str; 16] = ["abbr", "b", "bdi", "br", "cite", "del", "dfn", "em", "i", "ins", "kbd", "mark", "small", "strong", "sub", "sup"];

impl Writer {
    pub(super) fn raw(&mut self, html: &str) {
        if self.comment.is_some() || html.trim_start().starts_with("<!--") {
            let comment = self.comment.take().unwrap_or_default() + html;
            match comment.split_once("-->") {
                Some((_, behind)) if behind.trim().is_empty() => {}
                Some((_, behind)) => self.raw(behind),
                None => self.comment = Some(comment),
            }
            return;
        }
        let text = html.trim();
        let name = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
        let name = name.map(|name| name.trim_start_matches('/').trim_end_matches('/').trim());
        match name {
            Some(name) if TAGS.contains(&name) => self.events.push(Event::InlineHtml(html.to_owned().into())),
            _ => self.events.push(Event::Text(html.to_owned().into())),
        }
    }
}
