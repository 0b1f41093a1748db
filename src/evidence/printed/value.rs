//! Turns a pattern and a printed text into the one text that the pattern captures.
//!
//! Must not know what the text means.

use regex::{Regex, RegexBuilder};

use super::{Trouble, list};

/// A text that was captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// Its line, from 1.
    pub line: usize,
    /// It.
    pub text: String,
}

/// A pattern that captures one text, read and found usable.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
    group: usize,
}

impl Pattern {
    /// Reads `pattern`, whose `^` and `$` are the ends of lines. It captures by the group called `name`, else by the only
    /// group, else as a whole.
    ///
    /// # Errors
    /// One sentence: what is wrong with it.
    pub fn parse(pattern: &str, name: &str) -> Result<Self, String> {
        let regex = RegexBuilder::new(pattern).multi_line(true).size_limit(1 << 20).build().map_err(|error| {
            // The error's own drawing needs a line of its own for each of its parts; its last line says it.
            error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
        })?;
        let named = regex.capture_names().position(|group| group == Some(name));
        let group = match (named, regex.captures_len()) {
            (Some(group), _) => group,
            (None, 1) => 0,
            (None, 2) => 1,
            (None, _) => return Err(format!("it has several groups, and none is called `{name}`: `(?<{name}>…)`")),
        };
        Ok(Self { regex, group })
    }

    /// The text that it captures in `text`.
    ///
    /// # Errors
    /// When it matches nowhere, more than once, or without its group.
    pub fn read(&self, text: &str) -> Result<Captured, Trouble> {
        let line_of = |at: usize| text[..at].matches('\n').count() + 1;
        let found: Vec<regex::Captures<'_>> = self.regex.captures_iter(text).take(9).collect();
        match found.as_slice() {
            [] => Err(Trouble::of_text(format!("nothing matches `{}`", self.regex))),
            [one] => match one.get(self.group) {
                Some(group) => Ok(Captured { line: line_of(group.start()), text: group.as_str().trim().to_owned() }),
                None => {
                    let at = one.get(0).map_or(0, |whole| whole.start());
                    Err(Trouble::at(line_of(at), format!("`{}` matches without the group that is wanted", self.regex)))
                }
            },
            several => {
                let lines: Vec<usize> = several.iter().filter_map(|one| one.get(0)).map(|whole| line_of(whole.start())).collect();
                Err(Trouble::at(lines[0], format!("`{}` matches more than once: in the lines {}", self.regex, list(&lines))))
            }
        }
    }
}
