//! Turns a source tree into a site and the problems of the course: every stage, in order, each run once.
//!
//! Must not know disks, clocks or browsers: equal trees give equal sites, whoever asks.

use crate::base::problem::Problems;
use crate::pages::{Counts, Site};
use crate::tree::SourceTree;

/// What the caller wants of a compilation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether lessons marked as drafts are built too.
    pub draft: bool,
}

/// A course, compiled.
#[derive(Clone)]
pub struct Compiled {
    /// The site; its pages are rendered when asked for.
    pub site: Site,
    /// What was checked.
    pub counts: Counts,
}

/// Compiles `tree`. Whatever is wrong with the course is among the problems; the site holds all that could be made.
#[must_use]
pub fn compile(tree: &SourceTree, options: &Options) -> (Compiled, Problems) {
    let mut problems = Problems::new();
    let (site, counts) = crate::pages::site(tree, options.draft, &mut problems);
    (Compiled { site, counts }, problems)
}
