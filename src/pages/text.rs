//! Turns a document's nodes into blocks of HTML, with exhibits and checked sentences in their places.
//!
//! Must not know what an exhibit looks like. Of raw HTML in Markdown only plain tags without attributes pass, such as
//! `<kbd>` and `<br>`; comments vanish and all else is shown as text, so that no page can be broken or scripted.

use pulldown_cmark::{BlockQuoteKind, CodeBlockKind, CowStr, Event, Tag, TagEnd};

use crate::course::document::Node;

use super::block::Block;
use super::html::{escape, plain};
use super::page::Page;
use super::{claim, exhibits, figure, links};

/// Tags that pass when they stand without attributes.
const TAGS: [&str; 16] = ["abbr", "b", "bdi", "br", "cite", "del", "dfn", "em", "i", "ins", "kbd", "mark", "small", "strong", "sub", "sup"];

/// `nodes` as the parts of a page.
pub(crate) fn blocks(nodes: &[Node], page: &mut Page<'_>) -> Vec<Block> {
    let mut writer = Writer::default();
    for node in nodes {
        writer.node(node, page);
    }
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, writer.events.into_iter());
    // Holes are written as NUL, number, NUL: no file of a course holds that byte.
    let mut holes: Vec<Option<Block>> = writer.holes.into_iter().map(Some).collect();
    let part = |(at, text): (usize, &str)| match (at % 2, text.parse::<usize>()) {
        (1, Ok(hole)) => holes.get_mut(hole).and_then(Option::take),
        _ => (!text.trim().is_empty()).then(|| Block::Html { html: text.to_owned() }),
    };
    html.split('\0').enumerate().filter_map(part).collect()
}

/// `nodes` as HTML within a line.
pub(crate) fn inline(nodes: &[Node], page: &mut Page<'_>) -> String {
    let mut html = String::new();
    for block in blocks(nodes, page) {
        if let Block::Html { html: part } = block {
            html.push_str(&part);
        }
    }
    let html = html.trim();
    html.strip_prefix("<p>").and_then(|html| html.strip_suffix("</p>")).unwrap_or(html).to_owned()
}

#[derive(Default)]
struct Writer {
    events: Vec<Event<'static>>,
    holes: Vec<Block>,
    /// The id of the heading that is open.
    heading: Option<String>,
    /// Inside a picture: its text becomes an attribute.
    alt: bool,
    /// The language and text of the code block that is open.
    code: Option<(String, String)>,
    /// Lines so far of the comment that is open: Markdown hands a block of HTML over line by line.
    comment: Option<String>,
}

impl Writer {
    fn node(&mut self, node: &Node, page: &mut Page<'_>) {
        match node {
            Node::Markdown(event, range) => self.event(event.clone(), range, page),
            Node::Figure(figure) => {
                let html = figure::html(figure, page);
                self.events.push(if self.alt { Event::Text(plain(&html).into()) } else { Event::InlineHtml(html.into()) });
            }
            Node::Exhibit(marker) => {
                let block = exhibits::make(marker, page);
                self.hole(block);
            }
            Node::Claim(claim) => {
                let block = claim::block(claim, page);
                self.hole(block);
            }
            Node::Answer(answer) => {
                let title = if answer.title.is_empty() { escape(page.words.answer) } else { inline(&answer.title, page) };
                self.html(format!("<details class=\"answer\"><summary>{title}</summary>\n"));
            }
            Node::AnswerEnd => self.html("</details>\n".into()),
        }
    }

    fn hole(&mut self, block: Block) {
        self.html(format!("\0{}\0", self.holes.len()));
        self.holes.push(block);
    }

    fn html(&mut self, html: String) {
        self.events.push(Event::Html(html.into()));
    }

    fn event(&mut self, event: Event<'static>, range: &std::ops::Range<usize>, page: &mut Page<'_>) {
        if let Some((_, text)) = &mut self.code {
            match &event {
                Event::Text(part) => text.push_str(part),
                Event::End(TagEnd::CodeBlock) => self.listing(page),
                _ => {}
            }
            return;
        }
        match event {
            Event::Html(html) | Event::InlineHtml(html) => self.raw(&html),
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',']).next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url: CowStr<'static> = links::resolve(&dest_url, range, page).into();
                self.events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                self.alt = true;
                let dest_url: CowStr<'static> = links::resolve(&dest_url, range, page).into();
                self.events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            Event::End(TagEnd::Image) => {
                self.alt = false;
                self.events.push(Event::End(TagEnd::Image));
            }
            Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                self.heading = id.as_deref().map(str::to_owned);
                self.events.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            Event::End(TagEnd::Heading(level)) => {
                if let Some(id) = self.heading.take() {
                    let anchor =
                        format!("<a class=\"anchor\" href=\"#{}\" aria-label=\"{}\">#</a>", escape(&id), escape(page.words.anchor));
                    self.events.push(Event::InlineHtml(anchor.into()));
                }
                self.events.push(Event::End(TagEnd::Heading(level)));
            }
            Event::Start(Tag::Table(alignments)) => {
                let label = escape(page.words.table);
                self.html(format!("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">"));
                self.events.push(Event::Start(Tag::Table(alignments)));
            }
            Event::End(TagEnd::Table) => {
                self.events.push(Event::End(TagEnd::Table));
                self.html("</div>\n".into());
            }
            Event::Start(Tag::BlockQuote(Some(kind))) => {
                self.events.push(Event::Start(Tag::BlockQuote(Some(kind))));
                self.html(format!("<p class=\"alert\">{}</p>\n", escape(alert(kind, page))));
            }
            Event::End(TagEnd::HtmlBlock) => {
                // A comment that nothing ends would hide all that follows, unseen.
                self.events.extend(self.comment.take().map(|comment| Event::Text(comment.into())));
                self.events.push(Event::End(TagEnd::HtmlBlock));
            }
            event => self.events.push(event),
        }
    }

    /// A fenced or indented code block.
    fn listing(&mut self, page: &Page<'_>) {
        let Some((language, text)) = self.code.take() else { return };
        let lines: String = page.world.highlighter.highlight(&text, &language).iter().flat_map(|line| [line, "\n"]).collect();
        let label = escape(page.words.code);
        self.html(format!(
            "<div class=\"code listing\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><pre><code>{lines}</code></pre></div>\n"
        ));
    }

    /// HTML that the author wrote.
    fn raw(&mut self, html: &str) {
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

/// The words at the head of a GFM alert.
fn alert(kind: BlockQuoteKind, page: &Page<'_>) -> &'static str {
    match kind {
        BlockQuoteKind::Note => page.words.note,
        BlockQuoteKind::Tip => page.words.tip,
        BlockQuoteKind::Important => page.words.important,
        BlockQuoteKind::Warning => page.words.warning,
        BlockQuoteKind::Caution => page.words.caution,
    }
}
