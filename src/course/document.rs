//! Turns a lesson's Markdown into a flat list of nodes: events of the parser, and figures, markers and claims between.
//!
//! Must not know values, and never puts text back into Markdown: a marker is a node.

use std::sync::Arc;

use pulldown_cmark::BlockQuoteKind;

use crate::base::name::slug;
use crate::base::problem::Problems;
use crate::base::slice::Slice;
use crate::base::span::Span;
use crate::expr::Expr;

use super::mark::{FileText, Mark};
use super::marker::Marker;
use super::weave;

/// The ids that templates give to parts of a lesson's page; a heading takes another one.
pub const FRAME_IDS: [&str; 9] =
    ["between-devices", "footnotes", "main", "menu", "parts", "run-it-yourself", "side", "stands-on", "taken-as-stated"];

/// A lesson's text.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// The nodes, in order.
    pub nodes: Vec<Node>,
    /// The headings, for tables of contents and anchors.
    pub headings: Arc<[Heading]>,
    /// Where the text links to, pictures among them, claims' sentences too.
    pub links: Arc<[Link]>,
    /// Whether a marker could not be read, so that something may be missing that was meant to be here.
    pub torn: bool,
    /// How many claims and terms there are: most documents have none, and are not looked through for them.
    pub(super) claims: usize,
    pub(super) terms: usize,
}

impl Document {
    /// Of these parts.
    #[must_use]
    pub fn new(nodes: Vec<Node>, headings: Vec<Heading>, links: Vec<Link>, torn: bool) -> Self {
        let claims = nodes.iter().filter(|node| matches!(node, Node::Claim(_))).count();
        let is_term = |node: &&Node| matches!(node, Node::Open(container) if matches!(**container, Container::Term(_)));
        let terms = nodes.iter().filter(is_term).count();
        Self { nodes, headings: headings.into(), links: links.into(), torn, claims, terms }
    }

    /// The checked sentences, in order.
    pub fn claims<'a>(&'a self) -> impl Iterator<Item = &'a Claim> {
        let claim = |node: &'a Node| if let Node::Claim(claim) = node { Some(&**claim) } else { None };
        self.nodes.iter().filter_map(claim).take(self.claims)
    }

    /// The terms that it defines, in order, each with what it means.
    pub fn terms<'a>(&'a self) -> impl Iterator<Item = (&'a Definition, &'a [Node])> {
        let term = |(index, node): (usize, &'a Node)| match node {
            Node::Open(container) => match &**container {
                Container::Term(definition) => Some((definition, inside(&self.nodes[index + 1..]))),
                _ => None,
            },
            _ => None,
        };
        self.nodes.iter().enumerate().filter_map(term).take(self.terms)
    }
}

/// `nodes` up to the end of the box that was opened before them.
fn inside(nodes: &[Node]) -> &[Node] {
    let mut depth = 1_usize;
    let end = nodes.iter().position(|node| {
        match node {
            Node::Open(_) => depth += 1,
            Node::Close => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    &nodes[..end.unwrap_or(nodes.len())]
}

/// One piece of a document.
#[derive(Debug, Clone)]
pub enum Node {
    /// An event of the Markdown parser and the bytes of the file it stands for. A heading's `Start` carries its id.
    Markdown(Mark),
    /// A figure: a code span that begins with `= `.
    Figure(Box<Figure>),
    /// A block marker that is no claim.
    Exhibit(Box<Marker>),
    /// A checked sentence with all that belongs to it.
    Claim(Box<Claim>),
    /// What follows, up to the matching [`Node::Close`], stands in a box. It is part of the text like all else.
    Open(Box<Container>),
    /// The end of the box that was opened last.
    Close,
}

/// A box around a part of the text. Titles are running text, empty for the language's own word.
#[derive(Debug, Clone)]
pub enum Container {
    /// Folded until a reader opens it.
    Answer {
        /// What its fold is called.
        title: Vec<Node>,
    },
    /// A note, a warning and their like, with a title of its own.
    Alert {
        /// Which.
        alert: Alert,
        /// What it is called.
        title: Vec<Node>,
    },
    /// Tabs, of which a reader sees one at a time; in it stand [`Container::Tab`]s and nothing else.
    Tabs,
    /// One of them.
    Tab {
        /// What it is called.
        title: Vec<Node>,
    },
    /// What a term means.
    Term(Definition),
}

/// A term that a lesson defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The term.
    pub name: String,
    /// Other words for it.
    pub also: Vec<String>,
    /// Where it is named.
    pub at: Span,
}

impl Definition {
    /// Its anchor, on the lesson's page and in the glossary.
    #[must_use]
    pub fn anchor(&self) -> String {
        format!("term-{}", slug(&self.name))
    }
}

impl Container {
    /// What it is called; empty where it has no title.
    #[must_use]
    pub fn title(&self) -> &[Node] {
        match self {
            Self::Answer { title } | Self::Alert { title, .. } | Self::Tab { title } => title,
            Self::Tabs | Self::Term(_) => &[],
        }
    }
}

/// How an alert looks.
#[derive(Debug, Clone, Copy)]
pub struct Alert {
    /// Its kind.
    pub kind: BlockQuoteKind,
    /// Whether it stays folded until a reader opens it.
    pub fold: bool,
}

/// A bound figure in the text.
#[derive(Debug, Clone)]
pub struct Figure {
    /// What it prints.
    pub expr: Expr,
    /// The code span.
    pub at: Span,
}

/// A checked sentence.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Its name, unique in the lesson.
    pub name: String,
    /// Where the name stands.
    pub at: Span,
    /// What must hold, one comparison or more; empty in a translation, which inherits it.
    pub holds: Vec<Expr>,
    /// The sentence and what follows it in the same quotation, as blocks: the sentence is a paragraph.
    pub sentence: Vec<Node>,
    /// What the page says where the claim fails.
    pub otherwise: Option<Otherwise>,
}

/// What the page says where a claim fails.
#[derive(Debug, Clone)]
pub struct Otherwise {
    /// Where it stands.
    pub at: Span,
    /// What must hold for it; empty if it says so little, and in a translation.
    pub holds: Vec<Expr>,
    /// Its text, as blocks.
    pub sentence: Vec<Node>,
}

/// A heading.
#[derive(Debug, Clone)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its anchor, unique on the page; figures' values are left out of it.
    pub id: String,
    /// Its nodes, for the table of contents.
    pub nodes: Vec<Node>,
    /// Where it stands.
    pub at: Span,
}

/// A link or a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, as written: `other.md#anchor`, `https://…`.
    pub destination: String,
    /// Where it stands.
    pub at: Span,
    /// Whether it is a picture.
    pub picture: bool,
}

/// Reads the Markdown of a lesson, `body` of a file whose text is `file`. In a translation claims repeat no conditions.
pub fn read(body: &Slice, file: &Arc<str>, translation: bool, problems: &mut Problems) -> Document {
    weave::document(body, &FileText::shared(file), translation, problems)
}

/// Reads a title, a summary or a caption: running text with figures, whatever its first characters are.
pub fn inline(text: &Slice, problems: &mut Problems) -> Vec<Node> {
    weave::inline(text, problems)
}
