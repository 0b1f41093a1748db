//! Turns a course with its evidence and values into the site: every page, asset, record and table, each as a recipe.
//!
//! Must not know how any page looks inside.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::base::problem::{Problem, Problems};
use crate::course::config;
use crate::course::lesson::Lesson;
use crate::evidence::{Run, signature};
use crate::tree::SourceTree;

use super::again::{Memo, Shared};
use super::lesson::Made;
use super::links::source_path;
use super::navigation::Navigation;
use super::page::World;
use super::provenance::transcript_page;
use super::recipe::{PageOf, Recipe};
use super::search;
use super::stock::Stock;
use super::template::{ASSETS, SCRIPT, Templates};
use super::{Counts, Site, csv, devices, files, machines, problems, scripted};

/// Puts the site together. Problems of the content are all found here. What `memo` has of the site before is used again.
#[must_use]
pub fn site(world: World<'_>, memo: &Memo, problems: &mut Problems) -> (Site, Counts) {
    let World { tree, course, facts, highlighter, .. } = world;
    let templates = memo.templates(tree, || {
        let before = problems.len();
        let templates = Templates::new(tree, problems);
        (templates, problems.len() == before)
    });
    let navigation = Navigation::new(course, world.draft, devices::choice(facts));
    let shared = Shared::of(world, &navigation.devices);
    let make = |lesson: &Arc<Lesson>| memo.lesson(world, &templates, lesson, shared);
    let lessons: Vec<Arc<Made>> = navigation.lessons.par_iter().map(make).collect();
    memo.forget_unused();
    let mut stock = Stock {
        course: course.clone(),
        facts: facts.clone(),
        highlighter: highlighter.clone(),
        templates: templates.clone(),
        outline: navigation.outline(tree.digest(config::FILE)),
        navigation,
        lessons,
        runs: BTreeMap::new(),
        shown_in: BTreeMap::new(),
    };
    let mut parts = Parts::default();
    parts.lessons(&mut stock, problems);
    parts.pages(&stock, tree);
    for (name, head) in ASSETS {
        let text = templates.joined(tree, head);
        let text = match name {
            SCRIPT => {
                problems.note(scripted::head(&stock.navigation, &templates)).map_or_else(|| text.clone(), |head| (head + &text).into())
            }
            _ => text,
        };
        parts.add(format!("assets/{name}"), Recipe::Text(text));
    }
    parts.as_they_are(tree);
    let Parts { recipes, mut counts, collisions, .. } = parts;
    problems.extend(collisions);
    counts.runs = stock.runs.len();
    counts.pages = recipes.values().filter(|recipe| matches!(recipe, Recipe::Page(_))).count();
    let search = memo.search(&stock.lessons);
    (Site { recipes: Arc::new(recipes), stock: Arc::new(stock), search }, counts)
}

/// The site so far.
#[derive(Default)]
struct Parts {
    recipes: BTreeMap<String, Recipe>,
    counts: Counts,
    /// Files of the course that lessons link to or show as they are.
    named: BTreeSet<String>,
    /// The paths in lower case, as disks that know no case see them.
    taken: BTreeMap<String, String>,
    collisions: Vec<Problem>,
}

impl Parts {
    fn page(&mut self, path: String, page: PageOf) {
        self.add(path, Recipe::Page(page));
    }

    /// Adds a file, unless that would silently take the place of another.
    fn add(&mut self, path: String, recipe: Recipe) {
        let first = self.taken.insert(path.to_lowercase(), path.clone());
        // The folder of the search index is nobody else's.
        let first = first.or_else(|| path.to_lowercase().starts_with(search::FOLDER).then(|| path.clone()));
        if let Some(first) = first {
            self.collisions.push(problems::two_of_a_path(&first, &path));
            return;
        }
        self.recipes.insert(path, recipe);
    }

    /// Adds the pages of the lessons, and notes in `stock` what they stand on.
    fn lessons(&mut self, stock: &mut Stock, problems: &mut Problems) {
        let Stock { lessons, runs, shown_in, .. } = stock;
        for (index, made) in lessons.iter().enumerate() {
            problems.extend(made.problems.iter().cloned());
            self.counts = self.counts.plus(made.counts);
            self.named.extend(made.files.iter().cloned());
            for path in &made.sources {
                shown_in.entry(path.clone()).or_default().push(index);
            }
            for run in &made.runs {
                runs.entry(run.name.to_string()).or_insert_with(|| run.clone());
            }
            self.page(made.entry.path.clone(), PageOf::Lesson(index));
        }
    }

    /// The files of the course that are published as they are.
    fn as_they_are(&mut self, tree: &SourceTree) {
        let mut names = std::mem::take(&mut self.named);
        names.extend(files::all(tree).map(str::to_owned));
        for name in names {
            if let (Some(path), Some(recipe)) = (files::path(&name, tree), files::recipe(&name, tree)) {
                self.add(path, recipe);
            }
        }
    }

    /// Everything that lessons stand on, and the lists.
    fn pages(&mut self, stock: &Stock, tree: &SourceTree) {
        let navigation = &stock.navigation;
        for source in stock.course.sources.values() {
            self.page(source_path(source), PageOf::Source(source.clone()));
        }
        for run in stock.runs.values() {
            self.run(run, tree);
        }
        for (index, edition) in navigation.editions().iter().enumerate() {
            self.page(navigation.home(&edition.language), PageOf::Index(index));
        }
        for (index, edition) in navigation.editions().iter().enumerate() {
            for &list in &edition.lists {
                self.page(navigation.list(&edition.language, list), PageOf::List(index, list));
            }
        }
        self.for_machines(stock);
        self.page("404.html".into(), PageOf::Lost);
    }

    /// The files that belong to a run: its transcript's page, record, signature, transcript and table.
    fn run(&mut self, run: &Arc<Run>, tree: &SourceTree) {
        let signature = signature::name(&run.name);
        let signed = tree.get(&signature);
        let page = PageOf::Transcript(run.clone(), signed.is_some().then(|| signature.clone()));
        self.page(transcript_page(run), page);
        self.add(run.transcript_name.to_string(), Recipe::Text(run.expected_transcript().clone()));
        if let Some(record) = tree.get(&run.name) {
            self.add(run.name.to_string(), Recipe::Text(record.text.clone()));
        }
        if let Some(signed) = signed {
            self.add(signature, Recipe::Text(signed.text.clone()));
        }
        self.add(csv::path(run), Recipe::Rows(run.clone()));
    }

    /// What machines ask the site for. The site map lists the pages that there are by now.
    fn for_machines(&mut self, stock: &Stock) {
        let (navigation, config) = (&stock.navigation, &stock.course.config);
        let pages = self.recipes.values().filter(|recipe| matches!(recipe, Recipe::Page(page) if page.is_for_readers())).count();
        for (path, part) in machines::site_maps(config, pages) {
            self.page(path, PageOf::Map(part));
        }
        for (index, edition) in navigation.editions().iter().enumerate() {
            if let Some(path) = navigation.feed(&edition.language) {
                self.page(path, PageOf::Feed(index));
            }
        }
        for (index, lesson) in navigation.lessons.iter().enumerate() {
            for (alias, (name, _)) in lesson.aliases.iter().enumerate() {
                self.page(machines::moved_path(lesson, name, &config.language), PageOf::Moved(index, alias));
            }
        }
    }
}
