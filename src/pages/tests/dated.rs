//! How figures moved over dated runs: each run says what its own page would say.

use super::*;
use crate::base::digest::Digest;

/// Adds the `nth` run of the day of `sweep` to `tree`: the made-up one after `change`.
pub(super) fn measured_again(tree: &mut SourceTree, sweep: &str, nth: u32, change: impl FnOnce(&mut Record)) {
    let (compiled, _) = compile(tree);
    let mut record = record(&compiled.plan.jobs[sweep], None);
    record.header.started = format!("2026-11-30T{:02}:00:00Z", 7 + nth);
    change(&mut record);
    let tick = verdict::tick_ns(record.results.iter().flat_map(|result| result.spans_ns.iter().copied()));
    record.footer = Some(lines::footer(&lines::print_body(&record), format!("2026-11-30T{:02}:20:00Z", 7 + nth), true, tick));
    let transcript = crate::evidence::transcript::transcript(&record);
    let name = format!("evidence/{sweep}/2026-11-30-{}{}", record.header.device, if nth > 1 { format!("-{nth}") } else { String::new() });
    let mut problems = Problems::new();
    tree.insert(&format!("{name}.jsonl"), lines::print(&record).as_bytes(), &mut problems);
    tree.insert(&format!("{name}.txt"), transcript.as_bytes(), &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
}

/// Makes every span of `record` `thousandths` longer.
pub(super) fn longer(record: &mut Record, thousandths: u64) {
    for span in record.results.iter_mut().flat_map(|result| &mut result.spans_ns) {
        *span = *span * (1000 + thousandths) / 1000 / 32 * 32;
    }
}

/// Makes `record` one of other code.
pub(super) fn of_other_code(record: &mut Record) {
    record.header.code.device += "\nstruct More {};\n";
    let code = crate::plan::lines::code(&record.header.code);
    let lines = &mut record.header.fingerprint_lines;
    lines.retain(|line| !["device: ", "host: ", "header ", "option "].iter().any(|part| line.starts_with(part)));
    lines.extend(code);
    of_its_lines(record);
}

/// Makes the fingerprint of `record` that of its lines.
fn of_its_lines(record: &mut Record) {
    record.header.identity.fingerprint = Digest::of(&(record.header.fingerprint_lines.join("\n") + "\n"));
}

/// What the runs of the tests below are: the last one counts, and another row is the fastest in each.
fn change(record: &mut Record, nth: u32) {
    longer(record, u64::from(30 * (nth - 1)));
    let fastest = record.row_index(["512", "256", "1024"][nth as usize - 1]).expect("there is such a row") as u32;
    for result in record.results.iter_mut().filter(|result| result.row != fastest) {
        result.spans_ns.iter_mut().for_each(|span| *span = *span * 13 / 10 / 32 * 32);
    }
}

const BODY: &str = "+++\ntitle = \"T `= row('256').ms`\"\nsummary = \"S `= best('GB/s')['GB/s']`\"\nsweeps = [\"block-size\"]\n+++\n\n\
`= row('256').ms / row('16').ms`, `= row('256').ms / row('16').ms | percent(1)`, `= best('GB/s')`, `= count(rows where ms < 0.7 ms)`,\n\
`= range(rows where threads >= 256, 'ms')`, `= row('256').blocks_per_sm`, `= run().row('256').ms | unit('µs')`.\n\n\
table: block-size { columns = [\"label\", \"blocks_per_sm\", \"ms\", \"GB/s\"], rows = \"threads >= 256\", caption = \"C `= row('512').ms`\" }\n\n\
chart: block-size { x = \"threads\", y = \"GB/s\", rows = \"threads >= 256\" }\n";

/// The page of the lesson where the runs `runs` are the only ones.
fn by(lesson: &str, runs: std::ops::RangeInclusive<u32>) -> String {
    let mut tree = tree(lesson, false, None);
    for nth in runs {
        measured_again(&mut tree, "block-size", nth, |record| change(record, nth));
    }
    let (compiled, problems) = compile(&tree);
    assert_eq!(problems.sorted(), []);
    page(&compiled, "block-size.html")
}

/// What stands between `open` and `close`, each time.
fn all<'a>(html: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    html.split(open).skip(1).filter_map(|rest| rest.split(close).next()).collect()
}

/// The text of every figure of a page, and what its note says of each run.
fn figures(html: &str) -> Vec<(&str, Vec<&str>)> {
    let article = html.split("<article>").nth(1).expect("a lesson");
    let mut figures = Vec::new();
    for part in article.split("<span class=\"figure\"").skip(1) {
        let moves = part.split("class=\"moves\">").nth(1).unwrap_or_default();
        let (_, text) = all(part, "<data", "</data>")[0].split_once('>').expect("an element");
        figures.push((text, all(moves, "<b class=\"ltr\">", "</b>")));
    }
    figures
}

/// The cells of the first table of a page, row by row, less their heads.
fn cells(table: &str) -> Vec<Vec<&str>> {
    let body = table.split("<tbody>").nth(1).and_then(|rest| rest.split("</tbody>").next()).expect("a table");
    body.split("<tr").skip(1).map(|row| row.split("<td").skip(1).map(text_of).collect()).collect()
}

/// The number of a cell, whatever stands around it.
fn text_of(cell: &str) -> &str {
    let texts = cell.split('>').skip(1).map(|text| text.split('<').next().unwrap_or_default().trim());
    texts.into_iter().find(|text| text.starts_with(|c: char| c.is_ascii_digit())).unwrap_or_default()
}

#[test]
fn each_run_says_what_a_page_says_on_which_it_counts() {
    let together = by(BODY, 1..=3);
    let alone: Vec<String> = (1..=3).map(|nth| by(BODY, nth..=nth)).collect();
    let shown = figures(&together);
    assert!(shown.len() >= 10, "{shown:?}");
    let mut moved = 0;
    for (place, (text, runs)) in shown.iter().enumerate() {
        let expected: Vec<&str> = alone.iter().map(|html| figures(html)[place].0).collect();
        assert_eq!(*text, expected[2], "the last run counts");
        if runs.is_empty() {
            assert!(expected.iter().all(|one| one == text), "{expected:?}");
        } else {
            assert_eq!(*runs, expected, "figure {place}");
            moved += 1;
        }
    }
    assert!(moved >= 8, "{shown:?}");
    // The same of each cell of the table, and of the points of the chart, whose column the table has too.
    let history = together.split("<details class=\"history\">").nth(1).unwrap();
    let tables: Vec<&str> = history.split("</details>").next().unwrap().split("<table").skip(1).collect();
    assert_eq!(tables.len(), 2, "times and rates moved: {history}");
    assert!(history.contains("The same in every run: Blocks/SM."), "{history}");
    for (table, column) in tables.iter().zip([2, 1]) {
        for (run, html) in alone.iter().enumerate() {
            let own = cells(html);
            for (row, moved) in cells(table).iter().enumerate() {
                assert_eq!(moved[run + 1], own[row][column], "run {run}, row {row}, column {column}");
            }
        }
    }
    let of_chart =
        together.split("class=\"exhibit chart\"").nth(1).and_then(|rest| rest.split("<details class=\"history\">").nth(1)).unwrap();
    let points = |table: &str| cells(table).iter().map(|row| row[1..4].join(" ")).collect::<Vec<_>>();
    assert_eq!(points(of_chart), points(tables[0]));
}

#[test]
fn what_moved_is_said_in_percent_and_against_the_spread() {
    let html = by("+++\ntitle = \"T\"\nsweeps = [\"block-size\"]\n+++\n\n`= row('64').ms` and `= row('64').ms / row('96').ms`\n", 1..=2);
    let notes = all(&html, "<span class=\"moves\">", "</code></th>");
    let line = all(notes[0], "<span class=\"beyond\">", "</span></span>");
    let first = "<span class=\"ltr\"><a tabindex=\"-1\" href=\"evidence/block-size/2026-11-30-nvidia-h200.html\">2026-11-30</a></span>";
    assert!(line[0].starts_with(first) && line[0].contains("\u{2212}2.9\u{a0}%") && line[0].ends_with("beyond the spread"), "{line:?}");
    assert!(notes[0].contains("<i>Over 2 dated runs of block-size</i>") && notes[0].contains("</a> (2)</span>"), "{}", notes[0]);
    // All rows took longer by one share: their ratio is what it was.
    assert!(notes[1].contains("within the spread") && !notes[1].contains("class=\"beyond\""), "{}", notes[1]);
    // At the end of the page the same ways are open to the keyboard, and are printed.
    let end = html.split("id=\"stands-on\"").nth(1).unwrap();
    assert!(
        end.contains("<code>row('64').ms</code>") && end.contains("<a href=\"evidence/block-size/2026-11-30-nvidia-h200.html\">"),
        "{end}"
    );
}

fn of_other_sizes(record: &mut Record) {
    let constant = record.header.fingerprint_lines.iter_mut().find(|line| line.starts_with("constant "));
    constant.expect("there is one").push('0');
    of_its_lines(record);
}

#[test]
fn what_sets_a_run_apart_is_named() {
    let lesson =
        "+++\ntitle = \"T\"\nsweeps = [\"block-size\"]\n+++\n\n`= row('64').ms`\n\ntable: block-size { rows = \"threads > 500\" }\n";
    type Change = fn(&mut Record);
    let cases: [(Change, &str, bool); 4] = [
        (of_other_code, "other code", true),
        (of_other_sizes, "other sizes", false),
        (|record| record.header.circumstance.uuid_digest = Some("ab".into()), "another card", true),
        (|record| record.header.identity.driver_cuda = Some("12.9".into()), "other driver or tools", true),
    ];
    for (change, words, has_value) in cases {
        let mut tree = tree(lesson, false, None);
        measured_again(&mut tree, "block-size", 1, |record| {
            longer(record, 50);
            change(record);
        });
        measured_again(&mut tree, "block-size", 2, |_| {});
        let (compiled, _) = compile(&tree);
        let html = page(&compiled, "block-size.html");
        let note = all(&html, "<span class=\"moves\">", "</p>")[0];
        assert!(note.contains(words), "{words}: {note}");
        assert_eq!(note.contains("+5.0\u{a0}%"), has_value, "{words}: {note}");
        let Some(head) = html.split("<details class=\"history\">").nth(1) else {
            assert!(!has_value, "{words}: {html}");
            continue;
        };
        assert!(has_value && head.contains(&format!("<span class=\"unit\">{words}</span>")), "{words}: {head}");
    }
}

#[test]
fn the_shown_run_is_named_among_the_last_ones_and_the_others_are_counted() {
    let lesson = "+++\ntitle = \"T\"\nsweeps = [\"block-size\"]\n+++\n\n`= row('64').ms`\n";
    let mut tree = tree(lesson, false, None);
    measured_again(&mut tree, "block-size", 1, |_| {});
    for nth in 2..=9 {
        measured_again(&mut tree, "block-size", nth, |record| {
            longer(record, 10 * u64::from(nth));
            of_other_code(record);
        });
    }
    let html = page(&compile(&tree).0, "block-size.html");
    let note = all(&html, "<span class=\"moves\">", "</p>")[0];
    let runs = all(note, "2026-11-30</a>", "</span>");
    assert_eq!(runs, ["", " (4)", " (5)", " (6)", " (7)", " (8)", " (9)"], "{note}");
    assert!(note.contains("Over 9 dated runs") && note.contains("<i>2 more runs are not listed.</i>"), "{note}");
}

#[test]
fn a_figure_on_two_sweeps_says_which_run_of_which_is_another() {
    let lesson = "+++\ntitle = \"T\"\nsweeps = [\"block-size\", \"again\"]\n+++\n\n`= block_size.row('64').ms / again.row('64').ms`\n";
    let mut tree = tree(lesson, false, None);
    tree.insert("kernels/again.toml", include_str!("block-size.toml").as_bytes(), &mut Problems::new());
    measured_again(&mut tree, "block-size", 1, |record| longer(record, 100));
    measured_again(&mut tree, "block-size", 2, |_| {});
    measured_again(&mut tree, "again", 1, |record| longer(record, 200));
    measured_again(&mut tree, "again", 2, |_| {});
    let html = page(&compile(&tree).0, "block-size.html");
    let notes = all(&html, "<span class=\"moves\">", "</span></span></span>");
    assert!(notes[0].contains("dated runs of again") && notes[0].contains("\u{2212}17\u{a0}%"), "{}", notes[0]);
    assert!(html.contains("dated runs of block-size") && html.contains("+10\u{a0}%"), "{html}");
}

#[test]
fn what_cannot_move_has_no_history() {
    let pinned = "`= run('2026-11-30-nvidia-h200').row('64').ms`, `= 100 * 4 B` and `= device.sms`";
    let body = |text: &str| format!("+++\ntitle = \"T\"\nsweeps = [\"block-size\"]\n+++\n\n{text}\n");
    assert!(!by(&body(pinned), 1..=2).contains("class=\"moves\""));
    let once = by(&body("`= row('64').ms`\n\ntable: block-size\n\nchart: block-size { x = \"threads\", y = \"ms\" }"), 1..=1);
    assert!(!once.contains("class=\"moves\"") && !once.contains("class=\"history\""), "{once}");
    let same = by(&body("`= row('64').blocks_per_sm`"), 1..=2);
    assert!(same.contains("<i>The same in all 2 dated runs of block-size</i>") && !same.contains("class=\"history\""), "{same}");
}

#[test]
fn a_figure_in_a_link_leads_nowhere_else() {
    let html = by("+++\ntitle = \"T\"\nsweeps = [\"block-size\"]\n+++\n\n[a `= row('64').ms`](#b)\n\n## B\n", 1..=2);
    let link = all(&html, "<a href=\"#b\">", "</a>").into_iter().find(|link| link.contains("figure")).expect("the link");
    assert!(link.contains("class=\"moves\"") && !link.contains("tabindex") && !link.contains("href"), "{link}");
}

#[test]
fn each_device_has_its_own_history() {
    let lesson = "+++\ntitle = \"T\"\nsweeps = [\"block-size\"]\n+++\n\n`= row('64').ms`\n";
    let mut tree = devices::two(lesson);
    measured_again(&mut tree, "block-size", 2, |record| longer(record, 30));
    let html = page(&compile(&tree).0, "block-size.html");
    let (first, second) = html.split_once("<span class=\"figure on d1\"").expect("there are two devices");
    assert!(first.contains("class=\"moves\"") && !second.split("</p>").next().unwrap().contains("class=\"moves\""), "{html}");
    assert!(html.contains("<div class=\"scroll on d0\"") && !html.contains("<div class=\"scroll on d1\""), "{html}");
}
