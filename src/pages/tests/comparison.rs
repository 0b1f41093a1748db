//! Two runs on a page: side by side, and as figures that cite the run that they come from.

use super::dated::{longer, measured_again, of_other_code};
use super::*;

/// The course of [`tree`] with a second run of the day, every span of which is `slower` thousandths longer; of other code where
/// `other_code`.
fn twice(lesson: &str, slower: u64, other_code: bool) -> SourceTree {
    let mut tree = tree(lesson, true, None);
    measured_again(&mut tree, "block-size", 2, |record| {
        longer(record, slower);
        if other_code {
            of_other_code(record);
        }
    });
    tree
}

fn lesson(body: &str) -> String {
    format!("+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\n{body}\n")
}

#[track_caller]
fn sound(tree: &SourceTree) -> Built {
    let (compiled, problems) = compile(tree);
    assert_eq!(problems.sorted(), []);
    compiled
}

#[test]
fn a_run_is_compared_with_the_one_before() {
    let html = |slower| page(&sound(&twice(&lesson("comparison: block-size"), slower, false)), "block-size.html");
    let (same, slower) = (html(1), html(30));
    assert!(same.contains("<td>same</td>") && !same.contains("slower</strong>"), "{same}");
    assert!(slower.contains("<summary>How this was decided</summary>"), "{slower}");
    assert!(slower.contains("<td><strong>slower</strong></td>") && slower.contains("recorded  2026-11-30-nvidia-h200\n"), "{slower}");
    for record in ["evidence/block-size/2026-11-30-nvidia-h200.jsonl", "evidence/block-size/2026-11-30-nvidia-h200-2.jsonl"] {
        assert!(slower.contains(&format!("href=\"{record}\"")), "{record}");
    }
}

#[test]
fn two_versions_of_the_code_are_compared_only_on_request() {
    let runs = "recorded = \"2026-11-30-nvidia-h200\", fresh = \"2026-11-30-nvidia-h200-2\"";
    let across = lesson(&format!("comparison: block-size {{ {runs}, across_code = true, caption = \"Slower\" }}"));
    let html = page(&sound(&twice(&across, 30, true)), "block-size.html");
    assert!(html.contains("<strong>slower</strong>") && html.contains("two versions of the code"), "{html}");
    let (_, problems) = compile(&twice(&lesson(&format!("comparison: block-size {{ {runs} }}")), 30, true));
    let refused = "2026-11-30-nvidia-h200 and 2026-11-30-nvidia-h200-2 can't be compared: they differ in fingerprint";
    assert_eq!(problems.sorted().iter().map(|one| (one.id, &*one.message)).collect::<Vec<_>>(), [("exhibit-runs", refused)]);
}

#[test]
fn a_comparison_without_two_runs_says_so() {
    let one = page(&built(&lesson("comparison: block-size")).0, "block-size.html");
    assert!(one.contains("There are no two runs of block-size to compare."), "{one}");
    // The other run is of other code, and so none that this one is compared with by itself.
    let other = page(&sound(&twice(&lesson("comparison: block-size"), 1, true)), "block-size.html");
    assert!(other.contains("There are no two runs of block-size to compare."), "{other}");
    let cases = [
        (
            "comparison: block-size { fresh = \"2026-11-30-nvidia-h20\" }",
            "exhibit-option: block-size has no complete run `2026-11-30-nvidia-h20`",
        ),
        ("comparison: blok-size", "exhibit-sweep: there is no sweep `blok-size`"),
        ("comparison: block-size { old = \"x\" }", "toml-unknown-key: a comparison has no key `old`"),
    ];
    for (body, expected) in cases {
        let found = problems_of(body);
        assert!(found.iter().any(|problem| problem.starts_with(expected)), "{body}: {found:?}");
    }
}

#[test]
fn a_figure_of_a_named_run_cites_that_run_and_brings_its_files() {
    let body = "It takes `= row('256').ms`, and took `= run('2026-11-30-nvidia-h200-2').row('256').ms` with other code.";
    let compiled = sound(&twice(&lesson(body), 30, true));
    let html = page(&compiled, "block-size.html");
    let notes: Vec<&str> = html.split("<span class=\"mark\">").skip(1).map(|rest| &rest[..3]).collect();
    assert_eq!(notes, ["[a]", "[b]"], "{html}");
    assert!(html.contains("href=\"evidence/block-size/2026-11-30-nvidia-h200-2.jsonl\""), "{html}");
    // Two runs of one day on one device: nothing but the record's name tells them apart.
    for name in ["2026-11-30-nvidia-h200", "2026-11-30-nvidia-h200-2"] {
        assert!(html.contains(&format!("<span class=\"ltr\">{name}</span></a>")), "{name}: {html}");
    }
    let said = html.split("<div class=about>").nth(1).and_then(|rest| rest.split("</div>").next()).unwrap_or_default();
    assert_eq!(said.matches("Measured on").count(), 1, "{said}");
    let table = |run: &str| page(&compiled, &format!("evidence/block-size/{run}.csv"));
    let time = |table: &str| {
        let line = table.lines().find(|line| line.starts_with("256,")).unwrap_or_else(|| panic!("{table}"));
        let column = table.lines().next().unwrap().split(',').position(|head| head.starts_with("ms")).unwrap();
        line.split(',').nth(column).unwrap().parse::<f64>().unwrap()
    };
    let ratio = time(&table("2026-11-30-nvidia-h200-2")) / time(&table("2026-11-30-nvidia-h200"));
    assert!((1.029..1.031).contains(&ratio), "{ratio}");
}

#[test]
fn every_round_is_drawn_and_another_run_lies_as_far_off_as_it_is_slower() {
    let body = "rounds: block-size { runs = [\"2026-11-30-nvidia-h200\", \"2026-11-30-nvidia-h200-2\"], rows = \"threads >= 512\", caption = \"Rounds\" }";
    let html = page(&sound(&twice(&lesson(body), 30, false)), "block-size.html");
    let wide = html.split("class=\"plot wide\"").nth(1).and_then(|rest| rest.split("</svg>").next()).expect("a drawing");
    // The run that counts is cited first: the second one.
    let rows = html.matches("<td>[b]</td>").count();
    assert!(rows > 0 && rows == html.matches("<td>[a]</td>").count(), "{html}");
    assert_eq!(wide.matches("r=\"2.4\"").count(), 2 * rows * 11, "a dot for each round");
    let percents: Vec<f64> = html
        .split("<td>[a]</td>")
        .skip(1)
        .filter_map(|rest| rest.split("class=\"ltr\">").nth(2)?.split('<').next()?.parse().ok())
        .collect();
    assert_eq!(percents.len(), rows);
    assert!(percents.iter().all(|percent| (percent - 3.0).abs() < 0.5), "three percent slower: {percents:?}");
}

#[test]
fn rounds_that_cannot_be_drawn_are_said() {
    for (body, expected) in [
        ("rounds: block-size { runs = [\"2026-11-30\"] }", "exhibit-option: block-size has no complete run `2026-11-30`"),
        ("rounds: block-size { rows = \"threads > 5000\" }", "exhibit-option: no row meets this condition"),
        ("rounds: block-size { x = \"threads\" }", "toml-unknown-key: rounds has no key `x`"),
        ("rounds: blok-size", "exhibit-sweep: there is no sweep `blok-size`"),
    ] {
        let found = problems_of(body);
        assert!(found.iter().any(|problem| problem.starts_with(expected)), "{body}: {found:?}");
    }
}

#[test]
fn a_table_says_how_its_figures_moved_over_the_dated_runs() {
    let html = |slower| page(&sound(&twice(&lesson("table: block-size { rows = \"threads >= 512\" }"), slower, false)), "block-size.html");
    let slower = html(30);
    let history = slower.split("<details class=\"history\">").nth(1).expect("there are two runs");
    assert!(
        history.contains("over 2 dated runs") && history.contains("<span class=\"ltr\">(2)</span> <span class=\"unit\">shown</span>"),
        "{history}"
    );
    // A line a row in each of two columns, and a verdict a row in the column that decides.
    assert_eq!(history.matches("class=\"spark\"").count(), history.matches("<strong>slower</strong>").count());
    assert!(html(1).contains("<td>same</td>"));
    let once = page(&sound(&tree(&lesson("table: block-size"), true, None)), "block-size.html");
    assert!(!once.contains("class=\"history\""), "one run did not move");
    let other_code = page(&sound(&twice(&lesson("table: block-size"), 30, true)), "block-size.html");
    assert!(other_code.contains("other code") && !other_code.contains("<strong>slower</strong>"), "{other_code}");
}

#[test]
fn an_exhibit_leads_to_its_line_of_the_transcript() {
    let compiled =
        sound(&tree(&lesson("table: block-size { rows = \"threads >= 512\" }\n\ntranscript: block-size { lines = \"3-5\" }"), true, None));
    let html = page(&compiled, "block-size.html");
    let transcript = page(&compiled, "evidence/block-size/2026-11-30-nvidia-h200.html");
    let linked: Vec<&str> = html.split("nvidia-h200.html#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(linked.len(), 2, "{linked:?}");
    let (_, line) = transcript.split_once(&format!("<r- id={}>", linked[0])).unwrap();
    assert!(line.starts_with("512  "), "{line}");
    assert_eq!(linked[1], "L3");
}
