//! Turns the bytes of a small buffer into the integer that a figure is.
//!
//! Must not know where the bytes come from. An element that still is what it was poisoned with was not written.

use super::Fault;
use crate::course::sweep::{Element, Take};
use crate::plan::launch::Read;

/// The figure `read` of a buffer of `element` that holds `bytes`.
///
/// # Errors
/// When an element that counts was never written, or holds more than a record can.
pub fn figure(read: &Read, element: Element, bytes: &[u8]) -> Result<i64, Fault> {
    let fault = |why: String| Fault::Runtime(format!("`{}` can't be read back: {why}", read.name));
    let size = usize::try_from(element.bytes()).unwrap_or(1);
    let number = |index: usize| -> Result<i64, Fault> {
        let bytes = index.checked_mul(size).and_then(|at| bytes.get(at..at.checked_add(size)?));
        let bytes = bytes.ok_or_else(|| fault(format!("{} has no element {index}", read.buffer)))?;
        if bytes.iter().all(|&byte| byte == 0xFF) {
            return Err(fault(format!("no launch wrote {}[{index}]", read.buffer)));
        }
        let number = integer(element, bytes).ok_or_else(|| fault("its buffer holds no integers".to_owned()))?;
        i64::try_from(number).map_err(|_| fault(format!("{}[{index}] is {number}, more than a record holds", read.buffer)))
    };
    if let Take::At(index) = read.take {
        return number(usize::try_from(index).unwrap_or(usize::MAX));
    }
    let mut numbers = (0..bytes.len() / size).map(number).collect::<Result<Vec<i64>, Fault>>()?;
    numbers.sort_unstable();
    let taken = match read.take {
        Take::At(_) | Take::Min => numbers.first(),
        Take::Median => numbers.get(numbers.len().saturating_sub(1) / 2),
        Take::Max => numbers.last(),
    };
    taken.copied().ok_or_else(|| fault(format!("{} is empty", read.buffer)))
}

/// The integer that `bytes` hold; `None` for elements that are none.
fn integer(element: Element, bytes: &[u8]) -> Option<i128> {
    Some(match element {
        Element::I8 => i8::from_ne_bytes(bytes.try_into().ok()?).into(),
        Element::U8 => u8::from_ne_bytes(bytes.try_into().ok()?).into(),
        Element::I16 => i16::from_ne_bytes(bytes.try_into().ok()?).into(),
        Element::U16 => u16::from_ne_bytes(bytes.try_into().ok()?).into(),
        Element::I32 => i32::from_ne_bytes(bytes.try_into().ok()?).into(),
        Element::U32 => u32::from_ne_bytes(bytes.try_into().ok()?).into(),
        Element::I64 => i64::from_ne_bytes(bytes.try_into().ok()?).into(),
        Element::U64 => u64::from_ne_bytes(bytes.try_into().ok()?).into(),
        Element::F32 | Element::F64 => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(take: Take, element: Element, bytes: &[u8], expected: Result<i64, &str>) {
        let read = Read { name: "cycles".to_owned(), buffer: "clock".to_owned(), take };
        match (figure(&read, element, bytes), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(Fault::Runtime(why)), Err(expected)) => assert!(why.contains(expected), "{why}"),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn a_figure_is_one_element_or_one_of_all() {
        let bytes: Vec<u8> = [7_u64, 3, 9, 5].iter().flat_map(|number| number.to_ne_bytes()).collect();
        check(Take::At(0), Element::U64, &bytes, Ok(7));
        check(Take::At(3), Element::U64, &bytes, Ok(5));
        check(Take::Min, Element::U64, &bytes, Ok(3));
        check(Take::Median, Element::U64, &bytes, Ok(5));
        check(Take::Max, Element::U64, &bytes, Ok(9));
        check(Take::At(4), Element::U64, &bytes, Err("no element 4"));
        check(Take::At(u64::MAX), Element::U64, &bytes, Err("no element"));
        check(Take::At(1), Element::I32, &(-2_i32).to_ne_bytes().repeat(2), Ok(-2));
        check(Take::Median, Element::U64, &[], Err("is empty"));
    }

    #[test]
    fn poison_is_no_figure() {
        let bytes: Vec<u8> = [7_u64, u64::MAX].iter().flat_map(|number| number.to_ne_bytes()).collect();
        check(Take::At(0), Element::U64, &bytes, Ok(7));
        check(Take::At(1), Element::U64, &bytes, Err("no launch wrote clock[1]"));
        check(Take::Min, Element::U64, &bytes, Err("no launch wrote clock[1]"));
        check(Take::At(0), Element::U64, &(u64::MAX - 1).to_ne_bytes(), Err("more than a record holds"));
    }
}
