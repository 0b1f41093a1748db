//! Tables and charts on a page: what stands in them beside the rows.

use super::{built, compile, page, tree};

#[test]
fn marks_stand_in_the_drawing_its_description_and_its_table() {
    let body = "+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\nchart: block-size { x = \"threads\", y = \"ms\", log = \"x\", caption = \"At `= row('256').ms`\",\n\
                marks = [{ x = \"device.warp_size\", label = \"a warp of `= device.warp_size`\" }, { y = \"row('256').ms\" }] }\n";
    let (compiled, problems) = built(body);
    assert!(problems.is_empty(), "{problems:?}");
    let html = page(&compiled, "block-size.html");
    let time = html.split("class=\"line\"><th scope=\"row\"></th><td class=\"number\">").nth(1).expect("the time's line");
    let time = time.split('<').next().unwrap_or_default();
    assert!(time.ends_with("ms"), "{time}");
    assert_eq!(html.matches(">a warp of 32\u{a0}threads: 32\u{a0}threads</text>").count(), 2, "{html}");
    assert!(html.contains(">32\u{a0}threads</th><td class=\"number\">a warp of 32\u{a0}threads</td>"));
    assert!(html.contains(&format!("Lines at a warp of 32\u{a0}threads: 32\u{a0}threads; {time}.</desc>")));
    // The drawing's title is the caption as it reads, without what a figure shows on hover.
    assert!(html.contains(&format!("-t\">At {time}</title>")));
}

#[test]
fn a_heading_of_no_column_is_said() {
    let lesson = "+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\nheadings = { wraps = \"W\", ms = \"Time\" }\n+++\n\nText.\n";
    let (_, problems) = built(lesson);
    assert_eq!(problems.iter().map(|problem| problem.id).collect::<Vec<_>>(), ["exhibit-column"], "{problems:?}");
    assert!(problems[0].hint.as_deref().is_some_and(|hint| hint.contains("warps")));
}

#[test]
fn an_exhibit_is_of_a_sweep_that_the_lesson_stands_on() {
    for exhibit in ["table: block-size", "chart: block-size", "rounds: block-size", "comparison: block-size", "transcript: block-size"] {
        for measured in [true, false] {
            let lesson = format!("+++\ntitle = \"A\"\n+++\n\n{exhibit}\n");
            let (_, problems) = compile(&tree(&lesson, measured, None));
            let found: Vec<_> = problems.sorted().iter().map(|problem| (problem.id, problem.message.clone())).collect();
            let expected = ("exhibit-sweep", "the lesson doesn't stand on `block-size`".to_owned());
            assert!(found.contains(&expected), "{exhibit}, measured {measured}: {found:?}");
        }
    }
}
