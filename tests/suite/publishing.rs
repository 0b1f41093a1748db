//! What is published beside pages, in which languages and under which address, and what takes it away again.

use std::fs;

use lessonc::cli::Ending;

use super::support::{Folder, lessonc, lessonc_with, repository};

/// The least of a picture: enough to be no text.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\0\xc0\x08\x02\0\0\0\xff";

/// A course that nothing is wrong with, not even a little.
fn course() -> Folder {
    let folder = Folder::new();
    lessonc([&"init", &folder.path().join("course")]);
    // A sweep that no lesson stands on yet is worth a warning, and so are regions that none shows.
    folder.remove("course/kernels/first.toml");
    folder.write("course/kernels/first.cu", "// snippet: scale\nint scale();\n// end snippet\n");
    folder.edit("course/lessons/course.toml", "language = \"en\"", "language = \"en\"\nbase_url = \"https://example.org/gpu\"");
    folder
}

fn of_course(folder: &Folder, command: &str, flag: Option<&str>) -> (Ending, String) {
    let course = folder.path().join("course");
    let said = match flag {
        Some(flag) => lessonc([&command, &"--course", &course, &flag]),
        None => lessonc([&command, &"--course", &course]),
    };
    (said.ending, format!("{}{}", said.out, said.err))
}

#[test]
fn files_beside_lessons_are_published_as_they_are() {
    let folder = course();
    let at = |name: &str| folder.path().join("course").join(name);
    for name in ["lessons/images/shown.png", "lessons/images/linked.pdf", "lessons/images/idle.png", "lessons/static/fonts/a.bin"] {
        fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        fs::write(at(name), PICTURE).unwrap();
    }
    fs::write(at("lessons/static/CNAME"), "example.org\r\n").unwrap();
    let text = folder.read("course/lessons/first.md");
    let body = "![A picture](images/shown.png), [more](images/linked.pdf), [the font](static/fonts/a.bin)\n";
    folder.write("course/lessons/first.md", &format!("{text}\n{body}"));
    folder.write("course/lessons/first.he.md", &format!("+++\ntitle = \"א\"\n+++\n\n{body}"));
    assert_eq!(of_course(&folder, "build", Some("--strict")).0, Ending::Fine);
    for name in ["images/shown.png", "images/linked.pdf", "fonts/a.bin"] {
        assert_eq!(fs::read(at("site").join(name)).unwrap(), PICTURE, "{name}");
        assert!(folder.read("course/site/first.html").contains(&format!("\"{name}\"")), "{name}");
        assert!(folder.read("course/site/he/first.html").contains(&format!("\"../{name}\"")), "{name}");
    }
    assert!(folder.read("course/site/first.html").contains("width=\"256\" height=\"192\""), "a page makes room for a picture");
    assert_eq!(folder.read("course/site/CNAME"), "example.org\n");
    assert!(!at("site/images/idle.png").exists());
    assert_eq!(of_course(&folder, "verify", Some("--strict")), (Ending::Fine, of_course(&folder, "verify", None).1));
    // A picture that changes makes the site stale; one that is gone is a link that leads nowhere.
    fs::write(at("lessons/images/shown.png"), [PICTURE, b"more"].concat()).unwrap();
    let (ending, said) = of_course(&folder, "verify", None);
    assert!(ending == Ending::Problems && said.contains("site-stale") && said.contains("site/images/shown.png"), "{said}");
    fs::remove_file(at("lessons/images/shown.png")).unwrap();
    assert!(of_course(&folder, "build", None).1.contains("link-missing"));
    // A file can't take the place of a page.
    fs::write(at("lessons/images/shown.png"), PICTURE).unwrap();
    fs::write(at("lessons/static/first.html"), "mine").unwrap();
    assert!(of_course(&folder, "build", None).1.contains("site-collision"));
}

#[test]
fn a_lesson_leads_to_its_own_text() {
    for (repository, leads) in [
        ("https://github.com/x/y/blob/main/docs/", "\"https://github.com/x/y/edit/main/docs/lessons/first.md\">Edit"),
        ("https://gitlab.com/x/y/-/blob/main", "\"https://gitlab.com/x/y/-/edit/main/lessons/first.md\">Edit"),
        ("https://codeberg.org/x/y/src/branch/main", "\"https://codeberg.org/x/y/_edit/main/lessons/first.md\">Edit"),
        ("https://example.org/tree", "\"https://example.org/tree/lessons/first.md\">See"),
    ] {
        let folder = course();
        folder.edit("course/lessons/course.toml", "language =", &format!("repository = \"{repository}\"\nlanguage ="));
        of_course(&folder, "build", None);
        assert!(folder.read("course/site/first.html").contains(leads), "{repository}");
    }
}

#[test]
fn strict_takes_warnings_as_errors() {
    let folder = course();
    folder.write("course/templates/lessom.css", "");
    for (command, flag, expected) in [
        ("build", Some("--strict"), Ending::Problems),
        ("build", None, Ending::Fine),
        ("verify", None, Ending::Fine),
        ("verify", Some("--strict"), Ending::Problems),
    ] {
        let (ending, said) = of_course(&folder, command, flag);
        assert_eq!(ending, expected, "{command} {flag:?}: {said}");
        assert!(said.contains("template-unused"), "{said}");
        assert_eq!(folder.path().join("course/site").exists(), !(command == "build" && flag.is_some()), "{command} {flag:?}");
    }
}

#[test]
fn the_workflow_that_publishes_verifies_first() {
    let workflow = fs::read_to_string(repository().join(".github/workflows/pages.yml")).unwrap();
    let command = workflow.lines().find_map(|line| line.trim().strip_prefix("- run: cargo run --release --locked -- ")).unwrap();
    let folder = course();
    let at = folder.path().join("course");
    let mut words: Vec<&dyn AsRef<std::ffi::OsStr>> = vec![&"--course", &at];
    let typed: Vec<&str> = command.split(' ').collect();
    words.splice(0..0, typed.iter().map(|word| word as &dyn AsRef<std::ffi::OsStr>));
    assert_eq!(lessonc_with(&words).ending, Ending::Problems, "there is no site yet");
    of_course(&folder, "build", None);
    let said = lessonc_with(&words);
    assert_eq!(said.ending, Ending::Fine, "{said:?}");
    assert!(workflow.contains("path: site\n") && workflow.contains("needs: verify\n"));
}

#[test]
fn clean_takes_away_what_build_wrote_and_nothing_else() {
    let folder = course();
    of_course(&folder, "build", None);
    folder.write("course/site/mine.txt", "mine");
    let (ending, said) = of_course(&folder, "clean", None);
    assert!(ending == Ending::Fine && said.contains("site: ") && said.contains(" removed"), "{said}");
    assert_eq!(folder.files("course/site"), ["course/site/mine.txt"]);
    assert!(of_course(&folder, "clean", None).1.contains("0 files removed"));
}

#[test]
fn pages_know_their_address_and_their_other_languages() {
    let folder = course();
    folder.write("course/lessons/first.he.md", "+++\ntitle = \"ראשון\"\n+++\n\nטקסט.\n");
    folder.write("course/lessons/only.md", "+++\ntitle = \"Only\"\n+++\n\nText.\n");
    assert_eq!(of_course(&folder, "build", None).0, Ending::Fine);
    let page = |name: &str| folder.read(&format!("course/site/{name}"));
    let alternates = "<link rel=\"alternate\" hreflang=\"en\" href=\"https://example.org/gpu/first.html\">\n\
                      <link rel=\"alternate\" hreflang=\"he\" href=\"https://example.org/gpu/he/first.html\">\n\
                      <link rel=\"alternate\" hreflang=\"x-default\" href=\"https://example.org/gpu/first.html\">\n";
    for (name, address) in [("first.html", "first.html"), ("he/first.html", "he/first.html")] {
        assert!(page(name).contains(&format!("<link rel=\"canonical\" href=\"https://example.org/gpu/{address}\">")), "{name}");
        assert!(page(name).contains(alternates), "{name}");
    }
    assert!(page("index.html").contains("<link rel=\"canonical\" href=\"https://example.org/gpu/\">"));
    assert!(page("he/index.html").contains("hreflang=\"x-default\" href=\"https://example.org/gpu/\""));
    assert!(!page("only.html").contains("rel=\"alternate\" hreflang"));
    // Every page leads to every language: to itself in it, or to that language's list of lessons.
    let to = |name: &str, href: &str| page(name).contains(&format!("<a href=\"{href}\" lang=\"he\" hreflang=\"he\""));
    assert!(to("first.html", "he/first.html") && to("only.html", "he/index.html") && to("he/index.html", "../he/index.html"));
    assert!(page("he/index.html").contains("href=\"../he/first.html\"") && !page("he/index.html").contains("Only"));
    assert!(page("he/index.html").contains("<html lang=\"he\" dir=\"rtl\""));
    assert!(page("index.html").contains("Only") && !page("index.html").contains("ראשון"));
}
