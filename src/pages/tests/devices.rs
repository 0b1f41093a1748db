//! A course that publishes two devices: what is written for each, and what changes between them.

use super::*;

/// The course of [`tree`] on two devices: the second has three quarters of the SMs, is slower by half, and slowest of all with the
/// largest block.
pub(super) fn two(lesson: &str) -> SourceTree {
    let mut tree = tree(lesson, true, None);
    let mut problems = Problems::new();
    let config = COURSE.replace("[\"nvidia-h200\"]", "[\"nvidia-h200\", \"nvidia-l40s\"]");
    tree.insert("lessons/course.toml", config.as_bytes(), &mut problems);
    let (compiled, _) = compile(&tree);
    let mut record = record(&compiled.plan.jobs["block-size"], None);
    "nvidia-l40s".clone_into(&mut record.header.device);
    "2026-11-30T09:00:00Z".clone_into(&mut record.header.started);
    if let Some(gpu) = &mut record.header.identity.gpu {
        "NVIDIA L40S".clone_into(&mut gpu.name);
    }
    let largest = record.row_index("1024").expect("there is such a row") as u32;
    for result in &mut record.results {
        let share = if result.row == largest { 4000 } else { 1500 + 20 * u64::from(result.row) };
        result.spans_ns.iter_mut().for_each(|span| *span = *span * share / 1000 / 32 * 32);
    }
    let tick = verdict::tick_ns(record.results.iter().flat_map(|result| result.spans_ns.iter().copied()));
    record.footer = Some(lines::footer(&lines::print_body(&record), "2026-11-30T09:20:00Z".into(), true, tick));
    let transcript = crate::evidence::transcript::transcript(&record);
    tree.insert("evidence/block-size/2026-11-30-nvidia-l40s.jsonl", lines::print(&record).as_bytes(), &mut problems);
    tree.insert("evidence/block-size/2026-11-30-nvidia-l40s.txt", transcript.as_bytes(), &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    tree
}

fn lesson(title: &str, body: &str) -> String {
    format!("+++\ntitle = \"{title}\"\nsweeps = [\"block-size\"]\n+++\n\n{body}\n")
}

#[track_caller]
fn on_two(title: &str, body: &str) -> (Built, String) {
    let (compiled, problems) = compile(&two(&lesson(title, body)));
    assert_eq!(problems.sorted(), []);
    let html = page(&compiled, "block-size.html");
    (compiled, html)
}

#[test]
fn each_part_that_differs_is_written_for_each_device_and_counted_once() {
    let body = "It takes `= row('256').ms` with `= 100 * 4 B`.\n\ntable: block-size\n\nchart: block-size { caption = \"C `= row('32').ms`\" }\n\n\
                snippet: block-size.cu#loop\n\n> claim: half { holds = \"row('32').ms < 0.75 * row('16').ms\" }\n> Half a warp is `= row('16').ms` of waste.\n";
    let (compiled, html) = on_two("T", body);
    for (part, times) in [
        ("<span class=\"figure on d0\"", 1),
        ("<span class=\"figure on d1\"", 1),
        ("<figure class=\"exhibit table on d0\" id=\"table-1\"", 1),
        ("<figure class=\"exhibit table on d1\" id=\"table-1-on-1\"", 1),
        ("<figure class=\"exhibit chart on d1\"", 1),
        ("<figure class=\"exhibit snippet\"", 1),
        ("<section class=\"claim supported on d0\" id=\"claim-half\"", 1),
        ("<section class=\"claim supported on d1\" id=\"claim-half-on-1\"", 1),
        ("Measured on <span class=\"whole-words\">NVIDIA L40S</span>", 2),
    ] {
        assert!(html.matches(part).count() >= times, "{part} in {html}");
    }
    // What the page works out is the same on each device, and stands once.
    assert!(html.contains("with <span class=\"figure\" tabindex"), "{html}");
    assert_eq!(
        (compiled.counts.figures, compiled.counts.tables, compiled.counts.claims, compiled.counts.charts),
        (5, 2, 1, 2),
        "the translation's among them"
    );
    let ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let distinct: std::collections::BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    assert!(
        html.contains("data-devices=\"nvidia-h200 nvidia-l40s\"") && html.contains("value=\"1\"> <span class=\"ltr\">NVIDIA L40S</span>")
    );
}

#[test]
fn a_title_is_that_of_the_first_device_where_nothing_can_be_hidden() {
    let (compiled, html) = on_two("Takes `= row('256').ms`", "## From `= row('16').ms`\n\n## Two\n\n## Three\n");
    let title = html.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap();
    assert_eq!(title.matches("ms").count(), 1, "{title}");
    assert_eq!(html.matches("<a href=\"#from\"><a").count(), 0);
    let contents = html.split("<ol class=here").nth(1).unwrap();
    assert!(contents.contains("<span class=\"on d0\"><data") && contents.contains("<span class=\"on d1\"><data"), "{contents}");
    assert!(page(&compiled, "index.html").contains("<span class=\"on d1\"><data"));
}

#[test]
fn what_changes_between_devices_is_listed() {
    let body = "`= row('1024').ms` and `= row('16').ms`.\n\n> claim: largest { holds = \"row('1024').ms < 1.5 * row('256').ms\" }\n> The *largest* is near.\n>\n\
                > otherwise: { holds = \"row('1024').ms > 1.5 * row('256').ms\" }\n> It is far.\n\n\
                > claim: half { holds = \"row('32').ms < 0.75 * row('16').ms\" }\n> Half.\n";
    let (_, html) = on_two("T", body);
    let changes = html.split("id=\"between-devices\"").nth(1).unwrap();
    assert!(changes.contains("<a href=\"#claim-largest\">The largest is near.</a>"), "{changes}");
    assert!(changes.contains("supported\">Supported") && changes.contains("refuted\">Refuted"), "{changes}");
    assert!(!changes.contains("#claim-half"), "{changes}");
    let (first, second) = (changes.find("row('1024').ms").unwrap(), changes.find("row('16').ms").unwrap());
    assert!(first < second && changes.contains("4.00×") && changes.contains("1.50×"), "those that move most come first: {changes}");
}

#[test]
fn one_device_is_no_choice() {
    let (compiled, _) = compile(&tree(&lesson("T", "`= row('256').ms`\n\ntable: block-size"), true, None));
    let html = page(&compiled, "block-size.html");
    assert!(
        !html.contains(" on d0")
            && !html.contains("data-devices")
            && !html.contains("class=\"devices\"")
            && !html.contains("between-devices")
    );
}

#[test]
fn what_a_device_lacks_is_a_warning_that_names_it() {
    let mut tree = two(&lesson("T", "`= row('256').ms` and `= rwo`"));
    let mut problems = Problems::new();
    tree.insert("lessons/course.toml", COURSE.replace("[\"nvidia-h200\"]", "[\"nvidia-h200\", \"nvidia-a100\"]").as_bytes(), &mut problems);
    let (compiled, problems) = compile(&tree);
    let said: Vec<String> =
        problems.sorted().iter().map(|problem| format!("{:?} {} {}", problem.severity, problem.id, problem.message)).collect();
    // The slip is one problem, whichever device meets it.
    assert_eq!(said.iter().filter(|said| said.contains("rwo")).count(), 1, "{said:?}");
    let html = page(&compiled, "block-size.html");
    assert!(html.contains("<span class=\"figure on d0\"") && html.contains("<span class=\"on d1 lost\""), "{html}");
}
