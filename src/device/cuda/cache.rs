//! Turns equal code into the machine code that was made of it before, which lies outside the course by all that it was made from.
//!
//! Must not be needed, nor asked where a verdict stands on what a compiler says: that is compiled anew always.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::compile::Compiled;
use crate::cache;
use crate::device::DeviceError;

/// Entries that are kept.
const MOST: usize = 512;

/// Machine code that was made before.
#[derive(Debug, Clone, Default)]
pub(super) struct Cache(cache::Cache);

/// The first line of an entry; the machine code stands behind it.
#[derive(Serialize, Deserialize)]
struct Head {
    lowered: BTreeMap<String, String>,
    log: String,
}

impl Cache {
    /// The cache of this user.
    pub(super) fn of_user() -> Self {
        Self(cache::Cache::of_user("cubins", MOST))
    }

    #[cfg(test)]
    pub(super) fn at(folder: &std::path::Path) -> Self {
        Self(cache::Cache::at(folder, MOST))
    }

    /// What was made from all that `from` says, or what `make` makes of it now.
    ///
    /// # Errors
    /// Those of `make`; what was refused is asked again the next time.
    pub(super) fn get_or(&self, from: &str, make: impl FnOnce() -> Result<Compiled, DeviceError>) -> Result<Compiled, DeviceError> {
        if let Some(compiled) = self.0.get(from).and_then(read) {
            return Ok(compiled);
        }
        let compiled = make()?;
        if let Some(entry) = entry(&compiled) {
            self.0.put(from, &entry);
        }
        Ok(compiled)
    }
}

fn read(mut entry: Vec<u8>) -> Option<Compiled> {
    let end = entry.iter().position(|&byte| byte == b'\n')?;
    let head: Head = serde_json::from_slice(&entry[..end]).ok()?;
    entry.drain(..=end);
    Some(Compiled { cubin: entry, lowered: head.lowered, log: head.log, options: Vec::new(), nvrtc: None })
}

fn entry(compiled: &Compiled) -> Option<Vec<u8>> {
    let mut entry = serde_json::to_vec(&Head { lowered: compiled.lowered.clone(), log: compiled.log.clone() }).ok()?;
    entry.push(b'\n');
    entry.extend_from_slice(&compiled.cubin);
    Some(entry)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn compiled(text: &str) -> Compiled {
        let lowered = BTreeMap::from([("k".to_owned(), "_Z1kv".to_owned())]);
        Compiled { cubin: [b"\x7fELF\n", text.as_bytes()].concat(), lowered, log: "ptxas info\n".into(), options: Vec::new(), nvrtc: None }
    }

    #[test]
    fn equal_code_is_made_once_and_what_was_refused_again() {
        let (folder, made) = (tempfile::tempdir().unwrap(), Cell::new(0));
        let cache = Cache::at(folder.path());
        let get = |from: &str| {
            cache.get_or(from, || {
                made.set(made.get() + 1);
                if from == "wrong" { Err(DeviceError::Other("wrong".into())) } else { Ok(compiled(from)) }
            })
        };
        for (from, count) in [("a", 1), ("a", 1), ("b", 2), ("a", 2), ("b", 2)] {
            assert_eq!((get(from).unwrap(), made.get()), (compiled(from), count), "{from}");
        }
        assert!(get("wrong").is_err() && get("wrong").is_err());
        assert_eq!(made.get(), 4);
        // An entry of another program.
        cache::Cache::at(folder.path(), MOST).put("a", b"something else");
        assert_eq!((get("a").unwrap(), made.get()), (compiled("a"), 5));
    }
}
