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

impl Comparison {
    /// Compares a piece of the buffer `name` that begins at element `start`. A NaN equals nothing, itself included; an element
    /// that should be zero counts against the absolute bound only. Elements missing from either side are wrong.
    pub fn add(&mut self, name: &str, element: Element, start: u64, got: &[u8], expected: &[u8], tolerance: Tolerance) {
        let found = match element {
            Element::F32 => pieces(got, expected, |bytes| f64::from(f32::from_ne_bytes(bytes)), |g, e| distance(g, e, tolerance)),
            Element::F64 => pieces(got, expected, f64::from_ne_bytes, |g, e| distance(g, e, tolerance)),
            Element::I8 => pieces(got, expected, i8::from_ne_bytes, same),
            Element::U8 => pieces(got, expected, u8::from_ne_bytes, same),
            Element::I16 => pieces(got, expected, i16::from_ne_bytes, same),
            Element::U16 => pieces(got, expected, u16::from_ne_bytes, same),
            Element::I32 => pieces(got, expected, i32::from_ne_bytes, same),
            Element::U32 => pieces(got, expected, u32::from_ne_bytes, same),
            Element::I64 => pieces(got, expected, i64::from_ne_bytes, same),
            Element::U64 => pieces(got, expected, u64::from_ne_bytes, same),
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

fn same<T: PartialEq>(got: T, expected: T) -> (bool, f64) {
    (got == expected, 0.0)
}

fn pieces<const N: usize, T: Copy + std::fmt::Display>(
    got: &[u8],
    expected: &[u8],
    read: impl Fn([u8; N]) -> T + Sync,
    judge: impl Fn(T, T) -> (bool, f64) + Sync,
) -> Found {
    let (got, expected) = (got.as_chunks::<N>().0, expected.as_chunks::<N>().0);
    let task = |piece: usize, got: &[[u8; N]], expected: &[[u8; N]]| {
        let (mut wrong, mut first, mut largest) = (0, usize::MAX, 0.0_f64);
        for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
            let (right, error) = judge(read(*got), read(*expected));
            largest = largest.max(error);
            if !right {
                wrong += 1;
                first = first.min(piece * TASK + at);
            }
        }
        (wrong, first, largest)
    };
    let join = |a: (u64, usize, f64), b: (u64, usize, f64)| (a.0 + b.0, a.1.min(b.1), a.2.max(b.2));
    let pairs = got.par_chunks(TASK).zip(expected.par_chunks(TASK)).enumerate();
    let (wrong, first, largest) = pairs.map(|(piece, (got, expected))| task(piece, got, expected)).reduce(|| (0, usize::MAX, 0.0), join);
    let first = (first != usize::MAX).then(|| (first, read(got[first]).to_string(), read(expected[first]).to_string()));
    Found { elements: got.len().min(expected.len()) as u64, wrong, first, largest }
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
