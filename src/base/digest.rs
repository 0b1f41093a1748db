//! Turns bytes into digests: SHA-256 where evidence is vouched for, BLAKE3 where two contents are told apart.
//!
//! Must not know what the bytes mean; what is hashed, and after which normalisation, is the caller's business.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest as _;

/// A SHA-256 digest: what records and fingerprints are held to, and what `sha256sum` prints. It is written as 64 lower-case
/// hexadecimal digits, as all of them are.
pub type Digest = Hashed<Sha256>;

/// A BLAKE3 digest, which is made in a third of the time, and which `b3sum` prints: what tells files, texts and pages apart.
pub type Checksum = Hashed<Blake3>;

/// Thirty-two bytes that `W` made of others: those of one way can't be taken for those of another.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hashed<W>([u8; 32], PhantomData<W>);

/// A way to make digests.
pub trait Way {
    /// The digest of `bytes`.
    fn hash(bytes: &[u8]) -> [u8; 32];

    /// The digest of `parts`, one after the other.
    fn hash_all(parts: impl Iterator<Item = impl AsRef<[u8]>>) -> [u8; 32];
}

/// SHA-256.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256;

impl Way for Sha256 {
    fn hash(bytes: &[u8]) -> [u8; 32] {
        sha2::Sha256::digest(bytes).into()
    }

    fn hash_all(parts: impl Iterator<Item = impl AsRef<[u8]>>) -> [u8; 32] {
        let mut hasher = sha2::Sha256::new();
        parts.for_each(|part| hasher.update(part));
        hasher.finalize().into()
    }
}

/// BLAKE3.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Blake3;

impl Way for Blake3 {
    fn hash(bytes: &[u8]) -> [u8; 32] {
        blake3::hash(bytes).into()
    }

    fn hash_all(parts: impl Iterator<Item = impl AsRef<[u8]>>) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        parts.for_each(|part| _ = hasher.update(part.as_ref()));
        hasher.finalize().into()
    }
}

impl<W: Way> Hashed<W> {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(W::hash(bytes.as_ref()), PhantomData)
    }

    /// The digest of `parts`, one after the other.
    #[must_use]
    pub fn of_all(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        Self(W::hash_all(parts.into_iter()), PhantomData)
    }

    /// Of `name` and what has this digest together.
    #[must_use]
    pub fn of_named(self, name: &str) -> Self {
        Self::of_all([name.as_bytes(), &[0], &self.0])
    }

    /// Both together, in whichever order; what is taken in twice is out again. Enough to tell whether a set is as it was, and no proof
    /// of what is in it: who chooses hundreds of members can choose what they give together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(std::array::from_fn(|index| self.0[index] ^ other.0[index]), PhantomData)
    }
}

impl<W> Hashed<W> {
    /// The first twelve digits, enough to tell two things on one page apart.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl<W> fmt::Display for Hashed<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
        let mut text = [0; 64];
        for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *pair = [digit(byte >> 4), digit(byte & 15)];
        }
        f.write_str(str::from_utf8(&text).unwrap_or_default())
    }
}

impl<W> fmt::Debug for Hashed<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl<W> FromStr for Hashed<W> {
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
        Ok(Self(digest, PhantomData))
    }
}

impl<W> Serialize for Hashed<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, W> Deserialize<'de> for Hashed<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_sha256sum_and_b3sum_and_reads_back() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of("abc").to_string(), abc);
        assert_eq!(abc.parse::<Digest>(), Ok(Digest::of("abc")));
        assert!(abc[1..].parse::<Digest>().is_err());
        assert!(abc.to_uppercase().parse::<Digest>().is_err());
        let abc = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
        assert_eq!(Checksum::of("abc").to_string(), abc);
        assert_eq!(abc.parse::<Checksum>(), Ok(Checksum::of("abc")));
    }

    #[test]
    fn a_name_and_a_content_are_hashed_one_after_the_other() {
        let named: Vec<u8> = [b"a\0", &Checksum::of("abc").0[..]].concat();
        assert_eq!(Checksum::of("abc").of_named("a"), Checksum::of(named));
        assert_eq!(Digest::of_all(["a", "", "bc"]), Digest::of("abc"));
    }
}
