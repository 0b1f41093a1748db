//! Turns numbers, postings and sorted words into text of few bytes that a string of JavaScript can hold as it is.
//!
//! Must not know what is numbered. `templates/search/shards.js` reads it.

use super::postings::{LEVELS, Posting};

/// The digits: printable ASCII without what strings and markup would need escapes for.
const DIGITS: &[u8; 88] = b"!#$%()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
/// Digits below this end a number; the others go on.
const ENDS: u32 = 64;

/// Appends `number`, its low digits first.
pub(super) fn number(mut number: u32, out: &mut String) {
    let going_on = DIGITS.len() as u32 - ENDS;
    while number >= ENDS {
        out.push(DIGITS[(ENDS + (number - ENDS) % going_on) as usize].into());
        number = (number - ENDS) / going_on;
    }
    out.push(DIGITS[number as usize].into());
}

/// Writes the postings of one term after the other, in the same memory.
#[derive(Debug, Default)]
pub(super) struct Writer {
    /// The sections of each level.
    levels: [Vec<u32>; LEVELS as usize],
    groups: String,
    gaps: String,
}

impl Writer {
    /// The term has `posting`, too, which is of a section behind the others.
    pub(super) fn add(&mut self, posting: Posting) {
        self.levels[usize::from(posting.level())].push(posting.section());
    }

    /// Appends the best of `all` postings, those that were added, in at most about `bytes` bytes, those of the highest levels first: how many
    /// were left out, then for each level its count and level in one number, and the distances between its sections. The next term begins.
    pub(super) fn write(&mut self, all: usize, bytes: usize, out: &mut String) {
        let (groups, gaps) = (&mut self.groups, &mut self.gaps);
        groups.clear();
        let mut left = all;
        for (level, sections) in (0..u32::from(LEVELS)).zip(&mut self.levels).rev().filter(|(_, sections)| !sections.is_empty()) {
            let (mut count, mut next) = (0, 0);
            gaps.clear();
            for section in sections.drain(..) {
                if groups.len() + gaps.len() >= bytes {
                    break;
                }
                number(section - next, gaps);
                next = section + 1;
                count += 1;
            }
            if count > 0 {
                number(level + u32::from(LEVELS) * (count - 1), groups);
                groups.push_str(gaps);
                left -= count as usize;
            }
        }
        number(u32::try_from(left).unwrap_or(u32::MAX), out);
        out.push_str(groups);
    }
}

/// Appends `word` behind `before`, the one that sorts before it: how many letters they share, and the rest.
pub(super) fn word(word: &str, before: &str, out: &mut String) {
    let most = ENDS as usize - 1;
    let shared = word.chars().zip(before.chars()).take(most).take_while(|(a, b)| a == b).count();
    number(shared as u32, out);
    out.extend(word.chars().skip(shared));
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads a number at the head of `text`.
    pub(in super::super) fn read_number(text: &mut &[u8]) -> u32 {
        let (mut value, mut scale) = (0, 1);
        loop {
            let digit = DIGITS.iter().position(|digit| *digit == text[0]).unwrap() as u32;
            *text = &text[1..];
            if digit < ENDS {
                return value + digit * scale;
            }
            value += (digit) * scale;
            scale *= DIGITS.len() as u32 - ENDS;
        }
    }

    /// How many postings were left out, and the others.
    pub(in super::super) fn read_postings(text: &str) -> (u32, Vec<Posting>) {
        let mut rest = text.as_bytes();
        let left = read_number(&mut rest);
        let mut found = Vec::new();
        while !rest.is_empty() {
            let head = read_number(&mut rest);
            let (level, count, mut next) = ((head % u32::from(LEVELS)) as u8, head / u32::from(LEVELS) + 1, 0);
            for _ in 0..count {
                let section = next + read_number(&mut rest);
                found.push(Posting::new(section, level));
                next = section + 1;
            }
        }
        (left, found)
    }

    proptest! {
        #[test]
        fn numbers_read_back(value in 0..100_000_000_u32) {
            let mut text = String::new();
            number(value, &mut text);
            let mut rest = text.as_bytes();
            prop_assert_eq!((read_number(&mut rest), rest.len()), (value, 0));
        }

        #[test]
        fn postings_read_back_and_the_best_survive_a_cut(
            sections in proptest::collection::btree_map(0..5000_u32, 0..LEVELS, 0..60),
            bytes in 0..80_usize,
        ) {
            let all: Vec<Posting> = sections.into_iter().map(|(section, level)| Posting::new(section, level)).collect();
            let mut writer = Writer::default();
            let mut written = |bytes: usize| {
                let mut out = String::new();
                all.iter().for_each(|posting| writer.add(*posting));
                writer.write(all.len(), bytes, &mut out);
                out
            };
            let (left, mut read) = read_postings(&written(usize::MAX));
            read.sort();
            prop_assert_eq!((left, &read), (0, &all));
            let cut = written(bytes);
            let (left, kept) = read_postings(&cut);
            prop_assert_eq!(left as usize + kept.len(), all.len());
            prop_assert!(cut.len() <= bytes + 8);
            let least = kept.iter().map(|posting| posting.level()).min();
            let lost = all.iter().filter(|posting| !kept.contains(posting)).map(|posting| posting.level()).max();
            prop_assert!(least >= lost.or(least) || kept.is_empty());
        }
    }
}
