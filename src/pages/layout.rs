//! Turns what was made for the lessons, the sources and the runs that they stand on into which files the site has, and what each is
//! made from.
//!
//! Must not know how any page looks inside. A lesson whose text alone is another leaves all of this as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::problem::Problem;
use crate::base::series::Series;
use crate::base::span::SourceName;
use crate::base::stamp::Stamp;
use crate::course::sources::Sources;
use crate::evidence::{Run, name, signature};
use crate::tree::SourceTree;

use super::lesson::Made;
use super::links::source_path;
use super::navigation::Navigation;
use super::provenance::transcript_page;
use super::recipe::{PageOf, Recipe};
use super::template::{ASSETS, SCRIPT, SEARCH, Templates};
use super::{csv, files, machines, problems, scripted, search};

/// The files of a site.
pub(super) struct Layout {
    /// What each is made from, by its path.
    pub recipes: Arc<BTreeMap<String, Recipe>>,
    /// The runs that have a page, by the names of their records.
    pub runs: Arc<BTreeMap<String, Arc<Run>>>,
    /// The lessons, as indices, that show a source, by its path.
    pub shown_in: Arc<BTreeMap<String, Vec<usize>>>,
    /// The lines of a source that lessons link to, by its path.
    pub linked: Arc<BTreeMap<String, BTreeSet<usize>>>,
    /// What is wrong: files that would take the places of others.
    pub problems: Vec<Problem>,
    /// How many pages there are.
    pub pages: usize,
    /// The paths of the pages that are about all lessons of an edition.
    pub about_all: Arc<[String]>,
    /// What it was made from, lessons and sources aside.
    stamp: Stamp,
    /// The files of the course that are published as they are.
    as_they_are: BTreeSet<String>,
}

/// A layout with the lessons and sources of the site that has it: all of them may have changed since it was made, if that moved no file.
pub(super) struct Laid {
    pub layout: Arc<Layout>,
    lessons: Series<Arc<Made>>,
    sources: Arc<Sources>,
}

impl Laid {
    /// The layout of the site of `lessons`: that of `before`, if there is nothing in it that has changed since, the files `changed`
    /// included.
    pub(super) fn again(
        before: Option<Self>,
        (tree, changed): (&SourceTree, &BTreeSet<SourceName>),
        navigation: &Navigation,
        templates: &Templates,
        lessons: &Series<Arc<Made>>,
    ) -> Self {
        let stamp = stamp(tree, navigation);
        let sources = &navigation.course.sources;
        let stands = |before: &Self| {
            before.layout.stamp == stamp
                && sources.changed_since(&before.sources).is_some()
                && !changed.iter().any(|name| files::is_static(name) || before.layout.as_they_are.contains(&**name))
                && lessons.changed_since(&before.lessons).is_some_and(|mut all| all.all(|(_, now, then)| gives_the_same_files(now, then)))
        };
        let layout = match before.filter(stands) {
            Some(before) => before.layout,
            None => Arc::new(Parts::default().all((tree, navigation, templates), lessons, stamp)),
        };
        Self { layout, lessons: lessons.clone(), sources: sources.clone() }
    }
}

/// What the files hang on beside lessons and sources.
fn stamp(tree: &SourceTree, navigation: &Navigation) -> Stamp {
    let mut stamp = Stamp::default();
    navigation.add_to(&mut stamp);
    [name::FOLDER, name::PRIVATE, "templates"].into_iter().for_each(|folder| stamp.equal(Some(tree.state(folder, |_| true))));
    stamp
}

/// Whether two lessons ask for the same files, and for the same of them.
fn gives_the_same_files(one: &Made, other: &Made) -> bool {
    let same_runs = one.runs.len() == other.runs.len() && one.runs.iter().zip(&other.runs).all(|(one, other)| Arc::ptr_eq(one, other));
    same_runs
        && one.entry.path == other.entry.path
        && (&one.sources, &one.lines, &one.files) == (&other.sources, &other.lines, &other.files)
}

/// The site so far.
#[derive(Default)]
struct Parts {
    recipes: BTreeMap<String, Recipe>,
    runs: BTreeMap<String, Arc<Run>>,
    shown_in: BTreeMap<String, Vec<usize>>,
    linked: BTreeMap<String, BTreeSet<usize>>,
    /// Files of the course that lessons link to or show as they are.
    named: BTreeSet<String>,
    /// The paths in lower case, as disks that know no case see them.
    taken: BTreeMap<String, String>,
    problems: Vec<Problem>,
}

impl Parts {
    fn page(&mut self, path: String, page: PageOf) {
        self.add(path, Recipe::Page(page));
    }

    fn note<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.problems.push(problem)).ok()
    }

    /// Adds a file, unless that would silently take the place of another.
    fn add(&mut self, path: String, recipe: Recipe) {
        let first = self.taken.insert(path.to_lowercase(), path.clone());
        // The folder of the search index is nobody else's.
        let first = first.or_else(|| path.to_lowercase().starts_with(search::FOLDER).then(|| path.clone()));
        if let Some(first) = first {
            self.problems.push(problems::two_of_a_path(&first, &path));
            return;
        }
        self.recipes.insert(path, recipe);
    }

    /// All of them.
    fn all(
        mut self,
        (tree, navigation, templates): (&SourceTree, &Navigation, &Templates),
        lessons: &Series<Arc<Made>>,
        stamp: Stamp,
    ) -> Layout {
        self.lessons(lessons);
        self.pages(navigation, tree);
        let is_wanted = |name: &str| name != SEARCH || navigation.course.config.has_search;
        for (name, head) in ASSETS.into_iter().filter(|(name, _)| is_wanted(name)) {
            let text = templates.joined(tree, head);
            let first = if name == SCRIPT { self.note(scripted::head(navigation, templates)) } else { None };
            self.add(format!("assets/{name}"), Recipe::Text(first.map_or_else(|| text.clone(), |first| (first + &text).into())));
        }
        let as_they_are = self.as_they_are(tree);
        let pages = self.recipes.values().filter(|recipe| matches!(recipe, Recipe::Page(_))).count();
        let about_all = self.recipes.iter().filter(|(_, recipe)| matches!(recipe, Recipe::Page(page) if page.is_about_all()));
        Layout {
            about_all: about_all.map(|(path, _)| path.clone()).collect(),
            recipes: Arc::new(self.recipes),
            runs: Arc::new(self.runs),
            shown_in: Arc::new(self.shown_in),
            linked: Arc::new(self.linked),
            problems: self.problems,
            pages,
            stamp,
            as_they_are,
        }
    }

    /// Adds the pages of the lessons, and notes what they stand on.
    fn lessons(&mut self, lessons: &Series<Arc<Made>>) {
        for (index, made) in lessons.iter().enumerate() {
            self.named.extend(made.files.iter().cloned());
            for path in &made.sources {
                self.shown_in.entry(path.clone()).or_default().push(index);
            }
            for (path, line) in &made.lines {
                self.linked.entry(path.clone()).or_default().insert(*line);
            }
            for run in &made.runs {
                self.runs.entry(run.name.to_string()).or_insert_with(|| run.clone());
            }
            self.page(made.entry.path.clone(), PageOf::Lesson(index));
        }
    }

    /// The files of the course that are published as they are.
    fn as_they_are(&mut self, tree: &SourceTree) -> BTreeSet<String> {
        let mut names = std::mem::take(&mut self.named);
        names.extend(files::all(tree).map(str::to_owned));
        for name in &names {
            if let (Some(path), Some(recipe)) = (files::path(name, tree), files::recipe(name, tree)) {
                self.add(path, recipe);
            }
        }
        names
    }

    /// Everything that lessons stand on, and the lists.
    fn pages(&mut self, navigation: &Navigation, tree: &SourceTree) {
        for (index, source) in navigation.course.sources.values().enumerate() {
            self.page(source_path(source), PageOf::Source(index));
        }
        for run in self.runs.values().cloned().collect::<Vec<_>>() {
            self.run(&run, tree);
        }
        for (index, edition) in navigation.editions().iter().enumerate() {
            self.page(navigation.home(&edition.language), PageOf::Index(index));
        }
        for (index, edition) in navigation.editions().iter().enumerate() {
            for &list in &edition.lists {
                self.page(navigation.list(&edition.language, list), PageOf::List(index, list));
            }
        }
        self.for_machines(navigation);
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
            self.add(run.name.to_string(), Recipe::Input(record.clone()));
        }
        if let Some(signed) = signed {
            self.add(signature, Recipe::Input(signed.clone()));
        }
        self.add(csv::path(run), Recipe::Rows(run.clone()));
    }

    /// What machines ask the site for. The site map lists the pages that there are by now.
    fn for_machines(&mut self, navigation: &Navigation) {
        let config = &navigation.course.config;
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
