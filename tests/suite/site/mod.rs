//! This repository's own site and a new course's, built afresh, as browsers, checkers of HTML and readers with and without sight or scripts find it.
//!
//! Must not know single pages where it can know all: pages come from the site's folder, so that a new one is held to the same.

pub(crate) mod axe;
mod controls;
pub(crate) mod evidence;
mod frame;
mod markup;
mod pictures;
mod whole;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use super::browser::{Browser, Tab};
use super::support::{Folder, files, lessonc, repository};

/// A page of one of [`sites`].
struct Page {
    site: &'static Path,
    /// Its path below the site.
    name: String,
}

impl Page {
    fn file(&self) -> PathBuf {
        self.site.join(&self.name)
    }
}

/// The folder of this repository's site.
fn site() -> &'static Path {
    &sites()[0]
}

/// This repository's site and that of a course as `lessonc init` makes it, where nothing is measured yet; built once a run.
fn sites() -> &'static [PathBuf] {
    static SITES: OnceLock<[PathBuf; 2]> = OnceLock::new();
    SITES.get_or_init(|| {
        let new = Folder::new();
        lessonc([&"init", &new.path()]);
        [(repository(), "site"), (new.path(), "site-of-a-new-course")].map(|(course, name)| {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
            let _ = std::fs::remove_dir_all(&folder);
            let said = lessonc([&"build", &"--course", &course, &"--out", &folder]);
            // What is wrong with a course is for `verify` to say; its pages can be looked at all the same.
            if !folder.join("index.html").is_file() {
                lessonc([&"build", &"--draft", &"--course", &course, &"--out", &folder]);
            }
            assert!(folder.join("index.html").is_file(), "{}{}", said.out, said.err);
            folder
        })
    })
}

fn pages() -> Vec<Page> {
    let of = |site: &'static PathBuf| files(site).into_iter().filter(|name| name.ends_with(".html")).map(|name| Page { site, name });
    let pages: Vec<Page> = sites().iter().flat_map(of).collect();
    for expected in ["index.html", "404.html", "first.html", "he/", "sources/", "evidence/"] {
        assert!(pages.iter().any(|page| page.name.starts_with(expected)), "there is no page {expected}");
    }
    pages
}

/// Shows every page to `check`, in two tabs at a time, and fails with all that it finds.
fn on_every_page(check: impl Fn(&mut Tab, &Page) -> Vec<String> + Sync) {
    let Some(browser) = Browser::get() else { return };
    let (pages, next, faults) = (pages(), AtomicUsize::new(0), Mutex::new(BTreeMap::<_, Vec<_>>::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut tab = browser.tab();
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for fault in check(&mut tab, page) {
                        faults.lock().unwrap().entry(fault).or_default().push(page.name.as_str());
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    let lines: Vec<String> = faults.iter().map(|(fault, pages)| format!("{} of {} pages: {fault}", pages[0], pages.len())).collect();
    assert!(lines.is_empty(), "{} kinds of faults\n{}", lines.len(), lines.join("\n"));
}

/// A tool that `tests/run` fetches; `None` if the caller's environment says to do without such tools.
fn fetched(name: &str) -> Option<PathBuf> {
    if std::env::var_os("LESSONC_NO_PAGE_CHECKS").is_some_and(|value| value == "1") {
        return None;
    }
    let file = repository().join("target/page-checks/node_modules").join(name);
    assert!(file.is_file(), "no {}: run `tests/run --install`, or set LESSONC_NO_PAGE_CHECKS=1 to skip what needs it", file.display());
    Some(file)
}
