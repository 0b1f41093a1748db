//! Turns text into a script that hands it over as a short string without escapes: deflated, then thirteen bits in two letters of ASCII.
//!
//! Must not know what the text says. `templates/search/shards.js` reads it.

use std::sync::Arc;

use flate2::{Compress, Compression, FlushCompress, Status};

/// How hard to look for repetitions. Common words are codes by then, and more effort would save 3 % for twice the time.
const EFFORT: u32 = 4;
/// How many letters there are: those from `#` to `}`, with `!` for the backslash.
const LETTERS: u32 = 91;
/// Bits of two letters, and of one where no more are left.
const PAIR: u32 = 13;
const SINGLE: u32 = 6;

/// The script that hands `value`, an expression, over as `key`.
pub(super) fn script(key: &str, value: &str) -> String {
    format!("lessonc_search({}, {value});\n", serde_json::Value::from(key))
}

/// Packs one text after the other, in the same memory.
pub(super) struct Packer {
    deflate: Compress,
    bytes: Vec<u8>,
    script: Vec<u8>,
}

impl Packer {
    pub(super) fn new() -> Self {
        Self { deflate: Compress::new(Compression::new(EFFORT), false), bytes: Vec::new(), script: Vec::new() }
    }

    /// The script that hands `text` over as `key`.
    pub(super) fn script(&mut self, key: &str, text: &[u8]) -> Arc<str> {
        self.deflate(text);
        let around = script(key, "\"\"");
        let (before, behind) = around.split_at(around.rfind('"').unwrap_or_default());
        self.script.clear();
        self.script.extend(before.bytes());
        lettered(&self.bytes, &mut self.script);
        self.script.extend(behind.bytes());
        std::str::from_utf8(&self.script).unwrap_or_default().into()
    }

    fn deflate(&mut self, text: &[u8]) {
        self.deflate.reset();
        self.bytes.clear();
        // Enough for what can't be deflated, so that there is always room.
        self.bytes.reserve(text.len() + text.len() / 8 + 64);
        loop {
            let rest = &text[self.deflate.total_in() as usize..];
            match self.deflate.compress_vec(rest, &mut self.bytes, FlushCompress::Finish) {
                Ok(Status::Ok | Status::BufError) => self.bytes.reserve(text.len() + 64),
                Ok(Status::StreamEnd) | Err(_) => return,
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

/// Appends `bytes` in letters.
fn lettered(bytes: &[u8], out: &mut Vec<u8>) {
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
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read as _;

    use flate2::read::DeflateDecoder;
    use proptest::prelude::*;

    use super::*;

    fn bytes_of(letters: &[u8]) -> Vec<u8> {
        let value = |letter: u8| u64::from(if letter == b'!' { b'\\' } else { letter } - b'#');
        let (mut out, mut held, mut bits) = (Vec::new(), 0_u64, 0);
        for pair in letters.chunks(2) {
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

    /// The text that `script` hands over.
    pub(in super::super) fn unpacked(script: &str) -> String {
        let letters = script.split('"').nth(3).unwrap();
        let mut text = String::new();
        DeflateDecoder::new(&bytes_of(letters.as_bytes())[..]).read_to_string(&mut text).unwrap();
        text
    }

    proptest! {
        #[test]
        fn bytes_read_back(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let mut letters = Vec::new();
            lettered(&bytes, &mut letters);
            prop_assert!(letters.iter().all(|letter| letter.is_ascii_graphic() && !matches!(letter, b'"' | b'\\')));
            prop_assert_eq!(bytes_of(&letters), bytes);
        }

        #[test]
        fn texts_read_back_whatever_was_packed_before(texts in proptest::collection::vec(".{0,400}", 1..4)) {
            let mut packer = Packer::new();
            for text in texts {
                let script = packer.script("en/a", text.as_bytes());
                prop_assert!(script.starts_with("lessonc_search(\"en/a\", \"") && script.ends_with("\");\n"));
                prop_assert_eq!(unpacked(&script), text);
            }
        }
    }
}
