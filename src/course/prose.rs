//! Turns Markdown into events with their places, and groups them by the smallest blocks that hold running text.
//!
//! Must not know markers or figures.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::base::slice::Slice;

use super::dollar;

/// An event of the parser and the bytes of the source that it stands for.
pub(super) type Placed<'t> = (Event<'t>, Range<usize>);

/// What holds a piece of running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeafKind {
    /// A paragraph, or the text of a tight list's item, which has no paragraph of its own.
    Paragraph,
    Heading,
    Cell,
    /// The title of a definition.
    Term,
}

/// A block that holds running text and no other blocks.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    pub(super) kind: LeafKind,
    /// Its events, those of its own start and end among them.
    pub(super) events: Range<usize>,
    /// The events between its start and end.
    pub(super) inside: Range<usize>,
    /// Its bytes in the source.
    pub(super) range: Range<usize>,
    /// The quotations around it.
    pub(super) quotes: usize,
}

/// The leaves of a text, in order.
#[derive(Debug, Default)]
pub(super) struct Leaves(Vec<Leaf>);

impl Leaves {
    /// The one that begins with event `at`.
    pub(super) fn at(&self, at: usize) -> Option<&Leaf> {
        self.0.binary_search_by_key(&at, |leaf| leaf.events.start).ok().map(|index| &self.0[index])
    }

    pub(super) fn first(&self) -> Option<&Leaf> {
        self.0.first()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Leaf> {
        self.0.iter()
    }
}

/// The events of the text of which [`dollar::set_aside`] made `text`.
#[expect(clippy::ptr_arg, reason = "whether something was set aside is known by it")]
pub(super) fn events<'t>(text: &'t Cow<'_, str>) -> Vec<Placed<'t>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_GFM
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_MATH;
    let parsed = Parser::new_ext(text, options).into_offset_iter();
    // Prose has an event for every thirty bytes or so, and tables more. To grow takes longer than to have some to spare.
    let mut events = Vec::with_capacity(text.len() / 16);
    match text {
        Cow::Borrowed(_) => events.extend(parsed),
        Cow::Owned(_) => events.extend(parsed.map(|(event, range)| (dollar::put_back(event), range))),
    }
    events
}

fn is_inline(event: &Event<'_>) -> bool {
    match event {
        Event::Start(tag) => {
            matches!(
                tag,
                Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript | Tag::Link { .. } | Tag::Image { .. }
            )
        }
        Event::End(tag) => matches!(
            tag,
            TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Superscript
                | TagEnd::Subscript
                | TagEnd::Link
                | TagEnd::Image
        ),
        Event::Html(_) | Event::Rule => false,
        _ => true,
    }
}

/// What is open around an event.
enum Open {
    /// Blocks stand in it.
    Container,
    Quote,
    /// Text that is none of ours: code, HTML.
    Opaque,
    Leaf(usize),
}

/// The leaves among `events`, in order.
pub(super) fn leaves(events: &[Placed<'_>]) -> Leaves {
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut quotes = 0;
    // The leaf of a tight item's text, which ends where the text does.
    let mut bare: Option<usize> = None;
    for (index, (event, range)) in events.iter().enumerate() {
        if is_inline(event) {
            match (open.last(), bare) {
                (Some(Open::Leaf(_) | Open::Opaque), _) => {}
                (_, Some(leaf)) => {
                    let leaf = &mut leaves[leaf];
                    (leaf.events.end, leaf.inside.end) = (index + 1, index + 1);
                    leaf.range.end = leaf.range.end.max(range.end);
                }
                (_, None) => {
                    bare = Some(leaves.len());
                    let events = index..index + 1;
                    leaves.push(Leaf { kind: LeafKind::Paragraph, inside: events.clone(), events, range: range.clone(), quotes });
                }
            }
            continue;
        }
        bare = None;
        match event {
            Event::Start(tag) => {
                let kind = match tag {
                    Tag::Paragraph => Some(LeafKind::Paragraph),
                    Tag::Heading { .. } => Some(LeafKind::Heading),
                    Tag::TableCell => Some(LeafKind::Cell),
                    Tag::DefinitionListTitle => Some(LeafKind::Term),
                    _ => None,
                };
                open.push(match (kind, tag) {
                    (Some(kind), _) => {
                        leaves.push(Leaf { kind, events: index..index + 1, inside: index + 1..index + 1, range: range.clone(), quotes });
                        Open::Leaf(leaves.len() - 1)
                    }
                    (None, Tag::BlockQuote(_)) => {
                        quotes += 1;
                        Open::Quote
                    }
                    (None, Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_)) => Open::Opaque,
                    (None, _) => Open::Container,
                });
            }
            Event::End(_) => match open.pop() {
                Some(Open::Leaf(leaf)) => {
                    leaves[leaf].inside.end = index;
                    leaves[leaf].events.end = index + 1;
                }
                Some(Open::Quote) => quotes -= 1,
                _ => {}
            },
            _ => {}
        }
    }
    Leaves(leaves)
}

/// One past the last event of the block that begins at `at`.
pub(super) fn block_end(events: &[Placed<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, (event, _)) in events.iter().enumerate().skip(at) {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    events.len()
}

/// The bytes `range` of `source` without the prefixes (`> `, indent) that `quotes` quotations and any lists around them put
/// before every line but the first, and without blank ends.
pub(super) fn lift(source: &Slice, range: &Range<usize>, quotes: usize) -> Slice {
    let text = source.text();
    let end = range.start + text[range.clone()].trim_end().len();
    let mut lifted = Slice::empty(source.file());
    let mut at = end - text[range.start..end].trim_start().len();
    while at < end {
        let line_end = text[at..end].find('\n').map_or(end, |found| at + found + 1);
        lifted.append(source, at, line_end);
        at = line_end;
        for _ in 0..quotes {
            let mark = end - text[at..end].trim_start_matches([' ', '\t']).len();
            if text[mark..end].starts_with('>') {
                at = mark + 1;
            }
        }
        at = end - text[at..end].trim_start_matches([' ', '\t']).len();
    }
    lifted
}
