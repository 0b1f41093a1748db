//! Turns words into numbers, and knows the terms of each word: what a word is found by is worked out once, however often it is written.
//!
//! Must not know sections or files.

use rustc_hash::FxBuildHasher;

use super::numbers::Numbers;
use super::terms::{self, Term, WHOLE};

#[expect(clippy::disallowed_types, reason = "every term of a course is looked up in it, and its order is never seen")]
type Terms = std::collections::HashMap<String, u32, FxBuildHasher>;

/// The words of some texts.
#[derive(Debug, Default)]
pub(super) struct Vocabulary<'a> {
    numbers: Numbers<'a>,
    words: Vec<Word<'a>>,
    /// Terms of words, those of a word side by side, each with its share.
    parts: Vec<(u32, u8)>,
    terms: Terms,
}

#[derive(Debug)]
struct Word<'a> {
    text: &'a str,
    /// Where its terms end.
    end: u32,
    uses: u32,
    /// Whether it is a term itself: single letters are none.
    is_term: bool,
}

impl<'a> Vocabulary<'a> {
    /// The number of `word`.
    pub(super) fn number(&mut self, word: &'a str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return number;
        }
        let number = self.words.len() as u32;
        self.numbers.insert(word, number);
        let (terms, parts) = (&mut self.terms, &mut self.parts);
        let mut is_term = false;
        terms::of(word, |(term, share): Term| {
            let next = terms.len() as u32;
            is_term |= share == WHOLE;
            parts.push((*terms.entry(term).or_insert(next), share));
        });
        self.words.push(Word { text: word, end: self.parts.len() as u32, uses: 0, is_term });
        number
    }

    /// The numbers of the terms of the word `number`, each with what it says there.
    pub(super) fn terms_of(&self, number: u32) -> &[(u32, u8)] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.words[before].end);
        &self.parts[start as usize..self.words[number].end as usize]
    }

    /// Counts a use of the word `number`, and says whether it is a term itself.
    pub(super) fn used(&mut self, number: u32) -> bool {
        let word = &mut self.words[number as usize];
        word.uses += 1;
        word.is_term
    }

    /// Its words, each with how often it was used.
    pub(super) fn uses(&self) -> impl Iterator<Item = (&'a str, u32)> {
        self.words.iter().map(|word| (word.text, word.uses))
    }

    /// How many terms there are.
    pub(super) fn terms(&self) -> usize {
        self.terms.len()
    }

    /// Its terms, each with its number, in no order.
    pub(super) fn into_terms(self) -> Vec<(String, u32)> {
        self.terms.into_iter().collect()
    }
}
