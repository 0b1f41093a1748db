//! Turns the text that a program printed into tables and values, by column names and patterns, and every doubt into words.
//!
//! Must not know who printed it, nor how often: one text goes in at a time. Nothing is guessed: what can't be read one way
//! only is a [`Trouble`], and nothing is passed over without one.

mod header;
pub mod number;
mod split;
pub mod table;
pub mod value;
#[cfg(test)]
mod tests;

use std::fmt;

/// Why something was not read, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trouble {
    /// The line of the printed text, from 1; `None` where it is about the text as a whole.
    pub line: Option<usize>,
    /// One sentence without a full stop.
    pub message: String,
}

impl Trouble {
    fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }

    fn of_text(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// `3`, `3 and 8`, `3, 8 and 20`.
fn list(lines: &[usize]) -> String {
    let words: Vec<String> = lines.iter().map(usize::to_string).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}
