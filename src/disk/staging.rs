//! Turns files of a site in the making into files that wait beside it, each where it will stand, and those into files of the site.
//!
//! Must not know what is in them. One build at a time waits in a site, or beside one that is not there yet; what a killed one left is removed
//! by the next.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// The hidden folder in the site where files wait to be renamed, and what the name of one beside a new site ends in.
pub(super) const STAGING: &str = ".lessonc-staging";

/// The folder in that one that has the site's shape.
const WAITING: &str = "site";

/// The staging folder, locked for one build and gone after it, however it ends.
pub(super) struct Staging {
    folder: PathBuf,
    lock: File,
}

impl Staging {
    /// In the folder `site`, or where that is not there, beside it.
    ///
    /// # Errors
    /// When another build waits there, or the disk refuses.
    pub(super) fn begin(site: &Path) -> Result<Self> {
        let folder = match site.file_name() {
            Some(name) if !site.exists() => site.with_file_name(format!(".{}{STAGING}", name.to_string_lossy())),
            _ => site.join(STAGING),
        };
        if fs::symlink_metadata(&folder).is_ok_and(|file| file.is_symlink()) {
            bail!("{} is a link; remove it", folder.display());
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let path = folder.join("lock");
        if fs::symlink_metadata(&path).is_ok_and(|file| !file.is_file()) {
            bail!("{} is no plain file; remove it", path.display());
        }
        let lock = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        match lock.try_lock() {
            // A folder mounted without locks is used by one build at a time on trust.
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => bail!("another build is writing to {}", site.display()),
        }
        let staging = Self { folder, lock };
        staging.empty()?;
        Ok(staging)
    }

    /// Removes what a killed build left.
    fn empty(&self) -> Result<()> {
        for entry in fs::read_dir(&self.folder).with_context(|| format!("cannot read {}", self.folder.display()))? {
            let entry = entry.with_context(|| format!("cannot read {}", self.folder.display()))?;
            let path = entry.path();
            if !path.ends_with("lock") {
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let removed = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        Ok(())
    }

    /// Lets `bytes` wait as what will be the file `path` of the site.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let place = self.place(path);
        let written = match (fs::write(&place, bytes), place.parent()) {
            // The first file of its folder.
            (Err(error), Some(parent)) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(parent).and_then(|()| fs::write(&place, bytes))
            }
            (written, _) => written,
        };
        written.with_context(|| format!("cannot write {}", place.display()))
    }

    /// Lets nothing wait as the file `path` any longer.
    pub(super) fn forget(&self, path: &str) {
        let place = self.place(path);
        let _ = fs::remove_file(&place);
        let folders = place.ancestors().skip(1).take_while(|folder| !folder.ends_with(WAITING));
        for folder in folders {
            if fs::remove_dir(folder).is_err() {
                break; // not empty
            }
        }
    }

    /// Moves `piece`, a file or a folder with all that waits in it, into `site`, where the folder for it is.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn release(&self, piece: &str, site: &Path) -> Result<()> {
        let place = site.join(piece);
        fs::rename(self.place(piece), &place).with_context(|| format!("cannot write {}", place.display()))
    }

    /// Moves all that waits to `site`, which is not there.
    ///
    /// # Errors
    /// When the disk refuses, or there is a site by now.
    pub(super) fn release_all(&self, site: &Path) -> Result<()> {
        fs::rename(self.folder.join(WAITING), site).with_context(|| format!("cannot write {}", site.display()))
    }

    fn place(&self, path: &str) -> PathBuf {
        self.folder.join(WAITING).join(path)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = self.lock.unlock();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
