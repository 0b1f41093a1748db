//! Turns the outline of `lessons/course.toml` into the order of the lessons and the parts that they stand in.
//!
//! Must not know whether there are such lessons.
//!
//! ```toml
//! outline = ["introduction", { title = "Launches", lessons = ["block-size", "occupancy"] }]
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;
use crate::base::span::Span;

use super::keys::{self, Keys};
use super::localised::Localised;
use super::toml::Value;

/// The lessons in the order of the course, and its parts.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// The lessons by name, with the places where they are named.
    lessons: Vec<(String, Span)>,
    /// The same, to be found by name.
    places: BTreeMap<String, usize>,
    /// The parts, in order, none empty; they cover all of the lessons.
    parts: Vec<Part>,
}

/// Lessons that belong together.
#[derive(Debug, Clone)]
pub struct Part {
    /// What it is called; `None` for lessons that were listed outside of every part.
    pub title: Option<Localised>,
    /// Which of the outline's lessons it has.
    lessons: Range<usize>,
}

impl Outline {
    /// Reads the key `outline`; `language` is the course's own.
    pub fn read(keys: &mut Keys<'_>, language: &str, problems: &mut Problems) -> Self {
        let mut outline = Self::default();
        let entries = match keys.item("outline") {
            None => return outline,
            Some(item) => match &item.value {
                Value::Array(entries) => &entries[..],
                _ => std::slice::from_ref(item),
            },
        };
        for entry in entries {
            match &entry.value {
                Value::Text(name) => outline.add(name, None, problems),
                Value::Table(table) => outline.part(Keys::of(table, "a part of the outline", entry.at.clone()), language, problems),
                _ => problems.push(keys::unexpected(entry, "a lesson's name, or a part: `{ title = \"…\", lessons = [\"…\"] }`")),
            }
        }
        outline
    }

    fn part(&mut self, mut keys: Keys<'_>, language: &str, problems: &mut Problems) {
        let title = Localised::read(&mut keys, "title", language, problems);
        let title = keys.required("title", title, problems).unwrap_or_default();
        let lessons = keys.texts("lessons", problems);
        if lessons.is_empty() {
            let message = "a part of the outline has no `lessons`";
            problems.push(Problem::error("toml-missing-key", keys.at().clone(), message).hint("list them by name, or take the part out"));
        }
        let begun = self.lessons.len();
        for lesson in &lessons {
            self.add(lesson, Some((&title, begun)), problems);
        }
        keys.finish(problems);
    }

    /// Adds a lesson to the part that has the title and began at that place, or to those outside of every part.
    fn add(&mut self, name: &Slice, part: Option<(&Localised, usize)>, problems: &mut Problems) {
        let at = self.lessons.len();
        if let Some(&first) = self.places.get(name.text()) {
            let problem = Problem::error("toml-value", name.whole(), format!("`{}` is listed twice in `outline`", name.text()));
            problems.push(problem.related(self.lessons[first].1.clone(), "the first"));
            return;
        }
        self.lessons.push((name.text().to_owned(), name.whole()));
        self.places.insert(name.text().to_owned(), at);
        let begins = |last: &Part| part.map_or(last.title.is_some(), |(_, begun)| last.lessons.start < begun);
        match self.parts.last_mut() {
            Some(last) if !begins(last) => last.lessons.end = at + 1,
            _ => self.parts.push(Part { title: part.map(|(title, _)| title.clone()), lessons: at..at + 1 }),
        }
    }

    /// Every lesson that is named, with the place where it is.
    pub fn named(&self) -> impl Iterator<Item = (&str, &Span)> {
        self.lessons.iter().map(|(name, at)| (name.as_str(), at))
    }

    /// Where in the course the lesson `name` stands, if the outline says.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The parts, in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Which of [`Outline::parts`] the lesson `name` stands in; `None` for a lesson that the outline leaves out.
    #[must_use]
    pub fn part_of(&self, name: &str) -> Option<usize> {
        let place = self.place(name)?;
        Some(self.parts.partition_point(|part| part.lessons.end <= place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::span::SourceName;
    use crate::course::toml;

    fn of(text: &str) -> (Outline, Vec<(&'static str, usize)>) {
        let name: SourceName = "c.toml".into();
        let mut problems = Problems::new();
        let table = toml::document(&Slice::verbatim(&name, text, 0), &mut problems);
        let outline = Outline::read(&mut Keys::of(&table, "the file", Span::top(&name)), "en", &mut problems);
        (outline, problems.iter().map(|problem| (problem.id, problem.at.as_ref().map_or(0, |at| at.start))).collect())
    }

    /// The outline in short: `a b [T: c d] e`.
    fn shape(outline: &Outline) -> String {
        let part = |part: &Part| {
            let names: Vec<&str> = outline.lessons[part.lessons.clone()].iter().map(|(name, _)| name.as_str()).collect();
            match &part.title {
                Some(title) => format!("[{}: {}]", title.of("en"), names.join(" ")),
                None => names.join(" "),
            }
        };
        outline.parts.iter().map(part).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lessons_stand_in_parts_or_outside_of_them() {
        let cases = [
            ("", ""),
            ("outline = 'a'", "a"),
            ("outline = ['a', 'b']", "a b"),
            ("outline = ['a', { title = 'T', lessons = ['c', 'd'] }, { title = 'T', lessons = ['e'] }, 'f', 'g']", "a [T: c d] [T: e] f g"),
            (
                "[[outline]]\ntitle = { en = 'T', he = 'ת' }\nlessons = ['c']\n[[outline]]\ntitle = 'U'\nlessons = ['a', 'b']",
                "[T: c] [U: a b]",
            ),
        ];
        for (text, expected) in cases {
            let (outline, problems) = of(text);
            assert_eq!((shape(&outline).as_str(), problems), (expected, vec![]), "{text}");
            for (index, (name, _)) in outline.named().enumerate() {
                let part = outline.part_of(name).unwrap();
                assert!(outline.place(name) == Some(index) && outline.parts[part].lessons.contains(&index), "{text}: {name}");
            }
            assert_eq!(outline.part_of("z"), None);
        }
    }

    #[test]
    fn mistakes_stand_where_they_are_and_the_rest_is_kept() {
        type Mistakes = &'static [(&'static str, usize)];
        let cases: [(&str, &str, Mistakes); 5] = [
            ("outline = ['a', 'a']", "a", &[("toml-value", 17)]),
            ("outline = ['a', 1, 'b']", "a b", &[("toml-type", 16)]),
            ("outline = [{ title = 'T', lessons = ['a'] }, { title = 'U', lessons = ['a', 'b'] }]", "[T: a] [U: b]", &[("toml-value", 72)]),
            ("outline = [{ lessons = ['a'], titel = 'T' }]", "[: a]", &[("toml-missing-key", 11), ("toml-unknown-key", 30)]),
            ("outline = [{ title = 'T' }, 'b']", "b", &[("toml-missing-key", 11)]),
        ];
        for (text, expected, found) in cases {
            let (outline, problems) = of(text);
            assert_eq!((shape(&outline).as_str(), &problems[..]), (expected, found), "{text}");
        }
    }
}
