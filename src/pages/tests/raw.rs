//! Turns HTML in Markdown into pages, to see what passes and what is not shown.
//!
//! Must not know exhibits.

use super::{built, page};

#[test]
fn raw_html_can_neither_script_nor_break_a_page() {
    let (compiled, _) = built(
        "+++\ntitle = \"A <b>\"\nsweeps = [\"block-size\"]\n+++\n\n<script>alert(1)</script>\n\nPress <kbd>x</kbd> <img src=x onerror=y>\n",
    );
    let html = page(&compiled, "block-size.html");
    assert!(html.contains("&lt;script&gt;") && html.contains("<kbd>x</kbd>") && html.contains("&lt;img src=x"), "{html}");
}

#[test]
fn comments_vanish_however_many_lines_they_have() {
    let shown = |text: &str| {
        let lesson = format!("+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\nBefore.\n\n{text}\n\nAfter.\n");
        page(&built(&lesson).0, "block-size.html")
    };
    for text in
        ["<!-- secret -->", "<!--\nsecret\n\nsecret\n-->", "Within <!-- secret\nsecret --> a line.", "<!-- secret -->\n<!-- secret\n-->"]
    {
        let html = shown(text);
        assert!(html.contains("Before.") && html.contains("After."), "{text}: {html}");
        assert!(!html.contains("secret") && !html.contains("&lt;!--") && !html.contains("--&gt;"), "{text}: {html}");
    }
    let html = shown("<!-- secret --> shown <b onclick=x>");
    assert!(!html.contains("secret") && html.contains("shown &lt;b onclick=x&gt;"), "{html}");
    assert!(shown("<!-- never ended").contains("&lt;!-- never ended"), "nothing is lost unseen");
}

#[test]
fn readers_who_hear_a_page_are_told_what_others_see() {
    let (built, _) = built("+++\ntitle = \"T\"\n+++\n\n- [x] one\n- [ ] two\n\n|  | a | `b` |\n|:-:|--:|---|\n| c | 1 | |\n");
    let page = page(&built, "block-size.html");
    assert!(page.contains(r#"<input type="checkbox" disabled checked aria-label="Done"> one"#), "{page}");
    assert!(page.contains(r#"<input type="checkbox" disabled aria-label="To do"> two"#), "{page}");
    assert!(page.contains(r#"<table class="c1 r2"><thead><tr><td><th>a<th><code>b</code></tr></thead>"#), "{page}");
}

#[test]
fn columns_that_the_style_sheet_does_not_know_say_how_they_are_set() {
    let row = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(14));
    let (built, _) = built(&format!("+++\ntitle = \"T\"\n+++\n\n{}{}{}", row("a"), row(":-"), row("b **c**")));
    let page = page(&built, "block-size.html");
    let table = &page[page.find("<table").unwrap()..page.find("</table>").unwrap()];
    assert!(table.starts_with(r#"<table class="l1 l2 "#) && table.contains(r#" l12"><thead>"#), "{table}");
    assert_eq!(
        (table.matches("<td>b <strong>c</strong>").count(), table.matches("<td style=text-align:left>").count()),
        (12, 2),
        "{table}"
    );
    let styles = include_str!("../../../templates/styles/prose.css");
    for (letter, side) in [("l", "left"), ("c", "center"), ("r", "right")] {
        let known = (1..=12).map(|column| format!(".{letter}{column} > * > tr > :nth-child({column})")).collect::<Vec<_>>().join(", ");
        assert!(styles.contains(&format!(":is({known}) {{ text-align: {side}; }}")), "{letter}");
    }
}

/// The text of the lesson `text` on its page, and the ids of what is wrong with it.
fn passed(text: &str) -> (String, Vec<&'static str>) {
    let (built, problems) = built(&format!("+++\ntitle = \"T\"\nsweeps = [\"block-size\"]\n+++\n\n{text}\n"));
    let html = page(&built, "block-size.html");
    let from = html.rfind("<div class=about>").expect("the page says what it stands on");
    let known = ["html-refused", "html-unclosed", "picture-no-text", "picture-unread", "link-missing", "link-scheme"];
    (html[from..].to_owned(), problems.iter().map(|problem| problem.id).filter(|id| known.contains(id)).collect())
}

#[test]
fn elements_pass_whole_and_nowhere_else() {
    let cases: [(&str, &str, &[&str]); 20] = [
        ("A <span lang=\"he\" dir='rtl'>שלום</span>.", "A <span lang=\"he\" dir='rtl'>שלום</span>.", &[]),
        ("<details open>\n<summary>More</summary>\n\nText *here*.\n\n</details>", "<p>Text <em>here</em>.</p>", &[]),
        ("<div>\na &lt; b & c\n</div>", "<div>\na &lt; b & c\n</div>", &[]),
        ("A <b>bold.\n\nNext.", "<p>A <b>bold.</b></p>\n<p>Next.</p>", &["html-unclosed"]),
        ("> <div>\n\nOut </div>", "<div>\n</div></blockquote>", &["html-unclosed", "html-refused"]),
        ("- a\n\n</div>", "&lt;/div&gt;", &["html-refused"]),
        ("A <div>block</div> within", "A &lt;div&gt;block&lt;/div&gt; within", &["html-refused", "html-refused"]),
        ("<summary>Alone</summary>", "&lt;summary&gt;Alone&lt;/summary&gt;", &["html-refused", "html-refused"]),
        ("A <b onclick=\"x()\">y</b>", "A &lt;b onclick=\"x()\"&gt;y&lt;/b&gt;", &["html-refused", "html-refused"]),
        ("A <b><i>x</b></i>", "A <b><i>x&lt;/b&gt;</i></b></p>", &["html-unclosed", "html-refused"]),
        ("A vector<float> of", "A vector&lt;float&gt; of", &["html-refused"]),
        ("<style>p { color: red }</style>", "&lt;style&gt;p { color: red }&lt;/style&gt;", &["html-refused", "html-refused"]),
        ("<iframe src=\"https://x\"></iframe>", "&lt;iframe src=", &["html-refused", "html-refused"]),
        ("Before.\n\n<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;\n</p>\n", &["html-refused", "html-refused"]),
        ("<!-- a\n\nb", "<p>&lt;!-- a\n\nb", &["html-refused"]),
        ("A <?php x ?> b", "A &lt;?php x ?&gt; b", &["html-refused"]),
        ("<!DOCTYPE x>", "<p>&lt;!DOCTYPE x&gt;", &["html-refused"]),
        ("<kbd>\nCtrl</kbd>", "<p><kbd>\nCtrl</kbd>\n</p>\n", &[]),
        ("<div>\n<em>\nx</em>\n</div>", "<div>\n<em>\nx</em>\n</div>", &[]),
        ("> answer: <b>It is.", "<p><b>It is.</b></p>\n</details>", &["html-unclosed"]),
    ];
    for (text, expected, ids) in cases {
        let (html, problems) = passed(text);
        assert!(html.contains(expected), "{text}: no `{expected}` in\n{html}");
        assert_eq!(problems, ids, "{text}");
    }
}

#[test]
fn pictures_need_a_text_and_a_file_of_the_course() {
    let cases: [(&str, &str, &[&str]); 7] = [
        ("![a](images/dot.svg) b", "<p><img src=\"images/dot.svg\" alt=\"a\" width=\"40\" height=\"30\" loading=\"lazy\"", &[]),
        (
            "![a](images/dot.svg \"Why & how\")",
            "loading=\"lazy\" decoding=\"async\">\n<figcaption>Why &amp; how</figcaption></figure>\n<section",
            &[],
        ),
        ("![](https://x.org/a.png)", "<img src=\"https://x.org/a.png\" alt=\"\" loading", &["picture-no-text", "picture-unread"]),
        ("![A `= 2 * 3` b](no.png)", "alt=\"A 6 b\" loading=\"lazy\"", &["link-missing"]),
        ("![a](../kernels/block-size.cu)", "alt=\"a\" loading", &["picture-unread"]),
        ("![a](javascript:x)", "<img src=\"#\" alt=\"a\"", &["link-scheme"]),
        ("[![a ![in *side*](y.png)](no.png)](block-size.md)", "alt=\"a in side\"", &["link-missing"]),
    ];
    for (text, expected, ids) in cases {
        let (html, problems) = passed(text);
        assert!(html.contains(expected), "{text}: no `{expected}` in\n{html}");
        assert_eq!(problems, ids, "{text}");
    }
}
