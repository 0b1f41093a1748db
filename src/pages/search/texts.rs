//! Turns sections into the files of their texts: results are shown with what they stand in.
//!
//! Must not know terms. As many sections are in a file as make it no more than about [`BYTES`] long, the same number in each, so that
//! a section's number says where it is.

use std::sync::Arc;

use rayon::prelude::*;

use super::dictionary::{Coder, Dictionary};
use super::packed::Packer;
use super::section::{Findable, Part};

/// Bytes of a file, packed, on average.
const BYTES: usize = 5_000;
/// Sections of a file at most.
const MOST: usize = 64;
/// Sections of a file when it is tried how many there should be, and such files.
const TRIED: usize = 8;
const TRIES: usize = 12;
/// Bytes of a section that results can be shown from.
const SHOWN: usize = 5_500;

/// The files of a language's texts.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// Sections of a file.
    pub each: usize,
    /// Each file: lesson by lesson its path, its title, and of each section its anchor, its heading and what it says.
    pub files: Vec<Arc<str>>,
}

/// A section, by its number in its lesson, and the lesson.
type Placed<'a> = (&'a Findable, usize);

/// The texts of `lessons`, as scripts that hand over what they have at the keys that `key` makes of their numbers.
pub(super) fn of(lessons: &[&Findable], dictionary: &Dictionary, key: impl Fn(usize) -> String + Sync) -> Texts {
    let sections: Vec<Placed<'_>> =
        lessons.iter().flat_map(|lesson| (0..lesson.sections()).map(move |section| (*lesson, section))).collect();
    let writer = || Writer { coder: Coder::of(dictionary), packer: Packer::new(), text: Vec::new() };
    let mut each = TRIED;
    // Twice, since longer files have more that repeats.
    for _ in 0..2 {
        let files = sections.len().div_ceil(each);
        let tried: Vec<_> = sections.chunks(each).step_by(files.div_ceil(TRIES).max(1)).collect();
        let bytes: usize = tried.par_iter().map_init(writer, |writer, sections| writer.file(&key(0), sections).len()).sum();
        let of_all: usize = tried.iter().map(|sections| sections.len()).sum();
        each = (of_all * BYTES / bytes.max(1)).clamp(1, MOST);
    }
    let file = |writer: &mut Writer<'_>, (number, sections): (usize, &[Placed<'_>])| writer.file(&key(number), sections);
    Texts { each, files: sections.par_chunks(each).enumerate().map_init(writer, file).collect() }
}

/// Writes one file after the other, in the same memory.
struct Writer<'a> {
    coder: Coder<'a>,
    packer: Packer,
    /// The file, not packed.
    text: Vec<u8>,
}

impl Writer<'_> {
    /// The file of `sections`.
    fn file(&mut self, key: &str, sections: &[Placed<'_>]) -> Arc<str> {
        self.text.clear();
        self.list(sections.chunk_by(|(one, _), (next, _)| std::ptr::eq(*one, *next)), |writer, sections| {
            let lesson = sections[0].0;
            writer.coder.begin(&lesson.texts);
            writer.text.push(b'[');
            for part in [Part::Path, Part::Title] {
                writer.part(lesson, part);
                writer.text.push(b',');
            }
            writer.list(sections, |writer, (_, section)| {
                writer.list([Part::Anchor(*section), Part::Heading(*section), Part::Text(*section)], |writer, part| {
                    writer.part(lesson, part)
                });
            });
            writer.text.push(b']');
        });
        self.packer.script(key, &self.text)
    }

    /// A list, each of whose `items` is written by `write`.
    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, write: impl Fn(&mut Self, T)) {
        self.text.push(b'[');
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.text.push(b',');
            }
            write(self, item);
        }
        self.text.push(b']');
    }

    /// The text of `part` of `lesson`, as much of it as results are shown from.
    fn part(&mut self, lesson: &Findable, part: Part) {
        let most = if matches!(part, Part::Text(_)) { SHOWN } else { usize::MAX };
        self.coder.string(&lesson.texts, part.index(), most, &mut self.text);
    }
}
