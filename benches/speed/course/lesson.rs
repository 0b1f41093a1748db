//! Turns a lesson's place in the course into its text and code: some nine kilobytes, six blocks of CUDA, a table, links.
//!
//! Must not know how a tool writes a link or shows a region; the parts say what is meant.

use std::fmt::Write as _;

use super::prose::{Random, TOPICS};
use super::{Length, MODULE, blocks};

/// What stands in every lesson before a digit that an edit changes.
pub(crate) const MARK: &str = "quuxa";
/// The same, in the region that ten lessons show.
pub(crate) const MARK_IN_SHARED: &str = "quuxb";

/// Regions of a lesson's own source; the other blocks stand in its text.
const REGIONS: usize = 4;
/// The region that ten lessons show in the place of their last one.
const SHARED_BLOCK: &str = include_str!("blocks/shared.cu");

/// A piece of a lesson.
pub(super) enum Part {
    /// Markdown that means the same everywhere.
    Text(String),
    /// A link to the lesson at this place.
    Link(usize),
    /// CUDA that stands in the text.
    Code(String),
    /// A region of the lesson's own source.
    Region { name: String, code: String },
    /// The region that ten lessons show.
    Shared(&'static str),
}

/// A lesson.
pub(super) struct Lesson {
    /// Its place in the course, from 0.
    pub(super) index: usize,
    pub(super) title: String,
    pub(super) parts: Vec<Part>,
}

/// The title of the lesson at `index`.
pub(super) fn title(index: usize) -> String {
    format!("Lesson {}: {}", index + 1, TOPICS[index % TOPICS.len()])
}

/// The module of the lesson at `index`, and its name.
pub(crate) fn path(index: usize) -> (String, String) {
    (module(index / MODULE), format!("l{:05}-{}", index + 1, TOPICS[index % TOPICS.len()].replace(' ', "-")))
}

/// The name of a module.
pub(super) fn module(module: usize) -> String {
    format!("m{:04}", module + 1)
}

impl Lesson {
    pub(super) fn new(index: usize, length: Length) -> Self {
        let mut random = Random::of(index);
        let topic = TOPICS[index % TOPICS.len()];
        let mut writer = Writer { random: &mut random, topic, lessons: length.lessons, parts: Vec::new() };
        writer.opening();
        let mut blocks = writer.blocks(index, length.shares(index)).into_iter();
        let table = 2 + writer.random.below(4);
        for (place, (heading, topic)) in writer.random.headings(7).into_iter().enumerate() {
            writer.text(format!("## {heading}\n\n"));
            writer.paragraph(5);
            writer.parts.extend(blocks.next());
            writer.topic = topic;
            writer.paragraph(2);
            match place {
                0 | 2 | 4 | 6 => writer.list("- "),
                3 => writer.steps(),
                _ => {}
            }
            if place == table {
                writer.table();
            }
            if place == 2 || place == 5 {
                writer.aside();
            }
        }
        Self { index, title: title(index), parts: writer.parts }
    }
}

struct Writer<'a> {
    random: &'a mut Random,
    topic: &'static str,
    lessons: usize,
    parts: Vec<Part>,
}

impl Writer<'_> {
    fn text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    fn link(&mut self) {
        let to = self.random.below(self.lessons);
        self.parts.push(Part::Link(to));
    }

    fn opening(&mut self) {
        let sentences = self.random.sentences(self.topic, 3).join(" ");
        self.text(format!(
            "This lesson is about **{}**; it was last revised {MARK}0. {sentences}\n\nBefore reading on, look again at ",
            self.topic
        ));
        self.link();
        self.text(" and at ");
        self.link();
        self.text(", where the words are new.\n\n");
    }

    fn paragraph(&mut self, sentences: usize) {
        let sentences = self.random.sentences(self.topic, sentences).join(" ");
        self.text(sentences + "\n\n");
    }

    fn list(&mut self, bullet: &str) {
        let items: String = self.random.sentences(self.topic, 3).iter().map(|item| format!("{bullet}{item}\n")).collect();
        self.text(items + "\n");
    }

    fn steps(&mut self) {
        self.text("### Step by step\n\n");
        self.list("1. ");
    }

    /// Twelve rows of what an author sets.
    fn table(&mut self) {
        let mut table = "| elements | threads | blocks | per thread | left over |\n| ---: | ---: | ---: | ---: | ---: |\n".to_owned();
        for row in 0..12_u32 {
            let (elements, threads) = ((1_usize << (10 + row)) + self.random.below(1000), 32 << self.random.below(6));
            let each = 1 << self.random.below(4);
            let whole = threads * each;
            let _ = writeln!(table, "| {elements} | {threads} | {} | {each} | {} |", elements.div_ceil(whole), elements % whole);
        }
        self.text(table + "\n");
    }

    fn aside(&mut self) {
        let sentence = self.random.sentences(self.topic, 1).join(" ");
        self.text(format!("> {sentence}\n\nSee also "));
        self.link();
        self.text(".\n\n");
    }

    /// The blocks of lesson `index`, in the order in which it shows them.
    fn blocks(&mut self, index: usize, shares: bool) -> Vec<Part> {
        let stem = format!("{}_{}", self.topic.replace(' ', "_"), index + 1);
        let blocks = blocks::six(self.random, &stem);
        let part = |(place, code): (usize, String)| match place {
            3 if shares => Part::Shared(SHARED_BLOCK),
            _ if place < REGIONS => Part::Region { name: format!("part{place}"), code },
            _ => Part::Code(code),
        };
        let mut parts: Vec<Option<Part>> = blocks.into_iter().enumerate().map(part).map(Some).collect();
        [0, 4, 1, 2, 5, 3].into_iter().filter_map(|place| parts[place].take()).collect()
    }
}
