//! Turns a picture of Markdown into an element with its size, so that nothing jumps while it loads, and its text.
//!
//! Must not change a picture, nor show one from elsewhere: no page asks another site for anything.

use std::ops::Range;

use pulldown_cmark::Event;

use crate::base::path::{folder, join};
use crate::base::problem::Problem;
use crate::base::span::Span;
use crate::pages::html::escape;
use crate::pages::links;
use crate::pages::page::Page;

use super::Writer;

/// A picture whose text is being read.
pub(super) struct Picture {
    address: String,
    title: String,
    /// Its text so far.
    text: String,
    /// Pictures within its text that are open; only their texts count.
    inner: usize,
    range: Range<usize>,
}

impl Picture {
    pub(super) fn new(address: &str, title: &str, range: &Range<usize>) -> Self {
        Self { address: address.to_owned(), title: title.to_owned(), text: String::new(), inner: 0, range: range.clone() }
    }

    /// Adds to its text.
    pub(super) fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

impl Writer<'_> {
    /// What stands in the picture that is open, up to its end.
    pub(super) fn in_picture(&mut self, event: &Event<'_>, page: &mut Page<'_>) {
        let Some(picture) = &mut self.picture else { return };
        match event {
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) => picture.say(text),
            Event::SoftBreak | Event::HardBreak => picture.say(" "),
            Event::Start(pulldown_cmark::Tag::Image { .. }) => picture.inner += 1,
            Event::End(pulldown_cmark::TagEnd::Image) if picture.inner > 0 => picture.inner -= 1,
            Event::End(pulldown_cmark::TagEnd::Image) => self.show_picture(page),
            _ => {}
        }
    }

    fn show_picture(&mut self, page: &mut Page<'_>) {
        let Some(picture) = self.picture.take() else { return };
        let at = Span::new(&page.lesson.file, picture.range.start, picture.range.end);
        if picture.text.trim().is_empty() {
            page.problems.push(no_text(at.clone()));
        }
        let address = links::resolve(&picture.address, &picture.range, page);
        let size = match size(&picture.address, &address, page) {
            Ok(Some((width, height))) => format!(" width=\"{width}\" height=\"{height}\""),
            Ok(None) => String::new(),
            Err(why) => {
                page.problems.push(unread(&picture.address, why, at));
                String::new()
            }
        };
        let (address, text) = (escape(&address), escape(picture.text.trim()));
        let image = format!("<img src=\"{address}\" alt=\"{text}\"{size} loading=\"lazy\" decoding=\"async\"");
        let title = escape(&picture.title);
        if title.is_empty() {
            self.events.push(Event::InlineHtml(format!("{image}>").into()));
            return;
        }
        // Alone in its paragraph it is a figure, and its title the caption.
        let is_first = matches!(self.events.last(), Some(Event::Start(pulldown_cmark::Tag::Paragraph)));
        self.events.push(Event::InlineHtml(format!("{image} title=\"{title}\">").into()));
        let figure = format!("<figure class=\"picture\">{image}>\n<figcaption>{title}</figcaption></figure>\n");
        self.alone = is_first.then_some((self.events.len(), figure));
    }

    /// Ends a paragraph; `false` if it was a picture by itself, which needs none.
    pub(super) fn ends_paragraph(&mut self) -> bool {
        match self.alone.take() {
            Some((length, figure)) if length == self.events.len() => {
                self.events.truncate(length - 2);
                self.html(figure);
                false
            }
            _ => true,
        }
    }
}

/// Why a picture can't be shown, and what to do.
type Unfit = (&'static str, &'static str);

const ELSEWHERE: Unfit = (
    "it lies on another site, which readers' browsers would ask for it",
    "put a copy of the picture beside the lessons, such as in lessons/images/, and name that",
);
const OTHER_KIND: Unfit =
    ("it is no PNG, JPEG, WebP, GIF or AVIF", "its name says what it should be: save it as that, or call it by what it is");
const NO_PICTURE: Unfit = ("it is no picture", "name a PNG, JPEG, WebP, GIF, AVIF or SVG; to another file lead with a link, `[…](…)`");
const NO_SVG: Unfit = ("it is no SVG", "save the picture as SVG, with its `<svg>` element");
const NO_SIZE: Unfit = (
    "its `<svg>` says neither width and height nor a viewBox",
    "give its `<svg>` a viewBox, such as `viewBox=\"0 0 640 360\"`, so that pages know its room before it is there",
);

/// The size in pixels of the picture that the lesson calls `written` and the site `address`; nothing where it is not there, which was
/// said already.
fn size(written: &str, address: &str, page: &Page<'_>) -> Result<Option<(usize, usize)>, Unfit> {
    if address == "#" {
        return Ok(None);
    }
    if address.starts_with("//") || address.split('/').next().is_some_and(|head| head.contains(':')) {
        return Err(ELSEWHERE);
    }
    let written = written.split(['#', '?']).next().unwrap_or_default();
    let Some(name) = join(if written.starts_with('/') { "" } else { folder(&page.lesson.file) }, written) else { return Ok(None) };
    let tree = page.world.tree;
    if let Some(file) = tree.binary(&name) {
        let size = imagesize::blob_size(&file.bytes).map_err(|_| OTHER_KIND)?;
        return Ok(Some((size.width, size.height)));
    }
    match tree.get(&name) {
        Some(file) if name.ends_with(".svg") => svg_size(&file.text()).map(Some),
        Some(_) => Err(NO_PICTURE),
        None => Ok(None),
    }
}

/// The size that an SVG says it has, or that of its view box.
fn svg_size(text: &str) -> Result<(usize, usize), Unfit> {
    let start = text.find("<svg").ok_or(NO_SVG)?;
    let tag = text[start..].split('>').next().unwrap_or_default();
    let attribute = |name: &str| {
        let (_, value) = tag.split_once(&format!(" {name}=")).or_else(|| tag.split_once(&format!("\n{name}=")))?;
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        value[1..].split(quote).next()
    };
    let pixels = |text: &str| {
        let number: f64 = text.trim().trim_end_matches("px").parse().ok()?;
        (number.is_finite() && number >= 1.0).then(|| libm::round(number) as usize)
    };
    let stated = attribute("width").and_then(pixels).zip(attribute("height").and_then(pixels));
    let boxed = || {
        let parts: Vec<&str> = attribute("viewBox")?.split([' ', ',']).filter(|part| !part.is_empty()).collect();
        let [_, _, width, height] = parts[..] else { return None };
        pixels(width).zip(pixels(height))
    };
    stated.or_else(boxed).ok_or(NO_SIZE)
}

fn no_text(at: Span) -> Problem {
    Problem::error("picture-no-text", at, "this picture has no text for those who can't see it")
        .hint("say between the brackets what it shows: `![two warps that share a bank](banks.svg)`")
}

fn unread(name: &str, why: Unfit, at: Span) -> Problem {
    Problem::error("picture-unread", at, format!("{name} can't be shown: {}", why.0)).hint(why.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_svg_says_its_size() {
        let cases = [
            ("<?xml version='1.0'?><svg xmlns='x' width=\"120px\" height='40.4'>", Some((120, 40))),
            ("<svg viewBox=\"0 0 300 150\">", Some((300, 150))),
            ("<svg width=\"100%\" height=\"4\"\nviewBox='0,0, 16,9'>", Some((16, 9))),
            ("<svg stroke-width=\"3\">", None),
            ("<p>", None),
        ];
        for (text, expected) in cases {
            assert_eq!(svg_size(text).ok(), expected, "{text}");
        }
    }
}
