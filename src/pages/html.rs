//! Turns text into HTML that shows exactly that text.
//!
//! Must not know which page it is for.

/// `text` fit for element content and double-quoted attribute values.
pub(crate) fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 8);
    push(text, &mut html, &['&', '<', '>', '"']);
    html
}

/// Appends `text` to `html`, fit for element content.
pub(crate) fn push_text(text: &str, html: &mut String) {
    push(text, html, &['&', '<', '>']);
}

fn push(text: &str, html: &mut String, special: &[char]) {
    let mut rest = text;
    while let Some(at) = rest.find(special) {
        let (before, found) = rest.split_at(at);
        html.push_str(before);
        html.push_str(match found.as_bytes().first() {
            Some(b'&') => "&amp;",
            Some(b'<') => "&lt;",
            Some(b'>') => "&gt;",
            _ => "&quot;",
        });
        rest = &found[1..];
    }
    html.push_str(rest);
}

/// The text of `html` without its elements, for `<title>` and other places that hold plain text. Only for HTML that
/// this program wrote: every `<` there opens an element.
pub(crate) fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => inside = false,
            _ if !inside => text.push(c),
            _ => {}
        }
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_reads_back() {
        for text in ["a < b && c > \"d\"", "&lt;", "שלום", ""] {
            assert_eq!(plain(&escape(text)), text);
            assert!(!escape(text).contains('<'));
        }
        assert_eq!(plain("a <data value=\"1\">1 ms</data>"), "a 1 ms");
    }
}
