//! What a reader can do with a page by hand: reach everything by keyboard, and copy code as it stands in its file.
//!
//! Must not call what the page's scripts define; keys and clicks come from the browser.

use serde_json::{Value, json};

use super::site;
use crate::browser::{Browser, Look, Tab};
use crate::support::{files, repository};

/// A page of each kind; what is found on one holds for its kind, for they share a template.
const KINDS: [&str; 5] = [
    "index.html",
    "block-size.html",
    "he/memory-hierarchy.html",
    "sources/registers.cu.html",
    "evidence/streaming/2026-11-30-nvidia-h200.html",
];

/// Notes what gets the focus, and whether its reader can see that it has it.
const WATCH_FOCUS: &str = "window.reached = []; document.addEventListener('focusin', ({ target }) => {
    const style = getComputedStyle(target), box = target.getClientRects()[0] ?? target.getBoundingClientRect();
    const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    const top = document.elementFromPoint((Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2,
        (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2);
    reached.push({ target, outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
        inside, covered: inside && !(top && (target.contains(top) || top.contains(target))) });
}); undefined";

/// What of that is wrong, and what the keyboard should have reached and didn't.
const FOCUS_FAULTS: &str = "(() => {
    const name = element => element.outerHTML.slice(0, 120), faults = [];
    for (const { target, outlined, inside, covered } of reached) {
        if (!outlined) faults.push(`no sign of focus: ${name(target)}`);
        if (!inside) faults.push(`focus out of sight: ${name(target)}`);
        if (covered) faults.push(`focus behind something: ${name(target)}`);
    }
    const seen = new Set(reached.map(({ target }) => target));
    for (const element of document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex=\"0\"]')) {
        if (element.checkVisibility({ visibilityProperty: true }) && !element.disabled && element.tabIndex >= 0 && !seen.has(element)) {
            if (element.type !== 'radio') faults.push(`never reached: ${name(element)}`);
        }
    }
    return faults;
})()";

fn focus_faults(tab: &mut Tab, page: &str, look: Look) -> Vec<String> {
    tab.look(look);
    tab.open_file(&site().join(page));
    tab.evaluate(WATCH_FOCUS);
    for presses in 1.. {
        tab.press("Tab");
        // Past the last element the focus leaves the page, and comes back to the first.
        if tab.evaluate("document.activeElement === document.body || reached.length > 1 && reached.at(-1).target === reached[0].target")
            == json!(true)
        {
            break;
        }
        assert!(presses < 3000, "{page}: the focus goes on and on");
    }
    assert!(tab.evaluate("reached.length").as_u64() > Some(5), "{page}: next to nothing was reached");
    let faults = tab.evaluate(FOCUS_FAULTS);
    faults.as_array().unwrap().iter().map(|fault| format!("{page} {look}: {}", fault.as_str().unwrap())).collect()
}

#[test]
fn the_keyboard_reaches_everything_and_shows_where_it_is() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    let mut faults = Vec::new();
    for page in KINDS {
        for look in [Look::WIDE.still(), Look::PHONE.still().dark()] {
            faults.extend(focus_faults(&mut tab, page, look));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_first_key_leads_past_the_navigation() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    for page in KINDS {
        tab.open_file(&site().join(page));
        tab.press("Tab");
        tab.press("Enter");
        tab.until("location.hash === '#main'");
        tab.press("Tab");
        assert_eq!(tab.evaluate("document.activeElement.closest('main, footer') !== null"), json!(true), "{page}");
    }
}

#[test]
fn copied_code_is_the_code_of_its_file() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    tab.lend_clipboard();
    tab.open_file(&site().join("block-size.html"));
    let bare = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let kernels = repository().join("kernels");
    let read = |name: String| std::fs::read_to_string(kernels.join(name)).unwrap();
    let source = bare(&files(&kernels).into_iter().map(read).collect::<String>());
    let count = tab.evaluate("document.querySelectorAll('.snippet button.copy').length").as_u64().unwrap();
    assert!(count > 0);
    for index in 0..count {
        tab.evaluate("navigator.clipboard.writeText('nothing')");
        tab.evaluate(&format!("document.querySelectorAll('.snippet button.copy')[{index}].id = 'copy-{index}'"));
        tab.click(&format!("#copy-{index}"));
        tab.until("navigator.clipboard.readText().then(text => text !== 'nothing')");
        let Value::String(copied) = tab.evaluate("navigator.clipboard.readText()") else { panic!("no text") };
        assert!(copied.trim().len() > 20 && source.contains(bare(&copied).trim()), "{copied}");
    }
}

#[test]
fn an_address_leads_to_its_lines() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    let page = site().join("sources/block-size.cu.html");
    // How the lines that are lit begin, and whether the first of them is in sight.
    let lit = "(() => {
        const lines = [...document.querySelectorAll('.code r-')].filter(line => getComputedStyle(line).backgroundColor !== 'rgba(0, 0, 0, 0)');
        const box = lines[0]?.getBoundingClientRect();
        return [lines.map(line => line.textContent.trim().slice(0, 8)), !!box && box.top >= 0 && box.bottom <= innerHeight];
    })()";
    let region = "// Brigh // i, i // read extern \" const fl unsigned { const un for (uns i < pixe y[i] = 0 }";
    // A lesson links to the second; the first and the last have an address by scripts alone. A region is lit whole by scripts alone.
    let cases = [
        ("L40", "g[i] = s", None),
        ("L23", "y[i] = 0", Some("y[i] = 0")),
        ("L13-L24", region, Some("// Brigh")),
        ("L36-L37", "bits = ( bits = (", None),
    ];
    for (anchor, with_scripts, without) in cases {
        for (look, expected) in [(Look::PHONE.still(), Some(with_scripts)), (Look::PHONE.still().without_scripts(), without)] {
            tab.look(look);
            tab.open("about:blank");
            tab.open(&format!("file://{}#{anchor}", page.display()));
            let found = tab.evaluate(lit);
            let lines: Vec<&str> = found[0].as_array().unwrap().iter().filter_map(Value::as_str).map(str::trim).collect();
            assert_eq!((lines.join(" "), found[1] == json!(true)), (bare(expected), expected.is_some()), "{look} {anchor}");
        }
    }
}

/// Words with one blank between any two.
fn bare(words: Option<&str>) -> String {
    words.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn tabs_are_chosen_by_mouse_and_keys_without_a_script_and_print_shows_all() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    // Which panels of the first tabs are seen.
    let seen = "[...document.querySelector('.tabs').querySelectorAll('.panel')].map(panel => panel.checkVisibility())";
    for look in [Look::PHONE.still(), Look::WIDE.still().without_scripts()] {
        tab.look(look);
        tab.open_file(&site().join("writing-a-lesson.html"));
        assert_eq!(tab.evaluate(seen), json!([true, false]), "{look}");
        tab.click(".tabs .tab:nth-of-type(2) > label");
        assert_eq!(tab.evaluate(seen), json!([false, true]), "{look}");
        tab.press("ArrowLeft");
        assert_eq!(tab.evaluate(seen), json!([true, false]), "{look}: by keys");
        tab.look(look.printed());
        assert_eq!(tab.evaluate(seen), json!([true, true]), "{look}: on paper");
    }
}

#[test]
fn nothing_moves_for_those_who_asked_for_rest() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    let moving = "[...document.querySelectorAll('*')].filter(element => { const style = getComputedStyle(element);
        return style.scrollBehavior === 'smooth' || style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0; }).length";
    for page in KINDS {
        tab.look(Look::WIDE.still());
        tab.open_file(&site().join(page));
        assert_eq!(tab.evaluate(moving), json!(0), "{page}");
    }
}
