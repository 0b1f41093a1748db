//! Turns values made for one compilation into those of the next, for as long as each compilation asks for them.
//!
//! Must not know what it keeps: a key says all that its value was made from, so that a memo changes when something is made and
//! never what.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values by what they were made from, each with whether it was asked for since [`Memo::forget_unused`].
#[derive(Debug)]
pub struct Memo<K, V>(Mutex<BTreeMap<K, (V, bool)>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }
}

impl<K: Ord, V: Clone> Memo<K, V> {
    /// The value of `key`: the one that is kept, or else what `make` makes, which is kept from now on.
    pub fn get_or(&self, key: K, make: impl FnOnce() -> V) -> V {
        if let Some(value) = self.get(&key) {
            return value;
        }
        // Not under the lock: two threads may do the same work once, but none waits for another's.
        let value = make();
        self.put(key, value.clone());
        value
    }

    /// The value of `key`, if one is kept.
    pub fn get(&self, key: &K) -> Option<V> {
        self.lock().get_mut(key).map(|(value, used)| {
            *used = true;
            value.clone()
        })
    }

    /// Keeps `value` for `key`.
    pub fn put(&self, key: K, value: V) {
        self.lock().insert(key, (value, true));
    }

    /// Drops what nobody asked for since the last call, so that memory follows the course and not its history.
    pub fn forget_unused(&self) {
        self.lock().retain(|_, (_, used)| std::mem::take(used));
    }

    /// How many values it keeps.
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<K, (V, bool)>> {
        // A thread that panicked while it held the lock left whole entries all the same.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_made_once_and_what_is_not_is_forgotten() {
        let memo = Memo::default();
        let made = Mutex::new(Vec::new());
        let ask = |key: &'static str| {
            memo.get_or(key, || {
                made.lock().unwrap().push(key);
                key.len()
            })
        };
        assert_eq!((ask("a"), ask("bb"), ask("a")), (1, 2, 1));
        memo.forget_unused();
        assert_eq!(ask("a"), 1);
        memo.forget_unused();
        assert_eq!((ask("a"), ask("bb")), (1, 2));
        assert_eq!(*made.lock().unwrap(), ["a", "bb", "bb"]);
    }
}
