//! Turns a course with its evidence and values into the site: every page, asset, record and table, each as a recipe.
//!
//! Must not know how any page looks inside.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use minijinja::Value;
use rayon::prelude::*;

use crate::base::problem::{Problem, Problems};
use crate::course::lesson::Lesson;
use crate::course::source::Source;
use crate::evidence::{Run, signature};
use crate::tree::SourceTree;

use super::lesson::{self, Entry, Made};
use super::lists::{Listed, Stock};
use super::navigation::Navigation;
use super::page::World;
use super::search::{Findable, Search};
use super::template::{ASSETS, Templates};
use super::{Counts, Recipe, Site, csv, devices, files, listing, machines, problems, search};

/// Puts the site together. Problems of the content are all found here.
#[must_use]
pub fn site(world: World<'_>, problems: &mut Problems) -> (Site, Counts) {
    let templates = Templates::new(world.tree, problems);
    let lessons: Vec<&Arc<Lesson>> = world.course.lessons.iter().filter(|lesson| world.draft || !lesson.draft).collect();
    let mut navigation = Navigation::new(world.course, &lessons);
    navigation.devices = devices::choice(world);
    let made: Vec<Option<Made>> = (0..lessons.len()).into_par_iter().map(|index| lesson::make(world, &navigation, index)).collect();
    let mut parts = Parts::default();
    for made in made.into_iter().flatten() {
        parts.lesson(made, problems);
    }
    parts.listings(world, &navigation);
    for (name, head) in ASSETS {
        parts.add(format!("assets/{name}"), Recipe::Text(templates.joined(world.tree, head)));
    }
    parts.as_they_are(world.tree);
    let Parts { recipes, mut counts, runs, collisions, findable, .. } = parts;
    problems.extend(collisions);
    counts.runs = runs.len();
    counts.pages = recipes.values().filter(|recipe| matches!(recipe, Recipe::Page { .. })).count();
    (Site { recipes: Arc::new(recipes), templates: Arc::new(templates), search: Arc::new(Search::new(findable)) }, counts)
}

/// The site so far.
#[derive(Default)]
struct Parts {
    recipes: BTreeMap<String, Recipe>,
    counts: Counts,
    entries: Vec<Entry>,
    runs: BTreeMap<String, Arc<Run>>,
    /// The lessons, as indices of `entries`, that show a source.
    sources: BTreeMap<String, BTreeSet<usize>>,
    /// Files of the course that lessons link to or show as they are.
    named: BTreeSet<String>,
    /// The paths in lower case, as disks that know no case see them.
    taken: BTreeMap<String, String>,
    collisions: Vec<Problem>,
    /// What each of `entries` puts into lists.
    listed: Vec<Listed>,
    findable: Vec<Findable>,
}

impl Parts {
    fn page(&mut self, path: String, template: &'static str, view: Value) {
        self.add(path, Recipe::Page { template, view });
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

    fn lesson(&mut self, made: Made, problems: &mut Problems) {
        problems.extend(made.problems);
        self.counts = self.counts.plus(made.counts);
        self.named.extend(made.files);
        for path in made.sources {
            self.sources.entry(path).or_default().insert(self.entries.len());
        }
        for run in made.runs {
            self.runs.insert(run.name.to_string(), run);
        }
        self.findable.push(made.findable);
        self.listed.push(made.listed);
        self.entries.push(made.entry);
        self.page(made.path, "lesson.html", made.view);
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
    fn listings(&mut self, world: World<'_>, navigation: &Navigation<'_>) {
        let sources: Vec<&Arc<Source>> = world.course.sources.values().collect();
        let source = |source: &&Arc<Source>| {
            let shown_in = self.sources.get(&source.path).into_iter().flatten();
            let entries: Vec<&Entry> = shown_in.filter_map(|&index| self.entries.get(index)).collect();
            listing::source(world, navigation, source, &entries)
        };
        let sources: Vec<(String, Value)> = sources.par_iter().map(source).collect();
        let runs: Vec<&Arc<Run>> = self.runs.values().collect();
        let runs: Vec<Vec<(String, Recipe)>> = runs.par_iter().map(|run| of_run(world, navigation, run)).collect();
        for (path, view) in sources {
            self.page(path, "source-page.html", view);
        }
        for (path, recipe) in runs.into_iter().flatten() {
            self.add(path, recipe);
        }
        for edition in navigation.editions() {
            let (path, view) = listing::index(navigation, edition, &self.entries, &self.runs);
            self.page(path, "index.html", view);
        }
        let stock = Stock { world, navigation, entries: &self.entries, listed: &self.listed, runs: &self.runs };
        let lists: Vec<_> = navigation.editions().iter().flat_map(|edition| stock.pages(edition)).collect();
        for (path, template, view) in lists {
            self.page(path, template, view);
        }
        self.for_machines(navigation);
        self.page("404.html".into(), "404.html", listing::not_found(navigation));
    }

    /// What machines ask the site for. The site map lists the pages that there are by now.
    fn for_machines(&mut self, navigation: &Navigation<'_>) {
        let pages = self.recipes.iter().filter(|(_, recipe)| matches!(recipe, Recipe::Page { .. })).map(|(path, _)| path.as_str());
        let mut files: Vec<(String, &'static str, Value)> =
            machines::site_map(navigation, pages, &self.entries).into_iter().map(|(path, view)| (path, "sitemap.xml", view)).collect();
        let feeds = navigation.editions().iter().filter_map(|edition| machines::feed(navigation, edition, &self.entries));
        files.extend(feeds.map(|(path, view)| (path, "feed.xml", view)));
        let moved = self.entries.iter().enumerate().flat_map(|(index, entry)| machines::moved(navigation, index, entry));
        files.extend(moved.map(|(path, view)| (path, "moved.html", view)));
        for (path, template, view) in files {
            self.page(path, template, view);
        }
    }
}

/// The files that belong to a run: its transcript's page, record, signature, transcript and table.
fn of_run(world: World<'_>, navigation: &Navigation<'_>, run: &Run) -> Vec<(String, Recipe)> {
    let signature = signature::name(&run.name);
    let signature = world.tree.get(&signature).map(|file| (signature, file.text.clone()));
    let (path, view) = listing::transcript(navigation, run, signature.as_ref().map(|(path, _)| path.as_str()));
    let mut files = vec![
        (path, Recipe::Page { template: "transcript-page.html", view }),
        (run.transcript_name.to_string(), Recipe::Text(run.expected_transcript().clone())),
    ];
    files.extend(world.tree.get(&run.name).map(|record| (run.name.to_string(), Recipe::Text(record.text.clone()))));
    files.extend(signature.map(|(path, text)| (path, Recipe::Text(text))));
    // A run that belongs to no device feeds the pages of each of them alike.
    let sweep = world.facts.sweep(run.sweep(), run.device()).or_else(|| world.facts.sweep(run.sweep(), world.device()));
    files.extend(sweep.map(|sweep| (csv::path(run), Recipe::Text(csv::text(&sweep.rows_of(run)).into()))));
    files
}
