//! Turns values in an order into parts of some of them, so that what is as it was before is passed over part by part.
//!
//! Must not know what it holds. A part that was not touched is the very same one, whoever holds the series, and one look says so.

use std::fmt;
use std::ops::Index;
use std::sync::Arc;

/// So many values a part has at least, but for the last one. Tests have courses of a few lessons.
const PART: usize = if cfg!(test) { 2 } else { 64 };

/// Values in an order. Cheap to clone.
pub struct Series<T>(Arc<[Part<T>]>);

struct Part<T> {
    /// The place of its first value among all.
    start: usize,
    items: Arc<[T]>,
}

impl<T> Series<T> {
    /// `values` in parts, cut only where `may_cut` says so of two neighbours.
    pub fn cut(values: impl IntoIterator<Item = T>, may_cut: impl Fn(&T, &T) -> bool) -> Self {
        let (mut parts, mut open) = (Vec::new(), Vec::with_capacity(PART));
        for value in values {
            if open.len() >= PART && open.last().is_some_and(|last| may_cut(last, &value)) {
                parts.push(std::mem::replace(&mut open, Vec::with_capacity(PART)).into());
            }
            open.push(value);
        }
        parts.extend((!open.is_empty()).then(|| open.into()));
        Self::of_parts(parts)
    }

    /// These parts, one after the other.
    pub fn of_parts(parts: impl IntoIterator<Item = Arc<[T]>>) -> Self {
        let mut end = 0;
        let part = |items: Arc<[T]>| {
            let start = end;
            end += items.len();
            Part { start, items }
        };
        Self(parts.into_iter().map(part).collect())
    }

    /// The parts, in order.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = &Arc<[T]>> + DoubleEndedIterator + Clone {
        self.0.iter().map(|part| &part.items)
    }

    /// The part at `place` among the parts.
    #[must_use]
    pub fn part(&self, place: usize) -> Option<&Arc<[T]>> {
        self.0.get(place).map(|part| &part.items)
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |last| last.start + last.items.len())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each value, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        self.parts().flat_map(|part| part.iter())
    }

    /// The value at `place`.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<&T> {
        let part = self.0.get(self.part_of(place))?;
        part.items.get(place - part.start)
    }

    /// Which part the value at `place` is in.
    fn part_of(&self, place: usize) -> usize {
        self.0.partition_point(|part| part.start <= place).saturating_sub(1)
    }

    /// The value that `compare` calls equal, where it tells the order in which the values are.
    pub fn find(&self, mut compare: impl FnMut(&T) -> std::cmp::Ordering) -> Option<&T> {
        let after = self.0.partition_point(|part| part.items.first().is_some_and(|first| compare(first).is_le()));
        let items = &self.0.get(after.checked_sub(1)?)?.items;
        items.binary_search_by(compare).ok().map(|at| &items[at])
    }

    /// The same with other values at some places, whose parts alone are others.
    #[must_use]
    pub fn with(&self, changes: impl IntoIterator<Item = (usize, T)>) -> Self
    where
        T: Clone,
    {
        let mut parts: Vec<Part<T>> = self.0.to_vec();
        for (place, value) in changes {
            let part = &mut parts[self.part_of(place)];
            if let Some(item) = Arc::make_mut(&mut part.items).get_mut(place - part.start) {
                *item = value;
            }
        }
        Self(parts.into())
    }

    /// The same, with the very parts of `before` where all values of one are as they were.
    #[must_use]
    pub fn or_parts_of(self, before: &Self, is_as: impl Fn(&T, &T) -> bool) -> Self {
        let same = |(at, items): (usize, &Arc<[T]>)| {
            let known = before.part(at).filter(|known| known.len() == items.len());
            known.filter(|known| known.iter().zip(&**items).all(|(one, other)| is_as(one, other))).unwrap_or(items).clone()
        };
        Self::of_parts(self.parts().enumerate().map(same))
    }

    /// What `make` makes of each part; the part of before, where a series and what was made of it are given and it had that very part.
    pub fn each_part<U>(&self, before: Option<(&Self, &Series<U>)>, make: impl Fn(&[T]) -> Vec<U>) -> Series<U> {
        let known = |at: usize, items: &Arc<[T]>| {
            let (of, made) = before?;
            of.part(at).filter(|known| Arc::ptr_eq(known, items)).and_then(|_| made.part(at).cloned())
        };
        Series::of_parts(self.parts().enumerate().map(|(at, items)| known(at, items).unwrap_or_else(|| make(items).into())))
    }

    /// The values of parts that are not the very same in `before`, each with its place and that of before there; `None` where the
    /// parts are others.
    pub fn beside<'a>(&'a self, before: &'a Self) -> Option<impl Iterator<Item = (usize, &'a T, &'a T)>> {
        let same_lengths = self.0.len() == before.0.len() && self.parts().zip(before.parts()).all(|(one, other)| one.len() == other.len());
        let others = self.0.iter().zip(&*before.0).filter(|(one, other)| !Arc::ptr_eq(&one.items, &other.items));
        let pairs = |(now, then): (&'a Part<T>, &'a Part<T>)| {
            let values = now.items.iter().zip(&*then.items);
            values.enumerate().map(|(at, (one, other))| (now.start + at, one, other))
        };
        same_lengths.then(|| others.flat_map(pairs))
    }
}

impl<T> Series<Arc<T>> {
    /// The values that are others than in `before`, each with its place and that of before there; `None` where the parts are others.
    pub fn changed_since<'a>(&'a self, before: &'a Self) -> Option<impl Iterator<Item = (usize, &'a Arc<T>, &'a Arc<T>)>> {
        Some(self.beside(before)?.filter(|(_, now, then)| !Arc::ptr_eq(now, then)))
    }

    /// Whether all values are the very same ones in `before`, in parts alike.
    #[must_use]
    pub fn is_as(&self, before: &Self) -> bool {
        self.changed_since(before).is_some_and(|mut changed| changed.next().is_none())
    }
}

impl<T> FromIterator<T> for Series<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::cut(values, |_, _| true)
    }
}

impl<T> Index<usize> for Series<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        let part = &self.0[self.part_of(place)];
        &part.items[place - part.start]
    }
}

impl<T> Clone for Series<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        Self { start: self.start, items: self.items.clone() }
    }
}

impl<T> Default for Series<T> {
    fn default() -> Self {
        Self(Arc::new([]))
    }
}

impl<T> fmt::Debug for Series<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values in {} parts", self.len(), self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[u8]) -> Series<Arc<u8>> {
        // Equal neighbours stay together.
        Series::cut(values.iter().map(|&value| Arc::new(value)), |one, other| one != other)
    }

    fn parts(series: &Series<Arc<u8>>) -> Vec<Vec<u8>> {
        series.parts().map(|part| part.iter().map(|value| **value).collect()).collect()
    }

    #[test]
    fn parts_are_cut_where_they_may_be() {
        let cases: [(&[u8], &[&[u8]]); 5] = [
            (&[], &[]),
            (&[1], &[&[1]]),
            (&[1, 2, 3], &[&[1, 2], &[3]]),
            (&[1, 2, 2, 2, 3, 4, 5], &[&[1, 2, 2, 2], &[3, 4], &[5]]),
            (&[1, 1, 1], &[&[1, 1, 1]]),
        ];
        for (values, expected) in cases {
            assert_eq!(parts(&of(values)), expected, "{values:?}");
        }
    }

    #[test]
    fn what_is_not_touched_is_the_very_same() {
        let before = of(&[1, 2, 3, 4, 5, 6]);
        let after = before.with([(2, Arc::new(9)), (3, before[3].clone())]);
        assert_eq!(parts(&after), [[1, 2], [9, 4], [5, 6]]);
        assert_eq!(before.parts().zip(after.parts()).map(|(one, other)| Arc::ptr_eq(one, other)).collect::<Vec<_>>(), [true, false, true]);
        let changed = |now: &Series<Arc<u8>>, then: &Series<Arc<u8>>| -> Option<Vec<(usize, u8, u8)>> {
            Some(now.changed_since(then)?.map(|(at, now, then)| (at, **now, **then)).collect())
        };
        assert_eq!(changed(&after, &before), Some(vec![(2, 9, 3)]));
        assert!(!after.is_as(&before) && before.is_as(&before) && !of(&[1, 2, 3]).is_as(&before));
        assert_eq!(changed(&before, &of(&[1, 2, 3])), None);
        let again = Series::cut(after.iter().cloned(), |_, _| true).or_parts_of(&before, Arc::ptr_eq);
        assert_eq!(before.parts().zip(again.parts()).map(|(one, other)| Arc::ptr_eq(one, other)).collect::<Vec<_>>(), [true, false, true]);
        let doubled = |part: &[Arc<u8>]| part.iter().map(|value| Arc::new(**value * 2)).collect::<Vec<_>>();
        let twice = before.each_part(None, doubled);
        let twice_after = after.each_part(Some((&before, &twice)), doubled);
        assert_eq!(changed(&twice_after, &twice), Some(vec![(2, 18, 6), (3, 8, 8)]));
    }

    proptest! {
        #[test]
        fn a_series_is_as_the_list_of_its_values(values in proptest::collection::vec(0_u8..20, 0..20), sought in 0_u8..20) {
            let series = of(&values);
            prop_assert_eq!(series.len(), values.len());
            prop_assert_eq!(series.iter().map(|value| **value).collect::<Vec<_>>(), values.clone());
            for place in 0..=values.len() {
                prop_assert_eq!(series.get(place).map(|value| **value), values.get(place).copied());
            }
            let mut sorted = values.clone();
            sorted.sort_unstable();
            prop_assert_eq!(of(&sorted).find(|value| (**value).cmp(&sought)).is_some(), values.contains(&sought));
        }
    }
}
