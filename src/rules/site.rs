//! Holds the committed `site/` to a fresh build, and tells an edit by hand from a build that is due.
//!
//! Must not write; `build` repairs what this finds.

use std::collections::BTreeMap;

use super::published::{MANIFEST, Manifest, PublishedSite, VERSION};
use super::{Check, Checked, Fresh, Occasion, Rule};
use crate::base::problem::{Problem, Problems};
use crate::base::span::{SourceName, Span};

pub(super) static EDITED: Rule = Rule {
    id: "site-edited",
    protects: "readers from pages that somebody changed after they were built",
    example: "a time was made rounder in site/block-size.html",
    occasion: Occasion::Verify,
    check: Check::Files(edited),
};

pub(super) static STALE: Rule = Rule {
    id: "site-stale",
    protects: "readers from pages older than the sources beside them",
    example: "a lesson was reworded, and `lessonc build` was not run",
    occasion: Occasion::Verify,
    check: Check::Files(stale),
};

const HINT: &str = "run `lessonc build` and commit what it writes";

/// The published site, where the course commits one and somebody asks.
fn published<'a>(checked: &Checked<'a>) -> Option<&'a PublishedSite> {
    checked.published.filter(|_| checked.course.config.site_committed)
}

fn edited(checked: &Checked<'_>, fresh: &BTreeMap<String, Fresh>, problems: &mut Problems) {
    let Some(site) = published(checked) else { return };
    let manifest = match &site.manifest {
        None => return,
        Some(Ok(manifest)) => manifest,
        Some(Err(why)) => {
            let name: SourceName = format!("site/{MANIFEST}").into();
            problems.push(Problem::error(EDITED.id, Span::top(&name), format!("site/{MANIFEST} can't be read: {why}")).hint(HINT));
            return;
        }
    };
    for (path, listed) in &manifest.files {
        let name: SourceName = format!("site/{path}").into();
        match site.files.get(path) {
            Some(found) if found == listed => {}
            // A page brought up to date by other means than a build of this folder is as good as built.
            Some(found) if fresh.get(path).is_some_and(|fresh| fresh.digest == *found) => {}
            Some(_) => {
                let there = site.edited.get(path).map_or("", String::as_str);
                let (at, label) = match fresh.get(path).and_then(|fresh| fresh.text.as_deref()) {
                    Some(built) => first_difference(&name, there, built),
                    None => (Span::top(&name), String::new()),
                };
                let problem = Problem::error(EDITED.id, at, format!("site/{path} was edited after it was built"));
                let problem = if label.is_empty() { problem } else { problem.label(label) };
                problems.push(problem.hint("change the lesson instead, and run `lessonc build`; it overwrites the edit"));
            }
            None => {
                problems
                    .push(Problem::error(EDITED.id, Span::top(&name), format!("site/{path} was removed after it was built")).hint(HINT));
            }
        }
    }
}

/// The first line of `there` that is not what was built, and what was built in its place.
fn first_difference(name: &SourceName, there: &str, built: &str) -> (Span, String) {
    let mut start = 0;
    let mut lines = built.split_inclusive('\n');
    for line in there.split_inclusive('\n') {
        let expected = lines.next();
        if expected != Some(line) {
            let shown: String = expected.unwrap_or("nothing").trim().chars().take(160).collect();
            return (Span::new(name, start, start + line.trim_end().len()), format!("the build gives `{shown}`"));
        }
        start += line.len();
    }
    (Span::new(name, there.len(), there.len()), "the build has more lines".to_owned())
}

fn stale(checked: &Checked<'_>, fresh: &BTreeMap<String, Fresh>, problems: &mut Problems) {
    let Some(site) = published(checked) else { return };
    let manifest = match &site.manifest {
        None => {
            problems.push(Problem::of_course(STALE.id, format!("site/ was not built: it has no {MANIFEST}")).hint(HINT));
            return;
        }
        Some(Ok(manifest)) => manifest,
        Some(Err(_)) => return, // said already
    };
    let differing = differing(manifest, site, fresh);
    let Some(first) = differing.first() else { return };
    let more = match differing.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let what = if manifest.lessonc == VERSION {
        format!("site/ is older than the course: site/{first}{more} would be built differently now")
    } else {
        let built_by = if manifest.lessonc.is_empty() { "an unknown version" } else { &manifest.lessonc };
        format!("site/ was built by lessonc {built_by}, and this is {VERSION}: site/{first}{more} would be built differently now")
    };
    problems.push(Problem::of_course(STALE.id, what).hint(HINT));
}

/// The files that a build would write or remove, those that were edited by hand aside.
fn differing<'a>(manifest: &'a Manifest, site: &PublishedSite, fresh: &'a BTreeMap<String, Fresh>) -> Vec<&'a str> {
    let is_edited = |path: &str| match (manifest.files.get(path), site.files.get(path)) {
        (Some(listed), Some(found)) => listed != found,
        (Some(_), None) => true,
        (None, _) => false,
    };
    let mut differing: Vec<&str> = fresh
        .iter()
        .filter(|(path, file)| !is_edited(path) && site.files.get(*path) != Some(&file.digest))
        .map(|(path, _)| path.as_str())
        .chain(manifest.files.keys().filter(|path| !fresh.contains_key(*path) && site.files.contains_key(*path)).map(String::as_str))
        .collect();
    differing.sort_unstable();
    differing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::digest::Checksum;

    #[test]
    fn an_edit_and_a_late_build_are_told_apart() {
        let of = |texts: &[(&str, &str)]| -> BTreeMap<String, Checksum> {
            texts.iter().map(|(path, text)| ((*path).to_owned(), Checksum::of(text))).collect()
        };
        let manifest = Manifest { lessonc: VERSION.into(), files: of(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]) };
        let site = PublishedSite { files: of(&[("a", "1"), ("b", "edited"), ("c", "3")]), ..PublishedSite::default() };
        let fresh = of(&[("a", "1"), ("b", "2"), ("d", "4"), ("e", "5")]);
        let fresh = fresh.into_iter().map(|(path, digest)| (path, Fresh { digest, text: None })).collect();
        assert_eq!(differing(&manifest, &site, &fresh), ["c", "e"]);
    }

    #[test]
    fn the_first_line_that_differs_is_pointed_at() {
        let name: SourceName = "site/a.html".into();
        let (at, label) = first_difference(&name, "x\ny2\nz\n", "x\ny\nz\n");
        assert_eq!((at.start, at.end, label.as_str()), (2, 4, "the build gives `y`"));
        assert_eq!(first_difference(&name, "x\n", "x\ny\n").0.start, 2);
    }
}
