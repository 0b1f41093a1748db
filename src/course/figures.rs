//! Turns a lesson into the figures on its page: those that expressions compute, and those that somebody typed.
//!
//! Must not know values, nor who vouches for a typed figure. What is code, or a place that a link leads to, says nothing.

use std::sync::Arc;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use crate::base::problem::Problems;
use crate::base::quantity::Unit;
use crate::base::slice::Slice;
use crate::base::span::Span;
use crate::expr::{Expr, Names};

use super::document::{self, Claim, Node};
use super::formula;
use super::keys;
use super::macros::Macros;
use super::marker::Marker;
use super::mention::{self, Mention, OBJECT, Place};
use super::toml::{self, Item, Value};

/// A figure that somebody typed.
#[derive(Debug, Clone)]
pub struct Typed {
    /// What it says.
    pub mention: Mention,
    /// As it stands in the text.
    pub text: String,
    /// Where it stands.
    pub at: Span,
    /// The text around it: a paragraph, a heading, a table's cell, a caption.
    pub around: Arc<str>,
    /// Whether it is an expression of one number, `= 5%`, which computes nothing.
    pub literal: bool,
}

/// What a page says in figures, and what of it can be counted.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// The figures that expressions compute from sweeps and devices.
    pub bound: usize,
    /// These figures, in the order of the text, each with its place.
    pub computed: Vec<(Expr, Span)>,
    /// The figures that expressions work out from nothing but numbers: `= 100/128 | percent`.
    pub worked_out: usize,
    /// The figures that somebody typed.
    pub typed: Vec<Typed>,
    /// Checked sentences.
    pub sentences: usize,
    /// Regions of code.
    pub regions: usize,
}

/// The figures of a lesson whose title, summary and text are these; `file` is the whole file, `macros` may stand in its formulas.
pub(super) fn read(title: &[Node], summary: Option<&[Node]>, text: &[Node], (file, macros): (&Slice, &Macros)) -> Figures {
    let mut reader = Reader { macros: Some(macros), ..Reader::new(file) };
    for nodes in [title, summary.unwrap_or_default(), text] {
        reader.nodes(nodes);
        reader.flush();
    }
    reader.figures
}

impl Figures {
    /// Adds what was typed in `texts`, plain texts that a page shows and where no expression can stand.
    pub(super) fn add_texts<'a>(&mut self, texts: impl Iterator<Item = &'a Slice>) {
        for text in texts {
            let mut reader = Reader::new(text);
            reader.text_of(text, &Place::Prose);
            self.typed.append(&mut reader.figures.typed);
        }
    }
}

struct Reader<'a> {
    file: &'a Slice,
    macros: Option<&'a Macros>,
    figures: Figures,
    /// The text so far of the block that is open.
    text: Slice,
    place: Place,
    /// Code, an address, or a comment is open: nothing in it counts.
    silent: usize,
    comment: bool,
    table: Table,
}

/// Where in a table the reader is.
#[derive(Default)]
struct Table {
    /// The units that its columns' headings name.
    columns: Vec<Option<Unit>>,
    /// The unit that the first cell of the row names.
    row: Option<Unit>,
    column: usize,
    head: bool,
}

impl<'a> Reader<'a> {
    fn new(file: &'a Slice) -> Self {
        let text = Slice::empty(file.file());
        Self {
            file,
            macros: None,
            figures: Figures::default(),
            text,
            place: Place::Prose,
            silent: 0,
            comment: false,
            table: Table::default(),
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Markdown(mark) => self.event(&mark.event(), &mark.range()),
                Node::Figure(figure) => {
                    self.figure(&figure.expr, &figure.at);
                    self.object(figure.at.start);
                }
                Node::Exhibit(marker) => {
                    self.flush();
                    self.exhibit(marker);
                }
                Node::Claim(claim) => {
                    self.flush();
                    self.claim(claim);
                }
                Node::Open(container) => {
                    self.flush();
                    self.nodes(container.title());
                    self.flush();
                }
                Node::Close => self.flush(),
            }
        }
    }

    fn claim(&mut self, claim: &Claim) {
        self.figures.sentences += 1;
        self.nodes(&claim.sentence);
        self.flush();
        if let Some(otherwise) = &claim.otherwise {
            self.nodes(&otherwise.sentence);
            self.flush();
        }
    }

    /// What an exhibit is called, and the lines that a chart is read by.
    fn exhibit(&mut self, marker: &Marker) {
        self.figures.regions += usize::from(marker.kind == "snippet");
        self.words(&marker.options, &["caption", "title"]);
        self.step(&marker.options);
        let Some(Item { value: Value::Array(marks), .. }) = marker.options.get("marks") else { return };
        for mark in marks {
            let Value::Table(mark) = &mark.value else { continue };
            self.words(mark, &["label"]);
            for item in ["x", "y"].iter().filter_map(|axis| mark.get(axis)) {
                if let Ok(value) = keys::expr(item, "") {
                    self.figure(&value, &value.span());
                }
            }
        }
    }

    /// What a change of the code brought. What is wrong with it is said where the page is made.
    fn step(&mut self, options: &toml::Table) {
        let Some(Item { value: Value::Array(values), .. }) = options.get("step") else { return };
        for value in values.iter().filter_map(|item| keys::expr(item, "").ok()) {
            self.figure(&value, &value.span());
        }
    }

    /// The texts under `keys` of `options`. What is wrong with them is said where the page is made.
    fn words(&mut self, options: &toml::Table, keys: &[&str]) {
        for (_, _, item) in options.entries.iter().filter(|(key, ..)| keys.contains(&key.as_str())) {
            if let Value::Text(text) = &item.value {
                let nodes = document::inline(text, &mut Problems::new());
                self.nodes(&nodes);
                self.flush();
            }
        }
    }

    fn figure(&mut self, expr: &Expr, at: &Span) {
        let stands = expr.names() != Names::default();
        match expr.literal_text() {
            _ if stands => {
                self.figures.bound += 1;
                self.figures.computed.push((expr.clone(), at.clone()));
            }
            Some(text) => {
                let mention = mention::find(&text, &Place::Prose).into_iter().next();
                let typed = |mention| Typed { mention, text: text.clone(), at: at.clone(), around: text.as_str().into(), literal: true };
                self.figures.typed.extend(mention.map(typed));
            }
            None => self.figures.worked_out += 1,
        }
    }

    fn object(&mut self, start: usize) {
        let mut mark = [0; 4];
        self.text.push(OBJECT.encode_utf8(&mut mark), start);
    }

    fn event(&mut self, event: &Event<'_>, range: &std::ops::Range<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => {
                self.flush();
                self.silent += 1;
            }
            Event::End(TagEnd::CodeBlock) => self.silent = self.silent.saturating_sub(1),
            Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }) => {
                self.object(range.start);
                self.silent += 1;
            }
            Event::End(TagEnd::Link) => self.silent = self.silent.saturating_sub(1),
            Event::Start(Tag::Link { title, .. }) => self.aside(title, range),
            Event::Start(Tag::Image { title, .. }) => {
                self.object(range.start);
                self.aside(title, range);
            }
            Event::End(TagEnd::Image) => self.object(range.end),
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Superscript | TagEnd::Subscript)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {}
            _ if self.silent > 0 => {}
            Event::Text(text) => self.text.push(text, range.start),
            Event::SoftBreak | Event::HardBreak => self.text.push(" ", range.start),
            Event::Code(_) => self.object(range.start),
            Event::InlineMath(formula) | Event::DisplayMath(formula) => self.formula(formula, range),
            Event::Html(html) | Event::InlineHtml(html) => self.html(html, range.start),
            Event::Start(tag) => {
                self.flush();
                self.open(tag);
            }
            Event::End(tag) => {
                self.flush();
                self.close(tag);
            }
            Event::Rule => self.flush(),
        }
    }

    fn formula(&mut self, formula: &str, range: &std::ops::Range<usize>) {
        let around = self.file.text().get(range.clone()).unwrap_or_default();
        let start = range.start + around.find(formula).unwrap_or(0);
        let expanded = self.macros.map(|macros| macros.expanded(formula)).unwrap_or_default();
        for (at, said) in formula::pieces(&expanded.text) {
            self.text.push(&said, start + expanded.place(at));
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.place = Place::Heading,
            Tag::Table(_) => self.table = Table::default(),
            Tag::TableHead => self.table.head = true,
            Tag::TableRow => (self.table.row, self.table.column) = (None, 0),
            Tag::TableCell => {
                let column = self.table.columns.get(self.table.column).cloned().flatten();
                self.place = Place::Cell(column.or_else(|| self.table.row.clone()));
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: &TagEnd) {
        match tag {
            TagEnd::TableHead => self.table.head = false,
            TagEnd::TableCell => self.table.column += 1,
            _ => {}
        }
        self.place = Place::Prose;
    }

    /// Raw HTML: tags and comments say nothing; whatever is no plain tag is shown as it stands.
    fn html(&mut self, html: &str, start: usize) {
        self.comment |= html.trim_start().starts_with("<!--");
        if self.comment {
            self.comment = !html.trim_end().ends_with("-->");
            return;
        }
        let name = html.trim().strip_prefix('<').and_then(|html| html.strip_suffix('>'));
        if name.is_none_or(|name| name.contains([' ', '<'])) {
            self.text.push(html, start);
        }
    }

    /// The title of a link or a picture, a text of its own.
    fn aside(&mut self, title: &str, range: &std::ops::Range<usize>) {
        let around = self.file.text().get(range.clone()).unwrap_or_default();
        let start = range.start + around.rfind(title).unwrap_or(0);
        self.text_of(&Slice::verbatim(self.file.file(), title, start), &Place::Prose);
    }

    /// Closes the block that is open, and reads its text.
    fn flush(&mut self) {
        let text = std::mem::replace(&mut self.text, Slice::empty(self.file.file()));
        // Of a table's cells only those name units that head a column or a row.
        match self.place {
            Place::Cell(_) if self.table.head => self.table.columns.push(mention::unit_of_heading(text.text())),
            Place::Cell(_) if self.table.column == 0 => self.table.row = mention::unit_of_heading(text.text()),
            _ => {}
        }
        if mention::may_hold(text.text()) {
            self.text_of(&text, &self.place.clone());
        }
        // The next block is written where this one was.
        self.text = text;
        self.text.clear();
    }

    fn text_of(&mut self, text: &Slice, place: &Place) {
        let mentions = mention::find(text.text(), place);
        if mentions.is_empty() {
            return;
        }
        let around: Arc<str> = text.text().into();
        for mention in mentions {
            let range = mention.range.clone();
            let (at, text) = (text.span(range.start, range.end), text.text()[range].to_owned());
            self.figures.typed.push(Typed { mention, text, at, around: around.clone(), literal: false });
        }
    }
}
