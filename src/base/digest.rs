//! Turns bytes into a SHA-256 digest that anyone can check with `sha256sum`.
//!
//! Must not know what the bytes mean; what is hashed, and after which normalisation, is the caller's business.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest; written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes.as_ref()).into())
    }

    /// Of `name` and what has this digest together.
    #[must_use]
    pub fn of_named(self, name: &str) -> Self {
        Self(Sha256::new().chain_update(name).chain_update([0]).chain_update(self.0).finalize().into())
    }

    /// Both together, in whichever order; what is taken in twice is out again. Enough to tell whether a set is as it was, and no proof
    /// of what is in it: who chooses hundreds of members can choose what they give together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(std::array::from_fn(|index| self.0[index] ^ other.0[index]))
    }

    /// The first twelve digits, enough to tell two things on one page apart.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
        let mut text = [0; 64];
        for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *pair = [digit(byte >> 4), digit(byte & 15)];
        }
        f.write_str(str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = text.as_bytes();
        if bytes.len() != 64 || !bytes.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(format!("`{text}` is not a digest of 64 lower-case hexadecimal digits"));
        }
        let mut digest = [0; 32];
        for (byte, pair) in digest.iter_mut().zip(bytes.as_chunks::<2>().0) {
            let nibble = |b: u8| if b.is_ascii_digit() { b - b'0' } else { b - b'a' + 10 };
            *byte = nibble(pair[0]) << 4 | nibble(pair[1]);
        }
        Ok(Self(digest))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_sha256sum_and_reads_back() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of("abc").to_string(), abc);
        assert_eq!(abc.parse::<Digest>(), Ok(Digest::of("abc")));
        assert!(abc[1..].parse::<Digest>().is_err());
        assert!(abc.to_uppercase().parse::<Digest>().is_err());
    }
}
