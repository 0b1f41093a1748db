//! Turns texts into shorter ones, in which codes stand for the words that a course uses most.
//!
//! Must not know what the texts are of. What follows, [`super::packed`], finds the rest of what repeats, in a third of the time that it
//! would take without. `templates/search/shards.js` reads it.

use super::numbers::Numbers;
use super::terms;
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
pub(super) struct Dictionary<'a> {
    words: Vec<&'a str>,
    numbers: Numbers<'a>,
}

impl<'a> Dictionary<'a> {
    /// Of the words that `vocabularies` use most.
    pub(super) fn of<'v>(vocabularies: impl Iterator<Item = &'v Vocabulary<'a>>) -> Self
    where
        'a: 'v,
    {
        // A mark in a Hebrew word would end the string that it is put into.
        let fits = |&(word, uses): &(&str, u32)| uses > 1 && (SHORTEST..=LONGEST).contains(&word.len()) && !word.contains('"');
        let mut words: Vec<(&str, u32)> = vocabularies.flat_map(Vocabulary::uses).filter(fits).collect();
        words.sort_unstable();
        words.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        words.sort_unstable_by_key(|&(word, uses)| (std::cmp::Reverse(uses), word));
        let words: Vec<&str> = words.into_iter().take(WORDS).map(|(word, _)| word).collect();
        let mut numbers = Numbers::default();
        for (word, number) in words.iter().zip(0..) {
            numbers.insert(word, number);
        }
        Self { words, numbers }
    }

    /// Its words in the order of their codes.
    pub(super) fn text(&self) -> String {
        self.words.join(" ")
    }

    /// Appends `text` as a string of JSON, with codes for words; a space between two codes goes without saying.
    pub(super) fn string(&self, text: &str, out: &mut Vec<u8>) {
        out.push(b'"');
        let mut done = 0;
        for (at, word) in terms::words(text) {
            let Some(number) = self.numbers.get(word) else { continue };
            let between = &text[done..at];
            if done == 0 || between != " " {
                escaped(between, out);
            }
            match number.checked_sub(SINGLE) {
                None => out.push(number as u8 + 1),
                Some(number) => {
                    let letters = LAST.len() as u32;
                    out.extend([(FIRST + number / letters) as u8, (LAST.start + number % letters) as u8]);
                }
            }
            done = at + word.len();
        }
        escaped(&text[done..], out);
        out.push(b'"');
    }
}

/// Appends `text` as a string of JSON holds it.
fn escaped(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            // A code otherwise.
            0..=31 => out.extend(format!("\\u{byte:04x}").bytes()),
            _ => out.push(byte),
        }
    }
}
