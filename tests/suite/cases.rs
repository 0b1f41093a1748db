//! Courses in, problems and pages out: every folder of `tests/cases` is a course with what it must give.
//!
//! `NAME/in` is the course, `NAME/problems.txt` what is said of it in the short form with the hints, `NAME/expect` files of
//! the site (or pieces of them, one a line in `FILE.contains`), `NAME/draft` the same of the site with drafts. `LESSONC_UPDATE=1 cargo test`
//! writes `problems.txt` and the whole files anew; read the difference before you commit it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use lessonc::disk;
use lessonc::pipeline::{self, Compiled, Memo, Options};
use lessonc::rules::report::{self, Context};
use lessonc::rules::{self, Checked, Occasion};

use super::support::{files, repository, updating};

/// What is said of the course in `folder`: a problem and its hint, the next problem …
fn said(folder: &Path) -> (Compiled, String) {
    let (tree, mut problems) = disk::read_course(folder).unwrap();
    let (compiled, found) = pipeline::compile(&tree, &Options { draft: false }, &Memo::default());
    problems.extend(found);
    let published = folder.join("site").is_dir().then(|| disk::published(&folder.join("site")).unwrap());
    let checked = Checked { published: published.as_ref(), ..compiled.checked(&tree) };
    rules::check(&checked, Occasion::Build, &mut problems);
    let mut text = String::new();
    for problem in problems.sorted() {
        let hint = problem.hint.clone();
        text.push_str(&report::short(&[problem], Context { tree: &tree, prefix: "", colour: false }));
        if let Some(hint) = hint {
            let _ = writeln!(text, "    {}", hint.replace('\n', "\n    "));
        }
    }
    (compiled, text)
}

#[test]
fn every_case_gives_what_it_must() {
    let cases = repository().join("tests/cases");
    let mut names: Vec<_> = fs::read_dir(&cases).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(!names.is_empty());
    let mut wrong = Vec::new();
    for name in names {
        let case = cases.join(&name);
        let (compiled, problems) = said(&case.join("in"));
        compare(&case.join("problems.txt"), &problems, &mut wrong);
        if case.join("expect").is_dir() {
            expected(&name, &compiled, &case.join("expect"), &mut wrong);
        }
        if case.join("draft").is_dir() {
            let (tree, _) = disk::read_course(&case.join("in")).unwrap();
            let (compiled, _) = pipeline::compile(&tree, &Options { draft: true }, &Memo::default());
            expected(&name, &compiled, &case.join("draft"), &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}\nLESSONC_UPDATE=1 writes the expectations anew", wrong.join("\n"));
}

/// Compares files of the site of the case `name` with those in `expect`.
fn expected(name: &str, compiled: &Compiled, expect: &Path, wrong: &mut Vec<String>) {
    for file in files(expect) {
        let path = file.strip_suffix(".contains").unwrap_or(&file);
        let rendered = compiled.site.render(path).unwrap_or_else(|| panic!("{name}: the site has no {path}")).unwrap();
        let rendered = String::from_utf8(rendered).unwrap();
        if file.ends_with(".contains") {
            for piece in fs::read_to_string(expect.join(&file)).unwrap().lines() {
                if !rendered.contains(piece) {
                    wrong.push(format!("{name}: {path} does not contain `{piece}`"));
                }
            }
        } else {
            compare(&expect.join(&file), &rendered, wrong);
        }
    }
}

fn compare(place: &Path, found: &str, wrong: &mut Vec<String>) {
    let expected = fs::read_to_string(place).unwrap_or_default().replace("\r\n", "\n");
    if expected == found {
        return;
    }
    if updating() {
        fs::write(place, found).unwrap();
    } else {
        let shown = place.strip_prefix(repository()).unwrap_or(place).display();
        wrong.push(format!("{shown} expects\n{expected}--- and got\n{found}"));
    }
}
