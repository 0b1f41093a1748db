//! Turns a text and a pattern into the text with one of the places changed that the pattern finds.
//!
//! Must not know what the text is of.

use std::ops::Range;

use regex::{Captures, Regex};

use super::course::{Change, Course};
use super::random::Random;

pub(super) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

/// What a lesson shows of lessons: fenced code, and code between two backticks. There a slip is a text as good as any.
fn quoted(text: &str) -> Vec<Range<usize>> {
    let pattern = regex(r"(?ms)^(?:> ?)*(?:```|~~~).*?^(?:> ?)*(?:```|~~~)[^\n]*$|``[^`].*?``");
    pattern.find_iter(text).map(|found| found.range()).collect()
}

/// One of the places of `text` that `pattern` finds, with `change` done to it; a group named `here` is the place, if there is one.
pub(super) fn one(
    text: &str,
    pattern: &str,
    random: &mut Random,
    change: impl FnOnce(&Captures<'_>, &mut Random) -> Option<String>,
) -> Option<String> {
    let quoted = quoted(text);
    let here = |captures: &Captures<'_>| captures.name("here").or(captures.get(0)).map_or(0..0, |here| here.range());
    let is_quoted = |captures: &Captures<'_>| quoted.iter().any(|range| range.contains(&here(captures).start));
    let found: Vec<Captures<'_>> = regex(pattern).captures_iter(text).filter(|captures| !is_quoted(captures)).collect();
    let captures = random.pick(&found)?;
    let here = here(captures);
    let new = change(captures, random)?;
    (text[here.clone()] != new).then(|| format!("{}{new}{}", &text[..here.start], &text[here.end..]))
}

/// The same in one of the files `names`.
pub(super) fn in_one_of(
    course: &Course,
    names: &[String],
    pattern: &str,
    random: &mut Random,
    change: impl FnOnce(&Captures<'_>, &mut Random) -> Option<String>,
) -> Option<Change> {
    let name = random.pick(names)?;
    Some(Change::of(name, one(course.tree.text(name), pattern, random, change)?))
}

/// `name` with one letter changed, as a slip of the finger would, into no name that `taken` has.
pub(super) fn slip(name: &str, random: &mut Random, taken: impl Fn(&str) -> bool) -> Option<String> {
    let letters: Vec<(usize, char)> = name.char_indices().filter(|(_, letter)| letter.is_ascii_lowercase()).collect();
    let &(at, letter) = random.pick(&letters)?;
    let other = char::from(b'a' + (letter as u8 - b'a' + 1 + random.below(25) as u8) % 26);
    let slipped = format!("{}{other}{}", &name[..at], &name[at + 1..]);
    (!taken(&slipped)).then_some(slipped)
}

/// `number`, digits of a program's text, with one digit changed into another that is not 0, so that its value is another.
pub(super) fn digit(number: &str, random: &mut Random) -> Option<String> {
    let digits: Vec<(usize, u8)> = number.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()).collect();
    let &(at, digit) = random.pick(&digits)?;
    let other = b'1' + (digit.saturating_sub(b'1') + 1 + random.below(8) as u8) % 9;
    (other != digit).then(|| format!("{}{}{}", &number[..at], char::from(other), &number[at + 1..]))
}
