//! Turns the sources of a course into one place to look them up by path.
//!
//! Must not know what is in them. A source that changes leaves most of this as it is, and what differs from before is found without
//! a look at the others.

use std::ops::Index;
use std::sync::Arc;

use crate::base::series::Series;

use super::source::Source;

/// Sources in the order of their paths, each path once. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Sources(Series<Arc<Source>>);

impl Sources {
    /// The source at `path`, from `kernels/`.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Arc<Source>> {
        self.0.find(|source| source.path.as_str().cmp(path))
    }

    /// Whether there is one at `path`.
    #[must_use]
    pub fn contains_key(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// The source in the place `place` of all.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<&Arc<Source>> {
        self.0.get(place)
    }

    /// All paths, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> + Clone {
        self.values().map(|source| source.path.as_str())
    }

    /// All sources, in the order of their paths.
    pub fn values(&self) -> impl Iterator<Item = &Arc<Source>> + Clone {
        self.0.iter()
    }

    /// The same with other sources at some places, whose paths are those of the ones there.
    pub(super) fn with(&self, changes: impl IntoIterator<Item = (usize, Arc<Source>)>) -> Self {
        Self(self.0.with(changes))
    }

    /// The very parts of `before` where all is as it was.
    pub(super) fn or_parts_of(self, before: &Self) -> Self {
        Self(self.0.or_parts_of(&before.0, Arc::ptr_eq))
    }

    /// The sources that are others than in `before`, which has the same paths; `None` where it hasn't, or that is not seen at once.
    pub fn changed_since<'a>(&'a self, before: &'a Self) -> Option<Vec<&'a Arc<Source>>> {
        let pairs = self.0.changed_since(&before.0)?;
        pairs.map(|(_, now, then)| (now.path == then.path).then_some(now)).collect()
    }
}

impl Index<usize> for Sources {
    type Output = Arc<Source>;

    fn index(&self, place: usize) -> &Arc<Source> {
        &self.0[place]
    }
}

impl FromIterator<Arc<Source>> for Sources {
    fn from_iter<I: IntoIterator<Item = Arc<Source>>>(sources: I) -> Self {
        let mut sources: Vec<Arc<Source>> = sources.into_iter().collect();
        sources.sort_by(|one, other| one.path.cmp(&other.path));
        Self(sources.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::problem::Problems;

    fn source(path: &str, text: &str) -> Arc<Source> {
        Arc::new(Source::parse(&format!("kernels/{path}").into(), &text.into(), &mut Problems::new()))
    }

    #[test]
    fn sources_are_found_by_path_and_others_than_before_too() {
        let before: Sources = ["b.cu", "a.cu", "deep/c.cu", "d.cu"].into_iter().map(|path| source(path, "")).collect();
        assert_eq!(before.keys().collect::<Vec<_>>(), ["a.cu", "b.cu", "d.cu", "deep/c.cu"]);
        assert!(before.keys().all(|path| before.get(path).is_some_and(|source| source.path == path)) && !before.contains_key("c.cu"));
        let changed = |now: &Sources| {
            now.changed_since(&before).map(|all| all.into_iter().map(|source| source.path.clone()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(changed(&before.with([(1, source("b.cu", "x")), (3, source("deep/c.cu", "y"))])).as_deref(), Some("b.cu deep/c.cu"));
        assert_eq!(changed(&before.with([(1, source("bb.cu", "x"))])), None);
        assert_eq!(changed(&before.values().skip(1).cloned().collect()), None);
        let again: Sources = before.values().cloned().collect();
        assert_eq!(changed(&again.or_parts_of(&before)).as_deref(), Some(""));
    }
}
