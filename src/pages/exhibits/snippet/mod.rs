//! Turns `snippet: FILE#REGION` into code with the file's own line numbers, lines marked and folded, or as a difference to another
//! region with what that step brought.
//!
//! Must not know what the code does.

mod fold;
mod lines;
mod step;

use serde::Serialize;

use crate::base::slice::Slice;
use crate::course::marker::Marker;
use crate::course::source::{Region, ShownLine, Source, reference};
use crate::pages::block::Block;
use crate::pages::caption;
use crate::pages::forge;
use crate::pages::lines::{Change, Line};
use crate::pages::links::{line_range, source_path};
use crate::pages::page::Page;
use crate::pages::problems;
use crate::pages::words::fill;

use self::fold::Part;
use self::lines::Excerpt;
use super::Exhibit;

/// The kind.
pub(super) struct Snippet;

/// Lines before and behind a region that are context, at most.
const MOST_CONTEXT: i64 = 20;

#[derive(Serialize)]
struct View {
    id: String,
    title: Option<String>,
    /// `block-size.cu:12–24`
    place: String,
    /// The way to these lines on the file's page.
    href: String,
    /// The way to these lines in the repository, as they were measured.
    forge: Option<String>,
    /// What the lines are compared with, in words.
    against: Option<String>,
    /// What the change brought, as HTML.
    step: Option<String>,
    parts: Vec<Part>,
}

impl Exhibit for Snippet {
    fn kind(&self) -> &'static str {
        "snippet"
    }

    fn make(&self, marker: &Marker, page: &mut Page<'_>) -> Option<Block> {
        page.counts.snippets += 1;
        let mut keys = marker.keys("a snippet");
        let title = keys.text("title", &mut page.problems);
        let lit = keys.texts("highlight", &mut page.problems);
        let before = keys.text("diff", &mut page.problems);
        let step = keys.texts("step", &mut page.problems);
        let context = keys.integer("context", 0, MOST_CONTEXT, &mut page.problems);
        _ = keys.item("fold");
        keys.finish(&mut page.problems);
        let title = title.map(|title| caption::html(&title, page));
        let (source, region) = find(&marker.target, page)?;
        let old = match &before {
            Some(before) => Some(find(before, page)?),
            None => None,
        };
        page.show(source);
        let highlighter = page.world.highlighter;
        let context = context.and_then(|lines| usize::try_from(lines).ok()).unwrap_or(0);
        let excerpt = Excerpt::new(source, region, context, highlighter);
        let before = old.map(|(source, region)| excerpt.before(source, region, highlighter));
        if let Some((source, _)) = old {
            page.counts.snippets += 1;
            page.show(source);
        }
        let lines = excerpt.lines(before.as_ref());
        page.lines_shown += lines.len();
        let lines = light(lines, excerpt.region(), &lit, page);
        let folds = fold::folds(marker, source, region, excerpt.region(), page);
        let (first, last) = (region.lines.start + 1, region.lines.end);
        let place = if first == last { format!("{}:{first}", source.path) } else { format!("{}:{first}\u{2013}{last}", source.path) };
        let view = View {
            id: page.id("snippet"),
            title,
            href: format!("{}{}#{}", page.root, source_path(source), line_range(region)),
            forge: forge::measured_lines(source, (first, last), &page.lesson.sweeps, page.world),
            place,
            against: old.map(|(source, region)| fill(page.words.compared_with, &[&format!("{}#{}", source.path, region.name)])),
            step: step::html(marker, &step, page),
            parts: fold::parts(&lines, &folds, page),
        };
        Some(Block::of("snippet.html", view))
    }
}

/// The region that `target`, `FILE#REGION`, names.
fn find<'a>(target: &Slice, page: &mut Page<'a>) -> Option<(&'a Source, &'a Region)> {
    let text = target.text();
    let Some((path, name)) = reference(text) else {
        page.problems.push(problems::no_region_named(text, &target.whole()));
        return None;
    };
    let Some(source) = page.source(path) else {
        let at = target.span(0, path.len());
        page.problems.push(problems::no_such_file(path, &at, page.world.course.sources.keys()));
        return None;
    };
    let region = source.region(name);
    if region.is_none() {
        let at = target.span(path.len() + 1, text.len());
        let known = source.regions.iter().map(|region| region.name.as_str());
        page.problems.push(problems::no_such_region(path, name, &at, known));
    }
    Some((source, region?))
}

/// Marks the lines of the region that hold one of the texts `lit`; a text that none holds is a problem.
fn light<'h>(mut lines: Vec<Line<'h>>, region: &[ShownLine<'_>], lit: &[Slice], page: &mut Page<'_>) -> Vec<Line<'h>> {
    for text in lit {
        let numbers: Vec<usize> = region.iter().filter(|line| line.text.contains(text.text())).map(|line| line.number).collect();
        if numbers.is_empty() {
            page.problems.push(problems::highlight_misses(text.text(), &text.whole()));
        }
        for line in lines.iter_mut().filter(|line| line.change != Change::Deleted && numbers.contains(&line.number)) {
            line.lit = true;
        }
    }
    lines
}
