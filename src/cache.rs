//! Turns what something was made from into what was made of it before, which lies in the user's cache, outside any course.
//!
//! Must not be needed: without a folder, or with one that can't be read or written, everything is made anew. Must not know what is kept.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::base::digest::Checksum;

/// What was made before, one file an entry.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    folder: Option<PathBuf>,
    most: usize,
}

impl Cache {
    /// The cache of this user for things of the kind `kind`, by the convention of the system; none where it has no such place. Of more
    /// than `most` entries, those that were not used for longest go.
    #[must_use]
    pub fn of_user(kind: &str, most: usize) -> Self {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let caches = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
        Self { folder: caches.map(|caches| caches.join("lessonc").join(kind)), most }
    }

    /// One in `folder`.
    #[must_use]
    pub fn at(folder: &Path, most: usize) -> Self {
        Self { folder: Some(folder.to_owned()), most }
    }

    /// What was made from all that `from` says, if it is there and whole.
    #[must_use]
    pub fn get(&self, from: &str) -> Option<Vec<u8>> {
        let path = self.folder.as_ref()?.join(Checksum::of(from).to_string());
        let mut bytes = fs::read(&path).ok()?;
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let digest = String::from_utf8(bytes.drain(..=end).collect()).ok()?;
        if digest.trim_end() != Checksum::of(&bytes).to_string() {
            return None;
        }
        // It was of use today; that it can't be told is no harm.
        let _ = fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(bytes)
    }

    /// Keeps `made`, which was made from all that `from` says. A full disk or a folder of somebody else takes nothing from who made it.
    pub fn put(&self, from: &str, made: &[u8]) {
        let Some(folder) = &self.folder else { return };
        if write(folder, &folder.join(Checksum::of(from).to_string()), made).is_ok() {
            self.forget_oldest(folder);
        }
    }

    fn forget_oldest(&self, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let used = |entry: &fs::DirEntry| entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let mut entries: Vec<_> = entries.map(|entry| (used(&entry), entry.path())).collect();
        entries.sort();
        let many = entries.len().saturating_sub(self.most);
        entries.iter().take(many).for_each(|(_, path)| _ = fs::remove_file(path));
    }
}

/// Makes the entry, whole or not at all: several processes may do so at once.
fn write(folder: &Path, path: &Path, made: &[u8]) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(beside, "{}", Checksum::of(made))?;
    beside.write_all(made)?;
    beside.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 5;

    fn entries(folder: &Path) -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn what_was_kept_comes_back_while_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(&folder.path().join("kind"), MOST);
        assert_eq!(cache.get("a"), None);
        for made in ["", "one", "two\nlines\n", "\0"] {
            cache.put("a", made.as_bytes());
            cache.put("b", b"another");
            assert_eq!(cache.get("a").as_deref(), Some(made.as_bytes()));
        }
        assert_eq!((cache.get("c"), entries(&folder.path().join("kind")).len()), (None, 2));
        for spoil in [|bytes: &mut Vec<u8>| _ = bytes.pop(), |bytes: &mut Vec<u8>| bytes[0] = b'x', Vec::clear] {
            cache.put("a", b"made");
            let entry = folder.path().join("kind").join(Checksum::of("a").to_string());
            let mut bytes = fs::read(&entry).unwrap();
            spoil(&mut bytes);
            fs::write(entry, bytes).unwrap();
            assert_eq!(cache.get("a"), None);
        }
    }

    #[test]
    fn a_place_that_takes_nothing_is_no_hindrance() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for cache in [Cache::default(), Cache::at(&file.path().join("below"), MOST)] {
            cache.put("a", b"made");
            assert_eq!(cache.get("a"), None);
        }
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path(), MOST);
        cache.put("first", b"1");
        let old = entries(folder.path()).remove(0);
        fs::File::open(&old).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        (0..MOST).for_each(|count| cache.put(&count.to_string(), b"more"));
        assert_eq!(entries(folder.path()).len(), MOST);
        assert!(!old.exists());
    }
}
