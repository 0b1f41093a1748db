//! Turns texts into the numbers of their words, each of which is kept once, and what stands between them: half the bytes of the texts,
//! and nobody has to look for their words again.
//!
//! Must not know what the texts are of.

use std::ops::Range;

use super::numbers::Numbers;
use super::terms;

/// Some texts that have words in common.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Spelled {
    /// The words, one after the other, and where each of them ends.
    words: Box<str>,
    word_ends: Box<[u32]>,
    /// The pieces of one text after the other, and where each text ends.
    pieces: Box<[u8]>,
    text_ends: Box<[u32]>,
}

/// A part of a text. Between two words, one behind the other, is a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// A word, by its number.
    Word(u32),
    /// A letter that stands in no word.
    Letter(char),
}

/// Bits at the head of a word's number: of a number in two bytes, of a number in four, and those that stand before a letter beyond ASCII.
/// Letters of ASCII have none of them.
const TWO: u32 = 0x80 << 8;
const FOUR: u32 = 0xc0 << 24;
const LETTER: u8 = 0xff;
/// Numbers below have room in two bytes.
const FEW: u32 = 0x40 << 8;

impl Spelled {
    /// How many words it has.
    pub(super) fn len(&self) -> usize {
        self.word_ends.len()
    }

    /// The word of the number `number`.
    pub(super) fn word(&self, number: u32) -> &str {
        let (text, word) = self.place(number);
        &text[word]
    }

    /// A text, and where in it the word of the number `number` stands.
    pub(super) fn place(&self, number: u32) -> (&str, Range<usize>) {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.word_ends[before]);
        (&self.words, start as usize..self.word_ends[number] as usize)
    }

    /// The pieces of the text at `index`.
    pub(super) fn pieces(&self, index: usize) -> impl Iterator<Item = Piece> {
        let start = index.checked_sub(1).map_or(0, |before| self.text_ends[before]);
        let mut rest = &self.pieces[start as usize..self.text_ends[index] as usize];
        std::iter::from_fn(move || {
            let (piece, behind) = match *rest {
                [first @ ..0x80, ref behind @ ..] => (Piece::Letter(first.into()), behind),
                [first @ ..0xc0, second, ref behind @ ..] => (Piece::Word(u32::from_be_bytes([0, 0, first, second]) ^ TWO), behind),
                [LETTER, ref behind @ ..] => {
                    let letter = behind.utf8_chunks().next()?.valid().chars().next()?;
                    (Piece::Letter(letter), &behind[letter.len_utf8()..])
                }
                [first, second, third, fourth, ref behind @ ..] => {
                    (Piece::Word(u32::from_be_bytes([first, second, third, fourth]) ^ FOUR), behind)
                }
                _ => return None,
            };
            rest = behind;
            Some(piece)
        })
    }

    /// The numbers of the words of the text at `index`.
    pub(super) fn words(&self, index: usize) -> impl Iterator<Item = u32> {
        self.pieces(index).filter_map(|piece| if let Piece::Word(number) = piece { Some(number) } else { None })
    }
}

/// Spells the texts of one lesson after the other, in the same memory.
#[derive(Debug, Default)]
pub(super) struct Speller {
    words: Numbers,
    /// Whether each word is a term itself.
    terms: Vec<bool>,
    pieces: Vec<u8>,
    text_ends: Vec<u32>,
    /// What the text that is being spelled ends with, whether a space stands behind it, and how many of its words are terms.
    last: Last,
    space: bool,
    count: u32,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    Word,
    Letter,
}

impl Speller {
    /// Spells `text` as it is.
    pub(super) fn text(&mut self, text: &str) {
        self.add::<false>(text);
        if std::mem::take(&mut self.space) {
            self.pieces.push(b' ');
        }
        self.end();
    }

    /// Spells `texts` as one, with one space between any two words of it and none around them; those that don't break stay, which keep a
    /// figure with its unit. Gives how many words of it are terms themselves.
    pub(super) fn tidy(&mut self, texts: &[&str]) -> u32 {
        for text in texts {
            self.space = self.last != Last::Nothing;
            self.add::<true>(text);
        }
        self.space = false;
        self.end()
    }

    /// All texts that were spelled, in order; it begins anew.
    pub(super) fn take(&mut self) -> Spelled {
        let (words, ends) = self.words.words();
        let spelled = Spelled {
            words: words.into(),
            word_ends: ends.into(),
            pieces: self.pieces.as_slice().into(),
            text_ends: self.text_ends.as_slice().into(),
        };
        self.words.clear();
        self.terms.clear();
        self.pieces.clear();
        self.text_ends.clear();
        spelled
    }

    fn add<const TIDY: bool>(&mut self, text: &str) {
        let mut done = 0;
        for word in terms::places(text) {
            // So it is between most words.
            if word.start == done + 1 && text.as_bytes()[done] == b' ' && self.last == Last::Word {
                self.space = true;
            } else {
                self.between::<TIDY>(&text[done..word.start]);
            }
            done = word.end;
            self.word(text, word);
        }
        self.between::<TIDY>(&text[done..]);
    }

    fn end(&mut self) -> u32 {
        self.text_ends.push(self.pieces.len() as u32);
        self.last = Last::Nothing;
        std::mem::take(&mut self.count)
    }

    /// Adds the `word` of `text`.
    fn word(&mut self, text: &str, word: Range<usize>) {
        if std::mem::take(&mut self.space) && self.last == Last::Letter {
            self.pieces.push(b' ');
        }
        let number = self.words.number_in(text, word.clone());
        if number as usize == self.terms.len() {
            self.terms.push(terms::is_term(&text[word]));
        }
        self.count += u32::from(self.terms[number as usize]);
        if number < FEW {
            self.pieces.extend(((TWO | number) as u16).to_be_bytes());
        } else {
            self.pieces.extend((FOUR | number).to_be_bytes());
        }
        self.last = Last::Word;
    }

    fn between<const TIDY: bool>(&mut self, text: &str) {
        for letter in text.chars() {
            let may_wait = if TIDY { letter.is_ascii_whitespace() } else { letter == ' ' && self.last == Last::Word && !self.space };
            if may_wait {
                self.space = self.last != Last::Nothing;
            } else {
                self.letter(letter);
            }
        }
    }

    fn letter(&mut self, letter: char) {
        if std::mem::take(&mut self.space) {
            self.pieces.push(b' ');
        }
        if !letter.is_ascii() {
            self.pieces.push(LETTER);
        }
        self.pieces.extend(letter.encode_utf8(&mut [0; 4]).bytes());
        self.last = Last::Letter;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::terms::tests::words;
    use super::*;

    /// The text at `index`.
    fn read(spelled: &Spelled, index: usize) -> String {
        let (mut text, mut word) = (String::new(), false);
        for piece in spelled.pieces(index) {
            match piece {
                Piece::Word(number) => {
                    text.push_str(if word { " " } else { "" });
                    text.push_str(spelled.word(number));
                }
                Piece::Letter(letter) => text.push(letter),
            }
            word = matches!(piece, Piece::Word(_));
        }
        text
    }

    /// One space between any two words.
    fn tidy(texts: &[String]) -> String {
        texts.iter().flat_map(|text| text.split_ascii_whitespace()).collect::<Vec<_>>().join(" ")
    }

    proptest! {
        #[test]
        fn texts_read_back(lessons in proptest::collection::vec(proptest::collection::vec("[ab1 \t\n.,'\"\\\\א״—\u{a0}𝛼\u{1}]{0,24}", 0..5), 1..4)) {
            let mut speller = Speller::default();
            for texts in lessons {
                texts.iter().for_each(|text| speller.text(text));
                let count = speller.tidy(&texts.iter().map(String::as_str).collect::<Vec<_>>());
                let spelled = speller.take();
                for (index, text) in texts.iter().enumerate() {
                    prop_assert_eq!(&read(&spelled, index), text);
                }
                prop_assert_eq!(read(&spelled, texts.len()), tidy(&texts));
                let all = tidy(&texts);
                prop_assert_eq!(count as usize, words(&all).filter(|(_, word)| terms::is_term(word)).count());
                prop_assert_eq!(spelled.words(texts.len()).count(), words(&all).count());
            }
        }
    }

    #[test]
    fn any_number_of_words_has_room() {
        let words: Vec<String> = (0..FEW + 10).map(|number| format!("w{number}")).collect();
        let mut speller = Speller::default();
        speller.text(&words.join(" "));
        let spelled = speller.take();
        assert_eq!(spelled.len(), words.len());
        assert_eq!(read(&spelled, 0), words.join(" "));
    }
}
