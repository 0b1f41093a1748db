//! Turns the files of a course at two moments into those that differ.
//!
//! Must not know what is in them.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::digest::Checksum;
use crate::base::span::SourceName;

use super::{SourceTree, below, kind};

/// The files in the folders of a course at one moment.
#[derive(Debug, Default)]
pub struct Snapshot(BTreeMap<String, Folder>);

/// The files in a folder, by their names.
#[derive(Debug, Default)]
struct Folder {
    /// Of all of them together.
    state: Checksum,
    files: BTreeMap<SourceName, Checksum>,
}

impl Snapshot {
    /// The names of the files that are others in `tree`, came with it or went; from now on it is of that.
    pub fn follow(&mut self, tree: &SourceTree) -> BTreeSet<SourceName> {
        let mut changed = BTreeSet::new();
        for folder in tree.folders() {
            if !self.0.contains_key(folder) {
                self.0.insert(folder.to_owned(), Folder::default());
            }
        }
        for (name, folder) in &mut self.0 {
            if tree.state(name, |_| true) != folder.state {
                let differing = folder.recently(name, tree).unwrap_or_else(|| folder.differing(name, tree));
                differing.into_iter().for_each(|name| _ = changed.insert(name));
                folder.state = tree.state(name, |_| true);
            }
        }
        changed
    }
}

impl Folder {
    /// The files of the folder `name` that differ, if all of them are among those that `tree` took in last: then the folder is of `tree`.
    fn recently(&mut self, name: &str, tree: &SourceTree) -> Option<BTreeSet<SourceName>> {
        let here = tree.recent.iter().filter(|file| kind(file).0 == name);
        let differing: BTreeSet<SourceName> = here.filter(|file| self.files.get(*file).copied() != tree.digest(file)).cloned().collect();
        let states = differing
            .iter()
            .flat_map(|file| [self.files.get(file).copied(), tree.digest(file)].into_iter().flatten().map(|digest| digest.of_named(file)));
        if states.fold(self.state, Checksum::with) != tree.state(name, |_| true) {
            return None;
        }
        for file in &differing {
            match tree.digest(file) {
                Some(digest) => self.files.insert(file.clone(), digest),
                None => self.files.remove(file),
            };
        }
        Some(differing)
    }

    /// The files of the folder `name` that differ in `tree`, of which it is then.
    fn differing(&mut self, name: &str, tree: &SourceTree) -> BTreeSet<SourceName> {
        let texts = below(&tree.files, name).map(|(name, file)| (name.clone(), file.digest));
        let now: BTreeMap<SourceName, Checksum> =
            texts.chain(below(&tree.binaries, name).map(|(name, file)| (name.clone(), file.digest))).collect();
        let before = std::mem::replace(&mut self.files, now);
        let others = self.files.iter().filter(|(name, digest)| before.get(*name) != Some(digest)).map(|(name, _)| name.clone());
        let gone = before.keys().filter(|name| !self.files.contains_key(*name)).cloned();
        others.chain(gone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::problem::Problems;

    #[test]
    fn what_differs_is_what_came_went_or_is_another() {
        let (mut tree, mut snapshot) = (SourceTree::new(), Snapshot::default());
        type Step<'a> = (&'a [(&'a str, Option<&'a str>)], &'a [&'a str]);
        let steps: [Step<'_>; 6] = [
            (&[("x/b", Some("1")), ("x/d", Some("1")), ("y/p.png", Some("1"))], &["x/b", "x/d", "y/p.png"]),
            (&[("x/b", Some("1"))], &[]),
            (&[("x/a", Some("1")), ("x/b", Some("2")), ("x/c", Some("1"))], &["x/a", "x/b", "x/c"]),
            (&[("x/a", None), ("x/d", None)], &["x/a", "x/d"]),
            (&[("y/p.png", Some("2")), ("x/b", None), ("x/z", Some("1"))], &["x/b", "x/z", "y/p.png"]),
            (&[("x/c", None), ("x/z", None), ("y/p.png", None)], &["x/c", "x/z", "y/p.png"]),
        ];
        for (edits, expected) in steps {
            for (name, text) in edits {
                match text {
                    Some(text) => tree.insert(name, text.as_bytes(), &mut Problems::new()),
                    None => _ = tree.remove(name),
                }
            }
            let changed: Vec<SourceName> = snapshot.follow(&tree).into_iter().collect();
            assert_eq!(changed.iter().map(|name| &**name).collect::<Vec<_>>(), expected);
        }
    }
}
