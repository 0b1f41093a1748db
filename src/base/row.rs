//! Turns things in an order that hardly changes into what is made of each, and makes only what does not hold any longer.
//!
//! Must not know what it keeps. What hangs on nothing but its own thing and what is around them all costs a look each time, whatever
//! it took to make: no map is built, no lock taken for each, and no other thread woken where there is only one to be made.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::stamp::Stamp;

/// What was made of each thing, in their order, under their keys; and what was around them then.
#[derive(Debug)]
pub struct Row<K, V>(Mutex<Kept<K, V>>);

#[derive(Debug)]
struct Kept<K, V> {
    around: Stamp,
    values: Vec<(K, V)>,
}

impl<K, V> Default for Row<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Kept::default()))
    }
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self { around: Stamp::default(), values: Vec::new() }
    }
}

/// What was made of all things, in their order.
pub struct Values<'a, K, V>(MutexGuard<'a, Kept<K, V>>);

impl<K, V> Values<'_, K, V> {
    /// Each of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &V> {
        self.0.values.iter().map(|(_, value)| value)
    }
}

impl<K: Ord + Clone + Send, V: Send> Row<K, V> {
    /// What is made of each of `things` now: what was made of the thing of its `key` before where that still `holds`, and else what
    /// `make` makes of it, on every core. `holds` is told whether what is `around` them all is as it was then, too.
    pub fn again<I: Sync>(
        &self,
        around: Stamp,
        things: &[I],
        key: impl Fn(&I) -> &K,
        holds: impl Fn(&I, &V, bool) -> bool,
        make: impl Fn(&I) -> V + Sync,
    ) -> Values<'_, K, V> {
        // Not under the lock: two threads may do the same work once, but none waits for another's.
        let before = std::mem::take(&mut *self.lock());
        let same_around = before.around == around;
        let mut values = in_order(before.values, things, &key);
        let is_missing =
            |(thing, (_, value)): &(&I, &(K, Option<V>))| !value.as_ref().is_some_and(|value| holds(thing, value, same_around));
        let missing: Vec<usize> = things.iter().zip(&values).enumerate().filter(|(_, pair)| is_missing(pair)).map(|(at, _)| at).collect();
        let made: Vec<V> = match missing[..] {
            [at] => vec![make(&things[at])],
            _ => missing.par_iter().map(|&at| make(&things[at])).collect(),
        };
        missing.into_iter().zip(made).for_each(|(at, value)| values[at].1 = Some(value));
        let values = values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
        let mut kept = self.lock();
        *kept = Kept { around, values };
        Values(kept)
    }

    fn lock(&self) -> MutexGuard<'_, Kept<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is kept of each of `things`, in their order.
fn in_order<K: Ord + Clone, V, I>(kept: Vec<(K, V)>, things: &[I], key: impl Fn(&I) -> &K) -> Vec<(K, Option<V>)> {
    if kept.len() == things.len() && kept.iter().zip(things).all(|((known, _), thing)| known == key(thing)) {
        return kept.into_iter().map(|(key, value)| (key, Some(value))).collect();
    }
    let mut kept: BTreeMap<K, V> = kept.into_iter().collect();
    things.iter().map(|thing| (key(thing).clone(), kept.remove(key(thing)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::digest::Digest;

    /// Each time things by name with what is made of them, what is around them, and the names of those that are made.
    type Time<'a> = (&'a [(&'a str, u32)], &'a str, &'a [&'a str]);

    #[test]
    fn only_what_does_not_hold_is_made() {
        let times: [Time<'_>; 7] = [
            (&[("a", 1), ("b", 2)], "x", &["a", "b"]),
            (&[("a", 1), ("b", 3)], "x", &["b"]),
            (&[("b", 3), ("a", 1), ("c", 0)], "x", &["c"]),
            (&[("c", 0), ("b", 4)], "x", &["b"]),
            (&[("a", 1), ("b", 4)], "x", &["a"]),
            (&[("a", 1), ("b", 4)], "y", &["a", "b"]),
            (&[], "y", &[]),
        ];
        let row: Row<&str, u32> = Row::default();
        for (things, around, expected) in times {
            let made = Mutex::new(Vec::new());
            let mut stamp = Stamp::default();
            stamp.equal(Some(Digest::of(around)));
            let make = |(name, value): &(&str, u32)| {
                made.lock().unwrap().push(name.to_string());
                *value
            };
            let values = row.again(stamp, things, |(name, _)| name, |(_, value), kept, same_around| same_around && value == kept, make);
            assert_eq!(values.iter().copied().collect::<Vec<_>>(), things.iter().map(|(_, value)| *value).collect::<Vec<_>>());
            drop(values);
            let mut made = made.into_inner().unwrap();
            made.sort_unstable();
            assert_eq!(made, expected);
        }
    }
}
