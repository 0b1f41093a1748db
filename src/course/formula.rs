//! Turns a formula into what it says in figures, piece by piece: numbers and units as a reader sees them.
//!
//! Must not know how a formula is drawn. What is neither number, letter nor sign stays a gap that no figure reaches across.

use super::mention::OBJECT;

/// Commands that print as plain text.
const SAID: [(&str, &str); 12] = [
    ("times", "\u{d7}"),
    ("cdot", "\u{b7}"),
    ("mu", "\u{b5}"),
    ("pm", "\u{b1}"),
    ("approx", " "),
    ("sim", " "),
    ("quad", " "),
    ("qquad", " "),
    ("left", " "),
    ("right", " "),
    ("le", " "),
    ("ge", " "),
];

/// Commands around text that stands upright.
const UPRIGHT: [&str; 7] = ["text", "mathrm", "textrm", "operatorname", "mbox", "mathsf", "textsf"];

/// The pieces of `formula`, each with where it begins in it.
pub(super) fn pieces(formula: &str) -> Vec<(usize, String)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(c) = formula[at..].chars().next() {
        let (said, length) = match c {
            '\\' => command(&formula[at..]),
            '{' if formula[at..].starts_with("{,}") => (",".to_owned(), 3),
            '~' => (" ".to_owned(), 1),
            '{' | '}' | '^' | '_' | '&' => (OBJECT.to_string(), 1),
            c => (c.to_string(), c.len_utf8()),
        };
        pieces.push((at, said));
        at += length;
    }
    pieces
}

/// What the command at the start of `rest` says, and how long it is, the braces of upright text among it.
fn command(rest: &str) -> (String, usize) {
    let name: &str = &rest[1..];
    let name = &name[..name.len() - name.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len()];
    if name.is_empty() {
        let Some(sign) = rest[1..].chars().next() else { return (String::new(), 1) };
        let said = if matches!(sign, ',' | ';' | ':' | '!' | ' ' | '>') { " ".to_owned() } else { sign.to_string() };
        return (said, 1 + sign.len_utf8());
    }
    let length = 1 + name.len();
    if let Some((_, said)) = SAID.iter().find(|(known, _)| *known == name) {
        return ((*said).to_owned(), length);
    }
    let inside = rest[length..].strip_prefix('{').filter(|_| UPRIGHT.contains(&name)).and_then(|inside| inside.split_once('}'));
    match inside {
        Some((text, _)) if !text.contains(['{', '\\', '$']) => (text.replace('~', " "), length + text.len() + 2),
        _ => (OBJECT.to_string(), length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_units_are_read_as_they_look() {
        let cases = [
            (r"t = 1.37\,\text{ms}", "t = 1.37 ms"),
            (r"1.8\times", "1.8\u{d7}"),
            (r"4{,}800~\mathrm{GB/s}", "4,800 GB/s"),
            (r"5\%", "5%"),
            (r"\frac{1}{2}", "\u{fffc}\u{fffc}1\u{fffc}\u{fffc}2\u{fffc}"),
            (r"\text{of \(x\)} 3", "\u{fffc}\u{fffc}of (x)\u{fffc} 3"),
            (r"10^{-6}\,s\", "10\u{fffc}\u{fffc}-6\u{fffc} s"),
        ];
        for (formula, expected) in cases {
            let said: String = pieces(formula).into_iter().map(|(_, said)| said).collect();
            assert_eq!(said, expected, "{formula}");
        }
    }
}
