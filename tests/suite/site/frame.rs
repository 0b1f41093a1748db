//! What stands around a page: its colours, the contents that follow the reader, and what is opened over it on a phone.
//!
//! Must not call what the page's scripts define; keys and clicks come from the browser.

use serde_json::{Value, json};

use super::site;
use crate::browser::{Browser, Look, Tab};

const LESSON: &str = "block-size.html";
const HEBREW: &str = "he/memory-hierarchy.html";

/// The colour of the paper, and which choice the switch shows.
const COLOURS: &str = "[getComputedStyle(document.documentElement).backgroundColor, document.querySelector('.theme :checked').value]";

fn colours(tab: &mut Tab) -> (String, String) {
    let found: (String, String) = serde_json::from_value(tab.evaluate(COLOURS)).unwrap();
    found
}

#[test]
fn colours_are_the_systems_until_a_reader_chooses_and_stay_chosen() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    tab.look(Look::WIDE.still());
    tab.open_file(&site().join(LESSON));
    let (light, chosen) = colours(&mut tab);
    assert_eq!(chosen, "system");
    tab.look(Look::WIDE.still().dark());
    let (dark, _) = colours(&mut tab);
    assert_ne!(light, dark);
    for (key, chosen, paper) in [("ArrowLeft", "light", &light), ("ArrowRight", "system", &dark), ("ArrowRight", "dark", &dark)] {
        tab.evaluate("document.querySelector('.theme :checked').focus()");
        tab.press(key);
        assert_eq!(colours(&mut tab), (paper.clone(), chosen.to_owned()), "{key}");
    }
    // Chosen on one page, it is so on the next, before anything is drawn: no script but the head's own has run by then.
    tab.look(Look::WIDE.still());
    tab.open_file(&site().join(HEBREW));
    assert_eq!(colours(&mut tab), (dark, "dark".to_owned()));
    let head =
        tab.evaluate("[...document.scripts].filter(script => !script.defer && !script.src).map(script => script.textContent).join()");
    assert!(head.as_str().unwrap().contains("dataset.theme"), "{head}");
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

#[test]
fn a_heading_followed_from_the_contents_closes_them() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    tab.look(Look::PHONE.still());
    tab.open_file(&site().join(LESSON));
    tab.click("[popovertarget='side']");
    tab.click(".side .here a");
    tab.until("!document.getElementById('side').checkVisibility() && location.hash.length > 1");
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
