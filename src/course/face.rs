//! Turns a lesson's text into what others ask of it: what it shows, and where on its page one can be led to.
//!
//! Must not hold the text, which may be gone by then: whoever compiles a course once lets go of it when the lesson's page is made.

use super::document::{Document, Node};
use super::source::reference;
use super::toml::Value;

/// What is seen of a lesson's text from elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Face {
    /// Whether a marker could not be read, so that something may be missing that was meant to be here.
    pub torn: bool,
    /// The regions that its exhibits name, as `FILE#REGION`, and whatever else their texts may name.
    pub regions: Box<[Box<str>]>,
    /// What its other exhibits name: sweeps.
    pub exhibits: Box<[Box<str>]>,
    /// The ids of its headings, in order.
    pub headings: Box<[Box<str>]>,
    /// The names of its checked sentences, in order.
    pub claims: Box<[Box<str>]>,
    /// The anchors of the terms that it defines, in order.
    pub terms: Box<[Box<str>]>,
    /// Whether it shows anything of what was measured.
    pub shows_evidence: bool,
}

impl Face {
    /// That of `document`.
    #[must_use]
    pub fn of(document: &Document) -> Self {
        let (mut regions, mut exhibits) = (Vec::new(), Vec::new());
        named(&document.nodes, &mut regions, &mut exhibits);
        Self {
            torn: document.torn,
            regions: regions.into(),
            exhibits: exhibits.into(),
            headings: document.headings.iter().map(|heading| heading.id.as_str().into()).collect(),
            claims: document.claims().map(|claim| claim.name.as_str().into()).collect(),
            terms: document.terms().map(|(definition, _)| definition.anchor().into()).collect(),
            shows_evidence: document.nodes.iter().any(shows_evidence),
        }
    }
}

fn shows_evidence(node: &Node) -> bool {
    match node {
        Node::Figure(_) | Node::Claim(_) => true,
        Node::Exhibit(marker) => marker.kind != "snippet",
        Node::Markdown(_) | Node::Open(_) | Node::Close => false,
    }
}

/// Adds every `FILE#REGION` that `nodes` show or fold, and what else they show.
fn named(nodes: &[Node], regions: &mut Vec<Box<str>>, exhibits: &mut Vec<Box<str>>) {
    for node in nodes {
        match node {
            Node::Exhibit(marker) if marker.kind == "snippet" => {
                let target = marker.target.text().trim();
                regions.push(target.into());
                for (_, _, item) in &marker.options.entries {
                    if let Value::Text(text) = &item.value {
                        regions.push(text.text().into()); // `diff = "FILE#REGION"`
                    }
                }
                if let (Some((file, _)), Some(fold)) = (reference(target), marker.options.get("fold")) {
                    regions.extend(fold.texts().into_iter().map(|region| format!("{file}#{}", region.text()).into()));
                }
            }
            Node::Claim(claim) => {
                named(&claim.sentence, regions, exhibits);
                named(claim.otherwise.as_ref().map_or(&[], |otherwise| &otherwise.sentence), regions, exhibits);
            }
            Node::Exhibit(marker) => exhibits.push(marker.target.text().into()),
            Node::Markdown(_) | Node::Figure(_) | Node::Open(_) | Node::Close => {}
        }
    }
}
