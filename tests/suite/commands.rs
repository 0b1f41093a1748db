//! The command line as people meet it: exit codes, what goes where, first steps.

use lessonc::cache::Cache;
use lessonc::cli::Ending;

use super::fixture::fixture;
use super::support::{Folder, lessonc, lessonc_remembering};

#[test]
fn a_new_course_builds_and_passes() {
    let folder = Folder::new();
    let course = folder.path().join("course");
    let made = lessonc([&"init", &course]);
    assert_eq!(made.ending, Ending::Fine, "{made:?}");
    let built = lessonc([&"build", &"--course", &course]);
    assert_eq!(built.ending, Ending::Fine, "{built:?}");
    assert!(folder.read("course/site/first.html").contains("Not measured yet"));
    let verified = lessonc([&"verify", &"--course", &course]);
    assert_eq!(verified.ending, Ending::Fine, "{verified:?}");
    assert!(verified.out.contains("checked 1 snippet, "), "{verified:?}");
    // Again: nothing to do, and nothing is overwritten.
    let again = lessonc([&"build", &"--course", &course]);
    assert!(again.out.contains(": 0 files written,") && again.out.contains(" 0 removed"), "{again:?}");
    assert_eq!(lessonc([&"init", &course]).ending, Ending::Failed);
}

#[test]
fn a_build_that_is_remembered_sees_what_changed_since() {
    let (folder, cache) = (fixture(), Folder::new());
    let build = |more: &[&dyn AsRef<std::ffi::OsStr>]| {
        let course: [&dyn AsRef<std::ffi::OsStr>; 3] = [&"build", &"--course", &folder.path()];
        lessonc_remembering(&[&course, more].concat(), Cache::at(cache.path(), 9))
    };
    let entries = || std::fs::read_dir(cache.path()).unwrap().count();
    let first = build(&[]);
    assert_eq!((first.ending, entries()), (Ending::Fine, 1), "{first:?}");
    let page = folder.read("site/copy.html");
    // Nothing to do, and what somebody did to the site.
    for (edited, says) in [("", ": 0 files written, "), ("site/copy.html", ": 1 file written, "), ("site/index.html", ": 1 file written, ")]
    {
        if !edited.is_empty() {
            std::fs::write(folder.path().join(edited), "edited").unwrap();
        }
        let again = build(&[]);
        assert!(again.out.contains(says) && again.out.contains(" 0 removed; no problems"), "{edited}: {again:?}");
        assert_eq!((folder.read("site/copy.html"), entries()), (page.clone(), 1), "{edited}");
    }
    // What the author did, and another wish.
    folder.edit("lessons/copy.md", "\ntitle = \"", "\ntitle = \"New: ");
    assert!(!build(&[]).out.contains(": 0 files"), "an edit was not seen");
    assert_eq!(entries(), 2);
    build(&[&"--draft"]);
    assert_eq!(entries(), 3);
    // Of what has a problem each build tells.
    folder.edit("lessons/copy.md", "+++\n\n", "+++\n\n# Once more\n\n");
    let problems = [build(&[]), build(&[])].map(|said| said.err);
    assert!(problems[0].contains("heading-level") && problems[0] == problems[1], "{problems:?}");
    assert_eq!(entries(), 3);
}

#[test]
fn a_new_lesson_is_a_draft() {
    let folder = Folder::new();
    let course = folder.path().join("course");
    lessonc([&"init", &course]);
    assert_eq!(lessonc([&"new", &"block-size", &"--course", &course]).ending, Ending::Fine);
    assert_eq!(lessonc([&"new", &"block-size", &"--course", &course]).ending, Ending::Failed, "it is there already");
    assert_eq!(lessonc([&"new", &"../block", &"--course", &course]).ending, Ending::Failed);
    assert_eq!(lessonc([&"build", &"--course", &course]).ending, Ending::Fine);
    assert!(!course.join("site/block-size.html").exists());
    let built = lessonc([&"build", &"--course", &course, &"--draft", &"--out", &folder.path().join("drafts")]);
    assert_eq!(built.ending, Ending::Fine, "{built:?}");
    assert!(folder.path().join("drafts/block-size.html").exists());
}

#[test]
fn a_course_with_an_error_writes_nothing() {
    let folder = Folder::new();
    let course = folder.path().join("course");
    lessonc([&"init", &course]);
    folder.edit("course/lessons/first.md", "first.cu#scale\n", "first.cu#sacle\n");
    let built = lessonc([&"build", &"--course", &course]);
    assert_eq!(built.ending, Ending::Problems, "{built:?}");
    assert!(!course.join("site").exists() && built.out.is_empty());
    assert!(built.err.contains("snippet-missing") && built.err.contains("did you mean"), "{built:?}");
    let verified = lessonc([&"verify", &"--course", &course, &"--format", &"short"]);
    assert_eq!(verified.ending, Ending::Problems);
    let line = verified.out.lines().find(|line| line.contains("snippet-missing")).unwrap_or_else(|| panic!("{verified:?}"));
    assert!(line.contains("lessons/first.md:10:"), "{line}");
}

#[test]
fn machine_readable_formats_hold_nothing_else() {
    let folder = Folder::new();
    let course = folder.path().join("course");
    lessonc([&"init", &course]);
    let verified = lessonc([&"verify", &"--course", &course, &"--format", &"json"]);
    let value: serde_json::Value = serde_json::from_str(&verified.out).unwrap();
    assert_eq!(value["problems"].as_array().unwrap().iter().filter(|problem| problem["id"] == "site-stale").count(), 1);
    assert_eq!(verified.ending, Ending::Problems);
    let verified = lessonc([&"verify", &"--course", &course, &"--format", &"github"]);
    assert!(verified.out.lines().all(|line| line.starts_with("::")), "{verified:?}");
}

#[test]
fn a_course_where_nothing_is_checked_does_not_pass() {
    let folder = Folder::new();
    folder.write("lessons/course.toml", "title = \"Empty\"\nsummary = \"Nothing.\"\nlanguage = \"en\"\n");
    let verified = lessonc([&"verify", &"--course", &folder.path()]);
    assert_eq!(verified.ending, Ending::Problems);
    assert!(verified.out.contains("nothing-checked"), "{verified:?}");
}

#[test]
fn where_there_is_no_course_it_says_so() {
    let folder = Folder::new();
    for command in ["build", "verify", "serve"] {
        let said = lessonc([&command, &"--course", &folder.path()]);
        assert_eq!(said.ending, Ending::Failed);
        assert!(said.err.contains("lessons/course.toml"), "{said:?}");
    }
}

#[test]
fn build_keeps_out_of_the_inputs_and_of_others_files() {
    let folder = Folder::new();
    let course = folder.path().join("course");
    lessonc([&"init", &course]);
    assert_eq!(lessonc([&"build", &"--course", &course, &"--out", &course.join("lessons/site")]).ending, Ending::Failed);
    folder.write("mine/notes.txt", "mine");
    let refused = lessonc([&"build", &"--course", &course, &"--out", &folder.path().join("mine")]);
    assert_eq!(refused.ending, Ending::Failed);
    assert!(refused.err.contains("notes.txt"), "{refused:?}");
}

#[cfg(unix)]
#[test]
fn links_in_a_site_lead_nowhere() {
    let folder = Folder::new();
    let course = folder.path().join("course");
    lessonc([&"init", &course]);
    lessonc([&"build", &"--course", &course]);
    // A stranger's pull request: a page that is a link to what must never be read to its end.
    folder.remove("course/site/first.html");
    std::os::unix::fs::symlink("/dev/zero", course.join("site/first.html")).unwrap();
    let verified = lessonc([&"verify", &"--course", &course, &"--format", &"short"]);
    assert!(verified.out.contains("error[site-edited]"), "{verified:?}");
    assert_eq!(lessonc([&"build", &"--course", &course]).ending, Ending::Fine);
    assert!(std::fs::symlink_metadata(course.join("site/first.html")).unwrap().is_file());
}

#[cfg(unix)]
#[test]
fn a_course_can_not_make_a_build_write_elsewhere() {
    use std::os::unix::fs::symlink;
    let elsewhere = Folder::new();
    elsewhere.write("precious", "mine");
    let course = fixture();
    std::fs::create_dir(course.path().join("site/.lessonc-staging")).unwrap();
    symlink(elsewhere.path().join("precious"), course.path().join("site/.lessonc-staging/lock")).unwrap();
    let built = lessonc([&"build", &"--course", &course.path()]);
    assert_eq!((built.ending, &*elsewhere.read("precious")), (Ending::Failed, "mine"), "{built:?}");
    std::fs::remove_dir_all(course.path().join("site")).unwrap();
    std::fs::create_dir(elsewhere.path().join("empty")).unwrap();
    symlink(elsewhere.path().join("empty"), course.path().join("site")).unwrap();
    for command in ["build", "verify"] {
        let said = lessonc([&command, &"--course", &course.path()]);
        assert_eq!(said.ending, Ending::Failed, "{said:?}");
        assert!(said.err.contains("is a link"), "{said:?}");
    }
    assert_eq!(elsewhere.files("empty"), Vec::<String>::new());
}
