//! Turns a list of a record's line into numbers in just as much memory as they take: such lists are most of what a course has in evidence,
//! and stay for as long as it does.
//!
//! Must not know what the numbers are.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

/// As many as a row usually has samples in a round, so that a list that is read seldom has to move.
const MANY: usize = 32;

pub(in crate::evidence) fn read<'de, D: Deserializer<'de>, T: Deserialize<'de> + Clone>(list: D) -> Result<Vec<T>, D::Error> {
    list.deserialize_seq(All(PhantomData))
}

struct All<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Clone> Visitor<'de> for All<T> {
    type Value = Vec<T>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut read = Vec::with_capacity(MANY);
        while let Some(number) = list.next_element()? {
            read.push(number);
        }
        // Shrinking it would leave it where it is: allocators keep what is half full.
        Ok(read.as_slice().to_vec())
    }
}
