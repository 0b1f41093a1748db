//! Turns Markdown into pages, to see what becomes of footnotes, alerts, tasks, formulas, tabs and their like.
//!
//! Must not know exhibits.

use super::{COURSE, built, compile, page, tree};
use crate::base::problem::{Problem, Problems};
use crate::course::document::FRAME_IDS;
use crate::pages::template::BUILT_IN;

fn shown(text: &str) -> (String, Vec<Problem>) {
    let (compiled, problems) = built(&format!("+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\n{text}\n"));
    let about = |problem: &Problem| problem.at.as_ref().is_some_and(|at| &*at.file == "lessons/block-size.md");
    let problems = problems.into_iter().filter(|problem| about(problem) && problem.id != "nothing-shown").collect();
    (page(&compiled, "block-size.html"), problems)
}

/// What the page of `text` must hold, piece by piece and in this order.
fn check(text: &str, pieces: &[&str]) {
    let (html, problems) = shown(text);
    assert_eq!(problems.iter().map(|problem| &problem.message).collect::<Vec<_>>(), Vec::<&String>::new(), "{text}");
    let mut rest = html.as_str();
    for piece in pieces {
        let at = rest.find(piece).unwrap_or_else(|| panic!("{text}: no `{piece}` in order in\n{html}"));
        rest = &rest[at + piece.len()..];
    }
}

#[test]
fn footnotes_stand_at_the_end_in_the_order_of_their_marks() {
    check(
        "One[^b], two[^a], one again[^B].\n\n[^a]: It says `= row('256').ms`.\n\n    - more\n\n[^b]: See that[^c].\n\n[^c]: Last.\n\nAfter.",
        &[
            "<a id=\"note-mark-1\" href=\"#footnote-1\" role=\"doc-noteref\" aria-label=\"Footnote 1\">1</a>",
            "href=\"#footnote-2\"",
            "<a id=\"note-mark-3\" href=\"#footnote-1\"",
            "After.",
            "<section class=\"footnotes\"",
            "<li id=\"footnote-1\"><p>See that<sup class=\"note-mark\"><a id=\"note-mark-4\" href=\"#footnote-3\"",
            "href=\"#note-mark-1\"",
            "<sup>1</sup></a> <a class=\"note-back\" href=\"#note-mark-3\"",
            "<li id=\"footnote-2\"><p>It says <span class=\"figure\"",
            "<li>more</li>",
            "<p><a class=\"note-back\" href=\"#note-mark-2\"",
            "<li id=\"footnote-3\"><p>Last. <a class=\"note-back\"",
        ],
    );
    let (html, _) = shown("## Footnote 1\n\n## A[^a] [b](#a)\n\n## C\n\n[^a]: Text.");
    assert!(html.contains("<a href=\"#a-b\">A b</a>"), "a heading in the contents leads one way: {html}");
    assert!(html.contains("id=\"footnote-2\"") && html.matches("id=\"footnote-1\"").count() == 1, "ids are not shared: {html}");
}

#[test]
fn alerts_tasks_and_definitions() {
    check(
        "> [!TIP]\n> Text.",
        &["<div class=\"alert is-tip\" role=\"note\"><p class=\"title\"><svg", "<span>Tip</span></p>\n<p>Text.</p>\n</div>"],
    );
    check(
        "> aside: { kind = \"caution\", title = \"Mind `= row('256').ms`\", fold = true }\n> Text.",
        &[
            "<details class=\"alert is-caution\"><summary class=\"title\"><svg",
            "<span>Mind <span class=\"figure\"",
            "<p>Text.</p>\n</details>",
        ],
    );
    check("Warp\n: 32 threads side by side", &["<dl>\n<dt>Warp</dt>\n<dd>32 threads side by side</dd>\n</dl>"]);
}

#[test]
fn tabs_are_radio_buttons_with_panels() {
    check(
        "> tab: { title = \"nvcc\" }\n>\n> ```sh\n> nvcc a.cu\n> ```\n>\n> tab: { title = \"clang\" } Text.\n",
        &[
            "<fieldset class=\"tabs\"><legend class=\"unseen\">",
            "<input type=\"radio\" name=\"tabs-1\" id=\"tab-1\" checked><label for=\"tab-1\">nvcc</label>\n<div class=\"panel\">",
            "<f->nvcc</f-> a.cu",
            "</div></div>\n<div class=\"tab\"><input type=\"radio\" name=\"tabs-1\" id=\"tab-2\"><label for=\"tab-2\">clang</label>",
            "<p>Text.</p>\n</div></div>\n</fieldset>",
        ],
    );
}

#[test]
fn formulas_know_the_names_that_the_course_gives() {
    let mut tree = tree("+++\ntitle = \"A\"\n+++\n\n$\\sq{y}$ and $\\nosuch$\n", false, None);
    let config = format!("{COURSE}[math.macros]\nsq = '#1^2'\n");
    tree.insert("lessons/course.toml", config.as_bytes(), &mut Problems::new());
    let (compiled, problems) = compile(&tree);
    assert_eq!(problems.iter().filter(|problem| problem.id == "math-syntax").count(), 1, "{problems:?}");
    let html = page(&compiled, "block-size.html");
    assert!(html.contains("<math><msup><mi>y</mi><mn>2</mn></msup></math>"), "{html}");
}

#[test]
fn formulas_are_mathml_and_dollars_are_dollars() {
    check("It is $a^2$ for $5.", &["It is <math><msup><mi>a</mi><mn>2</mn></msup></math> for $5."]);
    check(
        "$$\n\\frac{1}{n}\n$$",
        &["<span class=\"formula\" tabindex=\"0\" role=\"group\" aria-label=\"Formula\"><math display=\"block\"><mfrac>"],
    );
    check("Set `$HOME` and $HOME/$USER.", &["<code>$HOME</code> and $HOME/$USER."]);
}

#[test]
fn a_fault_in_a_formula_is_found_at_its_place() {
    for (text, fault, message) in [
        ("It is $a + \\foo$.", "\\foo", "this formula can't be read: unknown command \"\\foo\""),
        ("> x\n>\n> $$\n> a + \\foo\n> $$", "$$\n> a + \\foo\n> $$", "this formula can't be read: unknown command \"\\foo\""),
    ] {
        let (html, problems) = shown(text);
        let [problem] = &problems[..] else { panic!("{text}: {problems:?}") };
        let source = format!("+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\n{text}\n");
        let at = problem.at.as_ref().unwrap();
        assert_eq!((problem.id, &source[at.start..at.end], &*problem.message), ("math-syntax", fault, message), "{text}");
        assert!(html.contains("<code class=\"lost\">"), "{html}");
    }
}

#[test]
fn no_heading_takes_an_id_of_the_frame() {
    for (name, text) in BUILT_IN.iter().filter(|(name, _)| name.ends_with(".html")) {
        for rest in text.split(" id=\"").skip(1) {
            let id = rest.split('"').next().unwrap_or_default();
            assert!(id.contains("{{") || FRAME_IDS.contains(&id), "{name} has the id `{id}`, which FRAME_IDS lacks");
        }
    }
    let text = FRAME_IDS.map(|id| format!("## {id}\n\n")).concat() + "[a](#main-2)";
    check(&text, &["<h2 id=\"between-devices-2\">", "<h2 id=\"footnotes-2\">", "<h2 id=\"main-2\">"]);
}
