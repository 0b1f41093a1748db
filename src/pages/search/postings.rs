//! Turns sections into the postings of every term: the sections that it is found in, each with a level of how much it says there.
//!
//! Must not know how postings are written. What a level means is a saturating weight as in BM25 (Robertson and Zaragoza 2009, eq. 3.15);
//! how rare a term is, the reader's side weighs by itself.

use rayon::prelude::*;

use super::section::{Findable, Section};
use super::terms::{self, WHOLE};
use super::vocabulary::Vocabulary;

/// Levels that a posting may have.
pub(super) const LEVELS: u8 = 8;
/// How fast more of a term says less, and how much the length of a section counts.
const SATURATION: f64 = 2.0;
const LENGTH: f64 = 0.4;
/// Bytes of text for each term of a section: hardly ever fewer.
const BYTES_A_TERM: usize = 4;

/// A section in which a term is found: its number, and how much the term says there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting(u32);

impl Posting {
    /// Of `section`, below 2²⁹, and `level`, below [`LEVELS`].
    pub(super) fn new(section: u32, level: u8) -> Self {
        Self(section * u32::from(LEVELS) + u32::from(level))
    }

    /// The section's number.
    pub(super) fn section(self) -> u32 {
        self.0 / u32::from(LEVELS)
    }

    /// How much the term says there.
    pub(super) fn level(self) -> u8 {
        (self.0 % u32::from(LEVELS)) as u8
    }
}

impl std::fmt::Debug for Posting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}", self.section(), self.level())
    }
}

/// Every term, sorted, with its postings in the order of the sections.
#[derive(Debug, Default)]
pub(super) struct Terms {
    names: Vec<String>,
    /// Where the postings of each begin, and where the last ones end.
    starts: Vec<u32>,
    postings: Vec<Posting>,
}

impl Terms {
    /// The terms, in order.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The postings of the term at `index`.
    pub(super) fn postings(&self, index: usize) -> &[Posting] {
        &self.postings[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

/// Some lessons counted.
#[derive(Debug, Default)]
pub(super) struct Counted<'a> {
    /// Their words; those of texts and code are counted.
    pub vocabulary: Vocabulary<'a>,
    sections: Sections,
}

/// The terms of some lessons' sections, by the numbers that they have in one vocabulary.
#[derive(Debug, Default)]
struct Sections {
    lengths: Vec<Length>,
    /// Of one section after the other, each of its terms once, with twice its weight.
    terms: Vec<u32>,
    weights: Vec<u16>,
}

/// How long a section is.
#[derive(Debug)]
struct Length {
    /// Words of its text.
    words: u32,
    /// Where its terms end.
    end: usize,
}

/// `lessons` counted, in a few parts, those of each in order.
pub(super) fn counted<'a>(lessons: &[&'a Findable]) -> Vec<Counted<'a>> {
    let part = lessons.len().div_ceil(rayon::current_num_threads()).max(1);
    lessons.par_chunks(part).map(Counted::of).collect()
}

impl<'a> Counted<'a> {
    fn of(lessons: &[&'a Findable]) -> Self {
        let mut counted = Self { sections: Sections::of(lessons), ..Self::default() };
        let mut weights = Weights::default();
        for lesson in lessons {
            for (index, section) in lesson.sections.iter().enumerate() {
                let words = counted.section(lesson, section, index == 0, &mut weights);
                counted.sections.push(words, &mut weights);
            }
        }
        counted
    }

    /// Weighs the terms of a section of `lesson`, the first of it or another, and gives how many words its text has.
    fn section(&mut self, lesson: &'a Findable, section: &'a Section, first: bool, weights: &mut Weights) -> u32 {
        // What names a page says most of its head, and a little of each of its sections.
        let parts = [
            (&lesson.title, if first { 8 } else { 1 }),
            (&lesson.tags, if first { 3 } else { 0 }),
            (&section.heading, 5),
            (&section.names, 1),
        ];
        for (text, weight) in parts.into_iter().filter(|(_, weight)| *weight > 0) {
            for (_, word) in terms::words(text) {
                let number = self.vocabulary.number(word);
                weights.add(self.vocabulary.terms_of(number), weight);
            }
        }
        let mut words = 0;
        for (_, word) in terms::words(&section.text) {
            let number = self.vocabulary.number(word);
            words += u32::from(self.vocabulary.used(number));
            weights.add(self.vocabulary.terms_of(number), 1);
        }
        words
    }
}

impl Sections {
    /// None yet, with room for those of `lessons`: memory that isn't written to is never there, while a vector that grows is there twice.
    fn of(lessons: &[&Findable]) -> Self {
        let bytes: usize = lessons.iter().flat_map(|lesson| &lesson.sections).map(|section| section.text.len()).sum();
        let most = bytes / BYTES_A_TERM;
        Self { lengths: Vec::new(), terms: Vec::with_capacity(most), weights: Vec::with_capacity(most) }
    }

    /// Adds one of `words` words.
    fn push(&mut self, words: u32, weights: &mut Weights) {
        weights.drain(|term, weight| {
            self.terms.push(term);
            self.weights.push(u16::try_from(weight).unwrap_or(u16::MAX));
        });
        self.lengths.push(Length { words, end: self.terms.len() });
    }

    /// The words of each section, and its terms, each with its weight.
    fn each(&self) -> impl Iterator<Item = (u32, impl Iterator<Item = (u32, u16)>)> {
        let mut start = 0;
        self.lengths.iter().map(move |length| {
            let range = std::mem::replace(&mut start, length.end)..length.end;
            (length.words, self.terms[range.clone()].iter().copied().zip(self.weights[range].iter().copied()))
        })
    }
}

/// The weights of the terms of one section, by the numbers of the terms.
#[derive(Debug, Default)]
struct Weights {
    weights: Vec<u32>,
    /// The terms that have one.
    terms: Vec<u32>,
}

impl Weights {
    /// Adds what a word of the weight `weight` says of each of its terms.
    fn add(&mut self, terms: &[(u32, u8)], weight: u32) {
        for &(term, share) in terms {
            let at = term as usize;
            if at >= self.weights.len() {
                self.weights.resize(at + 1, 0);
            }
            if self.weights[at] == 0 {
                self.terms.push(term);
            }
            self.weights[at] += u32::from(share) * weight;
        }
    }

    /// Gives every term to `take` with its weight, and forgets them.
    fn drain(&mut self, mut take: impl FnMut(u32, u32)) {
        for term in self.terms.drain(..) {
            take(term, std::mem::take(&mut self.weights[term as usize]));
        }
    }
}

/// The terms of all `parts`, whose sections are numbered through.
pub(super) fn merged(parts: Vec<Counted<'_>>) -> Terms {
    let (vocabularies, parts): (Vec<_>, Vec<_>) = parts.into_iter().map(|part| (part.vocabulary, part.sections)).unzip();
    let (names, places) = named(vocabularies);
    let mut starts = vec![0_u32; names.len() + 1];
    for (part, places) in parts.iter().zip(&places) {
        for term in &part.terms {
            starts[places[*term as usize] as usize + 1] += 1;
        }
    }
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mean = mean(&parts);
    let mut next = starts.clone();
    let mut postings = vec![Posting::new(0, 0); starts.last().map_or(0, |end| *end as usize)];
    let mut number = 0;
    // Each part goes once it is read.
    for (part, places) in parts.into_iter().zip(places) {
        for (words, terms) in part.each() {
            let length = 1.0 - LENGTH + LENGTH * f64::from(words) / mean;
            for (term, weight) in terms {
                let next = &mut next[places[term as usize] as usize];
                postings[*next as usize] = Posting::new(number, level(f64::from(weight) / f64::from(WHOLE), length));
                *next += 1;
            }
            number += 1;
        }
    }
    Terms { names, starts, postings }
}

/// Words of a section, on average.
fn mean(parts: &[Sections]) -> f64 {
    let lengths = || parts.iter().flat_map(|part| &part.lengths);
    let words: u64 = lengths().map(|length| u64::from(length.words)).sum();
    (words as f64 / lengths().count().max(1) as f64).max(1.0)
}

/// The terms of all `vocabularies`, sorted, and for each vocabulary the places there of its own.
fn named(vocabularies: Vec<Vocabulary<'_>>) -> (Vec<String>, Vec<Vec<u32>>) {
    let mut places: Vec<Vec<u32>> = vocabularies.iter().map(|vocabulary| vec![0; vocabulary.terms()]).collect();
    let mut all: Vec<(String, usize, u32)> = Vec::new();
    for (part, vocabulary) in vocabularies.into_iter().enumerate() {
        all.extend(vocabulary.into_terms().into_iter().map(|(term, number)| (term, part, number)));
    }
    all.par_sort_unstable();
    let mut names: Vec<String> = Vec::new();
    for (term, part, number) in all {
        if names.last() != Some(&term) {
            names.push(term);
        }
        places[part][number as usize] = names.len() as u32 - 1;
    }
    (names, places)
}

/// The level of a term of the weight `weight` in a section that is `length` times as long as others.
fn level(weight: f64, length: f64) -> u8 {
    // Reaches SATURATION + 1 where the weight is endless.
    let share = weight / (weight + SATURATION * length);
    ((share * f64::from(LEVELS)) as u8).min(LEVELS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl FromIterator<(String, Vec<Posting>)> for Terms {
        fn from_iter<Of: IntoIterator<Item = (String, Vec<Posting>)>>(terms: Of) -> Self {
            let mut all = Self { starts: vec![0], ..Self::default() };
            for (name, postings) in terms {
                all.names.push(name);
                all.postings.extend(postings);
                all.starts.push(all.postings.len() as u32);
            }
            all
        }
    }

    #[test]
    fn headings_say_more_than_text_and_titles_most_at_the_head() {
        let section = |heading: &str, text: &str| Section { heading: heading.into(), text: text.into(), ..Section::default() };
        let lesson = Findable {
            title: "Warps".into(),
            sections: vec![section("", "a text of some words"), section("Blocks", "warps in a text"), section("Grids", "blocks in text")],
            ..Findable::default()
        };
        let found = merged(counted(&[&lesson]));
        let levels = |term: &str| {
            let index = found.names().iter().position(|known| known == term).unwrap();
            found.postings(index).iter().map(|posting| (posting.section(), posting.level())).collect::<Vec<_>>()
        };
        assert_eq!(levels("warp").iter().map(|(section, _)| *section).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(levels("warp")[0].1 > levels("warp")[1].1 && levels("warp")[1].1 > levels("warp")[2].1, "{:?}", levels("warp"));
        assert!(levels("block")[0].1 > levels("block")[1].1);
        assert!(found.names().is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn parts_make_no_difference() {
        let lesson = |number: usize| Findable {
            title: format!("Lesson {number}"),
            sections: vec![Section { text: format!("own{number} a shared text of {}", "words ".repeat(number)), ..Section::default() }; 2],
            ..Findable::default()
        };
        let lessons: Vec<Findable> = (0..7).map(lesson).collect();
        let lessons: Vec<&Findable> = lessons.iter().collect();
        let whole = merged(vec![Counted::of(&lessons)]);
        for size in 1..7 {
            let parts = merged(lessons.chunks(size).map(Counted::of).collect());
            assert_eq!((parts.names, parts.starts, parts.postings), (whole.names.clone(), whole.starts.clone(), whole.postings.clone()));
        }
    }
}
