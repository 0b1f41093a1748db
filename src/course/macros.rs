//! Turns `[math.macros]` of the course's configuration into short names for parts of formulas, and formulas into what stands in them.
//!
//! Must not know lessons. What a reader sees counts: a figure that is typed through a macro is found as any other is.

use std::fmt::Write as _;
use std::sync::Arc;

use math_core::{LatexToMathML, MathCoreConfig};

use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;
use crate::base::span::Span;

use super::keys::{self, Keys};
use super::toml::Item;

/// Macros in the arguments of macros are followed so far.
const DEEPEST: usize = 8;

/// Bytes that a formula may grow to.
const LONGEST: usize = 10_000;

/// The macros of a course.
#[derive(Debug, Clone, Default)]
pub struct Macros {
    /// Names, without the backslash, and what they stand for.
    named: Vec<(String, String)>,
    /// What makes MathML of formulas with them.
    converter: Arc<LatexToMathML>,
}

impl Macros {
    /// The macros of the course that `keys` configures. One that can't be read is a problem, and none.
    pub(super) fn read(keys: &mut Keys<'_>, problems: &mut Problems) -> Self {
        let mut macros = Self::default();
        let Some(mut math) = keys.table("math", "`[math]`", problems) else { return macros };
        if let Some(mut table) = math.table("macros", "`[math.macros]`", problems) {
            for (name, at, item) in table.all() {
                problems.note(macros.add((name, at), item));
            }
        }
        math.finish(problems);
        macros
    }

    fn add(&mut self, (name, at): (&str, &Span), item: &Item) -> Result<(), Problem> {
        let text = keys::text(item, "what it stands for, in quotes")?;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            let problem = Problem::error("toml-value", at.clone(), format!("`{name}` can't name a macro"));
            return Err(problem.hint("a macro's name is of letters, without the backslash: `E = '\\mathbb{E}'`"));
        }
        // A macro may stand on those above it.
        let mut named = self.named.clone();
        named.push((name.to_owned(), self.expanded(text.text()).text));
        let config = MathCoreConfig { macros: named.clone(), ..MathCoreConfig::default() };
        let converter = LatexToMathML::new(config).map_err(|(error, ..)| unread(&error.error_message(), &text))?;
        (self.named, self.converter) = (named, Arc::new(converter));
        Ok(())
    }

    /// What makes MathML of formulas.
    #[must_use]
    pub fn converter(&self) -> &LatexToMathML {
        &self.converter
    }

    /// All of them as one text: equal texts are equal macros.
    #[must_use]
    pub fn text(&self) -> String {
        self.named.iter().fold(String::new(), |mut text, (name, stands_for)| {
            let _ = writeln!(text, "{name} = {stands_for}");
            text
        })
    }

    /// `formula` with what its macros stand for in their places.
    #[must_use]
    pub fn expanded(&self, formula: &str) -> Expanded {
        let mut expanded = Expanded::default();
        self.expand(formula, None, 0, &mut expanded);
        expanded
    }

    /// Appends `text`, all of which stands at `place` if that is given.
    fn expand(&self, text: &str, place: Option<usize>, depth: usize, expanded: &mut Expanded) {
        let mut at = 0;
        while let Some(letter) = text[at..].chars().next() {
            let here = place.unwrap_or(at);
            let name = text[at..].strip_prefix('\\').map(|rest| &rest[..letters(rest)]).filter(|name| !name.is_empty());
            let stands_for = name.and_then(|name| Some((name, &self.named.iter().find(|(known, _)| known == name)?.1)));
            match stands_for.filter(|_| depth < DEEPEST && expanded.text.len() < LONGEST) {
                Some((name, stands_for)) => {
                    let (filled, length) = filled(stands_for, &text[at + 1 + name.len()..]);
                    self.expand(&filled, Some(here), depth + 1, expanded);
                    at += 1 + name.len() + length;
                }
                None => {
                    // A command goes on to its end, so that a macro is not found within its name.
                    let length = letter.len_utf8() + name.map_or(0, str::len);
                    for (offset, letter) in text[at..at + length].char_indices() {
                        expanded.push(letter, place.unwrap_or(at + offset));
                    }
                    at += length;
                }
            }
        }
    }
}

/// How many letters `text` begins with.
fn letters(text: &str) -> usize {
    text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).len()
}

/// `stands_for` with the arguments that `rest` begins with in the places of its parameters, and how long they are.
fn filled(stands_for: &str, rest: &str) -> (String, usize) {
    let count = (1..=9).rev().find(|number| stands_for.contains(&format!("#{number}"))).unwrap_or(0);
    let (mut text, mut at) = (stands_for.to_owned(), 0);
    for number in 1..=count {
        at += rest[at..].len() - rest[at..].trim_start().len();
        let (argument, length) = argument(&rest[at..]);
        text = text.replace(&format!("#{number}"), argument);
        at += length;
    }
    (text, at)
}

/// The argument that `text` begins with, and how long it is with its braces.
fn argument(text: &str) -> (&str, usize) {
    let Some(first) = text.chars().next() else { return ("", 0) };
    if first != '{' {
        let length =
            if first == '\\' { 1 + letters(&text[1..]).max(text[1..].chars().next().map_or(0, char::len_utf8)) } else { first.len_utf8() };
        return (&text[..length], length);
    }
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 1 => return (&text[1..at], at + 1),
            '}' => depth -= 1,
            _ => {}
        }
    }
    (&text[1..], text.len())
}

/// A formula without macros.
#[derive(Debug, Default, PartialEq)]
pub struct Expanded {
    /// What it says.
    pub text: String,
    /// For each byte of that, where it comes from in the formula as it was written.
    places: Vec<usize>,
}

impl Expanded {
    fn push(&mut self, letter: char, place: usize) {
        self.text.push(letter);
        self.places.resize(self.text.len(), place);
    }

    /// Where the byte `at` of the text comes from.
    #[must_use]
    pub fn place(&self, at: usize) -> usize {
        self.places.get(at).copied().unwrap_or_default()
    }
}

/// "this macro can't be read: unknown command"
fn unread(why: &str, text: &Slice) -> Problem {
    let why = why.trim_end_matches('.');
    Problem::error("math-syntax", text.whole(), format!("this macro can't be read: {why}"))
        .hint("what a macro stands for is written as in a formula, with `#1` for its first argument: `E = '\\mathbb{E}[#1]'`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Macros, Vec<String>) {
        let mut problems = Problems::new();
        let table = super::super::toml::document(&Slice::verbatim(&"lessons/course.toml".into(), text, 0), &mut problems);
        let mut keys = Keys::of(&table, "course.toml", Span::top(&"lessons/course.toml".into()));
        let macros = Macros::read(&mut keys, &mut problems);
        let said = |problem: &Problem| format!("{}@{}", problem.id, problem.at.as_ref().map_or("", |at| &text[at.start..at.end]));
        (macros, problems.iter().map(said).collect())
    }

    #[test]
    fn macros_stand_for_what_is_written() {
        let (macros, problems) =
            read("[math.macros]\nE = '\\mathbb{E}[#1]'\nTBs = '\\,\\mathrm{TB/s}'\npeak = '4.8\\TBs'\nof = '#2 of #1'\nloop = '\\loop'\n");
        // A macro can't stand on itself.
        assert_eq!(problems, ["math-syntax@\\loop"]);
        for (formula, expected) in [
            (r"\E{X^2} + \Es", r"\mathbb{E}[X^2] + \Es"),
            (r"\E x", r"\mathbb{E}[x]"),
            (r"\E\alpha", r"\mathbb{E}[\alpha]"),
            (r"4.8\TBs", r"4.8\,\mathrm{TB/s}"),
            (r"\peak", r"4.8\,\mathrm{TB/s}"),
            (r"\of{a}{{b}c}", r"{b}c of a"),
            (r"\E{\TBs", r"\mathbb{E}[\,\mathrm{TB/s}]"),
            (r"\E", r"\mathbb{E}[]"),
            ("שלום \\", "שלום \\"),
        ] {
            assert_eq!(macros.expanded(formula).text, expected, "{formula}");
        }
        let expanded = macros.expanded(r"x = \peak y");
        assert_eq!((expanded.place(0), expanded.place(5), expanded.place(expanded.text.len() - 1)), (0, 4, 10));
    }

    #[test]
    fn a_macro_that_cannot_be_read_is_said_and_the_others_stay() {
        for (text, expected) in [
            ("[math.macros]\na = '\\nosuch'\nb = 'x'\n", "math-syntax@\\nosuch"),
            ("[math.macros]\n'a b' = 'x'\nb = 'x'\n", "toml-value@'a b'"),
            ("[math.macros]\na = 1\nb = 'x'\n", "toml-type@1"),
            ("[math]\nmacro = 1\nmacros = { b = 'x' }\n", "toml-unknown-key@macro"),
        ] {
            let (macros, problems) = read(text);
            assert_eq!(problems, [expected], "{text}");
            assert_eq!(macros.expanded("\\b").text, "x", "{text}");
        }
    }

    #[test]
    fn a_figure_that_is_typed_through_a_macro_is_found_in_its_place() {
        let mut config = super::super::config::Config::default();
        (config.macros, _) = read("[math.macros]\nTBs = '\\,\\mathrm{TB/s}'\npeak = '4.8\\,\\mathrm{TB/s}'\n");
        let lesson = "+++\ntitle = 'T'\n+++\n\nAt most $\\peak$, here $2.5\\TBs$, and $n \\le 3$.\n";
        let read = super::super::lesson::read(&"lessons/a.md".into(), &lesson.into(), &config, &mut Problems::new()).expect("a lesson");
        let typed: Vec<&str> = read.figures.typed.iter().map(|typed| &lesson[typed.at.start..][..5]).collect();
        assert_eq!(typed, ["\\peak", "2.5\\T"]);
    }
}
