//! What a reader does with evidence: sorts a table, asks a figure where it comes from, chooses a device.
//!
//! Must not call what the page's scripts define; keys and clicks come from the browser.

use serde_json::json;

use super::site;
use crate::browser::{Browser, Look, Tab};
use crate::fixture::fixture;
use crate::support::{Folder, lessonc};

/// The texts of the rows' first cells, in order.
const FIRST_CELLS: &str = "[...document.querySelectorAll('#table-1 > .scroll tbody tr')].map(row => row.cells[0].textContent)";

#[test]
fn a_table_sorts_by_any_column_and_goes_back_to_its_plan() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    tab.open_file(&site().join("block-size.html"));
    let planned = tab.evaluate(FIRST_CELLS);
    let time = "#table-1 > .scroll th:nth-last-child(3) > button";
    let values = "(() => { const rows = [...document.querySelectorAll('#table-1 > .scroll tbody tr')];
        return rows.map(row => parseFloat(row.cells[row.cells.length - 3].firstChild.textContent)); })()";
    let sorted =
        |tab: &mut Tab, order: &str| tab.evaluate(&format!("{values}.every((value, at, all) => at === 0 || all[at - 1] {order} value)"));
    let state = "document.querySelector('#table-1 > .scroll th:nth-last-child(3)').getAttribute('aria-sort')";
    tab.click(time);
    assert_eq!((tab.evaluate(state), sorted(&mut tab, "<=")), (json!("ascending"), json!(true)), "{}", tab.evaluate(values));
    tab.press("Enter");
    assert_eq!((tab.evaluate(state), sorted(&mut tab, ">=")), (json!("descending"), json!(true)), "{}", tab.evaluate(values));
    assert_ne!(tab.evaluate(FIRST_CELLS), planned);
    tab.press("Space");
    assert_eq!((tab.evaluate(state), tab.evaluate(FIRST_CELLS)), (json!(null), planned));
}

#[test]
fn a_note_stays_within_the_window_and_goes_with_escape() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    for look in [Look::PHONE.still(), Look::WIDE.still()] {
        tab.look(look);
        tab.open_file(&site().join("block-size.html"));
        let count = tab.evaluate("document.querySelectorAll('.figure').length").as_u64().unwrap();
        for index in (0..count).step_by(5) {
            tab.evaluate(&format!(
                "(() => {{ const figure = document.querySelectorAll('.figure')[{index}]; const closed = figure.closest('details:not([open])');
                if (closed) closed.open = true; figure.focus(); }})()"
            ));
            let inside = "(() => { const note = document.activeElement.querySelector('.note'), box = note.getBoundingClientRect();
                return note.checkVisibility() && box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight; })()";
            tab.until(inside);
            tab.press("Escape");
            assert_eq!(tab.evaluate("document.activeElement.querySelector('.note').checkVisibility()"), json!(false), "{look}: {index}");
        }
        tab.click("main p .figure");
        let noted = "document.querySelector('.noted .note')?.checkVisibility() === true";
        assert_eq!(tab.evaluate(noted), json!(true), "{look}: {}", tab.evaluate("document.activeElement.outerHTML.slice(0, 300)"));
        tab.click("h1");
        tab.until("document.querySelector('.noted') === null");
    }
}

/// The fixture, published for a second device, on which nothing was measured.
pub(crate) fn on_two_devices() -> Folder {
    let course = fixture();
    let config = course.read("lessons/course.toml");
    let config = config.replace("[\"fake\"]", "[\"fake\", \"another\"]") + "\n[policy]\nrequired_devices = [\"fake\"]\n";
    course.write("lessons/course.toml", &config);
    lessonc([&"build", &"--course", &course.path()]);
    course
}

#[test]
fn readers_choose_the_device_and_keep_their_choice() {
    let Some(browser) = Browser::get() else { return };
    let course = on_two_devices();
    let file = course.path().join("site/copy.html");
    let mut tab = browser.tab();
    // Shown for the first device, for the second, and both.
    let shown = "['d0', 'd1'].map(device => [...document.querySelectorAll('main .on.' + device)].filter(part => part.checkVisibility()).length > 0)";
    tab.open_file(&file);
    assert_eq!(tab.evaluate(shown), json!([true, false]));
    tab.click(".devices input[value=\"0\"]");
    tab.press("ArrowRight");
    assert_eq!(tab.evaluate(shown), json!([false, true]));
    tab.open_file(&file);
    assert_eq!(tab.evaluate(shown), json!([false, true]), "the choice is kept");
    assert_eq!(tab.evaluate("document.querySelector('.devices input:checked').value"), json!("1"));
    tab.look(Look::WIDE.printed());
    assert_eq!(tab.evaluate(shown), json!([true, true]), "print shows all");
    tab.look(Look::WIDE.without_scripts());
    tab.open_file(&file);
    assert_eq!(tab.evaluate(shown), json!([true, false]), "without scripts the first is shown");
    let complaints = tab.complaints();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn what_is_read_stays_where_it_is_when_the_device_changes() {
    let Some(browser) = Browser::get() else { return };
    let course = on_two_devices();
    let mut tab = browser.tab();
    for look in [Look::PHONE, Look::WIDE] {
        tab.look(look);
        tab.open_file(&course.path().join("site/copy.html"));
        // What is shown on both devices, below the part that differs most in height.
        let moved = tab.evaluate(
            "(async () => {
                const still = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
                const shared = [...document.querySelectorAll('article > :not(.on):not(.devices)')].filter(part => part.checkVisibility());
                const heights = [], moved = [];
                for (const part of shared) {
                    for (const device of ['1', '0']) {
                        scrollTo({ top: scrollY + part.getBoundingClientRect().top - 70, behavior: 'instant' });
                        await still();
                        const before = part.getBoundingClientRect().top, height = document.documentElement.scrollHeight;
                        const reachable = before < 200;
                        document.querySelector(`.devices input[value='${device}']`).click();
                        await still();
                        const room = document.documentElement.scrollHeight - innerHeight - scrollY;
                        heights.push(Math.abs(document.documentElement.scrollHeight - height));
                        // At either end of the page there may be nowhere to scroll to.
                        if (reachable && room > 1 && scrollY > 1) moved.push(Math.abs(part.getBoundingClientRect().top - before));
                    }
                }
                return [Math.max(...heights), moved.length, Math.max(...moved)];
            })()",
        );
        let [height, places, most] = [0, 1, 2].map(|at| moved[at].as_f64().unwrap_or(f64::NAN));
        assert!(height > 100.0 && places >= 2.0, "{look}: the page should differ, and above what is read: {moved}");
        assert!(most <= 1.0, "{look}: {moved}");
    }
}

#[test]
fn how_figures_moved_is_printed_and_open_to_the_keyboard() {
    let Some(browser) = Browser::get() else { return };
    let mut tab = browser.tab();
    tab.look(Look::WIDE.still());
    tab.open_file(&site().join("block-size.html"));
    let seen = "[...document.querySelectorAll('.history table')].filter(table => table.checkVisibility({ contentVisibilityAuto: true }) && table.offsetHeight > 0).length";
    assert_eq!(tab.evaluate(seen), json!(0), "folded until somebody asks");
    let tables = tab.evaluate("document.querySelectorAll('.stands > .history table').length");
    assert!(tables.as_u64().is_some_and(|tables| tables > 0), "{tables}");
    tab.look(Look::WIDE.printed());
    assert_eq!(tab.evaluate(seen), tables, "print shows those of the text's figures");
    // What the notes lead to, which the Tab key passes over, the end of the page leads to as well.
    let ways = |selector: &str| format!("[...new Set([...document.querySelectorAll('{selector}')].map(way => way.href))].sort()");
    let (notes, end) = (tab.evaluate(&ways("main .moves a[tabindex=\"-1\"]")), tab.evaluate(&ways(".stands .history a:not([tabindex])")));
    assert!(notes.as_array().is_some_and(|ways| ways.len() > 3), "{notes}");
    assert_eq!(notes, end);
}
