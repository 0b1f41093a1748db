//! Turns a seed into choices: the same on every machine, so that a fault that was missed comes again.
//!
//! Must not know what is chosen.

/// The generator of Steele, Lea and Flood's SplitMix.
pub(super) struct Random(u64);

impl Random {
    /// Choices for the kind of fault `name`: other kinds, added before it or after, don't change them.
    pub(super) fn of(name: &str) -> Self {
        // FNV-1a, which spreads names well enough.
        Self(name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// One of `all`; `None` of none.
    pub(super) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        if all.is_empty() { None } else { all.get(self.below(all.len())) }
    }
}
