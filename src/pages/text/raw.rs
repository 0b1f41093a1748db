//! Turns HTML that the author wrote into what of it may pass: elements of a list, each closed where it was opened.
//!
//! Must not let a page be broken or scripted: comments vanish, and all else is shown as text, unless the course trusts its authors.

use std::ops::Range;

use pulldown_cmark::Event;

use crate::base::problem::Problem;
use crate::base::slice::Slice;
use crate::base::span::Span;
use crate::pages::page::Page;

use super::Writer;
use super::tag::{self, Piece, Tag};

/// Elements that pass within a line.
const INLINE: [&str; 27] = [
    "abbr", "b", "bdi", "bdo", "br", "cite", "code", "data", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "s", "samp", "small",
    "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
];

/// Elements that pass where blocks stand.
const BLOCK: [&str; 10] = ["aside", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "hr", "summary"];

/// Elements that pass in one other only.
const WITHIN: [(&str, &str); 4] = [("dd", "dl"), ("dt", "dl"), ("figcaption", "figure"), ("summary", "details")];

/// Elements that hold nothing and are not closed.
const VOID: [&str; 3] = ["br", "hr", "wbr"];

/// Attributes that pass: of which element (`*`: of all), and which.
const ATTRIBUTES: [(&str, &str); 6] =
    [("*", "dir"), ("*", "lang"), ("*", "title"), ("data", "value"), ("details", "open"), ("time", "datetime")];

/// What is open around the text that is being written.
pub(super) enum Around {
    /// Something of Markdown's, or a box.
    Markdown,
    /// An element that the author opened.
    Raw(&'static str, Span),
}

impl Writer<'_> {
    /// HTML within a line.
    pub(super) fn inline_html(&mut self, html: &str, range: &Range<usize>, page: &mut Page<'_>) {
        let html = Slice::verbatim(&page.lesson.file, html, range.start);
        self.raw(&html, &INLINE, &[], page);
    }

    /// A block of HTML, which Markdown hands over line by line, at its end.
    pub(super) fn block_html(&mut self, page: &mut Page<'_>) {
        let Some(html) = self.html_block.take() else { return };
        let (from, depth) = (self.events.len(), self.around.len());
        let is_inside = matches!(self.around.last(), Some(Around::Raw(..)));
        let is_block = self.raw(&html, &INLINE, &BLOCK, page);
        // What is left of it without a block of its own is running text, and would stand bare between the page's blocks.
        if !is_block && !is_inside && depth == self.around.len() && self.events[from..].iter().any(is_visible) {
            self.events.insert(from, Event::InlineHtml("<p>".into()));
            self.events.push(Event::InlineHtml("</p>\n".into()));
        }
    }

    /// Whether an element of `block` passed, or whatever a trusted author wrote.
    fn raw(&mut self, html: &Slice, inline: &[&'static str], block: &[&'static str], page: &mut Page<'_>) -> bool {
        let is_trusted = page.world.course.config.trusts_html;
        let mut is_block = is_trusted;
        for (piece, range) in tag::pieces(html.text()) {
            let text = &html.text()[range.clone()];
            match piece {
                Piece::Comment => {}
                _ if is_trusted => self.events.push(Event::InlineHtml(text.to_owned().into())),
                // What is an entity to HTML stays one.
                Piece::Text => {
                    // Declarations, instructions, and comments that nothing ends.
                    if let Some(from) = ["<!", "<?"].iter().filter_map(|opening| text.find(opening)).min() {
                        page.problems.push(refused(&text[from..], html.span(range.start + from, range.end)));
                    }
                    self.events.push(Event::InlineHtml(text.replace('<', "&lt;").replace('>', "&gt;").into()));
                }
                Piece::Tag(tag) => {
                    let known = inline.iter().chain(block).find(|known| **known == tag.name).copied();
                    let at = html.span(range.start, range.end);
                    match known.filter(|name| self.passes(name, &tag)) {
                        Some(name) => {
                            is_block |= block.contains(&name);
                            self.element(name, &tag, at, text);
                        }
                        None => {
                            page.problems.push(refused(text, at));
                            self.events.push(Event::Text(text.to_owned().into()));
                        }
                    }
                }
            }
        }
        is_block
    }

    /// Whether a tag of the element `name` may stand here.
    fn passes(&self, name: &str, tag: &Tag<'_>) -> bool {
        let around = match self.around.last() {
            Some(Around::Raw(around, _)) => Some(*around),
            _ => None,
        };
        if tag.closes {
            return around == Some(name);
        }
        let is_home = WITHIN.iter().all(|(inner, outer)| *inner != name || around == Some(outer));
        let known = |key: &str| ATTRIBUTES.iter().any(|(of, known)| (*of == "*" || *of == name) && *known == key);
        is_home && tag.attributes.iter().all(|(key, _)| known(key))
    }

    fn element(&mut self, name: &'static str, tag: &Tag<'_>, at: Span, text: &str) {
        if tag.closes {
            self.around.pop();
        } else if !VOID.contains(&name) {
            self.around.push(Around::Raw(name, at));
        }
        self.events.push(Event::InlineHtml(text.to_owned().into()));
    }

    /// Closes what the author left open, out to what Markdown opened, which then ends too.
    pub(super) fn close_raw(&mut self, page: &mut Page<'_>) {
        while let Some(Around::Raw(name, at)) = self.around.pop() {
            page.problems.push(unclosed(name, at));
            self.events.push(Event::InlineHtml(format!("</{name}>").into()));
        }
    }
}

fn is_visible(event: &Event<'_>) -> bool {
    matches!(event, Event::Text(text) | Event::InlineHtml(text) if !text.trim().is_empty())
}

fn refused(tag: &str, at: Span) -> Problem {
    let tag = tag.lines().next().unwrap_or_default();
    Problem::warning("html-refused", at, format!("`{tag}` can't stand here in a page and is shown as text"))
        .hint("code is written between backticks; the reference lists the elements that pass, and `raw_html = \"trusted\"` under `[site]` lets all pass")
}

fn unclosed(name: &str, at: Span) -> Problem {
    Problem::warning("html-unclosed", at, format!("`<{name}>` is not closed in the part of the text in which it is opened"))
        .hint(format!("write `</{name}>` in the same paragraph, item or quotation; the page closes it there"))
}
