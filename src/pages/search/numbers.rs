//! Turns words into the numbers that they were given: a hash table in which words of up to sixteen bytes, nearly all there are, lie and
//! are compared as two whole numbers.
//!
//! Must not know what the numbers mean.

use rustc_hash::FxBuildHasher;

#[expect(clippy::disallowed_types, reason = "every word of a course is looked up in it, and it is never walked through")]
type Table<Key> = std::collections::HashMap<Key, u32, FxBuildHasher>;

/// The numbers of some words.
#[derive(Debug, Default)]
pub(super) struct Numbers<'a> {
    short: Table<[u64; 2]>,
    long: Table<&'a str>,
}

impl<'a> Numbers<'a> {
    /// The number of `word`.
    pub(super) fn get(&self, word: &str) -> Option<u32> {
        match short(word) {
            Some(short) => self.short.get(&short),
            None => self.long.get(word),
        }
        .copied()
    }

    /// Gives `word` the number `number`.
    pub(super) fn insert(&mut self, word: &'a str, number: u32) {
        match short(word) {
            Some(short) => self.short.insert(short, number),
            None => self.long.insert(word, number),
        };
    }
}

/// The bytes of `word`, then zeros, if it has room in two numbers. No two words give the same, since no word holds a zero.
fn short(word: &str) -> Option<[u64; 2]> {
    let bytes = word.as_bytes();
    let gap = |length: usize, whole: usize| 8 * (whole - length) as u32;
    // Loads that overlap say the same of what they have in common.
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let behind = u64::from_le_bytes(*last).checked_shr(gap(bytes.len().min(16), 16)).unwrap_or(0);
        (bytes.len() <= 16).then_some([u64::from_le_bytes(*first), behind])
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
        Some([first | last << (32 - gap(bytes.len(), 8)), 0])
    } else {
        Some([bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)), 0])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_of_any_length_have_their_own_numbers(words in proptest::collection::vec("[ab]{0,3}[aé]{0,20}", 1..60)) {
            let mut numbers = Numbers::default();
            for (number, word) in (0..).zip(&words) {
                numbers.insert(word, number);
            }
            for word in &words {
                let last = words.iter().rposition(|other| other == word).map(|at| at as u32);
                prop_assert_eq!(numbers.get(word), last, "{}", word);
            }
        }

        #[test]
        fn short_words_are_their_bytes(word in "[a-zé]{0,10}") {
            let mut bytes = [0; 16];
            let fits = word.len() <= bytes.len();
            if fits {
                bytes[..word.len()].copy_from_slice(word.as_bytes());
            }
            let whole = u128::from_le_bytes(bytes);
            prop_assert_eq!(short(&word), fits.then_some([whole as u64, (whole >> 64) as u64]));
        }
    }
}
