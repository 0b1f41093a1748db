//! Turns a value and what it was made from into that very value for as long as nothing that it was made from changes.
//!
//! Must not know what it keeps. One value is kept: that of the compilation before.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::problem::Problems;
use super::stamp::Stamp;

/// The value that was made last, with what it was made from.
#[derive(Debug)]
pub struct Last<V>(Mutex<Option<(Stamp, V)>>);

impl<V> Default for Last<V> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<V: Clone> Last<V> {
    /// The value of before, if that was made from what `stamp` says, or else what `make` makes, which may see the value of before.
    pub fn again(&self, stamp: Stamp, make: impl FnOnce(Option<V>) -> V) -> V {
        self.again_if(stamp, |_| true, make)
    }

    /// The same, where the value of before holds, too.
    pub fn again_if(&self, stamp: Stamp, holds: impl FnOnce(&V) -> bool, make: impl FnOnce(Option<V>) -> V) -> V {
        let known = self.lock().clone();
        let before = match known {
            Some((of, value)) if of == stamp && holds(&value) => return value,
            known => known.map(|(_, value)| value),
        };
        // Not under the lock: two threads may do the same work once, but none waits for another's.
        let value = make(before);
        *self.lock() = Some((stamp, value.clone()));
        value
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Stamp, V)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What nothing was wrong with when it was looked at last.
#[derive(Debug, Default)]
pub struct Clean(Last<bool>);

impl Clean {
    /// Notes among `problems` what `look` finds, unless it found nothing when all was as `stamp` says.
    pub fn unless(&self, stamp: Stamp, problems: &mut Problems, look: impl FnOnce(&mut Problems)) {
        let mut look = Some(look);
        let mut looked = |problems: &mut Problems| {
            let before = problems.len();
            look.take().into_iter().for_each(|look| look(problems));
            problems.len() == before
        };
        if !self.0.again(stamp, |_| looked(problems)) {
            looked(problems);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::digest::Checksum;
    use crate::base::problem::Problem;

    fn stamp(of: &str) -> Stamp {
        let mut stamp = Stamp::default();
        stamp.equal(Some(Checksum::of(of)));
        stamp
    }

    #[test]
    fn a_value_is_made_when_what_it_is_made_from_changes() {
        let last = Last::default();
        let ask = |of: &str| last.again(stamp(of), |before: Option<String>| format!("{of} after {before:?}"));
        assert_eq!(ask("a"), "a after None");
        assert_eq!(ask("a"), "a after None");
        assert_eq!(ask("b"), "b after Some(\"a after None\")");
        assert_eq!(ask("a").lines().count(), 1);
        let holding = |holds: bool| last.again_if(stamp("a"), |_| holds, |_| "anew".to_owned());
        assert_eq!((holding(true), holding(false)), ("a after Some(\"b after Some(\\\"a after None\\\")\")".to_owned(), "anew".to_owned()));
    }

    #[test]
    fn only_what_was_in_order_is_passed_over() {
        let clean = Clean::default();
        let looks = |of: &str, wrong: bool| {
            let (mut problems, mut looked) = (Problems::new(), 0);
            clean.unless(stamp(of), &mut problems, |problems| {
                looked += 1;
                if wrong {
                    problems.push(Problem::of_course("x", "wrong"));
                }
            });
            (looked, problems.len())
        };
        assert_eq!([looks("a", false), looks("a", true), looks("b", true), looks("b", true)], [(1, 0), (0, 0), (1, 1), (1, 1)]);
        assert_eq!([looks("b", false), looks("b", false), looks("a", false)], [(1, 0), (1, 0), (1, 0)]);
    }
}
