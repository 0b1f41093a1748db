//! Turns a course with its evidence and values into the site: every page, asset, record and table, each as a recipe.
//!
//! Must not know how any page looks inside, nor which file is made from what.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::problem::Problems;
use crate::base::span::SourceName;

use super::again::Memo;
use super::layout::Layout;
use super::navigation::Navigation;
use super::page::World;
use super::stock::Stock;
use super::template::Templates;
use super::{Counts, Press, Site, devices};

/// Puts the site together. Problems of the content are all found here. What `memo` has of the site before is used again; since then the
/// files `changed` have become others. Pages that can be finished before all else is there go to `press`, and the site has them no more.
#[must_use]
pub fn site(
    world: World<'_>,
    changed: &BTreeSet<SourceName>,
    memo: &Memo,
    press: Option<Press<'_>>,
    problems: &mut Problems,
) -> (Site, Counts) {
    let World { tree, course, facts, highlighter, .. } = world;
    let templates = memo.templates(tree, || {
        let before = problems.len();
        let templates = Templates::new(tree, problems);
        (templates, problems.len() == before)
    });
    let navigation = Navigation::again(course, world.draft, devices::choice(facts), &memo.ways);
    let (lessons, layout) = memo.lessons(world, changed, &templates, &navigation, press);
    let Layout { recipes, runs, shown_in, linked, about_all, problems: found, pages, .. } = &*layout;
    problems.extend(lessons.problems);
    problems.extend(found.iter().cloned());
    let counts = Counts { runs: runs.len(), pages: *pages, ..lessons.counts };
    let search = memo.search(lessons.findable);
    let stock = Stock {
        course: course.clone(),
        facts: facts.clone(),
        highlighter: highlighter.clone(),
        templates,
        navigation,
        lessons: lessons.made,
        runs: runs.clone(),
        shown_in: shown_in.clone(),
        linked: linked.clone(),
        about_all: about_all.clone(),
    };
    (Site { recipes: recipes.clone(), stock: Arc::new(stock), search }, counts)
}
