//! Turns a link by a file's place in the repository into a link on the site, and one that leads nowhere into a problem.
//!
//! Must not fetch anything: links that leave the site pass as they are.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::base::span::Span;
use crate::course::document::Claim;
use crate::course::lesson::Lesson;

use super::html::escape;
use super::page::Page;
use super::problems;

/// The path on the site of a lesson's page.
pub(crate) fn lesson_path(lesson: &Lesson, default_language: &str) -> String {
    if lesson.language == default_language { format!("{}.html", lesson.name) } else { format!("{}/{}.html", lesson.language, lesson.name) }
}

/// The address that the page uses for the link `target`, which stands at `range` of the lesson's file.
pub(crate) fn resolve(target: &str, range: &Range<usize>, page: &mut Page<'_>) -> String {
    let scheme = target.split(['/', '#', '?']).next().is_some_and(|head| head.contains(':'));
    if scheme || target.starts_with("//") {
        return target.to_owned();
    }
    page.counts.links += 1;
    let at = Span::new(&page.lesson.file, range.start, range.end);
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let file = if path.is_empty() { Some(page.lesson.file.to_string()) } else { join(&page.lesson.file, path) };
    match file.as_deref().and_then(|file| site_path(file, page)) {
        Some(Place { path: place, anchors }) => {
            if let Some(anchor) = anchor
                && !anchors.contains(anchor)
            {
                let known: Vec<&str> = anchors.iter().map(String::as_str).collect();
                page.problems.push(problems::no_such_anchor(if path.is_empty() { "this page" } else { path }, anchor, at, known));
            }
            let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
            if path.is_empty() { anchor } else { format!("{}{place}{anchor}", page.root) }
        }
        None => {
            let lessons = page.world.course.lessons.iter().filter_map(|lesson| lesson.file.strip_prefix("lessons/"));
            let sources = page.world.course.sources.keys().map(|path| format!("../kernels/{path}")).collect::<Vec<_>>();
            page.problems.push(problems::no_such_target(path, at, lessons.chain(sources.iter().map(String::as_str))));
            escape(target)
        }
    }
}

/// A file of the site and the anchors it has.
struct Place {
    path: String,
    anchors: BTreeSet<String>,
}

/// Where the file `file` of the course is found on the site.
fn site_path(file: &str, page: &Page<'_>) -> Option<Place> {
    let world = &page.world;
    if let Some(lesson) = world.course.lessons.iter().find(|lesson| *lesson.file == *file) {
        return Some(Place { path: lesson_path(lesson, &world.course.config.language), anchors: anchors(lesson) });
    }
    if let Some(source) = file.strip_prefix("kernels/").and_then(|path| world.course.sources.get(path)) {
        let lines = (1..=source.line_count()).map(|line| format!("L{line}"));
        let regions = source.regions.iter().map(|region| region.name.clone());
        return Some(Place { path: format!("sources/{}.html", source.path), anchors: lines.chain(regions).collect() });
    }
    (file.starts_with("evidence/") && world.tree.get(file).is_some()).then(|| Place { path: file.to_owned(), anchors: BTreeSet::new() })
}

/// The anchor of a checked sentence.
pub(crate) fn claim_anchor(claim: &Claim) -> String {
    format!("claim-{}", claim.name)
}

/// Everything that a link to a lesson may end in.
pub(crate) fn anchors(lesson: &Lesson) -> BTreeSet<String> {
    let headings = lesson.document.headings.iter().map(|heading| heading.id.clone());
    headings.chain(lesson.document.claims().map(claim_anchor)).collect()
}

/// `path` as seen from the file `from`, both with `/`; `None` for one that leads out of the course.
fn join(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { from.split('/').collect() };
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_as_in_a_repository() {
        let cases = [
            ("b.md", Some("lessons/b.md")),
            ("../kernels/x.cu", Some("kernels/x.cu")),
            ("./b.md", Some("lessons/b.md")),
            ("/kernels/x.cu", Some("kernels/x.cu")),
            ("../../x", None),
        ];
        for (path, expected) in cases {
            assert_eq!(join("lessons/a.md", path).as_deref(), expected, "{path}");
        }
    }
}
