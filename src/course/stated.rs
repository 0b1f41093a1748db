//! Turns the front matter's `stated` list into figures that somebody vouches for, and a page's figures into its coverage.
//!
//! Must not know evidence: whether a stated figure should have been measured is for a rule to say.

use std::ops::AddAssign;

use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;
use crate::base::span::Span;

use super::Course;
use super::figures::Typed;
use super::keys::Keys;
use super::lesson::Lesson;
use super::mention::{self, Mention, Place};

/// A figure that the page may state: where it comes from.
#[derive(Debug, Clone)]
pub struct Stated {
    /// The figure as it stands in the prose.
    pub figure: Slice,
    /// What it says.
    pub mention: Mention,
    /// Who says so: a specification, a paper, arithmetic on the page.
    pub source: String,
    /// What it is a figure of, where it is like one that was measured here, and is not: another card, the width of an interval.
    pub of: Option<Slice>,
    /// The entry.
    pub at: Span,
}

impl Stated {
    /// Whether the page of `lesson` says the figure, or an end of it.
    #[must_use]
    pub fn is_on_page_of(&self, lesson: &Lesson) -> bool {
        lesson.figures.typed.iter().any(|typed| {
            let said = typed.mention.values();
            let is_said = |value: &f64| said.iter().any(|said| (said - value).abs() <= 1e-12 * value.abs());
            mention::same_kind(&typed.mention.unit, &self.mention.unit) && self.mention.values().iter().any(is_said)
        })
    }
}

/// Who vouches for the figures of a page, and how much on it is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Figures that come from runs, plans and devices.
    pub bound: usize,
    /// Figures that the page states, with a source or its arithmetic.
    pub stated: usize,
    /// Figures that nothing backs.
    pub free: usize,
    /// Checked sentences.
    pub sentences: usize,
    /// Regions of code.
    pub regions: usize,
}

impl Coverage {
    /// The figures in all.
    #[must_use]
    pub fn figures(&self) -> usize {
        self.bound + self.stated + self.free
    }
}

impl AddAssign for Coverage {
    fn add_assign(&mut self, other: Self) {
        let Self { bound, stated, free, sentences, regions } = other;
        self.bound += bound;
        self.stated += stated;
        self.free += free;
        self.sentences += sentences;
        self.regions += regions;
    }
}

/// The stated figures of the front matter `keys`.
pub(super) fn read(keys: &mut Keys<'_>, problems: &mut Problems) -> Vec<Stated> {
    let mut all = Vec::new();
    for mut entry in keys.tables("stated", "the stated figure", problems) {
        let at = entry.at().clone();
        let figure = entry.title("figure", problems);
        let source = entry.title("source", problems).map(|source| source.text().to_owned());
        let of = entry.text("of", problems);
        entry.finish(problems);
        let Some((figure, source)) = figure.zip(source) else { continue };
        match &mention::find(figure.text(), &Place::Prose)[..] {
            [mention] => all.push(Stated { mention: mention.clone(), figure, source, of, at }),
            found => {
                let message = match found {
                    [] => format!("`{}` is no figure that needs a source", figure.text()),
                    _ => format!("`{}` is more than one figure", figure.text()),
                };
                problems.push(
                    Problem::error("stated-unread", figure.whole(), message)
                        .hint("write one figure as it stands on the page, a number and its unit: `4.8 TB/s`, `128 bytes`, `3×`"),
                );
            }
        }
    }
    all
}

impl Course {
    /// The figures that `lesson` states, its own first; a translation may say what its original does.
    pub fn stated_in<'a>(&'a self, lesson: &'a Lesson) -> impl Iterator<Item = &'a Stated> + Clone {
        let original = self.original_of(lesson);
        lesson.stated.iter().chain(original.into_iter().flat_map(|original| &original.stated))
    }

    /// The figures of `lesson` that nobody vouches for.
    pub fn free_in<'a>(&'a self, lesson: &'a Lesson) -> impl Iterator<Item = &'a Typed> {
        let stated: Vec<&Mention> = self.stated_in(lesson).map(|stated| &stated.mention).collect();
        lesson.figures.typed.iter().filter(move |typed| !typed.mention.is_said_by(stated.iter().copied()))
    }

    /// Who vouches for the figures of `lesson`.
    #[must_use]
    pub fn coverage(&self, lesson: &Lesson) -> Coverage {
        let figures = &lesson.figures;
        let free = self.free_in(lesson).count();
        Coverage {
            bound: figures.bound,
            stated: figures.worked_out + figures.typed.len() - free,
            free,
            sentences: figures.sentences,
            regions: figures.regions,
        }
    }

    /// The coverage of each lesson that is no draft, in the order of the course.
    pub fn coverages(&self) -> impl Iterator<Item = (&Lesson, Coverage)> {
        self.lessons.iter().filter(|lesson| !lesson.draft).map(|lesson| (&**lesson, self.coverage(lesson)))
    }
}
