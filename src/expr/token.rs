//! Turns the text of an expression into tokens with their places.
//!
//! Must not know grammar: only that a number takes its unit along, so that `5%` and `48 KiB` are one token.

use crate::base::name;
use crate::base::quantity::{NOUNS, Rational, Unit};

/// A token's meaning.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    /// A number and the unit written behind it; the amount is in that unit.
    Number(Rational, Unit),
    /// Text between quotes.
    Text(String),
    /// A name.
    Name(String),
    /// A keyword or a mark, one of [`MARKS`] or [`KEYWORDS`].
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// A token and the bytes it stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// What is wrong at which bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) id: &'static str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn syntax(start: usize, end: usize, message: impl Into<String>) -> Self {
        Self { id: "expr-syntax", start, end, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Words that are no names.
pub(crate) const KEYWORDS: [&str; 7] = ["and", "or", "not", "where", "in", "true", "false"];

/// Longer marks first, so that `**` is not two `*`.
const MARKS: [&str; 21] = ["**", "//", "==", "!=", "<=", ">=", "(", ")", "[", "]", ",", ".", "+", "-", "*", "/", "%", "<", ">", "=", "|"];

/// The longest expression, in bytes; nobody reads a longer one.
const LONGEST: usize = 4096;

/// The tokens of `text`, the last of them [`Token::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Placed>, Fault> {
    if text.len() > LONGEST {
        return Err(Fault::syntax(0, text.len(), format!("the expression is longer than {LONGEST} bytes"))
            .hint("give parts of it names, as columns of the sweep"));
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let placed = one(text, at, first)?;
        at = placed.end;
        found.push(placed);
    }
    found.push(Placed { token: Token::End, start: text.len(), end: text.len() });
    Ok(found)
}

fn one(text: &str, at: usize, first: char) -> Result<Placed, Fault> {
    let rest = &text[at..];
    if first.is_ascii_digit() {
        return number(text, at);
    }
    if first == '\'' || first == '"' {
        let Some(length) = rest[1..].find(first) else {
            return Err(Fault::syntax(at, text.len(), "this text has no closing quote"));
        };
        return Ok(Placed { token: Token::Text(rest[1..=length].to_owned()), start: at, end: at + length + 2 });
    }
    if is_name_start(first) {
        let word = word(rest);
        let token =
            KEYWORDS.iter().find(|keyword| **keyword == word).map_or_else(|| Token::Name(word.to_owned()), |keyword| Token::Mark(keyword));
        return Ok(Placed { token, start: at, end: at + word.len() });
    }
    if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
        return Ok(Placed { token: Token::Mark(mark), start: at, end: at + mark.len() });
    }
    let fault = Fault::syntax(at, at + first.len_utf8(), format!("`{first}` has no meaning here"));
    Err(match first {
        '\\' => fault.hint("in a table's cell a pipe is written `\\|`, or the formatter as a call: `fixed(x, 3)`"),
        '&' => fault.hint("write `and`"),
        '!' => fault.hint("write `not`"),
        '≤' => fault.hint("write `<=`"),
        '≥' => fault.hint("write `>=`"),
        '−' => fault.hint("write `-`"),
        '×' => fault.hint("write `*`, or put `×` right behind a number"),
        '‘' | '’' | '“' | '”' => fault.hint("quotes are `'` or `\"`"),
        _ => fault,
    })
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

/// A number from byte `at` on, with the unit behind it.
fn number(text: &str, at: usize) -> Result<Placed, Fault> {
    let (amount, mut end) = amount(text, at)?;
    let rest = &text[end..];
    if rest.starts_with('%') {
        return Ok(Placed { token: Token::Number(amount, unit_of("%")), start: at, end: end + 1 });
    }
    if rest.starts_with('×') {
        return Ok(Placed { token: Token::Number(amount, unit_of("×")), start: at, end: end + '×'.len_utf8() });
    }
    let spaces = rest.len() - rest.trim_start().len();
    let word_at = end + spaces;
    let name = word(&text[word_at..]);
    if name.is_empty() || !name.starts_with(is_name_start) || KEYWORDS.contains(&name) {
        return Ok(Placed { token: Token::Number(amount, Unit::bare()), start: at, end });
    }
    let Some(mut unit) = Unit::known(name) else { return Err(unknown_unit(text, at, word_at, name)) };
    end = word_at + name.len();
    // `GB/s` is one unit only without spaces, and only of units with a dimension: `16 B / pixels` divides by a name.
    while let Some(below) = text[end..].strip_prefix('/').map(word).filter(|below| Unit::scaled(below).is_some()) {
        let next = end + 1 + below.len();
        if !unit.dimension.is_none() && !text[next..].starts_with(['(', '.', '[']) {
            unit = Unit::parse(&format!("{}/{below}", unit.symbol))
                .map_err(|why| Fault { id: "expr-unit", ..Fault::syntax(word_at, next, why) })?;
            end = next;
        } else {
            break;
        }
    }
    Ok(Placed { token: Token::Number(amount, unit), start: at, end })
}

fn unit_of(symbol: &str) -> Unit {
    Unit::scaled(symbol).unwrap_or_else(Unit::bare)
}

fn unknown_unit(text: &str, at: usize, start: usize, name: &str) -> Fault {
    let fault = Fault { id: "expr-unit", ..Fault::syntax(start, start + name.len(), format!("there is no unit `{name}`")) };
    let known = ["ms", "ns", "KiB", "MiB", "GiB", "kB", "MB", "GB", "TB", "FLOP", "GFLOP", "TFLOP", "cycles", "MHz", "GHz"];
    if matches!(name, "percent" | "pct") {
        return fault.hint(format!("write `{}%`", text[at..start].trim_end()));
    }
    match name::nearest(name, known.into_iter().chain(NOUNS)) {
        Some(meant) => fault.hint(format!("did you mean `{meant}`?")),
        None => fault.hint(format!("between a number and a name stands an operator: `{} * {name}`", text[at..start].trim_end())),
    }
}

/// Digits, a fraction and an exponent, taken exactly.
fn amount(text: &str, at: usize) -> Result<(Rational, usize), Fault> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let is_part = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
        (from..).find(|&index| !(is_part(index) || bytes.get(index) == Some(&b'_') && index > from && is_part(index + 1))).unwrap_or(from)
    };
    let mut end = digits(at);
    let mut plain = text[at..end].replace('_', "");
    let mut places = 0_i64;
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        let from = end + 1;
        end = digits(from);
        let fraction = text[from..end].replace('_', "");
        places = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        plain.push_str(&fraction);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let from = end + 1 + sign;
        let stop = digits(from);
        if stop > from && !text[stop..].starts_with(is_name_start) {
            let exponent: i64 = text[from..stop].replace('_', "").parse().unwrap_or(i64::from(u32::MAX));
            places += if bytes.get(end + 1) == Some(&b'-') { exponent } else { -exponent };
            end = stop;
        }
    }
    let too_long = || Fault::syntax(at, end, "this number has more digits than are held exactly (about 36)");
    let value: i128 = plain.parse().map_err(|_| too_long())?;
    let power = u32::try_from(places.unsigned_abs()).ok().and_then(|places| 10_i128.checked_pow(places)).ok_or_else(too_long)?;
    let amount =
        if places > 0 { Rational::new(value, power) } else { Rational::from_integer(value.checked_mul(power).ok_or_else(too_long)?) };
    Ok((amount, end))
}
