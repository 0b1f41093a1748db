//! Turns a site in memory into files: all of it or, when a page can't be rendered, nothing.
//!
//! Must not know what a page is, nor touch a file that no build wrote. Each file is staged and renamed, one
//! page at a time in memory for each core; equal files keep their time stamps.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result, bail};
use rayon::prelude::*;

use super::read_plain;
use super::staging::{self, Staging};
use crate::base::digest::Checksum;
use crate::base::problem::{Problem, Problems};
use crate::base::share;
use crate::pages::Site;
use crate::rules::published::{MANIFEST, Manifest, VERSION, digest_of_file, same_file};

/// What publishing did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published {
    /// The text of the site's manifest.
    pub manifest: String,
    /// Paths that were new or different.
    pub written: Vec<String>,
    /// How many files were as they should be already.
    pub unchanged: usize,
    /// Paths that an earlier build made and this one does not.
    pub removed: Vec<String>,
}

/// Makes `folder` hold `site`. Where a page can't be rendered, gives its problems and leaves the folder as it was.
///
/// # Errors
/// When the folder holds somebody's files, another build is writing to it, or the disk refuses.
pub fn publish(site: &Site, folder: &Path) -> Result<Result<Published, Problems>> {
    let publishing = Publishing::begin(folder)?;
    match publishing.rest(site)? {
        Ok(whole) => publishing.finish(whole).map(Ok),
        Err(problems) => Ok(Err(problems)),
    }
}

/// A site on its way into its folder. Dropped before it is finished, it leaves the folder as it was.
pub struct Publishing {
    folder: PathBuf,
    /// What the build before wrote.
    old: Manifest,
    staging: Staging,
    /// What came early, by its path.
    early: Mutex<BTreeMap<String, Result<Staged>>>,
}

/// Every file of a site that waits.
pub struct Whole(Vec<Staged>);

impl Publishing {
    /// Into `folder`.
    ///
    /// # Errors
    /// When the folder holds somebody's files, another build is writing to it, or the disk refuses.
    pub fn begin(folder: &Path) -> Result<Self> {
        // Nothing is put into a folder of somebody's files, unless a build has made it a site since.
        if !folder.join(MANIFEST).exists()
            && let Err(error) = manifest_of(folder)
            && !folder.join(MANIFEST).exists()
        {
            return Err(error);
        }
        // No other build writes from here on.
        let staging = Staging::begin(folder)?;
        Ok(Self { folder: folder.to_owned(), old: manifest_of(folder)?, staging, early: Mutex::default() })
    }

    /// Takes in what the file `path` of the site will hold, before the whole site is known. What goes wrong is said in the end.
    pub fn take(&self, path: &str, bytes: &[u8]) {
        let staged = checked_path(&self.folder, path).and_then(|_| self.stage(path, bytes, None));
        self.early().insert(path.to_owned(), staged);
    }

    /// Lets what `site` has beside what was taken in wait for [`Publishing::finish`]; nothing is published yet. Where a page can't be
    /// rendered, gives its problems.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn rest(&self, site: &Site) -> Result<Result<Whole, Problems>> {
        let paths: Vec<&str> = site.paths().collect();
        paths.iter().try_for_each(|path| stays_inside(path))?;
        // A site has many files and few folders.
        let folders: BTreeSet<&str> = paths.iter().flat_map(|path| parents(path)).collect();
        folders.into_iter().try_for_each(|parent| is_no_link(&self.folder, parent))?;
        let mut early = std::mem::take(&mut *self.early());
        let paths: Vec<(&str, Option<Result<Staged>>)> = paths.into_iter().map(|path| (path, early.remove(path))).collect();
        early.into_iter().filter(|(_, staged)| staged.is_ok()).for_each(|(path, _)| self.staging.forget(&path));
        let staged: Vec<Result<Result<Staged, Problem>>> = paths
            .into_par_iter()
            .with_max_len(share::LARGEST)
            .map_init(Vec::new, |bytes, (path, early)| {
                if let Some(staged) = early {
                    return staged.map(Ok);
                }
                bytes.clear();
                match site.render_to(path, bytes) {
                    Some(Ok(())) => self.stage(path, bytes, site.digest(path)).map(Ok),
                    Some(Err(problem)) => Ok(Err(problem)),
                    None => bail!("the site lists {path} and has no such file"),
                }
            })
            .collect();
        let (mut files, mut problems) = (Vec::new(), Problems::new());
        for file in staged {
            files.extend(problems.note(file?));
        }
        Ok(if problems.is_empty() { Ok(Whole(files)) } else { Err(problems) })
    }

    /// Makes the folder hold the site that waits.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(self, Whole(staged): Whole) -> Result<Published> {
        commit(&self.folder, &self.staging, staged, &self.old)
    }

    /// Lets the file `path`, which holds `bytes` and may have a known `digest`, wait, unless it is there already.
    fn stage(&self, path: &str, bytes: &[u8], digest: Option<Checksum>) -> Result<Staged> {
        let is_there = || read_plain(&self.folder.join(path)).is_ok_and(|there| same_file(&there, bytes));
        let is_new = self.staging.is_of_new_site() || !is_there();
        if is_new {
            self.staging.put(path, bytes)?;
        }
        Ok(Staged { path: path.to_owned(), digest: digest.unwrap_or_else(|| digest_of_file(bytes)), is_new })
    }

    fn early(&self) -> MutexGuard<'_, BTreeMap<String, Result<Staged>>> {
        self.early.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes from `folder` what a build wrote, by its manifest, and the folders that this leaves empty. Returns the paths that were there.
///
/// # Errors
/// When another build is writing to the folder, or the disk refuses.
pub fn clean(folder: &Path) -> Result<Vec<String>> {
    staging::remove_left_beside(folder);
    if !folder.join(MANIFEST).exists() {
        return Ok(Vec::new());
    }
    let manifest = manifest_of(folder)?;
    let staging = Staging::begin(folder)?;
    let mut published = Published::default();
    for path in manifest.files.keys() {
        remove(folder, path, &mut published)?;
    }
    remove(folder, MANIFEST, &mut published)?;
    drop(staging);
    let _ = fs::remove_dir(folder); // only if nothing of others is in it
    Ok(published.removed)
}

/// The manifest of the build before; refuses a folder of somebody's files.
fn manifest_of(folder: &Path) -> Result<Manifest> {
    match read_plain(&folder.join(MANIFEST)) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            return Ok(Manifest::parse(&text).unwrap_or_else(|_| Manifest::salvage(&text)));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", folder.join(MANIFEST).display())),
    }
    let mut strangers = Vec::new();
    match fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                let name = entry.with_context(|| format!("cannot read {}", folder.display()))?.file_name().to_string_lossy().into_owned();
                if !name.starts_with('.') && name != "CNAME" {
                    strangers.push(name);
                }
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("cannot open the folder {}", folder.display())),
    }
    strangers.sort();
    if let Some(first) = strangers.first() {
        bail!(
            "{} holds files that lessonc did not write (such as {first}) and no {MANIFEST}; name an empty or a new folder with --out, or move them away",
            folder.display()
        );
    }
    Ok(Manifest { lessonc: String::new(), files: BTreeMap::new() })
}

/// Renames what is staged into place: a new site as a whole, and of another assets, pages, deletions, and the manifest last, so that a build
/// cut short still knows the files of the one before.
fn commit(folder: &Path, staging: &Staging, staged: Vec<Staged>, old: &Manifest) -> Result<Published> {
    let new = Manifest { lessonc: VERSION.to_owned(), files: staged.iter().map(|file| (file.path.clone(), file.digest)).collect() };
    let gone: Vec<&String> = old.files.keys().filter(|path| !new.files.contains_key(*path)).collect();
    let mut published = Published::default();
    // A file where a folder must be, or the other way round, has to go first.
    let folders: BTreeSet<&str> = new.files.keys().flat_map(|path| parents(path)).collect();
    let in_the_way = |path: &str| folders.contains(path) || parents(path).any(|parent| new.files.contains_key(parent));
    for path in gone.iter().filter(|path| in_the_way(path)) {
        remove(folder, path, &mut published)?;
    }
    let (written, unchanged): (Vec<Staged>, Vec<Staged>) = staged.into_iter().partition(|file| file.is_new);
    let text = new.text();
    if staging.is_of_new_site() {
        staging.put(MANIFEST, text.as_bytes())?;
        staging.release_all(folder)?;
        let written = written.into_iter().map(|file| file.path).collect();
        return Ok(Published { manifest: text, written, ..Published::default() });
    }
    for piece in pieces(folder, &written, &folders) {
        staging.release(piece, folder)?;
    }
    published.written = written.into_iter().map(|file| file.path).collect();
    published.unchanged = unchanged.len();
    for path in gone.iter().filter(|path| !in_the_way(path)) {
        remove(folder, path, &mut published)?;
    }
    if !read_plain(&folder.join(MANIFEST)).is_ok_and(|there| same_file(&there, text.as_bytes())) {
        staging.put(MANIFEST, text.as_bytes())?;
        staging.release(MANIFEST, folder)?;
    }
    published.written.sort();
    published.removed.sort();
    published.manifest = text;
    Ok(published)
}

/// What of `files` is moved at once, those without a page first: a file, or all of a folder of `folders` that the site in `folder` lacks.
fn pieces<'a>(folder: &Path, files: &'a [Staged], folders: &BTreeSet<&str>) -> Vec<&'a str> {
    let lacking: BTreeSet<&str> = folders.iter().copied().filter(|path| !folder.join(path).is_dir()).collect();
    let mut pieces: BTreeMap<&str, bool> = BTreeMap::new();
    for Staged { path, .. } in files {
        let outermost = parents(path).filter(|parent| lacking.contains(parent)).last();
        *pieces.entry(outermost.unwrap_or(path)).or_default() |= path.ends_with(".html");
    }
    let (pages, others): (Vec<_>, Vec<_>) = pieces.into_iter().partition(|(_, has_pages)| *has_pages);
    others.into_iter().chain(pages).map(|(piece, _)| piece).collect()
}

/// Removes a file of the build before, and the folders that it leaves empty.
fn remove(folder: &Path, path: &str, published: &mut Published) -> Result<()> {
    let Ok(place) = checked_path(folder, path) else {
        return Ok(()); // a manifest that was tampered with; nothing outside the site is ours
    };
    match fs::remove_file(&place) {
        Ok(()) => published.removed.push(path.to_owned()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory) => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("cannot remove {}", place.display())),
    }
    for parent in parents(path) {
        if fs::remove_dir(folder.join(parent)).is_err() {
            break; // not empty
        }
    }
    Ok(())
}

/// The folders above `path`, innermost first.
pub(super) fn parents(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rsplit_once('/').map(|(parent, _)| parent), |parent| parent.rsplit_once('/').map(|(parent, _)| parent))
}

/// Where `path` lies in `folder`, if it stays there and no folder on the way is a link.
fn checked_path(folder: &Path, path: &str) -> Result<PathBuf> {
    stays_inside(path)?;
    parents(path).try_for_each(|parent| is_no_link(folder, parent))?;
    Ok(folder.join(path))
}

fn stays_inside(path: &str) -> Result<()> {
    if path.is_empty() || Path::new(path).components().any(|part| !matches!(part, Component::Normal(_))) {
        bail!("the path {path} leads out of the site");
    }
    Ok(())
}

pub(super) fn is_no_link(folder: &Path, parent: &str) -> Result<()> {
    let place = folder.join(parent);
    if fs::symlink_metadata(&place).is_ok_and(|file| file.is_symlink()) {
        bail!("{} is a link; the site's folders must be folders", place.display());
    }
    Ok(())
}

struct Staged {
    path: String,
    digest: Checksum,
    /// Whether it waits in the staging folder; the site holds it already if not.
    is_new: bool,
}

#[cfg(test)]
mod tests;
