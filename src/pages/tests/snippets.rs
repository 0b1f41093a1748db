//! Turns markers of code into pages, to see lines, folds, context and steps.
//!
//! Must not know how code is highlighted.

use super::{built, page, problems_of};

/// What the page shows of `marker`: its numbers, a sign for each kind of line, and where folds begin and end.
fn sketch(marker: &str) -> String {
    let (compiled, _) = built(&format!("+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\n{marker}\n"));
    let html = page(&compiled, "block-size.html");
    let (_, code) = html.split_once("<figure class=\"exhibit snippet\"").unwrap_or_else(|| panic!("{marker}: {html}"));
    let code = code.split("</figure>").next().unwrap();
    let (mut sketch, mut last) = (String::new(), 0);
    for piece in code.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').unwrap();
        let (element, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        sketch += match element {
            "details" => "[",
            "/details" => "]",
            "/code" => {
                last = 0;
                ""
            }
            "ins" => "+",
            "del" => "- ",
            _ => "",
        };
        if matches!(element, "r-" | "ins") {
            last += attributes.split_once("style=--by:").map_or(1, |(_, by)| by.parse::<usize>().unwrap());
            sketch += if attributes.contains("outside") { "~" } else { "" };
            sketch += if attributes.contains("lit") { "!" } else { "" };
            sketch += &format!("{last} ");
        }
    }
    sketch.trim().to_owned()
}

#[test]
fn lines_of_a_region() {
    let cases = [
        ("snippet: block-size.cu#loop", "29 30 31"),
        ("snippet: block-size.cu#loop { context = 2 }", "~26 ~27 29 30 31 ~33 ~35"),
        ("snippet: block-size.cu#reference { context = 1, highlight = [\"for\"] }", "~14 16 17 !18 19 ~21"),
        ("snippet: block-size.cu#luma { fold = [\"loop\"] }", "23 24 25 26 27 [29 30 31 ]33"),
        ("snippet: block-size.cu#luma { fold = \"loop\" }", "23 24 25 26 27 [29 30 31 ]33"),
        ("snippet: block-size.cu#planes { fold = [{ from = \"r[i]\", to = \"b[i]\" }] }", "5 6 7 [8 9 10 ]11 12"),
        (
            "snippet: block-size.cu#luma { diff = \"block-size.cu#simple\", fold = [{ from = \"extern\", to = \"{\" }], context = 1 }",
            "~21 - [+23 24 25 ]- - +26 +27 +29 30 31 33 ~35",
        ),
    ];
    for (marker, expected) in cases {
        assert_eq!(sketch(marker), expected, "{marker}");
    }
}

#[test]
fn a_change_keeps_its_margin_where_context_stands_farther_left() {
    let (compiled, _) = built(
        "+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\n\
         snippet: block-size.cu#loop { diff = \"block-size.cu#loop\", context = 4 }\n",
    );
    let html = page(&compiled, "block-size.html");
    assert!(!html.contains("<del") && html.contains(" style=--by:2>    <k->for</k->"), "{html}");
}

#[test]
fn a_step_says_what_a_change_brought() {
    let (compiled, problems) = built(
        "+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\n\
         snippet: block-size.cu#luma { diff = \"block-size.cu#simple\", step = [\"row('32').ms\", \"row('256').ms\"] }\n",
    );
    assert!(problems.iter().all(|problem| !problem.id.starts_with("expr")), "{problems:?}");
    let html = page(&compiled, "block-size.html");
    let step = html.split("<p class=\"step\">").nth(1).unwrap().split("</p>").next().unwrap();
    assert_eq!(step.matches("<data ").count(), 3, "{step}");
    assert!(step.contains(" of the time (<span class=\"ltr\">±") && step.ends_with("at 99 %)"), "{step}");
    let (rate, _) = built(
        "+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\nsnippet: block-size.cu#luma { step = [\"row('32')['GB/s']\", \"row('256')['GB/s']\"] }\n",
    );
    assert!(page(&rate, "block-size.html").contains(" of the value ("));
}

#[test]
fn lines_are_linked_and_their_link_is_checked() {
    let (compiled, _) = built("+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\nsnippet: block-size.cu#loop\n");
    assert!(page(&compiled, "block-size.html").contains("href=\"sources/block-size.cu.html#L29-L31\""));
    let source = page(&compiled, "sources/block-size.cu.html");
    assert!(source.contains("<r- id=L29-L31 style=--by:2><span id=\"loop\"></span>") && !source.contains("L30"), "{source}");
    assert!(source.contains("https://godbolt.org/clientstate/"), "{source}");
    let link = |anchor: &str| problems_of(&format!("[code](../kernels/block-size.cu#{anchor})")).join("\n");
    let (linked, _) = built("+++\ntitle = \"A\"\n+++\n\n[a](../kernels/block-size.cu#L29) [b](../kernels/block-size.cu#L30)\n");
    let source = page(&linked, "sources/block-size.cu.html");
    assert!(source.contains("<r- id=L29 style=--by:2><span id=\"L29-L31\"></span><span id=\"loop\"></span>"), "{source}");
    assert!(source.contains("<r- id=L30>"), "{source}");
    assert!(!link("L29-L31").contains("link-missing") && link("L29-L30").contains("link-missing"));
}

#[test]
fn what_is_wrong_with_folds_and_steps() {
    let cases = [
        ("fold = [\"lop\"]", "exhibit-option: no region `lop` stands within `luma`"),
        ("fold = [{ from = \"zzz\", to = \"}\" }]", "exhibit-option: no line of the region holds `zzz`"),
        ("fold = [{ from = \"{\", to = \"zzz\" }]", "exhibit-option: no line of the region holds `zzz`"),
        ("fold = [{ from = \"{\" }]", "toml-missing-key: this fold has no `to`"),
        ("fold = [1]", "toml-type: expected the name of a region, or `{ from = \"…\", to = \"…\" }`, for `fold`, found an integer"),
        ("context = 21", "toml-value: `context` is from 0 to 20, not 21"),
        ("step = \"row('32').ms\"", "exhibit-option: a step is two expressions: the value before, and the value behind"),
        ("step = [\"row('32').ms\", \"row('33').ms\"]", "expr-name: "),
    ];
    for (options, expected) in cases {
        let problems = problems_of(&format!("snippet: block-size.cu#luma {{ {options} }}"));
        assert!(problems.iter().any(|problem| problem.starts_with(expected)), "{options}: {problems:?}");
    }
}
