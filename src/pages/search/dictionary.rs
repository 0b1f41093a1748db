//! Turns texts into shorter ones, in which codes stand for the words that a course uses most.
//!
//! Must not know what the texts are of. What follows, [`super::packed`], finds the rest of what repeats, in a third of the time that it
//! would take without. `templates/search/shards.js` reads it.

use super::numbers::Numbers;
use super::spelled::{Piece, Spelled};
use super::vocabulary::Vocabulary;

/// Words in it; they are what readers who mistype may have meant, too.
const WORDS: usize = 1_000;
/// Bytes of a word in it at least and at most.
const SHORTEST: usize = 2;
const LONGEST: usize = 24;
/// The control characters, which no text holds: those that are a code, and those that begin one of two letters.
const SINGLE: u32 = 15;
const FIRST: u32 = 16;
/// The letters that may end a code of two: printable ASCII.
const LAST: std::ops::Range<u32> = 32..127;

/// The words of a course that have codes.
#[derive(Debug)]
pub(super) struct Dictionary {
    words: Numbers,
}

impl Dictionary {
    /// Of the words that `vocabularies` use most.
    pub(super) fn of<'a>(vocabularies: impl Iterator<Item = &'a Vocabulary>) -> Self {
        // A mark in a Hebrew word would end the string that it is put into.
        let fits = |&(word, uses): &(&str, u32)| uses > 1 && (SHORTEST..=LONGEST).contains(&word.len()) && !word.contains('"');
        let mut words: Vec<(&str, u32)> = vocabularies.flat_map(Vocabulary::uses).filter(fits).collect();
        words.sort_unstable();
        words.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        let order = |&(word, uses): &(&'a str, u32)| (std::cmp::Reverse(uses), word);
        if words.len() > WORDS {
            words.select_nth_unstable_by_key(WORDS, order);
            words.truncate(WORDS);
        }
        words.sort_unstable_by_key(order);
        let mut dictionary = Self { words: Numbers::default() };
        for (word, _) in words {
            dictionary.words.number(word);
        }
        dictionary
    }

    /// Its words in the order of their codes.
    pub(super) fn text(&self) -> String {
        let words: Vec<&str> = (0..self.words.len() as u32).map(|number| self.words.word(number)).collect();
        words.join(" ")
    }
}

/// Writes the texts of one lesson after the other, with codes for words.
#[derive(Debug)]
pub(super) struct Coder<'a> {
    dictionary: &'a Dictionary,
    /// What is known of each word of the lesson, by its number there.
    known: Vec<Option<Known>>,
}

/// How a word is written.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// Its bytes.
    length: u32,
    /// Its code, of `letters` letters; of none, if it stands for itself.
    code: [u8; 2],
    letters: u8,
    /// Whether a letter of it would end a string.
    quotes: bool,
}

impl<'a> Coder<'a> {
    /// Of the words of `dictionary`.
    pub(super) fn of(dictionary: &'a Dictionary) -> Self {
        Self { dictionary, known: Vec::new() }
    }

    /// What is written next are texts of `lesson`.
    pub(super) fn begin(&mut self, lesson: &Spelled) {
        self.known.clear();
        self.known.resize(lesson.len(), None);
    }

    /// Appends the text of `lesson` at `index`, about `most` bytes of it at most, as a string of JSON with codes for words; a space between
    /// two codes goes without saying.
    pub(super) fn string(&mut self, lesson: &Spelled, index: usize, most: usize, out: &mut Vec<u8>) {
        let mut left = most;
        // What stands before: whether it is a word, and whether it is a code.
        let (mut word, mut code) = (false, false);
        out.push(b'"');
        for piece in lesson.pieces(index) {
            match piece {
                Piece::Word(number) => {
                    let known = *self.known[number as usize].get_or_insert_with(|| self.dictionary.known(lesson.word(number)));
                    left = left.saturating_sub(usize::from(word) + known.length as usize);
                    if left == 0 {
                        break;
                    }
                    let is_code = known.letters > 0;
                    if word && !(code && is_code) {
                        out.push(b' ');
                    }
                    if is_code {
                        out.extend_from_slice(&known.code);
                        out.truncate(out.len() + usize::from(known.letters) - known.code.len());
                    } else if known.quotes {
                        lesson.word(number).chars().for_each(|letter| escaped(letter, out));
                    } else {
                        out.extend_from_slice(lesson.word(number).as_bytes());
                    }
                    (word, code) = (true, is_code);
                }
                Piece::Letter(letter) => {
                    left = left.saturating_sub(letter.len_utf8());
                    if left == 0 {
                        break;
                    }
                    escaped(letter, out);
                    (word, code) = (false, false);
                }
            }
        }
        out.push(b'"');
    }
}

impl Dictionary {
    /// How `word` is written.
    fn known(&self, word: &str) -> Known {
        let all = LAST.len() as u32;
        let (code, letters) = match self.words.get(word) {
            None => ([0; 2], 0),
            Some(number @ ..SINGLE) => ([number as u8 + 1, 0], 1),
            Some(number) => ([(FIRST + (number - SINGLE) / all) as u8, (LAST.start + (number - SINGLE) % all) as u8], 2),
        };
        Known { length: word.len() as u32, code, letters, quotes: word.contains('"') }
    }
}

/// Appends `letter` as a string of JSON holds it.
#[inline]
fn escaped(letter: char, out: &mut Vec<u8>) {
    if letter.is_ascii() && letter >= ' ' && letter != '"' && letter != '\\' {
        return out.push(letter as u8);
    }
    match letter {
        '"' | '\\' => out.extend([b'\\', letter as u8]),
        // A code otherwise.
        '\0'..='\x1f' => out.extend(format!("\\u{:04x}", letter as u8).bytes()),
        letter => out.extend(letter.encode_utf8(&mut [0; 4]).bytes()),
    }
}
