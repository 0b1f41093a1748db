//! Turns a pattern and a printed text into the one text that the pattern captures.
//!
//! Must not know what the text means.

use crate::base::pattern::{Match, Pattern};

use super::{Trouble, list};

/// A text that was captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// Its line, from 1.
    pub line: usize,
    /// It.
    pub text: String,
}

/// Matches beyond this are not counted.
const MOST: usize = 9;

/// The text that `pattern` captures in `text`.
///
/// # Errors
/// When it matches nowhere, more than once, or without its group.
pub fn read(pattern: &Pattern, text: &str) -> Result<Captured, Trouble> {
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    match pattern.matches(text, MOST).as_slice() {
        [] => Err(Trouble::of_text(format!("nothing matches `{}`", pattern.text()))),
        [Match { captured: Some(range), .. }] => Ok(Captured { line: line_of(range.start), text: text[range.clone()].trim().to_owned() }),
        [Match { start, captured: None }] => {
            Err(Trouble::at(line_of(*start), format!("`{}` matches without the group that is wanted", pattern.text())))
        }
        several => {
            let lines: Vec<usize> = several.iter().map(|one| line_of(one.start)).collect();
            Err(Trouble::at(lines[0], format!("`{}` matches more than once: in the lines {}", pattern.text(), list(&lines))))
        }
    }
}
