//! Turns `snippet: FILE#REGION` into code with the file's own line numbers, lines marked, or as a difference to another region.
//!
//! Must not know what the code does.

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use crate::base::slice::Slice;
use crate::course::marker::Marker;
use crate::course::source::{Region, ShownLine, Source, reference};
use crate::pages::block::Block;
use crate::pages::caption;
use crate::pages::highlight::Highlighter;
use crate::pages::links::source_path;
use crate::pages::page::Page;
use crate::pages::problems;
use crate::pages::words::fill;

use super::Exhibit;

/// The kind.
pub(super) struct Snippet;

#[derive(Serialize)]
struct View {
    id: String,
    title: Option<String>,
    /// What the code box is called, for those who can't see it.
    label: String,
    /// `block-size.cu:12–24`
    place: String,
    /// The way to the first line on the file's page.
    href: String,
    /// What the lines are compared with, in words.
    against: Option<String>,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    /// `span`, `ins` or `del`.
    element: &'static str,
    number: usize,
    lit: bool,
    html: String,
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
        keys.finish(&mut page.problems);
        let title = title.map(|title| caption::html(&title, page));
        let (source, region) = find(&marker.target, page)?;
        let before = match &before {
            Some(before) => Some(find(before, page)?),
            None => None,
        };
        let shown = source.shown(region);
        page.show(source);
        let lines = match before {
            Some((old_source, old_region)) => {
                page.counts.snippets += 1;
                page.show(old_source);
                difference(&old_source.shown(old_region), &shown, (source.language_name(), page.world.highlighter))
            }
            None => plain(&shown, (source.language_name(), page.world.highlighter)),
        };
        let lines = light(lines, &shown, &lit, page);
        page.lines_shown += lines.len();
        let (first, last) = (shown.first().map_or(1, |line| line.number), shown.last().map_or(1, |line| line.number));
        let place = if first == last { format!("{}:{first}", source.path) } else { format!("{}:{first}\u{2013}{last}", source.path) };
        let view = View {
            id: page.id("snippet"),
            title,
            label: fill(page.words.code_of, &[&place]),
            href: format!("{}{}#L{first}", page.root, source_path(source)),
            place,
            against: before.map(|(source, region)| fill(page.words.compared_with, &[&format!("{}#{}", source.path, region.name)])),
            lines,
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
    let sources = &page.world.course.sources;
    let Some(source) = sources.get(path) else {
        let at = target.span(0, path.len());
        page.problems.push(problems::no_such_file(path, &at, sources.keys().map(String::as_str)));
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

fn plain(shown: &[ShownLine<'_>], language: Language<'_>) -> Vec<Line> {
    let html = highlight_lines(shown, language);
    shown.iter().zip(html).map(|(line, html)| Line { element: "span", number: line.number, lit: false, html }).collect()
}

/// The lines of `new`, those that `old` lacks inserted and those that only `old` has deleted.
fn difference(old: &[ShownLine<'_>], new: &[ShownLine<'_>], language: Language<'_>) -> Vec<Line> {
    let texts = |lines: &[ShownLine<'_>]| lines.iter().map(|line| line.text.to_owned()).collect::<Vec<_>>();
    let (old_texts, new_texts) = (texts(old), texts(new));
    let (old_slices, new_slices): (Vec<&str>, Vec<&str>) =
        (old_texts.iter().map(String::as_str).collect(), new_texts.iter().map(String::as_str).collect());
    let (old_html, new_html) = (highlight_lines(old, language), highlight_lines(new, language));
    let diff = TextDiff::from_slices(&old_slices, &new_slices);
    let line = |element, shown: &[ShownLine<'_>], html: &[String], index: Option<usize>| {
        let index = index?;
        Some(Line { element, number: shown.get(index)?.number, lit: false, html: html.get(index)?.clone() })
    };
    diff.iter_all_changes()
        .filter_map(|change| match change.tag() {
            ChangeTag::Equal => line("span", new, &new_html, change.new_index()),
            ChangeTag::Insert => line("ins", new, &new_html, change.new_index()),
            ChangeTag::Delete => line("del", old, &old_html, change.old_index()),
        })
        .collect()
}

/// A language by its name, and who highlights it.
type Language<'a> = (&'a str, &'a Highlighter);

/// HTML of each line; padded, should the highlighter and the source disagree on what a line is.
fn highlight_lines(shown: &[ShownLine<'_>], (language, highlighter): Language<'_>) -> Vec<String> {
    let text: String = shown.iter().flat_map(|line| [line.text, "\n"]).collect();
    let mut html = highlighter.highlight(&text, language).to_vec();
    html.resize(shown.len(), String::new());
    html
}

/// Marks the lines of the region that hold one of the texts `lit`; a text that none holds is a problem.
fn light(mut lines: Vec<Line>, shown: &[ShownLine<'_>], lit: &[Slice], page: &mut Page<'_>) -> Vec<Line> {
    for text in lit {
        let numbers: Vec<usize> = shown.iter().filter(|line| line.text.contains(text.text())).map(|line| line.number).collect();
        if numbers.is_empty() {
            page.problems.push(problems::highlight_misses(text.text(), &text.whole()));
        }
        for line in lines.iter_mut().filter(|line| line.element != "del" && numbers.contains(&line.number)) {
            line.lit = true;
        }
    }
    lines
}
