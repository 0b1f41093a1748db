//! Sites in, folders out: what is written, what is left alone, and who waits for whom.

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
    let file = |path: &&str| Staged { path: (*path).to_owned(), digest: Checksum::of(""), is_new: true };
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
        let Published { written, unchanged, manifest, .. } = finish(publishing, &pages).unwrap();
        assert_eq!(written.len() + unchanged, 2);
        assert_eq!(Manifest::parse(&manifest).unwrap().files["he/a.html"], Checksum::of("early"));
    }
    assert_eq!(["he/a.html", "he/b.html"].map(|path| fs::read_to_string(out.join(path)).unwrap()), ["early", "late"]);
    assert!(!out.join("of").exists());
    let publishing = Publishing::begin(&out).unwrap();
    publishing.take("he/../../b.html", b"outside");
    assert!(finish(publishing, &site([("he/../../b.html", "")])).is_err());
}

/// Publishes `site`, whose pages can be rendered.
fn finish(publishing: Publishing, site: &Site) -> Result<Published> {
    let Ok(whole) = publishing.rest(site)? else { panic!("a page can't be rendered") };
    publishing.finish(whole)
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
    assert!(finish(publishing, &pages).is_err());
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
    let manifest = Manifest { lessonc: VERSION.into(), files: [(name, Checksum::of(""))].into() };
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
