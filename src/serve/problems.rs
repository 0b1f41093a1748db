//! Turns problems into what the page's script shows of them: words, place, link into the editor, and the line with its marked part.
//!
//! Must not decide how that looks.

use std::path::Path;

use serde_json::{Value, json};

use super::editor::Editor;
use crate::base::problem::{Problem, Severity};
use crate::base::span::{LineColumn, Span, floor_char};
use crate::tree::SourceTree;

/// More problems than this are counted and not shown; who has so many begins with the first.
const MOST: usize = 100;

/// Characters of a line that are shown before what is marked in it, of the marked part, and behind that.
const AROUND: usize = 120;

/// How places are named and opened.
pub(super) struct Places<'a> {
    /// The course's folder, absolute.
    pub(super) root: &'a Path,
    /// What stands before a file's name for somebody at the terminal.
    pub(super) prefix: &'a str,
    pub(super) editor: Option<&'a Editor>,
}

/// The problems of a moment, errors first, each as the script reads it.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) problems: Vec<Value>,
    pub(super) errors: usize,
    pub(super) warnings: usize,
}

impl Shown {
    /// Of `problems`, which are sorted by place.
    pub(super) fn of(problems: &[Problem], tree: &SourceTree, places: &Places<'_>) -> Self {
        let (errors, warnings): (Vec<&Problem>, Vec<&Problem>) = problems.iter().partition(|problem| problem.severity == Severity::Error);
        let shown = errors.iter().chain(&warnings).take(MOST).map(|problem| places.json(problem, tree)).collect();
        Self { problems: shown, errors: errors.len(), warnings: warnings.len() }
    }

    /// The same with those first, among errors and among warnings, that stand in the lesson whose page is at `path`.
    pub(super) fn of_page(&self, path: &str) -> Vec<Value> {
        let page = path.strip_suffix(".html").unwrap_or(path);
        let (language, name) = page.rsplit_once('/').map_or((None, page), |(language, name)| (Some(language), name));
        let translation = language.map(|language| format!("lessons/{name}.{language}.md"));
        let files: Vec<String> = translation.into_iter().chain([format!("lessons/{name}.md")]).collect();
        let distance = |problem: &Value| files.iter().position(|file| problem["at"]["file"] == **file).unwrap_or(files.len());
        let mut problems = self.problems.clone();
        problems.sort_by_key(|problem| (problem["error"] != true, distance(problem)));
        problems
    }
}

impl Places<'_> {
    pub(super) fn json(&self, problem: &Problem, tree: &SourceTree) -> Value {
        let related: Vec<Value> =
            problem.related.iter().map(|(span, words)| json!({ "message": words, "at": self.at(span, tree) })).collect();
        json!({
            "id": problem.id,
            "error": problem.severity == Severity::Error,
            "message": problem.message,
            "at": problem.at.as_ref().map(|span| self.at(span, tree)),
            "label": problem.label,
            "hint": problem.hint,
            "related": related,
        })
    }

    fn at(&self, span: &Span, tree: &SourceTree) -> Value {
        let LineColumn { line, column } = tree.line_column(&span.file, span.start);
        let is_there = !tree.text(&span.file).is_empty();
        let place =
            if is_there { format!("{}{}:{line}:{column}", self.prefix, span.file) } else { format!("{}{}", self.prefix, span.file) };
        json!({
            "file": &*span.file,
            "place": place,
            "href": self.editor.map(|editor| editor.link(&self.root.join(&*span.file), line, column)),
            "line": line,
            "parts": (is_there && is_for_people(&span.file)).then(|| parts(tree.text(&span.file), span)),
        })
    }
}

/// Whether people read the file `name`; of a record, they read its transcript.
fn is_for_people(name: &str) -> bool {
    !name.ends_with(".jsonl")
}

/// The line of `text` on which `span` begins, in three: before what is marked, the marked, and behind it. Of long lines what is near.
fn parts(text: &str, span: &Span) -> [String; 3] {
    let (start, end) = (floor_char(text, span.start), floor_char(text, span.end.max(span.start)));
    let first = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let last = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = end.min(last);
    let (before, marked, behind) = (&text[first..start], &text[start..end], &text[end..last]);
    [cut_front(before), cut_back(marked), cut_back(behind)]
}

fn cut_back(text: &str) -> String {
    match text.char_indices().nth(AROUND) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn cut_front(text: &str) -> String {
    match text.char_indices().nth_back(AROUND) {
        Some((at, sign)) => format!("…{}", &text[at + sign.len_utf8()..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::problem::Problems;

    #[test]
    fn the_line_is_shown_with_its_marked_part() {
        let long = format!("{}XY{}\nz", "a".repeat(500), "b".repeat(500));
        for (text, start, end, expected) in [
            ("one\ntwo three\n", 8, 13, ["two ".to_owned(), "three".to_owned(), String::new()]),
            ("one\ntwo", 4, 4, [String::new(), String::new(), "two".to_owned()]),
            ("one\ntwo\nthree", 1, 9, ["o".to_owned(), "ne".to_owned(), String::new()]),
            ("אב", 1, 3, [String::new(), "א".to_owned(), "ב".to_owned()]),
            ("", 7, 9, [String::new(), String::new(), String::new()]),
            (&long, 500, 502, [format!("…{}", "a".repeat(AROUND)), "XY".to_owned(), format!("{}…", "b".repeat(AROUND))]),
        ] {
            assert_eq!(parts(text, &Span::new(&"a".into(), start, end)), expected, "{text:?} {start}..{end}");
        }
    }

    #[test]
    fn errors_come_first_and_all_are_counted() {
        let mut tree = SourceTree::new();
        tree.insert("lessons/a.md", b"one\ntwo\n", &mut Problems::new());
        let span = Span::new(&"lessons/a.md".into(), 4, 7);
        let mut problems: Vec<Problem> = (0..2 * MOST).map(|_| Problem::warning("w", span.clone(), "warned")).collect();
        problems.push(Problem::error("e", span.clone(), "wrong").related(Span::top(&"lessons/gone.md".into()), "here too").hint("mend it"));
        let editor = Editor::named("vscode").unwrap();
        let places = Places { root: Path::new("/c"), prefix: "../", editor: Some(&editor) };
        let shown = Shown::of(&problems, &tree, &places);
        assert_eq!((shown.errors, shown.warnings, shown.problems.len()), (1, 2 * MOST, MOST));
        let expected = json!({
            "id": "e", "error": true, "message": "wrong", "label": null, "hint": "mend it",
            "at": { "file": "lessons/a.md", "place": "../lessons/a.md:2:1", "href": "vscode://file/c/lessons/a.md:2:1", "line": 2, "parts": ["", "two", ""] },
            "related": [{ "message": "here too",
                "at": { "file": "lessons/gone.md", "place": "../lessons/gone.md", "href": "vscode://file/c/lessons/gone.md:1:1", "line": 1, "parts": null } }],
        });
        assert_eq!(shown.problems[0], expected);
    }

    #[test]
    fn a_page_shows_its_own_problems_first() {
        let mut tree = SourceTree::new();
        let files = ["lessons/a.md", "lessons/b.md", "lessons/b.he.md"];
        files.iter().for_each(|file| tree.insert(file, b"text\n", &mut Problems::new()));
        let mut problems: Vec<Problem> = files.map(|file| Problem::warning("w", Span::top(&file.into()), "warned")).into();
        problems.extend(files.map(|file| Problem::error("e", Span::top(&file.into()), "wrong")));
        let shown = Shown::of(&problems, &tree, &Places { root: Path::new("/c"), prefix: "", editor: None });
        let order = |path: &str| -> Vec<String> {
            shown
                .of_page(path)
                .iter()
                .map(|problem| format!("{} {}", problem["id"].as_str().unwrap(), problem["at"]["file"].as_str().unwrap()))
                .collect()
        };
        let first = |path: &str| (order(path)[0].clone(), order(path)[3].clone());
        assert_eq!(first("b.html"), ("e lessons/b.md".into(), "w lessons/b.md".into()));
        assert_eq!(first("he/b.html"), ("e lessons/b.he.md".into(), "w lessons/b.he.md".into()));
        assert_eq!(first("index.html"), ("e lessons/a.md".into(), "w lessons/a.md".into()));
    }
}
