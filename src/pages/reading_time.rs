//! Turns a lesson's text into the minutes that reading it takes.
//!
//! Must not know how the page looks.

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::course::document::{Document, Node};

/// Words of running text that are read in a minute: people read non-fiction at 238 (Brysbaert 2019), and text with figures more slowly.
const WORDS_A_MINUTE: usize = 200;

/// Lines of code that are read in a minute; the rate at which reviewers look through code is lower still.
const LINES_A_MINUTE: usize = 25;

/// Minutes to read `document` and `lines` lines of code that its exhibits show; one at least.
pub(crate) fn minutes(document: &Document, lines: usize) -> usize {
    let mut count = Count { lines, ..Count::default() };
    count.nodes(&document.nodes);
    (count.words * LINES_A_MINUTE + count.lines * WORDS_A_MINUTE).div_ceil(WORDS_A_MINUTE * LINES_A_MINUTE).max(1)
}

#[derive(Default)]
struct Count {
    words: usize,
    lines: usize,
    in_code: bool,
}

impl Count {
    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Markdown(mark) => match mark.event() {
                    Event::Start(Tag::CodeBlock(_)) => self.in_code = true,
                    Event::End(TagEnd::CodeBlock) => self.in_code = false,
                    Event::Text(text) if self.in_code => self.lines += text.lines().count(),
                    Event::Text(text) | Event::Code(text) => self.words += words(&text),
                    _ => {}
                },
                Node::Figure(_) => self.words += 1,
                Node::Claim(claim) => self.nodes(&claim.sentence),
                _ => {}
            }
        }
    }
}

/// Words of `text` that have a letter or a digit.
fn words(text: &str) -> usize {
    if text.is_ascii()
        && let Some(words) = plain_words(text.as_bytes())
    {
        return words;
    }
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// The same of ASCII in which each word begins with a letter or a digit, as in most text; `None` for other text.
fn plain_words(text: &[u8]) -> Option<usize> {
    let Some((first, behind)) = text.split_first() else { return Some(0) };
    // No step hangs on a branch or on the step before, so that processors take many at once; a sum of so few fits a byte.
    const FEW: usize = u8::MAX as usize;
    let before = text[..behind.len()].chunks(FEW);
    let (mut words, mut others) = (usize::from(!is_blank(*first)), usize::from(!is_blank(*first) & !first.is_ascii_alphanumeric()));
    for (before, bytes) in before.zip(behind.chunks(FEW)) {
        let (mut begun, mut otherwise) = (0_u8, 0_u8);
        for (&before, &byte) in before.iter().zip(bytes) {
            let begins = is_blank(before) & !is_blank(byte);
            begun += u8::from(begins);
            otherwise += u8::from(begins & !byte.is_ascii_alphanumeric());
        }
        words += usize::from(begun);
        others += usize::from(otherwise);
    }
    (others == 0).then_some(words)
}

fn is_blank(byte: u8) -> bool {
    (byte == b' ') | matches!(byte, b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::problem::Problems;
    use crate::base::slice::Slice;
    use crate::course::document;

    #[test]
    fn a_word_is_what_stands_between_blanks_and_says_something() {
        let cases = [("", 0), ("a b-c  d,", 3), ("- = 1 (", 1), ("x\ty\nz\u{b}w", 4), ("don't", 1), ("é – ü1", 2), ("אחת שתיים", 2)];
        for (text, expected) in cases {
            assert_eq!(words(text), expected, "{text}");
            // What is counted many bytes at once, and what is not, is counted alike.
            assert_eq!(words(&format!("{text} é")), expected + 1, "{text}");
            assert_eq!(words(&format!("{text} - x")), expected + 1, "{text}");
            assert_eq!(words(&format!("{text} ").repeat(300)), expected * 300, "{text}");
        }
    }

    #[test]
    fn text_and_code_take_their_time() {
        let of = |text: &str, lines| {
            let body = Slice::verbatim(&"a.md".into(), text, 0);
            minutes(&document::read(&body, &text.into(), false, &mut Problems::new()), lines)
        };
        let cases = [
            (String::new(), 0, 1),
            ("word ".repeat(200), 0, 1),
            ("word ".repeat(201), 0, 2),
            ("– ".repeat(500), 0, 1),
            ("word ".repeat(199) + "`= 1 + 2`", 0, 1),
            ("word ".repeat(200) + "`= 1 + 2`", 0, 2),
            (format!("{}\n\n```\n{}```\n", "word ".repeat(200), "x = 1\n".repeat(25)), 0, 2),
            ("word ".repeat(200), 26, 3),
            (format!("> claim: c {{ holds = \"1 < 2\" }}\n> {}\n", "word ".repeat(300)), 0, 2),
        ];
        for (text, lines, expected) in cases {
            assert_eq!(of(&text, lines), expected, "{text}");
        }
    }
}
