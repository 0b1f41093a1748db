//! Turns text into a string of JavaScript that is short and needs no escapes: deflated, then thirteen bits in two letters of ASCII.
//!
//! Must not know what the text says. `templates/search/shards.js` reads it.

use flate2::{Compress, Compression, FlushCompress, Status};

/// How hard to look for repetitions. Common words are codes by then, and more effort would save 3 % for twice the time.
const EFFORT: u32 = 4;
/// How many letters there are: those from `#` to `}`, with `!` for the backslash.
const LETTERS: u32 = 91;
/// Bits of two letters, and of one where no more are left.
const PAIR: u32 = 13;
const SINGLE: u32 = 6;

/// Packs one text after the other, in the same memory.
pub(super) struct Packer {
    deflate: Compress,
    bytes: Vec<u8>,
}

impl Packer {
    pub(super) fn new() -> Self {
        Self { deflate: Compress::new(Compression::new(EFFORT), false), bytes: Vec::new() }
    }

    /// `text` packed.
    pub(super) fn packed(&mut self, text: &[u8]) -> String {
        self.deflate.reset();
        self.bytes.clear();
        // Enough for what can't be deflated, so that there is always room.
        self.bytes.reserve(text.len() + text.len() / 8 + 64);
        loop {
            let rest = &text[self.deflate.total_in() as usize..];
            match self.deflate.compress_vec(rest, &mut self.bytes, FlushCompress::Finish) {
                Ok(Status::Ok | Status::BufError) => self.bytes.reserve(text.len() + 64),
                Ok(Status::StreamEnd) | Err(_) => return lettered(&self.bytes),
            }
        }
    }
}

/// The two letters of each value of thirteen bits.
const PAIRS: [[u8; 2]; 1 << PAIR] = {
    let mut pairs = [[0; 2]; 1 << PAIR];
    let mut value = 0;
    while value < pairs.len() as u32 {
        pairs[value as usize] = [letter(value % LETTERS), letter(value / LETTERS)];
        value += 1;
    }
    pairs
};

const fn letter(value: u32) -> u8 {
    match value as u8 + b'#' {
        b'\\' => b'!',
        letter => letter,
    }
}

/// `bytes` in letters.
fn lettered(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len() * 16 / 13 + 2);
    let (mut held, mut bits) = (0_u32, 0);
    for byte in bytes {
        held |= u32::from(*byte) << bits;
        bits += 8;
        if bits >= PAIR {
            out.extend(PAIRS[held as usize % PAIRS.len()]);
            held >>= PAIR;
            bits -= PAIR;
        }
    }
    let rest = PAIRS[held as usize];
    out.extend(&rest[..usize::from(bits > 0) + usize::from(bits > SINGLE)]);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read as _;

    use flate2::read::DeflateDecoder;
    use proptest::prelude::*;

    use super::*;

    fn bytes_of(letters: &str) -> Vec<u8> {
        let value = |letter: u8| u64::from(if letter == b'!' { b'\\' } else { letter } - b'#');
        let (mut out, mut held, mut bits) = (Vec::new(), 0_u64, 0);
        for pair in letters.as_bytes().chunks(2) {
            held |= (value(pair[0]) + pair.get(1).map_or(0, |second| value(*second) * u64::from(LETTERS))) << bits;
            bits += if pair.len() == 2 { PAIR } else { SINGLE };
            while bits >= 8 {
                out.push(held as u8);
                held >>= 8;
                bits -= 8;
            }
        }
        out
    }

    /// The text that was packed.
    pub(in super::super) fn unpacked(letters: &str) -> String {
        let mut text = String::new();
        DeflateDecoder::new(&bytes_of(letters)[..]).read_to_string(&mut text).unwrap();
        text
    }

    proptest! {
        #[test]
        fn bytes_read_back(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let letters = lettered(&bytes);
            let fit = letters.bytes().all(|letter| letter.is_ascii_graphic() && !matches!(letter, b'"' | b'\\'));
            prop_assert!(fit, "{}", letters);
            prop_assert_eq!(bytes_of(&letters), bytes);
        }

        #[test]
        fn texts_read_back_whatever_was_packed_before(texts in proptest::collection::vec(".{0,400}", 1..4)) {
            let mut packer = Packer::new();
            for text in texts {
                prop_assert_eq!(unpacked(&packer.packed(text.as_bytes())), text);
            }
        }
    }
}
