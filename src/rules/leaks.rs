//! Finds the author's marker lines in the finished pages, where no reader should see them.
//!
//! Must not trust the stages that should have taken them out: it looks at the page's own text.

use std::collections::BTreeSet;

use super::{Check, Checked, File, Occasion, Rule};
use crate::base::problem::{Problem, Problems};
use crate::course::marker::KINDS;
use crate::pages::html::plain;

pub(super) static RULE: Rule = Rule {
    id: "marker-leaked",
    protects: "readers from seeing the author's scaffolding",
    example: "a page shows the line `// end snippet`",
    occasion: Occasion::Verify,
    check: Check::File(check),
};

fn check(checked: &Checked<'_>, file: &File<'_>, problems: &mut Problems) {
    if !file.path.ends_with(".html") {
        return;
    }
    let html = String::from_utf8_lossy(file.bytes);
    let leaked: Vec<String> = paragraphs(&html).chain(code_lines(&html)).collect();
    if leaked.is_empty() {
        return;
    }
    // A lesson may quote a marker in a block of code of its own; that is no leak.
    let quoted = quoted_lines(checked, file.path);
    if let Some(line) = leaked.into_iter().find(|line| !quoted.contains(line.as_str())) {
        problems.push(
            Problem::of_course(RULE.id, format!("{} shows the marker `{line}` to its readers", file.path))
                .hint("markers stand alone in a paragraph or on a comment line; please report it if this one does"),
        );
    }
}

/// Paragraphs that begin as a marker would.
fn paragraphs(html: &str) -> impl Iterator<Item = String> {
    html.split("<p>").skip(1).filter_map(|rest| {
        let (kind, _) = rest.split_once(':')?;
        KINDS.contains(&kind).then(|| rest.lines().next().unwrap_or_default().split('<').next().unwrap_or_default().trim().to_owned())
    })
}

/// Lines of text that are a marker line of a source.
fn code_lines(html: &str) -> impl Iterator<Item = String> {
    html.lines().filter(|line| line.contains("snippet")).map(|line| plain(line).trim().to_owned()).filter(|line| {
        let marker = line.strip_prefix("//").map(str::trim_start);
        marker.is_some_and(|marker| marker.starts_with("snippet: ") || marker == "end snippet" || marker.starts_with("end snippet "))
    })
}

/// The lines of the lesson that the page `path` comes from.
fn quoted_lines<'a>(checked: &Checked<'a>, path: &str) -> BTreeSet<&'a str> {
    let stem = path.strip_suffix(".html").unwrap_or(path);
    let name = stem.rsplit_once('/').map_or(stem, |(_, name)| name);
    let of_page = checked.course.lessons.iter().filter(|lesson| lesson.name == name && !path.starts_with("sources/"));
    of_page.flat_map(|lesson| checked.tree.text(&lesson.file).lines().map(str::trim)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_seen_through_tags() {
        let html = "<p>snippet: a.cu#b</p>\n<p>A snippet: no</p>\n<r- id=L1><c->// snippet: x</c-></r->\n\
                    <i>//end snippet</i>\nlet s; // snippet: no\n// end snippets are fine\n";
        assert_eq!(paragraphs(html).collect::<Vec<_>>(), ["snippet: a.cu#b"]);
        assert_eq!(code_lines(html).collect::<Vec<_>>(), ["// snippet: x", "//end snippet"]);
    }
}
