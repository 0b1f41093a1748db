//! Turns a lesson, as its page shows it, into sections: what stands under one heading, as plain text in parts that weigh differently.
//!
//! Must not know terms, or how anything is looked up.

use std::cell::RefCell;

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::base::problem::Problems;
use crate::course::document::{self, Container, Document, Node};
use crate::course::lesson::Lesson;
use crate::course::marker::Marker;
use crate::course::source::reference;
use crate::course::toml::Value;
use crate::pages::claim::shown;
use crate::pages::page::Page;
use crate::pages::words::direction;

use super::spelled::{Spelled, Speller};

/// Headings of this level and above begin a section.
const DEEPEST: u8 = 3;

/// A lesson as it can be found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Findable {
    /// Its language.
    pub language: String,
    /// Its texts, those of each [`Part`] at its index.
    pub(super) texts: Spelled,
    /// Of each section the words of its text: those that are terms.
    pub(super) lengths: Box<[u32]>,
}

/// What of a lesson is a text of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Its page's path on the site.
    Path,
    /// Its title.
    Title,
    /// Its tags, in one text.
    Tags,
    /// The anchor of a section, by its number, on the page; empty for what stands before the first heading, the summary at its head.
    Anchor(usize),
    /// The heading of a section; empty likewise.
    Heading(usize),
    /// A section's prose with figures, captions and checked sentences, then its blocks of code, regions shown among them; all in one line.
    Text(usize),
    /// What stands as code in its lines of text, once more.
    Names(usize),
}

impl Part {
    /// Where its text is in those of the lesson.
    pub(super) fn index(self) -> usize {
        match self {
            Self::Path => 0,
            Self::Title => 1,
            Self::Tags => 2,
            Self::Anchor(section) => 3 + 4 * section,
            Self::Heading(section) => 4 + 4 * section,
            Self::Text(section) => 5 + 4 * section,
            Self::Names(section) => 6 + 4 * section,
        }
    }
}

impl Findable {
    /// How many sections it has.
    pub(super) fn sections(&self) -> usize {
        self.lengths.len()
    }
}

/// What stands under one heading of a lesson, its white space as it is written.
#[derive(Debug, Default, Clone)]
pub(super) struct Section {
    /// As parts, see [`Part`].
    pub anchor: String,
    pub heading: String,
    pub text: String,
    /// The blocks of code.
    pub code: String,
    pub names: String,
}

impl Section {
    fn clear(&mut self) {
        for text in [&mut self.anchor, &mut self.heading, &mut self.text, &mut self.code, &mut self.names] {
            text.clear();
        }
    }
}

/// Where lessons are spelled, one after the other.
#[derive(Debug, Default)]
pub(super) struct Room {
    speller: Speller,
    section: Section,
    lengths: Vec<u32>,
}

thread_local! {
    /// Room that has grown once is used again, and a lesson takes what it needs.
    static ROOM: RefCell<Room> = RefCell::default();
}

impl Room {
    /// A lesson is at `path` and has `title` and `tags`.
    pub(super) fn begin(&mut self, path: &str, title: &str, tags: &str) {
        for text in [path, title, tags] {
            self.speller.text(text);
        }
    }

    /// It has `section` next.
    pub(super) fn section(&mut self, section: &Section) {
        self.speller.text(&section.anchor);
        self.speller.tidy(&[&section.heading]);
        self.lengths.push(self.speller.tidy(&[&section.text, &section.code]));
        self.speller.text(&section.names);
    }

    /// The lesson, which is in `language`; the room is empty again.
    pub(super) fn end(&mut self, language: &str) -> Findable {
        let lengths = self.lengths.drain(..).collect();
        Findable { language: language.to_owned(), texts: self.speller.take(), lengths }
    }
}

/// `lesson` as it can be found, once its page is written: its figures are those that `page` printed.
pub(crate) fn findable((lesson, document): (&Lesson, &Document), path: &str, title: &str, page: &Page<'_>) -> Findable {
    let mut room = ROOM.take();
    room.begin(path, title, &lesson.tags.join(" "));
    let section = std::mem::take(&mut room.section);
    let mut reader = Reader { page, section, each: &mut |section| room.section(section), quiet: 0, code: false };
    if let Some(summary) = &lesson.summary {
        reader.nodes(summary);
        reader.space();
    }
    reader.nodes(&document.nodes);
    room.section = reader.end();
    let findable = room.end(&lesson.language);
    ROOM.set(room);
    findable
}

/// `nodes` as plain text, once their page is written; figures stay in one line with their units.
pub(crate) fn plain_text(nodes: &[Node], page: &Page<'_>) -> String {
    let mut text = None;
    let mut first = |section: &Section| {
        text.get_or_insert_with(|| tidy(&section.text));
    };
    let mut reader = Reader { page, section: Section::default(), each: &mut first, quiet: 0, code: false };
    reader.nodes(nodes);
    reader.end();
    text.unwrap_or_default()
}

/// The words of `text`, with one space between any two; spaces that don't break stay, which keep a figure with its unit.
fn tidy(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// The nodes of a lesson being read.
struct Reader<'a, 'p> {
    page: &'a Page<'p>,
    /// The section that is open.
    section: Section,
    /// Takes each section that is whole.
    each: &'a mut dyn FnMut(&Section),
    /// How many headings that begin a section are open.
    quiet: usize,
    /// Whether a block of code is open.
    code: bool,
}

impl Reader<'_, '_> {
    /// Ends the section that is open; another one begins.
    fn next(&mut self) {
        (self.each)(&self.section);
        self.section.clear();
    }

    /// Ends the last section, and gives back its room.
    fn end(mut self) -> Section {
        self.next();
        self.section
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Markdown(mark) => self.event(&mark.event()),
                Node::Figure(figure) => {
                    let printed = self.page.printed(&figure.at).unwrap_or_default().to_owned();
                    self.say(&in_its_direction(&printed, &self.page.lesson.language));
                }
                Node::Exhibit(marker) => self.exhibit(marker),
                Node::Claim(claim) => self.nodes(shown(claim, self.page)),
                Node::Open(container) => match &**container {
                    // What a section defines, it is about.
                    Container::Term(definition) => {
                        self.say(&definition.name);
                        let names = &mut self.section.names;
                        names.push_str(&format!("{} {} ", definition.name, definition.also.join(" ")));
                    }
                    container => self.nodes(container.title()),
                },
                _ => {}
            }
            if !matches!(node, Node::Markdown(_) | Node::Figure(_)) {
                self.space();
            }
        }
    }

    fn say(&mut self, text: &str) {
        let (code, heading) = (self.code, self.quiet > 0);
        let section = &mut self.section;
        match (code, heading) {
            (true, _) => section.code.push_str(text),
            (false, true) => section.heading.push_str(text),
            (false, false) => section.text.push_str(text),
        }
    }

    fn space(&mut self) {
        self.say(" ");
    }

    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) if *level as u8 <= DEEPEST => {
                self.next();
                self.section.anchor.push_str(id.as_deref().unwrap_or_default());
                self.quiet += 1;
            }
            Event::End(TagEnd::Heading(level)) if *level as u8 <= DEEPEST => self.quiet = self.quiet.saturating_sub(1),
            Event::Start(Tag::CodeBlock(_)) => self.code = true,
            Event::End(TagEnd::CodeBlock) => self.code = false,
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.say(text),
            Event::Code(text) => {
                self.say(text);
                let names = &mut self.section.names;
                names.push_str(text);
                names.push(' ');
            }
            // What breaks a line parts words; what only marks them does not.
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.space(),
            Event::Start(tag) if !is_inline(&tag.to_end()) => self.space(),
            Event::End(tag) if !is_inline(tag) => self.space(),
            _ => {}
        }
    }

    /// What an exhibit is called, and the code that it shows.
    fn exhibit(&mut self, marker: &Marker) {
        let text = |key: &str| match marker.options.get(key).map(|item| &item.value) {
            Some(Value::Text(text)) => Some(document::inline(text, &mut Problems::new())),
            _ => None,
        };
        let called = text("caption").or_else(|| text("title"));
        let world = self.page.world;
        match (called, world.course.sweeps.get(marker.target.text())) {
            (Some(nodes), _) => self.nodes(&nodes),
            (None, Some(sweep)) => self.say(&sweep.title),
            (None, None) => {}
        }
        self.space();
        let region = reference(marker.target.text()).filter(|_| marker.kind == "snippet");
        let source = region.and_then(|(file, name)| Some((world.course.sources.get(file)?, name)));
        if let Some((source, region)) = source.and_then(|(source, name)| Some((source, source.region(name)?))) {
            let code = &mut self.section.code;
            for line in source.shown(region) {
                code.push_str(line.text);
                code.push('\n');
            }
        }
    }
}

/// A figure's text, kept from left to right where the language runs the other way.
fn in_its_direction(printed: &str, language: &str) -> String {
    if direction(language) == "rtl" { format!("\u{2066}{printed}\u{2069}") } else { printed.to_owned() }
}

fn is_inline(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Superscript | TagEnd::Subscript | TagEnd::Link | TagEnd::Image
    )
}
