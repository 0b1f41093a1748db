//! A course that was read again file by file and compiled with what is left of the compilation before is as one that is met for the
//! first time, byte by byte.
//!
//! Must not know what is used again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lessonc::base::problem::Problem;
use lessonc::disk::CourseFiles;
use lessonc::pages::Site;
use lessonc::pipeline::{Memo, Options, compile};
use lessonc::rules::{self, Checked, Occasion};
use proptest::prelude::*;

use crate::fixture::fixture;

/// What an edit makes of the course at `root`; all that a watcher would name.
type Edit = fn(&Path) -> Vec<PathBuf>;

/// Turns the file `name` into `text`, and back into what it was.
fn toggle(root: &Path, name: &str, text: impl FnOnce(&str) -> String) -> Vec<PathBuf> {
    let (path, kept) = (root.join(name), root.join("kept").join(name));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if kept.exists() {
        fs::rename(kept, &path).unwrap();
    } else {
        let before = fs::read_to_string(&path).ok();
        fs::create_dir_all(kept.parent().unwrap()).unwrap();
        match before {
            Some(before) => {
                fs::rename(&path, &kept).unwrap();
                fs::write(&path, text(&before)).unwrap();
            }
            None if path.exists() => fs::remove_file(&path).unwrap(),
            None => fs::write(&path, text("")).unwrap(),
        }
    }
    vec![path]
}

/// Adds the file `name`, or removes it.
fn come_and_go(root: &Path, name: &str, text: &str) -> Vec<PathBuf> {
    let path = root.join(name);
    if path.exists() {
        fs::remove_file(&path).unwrap();
    } else {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    vec![path]
}

/// Gives what lies at `one` the name `two`, or the other way round.
fn swap_names(root: &Path, one: &str, two: &str) -> Vec<PathBuf> {
    let (one, two) = (root.join(one), root.join(two));
    if one.exists() && !two.exists() {
        fs::rename(&one, &two).unwrap();
    } else if two.exists() && !one.exists() {
        fs::rename(&two, &one).unwrap();
    }
    vec![one, two]
}

fn evidence(root: &Path) -> String {
    let folder = root.join("evidence");
    // An edit before may have moved it away.
    let mut names = if folder.is_dir() { crate::support::files(&folder) } else { Vec::new() };
    names.retain(|name| name.ends_with(".jsonl"));
    format!("evidence/{}", names.first().map_or("copy/none.jsonl", String::as_str))
}

const EDITS: [(&str, Edit); 31] = [
    ("text", |root| toggle(root, "lessons/copy.md", |text| format!("{text}\nMore words, and `= row('2').ms`.\n"))),
    ("nothing at all", |root| toggle(root, "lessons/copy.md", |_| "\n".to_owned())),
    ("no front matter", |root| toggle(root, "lessons/copy.md", |text| text.replacen("+++", "", 1))),
    ("a snippet that is not there", |root| toggle(root, "lessons/copy.md", |text| text.replace("copy.cu#body", "copy.cu#nobody"))),
    ("a title", |root| toggle(root, "lessons/copy.md", |text| text.replace("Copying", "Copies"))),
    ("another lesson", |root| {
        come_and_go(
            root,
            "lessons/other.md",
            "+++\ntitle = \"Other\"\ntags = [\"a\"]\n+++\n\n[copying](copy.md)\n\n## A part\n\nsnippet: copy.cu#copy\n",
        )
    }),
    ("a draft", |root| come_and_go(root, "lessons/draft.md", "+++\ntitle = \"Draft\"\ndraft = true\n+++\n\nsnippet: late.cu#late\n")),
    ("a translation", |root| {
        come_and_go(
            root,
            "lessons/copy.he.md",
            "+++\ntitle = \"העתקה\"\nsweeps = [\"copy\"]\n+++\n\nsnippet: copy.cu#copy\n\n`= row('1').ms`\n",
        )
    }),
    ("a renamed lesson", |root| swap_names(root, "lessons/copy.md", "lessons/moved.md")),
    ("the course's title", |root| toggle(root, "lessons/course.toml", |text| text.replacen("title = \"", "title = \"New: ", 1))),
    ("a course without sense", |root| toggle(root, "lessons/course.toml", |_| "title = 7".to_owned())),
    ("two devices", |root| toggle(root, "lessons/course.toml", |text| text.replace("[\"fake\"]", "[\"fake\", \"another\"]"))),
    ("a comment in a kernel", |root| toggle(root, "kernels/copy.cu", |text| format!("// A word.\n{text}"))),
    ("a kernel", |root| toggle(root, "kernels/copy.cu", |text| text.replace("+=", "-=") + "\nint more;\n")),
    ("a kernel that was missing", |root| come_and_go(root, "kernels/late.cu", "// snippet: late\nint late;\n// end snippet\n")),
    ("a manifest", |root| toggle(root, "kernels/copy.toml", |text| text.replacen("rounds", "round", 1) + "\n")),
    ("a folder of kernels", |root| swap_names(root, "kernels", "elsewhere")),
    ("a garbled record", |root| toggle(root, &evidence(root), |text| text.replacen("1", "2", 3))),
    ("no evidence", |root| swap_names(root, "evidence", "nowhere")),
    ("a template", |root| {
        toggle(root, "templates/404.html", |_| "{% extends \"base.html\" %}{% block content %}gone{% endblock %}".to_owned())
    }),
    ("a style sheet", |root| come_and_go(root, "templates/styles/prose.css", "p { color: red }")),
    ("what others see of a lesson", |root| {
        toggle(root, "lessons/copy.md", |text| text.replacen("title =", "tags = [\"b\"]\naliases = [\"old\"]\norder = 9\ntitle =", 1))
    }),
    ("a figure in a title", |root| {
        toggle(root, "lessons/copy.md", |text| text.replacen("\"Copying\"", "\"Copying in `= row('1').ms`\"", 1))
    }),
    ("an address", |root| toggle(root, "lessons/course.toml", |text| format!("base_url = \"https://example.org/\"\n{text}"))),
    ("a name that is taken", |root| come_and_go(root, "lessons/old.md", "+++\ntitle = \"Old\"\n+++\n\n[copying](copy.md) [a](plan.svg)\n")),
    ("a picture that is linked", |root| come_and_go(root, "lessons/plan.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>")),
    ("another picture", |root| toggle(root, "lessons/plan.svg", |_| "<svg xmlns=\"http://www.w3.org/2000/svg\"><g/></svg>".to_owned())),
    ("a manifest without sense", |root| come_and_go(root, "kernels/other.toml", "kind = 7\n")),
    ("a region that nobody shows", |root| come_and_go(root, "kernels/more.cuh", "// snippet: x\nint x;\n// end snippet\n")),
    ("a file as it is, in Markdown", |root| toggle(root, "lessons/static/note.md", |text| format!("{text}+++\n"))),
    ("a file as it is", |root| come_and_go(root, "lessons/static/note.txt", "noted")),
];

/// Every file of a site as it is rendered.
type Rendered = BTreeMap<String, Result<Vec<u8>, Problem>>;

fn rendered(site: &Site) -> Rendered {
    site.paths().map(|path| (path.to_owned(), site.render(path).unwrap())).collect()
}

fn compiled(files: &CourseFiles, memo: &Memo) -> (Site, Rendered, Vec<Problem>) {
    let (compiled, mut problems) = compile(files.tree(), &Options { draft: true }, memo);
    problems.extend(files.problems());
    rules::check(&Checked { memo: Some(&memo.rules), ..compiled.checked(files.tree()) }, Occasion::Build, &mut problems);
    let all = rendered(&compiled.site);
    (compiled.site, all, problems.sorted())
}

/// The files of two sites that differ, those of the search aside.
fn differing(one: &Rendered, two: &Rendered) -> Vec<String> {
    let names = one.keys().chain(two.keys()).filter(|path| !path.starts_with("search/") && one.get(*path) != two.get(*path));
    names.cloned().collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// Makes `edits` one after the other in a course, and compares after each.
fn hold(edits: &[usize]) {
    let folder = fixture();
    let mut files = CourseFiles::read(folder.path()).unwrap();
    let root = files.root().to_owned();
    let memo = Memo::default();
    let mut before = compiled(&files, &memo);
    for (number, edit) in edits.iter().enumerate() {
        let (name, edit) = EDITS[*edit];
        let after = || format!("after edit {number}, {name}, of {edits:?}");
        files.refresh(edit(&root)).unwrap();
        let warm = compiled(&files, &memo);
        let cold = match CourseFiles::read(&root) {
            Ok(anew) => compiled(&anew, &Memo::default()),
            Err(error) => panic!("{error:#} {}", after()),
        };
        assert_eq!(differing(&warm.1, &cold.1), Vec::<String>::new(), "{}", after());
        assert!(warm.1 == cold.1, "the search differs {}", after());
        assert_eq!(warm.2, cold.2, "{}", after());
        let told = warm.0.changed_since(&before.0);
        let missed: Vec<String> = differing(&warm.1, &before.1).into_iter().filter(|path| !told.contains(path)).collect();
        assert_eq!(missed, Vec::<String>::new(), "browsers aren't told of these {}", after());
        before = warm;
    }
}

#[test]
fn each_edit_and_its_undoing_leave_a_warm_course_as_a_cold_one() {
    for half in [0..EDITS.len() / 2, EDITS.len() / 2..EDITS.len()] {
        let twice: Vec<usize> = half.flat_map(|edit| [edit, edit]).collect();
        hold(&twice);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 40, ..ProptestConfig::default() })]
    #[test]
    fn any_edits_leave_a_warm_course_as_a_cold_one(edits in proptest::collection::vec(0..EDITS.len(), 1..12)) {
        hold(&edits);
    }
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_read_again_with_it() {
    let folder = fixture();
    let link = |name: &str, to: &str| std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
    link("lessons/linked.md", "copy.md");
    link("kernels/more", "../lessons");
    let mut files = CourseFiles::read(folder.path()).unwrap();
    let root = files.root().to_owned();
    folder.edit("lessons/copy.md", "Copying", "Linking");
    assert!(files.refresh([root.join("lessons/copy.md")]).unwrap());
    assert_eq!(files.tree(), CourseFiles::read(&root).unwrap().tree());
}
