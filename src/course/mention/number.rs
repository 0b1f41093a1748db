//! Turns a text into the numbers that stand in it by themselves: no parts of names, dates, versions or addresses.
//!
//! Must not know units.

use std::borrow::Cow;
use std::ops::Range;

use crate::base::quantity::{Quantity, Rational};

use super::units;

/// A number as somebody typed it.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// What it says.
    pub value: Rational,
    /// Digits behind the point.
    pub places: u8,
    /// Digits from the first that is not zero on; of a whole number without the zeros at its end.
    pub digits: u8,
}

/// A number and its bytes in the text, the sign among them.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) number: Number,
    pub(super) range: Range<usize>,
}

/// What may stand between groups of three digits.
const GROUPING: [char; 5] = [',', '_', '\u{a0}', '\u{2009}', '\u{202f}'];

/// Words that make a name of the number behind them: `day 10`, `CUDA 13.0`. English in lower case, and Hebrew, in order.
const NAMING: [&str; 57] = [
    "appendix",
    "capability",
    "chapter",
    "cuda",
    "day",
    "driver",
    "eq",
    "equation",
    "example",
    "exercise",
    "fig",
    "figure",
    "footnote",
    "lesson",
    "level",
    "listing",
    "no",
    "note",
    "number",
    "nvrtc",
    "option",
    "page",
    "part",
    "phase",
    "question",
    "release",
    "round",
    "section",
    "sm",
    "stage",
    "step",
    "table",
    "task",
    "unit",
    "version",
    "volume",
    "week",
    "year",
    "איור",
    "גרסה",
    "גרסת",
    "הערה",
    "חלק",
    "טבלה",
    "יום",
    "מספר",
    "משימה",
    "נספח",
    "סבב",
    "סעיף",
    "עמוד",
    "פרק",
    "צעד",
    "שאלה",
    "שיעור",
    "שלב",
    "תרגיל",
];

/// The numbers of `text`, in order.
pub(super) fn numbers(text: &str) -> Vec<Placed> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    // Where the last number ends that is a part of a name by the word before it.
    let mut named = None;
    while let Some(offset) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let mut start = at + offset;
        // `.5` is a number too, where nothing stands before the point.
        if start > at
            && bytes[start - 1] == b'.'
            && !text[..start - 1].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | ')'))
        {
            start -= 1;
        }
        let (end, plain) = scan(text, start);
        // "Sections 3 and 4": the name goes on.
        let goes_on = named.is_some_and(|until| matches!(text[until..start].trim(), "and" | "or" | "to" | "," | "-" | "–" | "ו-" | "עד"));
        if goes_on || is_named(&text[..start]) {
            named = Some(end);
        } else if let Some(mut number) = plain.and_then(|plain| read(&plain))
            && let Some(begin) = begin(text, start)
            && !is_address(text, begin)
        {
            if begin < start {
                number.value = -number.value;
            }
            found.push(Placed { number, range: begin..end });
        }
        at = end;
    }
    found
}

fn digits(text: &str, at: usize) -> usize {
    at + text.as_bytes()[at.min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Where what begins with the number at `start` ends, and the number without its grouping; `None` where it is none, but a date,
/// a time of day, a version or a fraction.
fn scan(text: &str, start: usize) -> (usize, Option<Cow<'_, str>>) {
    let mut end = digits(text, start);
    let mut plain = Cow::Borrowed(&text[start..end]);
    let mut grouped = (1..=3).contains(&plain.len());
    while grouped && let Some(separator) = text[end..].chars().next().filter(|c| GROUPING.contains(c)) {
        let group = end + separator.len_utf8();
        let after = digits(text, group);
        grouped = after == group + 3;
        if grouped {
            plain.to_mut().push_str(&text[group..after]);
            end = after;
        }
    }
    let follows = |end: usize, mark: char| text[end..].starts_with(mark) && text[end + 1..].starts_with(|c: char| c.is_ascii_digit());
    if follows(end, '.') {
        let after = digits(text, end + 1);
        plain += &text[end..after];
        end = after;
    }
    // 2026-11-30, 10:30, 13.0.1, 2/3, 30/11/2026.
    let is_date = end - start == 4 && follows(end, '-') && follows(digits(text, end + 1), '-');
    if is_date || [':', '.', '/'].iter().any(|&mark| follows(end, mark)) {
        while ['-', ':', '.', '/'].iter().any(|&mark| follows(end, mark)) {
            end = digits(text, end + 1);
        }
        return (end, None);
    }
    let exponent = text[end..].strip_prefix(['e', 'E']).map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
    if let Some(rest) = exponent.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        let from = text.len() - rest.len();
        let to = digits(text, from);
        if !text[to..].starts_with(|c: char| c.is_alphanumeric()) {
            plain += &text[end..to];
            end = to;
        }
    }
    (end, Some(plain))
}

fn read(plain: &str) -> Option<Number> {
    // Most numbers are short and whole.
    if let Ok(whole) = plain.parse::<u64>() {
        let significant = plain.trim_start_matches('0').trim_end_matches('0').len().max(1);
        return Some(Number { value: Rational::from_integer(whole.into()), places: 0, digits: u8::try_from(significant).ok()? });
    }
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((plain, "0"));
    let mantissa = if mantissa.starts_with('.') { format!("0{mantissa}") } else { mantissa.to_owned() };
    let exponent: i32 = exponent.parse().ok()?;
    let power = Quantity::count(10_i128.checked_pow(exponent.unsigned_abs())?);
    let value = Quantity::parse_exact(&mantissa).ok()?;
    let value = if exponent < 0 { value.divide(&power) } else { value.multiply(&power) }.ok()?.as_exact()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((&mantissa, ""));
    let places = i32::try_from(fraction.len()).ok()? - exponent;
    let significant = format!("{whole}{fraction}");
    let significant = significant.trim_start_matches('0');
    let significant = if fraction.is_empty() { significant.trim_end_matches('0') } else { significant };
    Some(Number { value, places: u8::try_from(places.max(0)).ok()?, digits: u8::try_from(significant.len().max(1)).ok()? })
}

/// Where the number whose digits begin at `start` begins, with its sign; `None` where it is a part of a name.
fn begin(text: &str, start: usize) -> Option<usize> {
    let before = &text[..start];
    let Some(last) = before.chars().next_back() else { return Some(start) };
    let rest = &before[..before.len() - last.len_utf8()];
    let is_hebrew = |c: char| ('\u{590}'..='\u{5ff}').contains(&c);
    let sign = match last {
        '-' | '−' | '\u{2010}' | '\u{2011}' | '–' | '־' => match rest.chars().next_back() {
            // A range, `1.1-1.4`, or a preposition, `ב-4`.
            Some(c) if c.is_ascii_digit() || is_hebrew(c) => 0,
            // A name, `H100-80`.
            Some(c) if c.is_alphanumeric() || matches!(c, '_' | ')' | ']') => return None,
            _ => last.len_utf8(),
        },
        '_' | '#' | '§' | '@' | '/' | '\\' | '^' | '$' => return None,
        '.' | '=' if rest.ends_with(|c: char| c.is_alphanumeric()) => return None,
        c if c.is_alphanumeric() && !is_hebrew(c) => return None,
        _ => 0,
    };
    Some(start - sign)
}

/// Whether the word before a number makes a name of it.
fn is_named(before: &str) -> bool {
    let gap = before.trim_end_matches(['.', ' ', '\u{a0}']);
    if gap.len() == before.len() {
        return false;
    }
    let word = gap.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    // A plural says that a list follows: "in sections 3 and 4".
    if word.is_empty() {
        return false;
    }
    let word = units::lower_case(word);
    let names = |word: &str| NAMING.binary_search(&word).is_ok();
    names(&word) || word.len() > 3 && word.strip_suffix('s').is_some_and(names) || word.strip_prefix('ב').is_some_and(names)
}

/// Whether byte `at` stands in an address of the web, a path or a mail address.
fn is_address(text: &str, at: usize) -> bool {
    let blank = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>' | '"' | '\u{fffc}');
    let start = text[..at].rfind(blank).map_or(0, |found| found + text[found..].chars().next().map_or(1, char::len_utf8));
    let end = text[at..].find(blank).map_or(text.len(), |found| at + found);
    let word = &text[start..end];
    word.contains("://") || word.starts_with("www.") || word.contains('@')
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_that_name_are_in_order() {
        assert!(super::NAMING.is_sorted());
    }
}
