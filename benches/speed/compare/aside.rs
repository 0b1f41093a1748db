//! Turns the output of a build into one that is out of the way, until all builds are done.
//!
//! Must not delete anything between two builds: ext4 looks for places of new files past those of files that were deleted in the last
//! half a minute, one by one, so that a build behind a deletion takes a second more for five thousand files.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::remove;

/// Where outputs lie that are no longer wanted. Dropped, it deletes them all.
pub(super) struct Aside {
    folder: PathBuf,
    count: usize,
}

impl Aside {
    /// In the folder `folder`, which is nobody else's.
    pub(super) fn new(folder: PathBuf) -> Result<Self> {
        remove(&folder)?;
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self { folder, count: 0 })
    }

    /// Puts `path` out of the way, if it is there.
    pub(super) fn put(&mut self, path: &Path) -> Result<()> {
        self.count += 1;
        match fs::rename(path, self.folder.join(self.count.to_string())) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error).with_context(|| format!("cannot move {}", path.display())),
            _ => Ok(()),
        }
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        let _ = remove(&self.folder);
    }
}
