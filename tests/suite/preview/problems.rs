//! What is wrong with the course, over a page in a browser: errors above it, warnings in a corner, and all of it gone when it is mended.
//!
//! Must not know the page under it.

use lessonc::serve::{Editor, Server, Settings};
use serde_json::json;

use super::{Running, course, settings};
use crate::browser::{Browser, Look, Tab};

const TREE: &str = "document.querySelector('lessonc-preview')?.shadowRoot";

/// The text of what is shown of `selector`; empty where nothing is.
fn shown(selector: &str) -> String {
    format!(
        "[...({TREE}?.querySelectorAll('{selector}') ?? [])].filter(part => part.checkVisibility()).map(part => part.innerText).join('\\n')"
    )
}

fn text(tab: &mut Tab, selector: &str) -> String {
    tab.evaluate(&shown(selector)).as_str().unwrap().to_owned()
}

#[test]
fn errors_lie_over_the_page_warnings_in_its_corner_and_go_when_mended() {
    let Some(browser) = Browser::get() else { return };
    let folder = course();
    let settings = Settings { editor: Some(Editor::named("vscode").unwrap()), ..settings() };
    let preview = Running::of(Server::start(folder.path(), "", settings, Box::new(|_| {})).unwrap());
    let mut tab = browser.tab();
    tab.open(&format!("http://{}/first.html", preview.address));
    tab.evaluate("window.is_the_same = true");
    let begin = preview.over("first.html");
    assert_eq!(begin["errors"], 0, "{begin:#}");
    let warned = |more: u64| match begin["warnings"].as_u64().unwrap() + more {
        0 => String::new(),
        1 => "1 warning".to_owned(),
        some => format!("{some} warnings"),
    };
    tab.until(&format!("({}) === '{}'", shown(".corner"), warned(0)));

    folder.edit("lessons/first.md", "first.cu#scale\n", "first.cu#sacle\n");
    tab.until(&format!("({}).includes('1 error')", shown(".panel h2")));
    let panel = text(&mut tab, ".panel");
    let place = preview.over("first.html")["problems"][0]["at"]["place"].as_str().unwrap().to_owned();
    for part in ["Error", "snippet-missing", "sacle", &place, "Help"] {
        assert!(panel.contains(part), "{part} is missing: {panel}");
    }
    assert_eq!(text(&mut tab, "li.error .line mark"), "sacle");
    let href = tab.evaluate(&format!("{TREE}.querySelector('li a').href"));
    let expected = format!("vscode://file{}/{place}", folder.path().canonicalize().unwrap().display());
    assert_eq!(href, json!(expected), "a click opens the editor");
    assert!(tab.evaluate("document.body.innerText").as_str().unwrap().contains("Say the one idea"), "the page stays under it");

    // Escape puts it away until something else is wrong, on the next page too; a click brings it back.
    tab.press("Escape");
    assert_eq!((text(&mut tab, ".panel"), text(&mut tab, ".corner")), (String::new(), text(&mut tab, ".corner")));
    assert!(text(&mut tab, ".corner").starts_with("1 error"));
    tab.open(&format!("http://{}/index.html", preview.address));
    tab.until(&format!("({}).startsWith('1 error')", shown(".corner")));
    tab.open(&format!("http://{}/first.html", preview.address));
    tab.evaluate("window.is_the_same = true");
    tab.until(&format!("({}).startsWith('1 error')", shown(".corner")));
    tab.press("Tab");
    assert_eq!(tab.evaluate(&format!("{TREE}.activeElement?.className")), json!("corner error"), "the keyboard comes there first");
    tab.press("Enter");
    assert!(text(&mut tab, ".panel h2").starts_with("1 error"));
    assert_eq!(tab.evaluate(&format!("{TREE}.activeElement?.localName")), json!("h2"));
    tab.press("Escape");
    assert_eq!(tab.evaluate(&format!("{TREE}.activeElement?.className")), json!("corner error"), "the focus goes where the panel went");
    folder.edit("lessons/first.md", "first.cu#sacle\n", "first.cu#sacle2\n");
    tab.until(&format!("({}).includes('sacle2')", shown(".panel")));

    // Warnings stay in the corner until they are asked for.
    folder.edit("lessons/first.md", "first.cu#sacle2\n", "first.cu#scale\n");
    tab.until(&format!("({}) === ''", shown(".panel")));
    folder.write("templates/no-such.css", "");
    tab.until(&format!("({}) === '{}'", shown(".corner"), warned(1)));
    assert_eq!(text(&mut tab, ".panel"), "");
    folder.remove("templates/no-such.css");
    tab.until(&format!("({}) === '{}'", shown(".corner"), warned(0)));
    assert_eq!(tab.evaluate("window.is_the_same"), json!(true), "no load was needed");
    let complaints = tab.complaints();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn the_panel_fits_and_passes_axe_in_both_themes_whatever_the_sites_style() {
    let (Some(axe), Some(browser)) = (crate::site::axe::axe_core(), Browser::get()) else { return };
    let folder = course();
    folder
        .write("templates/styles/theme.css", "* { color: yellow !important; background: yellow !important; font-size: 3rem !important; }");
    folder.edit("lessons/first.md", "first.cu#scale\n", "first.cu#sacle\n");
    let preview = Running::start(folder.path());
    let mut tab = browser.tab();
    for look in [Look::WIDE, Look::WIDE.dark(), Look::PHONE, Look::PHONE.dark()] {
        tab.look(look);
        tab.open(&format!("http://{}/first.html", preview.address));
        tab.until(&format!("({}).includes('1 error')", shown(".panel h2")));
        let fits = format!(
            "(() => {{ const box = {TREE}.querySelector('.panel').getBoundingClientRect();
                return box.left >= 0 && box.right <= innerWidth && box.top > innerHeight * 0.2 && box.bottom <= innerHeight
                    && {TREE}.querySelector('.panel').scrollWidth <= box.width
                    && parseFloat(getComputedStyle({TREE}.querySelector('.message')).fontSize) < 20; }})()"
        );
        assert_eq!(tab.evaluate(&fits), json!(true), "{look}");
        tab.evaluate(&axe);
        let found = tab.evaluate("axe.run({ include: [['lessonc-preview']] }, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(rule => rule.id + rule.nodes[0].html))");
        assert_eq!(found, json!([]), "{look}");
        tab.look(look.printed());
        assert_eq!(text(&mut tab, ".panel"), "", "paper shows the page alone");
    }
}
