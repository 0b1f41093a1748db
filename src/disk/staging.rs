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

/// The file there that is locked.
const LOCK: &str = "lock";

/// How often a build looks again where others come and go.
const TRIES: usize = 8;

/// The staging folder, locked for one build and gone after it, however it ends.
pub(super) struct Staging {
    folder: PathBuf,
    /// Whether it lies beside a site that is not there yet.
    is_beside: bool,
    /// Folders above it that were made for it, the innermost first.
    made: Vec<PathBuf>,
    lock: File,
}

impl Staging {
    /// In the folder `site`, or where that is not there, beside it.
    ///
    /// # Errors
    /// When another build waits there, or the disk refuses.
    pub(super) fn begin(site: &Path) -> Result<Self> {
        if fs::symlink_metadata(site).is_ok_and(|file| file.is_symlink()) && !site.exists() {
            bail!("{} is a link to nothing; remove it, or make what it leads to", site.display());
        }
        let mut tries = 0;
        loop {
            let is_beside = !site.exists();
            match Self::in_folder(site, is_beside) {
                // Other builds make the site, and remove their folders, while this one looks.
                Ok(Some(staging)) if is_beside == site.exists() && tries < TRIES => drop(staging),
                Ok(Some(staging)) => return Ok(staging),
                Ok(None) => bail!("another build is writing to {}", site.display()),
                Err(error) if tries < TRIES && is_of_others(&error) => {}
                Err(error) => return Err(error),
            }
            tries += 1;
        }
    }

    /// In the folder beside `site`, or in it; `None` if another build waits there.
    fn in_folder(site: &Path, is_beside: bool) -> Result<Option<Self>> {
        let folder = match beside(site).filter(|_| is_beside) {
            Some(beside) => beside,
            None => {
                remove_left_beside(site);
                site.join(STAGING)
            }
        };
        if fs::symlink_metadata(&folder).is_ok_and(|file| file.is_symlink()) {
            bail!("{} is a link; remove it", folder.display());
        }
        let above = folder.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        let made: Vec<PathBuf> = above.take_while(|above| !above.exists()).map(Path::to_owned).collect();
        fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let Some(lock) = locked(&folder)? else { return Ok(None) };
        let staging = Self { folder, is_beside, made, lock };
        staging.empty()?;
        Ok(Some(staging))
    }

    /// Whether the site was not there when the build began.
    pub(super) fn is_of_new_site(&self) -> bool {
        self.is_beside
    }

    /// Removes what a killed build left.
    fn empty(&self) -> Result<()> {
        for entry in fs::read_dir(&self.folder).with_context(|| format!("cannot read {}", self.folder.display()))? {
            let entry = entry.with_context(|| format!("cannot read {}", self.folder.display()))?;
            let path = entry.path();
            if !path.ends_with(LOCK) {
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
        // The lock goes last, and the folder only if nobody has put a new one there by then.
        let _ = self.empty();
        let _ = fs::remove_file(self.folder.join(LOCK));
        let _ = fs::remove_dir(&self.folder);
        for above in &self.made {
            if fs::remove_dir(above).is_err() {
                break; // not empty
            }
        }
        let _ = self.lock.unlock();
    }
}

/// The folder beside `site` where a new one waits.
fn beside(site: &Path) -> Option<PathBuf> {
    Some(site.with_file_name(format!(".{}{STAGING}", site.file_name()?.to_string_lossy())))
}

/// Removes what a build left beside `site` that was killed before there was a site; not what waits there.
pub(super) fn remove_left_beside(site: &Path) {
    if let Some(folder) = beside(site)
        && fs::symlink_metadata(&folder).is_ok_and(|file| file.is_dir())
        && let Ok(Some(_lock)) = locked(&folder)
    {
        let _ = fs::remove_dir_all(&folder);
    }
}

/// The lock of the staging folder `folder`; `None` if another build has it.
fn locked(folder: &Path) -> Result<Option<File>> {
    let path = folder.join(LOCK);
    if fs::symlink_metadata(&path).is_ok_and(|file| !file.is_file()) {
        bail!("{} is no plain file; remove it", path.display());
    }
    let lock = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(match lock.try_lock() {
        // The build before may have removed its folder since this file was opened.
        Ok(()) => fs::symlink_metadata(&path).is_ok_and(|there| is_same(&lock, &there)).then_some(lock),
        // A folder mounted without locks is used by one build at a time on trust.
        Err(TryLockError::Error(_)) => Some(lock),
        Err(TryLockError::WouldBlock) => None,
    })
}

/// Whether a folder came or went while it was looked at.
fn is_of_others(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    matches!(kind, Some(ErrorKind::NotFound | ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty))
}

#[cfg(unix)]
fn is_same(lock: &File, there: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    lock.metadata().is_ok_and(|lock| (lock.dev(), lock.ino()) == (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn is_same(_: &File, _: &fs::Metadata) -> bool {
    true
}
