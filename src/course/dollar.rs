//! Turns the dollar signs of a text that are money or a shell's variables into a sign that Markdown passes by, and back.
//!
//! Must not know what a formula means. A formula's dollars hug it and stand free: `$x^2$`, and not `$5 or 6$`, `$HOME/$USER`.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag};

/// Stands for a dollar that is only a dollar: a control character of the same length, which begins no Markdown construct.
const ASIDE: char = '\u{2}';

/// `text`, in which only those dollars are left that open or close a formula. Places stay what they are.
pub(super) fn set_aside(text: &str) -> Cow<'_, str> {
    if !text.contains('$') {
        return Cow::Borrowed(text);
    }
    let mut marked = String::with_capacity(text.len());
    for lone in lone(text) {
        marked.push_str(text.get(marked.len()..lone).unwrap_or_default());
        marked.push(ASIDE);
    }
    marked.push_str(text.get(marked.len()..).unwrap_or_default());
    Cow::Owned(marked)
}

/// `event` with its dollars back in their places.
pub(super) fn put_back(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Text(text) => Event::Text(back(text)),
        Event::Code(text) => Event::Code(back(text)),
        Event::InlineMath(text) => Event::InlineMath(back(text)),
        Event::DisplayMath(text) => Event::DisplayMath(back(text)),
        Event::Html(text) => Event::Html(back(text)),
        Event::InlineHtml(text) => Event::InlineHtml(back(text)),
        Event::FootnoteReference(text) => Event::FootnoteReference(back(text)),
        Event::Start(tag) => Event::Start(match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => Tag::CodeBlock(CodeBlockKind::Fenced(back(info))),
            Tag::FootnoteDefinition(label) => Tag::FootnoteDefinition(back(label)),
            Tag::Link { link_type, dest_url, title, id } => {
                Tag::Link { link_type, dest_url: back(dest_url), title: back(title), id: back(id) }
            }
            Tag::Image { link_type, dest_url, title, id } => {
                Tag::Image { link_type, dest_url: back(dest_url), title: back(title), id: back(id) }
            }
            tag => tag,
        }),
        event => event,
    }
}

fn back(text: CowStr<'_>) -> CowStr<'_> {
    if text.contains(ASIDE) { text.replace(ASIDE, "$").into() } else { text }
}

/// One dollar or two together.
#[derive(Clone, Copy)]
struct Sign {
    at: usize,
    length: usize,
}

/// Where the dollars stand that belong to no formula, ascending.
fn lone(text: &str) -> Vec<usize> {
    let mut lone = Vec::new();
    let mut paragraph = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_matches([' ', '\t', '>', '\n']).is_empty() {
            pair(text, &std::mem::take(&mut paragraph), &mut lone);
        } else {
            signs(text, start..start + line.len(), &mut paragraph);
        }
        start += line.len();
    }
    pair(text, &paragraph, &mut lone);
    lone
}

/// The signs in `range`; one behind a backslash is none.
fn signs(text: &str, range: std::ops::Range<usize>, signs: &mut Vec<Sign>) {
    let bytes = text.as_bytes();
    let mut at = range.start;
    while let Some(found) = text[at..range.end].find('$') {
        let start = at + found;
        let length = bytes[start..range.end].iter().take_while(|&&byte| byte == b'$').count();
        let slashes = bytes[..start].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if slashes % 2 == 0 {
            signs.push(Sign { at: start, length });
        }
        at = start + length;
    }
}

/// Pairs the `signs` of a paragraph, and adds those without a partner to `lone`.
fn pair(text: &str, signs: &[Sign], lone: &mut Vec<usize>) {
    let mut at = 0;
    while let Some(&open) = signs.get(at) {
        let close = signs.get(at + 1).filter(|close| close.length == open.length);
        if close.is_some_and(|&close| is_formula(text, open, close)) {
            at += 2;
        } else {
            lone.extend(open.at..open.at + open.length);
            at += 1;
        }
    }
}

fn is_formula(text: &str, open: Sign, close: Sign) -> bool {
    let inside = &text[open.at + open.length..close.at];
    if open.length > 1 {
        return open.length == 2 && !inside.trim().is_empty();
    }
    let (before, after) = (text[..open.at].chars().next_back(), text[close.at + 1..].chars().next());
    let glued = |c: char| c.is_alphanumeric() || c == '_';
    let hugged = !inside.is_empty() && !inside.starts_with(char::is_whitespace) && !inside.ends_with(char::is_whitespace);
    hugged && !before.is_some_and(glued) && !after.is_some_and(|c| glued(c) || matches!(c, '(' | '{')) && !is_prose(inside)
}

/// Whether two words stand side by side, as in `5 per month and 10`: a formula's words stand in braces.
fn is_prose(inside: &str) -> bool {
    let mut depth = 0_usize;
    let mut words = 0;
    for part in inside.split_whitespace() {
        let word = depth == 0 && part.chars().filter(|c| c.is_alphabetic()).count() > 1 && part.chars().all(|c| c.is_alphabetic());
        words = if word { words + 1 } else { 0 };
        if words > 1 {
            return true;
        }
        depth = (depth + part.matches('{').count()).saturating_sub(part.matches('}').count());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_and_shells_are_no_formulas() {
        let cases = [
            ("It is $x^2$, or $y$.", "It is $x^2$, or $y$."),
            ("It costs $5, or $10.", "It costs %5, or %10."),
            ("From $5-$10 a month", "From %5-%10 a month"),
            ("US$5 and 3$", "US%5 and 3%"),
            ("$5 per month and 10$", "%5 per month and 10%"),
            ("$HOME/bin:$PATH and ${A}/${B}, $$", "%HOME/bin:%PATH and %{A}/%{B}, %%"),
            ("`$x` and `$y`", "`%x` and `%y`"),
            ("set $(A) to $(B)", "set %(A) to %(B)"),
            ("$$\na + b\n$$", "$$\na + b\n$$"),
            ("one $\n\nand $ two", "one %\n\nand % two"),
            ("costs $5, where $x$ is", "costs %5, where $x$ is"),
            (r"\$5 and $x$, \\$y$", r"\$5 and $x$, \\$y$"),
            (r"$t_\text{wide and long}$", r"$t_\text{wide and long}$"),
            ("$n$th, a$n$", "%n%th, a%n%"),
            ("> $a\n> + b$", "> $a\n> + b$"),
            ("$$$ and $", "%%% and %"),
            ("no", "no"),
        ];
        for (text, expected) in cases {
            assert_eq!(set_aside(text).replace(ASIDE, "%"), expected, "{text}");
            assert_eq!(back(set_aside(text).into_owned().into()).as_ref(), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn dollars_come_back(text in "[$a 5\\\\\n{}(>]{0,40}") {
            let aside = set_aside(&text).into_owned();
            proptest::prop_assert_eq!(aside.len(), text.len());
            proptest::prop_assert_eq!(&*back(aside.into()), &*text);
        }
    }
}
