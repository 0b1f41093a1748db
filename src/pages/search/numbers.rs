//! Turns words into numbers in the order in which they first came, and numbers into words: a hash table in which words of up to sixteen
//! bytes, nearly all there are, are hashed and compared as two whole numbers.
//!
//! Must not know what the numbers mean.

use std::hash::Hasher as _;
use std::ops::Range;

use rustc_hash::FxHasher;

/// Words, each once.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The words, one after the other.
    text: String,
    /// Where each of them ends.
    ends: Vec<u32>,
    keys: Vec<Key>,
    /// By their hashes, one more than the numbers of the words, and zeros: a power of two of them, half at most of words.
    slots: Vec<u32>,
}

/// What words are compared by: all of a short word, and a part of a long one with a hash.
type Key = [u64; 2];

/// Slots of the smallest table.
const LEAST: usize = 256;

impl Numbers {
    /// The number of `word`.
    pub(super) fn get(&self, word: &str) -> Option<u32> {
        let key = key(word, 0..word.len());
        if self.slots.is_empty() { None } else { self.slots[self.slot(key, word)].checked_sub(1) }
    }

    /// The number of `word`, the next one if it is new.
    pub(super) fn number(&mut self, word: &str) -> u32 {
        self.number_in(word, 0..word.len())
    }

    /// The number of the `word` of `text`, sooner than without what is behind it.
    #[inline]
    pub(super) fn number_in(&mut self, text: &str, word: Range<usize>) -> u32 {
        let key = key(text, word.clone());
        // Nearly all words are known, short, and where they are looked for first.
        let known = self.slots.get(place(key, self.slots.len().wrapping_sub(1))).and_then(|known| known.checked_sub(1));
        match known {
            Some(number) if self.keys[number as usize] == key && word.len() <= SHORT => number,
            _ => self.found_or_added(key, &text[word]),
        }
    }

    #[inline(never)]
    fn found_or_added(&mut self, key: Key, word: &str) -> u32 {
        if self.slots.len() <= 2 * self.keys.len() {
            self.grow();
        }
        let slot = self.slot(key, word);
        if let Some(number) = self.slots[slot].checked_sub(1) {
            return number;
        }
        self.text.push_str(word);
        self.ends.push(self.text.len() as u32);
        self.keys.push(key);
        self.slots[slot] = self.keys.len() as u32;
        self.slots[slot] - 1
    }

    /// The word of the number `number`.
    pub(super) fn word(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[number] as usize]
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// All words in one text, and where each of them ends.
    pub(super) fn words(&self) -> (&str, &[u32]) {
        (&self.text, &self.ends)
    }

    /// Forgets all words, and keeps as much room as so many would need.
    pub(super) fn clear(&mut self) {
        self.slots.truncate((4 * self.keys.len()).next_power_of_two().max(LEAST));
        self.slots.fill(0);
        self.text.clear();
        self.ends.clear();
        self.keys.clear();
    }

    /// The slot of `word`, or the one that waits for it.
    fn slot(&self, key: Key, word: &str) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = place(key, last);
        while let Some(number) = self.slots[slot].checked_sub(1) {
            if self.keys[number as usize] == key && (word.len() <= SHORT || self.word(number) == word) {
                break;
            }
            slot = (slot + 1) & last;
        }
        slot
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(LEAST);
        self.slots.clear();
        self.slots.resize(size, 0);
        for (number, key) in (1..).zip(&self.keys) {
            let mut slot = place(*key, size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number;
        }
    }
}

/// The first slot to look into; the number of slots is a power of two, and `last` the number of the last one.
#[inline]
fn place([first, second]: Key, last: usize) -> usize {
    // The halves of a product of two numbers, neither of which is zero: each bit of it hangs on all that are lower.
    let product = u128::from(first ^ 0x9e37_79b9_7f4a_7c15) * u128::from(second ^ 0xd1b5_4a32_d192_ed03);
    ((product as u64) ^ (product >> 64) as u64) as usize & last
}

/// The bytes of a short `word` of `text`, then zeros: no two words give the same, since no word holds a zero.
#[inline]
fn key(text: &str, word: Range<usize>) -> Key {
    let (behind, length) = (text.as_bytes().get(word.start..).unwrap_or_default(), word.len());
    let mut last = [0; SHORT];
    let bytes = behind.first_chunk().unwrap_or_else(|| {
        last[..behind.len()].copy_from_slice(behind);
        &last
    });
    let whole = u128::from_le_bytes(*bytes);
    let key =
        if let Some(mask) = MASKS.get(length) { whole & mask } else { (u128::from(hash(&behind[..length])) << 64) | (whole & MASKS[8]) };
    [key as u64, (key >> 64) as u64]
}

/// Bytes of a short word at most.
const SHORT: usize = size_of::<Key>();

/// The bits of the first bytes, by their number.
const MASKS: [u128; SHORT + 1] = {
    let mut masks = [0; SHORT + 1];
    let mut bytes = 1;
    while bytes <= SHORT {
        masks[bytes] = u128::MAX >> (8 * (SHORT - bytes));
        bytes += 1;
    }
    masks
};

/// A hash of a long word. No text ends with its last byte, so that no short word has such a key.
#[cold]
fn hash(word: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word);
    hasher.finish() | (0xff << 56)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_of_any_length_have_their_own_numbers(words in proptest::collection::vec("[ab]{0,3}[aé]{0,20}", 1..400)) {
            let mut numbers = Numbers::default();
            for words in [&words[words.len() / 2..], &words[..]] {
                numbers.clear();
                let mut known: Vec<&String> = Vec::new();
                for word in words {
                    let first = known.iter().position(|other| *other == word);
                    prop_assert_eq!(numbers.get(word), first.map(|at| at as u32), "{}", word);
                    prop_assert_eq!(numbers.number(word), first.unwrap_or(known.len()) as u32, "{}", word);
                    if first.is_none() {
                        known.push(word);
                    }
                }
                prop_assert_eq!(numbers.len(), known.len());
                for (number, word) in (0..).zip(known) {
                    prop_assert_eq!(numbers.word(number), word);
                }
            }
        }

        #[test]
        fn keys_of_short_words_are_their_bytes(before in "x{0,9}", word in "[a-zé]{0,16}", behind in "x{0,17}") {
            let text = format!("{before}{word}{behind}");
            let key = key(&text, before.len()..before.len() + word.len());
            let mut bytes = [0; 16];
            if word.len() <= bytes.len() {
                bytes[..word.len()].copy_from_slice(word.as_bytes());
                let whole = u128::from_le_bytes(bytes);
                prop_assert_eq!(key, [whole as u64, (whole >> 64) as u64]);
            } else {
                prop_assert_eq!(key[1] >> 56, 0xff);
            }
        }
    }
}
