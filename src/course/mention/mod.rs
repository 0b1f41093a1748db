//! Turns running text into the figures in it that look measured: a number with a unit of time, size, rate, ratio, percent, or of
//! what a GPU counts.
//!
//! Must not know Markdown, evidence, or who vouches for a figure. Numbers in words ("twice", "half a warp") are no figures: they say
//! how, and what they say is for a checked sentence to hold.

mod number;
#[cfg(test)]
mod tests;
mod units;

use std::ops::Range;

use crate::base::quantity::{Dimension, Unit, rational_to_f64};

pub use self::number::Number;
use self::number::Placed;
use self::units::Found;

/// What stands in a text for something that is no text: code, a bound figure, a picture.
pub const OBJECT: char = '\u{fffc}';

/// A figure in running text.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// Its bytes in the text: from the sign of the first number to the end of the unit.
    pub range: Range<usize>,
    /// Its number; the ends of a range, the members of a list.
    pub numbers: Vec<Number>,
    /// Its unit.
    pub unit: Unit,
    /// How many of the unit one is.
    pub factor: i128,
}

/// Where a text stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Place {
    /// In a paragraph, a caption, a title.
    #[default]
    Prose,
    /// In a heading, which may begin with its own number.
    Heading,
    /// In a table's cell, where the heading of its column or row names this unit.
    Cell(Option<Unit>),
}

impl Mention {
    /// Its numbers in base units.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        let scale = self.factor as f64 * rational_to_f64(self.unit.scale);
        self.numbers.iter().map(|number| rational_to_f64(number.value) * scale).collect()
    }

    /// Whether `other` says each of its figures.
    #[must_use]
    pub fn is_said_by<'a>(&self, others: impl IntoIterator<Item = &'a Self> + Clone) -> bool {
        let says = |value: &f64, other: &Self| {
            same_kind(&self.unit, &other.unit) && other.values().iter().any(|said| (said - value).abs() <= 1e-12 * value.abs())
        };
        self.values().iter().all(|value| others.clone().into_iter().any(|other| says(value, other)))
    }
}

/// Whether figures in these units can be the same figure: of one dimension, and of one name where there is none.
#[must_use]
pub fn same_kind(a: &Unit, b: &Unit) -> bool {
    let name = |unit: &Unit| match unit.symbol.split('/').next().unwrap_or_default() {
        "warp" => "warps".to_owned(),
        "SM" => "SMs".to_owned(),
        name => name.to_owned(),
    };
    a.dimension == b.dimension && (a.dimension != Dimension::NONE || name(a) == name(b))
}

/// Whether `text` may hold a figure, by a glance: most texts have none at all.
#[must_use]
pub(super) fn may_hold(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether `text` is all digits and points, as most cells of tables are: only what heads a cell can measure that, and no word or sign.
fn is_bare(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic() && byte != b'%')
}

/// The figures in `text` that look measured, in order.
#[must_use]
pub fn find(text: &str, place: &Place) -> Vec<Mention> {
    if !may_hold(text) || is_bare(text) && !matches!(place, Place::Cell(Some(_))) {
        return Vec::new();
    }
    let numbers = number::numbers(text);
    let mut found: Vec<Mention> = Vec::new();
    for (index, placed) in numbers.iter().enumerate() {
        let taken = found.last().map_or(0, |mention| mention.range.end);
        if placed.range.start < taken {
            continue;
        }
        let measured = measured(text, placed, numbers.get(index + 1), place);
        let Some((range, Found { unit, factor, .. })) = measured else { continue };
        let first = first_of_list(text, &numbers[..=index], taken);
        let start = numbers[first].range.start.min(range.start);
        let numbers = numbers[first..=index].iter().map(|placed| placed.number.clone()).collect();
        found.push(Mention { range: start..range.end, numbers, unit, factor });
    }
    if let Place::Cell(Some(unit)) = place
        && found.is_empty()
        && !text.chars().any(|c| c.is_alphabetic() || c == OBJECT)
        && let (Some(first), Some(last)) = (numbers.first(), numbers.last())
    {
        let range = first.range.start..last.range.end;
        let numbers = numbers.iter().map(|placed| placed.number.clone()).collect();
        found.push(Mention { range, numbers, unit: unit.clone(), factor: 1 });
    }
    found
}

/// The unit that the heading of a table's column or row names: `ms`, `Time (ms)`, `Rate, GB/s`, `time in ms`, `% of peak`, `Speedup`.
#[must_use]
pub fn unit_of_heading(text: &str) -> Option<Unit> {
    let text = text.trim();
    if text.strip_prefix('%').is_some_and(|rest| rest.starts_with(" of ")) {
        return Some(units::percent());
    }
    let first = text.split(char::is_whitespace).next().unwrap_or_default().trim_end_matches(',');
    if ["speedup", "speed-up"].iter().any(|word| first.eq_ignore_ascii_case(word)) {
        return Some(units::ratio());
    }
    let whole = |part: &str| {
        let part = part.trim().trim_end_matches([')', ']']);
        let found = units::after(part)?;
        (found.length == part.len() && found.factor == 1).then_some(found.unit)
    };
    // By itself, one letter is a name: B, s, h.
    let alone = (text.chars().count() > 1 || text == "%").then(|| whole(text)).flatten();
    alone.or_else(|| ["(", "[", ", ", " in ", " ב-"].iter().find_map(|mark| whole(text.rsplit_once(mark)?.1)))
}

/// The unit of the number `placed`, and the bytes of both; `None` where nothing says that it is measured.
fn measured(text: &str, placed: &Placed, next: Option<&Placed>, place: &Place) -> Option<(Range<usize>, Found)> {
    let Range { start, end } = placed.range;
    let rest = &text[end..];
    if let Some(found) = times(text, placed) {
        return Some((start..end + found.length, found));
    }
    if let Some(found) = units::after(rest)
        && next.is_none_or(|next| next.range.start >= end + found.length)
        && !is_something_else(text, placed, &found, place)
    {
        return Some((start..end + found.length, found));
    }
    let (before, unit) = leading(text, placed)?;
    Some((before..end, Found { unit, factor: 1, length: 0, word: String::new() }))
}

/// What makes more than a count of occasions of "times", and of the Hebrew "פעמים".
const COMPARES: [&str; 24] = [
    "as", "more", "less", "faster", "slower", "longer", "shorter", "higher", "lower", "larger", "smaller", "bigger", "fewer", "better",
    "worse", "the", "that", "what", "its", "their", "יותר", "פחות", "מהר", "מאשר",
];

/// `1.8×`, `2x`, `3 times faster`, `10-fold`.
fn times(text: &str, placed: &Placed) -> Option<Found> {
    let rest = &text[placed.range.end..];
    let mark = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-']);
    let gap = rest.len() - mark.len();
    let word_end = mark.find(|c: char| !c.is_alphabetic() && c != '×').unwrap_or(mark.len());
    let after = &mark[word_end..];
    let next_word = after.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_ratio = match &mark[..word_end] {
        // 16x16 and 2 × 4 are sizes; 8× H100 are eight things.
        "x" | "×" | "X" => {
            !after.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-')
                && !next_word.starts_with(|c: char| c.is_ascii_digit())
                && !next_word.starts_with(OBJECT)
                && !after.trim_start().starts_with(OBJECT)
                && (next_word.is_empty()
                    || next_word.chars().any(char::is_lowercase) && !next_word.chars().any(|c| c.is_ascii_digit())
                    || !next_word.is_ascii())
        }
        "times" | "פעמים" => placed.number.places > 0 || COMPARES.contains(&next_word),
        "fold" => gap <= 1,
        _ => false,
    };
    is_ratio.then(|| Found { unit: units::ratio(), factor: 1, length: gap + word_end, word: mark[..word_end].to_owned() })
}

/// What makes a ratio of the number behind it.
const LEADING: [&str; 16] = [
    "factor of",
    "factor",
    "speedup of",
    "speed-up of",
    "speedup is",
    "speed-up is",
    "speedup was",
    "speed-up was",
    "speedup by",
    "speed-up by",
    "speedup",
    "פי",
    "ופי",
    "בפי",
    "שפי",
    "מפי",
];

/// Where what stands before a number begins, if it makes a ratio or a percentage of it: `×1.8`, `a factor of 2`, `פי 2`.
fn leading(text: &str, placed: &Placed) -> Option<(usize, Unit)> {
    let before = &text[..placed.range.start];
    if let Some(rest) = before.strip_suffix('×') {
        let is_size = rest.trim_end().ends_with(|c: char| c.is_ascii_digit() || matches!(c, ')' | OBJECT));
        return (!is_size).then(|| (rest.len(), units::ratio()));
    }
    // Written from right to left, the sign may come first; `%5d` is of a program.
    let is_rtl = || text.contains(|c: char| ('\u{5d0}'..='\u{5ea}').contains(&c));
    if let Some(rest) = before.strip_suffix('%').filter(|rest| rest.is_empty() || rest.ends_with(char::is_whitespace)) {
        let goes_on = text[placed.range.end..].starts_with(|c: char| c.is_ascii_alphanumeric());
        return (is_rtl() && !goes_on).then(|| (rest.len(), units::percent()));
    }
    let words = before.trim_end_matches([' ', '\u{a0}', '-', '־']);
    let ends_in = |word: &&str| {
        let from = words.len().checked_sub(word.len()).filter(|&from| words.is_char_boundary(from));
        from.is_some_and(|from| words[from..].eq_ignore_ascii_case(word) && !words[..from].ends_with(char::is_alphabetic))
    };
    let word = LEADING.into_iter().find(ends_in)?;
    (words.len() < before.len()).then(|| (words.len() - word.len(), units::ratio()))
}

/// Whether what looks like a figure is a heading's own number, a decade, the size of a model, or an ordinal.
fn is_something_else(text: &str, placed: &Placed, found: &Found, place: &Place) -> bool {
    let Range { start, end } = placed.range;
    let (before, rest) = (&text[..start], &text[end..]);
    let touches = rest.starts_with(&found.word);
    let after = rest[found.length..].trim_start();
    match found.word.as_str() {
        // "3 Cycles and warps": words begin with a capital where a heading's text begins.
        word if *place == Place::Heading && before.trim().is_empty() && placed.number.places <= 1 => {
            word.chars().count() > 2 && word.starts_with(char::is_uppercase) && word.chars().skip(1).all(char::is_lowercase)
        }
        // The 1990s; rows of 16s and 32s.
        "s" if touches && placed.number.places == 0 => {
            let whole = rational_to_f64(placed.number.value);
            whole >= 1000.0 && whole % 10.0 == 0.0 || before.trim_end().ends_with(" the") || before.trim_end().eq_ignore_ascii_case("the")
        }
        "B" if touches => ["model", "parameter", "param", "weights"].iter().any(|word| after.starts_with(word)),
        "second" => after.starts_with("level") || after.starts_with("half"),
        _ => false,
    }
}

/// The first of the numbers that share the unit of the last of `numbers`: `1.1 to 1.4 ms`, `1.1, 1.2 and 1.4 ms`.
fn first_of_list(text: &str, numbers: &[Placed], taken: usize) -> usize {
    let mut first = numbers.len() - 1;
    let mut commas = false;
    while first > 0 {
        let previous = &numbers[first - 1];
        let between = text[previous.range.end..numbers[first].range.start].trim_matches(['\u{200e}', '\u{200f}']);
        let joins = matches!(
            between.trim(),
            "-" | "–"
                | "—"
                | "…"
                | ".."
                | "to"
                | "±"
                | "+/-"
                | "and"
                | "or"
                | ", and"
                | ", or"
                | "עד"
                | "ועד"
                | "ל"
                | "ל-"
                | "ל־"
                | "ו"
                | "ו-"
                | "ו־"
                | "או"
        );
        commas |= joins && !matches!(between.trim(), "-" | "–" | "to" | "±");
        if !(joins || commas && between.trim() == ",") || previous.range.start < taken {
            break;
        }
        first -= 1;
    }
    first
}
