//! Turns a series of things into what is made of each, and makes only what does not hold any longer.
//!
//! Must not know what it keeps. A part of the things that is the very same one costs one look, whatever it took to make; no map is
//! built, no lock taken for each, and no other thread woken where there is only one thing to be made.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::series::Series;
use super::share;
use super::stamp::Stamp;

/// How something is made of each thing. What holds may hang on the thing, on what is around them all, on other things of its part,
/// and on what [`Maker::stands`] and [`Maker::holds`] ask for each time.
pub trait Maker: Sync {
    /// A thing.
    type Thing: Send + Sync;
    /// What a thing is known by where their order is another.
    type Key: Ord + ?Sized;
    /// What is made of it.
    type Value: Clone + Send + Sync;
    /// What the values of a part make together.
    type Sum: Send + Sync;

    /// What `thing` is known by.
    fn key<'t>(&self, thing: &'t Self::Thing) -> &'t Self::Key;

    /// Whether all of a part still holds if its things are the very same ones, and what is around them is as it was.
    fn stands(&self, sum: &Self::Sum) -> bool;

    /// Whether what was made of the thing of its key before is what would be made now; `same_around`: if what is around is as it was.
    fn holds(&self, thing: &Self::Thing, value: &Self::Value, same_around: bool) -> bool;

    /// Makes it.
    fn make(&self, thing: &Self::Thing) -> Self::Value;

    /// What `values`, those of a part, make together.
    fn sum(&self, values: &[Self::Value]) -> Self::Sum;
}

/// What was made of a part of the things.
#[derive(Debug)]
pub struct Made<V, S> {
    /// Of each, in their order.
    pub values: Box<[V]>,
    /// Of all together.
    pub sum: S,
}

/// What was made of a series of things, and what was around them then.
#[derive(Debug)]
pub struct Row<T, V, S>(Mutex<Kept<T, V, S>>);

#[derive(Debug)]
struct Kept<T, V, S> {
    around: Stamp,
    things: Series<T>,
    /// Of each part of the things.
    made: Parts<V, S>,
}

/// What was made of a series, part by part.
pub type Parts<V, S> = Vec<Arc<Made<V, S>>>;

impl<T, V, S> Default for Row<T, V, S> {
    fn default() -> Self {
        Self(Mutex::new(Kept::default()))
    }
}

impl<T, V, S> Default for Kept<T, V, S> {
    fn default() -> Self {
        Self { around: Stamp::default(), things: Series::default(), made: Vec::new() }
    }
}

impl<T: Send + Sync, V: Clone + Send + Sync, S: Send + Sync> Row<T, V, S> {
    /// What `maker` makes of each of `things` now, on every core, where what it made before does not hold any longer.
    pub fn again<M: Maker<Thing = T, Value = V, Sum = S>>(&self, around: Stamp, things: &Series<T>, maker: &M) -> Parts<V, S> {
        // Not under the lock: two threads may do the same work once, but none waits for another's.
        let before = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let made = before.again(&around, things, maker);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Kept { around, things: things.clone(), made: made.clone() };
        made
    }
}

/// A part whose values are not all known.
struct Open<'a, T, V> {
    place: usize,
    things: &'a [T],
    values: Vec<Option<V>>,
}

impl<T: Send + Sync, V: Clone + Send + Sync, S: Send + Sync> Kept<T, V, S> {
    fn again<M: Maker<Thing = T, Value = V, Sum = S>>(&self, around: &Stamp, things: &Series<T>, maker: &M) -> Parts<V, S> {
        let same_around = self.around == *around;
        let mut by_key: Option<BTreeMap<&M::Key, &V>> = None;
        let (mut made, mut open) = (Vec::new(), Vec::new());
        for (place, part) in things.parts().enumerate() {
            let known = self.things.part(place).zip(self.made.get(place));
            let same = known.filter(|(before, _)| Arc::ptr_eq(before, part)).map(|(_, made)| made);
            if let Some(same) = same.filter(|same| same_around && maker.stands(&same.sum)) {
                made.push(Some(same.clone()));
                continue;
            }
            let in_place = known.filter(|(before, _)| {
                before.len() == part.len() && before.iter().zip(&**part).all(|(one, other)| maker.key(one) == maker.key(other))
            });
            let value = |(at, thing): (usize, &T)| {
                let value = match in_place {
                    Some((_, made)) => made.values.get(at),
                    None => by_key.get_or_insert_with(|| self.by_key(maker)).get(maker.key(thing)).copied(),
                };
                value.filter(|value| maker.holds(thing, value, same_around)).cloned()
            };
            let values: Vec<Option<V>> = part.iter().enumerate().map(value).collect();
            let all_hold = values.iter().all(Option::is_some);
            let same = same.filter(|_| all_hold).cloned();
            if same.is_none() {
                open.push(Open { place, things: part, values });
            }
            made.push(same);
        }
        for (place, part) in fill(open, maker) {
            made[place] = Some(Arc::new(part));
        }
        made.into_iter().flatten().collect()
    }

    fn by_key<M: Maker<Thing = T>>(&self, maker: &M) -> BTreeMap<&M::Key, &V> {
        let values = self.made.iter().flat_map(|made| made.values.iter());
        self.things.iter().map(|thing| maker.key(thing)).zip(values).collect()
    }
}

/// The place of a part, and what was made of it.
type Closed<M> = (usize, Made<<M as Maker>::Value, <M as Maker>::Sum>);

/// Makes what is missing in the parts that are `open`; each is closed as soon as all of it is there.
fn fill<M: Maker>(open: Vec<Open<'_, M::Thing, M::Value>>, maker: &M) -> Vec<Closed<M>> {
    let close = |Open { place, things, mut values }: Open<'_, M::Thing, M::Value>| {
        let missing: Vec<usize> = empty(&values).collect();
        let make = |&at: &usize| maker.make(&things[at]);
        let made: Vec<M::Value> = match &missing[..] {
            [one] => vec![make(one)],
            _ => missing.par_iter().with_max_len(share::LARGEST).map(make).collect(),
        };
        missing.into_iter().zip(made).for_each(|(at, value)| values[at] = Some(value));
        let values: Box<[M::Value]> = values.into_iter().flatten().collect();
        let sum = maker.sum(&values);
        (place, Made { values, sum })
    };
    if open.len() > 1 { open.into_par_iter().with_max_len(1).map(close).collect() } else { open.into_iter().map(close).collect() }
}

/// The places in `values` that have none.
fn empty<V>(values: &[Option<V>]) -> impl Iterator<Item = usize> {
    values.iter().enumerate().filter(|(_, value)| value.is_none()).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::digest::Checksum;

    /// Makes of a name and a number the number, and of a part the sum, if what is around is the same and the number is not `never`.
    #[derive(Default)]
    struct Numbers {
        never: Option<u32>,
        looked: Mutex<Vec<String>>,
        made: Mutex<Vec<String>>,
    }

    impl Maker for Numbers {
        type Thing = Arc<(&'static str, u32)>;
        type Key = str;
        type Value = u32;
        type Sum = u32;

        fn key<'t>(&self, thing: &'t Self::Thing) -> &'t str {
            thing.0
        }

        fn stands(&self, _: &u32) -> bool {
            self.never.is_none()
        }

        fn holds(&self, thing: &Self::Thing, value: &u32, same_around: bool) -> bool {
            self.looked.lock().unwrap().push(thing.0.to_owned());
            same_around && thing.1 == *value && self.never != Some(*value)
        }

        fn make(&self, thing: &Self::Thing) -> u32 {
            self.made.lock().unwrap().push(thing.0.to_owned());
            thing.1
        }

        fn sum(&self, values: &[u32]) -> u32 {
            values.iter().sum()
        }
    }

    #[test]
    fn only_what_does_not_hold_is_made_and_untouched_parts_are_not_looked_into() {
        let row = Row::default();
        let all = |pairs: &[(&'static str, u32)]| pairs.iter().map(|&pair| Arc::new(pair)).collect::<Series<_>>();
        let one = all(&[("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 5)]);
        let two = one.with([(3, Arc::new(("d", 9)))]);
        let other_order = Series::cut([4, 2, 1, 0].map(|at| two[at].clone()), |_, _| true);
        // Things, what is around, a number that never holds; what is looked at, what is made.
        let times = [
            (&one, "x", None, "", "a b c d e"),
            (&one, "x", None, "", ""),
            (&two, "x", None, "c d", "d"),
            (&two, "x", Some(5), "a b c d e", "e"),
            (&two, "y", None, "a b c d e", "a b c d e"),
            (&other_order, "y", None, "a b c e", ""),
            (&one, "y", None, "a b c e", "d"),
        ];
        for (things, around, never, looked, made) in times {
            let mut stamp = Stamp::default();
            stamp.equal(Some(Checksum::of(around)));
            let maker = Numbers { never, ..Numbers::default() };
            let parts = row.again(stamp, things, &maker);
            let values: Vec<u32> = parts.iter().flat_map(|part| part.values.iter().copied()).collect();
            assert_eq!(values, things.iter().map(|thing| thing.1).collect::<Vec<_>>());
            assert!(parts.iter().all(|part| part.sum == part.values.iter().sum::<u32>()));
            let said = |names: Mutex<Vec<String>>| {
                let mut names = names.into_inner().unwrap();
                names.sort_unstable();
                names.join(" ")
            };
            assert_eq!((said(maker.looked).as_str(), said(maker.made).as_str()), (looked, made), "{around} {never:?}");
        }
    }
}
