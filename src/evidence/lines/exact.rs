//! Turns a text that may be spelled in one way only into its values, piece by piece.
//!
//! Must not know what the pieces say. Where a piece may be spelled in several ways, the reader remembers that: only
//! then has anybody to print the values again and compare.

use std::fmt;

use serde::de::DeserializeOwned;

/// What is still to be read of a text.
pub(super) struct Exact<'a> {
    rest: &'a [u8],
    length: usize,
    /// Whether a piece was read that could have been spelled otherwise.
    pub(super) loose: bool,
}

/// Where a text goes on otherwise than it must.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Off {
    /// What stands there instead, if it is as lessonc writes it.
    pub(super) expected: String,
    /// In bytes from 1.
    pub(super) column: usize,
}

impl fmt::Display for Off {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} is expected at column {}", self.expected, self.column)
    }
}

impl<'a> Exact<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.as_bytes(), length: text.len(), loose: false }
    }

    #[cold]
    fn off<T>(&self, expected: impl Into<String>) -> Result<T, Off> {
        Err(Off { expected: expected.into(), column: self.length - self.rest.len() + 1 })
    }

    /// Whether `literal` stands here; it is passed over if so.
    pub(super) fn takes(&mut self, literal: &str) -> bool {
        let rest = self.rest.strip_prefix(literal.as_bytes());
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Passes over `literal`.
    pub(super) fn expect(&mut self, literal: &str) -> Result<(), Off> {
        if self.takes(literal) { Ok(()) } else { self.off(format!("`{}`", literal.trim_end())) }
    }

    /// Whether the member `name` of an object comes next, behind another; then what is next is its value.
    pub(super) fn has(&mut self, name: &str) -> bool {
        let behind = self.rest.strip_prefix(b",\"").and_then(|rest| rest.strip_prefix(name.as_bytes()));
        let value = behind.and_then(|rest| rest.strip_prefix(b"\":"));
        self.rest = value.unwrap_or(self.rest);
        value.is_some()
    }

    /// Goes on to the value of the member `name`, which comes next.
    pub(super) fn member(&mut self, name: &str) -> Result<&mut Self, Off> {
        if self.has(name) { Ok(self) } else { self.off(format!("`,\"{name}\":`")) }
    }

    /// Whether a number stands here.
    pub(super) fn at_number(&self) -> bool {
        self.rest.first().is_some_and(u8::is_ascii_digit)
    }

    /// A whole number without a sign.
    pub(super) fn number<T: TryFrom<u64>>(&mut self) -> Result<T, Off> {
        let mut number = Some(0_u64);
        let mut length = 0;
        while let Some(digit) = self.rest.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            number = number.and_then(|number| number.checked_mul(10)?.checked_add(digit.into()));
            length += 1;
        }
        let is_one = length == 1 || length > 1 && self.rest[0] != b'0';
        match number.filter(|_| is_one).and_then(|number| T::try_from(number).ok()) {
            Some(number) => {
                self.rest = &self.rest[length..];
                Ok(number)
            }
            None => self.off("a number"),
        }
    }

    /// The same, or `null`.
    pub(super) fn number_or_null<T: TryFrom<u64>>(&mut self) -> Result<Option<T>, Off> {
        if self.takes("null") { Ok(None) } else { self.number().map(Some) }
    }

    /// A list of such numbers, in just as much memory as they take: such lists are most of what a course has in evidence, and stay for as
    /// long as it does.
    pub(super) fn numbers<T: TryFrom<u64>>(&mut self) -> Result<Vec<T>, Off> {
        self.expect("[")?;
        if self.takes("]") {
            return Ok(Vec::new());
        }
        let commas = self.rest.iter().take_while(|&&byte| byte != b']').filter(|&&byte| byte == b',').count();
        let mut numbers = Vec::with_capacity(commas + 1);
        loop {
            numbers.push(self.number()?);
            if !self.takes(",") {
                self.expect("]")?;
                return Ok(numbers);
            }
        }
    }

    /// A value of JSON, however it is spelled.
    pub(super) fn value<T: DeserializeOwned>(&mut self) -> Result<T, Off> {
        self.loose = true;
        let mut values = serde_json::Deserializer::from_slice(self.rest).into_iter();
        match values.next() {
            Some(Ok(value)) => {
                self.rest = &self.rest[values.byte_offset()..];
                Ok(value)
            }
            // What serde says of it names types of this program, and places within the value.
            Some(Err(_)) => self.off("another value"),
            None => self.off("a value"),
        }
    }

    /// Passes over the text's end.
    pub(super) fn end(&self) -> Result<(), Off> {
        if self.rest.is_empty() { Ok(()) } else { self.off("the end") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_spelling() {
        let read = |text: &str| Exact::new(text).number::<u32>().ok();
        let cases = [
            ("0", Some(0)),
            ("7,", Some(7)),
            ("4294967295", Some(u32::MAX)),
            ("4294967296", None),
            ("99999999999999999999999", None),
            ("00", None),
            ("01", None),
            ("+1", None),
            ("-1", None),
            (" 1", None),
            ("", None),
            ("x", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(Exact::new("18446744073709551615").number(), Ok(u64::MAX));
        assert_eq!(Exact::new("18446744073709551616").number::<u64>().unwrap_err().to_string(), "a number is expected at column 1");
    }

    #[test]
    fn a_list_has_one_spelling_and_as_much_room_as_it_takes() {
        let cases = [
            ("[]", Some(vec![])),
            ("[1]", Some(vec![1])),
            ("[1,20,3]", Some(vec![1, 20, 3])),
            ("[1, 2]", None),
            ("[1,]", None),
            ("[,1]", None),
            ("[1", None),
            ("[", None),
            ("1", None),
            ("[1.0]", None),
            ("[1e1]", None),
        ];
        for (text, expected) in cases {
            let numbers = Exact::new(text).numbers::<u64>().ok();
            assert!(numbers.iter().all(|numbers| numbers.capacity() == numbers.len()), "{text}");
            assert_eq!(numbers, expected, "{text}");
        }
    }

    #[test]
    fn only_values_of_json_are_loose() {
        let mut text = Exact::new("a1[2]null{ \"b\" : 3 }\n");
        assert!(text.takes("a") && !text.takes("a"));
        assert_eq!((text.number(), text.numbers(), text.number_or_null::<u32>()), (Ok(1), Ok(vec![2]), Ok(None)));
        assert!(!text.loose);
        assert_eq!(text.value::<std::collections::BTreeMap<String, u32>>(), Ok([("b".to_owned(), 3)].into()));
        assert!(text.loose && text.end().is_err());
        assert_eq!(text.expect("}\n").unwrap_err().to_string(), "`}` is expected at column 21");
        assert_eq!((text.expect("\n"), text.end()), (Ok(()), Ok(())));
    }
}
