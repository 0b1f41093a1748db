//! Edits of every kind of file, as editors and git make them, and what the preview tells of them.
//!
//! Must not look at a page as a reader does.

use std::fs;
use std::time::Duration;

use lessonc::serve::{Server, Settings};
use serde_json::json;

use super::{Events, Running, course, generation, settings};
use crate::support::files;

#[test]
fn an_edit_shows_a_broken_one_says_why_and_the_next_recovers() {
    let folder = course();
    let before = files(folder.path());
    let preview = Running::start(folder.path());
    assert!(preview.get("/").starts_with("HTTP/1.1 200"));
    let page = preview.get("/first.html");
    assert!(page.contains("Say the one idea") && page.contains("<head><script src=\"/_lessonc/preview.js\""), "{page}");

    folder.edit("lessons/first.md", "Say the one idea", "Another idea");
    let edited = preview.until("/first.html", |page| page.contains("Another idea"));
    assert!(generation(&edited) > generation(&page));

    // A kernel that a page shows counts as much as the page.
    folder.edit("kernels/first.cu", "y[i] = 2.0f * x[i];\n    }\n}\n// end snippet", "y[i] = 3.0f * x[i];\n    }\n}\n// end snippet");
    preview.until("/first.html", |page| page.contains("3.0f"));

    folder.edit("lessons/first.md", "first.cu#scale\n", "first.cu#sacle\n");
    let over = preview.until_over("first.html", |over| over["errors"] != 0);
    let problem = &over["problems"][0];
    assert_eq!((&problem["id"], &problem["error"], &over["page"]), (&json!("snippet-missing"), &json!(true), &json!("now")));
    assert!(problem["at"]["place"].as_str().unwrap().starts_with("lessons/first.md:"), "{problem:#}");
    assert!(problem["at"]["parts"].to_string().contains("sacle") && problem["hint"].to_string().contains("scale"), "{problem:#}");

    folder.edit("lessons/first.md", "first.cu#sacle\n", "first.cu#scale\n");
    preview.until_over("first.html", |over| over["errors"] == 0);
    assert_eq!(before, files(folder.path()), "a preview writes nothing");
}

#[test]
fn where_the_system_tells_nothing_the_files_are_looked_at() {
    let folder = course();
    let settings = Settings { poll: true, ..settings() };
    let preview = Running::of(Server::start(folder.path(), "", settings, Box::new(|_| {})).unwrap());
    folder.edit("lessons/first.md", "Say the one idea", "Another idea");
    preview.until("/first.html", |page| page.contains("Another idea"));
    folder.write("lessons/second.md", "+++\ntitle = \"Second\"\n+++\n");
    preview.until("/second.html", |page| page.starts_with("HTTP/1.1 200"));
    fs::remove_file(folder.path().join("lessons/second.md")).unwrap();
    preview.until("/second.html", |page| page.starts_with("HTTP/1.1 404"));
}

#[test]
fn news_say_which_files_changed_and_whoever_missed_some_learns_all() {
    let folder = course();
    let preview = Running::start(folder.path());
    let first = generation(&preview.get("/first.html"));
    let mut events = Events::since(&preview, first);
    assert_eq!(events.next(), json!({ "generation": first, "pages": [], "files": [] }));
    folder.edit("lessons/first.md", "Say the one idea", "Another idea");
    let news = events.next();
    assert_eq!((&news["generation"], &news["files"]), (&json!(first + 1), &json!([])));
    assert!(news["pages"].as_array().unwrap().contains(&json!("first.html")) && !news["pages"].to_string().contains("404"), "{news}");
    folder.write("templates/styles/theme.css", ":root { color: green; }");
    let news = events.next();
    assert_eq!(news, json!({ "generation": first + 2, "pages": [], "files": ["assets/lessonc.css"] }));
    let all = Events::since(&preview, first).next();
    assert!(all["pages"].to_string().contains("first.html") && all["files"] == json!(["assets/lessonc.css"]), "{all}");
    let unknown = Events::since(&preview, 7).next();
    assert_eq!(unknown, json!({ "generation": first + 2, "pages": true, "files": true }));
}

/// Makes a text that of the lesson.
type Save<'a> = &'a dyn Fn(&str);

#[test]
fn a_save_is_one_change_however_an_editor_saves_and_a_touch_is_none() {
    let folder = course();
    let preview = Running::start(folder.path());
    let lesson = folder.path().join("lessons/first.md");
    let beside = |name: &str| folder.path().join("lessons").join(name);
    let text = folder.read("lessons/first.md");
    let saves: [(&str, Save<'_>); 4] = [
        ("in place", &|text| fs::write(&lesson, text).unwrap()),
        ("vim", &|text| {
            fs::write(beside("4913"), "").unwrap();
            fs::remove_file(beside("4913")).unwrap();
            fs::rename(&lesson, beside("first.md~")).unwrap();
            fs::write(&lesson, text).unwrap();
            let mode = fs::metadata(beside("first.md~")).unwrap().permissions();
            fs::set_permissions(&lesson, mode).unwrap();
            fs::remove_file(beside("first.md~")).unwrap();
        }),
        ("JetBrains", &|text| {
            fs::write(beside("first.md___jb_tmp___"), text).unwrap();
            fs::rename(&lesson, beside("first.md___jb_old___")).unwrap();
            fs::rename(beside("first.md___jb_tmp___"), &lesson).unwrap();
            fs::remove_file(beside("first.md___jb_old___")).unwrap();
        }),
        ("a temporary file of any name", &|text| {
            fs::write(beside("sedA1b2C3"), text).unwrap();
            fs::rename(beside("sedA1b2C3"), &lesson).unwrap();
        }),
    ];
    let mut now = generation(&preview.get("/first.html"));
    let mut events = Events::since(&preview, now);
    events.next();
    for (name, save) in saves {
        save(&text); // the same text, however it is written
        std::thread::sleep(Duration::from_millis(60)); // which is read meanwhile, and not half of the next
        save(&text.replace("Say the one idea", name));
        let news = events.next();
        assert_eq!(
            (news["generation"].as_u64(), news["pages"].to_string().contains("first.html")),
            (Some(now + 1), true),
            "{name}: {news}"
        );
        assert!(preview.get("/first.html").contains(name));
        std::thread::sleep(Duration::from_millis(60)); // whatever else the save made the system say
        save(&text);
        assert_eq!(events.next()["generation"], now + 2, "{name}");
        now += 2;
    }
}

#[test]
fn new_moved_and_deleted_files_and_folders_are_seen() {
    let folder = course();
    let preview = Running::start(folder.path());
    folder.write("lessons/second.md", "+++\ntitle = \"Second\"\n+++\n\nA second page.\n");
    preview.until("/second.html", |page| page.contains("A second page."));
    fs::rename(folder.path().join("lessons/second.md"), folder.path().join("lessons/third.md")).unwrap();
    preview.until("/second.html", |answer| answer.starts_with("HTTP/1.1 404"));
    let over = preview.over("second.html");
    assert_eq!((&over["page"], &over["renamed"]), (&json!("gone"), &json!("third.html")));
    folder.remove("lessons/third.md");
    preview.until("/third.html", |answer| answer.starts_with("HTTP/1.1 404"));
    // Folders that weren't there, and what is put into them afterwards.
    assert!(!folder.path().join("templates").exists() && !folder.path().join("lessons/static").exists());
    folder.write("lessons/static/deep/note.txt", "one");
    preview.until("/deep/note.txt", |answer| answer.ends_with("one"));
    folder.write("lessons/static/deep/note.txt", "two");
    preview.until("/deep/note.txt", |answer| answer.ends_with("two"));
    folder.write("templates/icon.svg", "<svg/>");
    preview.until("/assets/icon.svg", |answer| answer.ends_with("<svg/>"));
    folder.edit("lessons/course.toml", "A course in GPU", "Changed: GPU");
    preview.until("/first.html", |page| page.contains("Changed: "));
    fs::rename(folder.path().join("templates"), folder.path().join("elsewhere")).unwrap();
    preview.until("/assets/icon.svg", |answer| !answer.ends_with("<svg/>"));
}

#[test]
fn a_page_that_cannot_be_made_stays_as_it_was() {
    let folder = course();
    let preview = Running::start(folder.path());
    let good = preview.get("/first.html");
    let text = folder.read("lessons/first.md");
    folder.write("lessons/first.md", &text.replace("+++\n\n", "\n\n"));
    let over = preview.until_over("first.html", |over| over["errors"] != 0);
    let page = preview.get("/first.html");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("Say the one idea"), "{over:#}{page}");
    folder.write("lessons/first.md", &text);
    preview.until_over("first.html", |over| over["errors"] == 0);
    folder.write("templates/lesson.html", "{{ nothing.of.this.kind }}");
    let over = preview.until_over("first.html", |over| over["page"] == "before");
    assert_eq!(
        (&over["problems"][0]["id"], &over["problems"][0]["at"]["place"]),
        (&json!("template"), &json!("templates/lesson.html:1:1"))
    );
    let body = |answer: &str| answer.split_once("<body").unwrap().1.to_owned();
    assert_eq!(body(&preview.get("/first.html")), body(&good));
    folder.remove("templates/lesson.html");
    preview.until_over("first.html", |over| over["page"] == "now" && over["errors"] == 0);
}
