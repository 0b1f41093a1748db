//! Turns a link by a file's place in the repository into a link on the site, and one that leads nowhere into a problem.
//!
//! Must not fetch anything: links that leave the site pass as they are, if they only lead somewhere.

use std::ops::Range;

use crate::base::path::{folder, join};
use crate::base::span::Span;
use crate::course::Course;
use crate::course::face::Face;
use crate::course::lesson::Lesson;
use crate::course::source::{Region, Source};

use super::lines::line_id;
use super::page::Page;
use super::{files, problems};

/// Links that may leave the site. Others can run code in the page (`javascript:`, `data:`), and lessons may be a stranger's.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// The path on the site of a lesson's page.
pub(crate) fn lesson_path(lesson: &Lesson, default_language: &str) -> String {
    if lesson.language == default_language { format!("{}.html", lesson.name) } else { format!("{}/{}.html", lesson.language, lesson.name) }
}

/// The path on the site of a source's page.
pub(crate) fn source_path(source: &Source) -> String {
    format!("sources/{}.html", source.path)
}

/// The anchor of all lines of `region` on its source's page.
pub(crate) fn line_range(region: &Region) -> String {
    format!("L{}-L{}", region.lines.start + 1, region.lines.end)
}

/// The address that the page uses for the link `target`, which stands at `range` of the lesson's file.
pub(crate) fn resolve(target: &str, range: &Range<usize>, page: &mut Page<'_>) -> String {
    let at = Span::new(&page.lesson.file, range.start, range.end);
    let head = target.split(['/', '#', '?']).next().unwrap_or_default();
    if let Some((scheme, _)) = head.split_once(':') {
        if SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return target.to_owned();
        }
        page.problems.push(problems::no_such_scheme(scheme, at));
        return "#".to_owned();
    }
    if target.starts_with("//") {
        return target.to_owned();
    }
    page.counts.links += 1;
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let file = if path.is_empty() { Some(page.lesson.file.to_string()) } else { seen_from(&page.lesson.file, path) };
    page.asked.extend(file.clone());
    match file.as_deref().and_then(|file| place(file, page)) {
        Some(place) => {
            if let Some(anchor) = anchor
                && !place.has(anchor)
            {
                let shown = if path.is_empty() { "this page" } else { path };
                let known = place.anchors();
                page.problems.push(problems::no_such_anchor(shown, anchor, at, known.iter().map(String::as_str)));
            }
            if let (Place::Source(source), Some(line)) = (&place, anchor.and_then(line_of)) {
                page.link_line(source, line);
            }
            if let Place::Beside(name, _) = &place {
                page.files.insert(name.clone());
            }
            let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
            if path.is_empty() { anchor } else { format!("{}{}{anchor}", page.root, place.path(page.world.course)) }
        }
        // It is there, and its own problem says what is wrong with it.
        None if file.as_deref().is_some_and(|file| page.world.course.unread_lessons.iter().any(|unread| **unread == *file)) => {
            target.to_owned()
        }
        None => {
            let lessons = page.world.course.lessons.iter().filter_map(|lesson| lesson.file.strip_prefix("lessons/"));
            let sources = page.world.course.sources.keys().map(|path| format!("../kernels/{path}")).collect::<Vec<_>>();
            page.problems.push(problems::no_such_target(path, at, lessons.chain(sources.iter().map(String::as_str))));
            target.to_owned()
        }
    }
}

/// The line that `anchor` leads to, if it names one.
fn line_of(anchor: &str) -> Option<usize> {
    let line = anchor.strip_prefix('L')?.parse().ok()?;
    (anchor == line_id(line)).then_some(line)
}

/// What a file of the course is on the site.
enum Place<'a> {
    Lesson(&'a Lesson),
    Source(&'a Source),
    /// A file that is published under its own name.
    File(String),
    /// A file beside the lessons, and its path on the site.
    Beside(String, String),
}

impl Place<'_> {
    /// Its path on the site.
    fn path(&self, course: &Course) -> String {
        match self {
            Self::Lesson(lesson) => lesson_path(lesson, &course.config.language),
            Self::Source(source) => source_path(source),
            Self::File(path) | Self::Beside(_, path) => path.clone(),
        }
    }

    /// Whether a link to it may end in `anchor`: a heading or a checked sentence, a line or a region.
    fn has(&self, anchor: &str) -> bool {
        let line = |source: &Source| line_of(anchor).is_some_and(|line| (1..=source.line_count()).contains(&line));
        match self {
            Self::Source(source) => {
                source.region(anchor).is_some() || line(source) || source.regions.iter().any(|region| line_range(region) == anchor)
            }
            _ => self.anchors().iter().any(|known| known == anchor),
        }
    }

    /// The anchors that somebody may have meant.
    fn anchors(&self) -> Vec<String> {
        match self {
            Self::Lesson(lesson) => {
                let Face { headings, claims, terms, .. } = &lesson.face;
                let claims = claims.iter().map(|name| claim_anchor(name));
                headings.iter().map(ToString::to_string).chain(claims).chain(terms.iter().map(ToString::to_string)).collect()
            }
            Self::Source(source) => source.regions.iter().map(|region| region.name.clone()).collect(),
            Self::File(_) | Self::Beside(..) => Vec::new(),
        }
    }
}

/// Where the file `file` of the course is found on the site.
fn place<'a>(file: &str, page: &Page<'a>) -> Option<Place<'a>> {
    let world = page.world;
    if let Some(lesson) = world.course.lesson_at(file) {
        return Some(Place::Lesson(lesson));
    }
    if let Some(source) = file.strip_prefix("kernels/").and_then(|path| world.course.sources.get(path)) {
        return Some(Place::Source(source));
    }
    if let Some(path) = files::path(file, world.tree) {
        return Some(Place::Beside(file.to_owned(), path));
    }
    (file.starts_with("evidence/") && world.tree.get(file).is_some()).then(|| Place::File(file.to_owned()))
}

/// The anchor of a checked sentence.
pub(crate) fn claim_anchor(name: &str) -> String {
    format!("claim-{name}")
}

/// `path` as seen from the file `from`, or from the root where it begins with `/`; `None` for one that leads out of the course.
fn seen_from(from: &str, path: &str) -> Option<String> {
    join(if path.starts_with('/') { "" } else { folder(from) }, path)
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
            assert_eq!(seen_from("lessons/a.md", path).as_deref(), expected, "{path}");
        }
    }
}
