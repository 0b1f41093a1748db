//! Turns a run of HTML into its tags, comments and text.
//!
//! Must not know which of them may pass.

use std::ops::Range;

/// A piece of HTML.
pub(super) enum Piece<'a> {
    Text,
    Comment,
    Tag(Tag<'a>),
}

/// A tag.
pub(super) struct Tag<'a> {
    /// Its element, in lower case.
    pub(super) name: String,
    pub(super) closes: bool,
    /// Names in lower case, and values without quotes.
    pub(super) attributes: Vec<(String, &'a str)>,
}

/// The pieces of `html`, in order, each with its bytes.
pub(super) fn pieces(html: &str) -> Vec<(Piece<'_>, Range<usize>)> {
    let mut pieces = Vec::new();
    let mut text = 0;
    let mut at = 0;
    while let Some(found) = html[at..].find('<') {
        let start = at + found;
        let rest = &html[start..];
        let piece = match rest.strip_prefix("<!--") {
            Some(comment) => comment.find("-->").map(|end| (Piece::Comment, end + "<!---->".len())),
            None => tag(rest).map(|(tag, length)| (Piece::Tag(tag), length)),
        };
        let Some((piece, length)) = piece else {
            at = start + 1;
            continue;
        };
        if text < start {
            pieces.push((Piece::Text, text..start));
        }
        at = start + length;
        text = at;
        pieces.push((piece, start..at));
    }
    if text < html.len() {
        pieces.push((Piece::Text, text..html.len()));
    }
    pieces
}

/// The tag at the start of `html`, and its length.
fn tag(html: &str) -> Option<(Tag<'_>, usize)> {
    let mut rest = html.strip_prefix('<')?;
    let closes = rest.starts_with('/');
    rest = rest.strip_prefix('/').unwrap_or(rest);
    let (name, behind) = word(rest, |c| c.is_ascii_alphanumeric() || c == '-')?;
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    rest = behind;
    let mut attributes = Vec::new();
    loop {
        let spaced = rest.trim_start();
        let end = spaced.strip_prefix('/').unwrap_or(spaced).strip_prefix('>');
        if let Some(end) = end {
            return Some((Tag { name: name.to_ascii_lowercase(), closes, attributes }, html.len() - end.len()));
        }
        if spaced.len() == rest.len() {
            return None;
        }
        let (key, behind) = word(spaced, |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '@'))?;
        let (value, behind) = value(behind)?;
        attributes.push((key.to_ascii_lowercase(), value));
        rest = behind;
    }
}

/// What `=` at the start of `rest` gives, nothing where there is none, and what follows.
fn value(rest: &str) -> Option<(&str, &str)> {
    let Some(value) = rest.trim_start().strip_prefix('=') else { return Some(("", rest)) };
    let value = value.trim_start();
    match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split_once(quote),
        _ => word(value, |c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '=' | '<' | '>' | '`')),
    }
}

/// The longest non-empty start of `text` whose letters all are `part` of it, and what follows.
fn word(text: &str, part: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    let end = text.find(|c| !part(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(html: &str) -> String {
        let piece = |(piece, range): (Piece<'_>, Range<usize>)| match piece {
            Piece::Text => format!("'{}'", &html[range]),
            Piece::Comment => "#".to_owned(),
            Piece::Tag(tag) => {
                let attributes: String = tag.attributes.iter().map(|(key, value)| format!(" {key}={value}")).collect();
                format!("[{}{}{attributes}]", if tag.closes { "/" } else { "" }, tag.name)
            }
        };
        pieces(html).into_iter().map(piece).collect()
    }

    #[test]
    fn tags_comments_and_text() {
        let cases = [
            ("<b>x</b>", "[b]'x'[/b]"),
            ("<BR/><hr />", "[br][hr]"),
            ("<abbr title=\"a > b\" lang=en>", "[abbr title=a > b lang=en]"),
            ("<details open\n>", "[details open=]"),
            ("a < b <- c <3", "'a < b <- c <3'"),
            ("<b title=\"x>", "'<b title=\"x>'"),
            ("a<!-- b > -->c<!-- d", "'a'#'c<!-- d'"),
            ("<a b\"c>", "'<a b\"c>'"),
            ("<!doctype html>", "'<!doctype html>'"),
        ];
        for (html, expected) in cases {
            assert_eq!(sketch(html), expected, "{html}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_piece_is_lost(html in "[<>/a!\"= \\-\u{e9}]{0,30}") {
            let whole: String = pieces(&html).into_iter().map(|(_, range)| html[range].to_owned()).collect();
            proptest::prop_assert_eq!(whole, html);
        }
    }
}
