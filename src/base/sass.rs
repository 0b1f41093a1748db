//! Turns the opcodes of a kernel's machine code, in their order, into a short text and back, and into counts.
//!
//! Must not know operands, addresses or encodings: they change with the place of a kernel in its file, and nothing counts them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The opcodes of one kernel as they lie in its code, each with its modifiers: `LDG.E.128`.
///
/// Written as words, those that stand several times in a row with their number: `S2R LDG.E*4 FMUL*8 EXIT`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opcodes {
    /// An opcode and how often it stands here; neighbours differ.
    runs: Vec<(String, u32)>,
}

/// What to count: an opcode, perhaps with modifiers that it must have among others. `LDG` is any load from global memory,
/// `LDG.128` one of 16 bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpcodePattern(String);

impl Opcodes {
    /// Adds `opcode` at the end; whether it is one: capital letters, digits and `_`, modifiers behind dots.
    pub fn push(&mut self, opcode: &str) -> bool {
        if !is_opcode(opcode) {
            return false;
        }
        match self.runs.last_mut() {
            Some((last, count)) if last == opcode => *count = count.saturating_add(1),
            _ => self.runs.push((opcode.to_owned(), 1)),
        }
        true
    }

    /// Takes the last opcodes away as long as they are `opcode`.
    pub fn trim_end(&mut self, opcode: &str) {
        if self.runs.last().is_some_and(|(last, _)| last == opcode) {
            self.runs.pop();
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// How many of them fit `pattern`.
    #[must_use]
    pub fn count(&self, pattern: &OpcodePattern) -> u64 {
        self.runs.iter().filter(|(opcode, _)| pattern.fits(opcode)).map(|(_, count)| u64::from(*count)).sum()
    }

    /// How many fit `pattern` before the first that fits one of `ends`; `None` if none of those is there.
    #[must_use]
    pub fn count_before(&self, pattern: &OpcodePattern, ends: &[OpcodePattern]) -> Option<u64> {
        let end = self.runs.iter().position(|(opcode, _)| ends.iter().any(|end| end.fits(opcode)))?;
        Some(self.runs[..end].iter().filter(|(opcode, _)| pattern.fits(opcode)).map(|(_, count)| u64::from(*count)).sum())
    }
}

impl OpcodePattern {
    /// The pattern that `text` writes.
    ///
    /// # Errors
    /// One sentence, when it is no opcode.
    pub fn parse(text: &str) -> Result<Self, String> {
        if is_opcode(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!("`{text}` is no opcode: they are written in capital letters, modifiers behind dots, as in `LDG` and `LDG.128`"))
        }
    }

    /// Whether `opcode` is the same operation and has all modifiers asked for, in whatever order.
    #[must_use]
    pub fn fits(&self, opcode: &str) -> bool {
        let mut parts = opcode.split('.');
        let mut asked = self.0.split('.');
        parts.next() == asked.next() && asked.all(|modifier| parts.clone().any(|part| part == modifier))
    }
}

impl fmt::Display for OpcodePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_opcode(text: &str) -> bool {
    let word = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.split('.').all(word)
        && text.split('.').next().is_some_and(|base| !base.bytes().any(|b| b.is_ascii_lowercase()))
}

impl fmt::Display for Opcodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (opcode, count)) in self.runs.iter().enumerate() {
            let gap = if index > 0 { " " } else { "" };
            if *count > 1 { write!(f, "{gap}{opcode}*{count}")? } else { write!(f, "{gap}{opcode}")? }
        }
        Ok(())
    }
}

impl FromStr for Opcodes {
    type Err = String;

    /// Only what [`fmt::Display`] writes is read, so that a text has one meaning and a meaning one text.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut opcodes = Self::default();
        for word in text.split(' ').filter(|_| !text.is_empty()) {
            let (opcode, count) = match word.split_once('*') {
                None => (word, 1),
                Some((opcode, digits)) => {
                    let count = digits.parse().ok().filter(|&count: &u32| count > 1 && count.to_string() == digits);
                    (opcode, count.ok_or_else(|| format!("`{word}` does not say how often"))?)
                }
            };
            if !is_opcode(opcode) {
                return Err(format!("`{word}` is no opcode"));
            }
            if opcodes.runs.last().is_some_and(|(last, _)| last == opcode) {
                return Err(format!("`{opcode}` follows itself without being counted together"));
            }
            opcodes.runs.push((opcode.to_owned(), count));
        }
        Ok(opcodes)
    }
}

impl Serialize for Opcodes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Opcodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn opcodes(text: &str) -> Opcodes {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn pattern(text: &str) -> OpcodePattern {
        OpcodePattern::parse(text).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn operations_are_counted_with_and_without_modifiers() {
        let code = opcodes("LDC S2R LDG.E*3 LDG.E.128.CONSTANT LDGSTS.E FMUL LDG.E FFMA*2 STG.E EXIT BRA");
        let cases = [
            ("LDG", 5, Some(4)),
            ("LDG.128", 1, Some(1)),
            ("LDG.CONSTANT.128", 1, Some(1)),
            ("LDG.64", 0, Some(0)),
            ("LD", 0, Some(0)),
            ("FFMA", 2, Some(0)),
            ("FMUL", 1, Some(0)),
        ];
        for (text, all, before) in cases {
            assert_eq!(code.count(&pattern(text)), all, "{text}");
            assert_eq!(code.count_before(&pattern(text), &[pattern("FMUL"), pattern("FFMA")]), before, "{text}");
        }
        assert_eq!(code.count_before(&pattern("LDG"), &[pattern("DMUL")]), None, "before what is not there");
        assert_eq!(code.count_before(&pattern("LDG"), &[]), None);
        assert_eq!((code.len(), opcodes("").len()), (14, 0));
    }

    #[test]
    fn only_opcodes_are_taken() {
        for text in ["LDG", "HFMA2.MMA", "IMAD.MOV.U32", "LDG.E.64", "UTMALDG.2D", "R2UR", "F2F.F32.F64", "I2FP.F32.S32"] {
            assert!(OpcodePattern::parse(text).is_ok(), "{text}");
        }
        for text in ["", "ldg", "LDG.", ".LDG", "LDG E", "@P0", "/*0000*/", "2D", "LDG*2", "R1,"] {
            assert!(OpcodePattern::parse(text).is_err(), "{text}");
            assert!(!Opcodes::default().push(text), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_not_as_written_is_refused() {
        for text in ["LDG LDG", "LDG*1", "LDG*02", "LDG*", "LDG  EXIT", " LDG", "LDG ", "ldg", "LDG*4294967296"] {
            assert!(text.parse::<Opcodes>().is_err(), "{text}");
        }
    }

    #[test]
    fn padding_can_be_taken_away() {
        let mut code = opcodes("NOP FMUL EXIT BRA NOP*7");
        code.trim_end("NOP");
        assert_eq!(code.to_string(), "NOP FMUL EXIT BRA");
        code.trim_end("NOP");
        assert_eq!(code.len(), 4);
    }

    proptest! {
        #[test]
        fn text_and_opcodes_are_one(words in prop::collection::vec(prop::sample::select(vec!["LDG.E", "FMUL", "STL.128", "EXIT"]), 0..40)) {
            let mut code = Opcodes::default();
            for word in &words {
                prop_assert!(code.push(word));
            }
            prop_assert_eq!(code.len(), words.len() as u64);
            prop_assert_eq!(code.to_string().parse::<Opcodes>(), Ok(code.clone()));
            let loads = words.iter().filter(|word| **word == "LDG.E").count() as u64;
            prop_assert_eq!(code.count(&pattern("LDG")), loads);
        }
    }
}
