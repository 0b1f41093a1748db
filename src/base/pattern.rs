//! Turns a regular expression into the one text that it captures, or into all places where it might.
//!
//! Must not know what is searched, nor what the text means.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

/// A pattern that captures one text, read and found usable.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
    group: usize,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Where it begins, in bytes.
    pub start: usize,
    /// What its group took; `None` where it matched without the group.
    pub captured: Option<Range<usize>>,
}

impl Pattern {
    /// Reads `pattern`, whose `^` and `$` are the ends of lines. It captures by the group called `name`, else by the only
    /// group, else as a whole.
    ///
    /// # Errors
    /// One sentence: what is wrong with it.
    pub fn parse(pattern: &str, name: &str) -> Result<Self, String> {
        let regex = RegexBuilder::new(pattern).multi_line(true).size_limit(1 << 20).build().map_err(|error| {
            // The error draws the pattern on lines of its own; its last line says what is wrong.
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

    /// The first `most` matches in `text`.
    #[must_use]
    pub fn matches(&self, text: &str, most: usize) -> Vec<Match> {
        let found = self.regex.captures_iter(text).take(most);
        found
            .filter_map(|one| Some(Match { start: one.get(0)?.start(), captured: one.get(self.group).map(|group| group.range()) }))
            .collect()
    }

    /// The pattern as its author wrote it.
    #[must_use]
    pub fn text(&self) -> &str {
        self.regex.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_chosen_by_name_or_because_it_is_alone() {
        let read = |pattern: &str, text: &str| {
            let found = Pattern::parse(pattern, "peak")?.matches(text, 9);
            Ok::<_, String>(found.into_iter().map(|one| one.captured.map(|range| text[range].to_owned())).collect::<Vec<_>>())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("(?<peak>a)(b)", "ab ab"), Ok(vec![some("a"), some("a")]));
        assert_eq!(read("a(b)", "ab"), Ok(vec![some("b")]));
        assert_eq!(read("^ab$", "x\nab\nabx"), Ok(vec![some("ab")]));
        assert_eq!(read("(?<peak>a)|(b)", "b"), Ok(vec![None]));
        assert_eq!(read("(a)(b)", ""), Err("it has several groups, and none is called `peak`: `(?<peak>…)`".to_owned()));
        assert_eq!(read("(a", ""), Err("unclosed group".to_owned()));
        assert!(read("(a{1000}){1000}", "").is_err());
    }
}
