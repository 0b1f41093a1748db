//! Turns what was made for the lessons into one place that every file of the site is made from when somebody asks for it.
//!
//! Must not know how any page looks, nor how a lesson's part of its page was made.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::series::Series;
use crate::claims::Facts;
use crate::course::Course;
use crate::evidence::Run;

use super::highlight::Highlighter;
use super::lesson::Made;
use super::navigation::{Edition, Navigation};
use super::template::Templates;

/// What the files of a site are made from.
pub(crate) struct Stock {
    /// What the author wrote.
    pub course: Arc<Course>,
    /// Values.
    pub facts: Arc<Facts>,
    /// Who turns code into HTML.
    pub highlighter: Arc<Highlighter>,
    /// Who turns views into text.
    pub templates: Arc<Templates>,
    /// The ways between pages.
    pub navigation: Navigation,
    /// The published lessons, in the order of [`Navigation::lessons`].
    pub lessons: Series<Arc<Made>>,
    /// The runs that have a page, by the names of their records.
    pub runs: Arc<BTreeMap<String, Arc<Run>>>,
    /// The lessons, as indices, that show a source, by its path.
    pub shown_in: Arc<BTreeMap<String, Vec<usize>>>,
    /// The lines of a source that lessons link to, by its path.
    pub linked: Arc<BTreeMap<String, BTreeSet<usize>>>,
    /// The paths of the pages that are about all lessons of an edition.
    pub about_all: Arc<[String]>,
}

impl Stock {
    /// The lessons of `edition`, each with its place among all lessons.
    pub(crate) fn lessons_of<'a>(&'a self, edition: &'a Edition) -> impl Iterator<Item = (usize, &'a Arc<Made>)> {
        edition.lessons.iter().filter_map(|&index| Some((index, self.lessons.get(index)?)))
    }
}

#[cfg(test)]
impl Stock {
    /// Of a course without a lesson, with the templates of `tree`.
    pub(crate) fn of_nothing(tree: &crate::tree::SourceTree) -> Self {
        use crate::claims::Outdated;
        let course = Arc::new(Course::default());
        let facts = Arc::new(Facts::of(&course, &Default::default(), &Default::default(), Outdated::Hidden));
        Self {
            navigation: Navigation::new(&course, false, Vec::new()),
            course,
            facts,
            highlighter: Arc::default(),
            templates: Arc::new(Templates::new(tree, &mut crate::base::problem::Problems::new())),
            lessons: Series::default(),
            runs: Arc::default(),
            shown_in: Arc::default(),
            linked: Arc::default(),
            about_all: Arc::new([]),
        }
    }
}
