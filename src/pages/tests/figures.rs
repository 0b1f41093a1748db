//! Figures in every place of a page that shows text, in a language that runs either way.

use super::{compile, page, tree};
use crate::base::problem::Problems;

/// A lesson with a figure in each place: title, summary, heading, table, picture, link, list, quotation, caption, title of code.
const EVERYWHERE: &str = "+++\ntitle = \"T `= row('256').threads`\"\nsummary = \"S `= row('512').threads`\"\nsweeps = [\"block-size\"]\n+++\n\n\
## H `= range(rows where threads >= 512, 'threads')`\n\n## I\n\n## J\n\n| a | b |\n| --- | --- |\n| c | `= row('1024').threads \\| fixed(1)` |\n\n\
![A `= -3 * 2` end](images/dot.svg) and [L `= 4 * 4`](#h)\n\n- `= 0.0000618 s`\n\n> `= 1/3 | percent`\n\n\
snippet: block-size.cu#luma { title = \"C `= 5 * 5`\" }\n\n\
table: block-size { columns = [\"label\"], caption = \"K `= 6 * 6`\" }\n\n\
chart: block-size { x = \"threads\", y = \"ms\", caption = \"G `= 7 * 7`\" }\n";

/// The page of the lesson, or of the same text as its Hebrew translation.
fn html(hebrew: bool) -> String {
    let mut tree = tree(EVERYWHERE, true, None);
    tree.insert("lessons/block-size.he.md", EVERYWHERE.as_bytes(), &mut Problems::new());
    let (compiled, problems) = compile(&tree);
    assert!(problems.is_empty(), "{problems:?}");
    page(&compiled, if hebrew { "he/block-size.html" } else { "block-size.html" })
}

#[test]
fn figures_print_in_every_place_of_a_page() {
    let html = html(false);
    let data = |number: &str, text: &str| format!("<data value=\"{number}\">{text}</data>");
    let places = [
        ("<title>T 256\u{a0}threads".to_owned(), "the title"),
        ("content=\"S 512\u{a0}threads\"".to_owned(), "the description"),
        (
            format!("T <span class=\"figure\" tabindex=\"0\" aria-describedby=\"figure-1\">{}", data("256", "256\u{a0}threads")),
            "the heading of the page",
        ),
        (data("512 to 1024", "512 to 1024\u{a0}threads"), "a heading"),
        (data("1024.0", "1024.0\u{a0}threads"), "a cell"),
        ("alt=\"A -6 end\"".to_owned(), "a picture"),
        (data("16", "16"), "a link"),
        (data("61.8", "61.8\u{a0}µs"), "a list"),
        (data("33.33", "33.33\u{a0}%"), "a quotation"),
        (data("25", "25"), "the title of code"),
        (data("36", "36"), "a caption"),
        (data("49", "49"), "the caption of a chart"),
    ];
    for (part, place) in places {
        assert!(html.contains(&part), "{place}: no {part} in\n{html}");
    }
    // What is read aloud of the chart is its caption, and not where its figures come from.
    assert!(html.contains("G 49") && !html.contains("G 49["), "{html}");
}

#[test]
fn figures_are_isolated_where_text_runs_from_right_to_left() {
    let html = html(true);
    let data = |number: &str, text: &str| format!("<data value=\"{number}\" dir=\"ltr\">{text}</data>");
    let parts = [
        "<title>T \u{2066}256\u{a0}threads\u{2069}".to_owned(),
        "content=\"S \u{2066}512\u{a0}threads\u{2069}\"".to_owned(),
        "alt=\"A \u{2066}-6\u{2069} end\"".to_owned(),
        data("512–1024", "512–1024\u{a0}threads"),
        data("1024.0", "1024.0\u{a0}threads"),
        data("33.33", "33.33\u{a0}%"),
        data("36", "36"),
    ];
    for part in parts {
        assert!(html.contains(&part), "no {part} in\n{html}");
    }
    assert!(!html.contains("</span>\">"), "no element in an attribute");
}
