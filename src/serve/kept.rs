//! Turns files that were rendered into files that need not be rendered again, and that can stand in for one that can't be made now.
//!
//! Must not know how files are rendered, nor hold more than it may.

use std::collections::BTreeMap;

use axum::body::Bytes;

/// The bytes that are held at most; the file in hand is held whatever its size.
const MOST: usize = 64 << 20;

struct File {
    bytes: Bytes,
    /// Whether it is what would be rendered now.
    is_fresh: bool,
    /// When it was asked for last.
    used: u64,
}

/// The files that browsers asked for, the least wanted forgotten first.
#[derive(Default)]
pub(super) struct Kept {
    files: BTreeMap<String, File>,
    bytes: usize,
    clock: u64,
}

impl Kept {
    /// The file `path` as it would be rendered now.
    pub(super) fn fresh(&mut self, path: &str) -> Option<Bytes> {
        self.get(path, true)
    }

    /// The file `path` as it could be rendered last.
    pub(super) fn last(&mut self, path: &str) -> Option<Bytes> {
        self.get(path, false)
    }

    fn get(&mut self, path: &str, must_be_fresh: bool) -> Option<Bytes> {
        let file = self.files.get_mut(path).filter(|file| file.is_fresh || !must_be_fresh)?;
        self.clock += 1;
        file.used = self.clock;
        Some(file.bytes.clone())
    }

    /// Holds `bytes` as what the file `path` is now.
    pub(super) fn put(&mut self, path: &str, bytes: Bytes) {
        self.forget(path);
        self.clock += 1;
        self.bytes += bytes.len();
        self.files.insert(path.to_owned(), File { bytes, is_fresh: true, used: self.clock });
        while self.bytes > MOST && self.files.len() > 1 {
            let Some(least) = self.files.iter().min_by_key(|(_, file)| file.used).map(|(path, _)| path.clone()) else { return };
            self.forget(&least);
        }
    }

    /// The file `path` is to be rendered again.
    pub(super) fn age(&mut self, path: &str) {
        if let Some(file) = self.files.get_mut(path) {
            file.is_fresh = false;
        }
    }

    /// The file `path` is no more.
    pub(super) fn forget(&mut self, path: &str) {
        if let Some(file) = self.files.remove(path) {
            self.bytes -= file.bytes.len();
        }
    }

    /// Files below `folder` are no more.
    pub(super) fn forget_below(&mut self, folder: &str) {
        let below: Vec<String> = self.files.keys().filter(|path| path.starts_with(folder)).cloned().collect();
        below.iter().for_each(|path| self.forget(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_least_goes_first_and_an_aged_file_stands_in() {
        let mut kept = Kept::default();
        let third = Bytes::from(vec![0; MOST / 3]);
        for path in ["a", "b", "search/c"] {
            kept.put(path, third.clone());
        }
        assert!(kept.fresh("a").is_some());
        kept.put("d", third.clone());
        let there = |kept: &mut Kept| ["a", "b", "search/c", "d"].map(|path| kept.fresh(path).is_some());
        assert_eq!(there(&mut kept), [true, false, true, true], "b was asked for the longest ago");
        kept.age("a");
        kept.forget_below("search/");
        assert_eq!(there(&mut kept), [false, false, false, true]);
        assert_eq!((kept.last("a"), kept.bytes), (Some(third.clone()), 2 * third.len()));
        kept.put("a", Bytes::from(vec![0; 2 * MOST]));
        assert_eq!((there(&mut kept), kept.bytes), ([true, false, false, false], 2 * MOST), "too large for all, and alone");
    }
}
