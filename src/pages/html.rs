//! Turns text into HTML that shows exactly that text.
//!
//! Must not know which page it is for.

use std::fmt;

/// `text` fit for element content and double-quoted attribute values.
pub(crate) fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 8);
    // Writing to a string can't fail.
    let _ = escape_to(&mut html, text);
    html
}

/// Writes `text` to `out`, fit for element content and double-quoted attribute values.
///
/// # Errors
/// Those of `out`.
pub(crate) fn escape_to(out: &mut (impl fmt::Write + ?Sized), text: &str) -> fmt::Result {
    push::<true>(text, out)
}

/// Appends `text` to `html`, fit for element content.
pub(crate) fn push_text(text: &str, html: &mut String) {
    // As above.
    let _ = push::<false>(text, html);
}

/// Writes `text` to `out`, quotes as they are or not.
fn push<const QUOTES: bool>(text: &str, out: &mut (impl fmt::Write + ?Sized)) -> fmt::Result {
    let bytes = text.as_bytes();
    let (mut done, mut at) = (0, 0);
    while at < bytes.len() {
        // Most text has nothing special for long, and sixteen bytes without a branch between them are looked at as one.
        if let Some(many) = bytes[at..].first_chunk::<16>()
            && !many.iter().fold(false, |any, &byte| any | is_special::<QUOTES>(byte))
        {
            at += many.len();
            continue;
        }
        let end = bytes.len().min(at + 16);
        // What is special is of one byte, which no other letter has a part of.
        while at < end {
            let entity = match bytes[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' if QUOTES => "&quot;",
                _ => {
                    at += 1;
                    continue;
                }
            };
            out.write_str(&text[done..at])?;
            out.write_str(entity)?;
            at += 1;
            done = at;
        }
    }
    out.write_str(&text[done..])
}

fn is_special<const QUOTES: bool>(byte: u8) -> bool {
    (byte == b'&') | (byte == b'<') | (byte == b'>') | (QUOTES & (byte == b'"'))
}

/// What opens a figure.
const FIGURE: &str = "<span class=\"figure";

/// What opens a part for one of several devices, before its number, and what it says there.
const ON_DEVICE: &str = "<span class=\"on d";

/// `html` with each figure as its text alone, for places where nothing may be focused: links, lists.
pub(crate) fn figures_plain(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find(FIGURE) {
        let (before, figure) = rest.split_at(start);
        out.push_str(before);
        rest = figure;
        let data = figure.find("<data").and_then(|at| Some((at, at + figure.get(at..)?.find("</data>")? + "</data>".len())));
        let (Some((from, to)), Some(end)) = (data, end_of_span(figure)) else { break };
        let on = figure[FIGURE.len()..].split_once('"').map_or("", |(on, _)| on.trim_start());
        if on.is_empty() {
            out.push_str(&figure[from..to]);
        } else {
            out.extend(["<span class=\"", on, "\">", &figure[from..to], "</span>"]);
        }
        rest = &figure[end..];
    }
    out + rest
}

/// Where the `<span>` that `html` begins with ends, with its closing tag.
fn end_of_span(html: &str) -> Option<usize> {
    const CLOSING: &str = "</span>";
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        let closing = at + html.get(at..)?.find(CLOSING)?;
        depth += html[at..closing].matches("<span").count();
        depth = depth.checked_sub(1)?;
        at = closing + CLOSING.len();
        if depth == 0 {
            return Some(at);
        }
    }
}

/// `html`, whose figures are plain, as it is for the first device: plain text can't hide what is for another.
fn of_first_device(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, part)) = rest.split_once(ON_DEVICE) {
        out.push_str(before);
        let (inside, behind) = part.split_once("</span>").unwrap_or((part, ""));
        out.push_str(inside.strip_prefix('0').and_then(|inside| inside.split_once('>')).map_or("", |(_, inside)| inside));
        rest = behind;
    }
    out + rest
}

/// Around what runs from left to right in plain text: isolates, which no style is needed for.
const ISOLATES: [char; 2] = ['\u{2066}', '\u{2069}'];

/// The text of `html` without its elements, for `<title>` and other places that hold plain text: of a figure, what it prints, and
/// from left to right where the page says so. Only for HTML that this program wrote: every `<` there opens an element.
pub(crate) fn plain(html: &str) -> String {
    let html = of_first_device(&figures_plain(html));
    let mut text = String::with_capacity(html.len());
    let mut isolated = false;
    let mut rest = html.as_str();
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        let end = rest[start..].find('>').map_or(rest.len(), |end| start + end + 1);
        let element = &rest[start..end];
        if element.starts_with("<data ") && element.ends_with("dir=\"ltr\">") {
            text.push(ISOLATES[0]);
            isolated = true;
        } else if element == "</data>" && isolated {
            text.push(ISOLATES[1]);
            isolated = false;
        }
        rest = &rest[end..];
    }
    text.push_str(rest);
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

/// `words` and the `value` behind them, kept in the order of the words' language where the text around runs the other way, as in a
/// drawing: what runs from right to left is isolated, and its value within it. Words may begin with a name that runs the other way, as in
/// `L1 וזיכרון משותף`, so their direction is not left to their first letter.
pub(crate) fn in_its_direction(words: &str, value: &str) -> String {
    if !words.chars().any(runs_left) {
        return format!("{words}{value}");
    }
    let mark = value.find(|c: char| c.is_alphanumeric()).unwrap_or(value.len());
    let (between, value) = value.split_at(mark);
    let value = if value.is_empty() { String::new() } else { format!("\u{2066}{value}\u{2069}") };
    format!("\u{2067}{words}{between}{value}\u{2069}")
}

/// Whether a letter runs from right to left: of Hebrew, Arabic and their neighbours.
pub(crate) fn runs_left(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
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
        assert_eq!(plain("א <data value=\"1\" dir=\"ltr\">1 ms</data> ב"), "א \u{2066}1 ms\u{2069} ב");
        assert_eq!(plain("a > b <unclosed"), "a > b ");
    }

    #[test]
    fn a_figure_in_a_link_is_its_text() {
        let html = "a <span class=\"figure\" tabindex=\"0\"><data value=\"1\">1 ms</data><span class=\"mark\">[a]</span>\
                    <span class=\"note\"><b>x</b></span></span> b";
        assert_eq!(figures_plain(html), "a <data value=\"1\">1 ms</data> b");
        assert_eq!(plain(html), "a 1 ms b");
        assert_eq!(figures_plain("none"), "none");
        let deep = "a <span class=\"figure\"><data value=\"1\">1</data><span class=\"note\"><span>x</span><span class=\"moves\"><span><span>y</span></span>\
                    </span></span></span> b <span>c</span>";
        assert_eq!(figures_plain(deep), "a <data value=\"1\">1</data> b <span>c</span>", "whatever its note holds");
        assert_eq!(figures_plain("a <span class=\"figure\"><data>1</data><span>"), "a <span class=\"figure\"><data>1</data><span>");
        let on = |device: u8| {
            format!(
                "<span class=\"figure on d{device}\" tabindex=\"0\"><data value=\"1\">{device} ms</data><span class=\"note\"><b>x</b></span></span>"
            )
        };
        let several = format!("a {}{} b {}{} c", on(0), on(1), on(0), on(1));
        assert_eq!(plain(&several), "a 0 ms b 0 ms c", "a title is that of the first device");
        assert!(figures_plain(&several).starts_with("a <span class=\"on d0\"><data value=\"1\">0 ms</data></span><span class=\"on d1\">"));
    }

    #[test]
    fn what_runs_left_keeps_its_value_at_its_end() {
        let cases = [
            ("L2", ": 60 MiB", "L2: 60 MiB"),
            ("מטמון", ": 60 MiB", "\u{2067}מטמון: \u{2066}60 MiB\u{2069}\u{2069}"),
            ("L1 וזיכרון", "", "\u{2067}L1 וזיכרון\u{2069}"),
        ];
        for (words, value, expected) in cases {
            assert_eq!(in_its_direction(words, value), expected);
        }
    }
}
