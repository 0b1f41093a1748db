//! Each page is whole by itself: it fits every width, asks nobody else for anything, weighs little, complains about nothing, and
//! says the same with scripts and without.
//!
//! Must not know what pages say.

use std::io::Write as _;

use serde_json::{Value, json};

use super::{Page, on_every_page};
use crate::browser::{Look, Tab};

/// The widths of a small phone, of a larger one held sideways, and of a desk.
const WIDTHS: [u32; 3] = [320, 500, 1280];

/// What a page may weigh with all that it loads, compressed; drawings of measurements are not counted.
const WEIGHT: usize = 100 * 1000;

/// Elements wider than the page, by the selector of the outermost; what scrolls in a box of its own is none.
const TOO_WIDE: &str = "(() => {
    const root = document.documentElement;
    if (root.scrollWidth <= innerWidth) return null;
    const over = element => {
        const box = element.getBoundingClientRect();
        return box.width && (box.right > innerWidth + 1 || box.left < -1);
    };
    const culprit = [...document.body.querySelectorAll('*')].find(over);
    return `${root.scrollWidth} pixels wide of ${innerWidth}: ${culprit ? culprit.outerHTML.slice(0, 160) : '?'}`;
})()";

#[test]
fn every_page_fits_every_width() {
    on_every_page(|tab, page| {
        let mut faults = Vec::new();
        for width in WIDTHS {
            tab.look(Look { width, ..Look::WIDE });
            tab.open_file(&page.file());
            faults.extend(tab.evaluate(TOO_WIDE).as_str().map(str::to_owned));
        }
        faults
    });
}

#[test]
fn no_page_asks_others_complains_or_weighs_much() {
    on_every_page(|tab, page| {
        let home = format!("file://{}/", page.site.display());
        tab.requests();
        tab.open_file(&page.file());
        let mut faults = tab.complaints();
        if tab.evaluate("document.styleSheets.length > 0") != json!(true) {
            faults.push("has no style".into());
        }
        let requests = tab.requests();
        if !requests.contains(&format!("{home}{}", page.name)) {
            faults.push(format!("its own request was not seen: {requests:?}"));
        }
        let mut weight = 0;
        for request in requests {
            match request.strip_prefix(&home) {
                Some(file) => weight += packed(&std::fs::read(page.site.join(file.split(['?', '#']).next().unwrap())).unwrap_or_default()),
                None if request.starts_with("data:") => {}
                None => faults.push(format!("asks for {request}")),
            }
        }
        if weight > WEIGHT {
            faults.push(format!("weighs {weight} bytes"));
        }
        faults
    });
}

/// The bytes that go over a wire, without drawings.
fn packed(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let mut rest = &*text;
    while let Some((before, drawing)) = rest.split_once("<svg") {
        packer.write_all(before.as_bytes()).unwrap();
        rest = drawing.split_once("</svg>").map_or("", |(_, after)| after);
    }
    packer.write_all(rest.as_bytes()).unwrap();
    packer.finish().unwrap().len()
}

/// What a reader can read: headings, tables and all text, less the controls that scripts add.
const TEXT: &str = "(() => {
    const main = document.querySelector('main').cloneNode(true);
    main.querySelectorAll('button:not(.sort), script').forEach(control => control.remove());
    const words = element => element.textContent.replace(/\\s+/g, ' ').trim();
    return {
        headings: [...main.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(words),
        tables: [...main.querySelectorAll('table')].map(words),
        text: words(main),
    };
})()";

/// What of the page can't be seen, folded answers and the like aside.
const HIDDEN: &str = "[...document.querySelectorAll('main h1, main h2, main h3, main h4, main p, main table, main figure, main pre')]
    .filter(element => !element.closest('details, [hidden]') && element.textContent.trim())
    .filter(element => !element.checkVisibility({ visibilityProperty: true })).map(element => element.outerHTML.slice(0, 120))";

fn read(tab: &mut Tab, look: Look, page: &Page) -> Value {
    tab.look(look);
    tab.open_file(&page.file());
    json!({ "text": tab.evaluate(TEXT), "hidden": tab.evaluate(HIDDEN) })
}

#[test]
fn every_page_says_the_same_without_scripts() {
    on_every_page(|tab, page| {
        let with = read(tab, Look::WIDE, page);
        let without = read(tab, Look::WIDE.without_scripts(), page);
        tab.look(Look::WIDE);
        let differing = |part: &str| (with["text"][part] != without["text"][part]).then(|| format!("its {part} need scripts"));
        let mut faults: Vec<String> = ["headings", "tables", "text"].into_iter().filter_map(differing).collect();
        let hidden = |read: &Value| read["hidden"].as_array().unwrap().clone();
        let meant = hidden(&with);
        let hidden = hidden(&without).into_iter().filter(|element| !meant.contains(element));
        faults.extend(hidden.map(|element| format!("can't be seen without scripts: {element}")));
        faults
    });
}

/// Texts too small to read on a phone: their size, and an element of each size and kind. Drawings have sizes of their own.
const SMALL: &str = "(() => {
    const kinds = new Map(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement, size = parseFloat(getComputedStyle(element).fontSize);
        if (!walker.currentNode.data.trim() || size >= 12 || element.closest('svg, math, sup, script, style, noscript, .unseen, [aria-hidden]')) continue;
        if (element.checkVisibility()) kinds.set(`${size} ${element.localName} ${element.className} in ${element.parentElement.className}`, element);
    }
    return [...kinds].map(([kind, element]) => `${kind}: ${element.outerHTML.slice(0, 120)}`);
})()";

#[test]
fn no_text_is_too_small_for_a_phone() {
    on_every_page(|tab, page| {
        tab.look(Look::PHONE);
        tab.open_file(&page.file());
        let faults = tab.evaluate(SMALL);
        faults.as_array().unwrap().iter().map(|fault| format!("small: {}", fault.as_str().unwrap())).collect()
    });
}
