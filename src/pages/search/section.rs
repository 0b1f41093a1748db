//! Turns a lesson, as its page shows it, into sections: what stands under one heading, as plain text in parts that weigh differently.
//!
//! Must not know terms, or how anything is looked up.

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::base::problem::Problems;
use crate::course::document::{self, Container, Node};
use crate::course::lesson::Lesson;
use crate::course::marker::Marker;
use crate::course::source::reference;
use crate::course::toml::Value;
use crate::pages::claim::shown;
use crate::pages::page::Page;
use crate::pages::words::direction;

/// Headings of this level and above begin a section.
const DEEPEST: u8 = 3;

/// What stands under one heading of a lesson.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Section {
    /// Its anchor on the page; empty for what stands before the first heading.
    pub anchor: String,
    /// Its heading; empty likewise.
    pub heading: String,
    /// Its prose with figures, captions and checked sentences, then its blocks of code, regions shown among them; all in one line.
    pub text: String,
    /// What stands as code in its lines of text, once more.
    pub names: String,
}

/// A lesson as it can be found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Findable {
    /// Its page's path on the site.
    pub path: String,
    /// Its language.
    pub language: String,
    /// Its title.
    pub title: String,
    /// Its tags, in one text.
    pub tags: String,
    /// Its sections, in order; the first is what stands before the first heading, the summary at its head.
    pub sections: Vec<Section>,
}

/// `lesson` as it can be found, once its page is written: its figures are those that `page` printed.
pub(crate) fn findable(lesson: &Lesson, path: &str, title: &str, page: &Page<'_>) -> Findable {
    let mut reader = Reader::of(page);
    if let Some(summary) = &lesson.summary {
        reader.nodes(summary);
        reader.space();
    }
    reader.nodes(&lesson.document.nodes);
    Findable {
        path: path.to_owned(),
        language: lesson.language.clone(),
        title: title.to_owned(),
        tags: lesson.tags.join(" "),
        sections: reader.sections.into_iter().map(Draft::section).collect(),
    }
}

/// `nodes` as plain text, once their page is written; figures stay in one line with their units.
pub(crate) fn plain_text(nodes: &[Node], page: &Page<'_>) -> String {
    let mut reader = Reader::of(page);
    reader.nodes(nodes);
    let mut text = String::new();
    for section in reader.sections.iter().take(1) {
        tidy(&section.text, &mut text);
    }
    text
}

/// A section being read, its white space as it is written.
#[derive(Debug, Default)]
struct Draft {
    anchor: String,
    heading: String,
    text: String,
    names: String,
    code: String,
}

impl Draft {
    /// The section, its white space as a reader sees it.
    fn section(self) -> Section {
        let mut text = String::with_capacity(self.text.len() + 1 + self.code.len());
        let mut heading = String::with_capacity(self.heading.len());
        for words in [&self.text, &self.code] {
            tidy(words, &mut text);
        }
        tidy(&self.heading, &mut heading);
        text.shrink_to_fit();
        Section { anchor: self.anchor, heading, text, names: self.names }
    }
}

/// Appends the words of `text`, with one space between any two; spaces that don't break stay, which keep a figure with its unit.
fn tidy(text: &str, out: &mut String) {
    for word in text.split_ascii_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// The nodes of a lesson being read.
struct Reader<'a, 'p> {
    page: &'a Page<'p>,
    sections: Vec<Draft>,
    /// How many headings that begin a section are open.
    quiet: usize,
    /// Whether a block of code is open.
    code: bool,
}

impl<'a, 'p> Reader<'a, 'p> {
    fn of(page: &'a Page<'p>) -> Self {
        Self { page, sections: vec![Draft::default()], quiet: 0, code: false }
    }
}

impl Reader<'_, '_> {
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
                        let names = &mut self.section().names;
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

    /// The section that is open.
    fn section(&mut self) -> &mut Draft {
        if self.sections.is_empty() {
            self.sections.push(Draft::default());
        }
        let last = self.sections.len() - 1;
        &mut self.sections[last]
    }

    fn say(&mut self, text: &str) {
        let (code, heading) = (self.code, self.quiet > 0);
        let section = self.section();
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
                let anchor = id.as_deref().unwrap_or_default().to_owned();
                self.sections.push(Draft { anchor, ..Draft::default() });
                self.quiet += 1;
            }
            Event::End(TagEnd::Heading(level)) if *level as u8 <= DEEPEST => self.quiet = self.quiet.saturating_sub(1),
            Event::Start(Tag::CodeBlock(_)) => self.code = true,
            Event::End(TagEnd::CodeBlock) => self.code = false,
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.say(text),
            Event::Code(text) => {
                self.say(text);
                let names = &mut self.section().names;
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
            let code = &mut self.section().code;
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
