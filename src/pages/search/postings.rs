//! Turns sections into the postings of every term: the sections that it is found in, each with a level of how much it says there.
//!
//! Must not know how postings are written. What a level means is a saturating weight as in BM25 (Robertson and Zaragoza 2009, eq. 3.15);
//! how rare a term is, the reader's side weighs by itself.

#[expect(clippy::disallowed_types, reason = "terms are looked up in it by the ten thousand, and it is never walked through")]
use std::collections::HashMap;

use rayon::prelude::*;

use super::section::{Findable, Section};
use super::terms::{self, WHOLE};

/// Levels that a posting may have.
pub(super) const LEVELS: u8 = 8;
/// How fast more of a term says less, and how much the length of a section counts.
const SATURATION: f64 = 2.0;
const LENGTH: f64 = 0.4;

/// A section in which a term is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    /// The section's number.
    pub section: u32,
    /// How much it says there, below [`LEVELS`].
    pub level: u8,
}

/// The terms of one section: each once, sorted, with twice its weight.
struct Counted {
    terms: Vec<(String, u32)>,
    /// Words of its text and code.
    words: u32,
}

/// Every term, sorted, with its postings in the order of the sections; the sections of `lessons` have the numbers `numbers`, in order.
pub(super) fn of(lessons: &[&Findable], numbers: &[u32]) -> Vec<(String, Vec<Posting>)> {
    let counted: Vec<Vec<Counted>> = lessons.par_iter().map(|lesson| count(lesson)).collect();
    let sections = || counted.iter().flatten();
    let words: u64 = sections().map(|section| u64::from(section.words)).sum();
    let mean = (words as f64 / sections().count().max(1) as f64).max(1.0);
    #[expect(clippy::disallowed_types, reason = "as above")]
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut found: Vec<(&str, Vec<Posting>)> = Vec::new();
    for (section, &number) in sections().zip(numbers) {
        let length = 1.0 - LENGTH + LENGTH * f64::from(section.words) / mean;
        for (term, weight) in &section.terms {
            let place = *places.entry(term).or_insert_with(|| {
                found.push((term, Vec::new()));
                found.len() - 1
            });
            found[place].1.push(Posting { section: number, level: level(f64::from(*weight) / f64::from(WHOLE), length) });
        }
    }
    found.sort_unstable_by_key(|(term, _)| *term);
    found.into_iter().map(|(term, postings)| (term.to_owned(), postings)).collect()
}

/// The level of a term of the weight `weight` in a section that is `length` times as long as others.
fn level(weight: f64, length: f64) -> u8 {
    // Reaches SATURATION + 1 where the weight is endless.
    let share = weight / (weight + SATURATION * length);
    ((share * f64::from(LEVELS)) as u8).min(LEVELS - 1)
}

/// The terms of each section of `lesson`.
fn count(lesson: &Findable) -> Vec<Counted> {
    let section = |(index, section): (usize, &Section)| {
        let mut terms: Vec<(String, u32)> = Vec::new();
        let mut words = 0;
        // What names a page says most of its head, and a little of each of its sections.
        let first = index == 0;
        let parts = [
            (&lesson.title, if first { 8 } else { 1 }, false),
            (&lesson.tags, if first { 3 } else { 0 }, false),
            (&section.heading, 5, false),
            (&section.text, 1, true),
            (&section.names, 1, false),
            (&section.code, 1, true),
        ];
        for (text, weight, counts) in parts.into_iter().filter(|(_, weight, _)| *weight > 0) {
            terms::each(text, |(term, share)| {
                words += u32::from(counts && share == WHOLE);
                terms.push((term, u32::from(share) * weight));
            });
        }
        terms.sort_unstable();
        terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Counted { terms, words }
    };
    lesson.sections.iter().enumerate().map(section).collect()
}

/// The postings of all `terms` together: each section once, at its highest level.
pub(super) fn together<'a>(terms: impl IntoIterator<Item = &'a [Posting]>) -> Vec<Posting> {
    let mut all: Vec<Posting> = terms.into_iter().flatten().copied().collect();
    all.sort_unstable_by_key(|posting| (posting.section, std::cmp::Reverse(posting.level)));
    all.dedup_by_key(|posting| posting.section);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_say_more_than_text_and_titles_most_at_the_head() {
        let section = |heading: &str, text: &str| Section { heading: heading.into(), text: text.into(), ..Section::default() };
        let lesson = Findable {
            title: "Warps".into(),
            sections: vec![section("", "a text of some words"), section("Blocks", "warps in a text"), section("Grids", "blocks in text")],
            ..Findable::default()
        };
        let found = of(&[&lesson], &[0, 1, 2]);
        let levels = |term: &str| {
            let (_, postings) = found.iter().find(|(known, _)| known == term).unwrap();
            postings.iter().map(|posting| (posting.section, posting.level)).collect::<Vec<_>>()
        };
        assert_eq!(levels("warp").iter().map(|(section, _)| *section).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(levels("warp")[0].1 > levels("warp")[1].1 && levels("warp")[1].1 > levels("warp")[2].1, "{:?}", levels("warp"));
        assert!(levels("block")[0].1 > levels("block")[1].1);
        assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_section_stands_once_among_the_postings_of_several_terms() {
        let of = |pairs: &[(u32, u8)]| pairs.iter().map(|&(section, level)| Posting { section, level }).collect::<Vec<_>>();
        let (a, b) = (of(&[(1, 3), (4, 1)]), of(&[(0, 2), (4, 5)]));
        assert_eq!(together([&a[..], &b[..]]), of(&[(0, 2), (1, 3), (4, 5)]));
    }
}
