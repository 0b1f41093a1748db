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
    assert!(page.contains(r#"<td style="text-align: center"></td><th style="text-align: right">a</th><th><code>b</code></th>"#), "{page}");
}
