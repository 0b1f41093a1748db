//! Turns a document's nodes into blocks of HTML, with exhibits and checked sentences in their places.
//!
//! Must not know what an exhibit looks like, nor how the kinds of text that have a file of their own beside this one are written.

mod alert;
mod boxes;
mod code;
mod math;
mod notes;
mod picture;
mod raw;
mod table;
mod tag;

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};

use crate::base::slice::Slice;
use crate::course::document::Node;

use super::block::Block;
use super::figure::{self, Within};
use super::html::{escape, plain};
use super::page::Page;
use super::{claim, exhibits, links};

use self::code::Code;
use self::math::Display;
pub(crate) use self::notes::{NoteView, Notes, footnotes};
use self::picture::Picture;
use self::raw::Around;
use self::table::Table;

/// `nodes` as the parts of a page.
pub(crate) fn blocks(nodes: &[Node], page: &mut Page<'_>) -> Vec<Block> {
    let mut writer = Writer { events: Vec::with_capacity(nodes.len()), ..Writer::default() };
    let mut rest = nodes;
    while let [node, behind @ ..] = rest {
        rest = match notes::definition(node, behind) {
            Some((label, text, behind)) => {
                page.notes.define(label, text);
                behind
            }
            None => {
                writer.node(node, page);
                behind
            }
        };
    }
    writer.close_raw(page);
    let mut html = String::with_capacity(nodes.len() * 32);
    pulldown_cmark::html::push_html(&mut html, writer.events.into_iter());
    // Holes are written as NUL, number, NUL: no file of a course holds that byte.
    let mut holes: Vec<Option<Block>> = writer.holes.into_iter().map(Some).collect();
    let part = |(at, text): (usize, &str)| match (at % 2, text.parse::<usize>()) {
        (1, Ok(hole)) => holes.get_mut(hole).and_then(Option::take),
        _ => (!text.trim().is_empty()).then(|| Block::html(text.to_owned())),
    };
    html.split('\0').enumerate().filter_map(part).collect()
}

/// `nodes` as HTML within a line.
pub(crate) fn inline(nodes: &[Node], page: &mut Page<'_>) -> String {
    let mut html = String::new();
    for block in blocks(nodes, page) {
        if let Block::Html { html: part } = block {
            html.push_str(part.text());
        }
    }
    let html = html.trim();
    html.strip_prefix("<p>").and_then(|html| html.strip_suffix("</p>")).unwrap_or(html).to_owned()
}

/// `nodes` as HTML within a line that may stand in a link: without links and footnotes of its own.
pub(crate) fn label(nodes: &[Node], page: &mut Page<'_>) -> String {
    let leads_away = |node: &&Node| {
        let Node::Markdown(mark) = node else { return false };
        matches!(mark.event(), Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link) | Event::FootnoteReference(_))
    };
    let nodes: Vec<Node> = nodes.iter().filter(|node| !leads_away(node)).cloned().collect();
    inline(&nodes, page)
}

#[derive(Default)]
struct Writer<'n> {
    events: Vec<Event<'n>>,
    holes: Vec<Block>,
    /// How many links are open.
    links: usize,
    /// The picture that is open.
    picture: Option<Picture>,
    /// A picture by itself in its paragraph: how many events there are with it, and the figure that it becomes.
    alone: Option<(usize, String)>,
    /// The code block that is open.
    code: Option<Code>,
    /// The table that is open.
    table: Option<Table>,
    /// The boxes that are open.
    boxes: Vec<boxes::Open>,
    /// The block of HTML that is open, so far.
    html_block: Option<Slice>,
    /// What is open around the text, the innermost last.
    around: Vec<Around>,
}

impl<'n> Writer<'n> {
    fn node(&mut self, node: &'n Node, page: &mut Page<'_>) {
        match node {
            Node::Markdown(mark) => self.event(mark.event(), &mark.range(), page),
            Node::Figure(figure) => {
                let within = if self.links > 0 { Within::Link } else { Within::Text };
                let html = figure::html(figure, within, page);
                match &mut self.picture {
                    Some(picture) => picture.say(&plain(&html)),
                    None => self.events.push(Event::InlineHtml(html.into())),
                }
            }
            Node::Exhibit(marker) => {
                exhibits::make(marker, page).into_iter().for_each(|block| self.hole(block));
            }
            Node::Claim(claim) => {
                claim::blocks(claim, page).into_iter().for_each(|block| self.hole(block));
            }
            Node::Open(container) => self.open_box(container, page),
            Node::Close => self.close_box(page),
        }
    }

    fn hole(&mut self, block: Block) {
        self.html(format!("\0{}\0", self.holes.len()));
        self.holes.push(block);
    }

    fn html(&mut self, html: String) {
        self.events.push(Event::Html(html.into()));
    }

    fn event(&mut self, event: Event<'n>, range: &Range<usize>, page: &mut Page<'_>) {
        if self.code.is_some() {
            return self.in_code(&event, page);
        }
        if self.picture.is_some() {
            return self.in_picture(&event, page);
        }
        match event {
            Event::Html(html) => {
                let block = self.html_block.get_or_insert_with(|| Slice::empty(&page.lesson.file));
                block.push(&html, range.start);
            }
            Event::InlineHtml(html) => self.inline_html(&html, range, page),
            Event::TaskListMarker(done) => self.task(done, page),
            Event::Start(tag) => self.open(tag, range, page),
            Event::End(tag) => self.close(tag, page),
            Event::FootnoteReference(label) => {
                let mark = page.mark_of_note(&label);
                self.events.push(Event::InlineHtml(mark.into()));
            }
            Event::InlineMath(formula) => self.formula(&formula, Display::Inline, range, page),
            Event::DisplayMath(formula) => self.formula(&formula, Display::Block, range, page),
            event => self.events.push(event),
        }
    }

    /// A box to see, not to tick: the list is the author's.
    fn task(&mut self, done: bool, page: &Page<'_>) {
        let (checked, label) = if done { (" checked", page.words.done) } else { ("", page.words.to_do) };
        self.events
            .push(Event::InlineHtml(format!("<input type=\"checkbox\" disabled{checked} aria-label=\"{}\"> ", escape(label)).into()));
    }

    fn open(&mut self, tag: Tag<'n>, range: &Range<usize>, page: &mut Page<'_>) {
        let tag = match tag {
            Tag::CodeBlock(kind) => {
                self.code = Some(Code::new(&kind));
                return;
            }
            Tag::Image { dest_url, title, .. } => {
                self.picture = Some(Picture::new(&dest_url, &title, range));
                return;
            }
            Tag::HtmlBlock => return,
            Tag::Link { link_type, dest_url, title, id } => {
                self.links += 1;
                let dest_url: CowStr<'n> = links::resolve(&dest_url, range, page).into();
                Tag::Link { link_type, dest_url, title, id }
            }
            tag if self.open_of_table(&tag, page) => {
                self.around.push(Around::Markdown);
                return;
            }
            Tag::BlockQuote(Some(kind)) => {
                self.around.push(Around::Markdown);
                return self.html(alert::open(kind, None, false, page));
            }
            tag => tag,
        };
        self.around.push(Around::Markdown);
        self.events.push(Event::Start(tag));
    }

    fn close(&mut self, tag: TagEnd, page: &mut Page<'_>) {
        if tag == TagEnd::HtmlBlock {
            return self.block_html(page);
        }
        self.close_raw(page);
        if self.close_of_table(tag) {
            return;
        }
        match tag {
            TagEnd::Paragraph if !self.ends_paragraph() => return,
            TagEnd::Link => self.links = self.links.saturating_sub(1),
            TagEnd::BlockQuote(Some(_)) => return self.html("</div>\n".into()),
            _ => {}
        }
        self.events.push(Event::End(tag));
    }
}
