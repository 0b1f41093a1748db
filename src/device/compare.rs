//! Turns an output and what it should be into a receipt: elements, wrong ones, the first of them, the largest error.
//!
//! Must not know where either came from. Chunks are compared in parallel and joined by minimum, maximum and sum, which do not
//! depend on the order, so that a receipt repeats to the bit.

use rayon::prelude::*;

use crate::course::sweep::Element;
use crate::evidence::record::Receipt;

/// How far a floating-point element may be from what it should be: within either bound. Integers are compared exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// |got − expected| over |expected|.
    pub relative: f64,
    /// |got − expected|.
    pub absolute: f64,
}

/// What a comparison found, to be joined with others and made a [`Receipt`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    elements: u64,
    wrong: u64,
    first_wrong: Option<String>,
    largest_relative: f64,
}

/// Elements that one task compares.
const TASK: usize = 1 << 16;
/// Elements that are looked at together, before any of them alone.
const BLOCK: usize = 64;
/// Largest errors that are kept side by side within a block.
const LANES: usize = 8;

impl Comparison {
    /// Compares a piece of the buffer `name` that begins at element `start`. A NaN equals nothing, itself included; an element
    /// that should be zero counts against the absolute bound only. Elements missing from either side are wrong.
    pub fn add(&mut self, name: &str, element: Element, start: u64, got: &[u8], expected: &[u8], tolerance: Tolerance) {
        let found = match element {
            Element::F32 => floats(got, expected, |bytes| f64::from(f32::from_ne_bytes(bytes)), tolerance),
            Element::F64 => floats(got, expected, f64::from_ne_bytes, tolerance),
            Element::I8 => integers(got, expected, i8::from_ne_bytes),
            Element::U8 => integers(got, expected, u8::from_ne_bytes),
            Element::I16 => integers(got, expected, i16::from_ne_bytes),
            Element::U16 => integers(got, expected, u16::from_ne_bytes),
            Element::I32 => integers(got, expected, i32::from_ne_bytes),
            Element::U32 => integers(got, expected, u32::from_ne_bytes),
            Element::I64 => integers(got, expected, i64::from_ne_bytes),
            Element::U64 => integers(got, expected, u64::from_ne_bytes),
        };
        self.elements += found.elements;
        self.wrong += found.wrong;
        self.largest_relative = self.largest_relative.max(found.largest);
        if self.first_wrong.is_none() {
            self.first_wrong =
                found.first.map(|(at, got, expected)| format!("{name}[{}]: got {got}, expected {expected}", start + at as u64));
        }
        let unit = usize::try_from(element.bytes()).unwrap_or(1);
        let missing = (got.len().abs_diff(expected.len()) / unit) as u64;
        self.elements += missing;
        self.wrong += missing;
    }

    /// The receipt.
    #[must_use]
    pub fn receipt(self) -> Receipt {
        let largest_relative = if self.largest_relative == 0.0 { "0".to_owned() } else { format!("{:e}", self.largest_relative) };
        Receipt { elements: self.elements, wrong: self.wrong, first_wrong: self.first_wrong, largest_relative }
    }
}

/// The receipt of a predicate's answer over `elements` outputs.
#[must_use]
pub fn of_predicate(function: &str, right: bool, elements: u64) -> Receipt {
    let first_wrong = (!right).then(|| format!("`{function}` says that the outputs are wrong"));
    Receipt { elements, wrong: u64::from(!right), first_wrong, largest_relative: "0".to_owned() }
}

struct Found {
    elements: u64,
    wrong: u64,
    first: Option<(usize, String, String)>,
    largest: f64,
}

/// Whether an element is right, and its relative error.
fn distance(got: f64, expected: f64, tolerance: Tolerance) -> (bool, f64) {
    if got == expected {
        return (true, 0.0);
    }
    let absolute = (got - expected).abs();
    if absolute.is_nan() || absolute.is_infinite() {
        return (false, f64::INFINITY);
    }
    let relative = if expected == 0.0 { 0.0 } else { absolute / expected.abs() };
    (absolute <= tolerance.absolute || (expected != 0.0 && relative <= tolerance.relative), relative)
}

/// The largest relative error of a whole block, if it can be told without a branch for each element that all of it is right: the
/// usual case, which the compiler makes vector instructions of. Otherwise each element must be judged by [`distance`].
fn all_right<const N: usize>(
    got: &[[u8; N]; BLOCK],
    expected: &[[u8; N]; BLOCK],
    read: impl Fn([u8; N]) -> f64,
    tolerance: Tolerance,
) -> Option<f64> {
    let mut errors = [0.0; BLOCK];
    // No quotient passes for right that overflowed.
    let limit = tolerance.relative.min(f64::MAX);
    for ((error, got), expected) in errors.iter_mut().zip(got).zip(expected) {
        let (got, expected) = (read(*got), read(*expected));
        let absolute = (got - expected).abs();
        let relative = absolute / expected.abs();
        let is_right = (relative <= limit) | (absolute <= tolerance.absolute);
        let counted = if expected == 0.0 { 0.0 } else { relative };
        *error = if is_right { counted } else { f64::INFINITY };
    }
    let mut largest = [0.0; LANES];
    for lanes in errors.as_chunks::<LANES>().0 {
        for (largest, error) in largest.iter_mut().zip(lanes) {
            *largest = if *error > *largest { *error } else { *largest };
        }
    }
    let largest = largest.into_iter().fold(0.0, f64::max);
    (largest < f64::INFINITY).then_some(largest)
}

fn floats<const N: usize>(got: &[u8], expected: &[u8], read: impl Fn([u8; N]) -> f64 + Sync + Copy, tolerance: Tolerance) -> Found {
    let judge = |got, expected| distance(got, expected, tolerance);
    let task = |got: &[[u8; N]], expected: &[[u8; N]]| {
        let mut found = Piece::default();
        let (blocks, rest) = got.as_chunks::<BLOCK>();
        let (expected_blocks, expected_rest) = expected.as_chunks::<BLOCK>();
        for (at, (got, expected)) in blocks.iter().zip(expected_blocks).enumerate() {
            match all_right(got, expected, read, tolerance) {
                Some(largest) => found.largest = found.largest.max(largest),
                None => found.judge(at * BLOCK, got, expected, read, judge),
            }
        }
        found.judge(blocks.len() * BLOCK, rest, expected_rest, read, judge);
        found
    };
    pieces(got, expected, read, task)
}

fn integers<const N: usize, T: PartialEq + std::fmt::Display>(
    got: &[u8],
    expected: &[u8],
    read: impl Fn([u8; N]) -> T + Sync + Copy,
) -> Found {
    let task = |got: &[[u8; N]], expected: &[[u8; N]]| {
        let mut found = Piece::default();
        // Equal bytes are equal numbers, and compared much faster.
        if got != expected {
            found.judge(0, got, expected, read, |got, expected| (got == expected, 0.0));
        }
        found
    };
    pieces(got, expected, read, task)
}

/// What was found in the elements of a task.
struct Piece {
    wrong: u64,
    /// The place of the first wrong one.
    first: usize,
    largest: f64,
}

impl Default for Piece {
    fn default() -> Self {
        Self { wrong: 0, first: usize::MAX, largest: 0.0 }
    }
}

impl Piece {
    /// Judges elements, the first of which is at `start`, one by one.
    fn judge<const N: usize, T>(
        &mut self,
        start: usize,
        got: &[[u8; N]],
        expected: &[[u8; N]],
        read: impl Fn([u8; N]) -> T,
        judge: impl Fn(T, T) -> (bool, f64),
    ) {
        for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
            let (is_right, error) = judge(read(*got), read(*expected));
            self.largest = self.largest.max(error);
            if !is_right {
                self.wrong += 1;
                self.first = self.first.min(start + at);
            }
        }
    }

    /// Both, whichever comes first; the places of `self` and `other` count from the same element.
    fn join(self, other: Self) -> Self {
        Self { wrong: self.wrong + other.wrong, first: self.first.min(other.first), largest: self.largest.max(other.largest) }
    }
}

fn pieces<const N: usize, T: std::fmt::Display>(
    got: &[u8],
    expected: &[u8],
    read: impl Fn([u8; N]) -> T,
    task: impl Fn(&[[u8; N]], &[[u8; N]]) -> Piece + Sync,
) -> Found {
    let (got, expected) = (got.as_chunks::<N>().0, expected.as_chunks::<N>().0);
    let both = got.len().min(expected.len());
    let pairs = got[..both].par_chunks(TASK).zip(expected[..both].par_chunks(TASK)).enumerate();
    let found = pairs.map(|(piece, (got, expected))| {
        let found = task(got, expected);
        // A place of none stays none.
        Piece { first: found.first.saturating_add(piece * TASK), ..found }
    });
    let Piece { wrong, first, largest } = found.reduce(Piece::default, Piece::join);
    let first = (first != usize::MAX).then(|| (first, read(got[first]).to_string(), read(expected[first]).to_string()));
    Found { elements: both as u64, wrong, first, largest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_ne_bytes()).collect()
    }

    fn receipt(got: &[f32], expected: &[f32], relative: f64, absolute: f64) -> Receipt {
        let mut comparison = Comparison::default();
        comparison.add("y", Element::F32, 0, &floats(got), &floats(expected), Tolerance { relative, absolute });
        comparison.receipt()
    }

    #[test]
    fn floats_within_either_bound_are_right() {
        let nan = f32::NAN;
        let inf = f32::INFINITY;
        type Case<'a> = (&'a [f32], &'a [f32], f64, f64, u64);
        // got, expected, relative, absolute, wrong
        let cases: [Case<'_>; 12] = [
            (&[1.0, 2.0], &[1.0, 2.0], 0.0, 0.0, 0),
            (&[1.001], &[1.0], 1e-2, 0.0, 0),
            (&[1.001], &[1.0], 1e-4, 0.0, 1),
            (&[1.001], &[1.0], 0.0, 1e-2, 0),
            (&[1e-9], &[0.0], 0.5, 0.0, 1),
            (&[1e-9], &[0.0], 0.0, 1e-8, 0),
            (&[-0.0], &[0.0], 0.0, 0.0, 0),
            (&[nan], &[nan], 1.0, 1.0, 1),
            (&[1.0], &[nan], 1.0, 1.0, 1),
            (&[inf], &[inf], 0.0, 0.0, 0),
            (&[inf], &[1.0], 1.0, f64::MAX, 1),
            (&[1.0], &[1.0, 2.0], 1.0, 1.0, 1),
        ];
        for (got, expected, relative, absolute, wrong) in cases {
            assert_eq!(receipt(got, expected, relative, absolute).wrong, wrong, "{got:?} against {expected:?}");
        }
    }

    #[test]
    fn the_receipt_names_the_first_wrong_element_and_the_largest_error() {
        let mut got = vec![4.0_f32; 3 * TASK];
        let expected = got.clone();
        got[2 * TASK + 5] = 5.0;
        got[TASK + 7] = 4.5;
        got[0] = 4.0000005;
        let receipt = receipt(&got, &expected, 1e-6, 0.0);
        assert_eq!(receipt.elements, 3 * TASK as u64);
        assert_eq!(receipt.wrong, 2);
        assert_eq!(receipt.first_wrong.as_deref(), Some("y[65543]: got 4.5, expected 4"));
        assert_eq!(receipt.largest_relative, "2.5e-1");
    }

    /// Values at which arithmetic is odd, and plain ones.
    const ODD: [f64; 14] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1.0 + f64::EPSILON,
        1e-3,
        1e300,
        -1e300,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];

    proptest::proptest! {
        /// Many elements at once are judged as each of them alone is.
        #[test]
        fn a_block_is_judged_as_its_elements_are(
            pairs in proptest::collection::vec((0..ODD.len(), 0..ODD.len(), proptest::bool::weighted(0.02)), 0..400),
            relative in proptest::sample::select(vec![0.0, 1e-6, 0.5, 1e9, f64::INFINITY]),
            absolute in proptest::sample::select(vec![0.0, 1e-9, 2.0, f64::MAX]),
        ) {
            let tolerance = Tolerance { relative, absolute };
            // Mostly equal, so that whole blocks are right, too.
            let values: Vec<(f64, f64)> = pairs.iter().map(|&(got, expected, odd)| if odd { (ODD[got], ODD[expected]) } else { (ODD[got % 9], ODD[got % 9]) }).collect();
            let bytes = |side: fn(&(f64, f64)) -> f64| values.iter().flat_map(|pair| side(pair).to_ne_bytes()).collect::<Vec<u8>>();
            let mut comparison = Comparison::default();
            comparison.add("y", Element::F64, 0, &bytes(|pair| pair.0), &bytes(|pair| pair.1), tolerance);
            let alone: Vec<(bool, f64)> = values.iter().map(|&(got, expected)| distance(got, expected, tolerance)).collect();
            proptest::prop_assert_eq!(comparison.wrong, alone.iter().filter(|(is_right, _)| !is_right).count() as u64);
            proptest::prop_assert_eq!(comparison.largest_relative, alone.iter().map(|(_, error)| *error).fold(0.0, f64::max));
            let first = alone.iter().position(|(is_right, _)| !is_right).map(|at| format!("y[{at}]:"));
            let named = comparison.first_wrong.as_ref().and_then(|first| first.split(' ').next()).map(str::to_owned);
            proptest::prop_assert_eq!(named, first);
        }
    }

    #[test]
    fn pieces_join_and_integers_are_exact() {
        let bytes = |values: &[i64]| values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>();
        let loose = Tolerance { relative: 1.0, absolute: 1.0 };
        let mut comparison = Comparison::default();
        comparison.add("n", Element::I64, 0, &bytes(&[1, 2]), &bytes(&[1, 2]), loose);
        comparison.add("n", Element::I64, 2, &bytes(&[i64::MAX - 1]), &bytes(&[i64::MAX]), loose);
        let receipt = comparison.receipt();
        assert_eq!((receipt.elements, receipt.wrong, &*receipt.largest_relative), (3, 1, "0"));
        assert_eq!(receipt.first_wrong.as_deref(), Some("n[2]: got 9223372036854775806, expected 9223372036854775807"));
    }

    #[test]
    fn poison_is_never_right() {
        let mut comparison = Comparison::default();
        let expected = floats(&[f32::NAN; 4]);
        comparison.add("y", Element::F32, 0, &[0xFF; 16], &expected, Tolerance { relative: 1e9, absolute: 1e9 });
        assert_eq!(comparison.receipt().wrong, 4);
        assert_eq!(of_predicate("sorted", false, 9).wrong, 1);
        assert_eq!(of_predicate("sorted", true, 9), Receipt { elements: 9, wrong: 0, first_wrong: None, largest_relative: "0".into() });
    }
}
