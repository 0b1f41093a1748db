//! Turns an event of the Markdown parser and its place into a quarter as many bytes, and back: documents stay in memory for as
//! long as their course does, and most of a document is events.
//!
//! Must not know what an event means.

use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag, TagEnd};

/// The text of a file, which its marks share: what they say mostly stands there word for word. A pointer to it is one word.
#[derive(Debug)]
pub struct FileText(Arc<str>);

impl FileText {
    /// Of the file whose text this is.
    #[must_use]
    pub fn shared(text: &Arc<str>) -> Arc<Self> {
        Arc::new(Self(text.clone()))
    }
}

/// An event of the Markdown parser and the bytes of the file that it stands for.
#[derive(Debug, Clone)]
pub struct Mark {
    what: What,
    start: u32,
    end: u32,
}

#[derive(Debug, Clone)]
enum What {
    /// Words that are those of the file at the mark's place, less `edge` bytes at each end: a code span's backticks.
    There {
        kind: Words,
        edge: u8,
        file: Arc<FileText>,
    },
    /// Words that stand nowhere as they are.
    Words(Words, Box<CowStr<'static>>),
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

/// A mark without its file, where it says nothing that does not stand there.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoldedMark {
    what: FoldedWhat,
    length: u16,
    start: u32,
}

#[derive(Debug, Clone, Copy)]
enum FoldedWhat {
    There(Words, u8),
    SoftBreak,
    HardBreak,
    Rule,
    TaskListMarker(bool),
    Open(TagEnd),
    Close(TagEnd),
    Elsewhere,
}

/// What says something in words.
#[derive(Debug, Clone, Copy)]
enum Words {
    Text,
    Code,
    Html,
    InlineHtml,
    InlineMath,
    DisplayMath,
    FootnoteReference,
}

impl Words {
    fn event(self, words: &str) -> Event<'_> {
        let words = borrowed(words);
        match self {
            Self::Text => Event::Text(words),
            Self::Code => Event::Code(words),
            Self::Html => Event::Html(words),
            Self::InlineHtml => Event::InlineHtml(words),
            Self::InlineMath => Event::InlineMath(words),
            Self::DisplayMath => Event::DisplayMath(words),
            Self::FootnoteReference => Event::FootnoteReference(words),
        }
    }
}

impl What {
    /// `words`, which stand for the bytes `range` of `file`, if they are of a file.
    fn words(kind: Words, words: &CowStr<'_>, range: &Range<usize>, file: Option<&Arc<FileText>>) -> Self {
        match file.and_then(|file| Some((file, edge(words, file.0.get(range.clone())?)?))) {
            Some((file, edge)) => Self::There { kind, edge, file: file.clone() },
            None => Self::Words(kind, Box::new(words.clone().into_static())),
        }
    }
}

/// How many bytes stand around `words` on either side in `there`, if they stand in its middle.
fn edge(words: &str, there: &str) -> Option<u8> {
    let around = there.len().checked_sub(words.len()).filter(|around| around % 2 == 0)?;
    (there.get(around / 2..there.len() - around / 2)? == words).then_some(())?;
    u8::try_from(around / 2).ok()
}

impl Mark {
    /// Of `event`, which stands for the bytes `range` of `file`, if that is at hand.
    #[must_use]
    pub fn of(event: &Event<'_>, range: Range<usize>, file: Option<&Arc<FileText>>) -> Self {
        let words = |kind, words| What::words(kind, words, &range, file);
        let what = match event {
            Event::Text(text) => words(Words::Text, text),
            Event::Code(text) => words(Words::Code, text),
            Event::Html(text) => words(Words::Html, text),
            Event::InlineHtml(text) => words(Words::InlineHtml, text),
            Event::InlineMath(text) => words(Words::InlineMath, text),
            Event::DisplayMath(text) => words(Words::DisplayMath, text),
            Event::FootnoteReference(text) => words(Words::FootnoteReference, text),
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
            What::There { kind, edge, file } => {
                let (edge, Range { start, end }) = (usize::from(*edge), self.range());
                kind.event(file.0.get(start + edge..end - edge).unwrap_or_default())
            }
            What::Words(kind, words) => kind.event(words),
            What::SoftBreak => Event::SoftBreak,
            What::HardBreak => Event::HardBreak,
            What::Rule => Event::Rule,
            What::TaskListMarker(done) => Event::TaskListMarker(*done),
            What::Open(tag) => opening(*tag).map_or(Event::SoftBreak, Event::Start), // one that has no such start is never kept so
            What::OpenWith(tag) => Event::Start(borrowed_tag(tag)),
            What::Close(tag) => Event::End(*tag),
        }
    }

    /// The mark without its file, which is `file` from then on, if it is none yet.
    ///
    /// # Errors
    /// The mark itself, where it says more than its file, is of another, or is long.
    pub(super) fn fold(self, file: &mut Option<Arc<FileText>>) -> Result<FoldedMark, Self> {
        let Some(length) = self.end.checked_sub(self.start).and_then(|length| u16::try_from(length).ok()) else { return Err(self) };
        let what = match &self.what {
            What::There { kind, edge, file: own } if Arc::ptr_eq(file.get_or_insert_with(|| own.clone()), own) => {
                FoldedWhat::There(*kind, *edge)
            }
            What::SoftBreak => FoldedWhat::SoftBreak,
            What::HardBreak => FoldedWhat::HardBreak,
            What::Rule => FoldedWhat::Rule,
            What::TaskListMarker(done) => FoldedWhat::TaskListMarker(*done),
            What::Open(tag) => FoldedWhat::Open(*tag),
            What::Close(tag) => FoldedWhat::Close(*tag),
            What::There { .. } | What::Words(..) | What::OpenWith(_) => return Err(self),
        };
        Ok(FoldedMark { what, length, start: self.start })
    }

    /// The bytes of the file that it stands for.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl FoldedMark {
    /// Stands for what is kept elsewhere.
    pub(super) const ELSEWHERE: Self = Self { what: FoldedWhat::Elsewhere, length: 0, start: 0 };

    /// The mark, whose words stand in `file`; `None` for what is kept elsewhere.
    pub(super) fn unfold(&self, file: Option<&Arc<FileText>>) -> Option<Mark> {
        let what = match self.what {
            FoldedWhat::There(kind, edge) => What::There { kind, edge, file: file?.clone() },
            FoldedWhat::SoftBreak => What::SoftBreak,
            FoldedWhat::HardBreak => What::HardBreak,
            FoldedWhat::Rule => What::Rule,
            FoldedWhat::TaskListMarker(done) => What::TaskListMarker(done),
            FoldedWhat::Open(tag) => What::Open(tag),
            FoldedWhat::Close(tag) => What::Close(tag),
            FoldedWhat::Elsewhere => return None,
        };
        Some(Mark { what, start: self.start, end: self.start + u32::from(self.length) })
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

    /// The events of `text`, and what is left of each once it was kept, with its file at hand and without.
    fn kept(text: &str) -> Vec<(Event<'static>, Event<'static>, Range<usize>, Range<usize>)> {
        let file = FileText::shared(&text.into());
        let text = text.into();
        let events = prose::events(&text).into_iter().flat_map(|(event, range)| {
            [None, Some(&file)].map(|file| {
                let mark = Mark::of(&event, range.clone(), file);
                let mut of = None;
                let mark = mark.fold(&mut of).map_or_else(|mark| mark, |folded| folded.unfold(of.as_ref()).expect("it is here"));
                (event.clone().into_static(), mark.event().into_static(), range.clone(), mark.range())
            })
        });
        events.collect()
    }

    #[test]
    fn every_kind_of_event_comes_back() {
        let text = "# A {#a .b c=d}\n\ntext *em* **strong** ~~gone~~ `code` <b>raw</b> $x$ [a](b \"c\") ![d](e) [f] <https://g>[^1]\\\nend\nof\n\n\
                    > [!NOTE]\n> quoted\n\n> plain\n\n- [x] done\n- [ ] not\n\n3. third\n\n---\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n\
                    term\n: meaning\n\n```cuda x\ncode\n```\n\n    indented\n\n<div>\nblock\n</div>\n\n$$\ny\n$$\n\n[^1]: note\n\n[f]: h 'i'\n";
        let kept = kept(text);
        assert!(kept.len() > 180, "{}", kept.len());
        for (event, again, range, again_range) in kept {
            assert_eq!((event, range), (again, again_range));
        }
    }

    #[test]
    fn a_mark_is_small() {
        assert!(size_of::<Mark>() * 3 <= size_of::<(Event<'static>, Range<usize>)>(), "{}", size_of::<Mark>());
        assert!(size_of::<Mark>() <= 24, "{}", size_of::<Mark>());
        assert!(size_of::<FoldedMark>() <= 12, "{}", size_of::<FoldedMark>());
    }

    #[test]
    fn words_that_stand_in_the_file_are_kept_there() {
        let text: Arc<str> = "plain `code` `` `x` `` a\\*b $x$ &amp; <b> end".into();
        let file = FileText::shared(&text);
        let events = (&*text).into();
        let owned = prose::events(&events).into_iter().filter_map(|(event, range)| match Mark::of(&event, range, Some(&file)).what {
            What::Words(_, words) => Some(words.to_string()),
            _ => None,
        });
        assert_eq!(owned.collect::<Vec<_>>(), ["&"]);
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
