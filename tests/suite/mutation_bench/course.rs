//! Turns this repository's course into what faults are made in, and a changed course into what `verify` finds in it.
//!
//! Must not know faults. The tree is read once; a change replaces files of it in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::NaiveDate;
use lessonc::base::problem::{Problem, Problems};
use lessonc::disk;
use lessonc::evidence::{Current, Run};
use lessonc::pipeline::{self, Compiled, Memo, Options};
use lessonc::plan::Job;
use lessonc::rules::history::{Committed, History};
use lessonc::rules::published::{MANIFEST, Manifest, PublishedSite, VERSION, digest_of_file};
use lessonc::rules::{self, Checked, Occasion};
use lessonc::tree::SourceTree;

use super::super::support::repository;
use super::text::regex;

/// The files of a site by their paths, its manifest among them.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// What is done to a course.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Change {
    /// Files that are replaced, or taken away.
    pub(super) inputs: BTreeMap<String, Option<String>>,
    /// The site as it lies there; `None` where it is built after the change.
    pub(super) site: Option<Files>,
    /// Whether the repository's history holds the records as they were.
    pub(super) history: bool,
}

impl Change {
    /// The file `name` says `text`.
    pub(super) fn of(name: &str, text: impl Into<String>) -> Self {
        Self::default().and(name, text)
    }

    pub(super) fn and(mut self, name: &str, text: impl Into<String>) -> Self {
        self.inputs.insert(name.to_owned(), Some(text.into()));
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.inputs.insert(name.to_owned(), None);
        self
    }

    /// And the repository remembers the records.
    pub(super) fn with_history(self) -> Self {
        Self { history: true, ..self }
    }

    /// And the site is `site`.
    pub(super) fn with_site(self, site: Files) -> Self {
        Self { site: Some(site), ..self }
    }

    /// What is changed, for people: the files, with the first line that differs.
    pub(super) fn words(&self, course: &Course) -> String {
        let file = |(name, text): (&String, &Option<String>)| match text {
            None => format!("{name} is gone"),
            Some(text) => {
                let old = course.tree.text(name);
                let (old, new) = old.lines().zip(text.lines()).find(|(old, new)| old != new).unwrap_or((
                    old.lines().last().unwrap_or(""),
                    text.lines().nth(old.lines().count()).unwrap_or("(lines fewer, or their ends)"),
                ));
                let at = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count().saturating_sub(30);
                let part = |line: &str| line.chars().skip(at).take(90).collect::<String>();
                format!("{name}: `{}` -> `{}`", part(old), part(new))
            }
        };
        self.inputs.iter().map(file).collect::<Vec<_>>().join("; ")
    }
}

/// What tells one problem from another, whatever moved the line it stands in.
type Known = (&'static str, Option<Arc<str>>, String);

/// The course of this repository, or one of its lessons with what it stands on: a course as well, and one that is judged sooner.
pub(super) struct Course {
    pub(super) tree: SourceTree,
    pub(super) compiled: Compiled,
    /// The site that a build makes of it.
    pub(super) site: Files,
    /// The day of the latest run: evidence is as old as on that day, whenever the tests run.
    pub(super) today: NaiveDate,
    /// The runs that feed its pages.
    pub(super) feeding: Vec<Feeding>,
    /// What is found in it before any change.
    known: BTreeSet<Known>,
}

/// A run that feeds a page, and the job that it is of.
#[derive(Clone)]
pub(super) struct Feeding {
    pub(super) job: Arc<Job>,
    pub(super) run: Arc<Run>,
}

impl Course {
    /// Reads it, and shows that it passes.
    pub(super) fn read() -> Self {
        let (tree, unread) = disk::read_course(repository()).unwrap();
        assert!(unread.is_empty(), "{unread:?}");
        let (course, found) = Self::of(tree);
        let errors: Vec<&Problem> = found.iter().filter(|problem| is_error(problem)).collect();
        assert!(errors.is_empty(), "the course has problems of its own: {errors:?}");
        course
    }

    fn of(tree: SourceTree) -> (Self, Vec<Problem>) {
        let (compiled, _) = pipeline::compile(&tree, &Options::default(), &Memo::default());
        let today = compiled.evidence.all().filter_map(|run| run.date().parse().ok()).max().unwrap_or_default();
        let (site, feeding) = (build(&compiled), feeding(&compiled));
        let mut course = Self { tree, compiled, site, today, feeding, known: BTreeSet::new() };
        let found = course.verify(&Change::default(), |_| false, &Memo::default());
        course.known = found.iter().map(known).collect();
        (course, found)
    }

    /// Each lesson that stands on a sweep, as a course of its own: in all its languages, with its sweeps, their sources and evidence.
    /// What it lacks, such as the lessons that it links to, is known before any fault is made.
    pub(super) fn parts(&self) -> Vec<Self> {
        let lessons = &self.compiled.course.lessons;
        let names: BTreeSet<&str> = lessons.iter().filter(|lesson| !lesson.sweeps.is_empty()).map(|lesson| lesson.name.as_str()).collect();
        names.into_iter().map(|name| Self::of(self.part(name)).0).collect()
    }

    fn part(&self, name: &str) -> SourceTree {
        let course = &self.compiled.course;
        let lessons: Vec<_> = course.lessons.iter().filter(|lesson| lesson.name == name).collect();
        let mut sweeps: BTreeSet<&str> = lessons.iter().flat_map(|lesson| &lesson.sweeps).map(|(sweep, _)| sweep.as_str()).collect();
        let counted = |sweep: &&str| self.tree.text(&format!("kernels/{sweep}.toml")).lines().find_map(|line| line.strip_prefix("of = "));
        let counted: Vec<&str> = sweeps.iter().filter_map(counted).map(|name| name.trim_matches('"')).collect();
        sweeps.extend(counted);
        let texts: Vec<&str> = lessons
            .iter()
            .map(|lesson| self.tree.text(&lesson.file))
            .chain(sweeps.iter().map(|sweep| self.tree.text(&format!("kernels/{sweep}.toml"))))
            .collect();
        let is_shown = |source: &str| texts.iter().any(|text| text.contains(source));
        let belongs = |file: &str| match file.split_once('/') {
            Some(("lessons", file)) => {
                !file.ends_with(".md") || file.strip_prefix(name).is_some_and(|rest| rest == ".md" || rest.len() == ".he.md".len())
            }
            Some(("kernels", file)) => file.strip_suffix(".toml").map_or_else(|| is_shown(file), |sweep| sweeps.contains(sweep)),
            Some(("evidence", file)) => file.split('/').next().is_some_and(|sweep| sweeps.contains(sweep)),
            _ => true,
        };
        let mut tree = self.tree.clone();
        for (file, _) in self.tree.iter().filter(|(file, _)| !belongs(file)) {
            tree.remove(file);
        }
        let config = regex(r"(?ms)^outline = \[\n.*?^\]$")
            .replace(self.tree.text("lessons/course.toml"), format!("outline = [\"{name}\"]"))
            .into_owned();
        tree.insert("lessons/course.toml", config.as_bytes(), &mut Problems::new());
        tree
    }

    /// The history of a repository that had every record from its first commit on.
    fn history(&self) -> History {
        let records = self.tree.below("evidence").filter(|(name, _)| name.ends_with(".jsonl"));
        let first = |digest| Committed { commit: "0123456789abcdef0123456789abcdef01234567".to_owned(), digest: Some(digest) };
        History { records: records.map(|(name, file)| (name.to_string(), first(file.digest))).collect(), shallow: false }
    }

    /// The input files below `folder` with the ending `ending`.
    pub(super) fn names(&self, folder: &str, ending: &str) -> Vec<String> {
        self.tree.below(folder).map(|(name, _)| name.to_string()).filter(|name| name.ends_with(ending)).collect()
    }

    /// The course after `change`.
    fn changed(&self, change: &Change, problems: &mut Problems) -> SourceTree {
        let mut tree = self.tree.clone();
        for (name, text) in &change.inputs {
            match text {
                Some(text) => tree.insert(name, text.as_bytes(), problems),
                None => _ = tree.remove(name),
            }
        }
        tree
    }

    /// What is found after `change` and was not before: as `build` finds it where that is `enough`, or else as `verify` does, which
    /// finds all that and more. A site that is built after the change has nothing for the rules that hold it to a build, so it need
    /// not be made for them; what is harmless is judged with it ([`Course::rebuilt`]).
    pub(super) fn verify(&self, change: &Change, enough: impl Fn(&[Problem]) -> bool, memo: &Memo) -> Vec<Problem> {
        let mut problems = Problems::new();
        let tree = self.changed(change, &mut problems);
        let (compiled, found) = pipeline::compile(&tree, &Options::default(), memo);
        problems.extend(found);
        let found = self.judge(change, &tree, &compiled, None, Occasion::Build, problems.clone());
        if enough(&found) {
            return found;
        }
        let published = change.site.as_ref().map(published);
        self.judge(change, &tree, &compiled, published.as_ref(), Occasion::Verify, problems)
    }

    /// What is found after `change`, a build and a checkout of its site that does `checkout` to it.
    pub(super) fn rebuilt(&self, change: &Change, checkout: impl Fn(&mut Files), memo: &Memo) -> Vec<Problem> {
        let mut problems = Problems::new();
        let tree = self.changed(change, &mut problems);
        let (compiled, found) = pipeline::compile(&tree, &Options::default(), memo);
        problems.extend(found);
        let mut site = build(&compiled);
        checkout(&mut site);
        self.judge(change, &tree, &compiled, Some(&published(&site)), Occasion::Verify, problems)
    }

    fn judge(
        &self,
        change: &Change,
        tree: &SourceTree,
        compiled: &Compiled,
        published: Option<&PublishedSite>,
        occasion: Occasion,
        mut problems: Problems,
    ) -> Vec<Problem> {
        let history = change.history.then(|| self.history());
        let checked = Checked { published, as_of: Some(self.today), history: history.as_ref(), ..compiled.checked(tree) };
        rules::check(&checked, occasion, &mut problems);
        problems.sorted().into_iter().filter(|problem| !self.known.contains(&known(problem))).collect()
    }
}

/// The runs that feed pages.
fn feeding(compiled: &Compiled) -> Vec<Feeding> {
    let course = &compiled.course;
    let names: BTreeSet<&String> = course.lessons.iter().flat_map(|lesson| &lesson.sweeps).map(|(name, _)| name).collect();
    let jobs = names.into_iter().filter_map(|name| compiled.plan.jobs.get(name));
    let device = course.config.devices.first().map_or("", String::as_str);
    let current = |job: &Arc<Job>| match compiled.evidence.current(job, device) {
        Current::Fresh(run) => Some(Feeding { job: job.clone(), run }),
        Current::Stale(_) | Current::Missing => None,
    };
    jobs.filter_map(current).collect()
}

pub(super) fn is_error(problem: &Problem) -> bool {
    problem.severity == lessonc::base::problem::Severity::Error
}

fn known(problem: &Problem) -> Known {
    (problem.id, problem.at.as_ref().map(|at| at.file.clone()), problem.message.clone())
}

/// The site that a build of `compiled` writes; a page that can't be rendered is left out, and its problem is the verdict's.
fn build(compiled: &Compiled) -> Files {
    let render = |path: &str| Some((path.to_owned(), compiled.site.render(path)?.ok()?));
    let mut files: Files = compiled.site.paths().filter_map(render).collect();
    seal(&mut files);
    files
}

/// Gives `site` the manifest that lists its files as they are.
pub(super) fn seal(site: &mut Files) {
    site.remove(MANIFEST);
    let files = site.iter().map(|(path, bytes)| (path.clone(), digest_of_file(bytes))).collect();
    site.insert(MANIFEST.to_owned(), Manifest { lessonc: VERSION.to_owned(), files }.text().into_bytes());
}

/// `site` as it is read back from a folder.
fn published(site: &Files) -> PublishedSite {
    let manifest = site.get(MANIFEST).map(|bytes| Manifest::parse(&String::from_utf8_lossy(bytes)));
    let listed = manifest.as_ref().and_then(|manifest| manifest.as_ref().ok());
    let files: BTreeMap<_, _> =
        site.iter().filter(|(path, _)| *path != MANIFEST).map(|(path, bytes)| (path.clone(), digest_of_file(bytes))).collect();
    let is_edited =
        |path: &String| listed.and_then(|manifest| manifest.files.get(path)).is_some_and(|listed| Some(listed) != files.get(path));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let edited = site.iter().filter(|(path, _)| is_edited(path)).map(|(path, bytes)| (path.clone(), text(bytes))).collect();
    PublishedSite { manifest, files, edited }
}
