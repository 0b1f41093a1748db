//! Turns the files of a course at two moments into those that differ.
//!
//! Must not know what is in them.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::digest::Digest;
use crate::base::span::SourceName;

use super::{SourceTree, below};

/// The files in the folders of a course at one moment.
#[derive(Debug, Default)]
pub struct Snapshot(BTreeMap<String, Folder>);

/// The files in a folder, by their names and digests.
#[derive(Debug, Default)]
struct Folder {
    /// Of all of them together.
    state: Digest,
    texts: Vec<(SourceName, Digest)>,
    binaries: Vec<(SourceName, Digest)>,
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
            let state = tree.state(name, |_| true);
            if state != folder.state {
                folder.state = state;
                step(&mut folder.texts, below(&tree.files, name).map(|(name, file)| (name, file.digest)), &mut changed);
                step(&mut folder.binaries, below(&tree.binaries, name).map(|(name, file)| (name, file.digest)), &mut changed);
            }
        }
        changed
    }
}

/// Makes `before` what is `now`, and notes in `changed` the names of what differs; both are in order.
fn step<'a>(
    before: &mut Vec<(SourceName, Digest)>,
    now: impl Iterator<Item = (&'a SourceName, Digest)> + Clone,
    changed: &mut BTreeSet<SourceName>,
) {
    let mut known = before.iter().peekable();
    for (name, digest) in now.clone() {
        // Names are mostly the very same ones, which costs no look at their letters.
        if known.next_if(|(known, of)| known == name && *of == digest).is_some() {
            continue;
        }
        while let Some((gone, _)) = known.next_if(|(known, _)| known < name) {
            changed.insert(gone.clone());
        }
        if known.next_if(|(known, of)| known == name && *of == digest).is_none() {
            known.next_if(|(known, _)| known == name);
            changed.insert(name.clone());
        }
    }
    changed.extend(known.map(|(gone, _)| gone.clone()));
    if !changed.is_empty() {
        *before = now.map(|(name, digest)| (name.clone(), digest)).collect();
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
