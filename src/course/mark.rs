//! Turns an event of the Markdown parser and its place into less than half as many bytes, and back: documents stay in memory for as
//! long as their course does, and most of a document is events.
//!
//! Must not know what an event means.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag, TagEnd};

/// An event of the Markdown parser and the bytes of the file that it stands for.
#[derive(Debug, Clone)]
pub struct Mark {
    what: What,
    start: u32,
    end: u32,
}

#[derive(Debug, Clone)]
enum What {
    Text(CowStr<'static>),
    Code(CowStr<'static>),
    Html(CowStr<'static>),
    InlineHtml(CowStr<'static>),
    InlineMath(CowStr<'static>),
    DisplayMath(CowStr<'static>),
    FootnoteReference(CowStr<'static>),
    SoftBreak,
    HardBreak,
    Rule,
    TaskListMarker(bool),
    /// The start of what its end says all of.
    Open(TagEnd),
    /// The start of anything else.
    OpenWith(Box<Tag<'static>>),
    Close(TagEnd),
}

impl Mark {
    /// Of `event`, which stands for the bytes `range`.
    #[must_use]
    pub fn of(event: &Event<'_>, range: Range<usize>) -> Self {
        let kept = |text: &CowStr<'_>| text.clone().into_static();
        let what = match event {
            Event::Text(text) => What::Text(kept(text)),
            Event::Code(text) => What::Code(kept(text)),
            Event::Html(text) => What::Html(kept(text)),
            Event::InlineHtml(text) => What::InlineHtml(kept(text)),
            Event::InlineMath(text) => What::InlineMath(kept(text)),
            Event::DisplayMath(text) => What::DisplayMath(kept(text)),
            Event::FootnoteReference(text) => What::FootnoteReference(kept(text)),
            Event::SoftBreak => What::SoftBreak,
            Event::HardBreak => What::HardBreak,
            Event::Rule => What::Rule,
            Event::TaskListMarker(done) => What::TaskListMarker(*done),
            Event::Start(tag) if opening(tag.to_end()).is_some() => What::Open(tag.to_end()),
            Event::Start(tag) => What::OpenWith(Box::new(tag.clone().into_static())),
            Event::End(tag) => What::Close(*tag),
        };
        // No file of a course has four gigabytes; what a place in one would be is its end.
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { what, start: place(range.start), end: place(range.end) }
    }

    /// The event.
    #[must_use]
    pub fn event(&self) -> Event<'_> {
        match &self.what {
            What::Text(text) => Event::Text(borrowed(text)),
            What::Code(text) => Event::Code(borrowed(text)),
            What::Html(text) => Event::Html(borrowed(text)),
            What::InlineHtml(text) => Event::InlineHtml(borrowed(text)),
            What::InlineMath(text) => Event::InlineMath(borrowed(text)),
            What::DisplayMath(text) => Event::DisplayMath(borrowed(text)),
            What::FootnoteReference(text) => Event::FootnoteReference(borrowed(text)),
            What::SoftBreak => Event::SoftBreak,
            What::HardBreak => Event::HardBreak,
            What::Rule => Event::Rule,
            What::TaskListMarker(done) => Event::TaskListMarker(*done),
            What::Open(tag) => opening(*tag).map_or(Event::SoftBreak, Event::Start), // one that has no such start is never kept so
            What::OpenWith(tag) => Event::Start(borrowed_tag(tag)),
            What::Close(tag) => Event::End(*tag),
        }
    }

    /// The bytes of the file that it stands for.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// What ends as `end` says, where that is all there is to it.
fn opening(end: TagEnd) -> Option<Tag<'static>> {
    Some(match end {
        TagEnd::Paragraph => Tag::Paragraph,
        TagEnd::BlockQuote(kind) => Tag::BlockQuote(kind),
        TagEnd::HtmlBlock => Tag::HtmlBlock,
        TagEnd::List(false) => Tag::List(None),
        TagEnd::Item => Tag::Item,
        TagEnd::DefinitionList => Tag::DefinitionList,
        TagEnd::DefinitionListTitle => Tag::DefinitionListTitle,
        TagEnd::DefinitionListDefinition => Tag::DefinitionListDefinition,
        TagEnd::TableHead => Tag::TableHead,
        TagEnd::TableRow => Tag::TableRow,
        TagEnd::TableCell => Tag::TableCell,
        TagEnd::Emphasis => Tag::Emphasis,
        TagEnd::Strong => Tag::Strong,
        TagEnd::Strikethrough => Tag::Strikethrough,
        TagEnd::Superscript => Tag::Superscript,
        TagEnd::Subscript => Tag::Subscript,
        _ => return None,
    })
}

fn borrowed(text: &str) -> CowStr<'_> {
    CowStr::Borrowed(text)
}

/// `tag`, its texts where they are.
fn borrowed_tag<'t>(tag: &'t Tag<'static>) -> Tag<'t> {
    match tag {
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => Tag::CodeBlock(CodeBlockKind::Fenced(borrowed(info))),
        Tag::FootnoteDefinition(label) => Tag::FootnoteDefinition(borrowed(label)),
        Tag::Link { link_type, dest_url, title, id } => {
            Tag::Link { link_type: *link_type, dest_url: borrowed(dest_url), title: borrowed(title), id: borrowed(id) }
        }
        Tag::Image { link_type, dest_url, title, id } => {
            Tag::Image { link_type: *link_type, dest_url: borrowed(dest_url), title: borrowed(title), id: borrowed(id) }
        }
        tag => tag.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::prose;

    /// The events of `text`, and what is left of each once it was kept.
    fn kept(text: &str) -> Vec<(Event<'static>, Event<'static>, Range<usize>, Range<usize>)> {
        let text = text.into();
        let events = prose::events(&text).into_iter().map(|(event, range)| {
            let mark = Mark::of(&event, range.clone());
            (event.into_static(), mark.event().into_static(), range, mark.range())
        });
        events.collect()
    }

    #[test]
    fn every_kind_of_event_comes_back() {
        let text = "# A {#a .b c=d}\n\ntext *em* **strong** ~~gone~~ `code` <b>raw</b> $x$ [a](b \"c\") ![d](e) [f] <https://g>[^1]\\\nend\nof\n\n\
                    > [!NOTE]\n> quoted\n\n> plain\n\n- [x] done\n- [ ] not\n\n3. third\n\n---\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n\
                    term\n: meaning\n\n```cuda x\ncode\n```\n\n    indented\n\n<div>\nblock\n</div>\n\n$$\ny\n$$\n\n[^1]: note\n\n[f]: h 'i'\n";
        let kept = kept(text);
        assert!(kept.len() > 90, "{}", kept.len());
        for (event, again, range, again_range) in kept {
            assert_eq!((event, range), (again, again_range));
        }
    }

    #[test]
    fn a_mark_is_small() {
        assert!(size_of::<Mark>() * 2 <= size_of::<(Event<'static>, Range<usize>)>(), "{}", size_of::<Mark>());
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_read_comes_back(text in "[a#*_`|>\\-\\[\\]()!<$\\n 1.:~^]{0,60}") {
            for (event, again, range, again_range) in kept(&text) {
                proptest::prop_assert_eq!((event, range), (again, again_range));
            }
        }
    }
}
