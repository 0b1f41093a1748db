//! Turns equal code into the machine code that was made of it before, which lies outside the course by all that it was made from.
//!
//! Must not be needed: without a folder, or with one that can't be read or written, everything is compiled anew. What a verdict stands on
//! is compiled anew always; only measuring looks here.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::compile::Compiled;
use crate::base::digest::Digest;
use crate::device::DeviceError;

/// Entries that are kept; those that were not used for longest go first.
const MOST: usize = 512;

/// Machine code that was made before.
#[derive(Debug, Clone, Default)]
pub(super) struct Cache {
    folder: Option<PathBuf>,
}

/// The first line of an entry; the machine code stands behind it.
#[derive(Serialize, Deserialize)]
struct Head {
    cubin: Digest,
    lowered: BTreeMap<String, String>,
    log: String,
}

impl Cache {
    /// The cache of this user, by the convention of the system; none where it has no such place.
    pub(super) fn of_user() -> Self {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let caches = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
        Self { folder: caches.map(|caches| caches.join("lessonc").join("cubins")) }
    }

    /// What was made from all that `from` says, or what `make` makes of it now.
    ///
    /// # Errors
    /// Those of `make`; what was refused is asked again the next time.
    pub(super) fn get_or(&self, from: &str, make: impl FnOnce() -> Result<Compiled, DeviceError>) -> Result<Compiled, DeviceError> {
        let Some(folder) = &self.folder else { return make() };
        let path = folder.join(Digest::of(from).to_string());
        if let Some((head, cubin)) = read(&path) {
            // It was of use today; that it can't be told is no harm.
            let _ = fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
            return Ok(Compiled { cubin, lowered: head.lowered, log: head.log, options: Vec::new(), nvrtc: None });
        }
        let compiled = make()?;
        // A full disk or a folder of somebody else takes nothing from this run.
        if write(folder, &path, &compiled).is_ok() {
            forget_oldest(folder);
        }
        Ok(compiled)
    }

    #[cfg(test)]
    pub(super) fn at(folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()) }
    }
}

/// The entry in `path`, if it is whole.
fn read(path: &Path) -> Option<(Head, Vec<u8>)> {
    let mut bytes = fs::read(path).ok()?;
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
    bytes.drain(..=end);
    (Digest::of(&bytes) == head.cubin).then_some((head, bytes))
}

/// Makes the entry, whole or not at all: several processes may do so at once.
fn write(folder: &Path, path: &Path, compiled: &Compiled) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let head = Head { cubin: Digest::of(&compiled.cubin), lowered: compiled.lowered.clone(), log: compiled.log.clone() };
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut beside, &head)?;
    beside.write_all(b"\n")?;
    beside.write_all(&compiled.cubin)?;
    beside.persist(path)?;
    Ok(())
}

fn forget_oldest(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let used = |entry: &fs::DirEntry| entry.metadata().and_then(|metadata| metadata.modified()).ok();
    let mut entries: Vec<_> = entries.map(|entry| (used(&entry), entry.path())).collect();
    entries.sort();
    let many = entries.len().saturating_sub(MOST);
    entries.iter().take(many).for_each(|(_, path)| _ = fs::remove_file(path));
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn compiled(text: &str) -> Compiled {
        let lowered = BTreeMap::from([("k".to_owned(), "_Z1kv".to_owned())]);
        Compiled { cubin: [b"\x7fELF\n", text.as_bytes()].concat(), lowered, log: "ptxas info\n".into(), options: Vec::new(), nvrtc: None }
    }

    /// A cache in a folder, and how often it had to make something.
    struct Counted {
        folder: tempfile::TempDir,
        made: Cell<usize>,
    }

    impl Counted {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().unwrap(), made: Cell::new(0) }
        }

        fn get(&self, from: &str) -> Result<Compiled, DeviceError> {
            Cache::at(&self.folder.path().join("cubins")).get_or(from, || {
                self.made.set(self.made.get() + 1);
                if from.contains("wrong") { Err(DeviceError::Other("wrong".into())) } else { Ok(compiled(from)) }
            })
        }

        fn entries(&self) -> Vec<PathBuf> {
            fs::read_dir(self.folder.path().join("cubins")).unwrap().map(|entry| entry.unwrap().path()).collect()
        }
    }

    #[test]
    fn equal_code_is_made_once_and_other_code_for_itself() {
        let cache = Counted::new();
        for (from, made) in [("a", 1), ("a", 1), ("b", 2), ("a", 2), ("b", 2)] {
            assert_eq!(cache.get(from).unwrap(), compiled(from));
            assert_eq!(cache.made.get(), made, "{from}");
        }
    }

    #[test]
    fn what_was_refused_or_is_no_longer_whole_is_made_again() {
        let cache = Counted::new();
        assert!(cache.get("wrong").is_err() && cache.get("wrong").is_err());
        assert_eq!(cache.made.get(), 2);
        for (count, spoil) in
            [|bytes: &mut Vec<u8>| _ = bytes.pop(), |bytes: &mut Vec<u8>| bytes[0] = b'x', Vec::clear].into_iter().enumerate()
        {
            cache.get("a").unwrap();
            let [entry] = &cache.entries()[..] else { panic!("one entry") };
            let mut bytes = fs::read(entry).unwrap();
            spoil(&mut bytes);
            fs::write(entry, bytes).unwrap();
            assert_eq!(cache.get("a").unwrap(), compiled("a"));
            assert_eq!(cache.made.get(), 4 + count);
        }
    }

    #[test]
    fn a_place_that_takes_nothing_is_no_hindrance() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for cache in [Cache::default(), Cache::at(&file.path().join("below"))] {
            assert_eq!(cache.get_or("a", || Ok(compiled("a"))).unwrap(), compiled("a"));
        }
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let cache = Counted::new();
        cache.get("first").unwrap();
        let old = cache.entries().remove(0);
        fs::File::open(&old).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        (0..MOST).for_each(|count| _ = cache.get(&count.to_string()).unwrap());
        assert_eq!(cache.entries().len(), MOST);
        assert!(!old.exists());
    }
}
