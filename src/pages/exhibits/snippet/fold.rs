//! Turns lines of code into parts, of which some stay folded until a reader opens them: what every program needs and no lesson is about.
//!
//! Must not know how a fold looks.

use std::ops::Range;

use serde::Serialize;

use crate::base::slice::Slice;
use crate::course::keys;
use crate::course::marker::Marker;
use crate::course::source::{Region, ShownLine, Source};
use crate::course::toml::{Item, Value};
use crate::pages::block::Markup;
use crate::pages::lines::{Change, Line, Lines};
use crate::pages::page::Page;
use crate::pages::problems;

/// Lines that stand together, folded or not.
#[derive(Debug, Serialize)]
pub(super) struct Part {
    /// What the fold is called; `None` for lines that are always seen.
    pub(super) fold: Option<String>,
    /// Its lines as HTML.
    pub(super) code: Markup,
}

/// Lines, by their numbers in the file, that stay folded.
#[derive(Debug, Clone)]
pub(super) struct Fold {
    numbers: Range<usize>,
}

/// What `fold` of `marker` asks for: names of regions within `region`, or `{ from = "…", to = "…" }` by texts of `lines`, its own.
pub(super) fn folds(marker: &Marker, source: &Source, region: &Region, lines: &[ShownLine<'_>], page: &mut Page<'_>) -> Vec<Fold> {
    let items = marker.options.get("fold").map_or(&[][..], Item::each);
    let mut folds: Vec<Fold> = items.iter().filter_map(|item| fold(item, source, region, lines, page)).collect();
    folds.sort_by_key(|fold| (fold.numbers.start, fold.numbers.end));
    folds
}

fn fold(item: &Item, source: &Source, region: &Region, lines: &[ShownLine<'_>], page: &mut Page<'_>) -> Option<Fold> {
    let Value::Table(table) = &item.value else {
        let name = page.problems.note(keys::text(item, "the name of a region, or `{ from = \"…\", to = \"…\" }`, for `fold`"))?;
        return within(&name, source, region, page);
    };
    let mut keys = keys::Keys::of(table, "this fold", item.at.clone());
    let (from, to) = (keys.title("from", &mut page.problems), keys.title("to", &mut page.problems));
    keys.finish(&mut page.problems);
    let (from, to) = (from?, to?);
    let Some(first) = lines.iter().position(|line| line.text.contains(from.text())) else {
        page.problems.push(problems::no_line_holds(from.text(), &from.whole()));
        return None;
    };
    let Some(length) = lines[first..].iter().position(|line| line.text.contains(to.text())) else {
        page.problems.push(problems::no_line_holds(to.text(), &to.whole()));
        return None;
    };
    Some(Fold { numbers: lines[first].number..lines[first + length].number + 1 })
}

fn within(name: &Slice, source: &Source, region: &Region, page: &mut Page<'_>) -> Option<Fold> {
    let inner =
        |other: &&Region| other.name != region.name && region.lines.start <= other.lines.start && other.lines.end <= region.lines.end;
    let found = source.regions.iter().filter(inner).find(|other| other.name == name.text());
    if found.is_none() {
        let known = source.regions.iter().filter(inner).map(|other| other.name.as_str());
        page.problems.push(problems::no_region_within(name.text(), &region.name, &name.whole(), known));
    }
    let found = found?;
    Some(Fold { numbers: found.lines.start + 1..found.lines.end + 1 })
}

/// `lines` in parts; what a change took away is never folded.
pub(super) fn parts(lines: &[Line<'_>], folds: &[Fold], page: &Page<'_>) -> Vec<Part> {
    let fold_of = |line: &Line<'_>| match line.change {
        Change::Deleted => None,
        _ => folds.iter().position(|fold| fold.numbers.contains(&line.number)),
    };
    let part = |lines: &[Line<'_>]| {
        let mut code = Lines::of(lines.len(), lines.iter().map(|line| line.html.len()).sum());
        lines.iter().for_each(|line| code.push(line));
        let is_folded = lines.first().and_then(fold_of).is_some();
        Part { fold: is_folded.then(|| page.words.folded_lines.of(&[lines.len()], &[])), code: code.html().into() }
    };
    lines.chunk_by(|one, next| fold_of(one) == fold_of(next)).map(part).collect()
}
