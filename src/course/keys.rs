//! Turns a TOML table into the values its reader asks for, and every surprise in it into a problem.
//!
//! Must not know what any key means. Whatever was not asked for by the time of [`Keys::finish`] is an unknown key.

use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;
use crate::base::span::Span;
use crate::expr::Expr;

use super::toml::{Item, Table, Value};

/// A table being read: knows its place for what is missing, and remembers what was asked for.
#[derive(Debug)]
pub struct Keys<'a> {
    table: &'a Table,
    what: &'static str,
    at: Span,
    asked: Vec<String>,
}

impl<'a> Keys<'a> {
    /// Begins to read `table`, which stands at `at`; `what` names it in messages, such as "the launch".
    #[must_use]
    pub fn of(table: &'a Table, what: &'static str, at: Span) -> Self {
        Self { table, what, at, asked: Vec::new() }
    }

    /// Where the table stands.
    #[must_use]
    pub fn at(&self) -> &Span {
        &self.at
    }

    /// The value of `key` as it is.
    pub fn item(&mut self, key: &str) -> Option<&'a Item> {
        self.entry(key).map(|(_, item)| item)
    }

    /// The place of `key` and its value.
    pub fn entry(&mut self, key: &str) -> Option<(&'a Span, &'a Item)> {
        self.asked.push(key.to_owned());
        self.table.entry(key)
    }

    /// The string under `key`.
    pub fn text(&mut self, key: &str, problems: &mut Problems) -> Option<Slice> {
        let item = self.item(key)?;
        problems.note(text(item, &in_quotes(key)))
    }

    /// The string under `key`, where its places don't matter.
    pub fn string(&mut self, key: &str, problems: &mut Problems) -> Option<String> {
        self.text(key, problems).map(|text| text.text().to_owned())
    }

    /// The text under `key`, which must be there and say something.
    pub fn title(&mut self, key: &str, problems: &mut Problems) -> Option<Slice> {
        let text = self.text(key, problems);
        let text = self.required(key, text, problems)?;
        if text.text().trim().is_empty() {
            problems.push(Problem::error("toml-value", text.whole(), format!("`{key}` is empty")));
        }
        Some(text)
    }

    /// The strings under `key`: a list, or one string by itself.
    pub fn texts(&mut self, key: &str, problems: &mut Problems) -> Vec<Slice> {
        let what = format!("a string or a list of strings for `{key}`");
        self.one_or_more(key).iter().filter_map(|item| problems.note(text(item, &what))).collect()
    }

    /// The integer under `key`, from `least` to `most`.
    pub fn integer(&mut self, key: &str, least: i64, most: i64, problems: &mut Problems) -> Option<i64> {
        let item = self.item(key)?;
        match item.value {
            Value::Integer(whole, _) if (least..=most).contains(&whole) => Some(whole),
            Value::Integer(whole, _) => {
                let message = format!("`{key}` is from {least} to {most}, not {whole}");
                problems.push(Problem::error("toml-value", item.at.clone(), message));
                None
            }
            _ => {
                problems.push(unexpected(item, &format!("an integer for `{key}`")));
                None
            }
        }
    }

    /// The number under `key`, integer or not.
    pub fn number(&mut self, key: &str, problems: &mut Problems) -> Option<f64> {
        let item = self.item(key)?;
        let number = match &item.value {
            Value::Integer(_, text) | Value::Float(text) => text.text().parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        };
        if number.is_none() {
            problems.push(unexpected(item, &format!("a number for `{key}`")));
        }
        number
    }

    /// The truth value under `key`.
    pub fn truth(&mut self, key: &str, problems: &mut Problems) -> Option<bool> {
        let item = self.item(key)?;
        if let Value::Truth(truth) = item.value {
            return Some(truth);
        }
        problems.push(unexpected(item, &format!("true or false for `{key}`")));
        None
    }

    /// The date under `key` as `YYYY-MM-DD`.
    pub fn date(&mut self, key: &str, problems: &mut Problems) -> Option<String> {
        let item = self.item(key)?;
        match &item.value {
            Value::Date(date) if date.len() == 10 && date.as_bytes()[4] == b'-' => Some(date.clone()),
            // No such day; the parser has said so.
            Value::Date(date) if date.len() != 10 && !date.contains(':') => None,
            _ => {
                problems.push(unexpected(item, &format!("a date without quotes for `{key}`, such as 2026-01-31")));
                None
            }
        }
    }

    /// The expression under `key`: a string, or a number by itself.
    pub fn expr(&mut self, key: &str, problems: &mut Problems) -> Option<Expr> {
        let item = self.item(key)?;
        problems.note(expr(item, &in_quotes(key)))
    }

    /// The expressions under `key`: a list, or one by itself.
    pub fn exprs(&mut self, key: &str, problems: &mut Problems) -> Vec<Expr> {
        let what = format!("an expression or a list of expressions for `{key}`");
        self.one_or_more(key).iter().filter_map(|item| problems.note(expr(item, &what))).collect()
    }

    /// The table under `key`, to be read in turn.
    pub fn table(&mut self, key: &str, what: &'static str, problems: &mut Problems) -> Option<Keys<'a>> {
        let (at, item) = self.entry(key)?;
        if let Value::Table(table) = &item.value {
            return Some(Keys::of(table, what, at.clone()));
        }
        problems.push(unexpected(item, &format!("a table for `{key}`")));
        None
    }

    /// The tables under `key`: a list (`[[key]]`), or one by itself (`[key]`).
    pub fn tables(&mut self, key: &str, what: &'static str, problems: &mut Problems) -> Vec<Keys<'a>> {
        let mut tables = Vec::new();
        for item in self.one_or_more(key) {
            match &item.value {
                Value::Table(table) => tables.push(Keys::of(table, what, item.at.clone())),
                _ => problems.push(unexpected(item, &format!("a table or a list of tables for `{key}`"))),
            }
        }
        tables
    }

    /// Every key of the table with its place and value, for tables whose keys are the author's own names.
    pub fn all(&mut self) -> impl Iterator<Item = (&'a str, &'a Span, &'a Item)> + use<'a> {
        self.asked.extend(self.table.entries.iter().map(|(key, ..)| key.clone()));
        self.table.entries.iter().map(|(key, at, item)| (&**key, at, item))
    }

    /// `value`, or a problem that says that `key` is missing, unless it is there and was already complained about.
    pub fn required<T>(&self, key: &str, value: Option<T>, problems: &mut Problems) -> Option<T> {
        if value.is_none() && self.table.get(key).is_none() {
            problems.push(Problem::error("toml-missing-key", self.at.clone(), format!("{} has no `{key}`", self.what)));
        }
        value
    }

    /// Reports the keys that nobody asked for.
    pub fn finish(self, problems: &mut Problems) {
        for (key, at, _) in &self.table.entries {
            if !self.asked.iter().any(|asked| asked == key) {
                let problem = Problem::error("toml-unknown-key", at.clone(), format!("{} has no key `{key}`", self.what));
                let unused = self.asked.iter().map(String::as_str).filter(|asked| self.table.get(asked).is_none());
                problems.push(problem.meant(key, unused));
            }
        }
    }

    fn one_or_more(&mut self, key: &str) -> &'a [Item] {
        self.item(key).map_or(&[], Item::each)
    }
}

/// The string that `item` is.
///
/// # Errors
/// When it is something else; `expected` says what was wanted.
pub fn text(item: &Item, expected: &str) -> Result<Slice, Problem> {
    match &item.value {
        Value::Text(text) => Ok(text.clone()),
        _ => Err(unexpected(item, expected)),
    }
}

/// The expression that `item` is: a string, or a number by itself.
///
/// # Errors
/// When it is something else (`expected` says what was wanted), or does not parse.
pub fn expr(item: &Item, expected: &str) -> Result<Expr, Problem> {
    match &item.value {
        Value::Text(text) | Value::Integer(_, text) | Value::Float(text) => Expr::parse(text),
        _ => Err(unexpected(item, expected)),
    }
}

/// The problem that `item` is not what was expected.
#[must_use]
pub fn unexpected(item: &Item, expected: &str) -> Problem {
    Problem::error("toml-type", item.at.clone(), format!("expected {expected}, found {}", item.value.kind()))
}

fn in_quotes(key: &str) -> String {
    format!("text in quotes for `{key}`")
}
