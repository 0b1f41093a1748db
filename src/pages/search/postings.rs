//! Turns sections into the postings of every term: the sections that it is found in, each with a level of how much it says there.
//!
//! Must not know how postings are written. What a level means is a saturating weight as in BM25 (Robertson and Zaragoza 2009, eq. 3.15);
//! how rare a term is, the reader's side weighs by itself.

use rayon::prelude::*;

use super::section::{Findable, Part};
use super::terms::WHOLE;
use super::vocabulary::Vocabulary;

/// Levels that a posting may have.
pub(super) const LEVELS: u8 = 8;
/// How fast more of a term says less, and how much the length of a section counts.
const SATURATION: f64 = 2.0;
const LENGTH: f64 = 0.4;

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

/// The postings of one term in the order of the sections, each as the distance from the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct List {
    bytes: Vec<u8>,
    /// The least section that may be next.
    next: u32,
}

/// Bits of a number in a byte of a list; another bit says that more follow.
const BITS: u32 = 7;
const MORE: u8 = 1 << BITS;

impl List {
    /// Adds a posting of a section behind all others.
    fn push(&mut self, section: u32, level: u8) {
        let mut rest = Posting::new(section - self.next, level).0;
        while rest >= u32::from(MORE) {
            self.bytes.push(rest as u8 | MORE);
            rest >>= BITS;
        }
        self.bytes.push(rest as u8);
        self.next = section + 1;
    }

    fn postings(&self) -> impl Iterator<Item = Posting> {
        let (mut bytes, mut next) = (self.bytes.iter(), 0);
        std::iter::from_fn(move || {
            let (mut all, mut bits) = (0, 0);
            loop {
                let byte = *bytes.next()?;
                all |= u32::from(byte & !MORE) << bits;
                if byte < MORE {
                    break;
                }
                bits += BITS;
            }
            let (section, level) = (next + Posting(all).section(), Posting(all).level());
            next = section + 1;
            Some(Posting::new(section, level))
        })
    }
}

/// Every term, sorted, with its postings in the order of the sections.
#[derive(Debug, Default)]
pub(super) struct Terms<'a> {
    names: Vec<&'a str>,
    /// Where the lists of each begin, and where the last ones end.
    starts: Vec<u32>,
    /// Each term's lists, one a part.
    lists: Vec<&'a List>,
}

impl<'a> Terms<'a> {
    /// The terms of all `parts`.
    pub(super) fn of(parts: &'a [Counted]) -> Self {
        let mut all: Vec<(&str, usize, &List)> = Vec::with_capacity(parts.iter().map(|part| part.lists.len()).sum());
        for (number, part) in parts.iter().enumerate() {
            let terms = part.vocabulary.terms();
            all.extend((0..).zip(&part.lists).map(|(term, list)| (terms.word(term), number, list)));
        }
        all.par_sort_unstable_by_key(|(term, part, _)| (*term, *part));
        let mut terms = Self::default();
        for (term, _, list) in all {
            if terms.names.last() != Some(&term) {
                terms.names.push(term);
                terms.starts.push(terms.lists.len() as u32);
            }
            terms.lists.push(list);
        }
        terms.starts.push(terms.lists.len() as u32);
        terms
    }

    /// The terms, in order.
    pub(super) fn names(&self) -> &[&'a str] {
        &self.names
    }

    /// The postings of the term at `index`.
    pub(super) fn postings(&self, index: usize) -> impl Iterator<Item = Posting> {
        self.lists[self.starts[index] as usize..self.starts[index + 1] as usize].iter().flat_map(|list| list.postings())
    }
}

/// Some lessons counted.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// Their words; those of texts and code are counted.
    pub vocabulary: Vocabulary,
    /// The postings of each term, by its number in the vocabulary.
    lists: Vec<List>,
}

/// `lessons` counted, in a few parts, those of each in order; their sections are numbered through.
pub(super) fn counted(lessons: &[&Findable]) -> Vec<Counted> {
    let part = lessons.len().div_ceil(rayon::current_num_threads()).max(1);
    in_parts(lessons, part)
}

/// `lessons` counted, `size` of them in each part.
fn in_parts(lessons: &[&Findable], size: usize) -> Vec<Counted> {
    let mean = mean(lessons);
    let mut next = 0;
    let of_part = |part: &[&Findable]| {
        let first = next;
        next += part.iter().map(|lesson| lesson.sections() as u32).sum::<u32>();
        first
    };
    let firsts: Vec<u32> = lessons.chunks(size).map(of_part).collect();
    lessons.par_chunks(size).zip(firsts).map(|(lessons, first)| Counter::new(mean, first).counted(lessons)).collect()
}

/// Words of a section, on average.
fn mean(lessons: &[&Findable]) -> f64 {
    let words: u64 = lessons.iter().flat_map(|lesson| &lesson.lengths).map(|words| u64::from(*words)).sum();
    let sections: usize = lessons.iter().map(|lesson| lesson.sections()).sum();
    (words as f64 / sections.max(1) as f64).max(1.0)
}

/// Counts one lesson after the other.
struct Counter {
    counted: Counted,
    /// Words of a section, on average.
    mean: f64,
    /// The section that is next.
    section: u32,
    /// Of each word of the lesson, by its number there, its number in the vocabulary, if it has one yet.
    numbers: Vec<Option<u32>>,
    /// How often each word of the lesson stands in the section's text, and twice the weight of each term in the section.
    uses: Tally,
    weights: Tally,
}

impl Counter {
    fn new(mean: f64, section: u32) -> Self {
        let (counted, numbers, uses, weights) = Default::default();
        Self { counted, mean, section, numbers, uses, weights }
    }

    fn counted(mut self, lessons: &[&Findable]) -> Counted {
        for lesson in lessons {
            self.numbers.clear();
            self.numbers.resize(lesson.texts.len(), None);
            for section in 0..lesson.sections() {
                self.weigh(lesson, section);
                self.post(lesson.lengths[section]);
                self.section += 1;
            }
        }
        self.counted
    }

    /// Weighs the terms of a section of `lesson`.
    fn weigh(&mut self, lesson: &Findable, section: usize) {
        // What names a page says most of its head, and a little of each of its sections.
        let (title, tags) = if section == 0 { (8, 3) } else { (1, 0) };
        let parts = [(Part::Title, title), (Part::Tags, tags), (Part::Heading(section), 5), (Part::Names(section), 1)];
        for (part, weight) in parts.into_iter().filter(|(_, weight)| *weight > 0) {
            for word in lesson.texts.words(part.index()) {
                let number = self.number(lesson, word);
                self.add(number, weight);
            }
        }
        for word in lesson.texts.words(Part::Text(section).index()) {
            self.uses.add(word, 1);
        }
        let mut uses = std::mem::take(&mut self.uses);
        uses.drain(|word, uses| {
            let number = self.number(lesson, word);
            self.counted.vocabulary.used(number, uses);
            self.add(number, uses);
        });
        self.uses = uses;
    }

    /// The number in the vocabulary of a word of `lesson`.
    fn number(&mut self, lesson: &Findable, word: u32) -> u32 {
        *self.numbers[word as usize].get_or_insert_with(|| {
            let (text, word) = lesson.texts.place(word);
            self.counted.vocabulary.number(text, word)
        })
    }

    /// Adds what a word of the weight `weight` says of each of its terms.
    fn add(&mut self, number: u32, weight: u32) {
        for (term, share) in self.counted.vocabulary.terms_of(number) {
            self.weights.add(*term, u32::from(*share) * weight);
        }
    }

    /// Gives each term that was weighed a posting of the section, whose text has `words` words.
    fn post(&mut self, words: u32) {
        let length = 1.0 - LENGTH + LENGTH * f64::from(words) / self.mean;
        let lists = &mut self.counted.lists;
        lists.resize_with(self.counted.vocabulary.terms().len(), List::default);
        self.weights.drain(|term, weight| {
            // As far as it says anything.
            let weight = weight.min(u16::MAX.into());
            lists[term as usize].push(self.section, level(f64::from(weight) / f64::from(WHOLE), length));
        });
    }
}

/// Sums by small numbers, of which few are asked for at a time.
#[derive(Debug, Default)]
struct Tally {
    sums: Vec<u32>,
    /// First those whose sums are not zero, `count` of them; room for one more than there are sums.
    touched: Vec<u32>,
    count: usize,
}

impl Tally {
    /// Adds `more`, more than nothing, to the sum of `number`.
    #[inline]
    fn add(&mut self, number: u32, more: u32) {
        let at = number as usize;
        if at >= self.sums.len() {
            self.sums.resize(at + 1, 0);
            self.touched.resize(at + 2, 0);
        }
        // Whether a word is the first of its kind, no processor guesses well.
        self.touched[self.count] = number;
        self.count += usize::from(self.sums[at] == 0);
        self.sums[at] += more;
    }

    /// Gives every number to `take` with its sum, and forgets them.
    fn drain(&mut self, mut take: impl FnMut(u32, u32)) {
        for number in &self.touched[..std::mem::take(&mut self.count)] {
            take(*number, std::mem::take(&mut self.sums[*number as usize]));
        }
    }
}

/// The level of a term of the weight `weight` in a section that is `length` times as long as others.
fn level(weight: f64, length: f64) -> u8 {
    // Reaches SATURATION + 1 where the weight is endless.
    let share = weight / (weight + SATURATION * length);
    ((share * f64::from(LEVELS)) as u8).min(LEVELS - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::section::{Room, Section};
    use super::*;

    impl<Name: AsRef<str>> FromIterator<(Name, Vec<Posting>)> for Counted {
        fn from_iter<Of: IntoIterator<Item = (Name, Vec<Posting>)>>(terms: Of) -> Self {
            let mut all = Self::default();
            for (name, postings) in terms {
                all.vocabulary.term(name.as_ref());
                let mut list = List::default();
                for posting in postings {
                    list.push(posting.section(), posting.level());
                }
                all.lists.push(list);
            }
            all
        }
    }

    /// The terms with their postings.
    fn all(parts: &[Counted]) -> Vec<(String, Vec<Posting>)> {
        let terms = Terms::of(parts);
        (0..terms.names().len()).map(|index| (terms.names()[index].to_owned(), terms.postings(index).collect())).collect()
    }

    #[test]
    fn headings_say_more_than_text_and_titles_most_at_the_head() {
        let section = |heading: &str, text: &str| Section { heading: heading.into(), text: text.into(), ..Section::default() };
        let lesson = lesson(
            "Warps",
            &[section("", "a text of some words"), section("Blocks", "warps in a text"), section("Grids", "blocks in text")],
        );
        let found = all(&counted(&[&lesson]));
        let levels = |term: &str| {
            let (_, postings) = found.iter().find(|(known, _)| known == term).unwrap();
            postings.iter().map(|posting| (posting.section(), posting.level())).collect::<Vec<_>>()
        };
        assert_eq!(levels("warp").iter().map(|(section, _)| *section).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(levels("warp")[0].1 > levels("warp")[1].1 && levels("warp")[1].1 > levels("warp")[2].1, "{:?}", levels("warp"));
        assert!(levels("block")[0].1 > levels("block")[1].1);
        assert!(found.is_sorted_by(|(one, _), (next, _)| one < next));
    }

    #[test]
    fn parts_make_no_difference() {
        let numbered = |number: usize| {
            let text = format!("own{number} a shared text of {}", "words ".repeat(number));
            lesson(
                &format!("Lesson {number}"),
                &[Section { text: text.clone(), ..Section::default() }, Section { text, ..Section::default() }],
            )
        };
        let lessons: Vec<Findable> = (0..7).map(numbered).collect();
        let lessons: Vec<&Findable> = lessons.iter().collect();
        let whole = all(&in_parts(&lessons, 7));
        for size in 1..7 {
            assert_eq!(all(&in_parts(&lessons, size)), whole);
        }
    }

    /// A lesson in English.
    fn lesson(title: &str, sections: &[Section]) -> Findable {
        let mut room = Room::default();
        room.begin("a.html", title, "");
        sections.iter().for_each(|section| room.section(section));
        room.end("en")
    }

    proptest! {
        #[test]
        fn lists_read_back(sections in proptest::collection::btree_map(0..1_u32 << 29, 0..LEVELS, 0..60)) {
            let mut list = List::default();
            for (section, level) in &sections {
                list.push(*section, *level);
            }
            let expected: Vec<Posting> = sections.into_iter().map(|(section, level)| Posting::new(section, level)).collect();
            prop_assert_eq!(list.postings().collect::<Vec<_>>(), expected);
        }
    }
}
