//! Turns bytes of text into where words begin and end among them, many bytes at a time: hardly any letter is looked at for itself.
//!
//! Must not know what words are for.

/// The highest bit of each byte, and one in each of them.
const HIGH: u64 = 0x80 * ONES;
const ONES: u64 = 0x0101_0101_0101_0101;

/// Bytes that are looked at together.
const VIEW: usize = 64;

/// Looks for where runs of letters begin and end, best from the first byte to the last.
#[derive(Debug)]
pub(super) struct Runs<'a> {
    bytes: &'a [u8],
    /// Where the bytes in view begin.
    start: usize,
    /// Those of them that are letters, digits or `_` of ASCII, the first one lowest, and those beyond ASCII.
    plain: u64,
    beyond: u64,
}

impl<'a> Runs<'a> {
    /// Of `bytes`.
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        let mut runs = Self { bytes, start: 0, plain: 0, beyond: 0 };
        runs.look(0);
        runs
    }

    /// Where the letters, digits and `_` of ASCII end that stand at `at`.
    #[inline]
    pub(super) fn end_of_plain(&mut self, mut at: usize) -> usize {
        loop {
            self.see(at);
            let others = !self.plain >> (at - self.start);
            if others != 0 {
                return at + others.trailing_zeros() as usize;
            }
            at = self.start + VIEW;
        }
    }

    /// Where the first letter, digit, `_` or byte beyond ASCII stands, from `at` on, if there is one.
    #[inline]
    pub(super) fn next(&mut self, mut at: usize) -> Option<usize> {
        while at < self.bytes.len() {
            self.see(at);
            let found = (self.plain | self.beyond) >> (at - self.start);
            if found != 0 {
                return Some(at + found.trailing_zeros() as usize);
            }
            at = self.start + VIEW;
        }
        None
    }

    #[inline]
    fn see(&mut self, at: usize) {
        if at.wrapping_sub(self.start) >= VIEW {
            self.look(at - at % VIEW);
        }
    }

    fn look(&mut self, start: usize) {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let mut last = [0; VIEW];
        let view = rest.first_chunk().unwrap_or_else(|| {
            last[..rest.len()].copy_from_slice(rest);
            &last
        });
        (self.start, self.plain, self.beyond) = (start, 0, 0);
        for (eight, at) in view.as_chunks::<8>().0.iter().zip((0..).step_by(8)) {
            let eight = u64::from_le_bytes(*eight);
            self.plain |= gathered(plain(eight)) << at;
            self.beyond |= gathered(eight & HIGH) << at;
        }
    }
}

/// The highest bits of eight bytes, side by side.
fn gathered(marks: u64) -> u64 {
    // Of the eight products one moves the bit of each byte to its place.
    (marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The highest bit of each of `eight` bytes that is a letter, a digit or `_` of ASCII.
fn plain(eight: u64) -> u64 {
    // Sums of seven bits each, so that none reaches into the next byte.
    let low = eight & !HIGH;
    let small = low | (0x20 * ONES);
    let reaches = |bytes: u64, least: u8| bytes + (0x80 - u64::from(least)) * ONES;
    let between = |bytes: u64, from: u8, to: u8| reaches(bytes, from) & !reaches(bytes, to + 1);
    let underscore = HIGH - (low ^ (u64::from(b'_') * ONES));
    (between(small, b'a', b'z') | between(low, b'0', b'9') | underscore) & !eight & HIGH
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_plain(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || byte == b'_'
    }

    #[test]
    fn every_byte_is_known_at_every_place() {
        for (byte, at) in (0..=255_u8).flat_map(|byte| (0..8).map(move |at| (byte, at))) {
            for others in [0, 0x5f * ONES, u64::MAX] {
                let eight = (others & !(0xff << (8 * at))) | (u64::from(byte) << (8 * at));
                assert_eq!(plain(eight) >> (8 * at) & 0xff, if is_plain(byte) { 0x80 } else { 0 }, "{byte} at {at} in {eight:x}");
            }
        }
    }

    proptest! {
        #[test]
        fn runs_end_where_they_end(
            bytes in proptest::collection::vec(prop_oneof![20 => Just(b'a'), 20 => Just(b' '), 1 => Just(0xd7_u8), 1 => Just(b'_')], 0..200),
            gap in 0..80_usize,
            at in 0..210_usize,
        ) {
            let mut bytes = bytes;
            bytes.splice(bytes.len() / 2..bytes.len() / 2, std::iter::repeat_n(b' ', gap));
            let at = at.min(bytes.len());
            let first = |stops: fn(u8) -> bool| bytes[at..].iter().position(|byte| stops(*byte)).map(|ahead| at + ahead);
            for begun in [0, at] {
                let mut runs = Runs::of(&bytes);
                runs.end_of_plain(begun);
                prop_assert_eq!(runs.end_of_plain(at), first(|byte| !is_plain(byte)).unwrap_or(bytes.len()));
                prop_assert_eq!(runs.next(at), first(|byte| is_plain(byte) || !byte.is_ascii()));
            }
        }
    }
}
