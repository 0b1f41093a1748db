//! Turns a value that many hold into one that can be let go of at once, whoever holds it.
//!
//! Must not know what it holds, nor who still needs it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A value, until it is let go of; the default one from then on.
pub struct Leaf<T>(Mutex<Arc<T>>);

impl<T: Default> Leaf<T> {
    /// Of `value`.
    pub fn new(value: T) -> Self {
        Self(Mutex::new(Arc::new(value)))
    }

    /// The value, which stays for as long as who asks holds it.
    pub fn get(&self) -> Arc<T> {
        self.lock().clone()
    }

    /// Lets go of the value.
    pub fn let_go(&self) {
        *self.lock() = Arc::default();
    }

    fn lock(&self) -> MutexGuard<'_, Arc<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Default> Clone for Leaf<T> {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.get()))
    }
}

impl<T: fmt::Debug + Default> fmt::Debug for Leaf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_goes_when_the_last_who_asked_for_it_does() {
        let leaf = Leaf::new("text".to_owned());
        let held = leaf.get();
        leaf.let_go();
        assert_eq!((held.as_str(), leaf.get().as_str(), Arc::strong_count(&held)), ("text", "", 1));
    }
}
