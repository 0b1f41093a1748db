//! A page in a browser while its course is edited: what is new shows in place, and what its reader did stays.
//!
//! Must not know how; a page that loaded again has lost the mark that the test put on it.

use serde_json::json;

use super::{Running, course};
use crate::browser::{Browser, Look, Tab};
use crate::support::Folder;

/// Marks the page, so that a load shows.
fn mark(tab: &mut Tab) {
    tab.evaluate("window.is_the_same = true");
}

fn is_marked(tab: &mut Tab) -> bool {
    tab.evaluate("window.is_the_same === true") == json!(true)
}

/// A course with a lesson that is far longer than a window.
fn long_course() -> Folder {
    let folder = course();
    let paragraphs: String = (0..60).map(|number| format!("Paragraph {number} of a long page.\n\n")).collect();
    let text = folder.read("lessons/first.md");
    folder.write(
        "lessons/first.md",
        &format!("{text}\n> answer: Why?\n>\n> Because.\n\n> tab: {{ title = \"One\" }}\n> The first.\n>\n> tab: {{ title = \"Two\" }}\n> The second.\n\n{paragraphs}## The middle\n\nOf it.\n\n## The end\n\nLast words.\n"),
    );
    folder
}

fn open(preview: &Running, tab: &mut Tab, page: &str) {
    tab.open(&format!("http://{}/{page}", preview.address));
    mark(tab);
}

/// Where the paragraph that begins with `text` is in the window.
fn top(tab: &mut Tab, text: &str) -> f64 {
    let script = format!(
        "[...document.querySelectorAll('p')].find(part => part.textContent.startsWith({})).getBoundingClientRect().top",
        json!(text)
    );
    tab.evaluate(&script).as_f64().unwrap()
}

fn says(text: &str) -> String {
    format!("document.querySelector('main').textContent.includes({})", json!(text))
}

#[test]
fn what_is_new_shows_in_place_and_what_the_reader_did_stays() {
    let Some(browser) = Browser::get() else { return };
    let folder = long_course();
    let preview = Running::start(folder.path());
    let mut tab = browser.tab();
    open(&preview, &mut tab, "first.html");
    tab.click("summary");
    tab.click(".tabs .tab:nth-of-type(2) > label");
    tab.evaluate("[...document.querySelectorAll('p')].find(part => part.textContent.startsWith('Paragraph 40')).scrollIntoView({ block: 'center', behavior: 'instant' })");
    tab.evaluate("(() => { const link = document.querySelector('article a, main a'); link.focus({ preventScroll: true }); window.focused = link; })()");
    tab.evaluate(
        "(() => { const words = [...document.querySelectorAll('p')].find(part => part.textContent.startsWith('Paragraph 41')).firstChild;
        getSelection().setBaseAndExtent(words, 0, words, 12); })()",
    );
    let before = top(&mut tab, "Paragraph 40");
    // Above what is read, in it, and more of it.
    folder.edit(
        "lessons/first.md",
        "Paragraph 3 of a long page.",
        "Paragraph 3 is new.\n\nAnd one more, and more of it, above what is read.",
    );
    tab.until(&says("Paragraph 3 is new."));
    folder.edit("lessons/first.md", "Paragraph 41 of a long page.", "Paragraph 41 of a changed page.");
    tab.until(&says("Paragraph 41 of a changed page."));
    assert!(is_marked(&mut tab), "the page loaded again");
    let after = top(&mut tab, "Paragraph 40");
    assert!((before - after).abs() < 2.0, "what is read moved from {before} to {after}");
    assert_eq!(tab.evaluate("document.querySelector('details').open"), json!(true), "the answer that was opened");
    let panels = "[...document.querySelectorAll('.tabs .panel')].map(panel => panel.checkVisibility()).join()";
    assert_eq!(tab.evaluate(panels), json!("false,true"), "the tab that was chosen");
    assert_eq!(tab.evaluate("document.activeElement === window.focused"), json!(true), "the focus");
    assert_eq!(tab.evaluate("getSelection().toString()"), json!("Paragraph 41"), "what was selected");
    // What scripts do on a page is done on its new parts: a new listing can be copied.
    let copied = "document.querySelectorAll('.listing > .copy, .snippet > .copy').length";
    let buttons = tab.evaluate(copied).as_u64().unwrap();
    folder.edit("lessons/first.md", "## The end", "```cuda\nint added;\n```\n\n## The very end");
    tab.until(&format!("{} && {copied} === {}", says("int added"), buttons + 1));
    tab.until("document.querySelector('.side .here').textContent.includes('The very end')");
    assert!(is_marked(&mut tab));
    // Lists and titles are as they are in a page that is opened now.
    folder.edit("lessons/first.md", "+++\ntitle = \"", "+++\ntitle = \"Anew: ");
    tab.until("document.title.startsWith('Anew: ') && document.querySelector('h1').textContent.startsWith('Anew: ')");
    open(&preview, &mut tab, "index.html");
    folder.edit("lessons/first.md", "title = \"Anew: ", "title = \"Renamed: ");
    tab.until(&says("Renamed: "));
    assert!(is_marked(&mut tab));
    let complaints = tab.complaints();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Saves every text of `lesson` in turn, and compares the page that follows with one that is opened then.
fn compare(folder: &Folder, lesson: &str, texts: &[String]) {
    let Some(browser) = Browser::get() else { return };
    let preview = Running::start(folder.path());
    let (mut tab, mut other) = (browser.tab(), browser.tab());
    let page = lesson.replace(".md", ".html");
    // Without what the page's script marks while somebody reads.
    let seen = "document.body.outerHTML.replace(/ aria-current=.location./g, '')";
    open(&preview, &mut tab, &page);
    for (number, text) in texts.iter().enumerate() {
        let end = format!("Text {number} of {} bytes.", text.len());
        folder.write(&format!("lessons/{lesson}"), &format!("{text}\n\n{end}\n"));
        tab.until(&says(&end));
        other.open(&format!("http://{}/{page}", preview.address));
        assert_eq!(tab.evaluate(seen), other.evaluate(seen), "after text {number}");
    }
    assert!(is_marked(&mut tab));
}

#[test]
fn a_page_that_was_changed_in_place_is_as_one_that_was_opened() {
    let folder = long_course();
    let text = folder.read("lessons/first.md");
    let edits: [&dyn Fn(&str) -> String; 7] = [
        &|text| text.replace("Paragraph 7 of", "Paragraph 7, **bold**, of"),
        &|text| text.replace("Paragraph 5 of a long page.\n\n", "").replace("Paragraph 20 of", "- one\n- two\n\nParagraph 20 of"),
        &|text| text.replace("## The end", "### Another end\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## The end"),
        &|text| text.replace("first.cu#scale", "first.cu"),
        &|text| text.replace("Paragraph 30 of", "$x^2$ and `code` and [a link](https://example.org/) of"),
        &|text| text.replace("> Because.", "> Because.\n>\n> And why not?"),
        &|text| text.rsplit("\n\n").filter(|part| part.starts_with("Para")).fold(text.to_owned(), |all, part| all + "\n" + part + "\n"),
    ];
    let texts: Vec<String> = edits.iter().flat_map(|edit| [edit(&text), text.clone()]).collect();
    compare(&folder, "first.md", &texts);
}

#[test]
fn exhibits_change_in_place_too() {
    let folder = crate::fixture::fixture();
    let text = folder.read("lessons/copy.md");
    let without = |part: &str| text.split("\n\n").filter(|block| !block.starts_with(part)).collect::<Vec<_>>().join("\n\n");
    let texts = [
        without("chart:"),
        text.replace("columns = [\"items\", \"ms\", \"GB/s\"]", "columns = [\"GB/s\", \"items\"]"),
        without("> claim: grows"),
        text.replace("y = \"ms\"", "y = \"GB/s\""),
        text.replace("row('1').ms < row('4').ms", "row('1').ms > row('4').ms"),
        without("transcript:"),
        without("snippet:"),
        text.clone(),
    ];
    compare(&folder, "copy.md", &texts);
}

#[test]
fn a_sorted_table_stays_sorted_when_rows_come_and_go() {
    let Some(browser) = Browser::get() else { return };
    let folder = crate::fixture::fixture();
    let text = folder.read("lessons/copy.md");
    let preview = Running::start(folder.path());
    let mut tab = browser.tab();
    open(&preview, &mut tab, "copy.html");
    let rows = "[...document.querySelectorAll('#table-1 > .scroll tbody tr')].map(row => row.cells[0].textContent.trim()).join()";
    assert_eq!(tab.evaluate(rows), json!("1,2,4"));
    let head = "#table-1 > .scroll th:first-child > button";
    tab.click(head);
    tab.click(head);
    assert_eq!(tab.evaluate(rows), json!("4,2,1"), "downwards");
    for (wanted, expected) in [("items != 1", "4,2"), ("items != 2", "4,1"), ("items > 0", "4,2,1")] {
        folder.write("lessons/copy.md", &text.replace("table: copy { ", &format!("table: copy {{ rows = \"{wanted}\", ")));
        tab.until(&format!("{rows} === '{expected}'"));
    }
    tab.click(head);
    assert_eq!(tab.evaluate(rows), json!("1,2,4"), "and back to the plan");
    assert!(is_marked(&mut tab));
}

#[test]
fn a_style_sheet_changes_without_a_load_and_a_script_by_one_that_keeps_the_place() {
    let Some(browser) = Browser::get() else { return };
    let folder = long_course();
    let preview = Running::start(folder.path());
    let mut tab = browser.tab();
    open(&preview, &mut tab, "first.html");
    tab.click("summary");
    tab.evaluate("scrollTo({ top: 700, behavior: 'instant' })");
    folder.write("templates/styles/theme.css", "article { letter-spacing: 3px; }");
    tab.until("getComputedStyle(document.querySelector('article')).letterSpacing === '3px'");
    tab.until("document.querySelectorAll('link[rel=stylesheet]').length === 1");
    assert!(is_marked(&mut tab));
    let place = tab.evaluate("scrollY");
    folder.write("templates/scripts/lines.js", "window.is_other = true;");
    tab.until(&format!("window.is_other === true && document.querySelector('details').open && Math.abs(scrollY - {place}) < 2"));
    assert!(!is_marked(&mut tab));
}

#[test]
fn pictures_change_in_place() {
    let Some(browser) = Browser::get() else { return };
    let folder = course();
    let drawing = |width: u32| format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"10\"/>");
    folder.write("lessons/images/a.svg", &drawing(10));
    let text = folder.read("lessons/first.md");
    folder.write("lessons/first.md", &format!("{text}\n![A line](images/a.svg)\n"));
    let preview = Running::start(folder.path());
    let mut tab = browser.tab();
    open(&preview, &mut tab, "first.html");
    tab.until("document.querySelector('main img').naturalWidth === 10");
    folder.write("lessons/images/a.svg", &drawing(20));
    tab.until("document.querySelector('main img').naturalWidth === 20");
    assert!(is_marked(&mut tab));
}

#[test]
fn a_page_says_when_it_went_and_comes_back_and_meets_a_new_preview() {
    let Some(browser) = Browser::get() else { return };
    let folder = course();
    let preview = Running::start(folder.path());
    let mut tab = browser.tab();
    open(&preview, &mut tab, "first.html");
    let panel = "document.querySelector('lessonc-preview')?.shadowRoot.querySelector('.panel:not([hidden])')?.textContent ?? ''";
    let text = folder.read("lessons/first.md");
    folder.remove("lessons/first.md");
    tab.until(&format!("({panel}).includes('no part of the course any more')"));
    assert_eq!(tab.evaluate(&says("Say the one idea")), json!(true), "the page is still there to read");
    folder.write("lessons/first.md", &text.replace("Say the one idea", "Back again"));
    tab.until(&format!("{} && ({panel}) === ''", says("Back again")));
    assert!(is_marked(&mut tab));
    // Another preview on the same port, of a course that was edited meanwhile.
    let address = preview.address;
    drop(preview);
    tab.until("document.querySelector('lessonc-preview')?.shadowRoot.querySelector('.lost').textContent !== ''");
    folder.edit("lessons/first.md", "Back again", "Edited meanwhile");
    let again = Running::at(folder.path(), address.port());
    tab.until(&says("Edited meanwhile"));
    tab.until("(document.querySelector('lessonc-preview')?.shadowRoot.querySelector('.lost').textContent ?? '') === ''");
    drop(again);
}

#[test]
fn a_phone_in_the_dark_follows_too_and_keeps_the_device() {
    let Some(browser) = Browser::get() else { return };
    let folder = crate::site::evidence::on_two_devices();
    let preview = Running::start(folder.path());
    let mut tab = browser.tab();
    tab.look(Look::PHONE.still().dark());
    open(&preview, &mut tab, "copy.html");
    tab.click(".devices input[value=\"0\"]");
    tab.press("ArrowRight");
    let chosen = "[document.documentElement.dataset.device, document.querySelector('.devices input:checked').value].join()";
    assert_eq!(tab.evaluate(chosen), json!("1,1"));
    tab.press("ArrowLeft");
    // A sorted table stays sorted, new rows or not.
    tab.click("#table-1 > .scroll th:last-child > button");
    let order = "[...document.querySelectorAll('#table-1 > .scroll tbody tr')].map(row => row.textContent).join()";
    let sorted = tab.evaluate(order);
    let text = folder.read("lessons/copy.md");
    folder.write("lessons/copy.md", &format!("{text}\n\nSomething new.\n"));
    tab.until(&says("Something new."));
    assert_eq!((tab.evaluate(order), tab.evaluate(chosen)), (sorted, json!("0,0")));
    assert!(is_marked(&mut tab));
}
