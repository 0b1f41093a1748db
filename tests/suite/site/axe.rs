//! axe-core finds nothing on any page, at WCAG 2.2 AA and by its best practices, in light and dark, wide and on a phone.
//!
//! Must not know what axe-core looks for, nor keep exceptions.

use super::{fetched, on_every_page};
use crate::browser::{Look, Tab};

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

#[test]
fn axe_finds_nothing() {
    let Some(file) = fetched("axe-core/axe.min.js") else { return };
    let axe = std::fs::read_to_string(file).unwrap() + "\n;undefined";
    on_every_page(|tab, page| {
        let mut found = Vec::new();
        for look in [Look::WIDE, Look::PHONE] {
            tab.look(look);
            tab.open_file(&page.file());
            tab.evaluate(&axe);
            found.extend(violations(tab, look, EVERYTHING));
            found.extend(violations(tab, look.dark(), COLOURS));
        }
        found
    });
}
