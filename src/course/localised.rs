//! Turns a text that a course gives once, or once for each of its languages, into the text for a page's language.
//!
//! Must not know what the text is for.
//!
//! ```toml
//! title = "Launches"
//! title = { en = "Launches", he = "שיגורים" }
//! ```

use crate::base::problem::{Problem, Problems};

use super::config::{is_language, not_a_language};
use super::keys::{self, Keys};
use super::toml::Value;

/// A text in one language or several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Localised {
    /// Languages with their texts; the course's own language stands first.
    texts: Vec<(String, String)>,
}

impl Localised {
    /// `text` in `language` alone.
    #[must_use]
    pub fn one(language: &str, text: &str) -> Self {
        Self { texts: vec![(language.to_owned(), text.to_owned())] }
    }

    /// Reads what stands under `key`; `language` is the course's own, which a text in several languages must be in, too.
    /// `None` where the key is missing, or holds no text.
    pub fn read(keys: &mut Keys<'_>, key: &str, language: &str, problems: &mut Problems) -> Option<Self> {
        let item = keys.item(key)?;
        let Value::Table(table) = &item.value else {
            let text = problems.note(keys::text(item, &format!("text in quotes for `{key}`, or a text for each language")))?;
            return Some(Self::one(language, text.text()));
        };
        let mut texts = Vec::new();
        for (tag, at, item) in &table.entries {
            let Some(text) = problems.note(keys::text(item, &format!("text in quotes for `{key}`"))) else { continue };
            if is_language(tag) {
                texts.push((tag.clone(), text.text().to_owned()));
            } else {
                problems.push(not_a_language(tag, at.clone()));
            }
        }
        texts.sort_by_key(|(tag, _)| tag != language); // stable: the others keep the author's order
        if texts.first().is_none_or(|(tag, _)| tag != language) {
            let message = format!("`{key}` has no text in the course's own language, `{language}`");
            problems.push(Problem::error("toml-missing-key", item.at.clone(), message));
        }
        Some(Self { texts })
    }

    /// The text for a page in `language`: where there is none, that of a wider tag (`pt` for `pt-BR`), or of the course's own language.
    #[must_use]
    pub fn of(&self, language: &str) -> &str {
        let exactly = |wanted: &str| self.texts.iter().find(|(tag, _)| tag == wanted);
        let wider = || exactly(language.split('-').next().unwrap_or_default());
        exactly(language).or_else(wider).or(self.texts.first()).map_or("", |(_, text)| text)
    }

    /// The text in every language.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|(_, text)| text.as_str())
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all().all(|text| text.trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::slice::Slice;
    use crate::base::span::{SourceName, Span};
    use crate::course::toml;

    fn of(text: &str) -> (Option<Localised>, Vec<(&'static str, usize)>) {
        let name: SourceName = "c.toml".into();
        let mut problems = Problems::new();
        let table = toml::document(&Slice::verbatim(&name, text, 0), &mut problems);
        let mut keys = Keys::of(&table, "the file", Span::top(&name));
        let read = Localised::read(&mut keys, "t", "en", &mut problems);
        (read, problems.iter().map(|problem| (problem.id, problem.at.as_ref().map_or(0, |at| at.start))).collect())
    }

    #[test]
    fn a_page_gets_the_text_in_its_language_or_the_next_best() {
        let (text, problems) = of("t = { he = 'ה', en = 'E', pt = 'P' }");
        assert_eq!(problems, []);
        let text = text.unwrap();
        for (language, expected) in [("he", "ה"), ("en", "E"), ("pt-BR", "P"), ("fr", "E")] {
            assert_eq!(text.of(language), expected, "{language}");
        }
        assert_eq!(text.all().collect::<Vec<_>>(), ["E", "ה", "P"]);
        assert_eq!(of("t = 'E'").0.unwrap().of("he"), "E");
        assert_eq!(of("").0, None);
    }

    #[test]
    fn mistakes_stand_where_they_are() {
        let cases: [(&str, &[(&str, usize)]); 4] = [
            ("t = 1", &[("toml-type", 4)]),
            ("t = { he = 'ה' }", &[("toml-missing-key", 4)]),
            ("t = { en = 'E', he = 1 }", &[("toml-type", 21)]),
            ("t = { en = 'E', Hebrew = 'x' }", &[("toml-value", 16)]),
        ];
        for (text, expected) in cases {
            assert_eq!(of(text).1, expected, "{text}");
        }
    }
}
