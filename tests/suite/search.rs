//! The search in a real browser: from a disk and in the preview, in both languages, by keyboard alone, and what a query costs.

use std::path::Path;

use serde_json::{Value, json};

use super::browser::{Browser, Tab};
use super::preview::Running;
use super::support::{Folder, files, lessonc, repository};

/// What a query may load.
const MOST: u64 = 70_000;

const CONFIG: &str = "title = \"Courses\"\nsummary = \"On words.\"\n";

const ENGLISH: &str = "+++
title = \"Warps and shuffles\"
summary = \"How lanes talk.\"
+++

The first words speak of occupancy, and of measuring it.

## Shuffles

A lane reads a register of another by `__shfl_down_sync`, without any shared memory.

### Latency hiding

While one warp waits, the scheduler runs others.

```cuda
float v = __ldg(&x[threadIdx.x]);
cudaMemcpyAsync(y, x, n);
```
";

const OTHER: &str = "+++\ntitle = \"Other things\"\n+++\n\nShared caches, and a lane of memory.\n\n## Reductions\n\nSum by `atomicAdd`.\n";

const HEBREW: &str = "+++\ntitle = \"נימים\"\n+++\n\nמבוא קצר על הזיכרון.\n\n## מדידות\n\nהמדידה בבלוקים נעשית ב־`__shfl_down_sync`.\n";

fn course() -> Folder {
    let folder = Folder::new();
    folder.write("lessons/course.toml", CONFIG);
    folder.write("lessons/warps.md", ENGLISH);
    folder.write("lessons/warps.he.md", HEBREW);
    folder.write("lessons/other.md", OTHER);
    lessonc([&"build", &"--course", &folder.path()]);
    folder
}

fn on_disk(folder: &Path, page: &str) -> String {
    format!("file://{}/{page}", folder.display())
}

/// Opens the search by its key and types `query`; gives the links found, their marked words, and what is said aloud.
fn search(tab: &mut Tab, query: &str) -> Value {
    tab.until("!document.querySelector('button.search').hidden");
    tab.evaluate("document.querySelector('dialog.search').close(); document.querySelector('dialog.search ol').replaceChildren(); document.querySelector('dialog.search [role=status]').textContent = ''");
    tab.press("/");
    tab.until("document.querySelector('dialog.search').open && document.activeElement.type === 'search' && !!window.lessonc_dialog");
    tab.evaluate("document.activeElement.value = ''");
    tab.write(query);
    tab.until("document.querySelector('dialog.search [role=status]').textContent !== ''");
    tab.evaluate(
        "({ links: Array.from(document.querySelectorAll('dialog.search li a'), (link) => link.getAttribute('href')),
            marks: Array.from(document.querySelectorAll('dialog.search li:first-child mark'), (mark) => mark.textContent),
            said: document.querySelector('dialog.search [role=status]').textContent,
            bytes: Number(document.querySelector('dialog.search').dataset.bytes) })",
    )
}

/// What each query must find first, and the words that are marked there.
const ENGLISH_CASES: [(&str, &str, &[&str]); 11] = [
    ("occupancy", "warps.html", &["occupancy"]),
    ("measures ", "warps.html", &["measuring"]),
    ("measuri", "warps.html", &["measuring"]),
    ("__shfl_down_sync", "warps.html#shuffles", &["__shfl_down_sync"]),
    ("shfl", "warps.html#shuffles", &["__shfl_down_sync"]),
    ("register memory", "warps.html#shuffles", &["register", "memory"]),
    ("latency sched", "warps.html#latency-hiding", &["Latency", "scheduler"]),
    ("cudaMemcpyAsync", "warps.html#latency-hiding", &["cudaMemcpyAsync"]),
    ("other things", "other.html", &["Other", "things"]),
    ("reductoin", "other.html#reductions", &["Reductions"]),
    ("atomicadd", "other.html#reductions", &["atomicAdd"]),
];

const HEBREW_CASES: [(&str, &str, &[&str]); 4] = [
    ("זיכרון", "../he/warps.html", &["הזיכרון"]),
    ("מדידה ", "../he/warps.html#מדידות", &["מדידות", "המדידה"]),
    ("בלוק", "../he/warps.html#מדידות", &["בבלוקים"]),
    ("shfl_down_sync", "../he/warps.html#מדידות", &["__shfl_down_sync"]),
];

fn finds(tab: &mut Tab, cases: &[(&str, &str, &[&str])]) {
    for &(query, link, marks) in cases {
        let found = search(tab, query);
        assert_eq!((&found["links"][0], &found["marks"]), (&json!(link), &json!(marks)), "{query}: {found}");
        assert!(found["bytes"].as_u64().is_some_and(|bytes| bytes > 0 && bytes <= MOST), "{query}: {found}");
    }
    let nothing = search(tab, "qqqqqqqq");
    assert_eq!(nothing["links"], json!([]), "{nothing}");
}

#[test]
fn words_are_found_from_a_disk_and_in_the_preview_in_both_languages() {
    let Some(browser) = Browser::get() else { return };
    let folder = course();
    let preview = Running::start(folder.path());
    let mut tab = browser.tab();
    let site = folder.path().join("site");
    for base in [on_disk(&site, ""), format!("http://{}/", preview.address)] {
        tab.open(&format!("{base}other.html"));
        finds(&mut tab, &ENGLISH_CASES);
        tab.open(&format!("{base}he/warps.html"));
        finds(&mut tab, &HEBREW_CASES);
        let complaints = tab.complaints();
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }
}

#[test]
fn the_search_needs_no_mouse() {
    let Some(browser) = Browser::get() else { return };
    let folder = course();
    let mut tab = browser.tab();
    tab.open(&on_disk(&folder.path().join("site"), "other.html"));
    let found = search(&mut tab, "register lane");
    assert_eq!((&found["links"].as_array().map(Vec::len), &found["said"]), (&Some(3), &json!("3 sections")), "{found}");
    let focused = |tab: &mut Tab| tab.evaluate("document.activeElement.getAttribute('href') || document.activeElement.type");
    tab.press("ArrowDown");
    assert_eq!(focused(&mut tab), found["links"][0]);
    for _ in 0..3 {
        tab.press("ArrowDown");
    }
    assert_eq!(focused(&mut tab), found["links"][2]);
    for _ in 0..3 {
        tab.press("ArrowUp");
    }
    assert_eq!(focused(&mut tab), json!("search"));
    tab.press("Escape");
    tab.until("!document.querySelector('dialog.search').open");
    // The key can be switched off.
    tab.evaluate("document.querySelector('dialog.search [type=checkbox]').click()");
    tab.press("/");
    assert_eq!(tab.evaluate("document.querySelector('dialog.search').open"), json!(false));
    tab.evaluate("document.querySelector('dialog.search [type=checkbox]').click()");
    let found = search(&mut tab, "shuffles register");
    tab.press("Enter");
    tab.until("location.pathname.endsWith('/warps.html') && location.hash === '#shuffles'");
    assert_eq!(found["links"][0], json!("warps.html#shuffles"));
}

#[test]
fn both_sides_read_words_alike() {
    let Some(browser) = Browser::get() else { return };
    let folder = course();
    let mut tab = browser.tab();
    tab.open(&on_disk(&folder.path().join("site"), "other.html"));
    search(&mut tab, "lane");
    for line in include_str!("../../src/pages/search/terms.txt").lines() {
        let (text, expected) = line.split_once(" = ").unwrap();
        let script = format!(
            "lesson_terms.words({}).flatMap(({{ word }}) => lesson_terms.of(word).map((term, at) => at ? `(${{term}})` : term)).join(' ')",
            json!(text)
        );
        assert_eq!(tab.evaluate(&script), json!(expected), "{text}");
    }
}

/// The answer to `query` of the index of `language`, once it is there.
fn ask(tab: &mut Tab, language: &str, query: &str) -> Value {
    tab.evaluate(&format!(
        "new lesson_index.Index(document.querySelector('link[rel=stylesheet]').href.replace(/assets.*/, ''), {}).find({})",
        json!(language),
        json!(query)
    ))
}

#[test]
fn each_lesson_of_this_course_is_found_by_its_headings() {
    let Some(browser) = Browser::get() else { return };
    let out = Folder::new();
    lessonc([&"build", &"--course", &repository(), &"--out", &out.path()]);
    let pages: Vec<String> =
        files(out.path()).into_iter().filter(|name| name.ends_with(".html") && name.matches('/').count() < 2).collect();
    let mut tab = browser.tab();
    let mut lessons = 0;
    for page in pages.iter().filter(|page| !page.starts_with("sources/") && !page.starts_with("evidence/")) {
        tab.open(&on_disk(out.path(), page));
        let headings = tab.evaluate(
            "Array.from(document.querySelectorAll('article h2[id], article h3[id]'), (heading) => heading.textContent.replace(/#$/, '')).slice(0, 4)",
        );
        let headings: Vec<String> = serde_json::from_value(headings).unwrap();
        if headings.is_empty() {
            continue;
        }
        lessons += 1;
        let language = if page.starts_with("he/") { "he" } else { "en" };
        search(&mut tab, "a");
        for heading in headings {
            let found = ask(&mut tab, language, &heading);
            let links: Vec<&str> = found["results"].as_array().unwrap().iter().filter_map(|result| result["href"].as_str()).collect();
            assert!(links.iter().take(3).any(|link| link.starts_with(page.as_str())), "{page}: {heading}: {links:?}");
            assert!(found["bytes"].as_u64().unwrap() <= MOST, "{heading}: {}", found["bytes"]);
        }
    }
    assert!(lessons > 5, "{pages:?}");
}

#[test]
fn a_query_costs_no_more_where_lessons_are_many() {
    let Some(browser) = Browser::get() else { return };
    let folder = Folder::new();
    folder.write("lessons/course.toml", CONFIG);
    for lesson in 0..150 {
        let section = |index: usize| {
            let own: Vec<String> = (0..40).map(|word| format!("common{} rare{}", word % 9, lesson * 700 + index * 40 + word)).collect();
            format!("## Heading {index} of warps\n\nShared memory of lesson {lesson}: {}.\n\n", own.join(" "))
        };
        let sections: String = (0..6).map(section).collect();
        folder.write(&format!("lessons/l{lesson}.md"), &format!("+++\ntitle = \"Lesson {lesson}\"\n+++\n\nIn short.\n\n{sections}"));
    }
    lessonc([&"build", &"--course", &folder.path()]);
    let mut tab = browser.tab();
    tab.open(&on_disk(&folder.path().join("site"), "l7.html"));
    search(&mut tab, "a");
    for query in ["shared memory", "com", "common1 common2 common3 common4 common5 common6", "heading of warps l", "sharde memroy", "r"] {
        let found = ask(&mut tab, "en", query);
        let bytes = found["bytes"].as_u64().unwrap_or_else(|| panic!("{query}: {found}"));
        assert!(bytes <= MOST, "{query}: {bytes} bytes");
        assert!(query == "r" || found["results"].as_array().is_some_and(|results| results.len() >= 5), "{query}: {found}");
    }
    let found = ask(&mut tab, "en", "rare70123");
    assert_eq!(found["results"][0]["href"], json!("l100.html#heading-3-of-warps"), "{found}");
}
