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
        ("Every thread copies a few elements:", "## In 77 ms\n\n| a | ms |\n| --- | --- |\n| b | 5 |\n"),
        ("Every thread copies a few elements:", "![at 77 ms](../kernels/copy.cu) כל חוט מעתיק 5 אחוזים:"),
    ];
    for (old, new) in edits {
        let course = fixture();
        course.edit(LESSON, old, new);
        assert!(said(&course).contains("[unbound-figure]: `77 ms`"), "{new}: {}", said(&course));
    }
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
