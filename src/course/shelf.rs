//! Turns files into what they are read as, and reads only those again that changed.
//!
//! Must not know what is in a file. What was wrong with one that is as it was is said again each time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::base::digest::Checksum;
use crate::base::problem::{Problem, Problems};
use crate::base::share;
use crate::base::span::SourceName;
use crate::base::stamp::Stamp;
use crate::tree::{SourceFile, SourceTree};

/// Files of one kind in the order of their names, each with what it was read as.
#[derive(Debug)]
pub(super) struct Shelf<T> {
    /// What else than a file counts for how it is read; `None` before the first reading.
    around: Option<Stamp>,
    files: Vec<File<T>>,
    /// The places of those that anything is wrong with.
    faulty: BTreeSet<usize>,
}

/// A file, what it was read as, if it could be, and what is wrong with it.
#[derive(Debug)]
pub(super) struct File<T> {
    pub(super) name: SourceName,
    digest: Checksum,
    pub(super) value: Option<Arc<T>>,
    problems: Arc<[Problem]>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { around: None, files: Vec::new(), faulty: BTreeSet::new() }
    }
}

impl<T: Send + Sync> Shelf<T> {
    /// The files.
    pub(super) fn files(&self) -> &[File<T>] {
        &self.files
    }

    /// What is wrong with them.
    pub(super) fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.faulty.iter().flat_map(|&place| self.files[place].problems.iter())
    }

    /// Makes it hold `files`, in the order of their names, by `read`: those that are as they were, and what is `around` them too, are
    /// not read again.
    pub(super) fn take(
        &mut self,
        around: Stamp,
        files: &[(&SourceName, &SourceFile)],
        read: impl Fn(&SourceName, &Arc<str>, &mut Problems) -> Option<T> + Sync,
    ) {
        let before = if self.around.as_ref() == Some(&around) { std::mem::take(&mut self.files) } else { Vec::new() };
        let known: BTreeMap<SourceName, File<T>> = before.into_iter().map(|file| (file.name.clone(), file)).collect();
        let one = |(name, file): &(&SourceName, &SourceFile)| {
            let known = known.get(*name).filter(|known| known.digest == file.digest);
            known.map_or_else(|| File::read(name, file, &read), File::again)
        };
        self.files = files.par_iter().with_max_len(share::LARGEST).map(one).collect();
        self.faulty = (0..files.len()).filter(|&place| !self.files[place].problems.is_empty()).collect();
        self.around = Some(around);
    }

    /// Reads those of its files again that have these `names`, if it holds all of them and did so before, and they can be read then as
    /// before; their places. `None` where more is another, and nothing was done.
    pub(super) fn read_again(
        &mut self,
        around: &Stamp,
        names: &[&SourceName],
        tree: &SourceTree,
        read: impl Fn(&SourceName, &Arc<str>, &mut Problems) -> Option<T> + Sync,
    ) -> Option<Vec<usize>> {
        if self.around.as_ref() != Some(around) {
            return None;
        }
        let place = |name: &&SourceName| self.files.binary_search_by(|file| file.name.cmp(name)).ok();
        let places: Vec<usize> = names.iter().map(place).collect::<Option<_>>()?;
        let one = |name: &&SourceName| Some(File::read(name, tree.get(name)?, &read)).filter(|file| file.value.is_some());
        let files: Vec<File<T>> = match names {
            [name] => vec![one(name)?],
            _ => names.par_iter().with_max_len(share::LARGEST).map(one).collect::<Option<_>>()?,
        };
        if places.iter().any(|&place| self.files[place].value.is_none()) {
            return None;
        }
        for (&place, file) in places.iter().zip(files) {
            if file.problems.is_empty() {
                self.faulty.remove(&place)
            } else {
                self.faulty.insert(place)
            };
            self.files[place] = file;
        }
        Some(places)
    }
}

impl<T> File<T> {
    fn read(name: &SourceName, file: &SourceFile, read: impl Fn(&SourceName, &Arc<str>, &mut Problems) -> Option<T>) -> Self {
        let mut problems = Problems::new();
        let value = read(name, &file.text(), &mut problems).map(Arc::new);
        Self { name: name.clone(), digest: file.digest, value, problems: problems.into_iter().collect() }
    }

    fn again(&self) -> Self {
        Self { name: self.name.clone(), digest: self.digest, value: self.value.clone(), problems: self.problems.clone() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::base::span::Span;

    /// Reads a text unless it is empty, and finds fault with one that says `wrong`.
    fn read(read: &Mutex<Vec<String>>) -> impl Fn(&SourceName, &Arc<str>, &mut Problems) -> Option<String> + Sync + '_ {
        |name, text, problems| {
            read.lock().unwrap().push(name.to_string());
            if text.contains("wrong") {
                problems.push(Problem::error("x", Span::top(name), "wrong"));
            }
            (!text.is_empty()).then(|| text.to_string())
        }
    }

    #[test]
    fn only_what_changed_is_read_and_faults_are_said_each_time() {
        let (mut tree, mut shelf, nothing) = (SourceTree::new(), Shelf::default(), Stamp::default());
        let put = |tree: &mut SourceTree, name: &str, text: &str| tree.insert(name, text.as_bytes(), &mut Problems::new());
        for (name, text) in [("a", "1"), ("b", "wrong"), ("c", ""), ("d", "4")] {
            put(&mut tree, name, text);
        }
        let said = Mutex::new(Vec::new());
        let looked = || {
            let mut names = std::mem::take(&mut *said.lock().unwrap());
            names.sort_unstable();
            names.join("")
        };
        let all = |tree: &SourceTree, shelf: &mut Shelf<String>| shelf.take(nothing.clone(), &tree.iter().collect::<Vec<_>>(), read(&said));
        let state = |shelf: &Shelf<String>| {
            let values: Vec<&str> = shelf.files().iter().map(|file| file.value.as_ref().map_or("-", |value| value)).collect();
            format!("{} {}", values.join(" "), shelf.problems().count())
        };
        let some = |names: &[&str], tree: &SourceTree, shelf: &mut Shelf<String>| {
            let names: Vec<SourceName> = names.iter().map(|&name| name.into()).collect();
            shelf.read_again(&nothing, &names.iter().collect::<Vec<_>>(), tree, read(&said))
        };
        assert_eq!(some(&[], &tree, &mut shelf), None, "nothing was read before");
        all(&tree, &mut shelf);
        assert_eq!((state(&shelf).as_str(), looked().as_str()), ("1 wrong - 4 1", "abcd"));
        put(&mut tree, "a", "wrong again");
        put(&mut tree, "d", "5");
        assert_eq!(some(&["a", "d"], &tree, &mut shelf), Some(vec![0, 3]));
        assert_eq!((state(&shelf).as_str(), looked().as_str()), ("wrong again wrong - 5 2", "ad"));
        put(&mut tree, "a", "1");
        assert_eq!(some(&["a", "c"], &tree, &mut shelf), None, "c could not be read before");
        put(&mut tree, "d", "");
        assert_eq!(some(&["d"], &tree, &mut shelf), None, "d can't be read any longer");
        assert_eq!((some(&["e"], &tree, &mut shelf), state(&shelf).as_str()), (None, "wrong again wrong - 5 2"), "nothing was done");
        looked();
        tree.remove("b");
        all(&tree, &mut shelf);
        assert_eq!((state(&shelf).as_str(), looked().as_str()), ("1 - - 0", "ad"));
    }
}
