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
use crate::base::digest::Digest;
use crate::base::problem::{Problem, Problems};
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
    Publishing::begin(folder)?.finish(site)
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

impl Publishing {
    /// Into `folder`.
    ///
    /// # Errors
    /// When the folder holds somebody's files, another build is writing to it, or the disk refuses.
    pub fn begin(folder: &Path) -> Result<Self> {
        // Nothing is put into a folder of somebody's files, and no other build writes while this one waits.
        manifest_of(folder).map(drop).or_else(|error| if folder.join(MANIFEST).exists() { Ok(()) } else { Err(error) })?;
        let staging = Staging::begin(folder)?;
        Ok(Self { folder: folder.to_owned(), old: manifest_of(folder)?, staging, early: Mutex::default() })
    }

    /// Takes in what the file `path` of the site will hold, before the whole site is known. What goes wrong is said in the end.
    pub fn take(&self, path: &str, bytes: &[u8]) {
        let staged = checked_path(&self.folder, path).and_then(|_| self.stage(path, bytes, None));
        self.early().insert(path.to_owned(), staged);
    }

    /// Makes the folder hold `site`: what was taken in, and what the site has besides. Where a page can't be rendered, gives its problems and
    /// leaves the folder as it was.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(self, site: &Site) -> Result<Result<Published, Problems>> {
        match self.all(site)? {
            Ok(staged) => commit(&self.folder, &self.staging, staged, &self.old).map(Ok),
            Err(problems) => Ok(Err(problems)),
        }
    }

    /// Every file of `site`; those that differ from what is there wait in the staging folder.
    fn all(&self, site: &Site) -> Result<Result<Vec<Staged>, Problems>> {
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
        Ok(if problems.is_empty() { Ok(files) } else { Err(problems) })
    }

    /// Lets the file `path`, which holds `bytes` and may have a known `digest`, wait, unless it is there already.
    fn stage(&self, path: &str, bytes: &[u8], digest: Option<Digest>) -> Result<Staged> {
        let is_new = !read_plain(&self.folder.join(path)).is_ok_and(|there| same_file(&there, bytes));
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
    digest: Digest,
    /// Whether it waits in the staging folder; the site holds it already if not.
    is_new: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::staging::STAGING;
    use crate::pipeline::{self, Memo, Options};
    use crate::tree::SourceTree;

    fn site<const N: usize>(files: [(&str, &str); N]) -> Site {
        Site::of_texts(files)
    }

    fn published(site: &Site, folder: &Path) -> (Vec<String>, usize, Vec<String>) {
        let Published { written, unchanged, removed, .. } = publish(site, folder).unwrap().unwrap();
        assert!(!folder.join(STAGING).exists());
        (written, unchanged, removed)
    }

    #[test]
    fn writes_what_differs_and_removes_only_what_it_made() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        let first = site([("a.html", "a\n"), ("assets/x.css", "x"), ("old/b.html", "b")]);
        assert_eq!(published(&first, &out).0, ["a.html", "assets/x.css", "old/b.html"]);
        fs::write(out.join("CNAME"), "example.org").unwrap();
        fs::write(out.join("a.html"), "a\r\n").unwrap(); // a checkout with other line ends
        for killed in ["7", "site/old/b.html"] {
            let place = out.join(STAGING).join(killed);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, "of a killed build").unwrap();
        }
        let second = site([("a.html", "a\n"), ("assets/x.css", "y"), ("c.html", "c")]);
        assert_eq!(published(&second, &out), (vec!["assets/x.css".into(), "c.html".into()], 1, vec!["old/b.html".into()]));
        assert!(!out.join("old").exists() && out.join("CNAME").exists());
        assert_eq!(fs::read(out.join("a.html")).unwrap(), b"a\r\n");
        assert_eq!(published(&second, &out).1, 3);
        let manifest = Manifest::parse(&fs::read_to_string(out.join(MANIFEST)).unwrap()).unwrap();
        assert_eq!(manifest.files.keys().collect::<Vec<_>>(), ["a.html", "assets/x.css", "c.html"]);
    }

    #[test]
    fn a_file_may_become_a_folder_and_a_folder_a_file() {
        let folder = tempfile::tempdir().unwrap();
        published(&site([("a", "1"), ("b/c", "2")]), folder.path());
        published(&site([("a/d", "3"), ("b", "4")]), folder.path());
        assert_eq!(fs::read_to_string(folder.path().join("b")).unwrap(), "4");
        assert_eq!(fs::read_to_string(folder.path().join("a/d")).unwrap(), "3");
    }

    #[test]
    fn folders_that_the_site_lacks_come_in_one_piece_and_those_without_a_page_first() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("there")).unwrap();
        let file = |path: &&str| Staged { path: (*path).to_owned(), digest: Digest::of(""), is_new: true };
        let files: Vec<Staged> =
            ["a.html", "assets/x.css", "new/a/b.html", "new/c.js", "there/d.html", "there/e/f.js", "z.css"].iter().map(file).collect();
        let folders = files.iter().flat_map(|file| parents(&file.path)).collect();
        assert_eq!(pieces(folder.path(), &files, &folders), ["assets", "there/e", "z.css", "a.html", "new", "there/d.html"]);
    }

    #[test]
    fn a_page_that_fails_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        let broken = site([("a.html", "new"), ("b.html", "BROKEN"), ("c.html", "BROKEN")]);
        assert_eq!(publish(&broken, &out).unwrap().unwrap_err().errors(), 2);
        assert!(!out.exists());
        published(&site([("a.html", "old")]), &out);
        assert!(publish(&broken, &out).unwrap().is_err());
        assert_eq!(fs::read_to_string(out.join("a.html")).unwrap(), "old");
        assert!(!out.join(STAGING).exists());
    }

    #[test]
    fn a_known_digest_is_that_of_the_published_file() {
        let mut tree = SourceTree::new();
        let files = [("course.toml", "title = 'C'\n"), ("static/a.txt", "a\r\nb"), ("static/b.txt", "a\r\r\nb"), ("static/c.txt", "\r")];
        for (name, text) in files {
            tree.insert(&format!("lessons/{name}"), text.as_bytes(), &mut Problems::new());
        }
        let (compiled, _) = pipeline::compile(&tree, &Options::default(), &Memo::default());
        let digests: Vec<_> = ["a.txt", "b.txt", "c.txt"].map(|path| compiled.site.digest(path)).into();
        assert!(digests[0].is_some());
        for (path, digest) in compiled.site.paths().filter_map(|path| Some((path, compiled.site.digest(path)?))) {
            assert_eq!(digest, digest_of_file(&compiled.site.render(path).unwrap().unwrap()), "{path}");
        }
    }

    #[test]
    fn what_is_taken_in_early_is_published_with_the_site_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        let publishing = Publishing::begin(&out).unwrap();
        publishing.take("he/a.html", b"early");
        publishing.take("../b.html", b"outside");
        drop(publishing);
        assert!(!out.exists() && fs::read_dir(folder.path()).unwrap().next().is_none());
        let pages = site([("he/a.html", "late"), ("he/b.html", "late")]);
        for _ in 0..2 {
            let publishing = Publishing::begin(&out).unwrap();
            publishing.take("he/a.html", b"early");
            publishing.take("of/no/site.html", b"early");
            let Published { written, unchanged, manifest, .. } = publishing.finish(&pages).unwrap().unwrap();
            assert_eq!(written.len() + unchanged, 2);
            assert_eq!(Manifest::parse(&manifest).unwrap().files["he/a.html"], Digest::of("early"));
        }
        assert_eq!(["he/a.html", "he/b.html"].map(|path| fs::read_to_string(out.join(path)).unwrap()), ["early", "late"]);
        assert!(!out.join("of").exists());
        let publishing = Publishing::begin(&out).unwrap();
        publishing.take("he/../../b.html", b"outside");
        assert!(publishing.finish(&site([("he/../../b.html", "")])).is_err());
    }

    #[test]
    fn a_new_site_leaves_nothing_where_it_fails_and_takes_no_place_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("deep/er/site");
        let (pages, broken) = (site([("a.html", "a")]), site([("a.html", "BROKEN")]));
        assert!(publish(&broken, &out).unwrap().is_err());
        assert!(fs::read_dir(folder.path()).unwrap().next().is_none(), "folders are left");
        // Somebody makes the folder in the meantime.
        let publishing = Publishing::begin(&out).unwrap();
        fs::create_dir_all(&out).unwrap();
        fs::write(out.join("a.html"), "mine").unwrap();
        assert!(publishing.finish(&pages).is_err());
        assert_eq!(fs::read_to_string(out.join("a.html")).unwrap(), "mine");
        fs::remove_dir_all(&out).unwrap();
        // A build was killed before there was a site.
        let left = out.with_file_name(format!(".site{STAGING}"));
        for begins_in_folder in [true, false] {
            fs::create_dir_all(left.join("site")).unwrap();
            fs::write(left.join("lock"), "").unwrap();
            if begins_in_folder {
                fs::create_dir_all(&out).unwrap();
                published(&pages, &out);
                assert!(!left.exists());
            } else {
                clean(&out).unwrap();
                assert!(!left.exists() && !out.exists());
            }
        }
        let link = folder.path().join("link");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("nowhere", &link).unwrap();
            assert!(publish(&pages, &link).unwrap_err().to_string().contains("link to nothing"));
        }
    }

    #[test]
    fn many_builds_at_once_write_one_site_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        let pages = site([("a.html", "a"), ("b/c.html", "c")]);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        match publish(&pages, &out) {
                            Ok(done) => _ = done.unwrap(),
                            Err(error) => assert!(error.to_string().contains("another build"), "{error:#}"),
                        }
                    }
                });
            }
        });
        assert_eq!(clean(&out).unwrap(), ["a.html", "b/c.html", MANIFEST]);
        assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
    }

    #[test]
    fn somebodys_files_are_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("notes.txt"), "mine").unwrap();
        let pages = site([("a.html", "a")]);
        let refusal = publish(&pages, folder.path()).unwrap_err().to_string();
        assert!(refusal.contains("notes.txt"), "{refusal}");
        fs::rename(at("notes.txt"), at(".notes")).unwrap();
        published(&pages, folder.path());
        // A manifest that was tampered with removes nothing outside the site.
        let outside = tempfile::NamedTempFile::new_in(folder.path().parent().unwrap()).unwrap();
        let name = format!("../{}", outside.path().file_name().unwrap().to_str().unwrap());
        let manifest = Manifest { lessonc: VERSION.into(), files: [(name, Digest::of(""))].into() };
        fs::write(at(MANIFEST), manifest.text()).unwrap();
        published(&pages, folder.path());
        assert!(outside.path().exists());
    }

    #[test]
    fn cleaning_leaves_what_no_build_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        assert_eq!(clean(&out).unwrap(), Vec::<String>::new());
        published(&site([("a.html", "a"), ("deep/er/b.css", "b"), ("deep/c.css", "c")]), &out);
        fs::write(out.join("deep/mine.txt"), "mine").unwrap();
        fs::write(out.join("a.html"), "edited").unwrap();
        assert_eq!(clean(&out).unwrap(), ["a.html", "deep/c.css", "deep/er/b.css", MANIFEST]);
        assert!(out.join("deep/mine.txt").exists() && !out.join("deep/er").exists());
        assert_eq!(clean(&out).unwrap(), Vec::<String>::new());
        fs::remove_dir_all(&out).unwrap();
        published(&site([("a.html", "a")]), &out);
        assert_eq!(clean(&out).unwrap().len(), 2);
        assert!(!out.exists());
    }

    #[test]
    fn two_builds_do_not_write_to_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let first = Staging::begin(folder.path()).unwrap();
        assert!(Staging::begin(folder.path()).is_err());
        drop(first);
        assert!(Staging::begin(folder.path()).is_ok());
    }
}
