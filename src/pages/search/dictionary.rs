//! Turns texts into shorter ones, in which codes stand for the words that a course uses most.
//!
//! Must not know what the texts are of. What follows, [`super::packed`], finds the rest of what repeats, in a third of the time that it
//! would take without. `templates/search/shards.js` reads it.

use rustc_hash::FxBuildHasher;

use super::terms;
use super::vocabulary::Vocabulary;

#[expect(clippy::disallowed_types, reason = "every word of a course is looked up in it, and it is never walked through")]
type Codes<'a> = std::collections::HashMap<&'a str, u16, FxBuildHasher>;

/// Words in it; they are what readers who mistype may have meant, too.
const WORDS: usize = 1_000;
/// Bytes of a word in it at least and at most.
const SHORTEST: usize = 2;
const LONGEST: usize = 24;
/// The control characters, which no text holds: those that are a code, and those that begin one of two letters.
const SINGLE: u16 = 15;
const FIRST: u16 = 16;
/// The letters that may end a code of two: printable ASCII.
const LAST: std::ops::Range<u16> = 32..127;

/// The words of a course that have codes.
#[derive(Debug)]
pub(super) struct Dictionary<'a> {
    words: Vec<&'a str>,
    codes: Codes<'a>,
}

impl<'a> Dictionary<'a> {
    /// Of the words that `vocabularies` use most.
    pub(super) fn of<'v>(vocabularies: impl Iterator<Item = &'v Vocabulary<'a>>) -> Self
    where
        'a: 'v,
    {
        let fits = |&(word, uses): &(&str, u32)| uses > 1 && (SHORTEST..=LONGEST).contains(&word.len());
        let mut words: Vec<(&str, u32)> = vocabularies.flat_map(Vocabulary::uses).filter(fits).collect();
        words.sort_unstable();
        words.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        words.sort_unstable_by_key(|&(word, uses)| (std::cmp::Reverse(uses), word));
        let words: Vec<&str> = words.into_iter().take(WORDS).map(|(word, _)| word).collect();
        let codes = words.iter().copied().zip(0..).collect();
        Self { words, codes }
    }

    /// Its words in the order of their codes.
    pub(super) fn text(&self) -> String {
        self.words.join(" ")
    }

    /// Appends `text`, which holds no control characters, with codes for words; a space between two codes goes without saying.
    pub(super) fn code(&self, text: &str, out: &mut Vec<u8>) {
        let mut done = 0;
        for (at, word) in terms::words(text) {
            let Some(code) = self.codes.get(word) else { continue };
            let between = &text[done..at];
            if done == 0 || between != " " {
                out.extend_from_slice(between.as_bytes());
            }
            match code.checked_sub(SINGLE) {
                None => out.push(*code as u8 + 1),
                Some(code) => out.extend([(FIRST + code / LAST.len() as u16) as u8, (LAST.start + code % LAST.len() as u16) as u8]),
            }
            done = at + word.len();
        }
        out.extend_from_slice(&text.as_bytes()[done..]);
    }
}
