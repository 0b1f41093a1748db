//! axe-core finds nothing on any page, at WCAG 2.2 AA and by its best practices, in light and dark, wide and on a phone.
//!
//! Must not know what axe-core looks for, nor keep exceptions.

use super::evidence::on_two_devices;
use super::{fetched, on_every_page, site};
use crate::browser::{Browser, Look, Tab};

/// What to hold a page to, and the part of it that a change of colours alone can break.
const EVERYTHING: &str = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']";
const COLOURS: &str = "{ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }";

/// What axe finds, a line each: the rule, and the first element that breaks it.
fn violations(tab: &mut Tab, look: Look, rules: &str) -> Vec<String> {
    tab.look(look);
    let found = tab.evaluate(&format!(
        "axe.run(document, {{ runOnly: {rules}, resultTypes: ['violations'] }}).then(({{ violations }}) => violations.map(rule => {{
            const [node] = rule.nodes, checks = node.any.concat(node.all, node.none);
            return `${{rule.id}}: ${{rule.help}}, at ${{rule.nodes.length}} places; ${{node.html.slice(0, 200)}} ${{checks.map(check => check.message)[0]}}`;
        }}))"
    ));
    found.as_array().unwrap().iter().map(|one| format!("{look}: {}", one.as_str().unwrap())).collect()
}

/// axe-core as a script that defines it; `None` if the caller's environment says to do without.
pub(crate) fn axe_core() -> Option<String> {
    Some(std::fs::read_to_string(fetched("axe-core/axe.min.js")?).unwrap() + "\n;undefined")
}

#[test]
fn axe_finds_nothing() {
    let Some(axe) = axe_core() else { return };
    on_every_page(|tab, page| {
        let mut found = Vec::new();
        for look in [Look::WIDE, Look::PHONE] {
            tab.look(look);
            tab.open_file(&page.file());
            tab.evaluate(&axe);
            // What is folded is hidden from axe as well.
            tab.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)");
            found.extend(violations(tab, look, EVERYTHING));
            found.extend(violations(tab, look.dark(), COLOURS));
        }
        found
    });
}

#[test]
fn axe_finds_nothing_in_what_lies_over_a_page() {
    let (Some(axe), Some(browser)) = (axe_core(), Browser::get()) else { return };
    let mut tab = browser.tab();
    for page in ["block-size.html", "he/memory-hierarchy.html"] {
        tab.look(Look::PHONE);
        tab.open_file(&site().join(page));
        tab.evaluate(&axe);
        tab.click("[popovertarget=side]");
        let mut found = violations(&mut tab, Look::PHONE, EVERYTHING);
        found.extend(violations(&mut tab, Look::PHONE.dark(), COLOURS));
        tab.press("Escape");
        tab.press("/");
        tab.until("document.activeElement.matches('dialog.search [type=search]')");
        tab.write("GPU");
        tab.until("document.querySelectorAll('dialog.search li a').length > 1");
        for look in [Look::PHONE, Look::WIDE] {
            found.extend(violations(&mut tab, look, EVERYTHING));
            found.extend(violations(&mut tab, look.dark(), COLOURS));
        }
        assert!(found.is_empty(), "{page}: {}", found.join("\n"));
    }
}

#[test]
fn axe_finds_nothing_where_readers_choose_the_device() {
    let (Some(axe), Some(browser)) = (axe_core(), Browser::get()) else { return };
    let course = on_two_devices();
    let mut tab = browser.tab();
    tab.look(Look::WIDE);
    tab.open_file(&course.path().join("site/copy.html"));
    tab.evaluate(&axe);
    let mut found = Vec::new();
    for device in ["0", "1"] {
        tab.click(&format!(".devices label:has([value='{device}'])"));
        for look in [Look::WIDE, Look::PHONE] {
            found.extend(violations(&mut tab, look, EVERYTHING));
            found.extend(violations(&mut tab, look.dark(), COLOURS));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
