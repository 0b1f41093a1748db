//! Turns words into numbers, and knows the terms of each word: what a word is found by is worked out once, however often it is written.
//!
//! Must not know sections or files.

use std::ops::Range;

use super::numbers::Numbers;
use super::terms;

/// The words of some texts.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    numbers: Numbers,
    words: Vec<Word>,
    /// Terms of words, those of a word side by side, each with its share.
    parts: Vec<(u32, u8)>,
    terms: Numbers,
    reader: terms::Reader,
}

#[derive(Debug)]
struct Word {
    /// Where its terms end.
    end: u32,
    uses: u32,
}

impl Vocabulary {
    /// The number of the `word` of `text`.
    pub(super) fn number(&mut self, text: &str, word: Range<usize>) -> u32 {
        let number = self.numbers.number_in(text, word.clone());
        if number as usize == self.words.len() {
            let (terms, parts) = (&mut self.terms, &mut self.parts);
            self.reader.of(&text[word], |term, share| parts.push((terms.number(term), share)));
            self.words.push(Word { end: self.parts.len() as u32, uses: 0 });
        }
        number
    }

    /// The numbers of the terms of the word `number`, each with what it says there.
    pub(super) fn terms_of(&self, number: u32) -> &[(u32, u8)] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.words[before].end);
        &self.parts[start as usize..self.words[number].end as usize]
    }

    /// Counts `uses` of the word `number`.
    pub(super) fn used(&mut self, number: u32, uses: u32) {
        self.words[number as usize].uses += uses;
    }

    /// Its words, each with how often it was used.
    pub(super) fn uses(&self) -> impl Iterator<Item = (&str, u32)> {
        (0..).zip(&self.words).map(|(number, word)| (self.numbers.word(number), word.uses))
    }

    /// Its terms, by their numbers.
    pub(super) fn terms(&self) -> &Numbers {
        &self.terms
    }
}

#[cfg(test)]
impl Vocabulary {
    /// Has `term` as its next term, which no word is found by.
    pub(super) fn term(&mut self, term: &str) {
        self.terms.number(term);
    }
}
