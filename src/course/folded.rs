//! Turns a lesson's text into half as many bytes for as long as nobody reads it, and back: all lessons of a course are read before the
//! first page is made.
//!
//! Must not know what a node means.

use std::sync::Arc;

use super::document::{Document, Node};
use super::mark::{FileText, FoldedMark};

/// A document at rest.
#[derive(Debug, Clone, Default)]
pub struct Folded {
    marks: Box<[FoldedMark]>,
    /// The nodes that are no such marks, in order.
    others: Box<[Node]>,
    /// The file that the marks are of.
    file: Option<Arc<FileText>>,
    /// All but the nodes.
    rest: Document,
}

impl Folded {
    /// Of `document`.
    #[must_use]
    pub fn of(mut document: Document) -> Self {
        let nodes = std::mem::take(&mut document.nodes);
        let (mut file, mut others) = (None, Vec::new());
        let fold = |node: Node| match node {
            Node::Markdown(mark) => mark.fold(&mut file).unwrap_or_else(|mark| {
                others.push(Node::Markdown(mark));
                FoldedMark::ELSEWHERE
            }),
            other => {
                others.push(other);
                FoldedMark::ELSEWHERE
            }
        };
        let marks = nodes.into_iter().map(fold).collect();
        Self { marks, others: others.as_slice().into(), file, rest: document }
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut others = self.others.iter();
        let unfold = |mark: &FoldedMark| match mark.unfold(self.file.as_ref()) {
            Some(mark) => Some(Node::Markdown(mark)),
            None => others.next().cloned(),
        };
        Document { nodes: self.marks.iter().filter_map(unfold).collect(), ..self.rest.clone() }
    }
}
