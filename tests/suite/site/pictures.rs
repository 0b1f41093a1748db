//! Pictures of every kind of page at three widths, in both themes and as printed, for people to look at.
//!
//! Must not judge them.

use std::path::Path;

use super::pages;
use crate::browser::{Browser, Look};

/// `cargo test --test suite pictures -- --ignored` writes them to `target/tmp/pictures`.
#[test]
#[ignore = "for people to look at"]
fn pictures() {
    let Some(browser) = Browser::get() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    std::fs::create_dir_all(&folder).unwrap();
    let mut tab = browser.tab();
    let wanted = std::env::var("LESSONC_PICTURES").unwrap_or_default();
    for page in pages().iter().filter(|page| page.name.contains(&wanted)) {
        for look in
            [Look::WIDE, Look::WIDE.dark(), Look::WIDE.printed(), Look { width: 500, ..Look::WIDE }, Look::PHONE, Look::PHONE.dark()]
        {
            tab.look(look);
            tab.open_file(&page.file());
            let name = format!("{} {look}.png", page.name.trim_end_matches(".html").replace('/', " "));
            std::fs::write(folder.join(name.replace(' ', "-")), tab.picture()).unwrap();
        }
    }
}
