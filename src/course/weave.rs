//! Turns events and markers into a document's nodes, in two readings of the same text.
//!
//! The first finds the markers. The second reads the text with them blotted out, so that a claim's sentence is Markdown
//! like any other, at its own place, with the lesson's links and footnotes, while its options are none of Markdown's
//! business. Must not know what a marker's options mean, but for claims.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{CowStr, Event, HeadingLevel, Tag, TagEnd};

use crate::base::name::slug;
use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;
use crate::base::span::Span;
use crate::expr::Expr;

use super::document::{Document, FRAME_IDS, Figure, Heading, Link, Node};
use super::dollar;
use super::find::{BLOT, Found, blotted, find_markers, misread};
use super::mark::{FileText, Mark};
use super::marker;
use super::notes;
use super::prose::{self, Leaf, LeafKind, Leaves, Placed};

/// Reads `body`, which stands in `file`.
pub(super) fn document(body: &Slice, file: &Arc<FileText>, translation: bool, problems: &mut Problems) -> Document {
    let text = body.text();
    let first = dollar::set_aside(text);
    let mut events = prose::events(&first);
    let mut leaves = prose::leaves(&events);
    let found = find_markers(body, &events, &leaves, problems);
    let markers: BTreeMap<usize, Option<Found>> = found.into_iter().collect();
    let (blotted_text, second);
    if markers.values().flatten().any(|found| found.sentence_at.is_some()) {
        blotted_text = blotted(text, &markers);
        second = dollar::set_aside(&blotted_text);
        events = prose::events(&second);
        leaves = prose::leaves(&events);
    }
    let mut weaver = Weaver { translation, ..Weaver::new((body, Some(file)), &events, leaves, markers, problems) };
    let mut nodes = Vec::with_capacity(events.len());
    weaver.walk(0..events.len(), &mut nodes);
    weaver.finish(nodes)
}

/// Reads `text` as one run of text.
pub(super) fn inline(text: &Slice, problems: &mut Problems) -> Vec<Node> {
    // Led by a blot, nothing at its start is taken for a list or a heading; nor is anything after a line break, now a space.
    let mut line = Slice::empty(text.file());
    let lead = format!("{BLOT} ");
    line.push(&lead, text.source_offset(0));
    let mut at = 0;
    for piece in text.text().split_inclusive('\n') {
        let end = at + piece.trim_end_matches('\n').len();
        line.append(text, at, end);
        if end < at + piece.len() {
            line.push(" ", text.source_offset(end));
        }
        at += piece.len();
    }
    let text = dollar::set_aside(line.text());
    let events = prose::events(&text);
    let leaves = prose::leaves(&events);
    let mut weaver = Weaver::new((&line, None), &events, leaves, BTreeMap::new(), problems);
    let mut nodes = Vec::new();
    if let Some(leaf) = weaver.leaves.first().cloned() {
        weaver.running_text(&leaf, lead.len(), &mut nodes);
    }
    nodes
}

/// The second reading under way.
pub(super) struct Weaver<'a> {
    pub(super) body: &'a Slice,
    /// The text of the file that it is of, if it is a whole file's.
    file: Option<&'a Arc<FileText>>,
    pub(super) events: &'a [Placed<'a>],
    pub(super) leaves: Leaves,
    pub(super) markers: BTreeMap<usize, Option<Found>>,
    pub(super) translation: bool,
    pub(super) in_claim: bool,
    /// Whether a marker so far could not be read: it may be the claim that an `otherwise:` belongs to.
    torn: bool,
    pub(super) claims: BTreeMap<String, Span>,
    ids: BTreeSet<String>,
    headings: Vec<Heading>,
    links: Vec<Link>,
    pub(super) problems: &'a mut Problems,
}

impl<'a> Weaver<'a> {
    fn new(
        (body, file): (&'a Slice, Option<&'a Arc<FileText>>),
        events: &'a [Placed<'a>],
        leaves: Leaves,
        markers: BTreeMap<usize, Option<Found>>,
        problems: &'a mut Problems,
    ) -> Self {
        let mut weaver = Self {
            body,
            file,
            events,
            leaves,
            markers,
            translation: false,
            in_claim: false,
            torn: false,
            claims: BTreeMap::new(),
            ids: BTreeSet::new(),
            headings: Vec::new(),
            links: Vec::new(),
            problems,
        };
        weaver.reserve_ids();
        weaver
    }

    /// The ids that the page's frame and its claims have, and those that the author set, are taken wherever on the page they stand.
    fn reserve_ids(&mut self) {
        self.ids.extend(FRAME_IDS.map(str::to_owned));
        let claims = self.markers.values().flatten().filter(|found| found.marker.kind == "claim");
        self.ids.extend(claims.map(|found| format!("claim-{}", found.marker.target.text())));
        for (event, range) in self.events {
            let Event::Start(Tag::Heading { id: Some(id), .. }) = event else { continue };
            if !self.ids.insert(id.to_string()) {
                let at = self.body.span(range.start, range.end);
                self.problems.push(
                    Problem::error("heading-duplicate-id", at, format!("the id `{id}` is taken on this page"))
                        .hint("by another heading, a claim, or the page's own frame; give this heading another id"),
                );
            }
        }
    }

    fn finish(self, nodes: Vec<Node>) -> Document {
        notes::check(self.body, self.events, &self.leaves, self.problems);
        for found in self.markers.values().flatten() {
            self.problems.push(misread(&found.marker));
        }
        Document::new(nodes, self.headings, self.links, self.torn)
    }

    pub(super) fn node(&self, event: &Event<'_>, range: &Range<usize>) -> Node {
        let start = self.body.source_offset(range.start);
        let end = if range.end > range.start { self.body.source_offset(range.end - 1) + 1 } else { start };
        Node::Markdown(Mark::of(event, start..end.max(start), self.file))
    }

    pub(super) fn walk(&mut self, events: Range<usize>, out: &mut Vec<Node>) {
        let all = self.events;
        let mut at = events.start;
        while at < events.end {
            if let Some(leaf) = self.leaves.at(at).cloned() {
                self.leaf(&leaf, out);
                at = leaf.events.end.max(at + 1);
                continue;
            }
            let (event, range) = &all[at];
            if matches!(event, Event::Start(Tag::BlockQuote(_))) {
                let end = prose::block_end(all, at);
                let inside = at + 1..end - 1;
                if self.marker_at(inside.start) == Some("claim") {
                    self.claims_of(inside, out);
                    at = end;
                    continue;
                }
                if self.container(inside.clone(), out) {
                    at = end;
                    continue;
                }
                if matches!(event, Event::Start(Tag::BlockQuote(None))) {
                    self.check_alert(&inside);
                }
            }
            out.push(self.node(event, range));
            at += 1;
        }
    }

    /// The kind of the marker whose paragraph begins with event `at`.
    pub(super) fn marker_at(&self, at: usize) -> Option<&str> {
        let leaf = self.leaves.at(at)?;
        Some(&self.markers.get(&leaf.range.start)?.as_ref()?.marker.kind)
    }

    fn leaf(&mut self, leaf: &Leaf, out: &mut Vec<Node>) {
        if leaf.kind == LeafKind::Heading {
            return self.heading(leaf, out);
        }
        if leaf.kind == LeafKind::Paragraph
            && let Some(found) = self.markers.remove(&leaf.range.start)
        {
            match found {
                Some(found) => self.exhibit(found, out),
                None => self.torn = true,
            }
            return;
        }
        let events = self.events;
        for (event, range) in &events[leaf.events.start..leaf.inside.start] {
            out.push(self.node(event, range));
        }
        self.running_text(leaf, leaf.range.start, out);
        for (event, range) in &events[leaf.inside.end..leaf.events.end] {
            out.push(self.node(event, range));
        }
    }

    fn exhibit(&mut self, found: Found, out: &mut Vec<Node>) {
        let marker = found.marker;
        let problem = |message: &str, hint: &str| Problem::error("marker-place", marker.at.clone(), message).hint(hint);
        match &*marker.kind {
            "claim" if self.in_claim => {
                self.problems.push(problem("a claim stands inside another claim", "give it a quotation of its own"));
            }
            "claim" => self.problems.push(problem("a claim must open a quotation", "begin its lines with `> `, after an empty line")),
            "otherwise" if self.torn => {}
            "otherwise" => self.problems.push(problem(
                "`otherwise:` belongs to no claim",
                "it follows a claim's sentence in the same quotation, after a line with nothing but `>`",
            )),
            "answer" | "aside" | "tab" | "term" => {
                let message = format!("`{}:` must open a quotation", marker.kind);
                self.problems.push(problem(&message, "begin its lines with `> `, after an empty line"));
            }
            _ => out.push(Node::Exhibit(Box::new(marker))),
        }
    }

    fn heading(&mut self, leaf: &Leaf, out: &mut Vec<Node>) {
        let events = self.events;
        let mut nodes = Vec::new();
        self.running_text(leaf, leaf.range.start, &mut nodes);
        let (event, range) = &events[leaf.events.start];
        let Event::Start(Tag::Heading { level, id, classes, attrs }) = event else { return };
        let id = id.as_ref().map_or_else(|| self.new_id(&nodes), CowStr::to_string);
        let text = self.body.text()[range.clone()].trim_end();
        let at = self.body.span(range.start, range.start + text.len());
        let level = self.level(*level, &at);
        let start = Tag::Heading { level, id: Some(id.clone().into()), classes: classes.clone(), attrs: attrs.clone() };
        out.push(self.node(&Event::Start(start), range));
        out.extend(nodes.iter().cloned());
        out.push(self.node(&Event::End(TagEnd::Heading(level)), range));
        self.headings.push(Heading { level: level as u8, id, nodes, at });
    }

    /// The level at which the page shows the heading at `at`: below the title, which is the page's own. A heading of the first level would
    /// be another title, and one that leaves a level out is lost on who goes from heading to heading.
    fn level(&mut self, level: HeadingLevel, at: &Span) -> HeadingLevel {
        let before = self.headings.last().map_or(1, |heading| heading.level);
        let (shown, message) = match level {
            HeadingLevel::H1 => (HeadingLevel::H2, "a heading of the first level would be another title of the page".to_owned()),
            _ if level as u8 <= before + 1 => return level,
            _ => (level, format!("a heading of level {} stands below one of level {before}, and leaves a level out", level as u8)),
        };
        // What was meant for a marker is no heading.
        let is_marker = |problem: &Problem| {
            let is_here = |its: &Span| its.start < at.end && at.start < its.end;
            problem.id == "marker-in-heading" && problem.at.as_ref().is_some_and(is_here)
        };
        if !self.problems.iter().any(is_marker) {
            let marks = if level == HeadingLevel::H1 { "##".to_owned() } else { "#".repeat(usize::from(before) + 1) };
            let hint =
                format!("write `{marks}`: the page's title, which the front matter has, is of level 1, and its headings begin below it");
            self.problems.push(Problem::warning("heading-level", at.clone(), message).hint(hint));
        }
        shown
    }

    /// An id that is not taken: the slug of the text, figures left out, numbered from the second on.
    fn new_id(&mut self, nodes: &[Node]) -> String {
        let mut text = String::new();
        for node in nodes {
            match node {
                Node::Markdown(mark) => match mark.event() {
                    Event::Text(part) | Event::Code(part) => text.push_str(&part),
                    Event::SoftBreak | Event::HardBreak => text.push(' '),
                    _ => {}
                },
                Node::Figure(_) => text.push(' '),
                _ => {}
            }
        }
        let slug = match slug(&text) {
            empty if empty.is_empty() => "section".to_owned(),
            slug => slug,
        };
        let mut id = slug.clone();
        let mut number = 2;
        while !self.ids.insert(id.clone()) {
            id = format!("{slug}-{number}");
            number += 1;
        }
        id
    }

    /// The inline nodes of `leaf` from byte `from` of the text on.
    pub(super) fn running_text(&mut self, leaf: &Leaf, from: usize, out: &mut Vec<Node>) {
        let events = self.events;
        for (event, range) in &events[leaf.inside.clone()] {
            if range.end <= from && !matches!(event, Event::End(_)) {
                continue;
            }
            match event {
                Event::Code(code) if code.starts_with("= ") => {
                    if let Some(figure) = self.figure(leaf, range) {
                        out.push(figure);
                    }
                }
                Event::Text(text) if range.start < from => {
                    // The blots that stand for the marker, then the sentence.
                    let text = text.trim_start_matches([BLOT.chars().next().unwrap_or_default(), ' ']);
                    out.push(self.node(&Event::Text(text.into()), &(from..range.end)));
                }
                // The author's backslash that makes prose of what would be a marker.
                Event::Text(text) if marker::is_escaped(text) && self.begins(leaf, range) => {
                    out.push(self.node(&Event::Text(text[1..].into()), &(range.start + 1..range.end)));
                }
                _ => {
                    match event {
                        Event::Start(Tag::Link { dest_url, .. }) => self.link(dest_url, range, false),
                        Event::Start(Tag::Image { dest_url, .. }) => self.link(dest_url, range, true),
                        Event::Text(_) => self.torn(leaf, range),
                        _ => {}
                    }
                    out.push(self.node(event, range));
                }
            }
        }
    }

    /// Whether `range` is the first text of `leaf`.
    fn begins(&self, leaf: &Leaf, range: &Range<usize>) -> bool {
        self.events.get(leaf.inside.start).is_some_and(|(_, first)| first.start == range.start)
    }

    fn link(&mut self, destination: &str, range: &Range<usize>, picture: bool) {
        self.links.push(Link { destination: destination.to_owned(), at: self.body.span(range.start, range.end), picture });
    }

    fn figure(&mut self, leaf: &Leaf, range: &Range<usize>) -> Option<Node> {
        let raw = &self.body.text()[range.clone()];
        let ticks = raw.bytes().take_while(|&byte| byte == b'`').count();
        let inside = range.start + ticks..(range.end.saturating_sub(ticks)).max(range.start + ticks);
        let content = prose::lift(self.body, &inside, leaf.quotes);
        let content = if leaf.kind == LeafKind::Cell { without_escaped_pipes(&content) } else { content };
        let start = content.text().find('=').map_or(0, |at| at + 1);
        let trimmed = content.text().len() - content.text()[start..].trim_start().len();
        let expr = Expr::parse(&content.part(trimmed, content.text().len()));
        let expr = self.problems.note(expr)?;
        Some(Node::Figure(Box::new(Figure { expr, at: self.body.span(range.start, range.end) })))
    }

    /// Reports what begins as a figure and is none, since its code span is never closed.
    fn torn(&mut self, leaf: &Leaf, range: &Range<usize>) {
        let text = self.body.text();
        for (offset, _) in text[range.clone()].match_indices('`') {
            let at = range.start + offset;
            if !text[at..].starts_with("`= ") || text[..at].ends_with(['`', '\\']) {
                continue;
            }
            let (message, hint) = match leaf.kind {
                LeafKind::Cell => (
                    "the table's cell ends inside this figure",
                    "in a table write the pipe as `\\|`, or the formatter as a call: `fixed(x, 3)`",
                ),
                _ => ("this figure is never closed", "close it with a backtick"),
            };
            let last = self.events[leaf.inside.clone()].iter().map(|(_, range)| range.end).max().unwrap_or(range.end);
            let end = text[at..last.max(range.end)].find('\n').map_or(last, |length| at + length);
            self.problems.push(Problem::error("figure-torn", self.body.span(at, end), message).hint(hint));
        }
    }
}

/// In a table's cell `\|` is a pipe, in code too.
fn without_escaped_pipes(content: &Slice) -> Slice {
    let text = content.text();
    let mut plain = Slice::empty(content.file());
    let mut at = 0;
    while let Some(found) = text[at..].find("\\|") {
        plain.append(content, at, at + found);
        plain.append(content, at + found + 1, at + found + 2);
        at += found + 2;
    }
    plain.append(content, at, text.len());
    plain
}
