//! What stands around a page: its colours, the contents that follow the reader, and what is opened over it on a phone.
//!
//! Must not call what the page's scripts define; keys and clicks come from the browser.

use serde_json::{Value, json};

use super::site;
use crate::browser::{Browser, Look};

const LESSON: &str = "block-size.html";
const HEBREW: &str = "he/memory-hierarchy.html";

/// What a page is painted with, and which theme is chosen in its switch.
const THEME: &str =
    "[getComputedStyle(document.documentElement).backgroundColor, document.querySelector('fieldset.theme input:checked').value]";

#[test]
fn the_theme_follows_the_system_until_somebody_chooses_and_then_the_choice() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    let index = site().join("index.html");
    tab.open_file(&index);
    let light = tab.evaluate(THEME);
    tab.look(Look::WIDE.dark());
    let dark = tab.evaluate(THEME);
    assert!(light[0] != dark[0] && light[1] == "system" && dark[1] == "system", "{light} {dark}");
    tab.click("fieldset.theme label:has([value=light])");
    assert_eq!(tab.evaluate(THEME), json!([light[0], "light"]));
    // On the next page, before there is anything to paint: a page that turns light afterwards has flashed.
    tab.on_new_page(
        "new MutationObserver((_, observer) => { if (document.body) { observer.disconnect();
        window.early = getComputedStyle(document.documentElement).colorScheme; } }).observe(document, { childList: true, subtree: true })",
    );
    tab.open_file(&site().join("block-size.html"));
    assert_eq!(tab.evaluate("[early, document.querySelector('fieldset.theme input:checked').value]"), json!(["light", "light"]));
    tab.look(Look::WIDE);
    tab.click("fieldset.theme label:has([value=dark])");
    assert_eq!(tab.evaluate(THEME), json!([dark[0], "dark"]));
    tab.open_file(&index);
    tab.click("fieldset.theme label:has([value=system])");
    assert_eq!(tab.evaluate(THEME), light);
    tab.look(Look::WIDE.dark().printed());
    assert_eq!(tab.evaluate("getComputedStyle(document.documentElement).colorScheme"), "light", "paper is white");
    tab.look(Look::WIDE.dark());
    for (key, chosen, paper) in [("ArrowLeft", "light", &light), ("ArrowRight", "system", &dark), ("ArrowRight", "dark", &dark)] {
        tab.evaluate("document.querySelector('fieldset.theme :checked').focus()");
        tab.press(key);
        assert_eq!(tab.evaluate(THEME), json!([paper[0], chosen]), "{key}");
    }
}

#[test]
fn contents_open_over_a_small_page_and_close_by_keyboard_and_by_a_choice() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    tab.look(Look::PHONE.still());
    tab.open_file(&site().join("he/memory-hierarchy.html"));
    let open = "document.querySelector('#side').matches(':popover-open')";
    let shown = "document.querySelector('#side a').checkVisibility()";
    assert_eq!(tab.evaluate(shown), json!(false));
    tab.click("[popovertarget=side]");
    assert_eq!((tab.evaluate(open), tab.evaluate(shown)), (json!(true), json!(true)));
    tab.press("Escape");
    assert_eq!(tab.evaluate(open), json!(false));
    assert_eq!(tab.evaluate("document.activeElement.matches('[popovertarget=side]')"), json!(true), "the focus comes back to where it was");
    tab.press("Enter");
    tab.until(open);
    tab.click("#side .here li:nth-child(3) a");
    tab.until("location.hash.length > 1 && !document.querySelector('#side').matches(':popover-open')");
    let top = tab.evaluate("document.querySelector(decodeURIComponent(location.hash)).getBoundingClientRect().top").as_f64().unwrap();
    assert!((-1.0..200.0).contains(&top), "the heading lies {top} pixels down");
}

#[test]
fn the_contents_follow_the_reader() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    for page in [LESSON, HEBREW] {
        tab.look(Look::WIDE.still());
        tab.open_file(&site().join(page));
        let ids = tab.evaluate("[...document.querySelectorAll('.side .here a')].map(link => decodeURIComponent(link.hash.slice(1)))");
        let ids: Vec<String> = serde_json::from_value(ids).unwrap();
        assert!(ids.len() > 5, "{page}: {ids:?}");
        for id in &ids {
            tab.evaluate(&format!("document.getElementById({}).scrollIntoView({{ block: 'start' }})", json!(id)));
            let marked = "[...document.querySelectorAll('.side .here [aria-current]')].map(link => decodeURIComponent(link.hash.slice(1)))";
            // The last ones can't come to the top; what is read then is the last in sight.
            let at_end = "scrollY + innerHeight >= document.documentElement.scrollHeight - 2";
            let last = json!(ids.last());
            tab.until(&format!("({marked}).join() === ({at_end} ? {last} : {})", json!(id)));
            let seen = "(() => { const link = document.querySelector('.side .here [aria-current]').getBoundingClientRect();
                const side = document.querySelector('.side').getBoundingClientRect();
                return [side.top, link.top, link.bottom, side.bottom, innerHeight]; })()";
            let seen: Vec<f64> = serde_json::from_value(tab.evaluate(seen)).unwrap();
            assert!(seen.is_sorted(), "{page}: {id} is out of sight in the sidebar: {seen:?}");
        }
    }
}

#[test]
fn a_phone_opens_contents_and_menu_over_the_page() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    // Without scripts, too: the browser opens and closes them itself.
    for look in [Look::PHONE.still(), Look::PHONE.still().without_scripts()] {
        for (page, name) in [(LESSON, "side"), (HEBREW, "side"), (LESSON, "menu"), (HEBREW, "menu")] {
            tab.look(look);
            tab.open_file(&site().join(page));
            let shown = format!("document.getElementById('{name}').checkVisibility()");
            assert_eq!(tab.evaluate(&shown), json!(false), "{page} {name}");
            tab.click(&format!("[popovertarget='{name}']"));
            assert_eq!(tab.evaluate(&shown), json!(true), "{page} {name}");
            let fits = format!(
                "(() => {{ const box = document.getElementById('{name}').getBoundingClientRect();
                    return box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight; }})()"
            );
            assert_eq!(tab.evaluate(&fits), json!(true), "{page} {name} fits");
            tab.press("Escape");
            assert_eq!(tab.evaluate(&shown), json!(false), "{page} {name}");
        }
    }
    tab.look(Look::WIDE.still());
    tab.open_file(&site().join(LESSON));
    let buttons = tab.evaluate("[...document.querySelectorAll('[popovertarget]')].filter(button => button.checkVisibility()).length");
    assert_eq!(buttons, json!(0), "there is room for both on a desk");
}

/// Characters of whole lines of running text, least and most of the page's paragraphs.
const LINES: &str = "[...document.querySelectorAll('article > p')].flatMap(paragraph => {
    const range = document.createRange();
    range.selectNodeContents(paragraph);
    const lines = new Set([...range.getClientRects()].filter(box => box.height > 12).map(box => Math.round(box.bottom / 8)));
    return lines.size > 3 ? [paragraph.innerText.length / lines.size] : [];
})";

#[test]
fn lines_are_as_long_as_lines_should_be() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    for width in [1280, 1440, 1920] {
        tab.look(Look { width, ..Look::WIDE });
        tab.open_file(&site().join(LESSON));
        let Value::Array(lines) = tab.evaluate(LINES) else { panic!("no lines") };
        let lengths: Vec<f64> = lines.iter().filter_map(Value::as_f64).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        assert!(lengths.len() > 3 && (55.0..=80.0).contains(&mean), "{mean} characters a line at {width}: {lengths:?}");
    }
}
