//! Turns a recorded seed into the order of rows in every round, the same on any machine.
//!
//! Must not know what the rows are.

/// The order of `rows` rows in round `round` (from 1): shuffled in an odd round, and in the even round after it the same
/// order from its end, so that a steady drift over the pair weighs on all rows alike (A B B A).
#[must_use]
pub fn order(seed: u64, round: u32, rows: u32) -> Vec<u32> {
    let pair = round.saturating_sub(1) / 2;
    let mut order: Vec<u32> = (0..rows).collect();
    // Each pair of rounds has a stream of its own, so that the order of a round does not hang on the rounds before it.
    let mut random = SplitMix(seed ^ u64::from(pair).wrapping_mul(0xD1B5_4A32_D192_ED03));
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    if round.is_multiple_of(2) {
        order.reverse();
    }
    order
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): one multiply-shift chain over a
/// counter. It is small, needs no state but the counter, and is good enough to shuffle a few dozen rows.
#[derive(Debug, Clone)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// The next 64 bits.
    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`, every one equally likely; 0 for a bound of 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        // The last, incomplete run of `bound` numbers is thrown away, since it would favour small results.
        let whole = u64::MAX - u64::MAX % bound;
        loop {
            let bits = self.next_bits();
            if bits < whole {
                return bits % bound;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // First outputs for the seed 1234567, as in the test vectors of the Java and C versions.
        let mut random = SplitMix(1_234_567);
        assert_eq!([random.next_bits(), random.next_bits()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn even_rounds_mirror_the_round_before_and_every_row_comes_once() {
        for rows in [0, 1, 2, 13] {
            for round in [1, 3, 9] {
                let first = order(7, round, rows);
                let mut mirrored = order(7, round + 1, rows);
                mirrored.reverse();
                assert_eq!(first, mirrored);
                let mut sorted = first;
                sorted.sort_unstable();
                assert_eq!(sorted, (0..rows).collect::<Vec<_>>());
            }
        }
        assert_ne!(order(7, 1, 13), order(7, 3, 13));
        assert_ne!(order(7, 1, 13), order(8, 1, 13));
    }

    #[test]
    fn no_place_is_favoured() {
        let mut first = [0u32; 4];
        (0..4000).for_each(|seed| first[order(seed, 1, 4)[0] as usize] += 1);
        assert!(first.iter().all(|&count| (880..1120).contains(&count)), "{first:?}");
    }
}
