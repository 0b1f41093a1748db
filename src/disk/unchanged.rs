//! Turns the inputs of a build and the folder of its site into how many files lie there, where this program wrote this very site from
//! these very inputs before and found nothing wrong.
//!
//! Must not know what is in an input or on a page. Whatever is not so is no answer, and the site is built.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use rayon::prelude::*;

use super::publish::{is_no_link, parents};
use super::read_plain;
use crate::base::digest::Checksum;
use crate::cache::Cache;
use crate::rules::published::{MANIFEST, Manifest, VERSION, digest_of_file};
use crate::tree::SourceTree;

/// Builds that are remembered, each by its manifest.
const MOST: usize = 16;

/// The builds that this user's programs remember.
#[must_use]
pub fn builds() -> Cache {
    Cache::of_user("builds", MOST)
}

/// A build of a course, as it was asked for.
#[derive(Debug)]
pub struct Build<'a> {
    cache: &'a Cache,
    /// All that its site hangs on; `None` where it can't be told.
    from: Option<String>,
}

impl<'a> Build<'a> {
    /// A build of `tree` by this program, with what else was `asked`.
    #[must_use]
    pub fn of(tree: &SourceTree, asked: &str, cache: &'a Cache) -> Self {
        let from = program().map(|mut from| {
            from += asked;
            for (name, digest) in tree.digests() {
                // Writing to a string can't fail.
                let _ = write!(from, "\n{digest} {name}");
            }
            from
        });
        Self { cache, from }
    }

    /// How many files its site has, if it is known and lies in `folder` as it was written.
    #[must_use]
    pub fn lies_in(&self, folder: &Path) -> Option<usize> {
        let known = self.cache.get(self.from.as_ref()?)?;
        if read_plain(&folder.join(MANIFEST)).ok()? != known {
            return None;
        }
        let Manifest { files, .. } = Manifest::parse(std::str::from_utf8(&known).ok()?).ok()?;
        let folders: BTreeSet<&str> = files.keys().flat_map(|path| parents(path)).collect();
        folders.into_iter().try_for_each(|parent| is_no_link(folder, parent)).ok()?;
        let is_there =
            |(path, digest): (&String, &Checksum)| read_plain(&folder.join(path)).is_ok_and(|bytes| digest_of_file(&bytes) == *digest);
        files.par_iter().all(is_there).then_some(files.len())
    }

    /// Remembers that its site is the one of the manifest `manifest`, and that nothing was wrong.
    pub fn remember(&self, manifest: &str) {
        if let Some(from) = &self.from {
            self.cache.put(from, manifest.as_bytes());
        }
    }
}

/// Which program this is: two builds of one version may write different sites.
fn program() -> Option<String> {
    let path = std::env::current_exe().ok()?;
    let metadata = path.metadata().ok()?;
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("lessonc {VERSION} {} {} {changed:?}\n", path.display(), metadata.len()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::base::problem::Problems;
    use crate::disk::publish;
    use crate::pages::Site;

    fn tree(text: &str) -> SourceTree {
        let mut tree = SourceTree::new();
        tree.insert("lessons/a.md", text.as_bytes(), &mut Problems::new());
        tree
    }

    #[test]
    fn only_the_same_site_of_the_same_inputs_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, out) = (Cache::at(&folder.path().join("cache"), MOST), folder.path().join("site"));
        let known = |text: &str, asked: &str| Build::of(&tree(text), asked, &cache).lies_in(&out);
        let write = |pages: [(&str, &str); 2]| publish(&Site::of_texts(pages), &out).unwrap().unwrap();
        let first = write([("a.html", "a\n"), ("b/c.html", "c")]);
        assert_eq!(known("x", ""), None);
        // Another build may have written to the folder since.
        write([("a.html", "a\n"), ("b/e.html", "c")]);
        Build::of(&tree("x"), "", &cache).remember(&first.manifest);
        assert_eq!(known("x", ""), None);
        write([("a.html", "a\n"), ("b/c.html", "c")]);
        assert_eq!([known("x", ""), known("y", ""), known("x", "draft")], [Some(2), None, None]);
        // A checkout with other line ends is the same site; an edited page, a lost one and another site are not.
        for (text, expected) in [("a\r\n", Some(2)), ("b\n", None), ("a\n", Some(2))] {
            fs::write(out.join("a.html"), text).unwrap();
            assert_eq!(known("x", ""), expected, "{text:?}");
        }
        fs::remove_file(out.join("b/c.html")).unwrap();
        assert_eq!(known("x", ""), None);
        write([("a.html", "a\n"), ("b/d.html", "c")]);
        assert_eq!(known("x", ""), None);
        write([("a.html", "a\n"), ("b/c.html", "c")]);
        assert_eq!(known("x", ""), Some(2));
        #[cfg(unix)]
        {
            fs::rename(out.join("b"), folder.path().join("elsewhere")).unwrap();
            std::os::unix::fs::symlink(folder.path().join("elsewhere"), out.join("b")).unwrap();
            assert_eq!(known("x", ""), None, "a folder that is a link");
        }
    }
}
