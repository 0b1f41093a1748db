//! Turns footnotes into marks in the text and a list at its end, numbered as readers meet them, with ways there and back.
//!
//! Must not know where the list stands on the page.

use std::collections::BTreeMap;

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};
use serde::Serialize;

use crate::course::document::Node;
use crate::course::notes::key;
use crate::pages::block::Block;
use crate::pages::html::escape;
use crate::pages::page::Page;
use crate::pages::words::fill;

/// The footnotes of a page so far.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Those that the text refers to, in the order of their first marks.
    marked: Vec<Marked>,
    /// Their texts.
    texts: BTreeMap<String, Vec<Node>>,
}

#[derive(Debug)]
struct Marked {
    key: String,
    id: String,
    /// The ids of its marks.
    marks: Vec<String>,
}

/// A footnote at the end of the text.
#[derive(Debug, Serialize)]
pub(crate) struct NoteView {
    id: String,
    /// Its text; the ways back stand in its last paragraph.
    blocks: Vec<Block>,
}

impl Notes {
    /// Keeps the text of a footnote for the end of the page; the first of a label counts.
    pub(super) fn define(&mut self, label: &str, text: &[Node]) {
        self.texts.entry(key(label)).or_insert_with(|| text.to_vec());
    }
}

impl Page<'_> {
    /// The mark of the footnote `label` in the text, as HTML.
    pub(super) fn mark_of_note(&mut self, label: &str) -> String {
        let key = key(label);
        let known = self.notes.marked.iter().position(|note| note.key == key);
        let index = known.unwrap_or_else(|| {
            let id = self.id("footnote");
            self.notes.marked.push(Marked { key, id, marks: Vec::new() });
            self.notes.marked.len() - 1
        });
        let mark = self.id("note-mark");
        let note = &mut self.notes.marked[index];
        note.marks.push(mark.clone());
        let (id, number) = (&note.id, index + 1);
        let word = escape(&fill(self.words.footnote, &[&number.to_string()]));
        format!("<sup class=\"note-mark\"><a id=\"{mark}\" href=\"#{id}\" role=\"doc-noteref\" aria-label=\"{word}\">{number}</a></sup>")
    }
}

/// If `node` opens the text of a footnote: its label, its nodes out of those `behind`, and what follows.
pub(super) fn definition<'n>(node: &'n Node, behind: &'n [Node]) -> Option<(&'n str, &'n [Node], &'n [Node])> {
    let Node::Markdown(mark) = node else { return None };
    let Event::Start(Tag::FootnoteDefinition(CowStr::Borrowed(label))) = mark.event() else { return None };
    let ends = |node: &Node| matches!(node, Node::Markdown(mark) if mark.event() == Event::End(TagEnd::FootnoteDefinition));
    let end = behind.iter().position(ends).unwrap_or(behind.len());
    Some((label, &behind[..end], behind.get(end + 1..).unwrap_or_default()))
}

/// The footnotes of the page, in order. One footnote may refer to another, which then follows.
pub(crate) fn footnotes(page: &mut Page<'_>) -> Vec<NoteView> {
    let mut views = Vec::new();
    while let Some(note) = page.notes.marked.get(views.len()) {
        let (id, text) = (note.id.clone(), page.notes.texts.remove(&note.key).unwrap_or_default());
        views.push(NoteView { id, blocks: super::blocks(&text, page) });
    }
    // Only now all marks are known.
    for (index, view) in views.iter_mut().enumerate() {
        let back = ways_back(index, page);
        match view.blocks.last_mut() {
            Some(Block::Html { html }) if html.text().trim_end().ends_with("</p>") => {
                let text = html.text().trim_end();
                *html = format!("{}{back}</p>\n", &text[..text.len() - "</p>".len()]).into();
            }
            _ => view.blocks.push(Block::html(format!("<p>{}</p>\n", back.trim_start()))),
        }
    }
    views
}

/// The ways from the footnote at `index` back to its marks.
fn ways_back(index: usize, page: &Page<'_>) -> String {
    let Some(note) = page.notes.marked.get(index) else { return String::new() };
    let number = index + 1;
    let way = |(nth, mark): (usize, &String)| {
        let place = if note.marks.len() > 1 { format!("{number}.{}", nth + 1) } else { number.to_string() };
        let word = escape(&fill(page.words.footnote_back, &[&place]));
        let sup = if note.marks.len() > 1 { format!("<sup>{}</sup>", nth + 1) } else { String::new() };
        format!(" <a class=\"note-back\" href=\"#{mark}\" role=\"doc-backlink\" aria-label=\"{word}\">\u{21a9}\u{fe0e}{sup}</a>")
    };
    note.marks.iter().enumerate().map(way).collect()
}
