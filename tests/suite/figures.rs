//! Typed figures in a course that passes: each is found, with the expression that prints it; stated ones are held to their purpose.

use super::fixture::fixture;
use super::support::{Folder, lessonc};

const LESSON: &str = "lessons/copy.md";

/// What `verify` says in full.
fn said(course: &Folder) -> String {
    lessonc([&"verify", &"--course", &course.path()]).out
}

/// The course with `text` at the end of its lesson.
fn with_text(text: &str) -> Folder {
    let course = fixture();
    course.write(LESSON, &format!("{}\n\n{text}\n", course.read(LESSON)));
    course
}

/// What the figure `expression` prints on the page.
fn printed(expression: &str) -> String {
    let course = with_text(&format!("It is `= {expression}`."));
    super::fixture::build(&course);
    let page = course.read("site/copy.html");
    let (_, rest) = page.rsplit_once("It is <span").unwrap();
    let text = rest.split("\">").nth(2).unwrap().split("</data>").next().unwrap();
    text.replace('\u{a0}', " ")
}

#[test]
fn a_typed_figure_is_found_and_the_expression_that_prints_it_offered() {
    // What is typed is what this prints, and the offer is the same expression or a shorter one.
    let cases = [
        ("row('1').ms", "One item takes", "`= row('1').ms`"),
        ("row('4').ms | fixed(1)", "With 4 items a launch takes", "`= row('4').ms | fixed(1)`"),
        ("row('2').ms | unit('µs') | fixed(0)", "With 2 items a launch takes", "`= row('2').ms`"),
        ("row('4').ms / row('1').ms | times(2)", "From 1 to 4 items it grows by", "`= (row('4').ms / row('1').ms) | times(2)`"),
        ("row('1').bytes", "One item of 1 moves", "`= row('1').bytes`"),
        ("range(row('1').ms, row('4').ms)", "From 1 to 4 items it takes", "`= range(row('1').ms, row('4').ms)`"),
    ];
    for (expression, words, offered) in cases {
        let text = printed(expression);
        let said = said(&with_text(&format!("{words} {text}.")));
        assert!(said.contains(&format!("error[unbound-figure]: `{text}` looks measured")), "{text}: {said}");
        assert!(said.contains(&format!("write {offered} in its place")), "{text} is {offered}: {said}");
    }
    let said = said(&with_text("It takes 77.7 ms."));
    assert!(said.contains("no value of the lesson's sweeps prints so"), "{said}");
}

#[test]
fn typed_figures_are_found_on_every_part_of_a_page() {
    let edits = [
        ("title = \"Copying\"", "title = \"Copying in 77 ms\""),
        ("summary = \"The smallest row takes", "summary = \"In 77 ms. The smallest row takes"),
        ("caption = \"Twice the elements", "caption = \"In 77 ms: twice the elements"),
        ("> Four times the elements take longer.", "> Four times the elements take 77 ms."),
        ("> Four times the elements take longer.", "> It is $t = 77\\,\\text{ms}$."),
        ("Every thread copies a few elements:", "## In 77 ms\n\n| a | ms |\n| --- | --- |\n| b | 5 |\n"),
        ("Every thread copies a few elements:", "![at 77 ms](../kernels/copy.cu) כל חוט מעתיק 5 אחוזים:"),
    ];
    for (old, new) in edits {
        let course = fixture();
        course.edit(LESSON, old, new);
        assert!(said(&course).contains("[unbound-figure]: `77 ms`"), "{new}: {}", said(&course));
    }
}

#[test]
fn typed_figures_are_found_in_what_pages_show_of_the_course() {
    let edits = [
        ("lessons/course.toml", "summary = \"Measured", "summary = \"At 77 ms. Measured"),
        ("lessons/course.toml", "title = \"A course", "title = \"In 77 ms, a course"),
        ("kernels/copy.toml", "title = \"How does", "title = \"77 ms: how does"),
        ("kernels/copy.toml", "\"GB/s\" = \"bytes / ms\"", "\"GB/s\" = { value = \"bytes / ms\", about = \"over 77 ms\" }"),
    ];
    for (file, old, new) in edits {
        let course = fixture();
        course.edit(file, old, new);
        let said = lessonc([&"verify", &"--course", &course.path(), &"--format", &"short"]).out;
        let line =
            said.lines().find(|line| line.contains("[unbound-figure]: `77 ms` looks measured")).unwrap_or_else(|| panic!("{new}: {said}"));
        assert!(line.contains(file), "{line}");
    }
}

#[test]
fn a_page_says_who_states_its_figures() {
    let course = with_text("It takes 77 ms.");
    let stated = "stated = [{ figure = \"77 ms\", source = \"a paper & more\", of = \"another card\" }]";
    course.edit(LESSON, "sweeps = [\"copy\"]", &format!("sweeps = [\"copy\"]\n{stated}"));
    super::fixture::build(&course);
    let page = course.read("site/copy.html");
    assert!(page.contains("<b class=\"ltr\">77 ms</b> (another card): a paper &amp; more"), "{page}");
}

/// The course whose front matter states `stated` and whose text says `text`.
fn stating(stated: &str, text: &str) -> String {
    let course = with_text(text);
    course.edit(LESSON, "sweeps = [\"copy\"]", &format!("sweeps = [\"copy\"]\n{stated}"));
    let said = lessonc([&"verify", &"--course", &course.path(), &"--format", &"short"]);
    said.out
        .lines()
        .filter(|line| !line.contains("site-stale"))
        .map(|line| format!("{}\n", line.split_once("lessons/").unwrap().1))
        .collect()
}

#[test]
fn stated_figures_are_held_to_their_purpose() {
    let cases = [
        ("stated = [{ figure = \"77 ms\", source = \"a paper\" }]", "It takes 77 milliseconds, 0.077 s.", ""),
        ("stated = [{ figure = \"77 ms\", source = \"a paper\" }]", "It takes long.", "`77 ms` is stated, and the page does not say it"),
        (
            "stated = [{ figure = \"77 ms\", source = \"a paper\" }, { figure = \"77ms\", source = \"another\" }]",
            "It takes 77 ms.",
            "warning[stated-unused]: `77ms` is stated twice",
        ),
        (
            "stated = [{ figure = \"511 GB/s\", source = \"memory\" }]",
            "At 511 GB/s.",
            "error[stated-measured]: `511 GB/s` is stated, and `GB/s` in row",
        ),
        ("stated = [{ figure = \"511 GB/s\", source = \"memory\", of = \"another card\" }]", "At 511 GB/s.", ""),
        ("stated = [{ figure = \"450 GB/s\", source = \"memory\" }]", "At 450 GB/s.", ""),
        ("stated = [{ figure = \"twice\", source = \"memory\" }]", "Twice.", "error[stated-unread]: `twice` is no figure"),
        ("stated = [{ figure = \"1 ms or 5 s\", source = \"memory\" }]", "Twice.", "error[stated-unread]: `1 ms or 5 s` is more than one"),
        ("stated = [{ figure = \"77 ms\" }]", "Twice.", "error[toml-missing-key]"),
        ("stated = [{ figure = \"77 ms\", source = \" \" }]", "77 ms", "error[toml-value]: `source` is empty"),
    ];
    for (stated, text, expected) in cases {
        let said = stating(stated, text);
        assert_eq!(said.lines().count(), usize::from(!expected.is_empty()), "{stated}: {said}");
        assert!(said.contains(expected), "{stated}: {said}");
    }
}

/// What `verify` finds of the course with `policy` at the end of its configuration and `text` at the end of its lesson, one a line.
fn under(policy: &str, text: &str) -> String {
    let course = with_text(text);
    course.write("lessons/course.toml", &format!("{}\n{policy}\n", course.read("lessons/course.toml")));
    lessonc([&"verify", &"--course", &course.path(), &"--format", &"short"])
        .out
        .lines()
        .filter(|line| !line.contains("site-stale"))
        .collect()
}

#[test]
fn a_course_weighs_rules_within_bounds() {
    let cases = [
        ("[rules]\nunbound-figure = { level = \"warning\", reason = \"r\" }", "warning[unbound-figure]"),
        ("[rules]\nunbound-figure = { level = \"error\", reason = \"r\" }", "error[unbound-figure]"),
        ("[rules]\nunbound-figure = { level = \"off\", reason = \"r\" }", ""),
        ("[rules]\nunbound-figures = { level = \"off\", reason = \"r\" }", "error[rule-unknown]: there is no rule `unbound-figures`"),
        ("[rules]\nevidence-digest = { level = \"warning\", reason = \"r\" }", "error[rule-fixed]: `evidence-digest` is always on"),
        (
            "[rules]\nvacuous-claim = { level = \"off\", reason = \"r\" }",
            "error[rule-fixed]: `vacuous-claim` may be a warning, but not off",
        ),
    ];
    for (policy, expected) in cases {
        let said = under(policy, "It takes 77 ms.");
        assert!(if expected.is_empty() { said.is_empty() } else { said.contains(expected) }, "{policy}: {said}");
    }
    let course = with_text("");
    course.write(
        "lessons/course.toml",
        &(course.read("lessons/course.toml") + "[rules]\nevidence-old = { level = \"off\", reason = \"an archive\" }\n"),
    );
    assert!(said(&course).contains("lessons/course.toml weighs evidence-old otherwise: an archive"));
    let listed = lessonc([&"verify", &"--course", &course.path(), &"--rules"]);
    assert!(listed.out.contains("in this course: off, because: an archive") && listed.out.contains("unbound-figure: "), "{listed:?}");
}

#[test]
fn a_page_may_state_only_so_much() {
    // The lesson has four bound figures.
    let text = "`= 8 B * 2`, `= 8 B * 3`, `= 8 B * 4` and `= 8 B * 5`.";
    assert_eq!(under("[policy]\nstated_at_most = \"50%\"", text), "");
    let said = under("[policy]\nstated_at_most = \"49.9%\"", text);
    assert!(said.contains("error[stated-share]: 4 of 8 figures of the page are stated, and the course allows 49.9 %"), "{said}");
}

#[test]
fn a_device_that_is_not_required_may_lack_a_run() {
    let course = fixture();
    course.edit("lessons/course.toml", "[\"fake\"]", "[\"fake\", \"nvidia-h200\"]");
    assert!(super::fixture::found(&course).contains(&"error evidence-missing".to_owned()));
    course.write("lessons/course.toml", &(course.read("lessons/course.toml") + "\n[policy]\nrequired_devices = [\"fake\"]\n"));
    super::fixture::build(&course);
    assert_eq!(super::fixture::found(&course), ["warning evidence-missing"]);
}

#[test]
fn coverage_is_counted_by_page_and_in_all() {
    let course = with_text("It takes 77 ms, or `= 8 B * 2`, or 78 ms.");
    course.edit(LESSON, "sweeps = [\"copy\"]", "sweeps = [\"copy\"]\nstated = [{ figure = \"78 ms\", source = \"a paper\" }]");
    let said = lessonc([&"verify", &"--course", &course.path(), &"--coverage"]);
    let expected = "4 of 7 figures bound, 2 stated, 1 free; 2 sentences checked, 2 regions shown";
    for line in [format!("lessons/copy.md: {expected}\n"), format!("\ncoverage: {expected}\n")] {
        assert!(said.out.contains(&line), "{said:?}");
    }
    let said = lessonc([&"verify", &"--course", &course.path(), &"--format", &"json"]);
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let expected = serde_json::json!({ "bound": 4, "stated": 2, "free": 1, "sentences": 2, "regions": 2 });
    assert_eq!((&value["coverage"]["all"], &value["coverage"]["pages"][0]["coverage"]), (&expected, &expected));
    assert_eq!(value["coverage"]["pages"][0]["path"], "lessons/copy.md");
}
