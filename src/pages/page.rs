//! Turns what a page needs from the course into one place to ask: rows, runs, words, fresh ids, problems.
//!
//! Must not know how any exhibit looks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::problem::Problems;
use crate::base::quantity::{Amount, Quantity};
use crate::base::span::Span;
use crate::claims::{Facts, LessonScope, SweepFacts, Verdicts};
use crate::course::Course;
use crate::course::lesson::Lesson;
use crate::course::source::Source;
use crate::evidence::vouched::Vouched;
use crate::evidence::{Run, YOURS};
use crate::expr::{Absent, Expr, Value};
use crate::tree::SourceTree;

use super::Counts;
use super::changes::Said;
use super::dated::{Dated, MovedFigure};
use super::devices;
use super::highlight::Highlighter;
use super::html::escape;
use super::problems;
use super::provenance::Provenance;
use super::text::Notes;
use super::words::{Words, fill, words};

/// All that the stages before found out.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The files.
    pub tree: &'a SourceTree,
    /// What the author wrote.
    pub course: &'a Arc<Course>,
    /// Values.
    pub facts: &'a Arc<Facts>,
    /// What holds.
    pub verdicts: &'a Verdicts,
    /// Who vouches for runs.
    pub vouched: &'a Vouched,
    /// Who turns code into HTML, with what it remembers.
    pub highlighter: &'a Arc<Highlighter>,
    /// Whether lessons marked as drafts are shown, and what is not measured yet as it is planned.
    pub draft: bool,
}

impl World<'_> {
    /// The slug of the device that supplies figures and verdicts where nothing else is chosen.
    pub(crate) fn device(&self) -> &str {
        self.facts.primary()
    }
}

/// A page being written.
pub(crate) struct Page<'a> {
    /// What it is written from.
    pub world: World<'a>,
    /// The lesson.
    pub lesson: &'a Lesson,
    /// The interface's words.
    pub words: &'static Words,
    /// From the page to the site's root: empty, or `../` for each folder.
    pub root: &'static str,
    /// What is wrong.
    pub problems: Problems,
    /// What was checked.
    pub counts: Counts,
    /// Lines of code that exhibits show, as far as readers read them.
    pub lines_shown: usize,
    /// Files of the course that the page links to or shows as they are.
    pub files: BTreeSet<String>,
    /// Files of the course that it looked for, there or not.
    pub asked: BTreeSet<String>,
    /// The runs that the page stands on, in the order of their first mention.
    runs: Vec<Arc<Run>>,
    /// The files that it shows code of.
    sources: BTreeSet<String>,
    /// Lines of sources that it links to.
    linked: BTreeSet<(String, usize)>,
    /// The footnotes that its text refers to.
    pub notes: Notes,
    /// The ids of headings, which no other part of the page may have.
    taken: BTreeSet<&'a str>,
    /// By device and kind.
    ids: BTreeMap<(usize, &'static str), usize>,
    /// The devices that it shows, the primary one first.
    pub devices: &'a [String],
    /// What names mean in its figures, on each of them.
    scopes: Vec<LessonScope>,
    /// What it said on each device, where there are several.
    pub said: Said,
    /// The device that is written for, as an index of them.
    pub(super) device: usize,
    /// Whether what is written now is for that device alone.
    pub(super) within: bool,
    /// What its figures print, by where they stand.
    printed: BTreeMap<usize, String>,
    /// The dated runs that it names, by device and sweep.
    pub(super) known_runs: BTreeMap<(usize, Arc<str>), Arc<Dated>>,
    /// The figures of its text that have a history.
    pub moved: Vec<MovedFigure>,
}

/// A sweep that was measured on the page's device.
pub(crate) struct Board<'a> {
    /// The sweep, its columns and rows.
    pub sweep: &'a SweepFacts,
    /// The run that its figures come from.
    pub run: Arc<Run>,
}

impl<'a> Page<'a> {
    /// An empty page of `lesson`.
    pub(crate) fn new(world: World<'a>, lesson: &'a Lesson) -> Self {
        let devices = world.facts.devices_of(lesson);
        let mut scopes: Vec<LessonScope> = devices.iter().map(|device| world.facts.scope(lesson, device)).collect();
        if scopes.is_empty() {
            scopes.push(world.facts.scope(lesson, world.device()));
        }
        Self {
            world,
            lesson,
            words: words(&lesson.language),
            root: if lesson.language == world.course.config.language { "" } else { "../" },
            problems: Problems::new(),
            counts: Counts::default(),
            lines_shown: 0,
            files: BTreeSet::new(),
            asked: BTreeSet::new(),
            runs: Vec::new(),
            sources: BTreeSet::new(),
            linked: BTreeSet::new(),
            notes: Notes::default(),
            ids: BTreeMap::new(),
            taken: lesson.face.headings.iter().map(AsRef::as_ref).collect(),
            devices,
            scopes,
            said: Said::default(),
            device: 0,
            within: false,
            printed: BTreeMap::new(),
            known_runs: BTreeMap::new(),
            moved: Vec::new(),
        }
    }

    /// An id that the page does not have yet: `table-1`, `table-2`.
    pub(crate) fn id(&mut self, kind: &'static str) -> String {
        self.id_on(self.device, kind)
    }

    /// The same for a part that is for the device at `device`.
    pub(crate) fn id_on(&mut self, device: usize, kind: &'static str) -> String {
        let count = self.ids.entry((device, kind)).or_default();
        loop {
            *count += 1;
            let id = format!("{kind}-{count}{}", devices::id_end(device));
            if !self.taken.contains(&*id) {
                return id;
            }
        }
    }

    /// Writes for the device at `index` of those that the page shows, and for it alone.
    pub(crate) fn write_for(&mut self, index: usize) {
        (self.device, self.within) = (index, true);
    }

    /// Whether readers can choose between devices.
    pub(crate) fn has_choice(&self) -> bool {
        self.scopes.len() > 1
    }

    /// The slug of the device that is written for.
    pub(crate) fn device(&self) -> &'a str {
        self.devices.get(self.device).map_or("", String::as_str)
    }

    /// What names mean in figures on that device.
    pub(crate) fn scope(&self) -> &LessonScope {
        &self.scopes[self.device]
    }

    /// Notes that the figure at `at` prints `text`.
    pub(crate) fn print(&mut self, at: &Span, text: &str) {
        // The first device's, where there are several.
        self.printed.entry(at.start).or_insert_with(|| text.to_owned());
    }

    /// What the figure at `at` prints.
    pub(crate) fn printed(&self, at: &Span) -> Option<&str> {
        self.printed.get(&at.start).map(String::as_str)
    }

    /// The source at `path` from `kernels/`, if there is one.
    pub(crate) fn source(&mut self, path: &str) -> Option<&'a Arc<Source>> {
        self.asked.insert(format!("kernels/{path}"));
        self.world.course.sources.get(path)
    }

    /// Notes that the page shows code of `source`.
    pub(crate) fn show(&mut self, source: &Source) {
        self.sources.insert(source.path.clone());
    }

    /// The files that the page shows code of, by their paths from `kernels/`.
    pub(crate) fn shown_sources(&self) -> Vec<String> {
        self.sources.iter().cloned().collect()
    }

    /// Notes that the page links to the line `number` of `source`.
    pub(crate) fn link_line(&mut self, source: &Source, number: usize) {
        self.linked.insert((source.path.clone(), number));
    }

    /// The lines that the page links to, each with the path of its source.
    pub(crate) fn linked_lines(&self) -> Vec<(String, usize)> {
        self.linked.iter().cloned().collect()
    }

    /// The letter by which the page refers to `run`.
    pub(crate) fn cite(&mut self, run: &Arc<Run>) -> String {
        let index = self.runs.iter().position(|other| other.name == run.name).unwrap_or_else(|| {
            self.runs.push(run.clone());
            self.runs.len() - 1
        });
        mark(index)
    }

    /// The runs that the page stands on.
    pub(crate) fn runs(&self) -> &[Arc<Run>] {
        &self.runs
    }

    /// Where the page's figures come from, run by run.
    pub(crate) fn provenances(&self) -> Vec<Provenance> {
        let source = |(index, run): (usize, &Arc<Run>)| Provenance { mark: Some(mark(index)), ..self.provenance(run, None) };
        self.runs.iter().enumerate().map(source).collect()
    }

    /// Where figures of `run` come from, and how widely they spread at most, as a share of themselves.
    pub(crate) fn provenance(&self, run: &Run, spread: Option<f64>) -> Provenance {
        let source = Provenance::new(run, spread, self.root, self.words);
        let state = if self.is_outdated(run) { Some(self.words.outdated) } else { source.state };
        let signed = self.world.vouched.by(run).map(|who| fill(self.words.signed_by, &[who]));
        Provenance { state, signed, ..source }
    }

    /// Whether the page's figures come from `run` though its code has moved on since.
    pub(crate) fn is_outdated(&self, run: &Run) -> bool {
        self.world.facts.sweep(run.sweep(), self.device()).is_some_and(|sweep| sweep.shows_outdated(run))
    }

    /// The current run of `sweep` on the page's device.
    pub(crate) fn run(&self, sweep: &str) -> Option<Arc<Run>> {
        self.world.facts.sweep(sweep, self.device())?.run.clone()
    }

    /// The runs that `value` of `expr` comes from: those whose rounds it holds, or where it holds none, all that `expr` speaks of.
    pub(crate) fn runs_behind(&self, expr: &Expr, value: &Value) -> Vec<Arc<Run>> {
        let named = expr.names().runs;
        let mut runs = Vec::new();
        for sweep in self.sweeps_of(expr) {
            let facts = self.world.facts.sweep(&sweep, self.device());
            runs.extend(self.run(&sweep));
            runs.extend(facts.into_iter().flat_map(|facts| named.iter().filter_map(|name| facts.run_named(name))).cloned());
        }
        let holds = |run: &Arc<Run>| match value {
            Value::Quantity(Quantity { amount: Amount::Measured(rounds), .. }) => rounds.run == run.name,
            _ => false,
        };
        if runs.iter().any(holds) {
            runs.retain(holds);
        }
        runs
    }

    /// What is known of `sweep`, named at `at`, on the page's device, measured or not. A sweep that the course lacks is a problem here.
    pub(crate) fn facts(&mut self, sweep: &str, at: &Span) -> Result<&'a SweepFacts, Absent> {
        if self.world.course.unread.contains(sweep) {
            return Err(self.unmeasured(sweep));
        }
        if !self.world.course.sweeps.contains_key(sweep) {
            let problem = problems::no_such_sweep(sweep, at, self.world.course.sweeps.keys().map(String::as_str));
            let why = problem.message.clone();
            self.problems.push(problem);
            return Err(why.into());
        }
        // The rules hold what lessons stand on to its evidence; nothing else may be shown.
        if self.lesson.sweeps.iter().all(|(own, _)| own != sweep) {
            let problem = problems::not_a_sweep_of_the_lesson(sweep, at);
            let why = problem.message.clone();
            self.problems.push(problem);
            return Err(why.into());
        }
        let facts = self.world.facts.sweep(sweep, self.device());
        facts.ok_or_else(|| self.unmeasured(sweep))
    }

    /// That `sweep` was not measured, on the page's device where the course publishes one.
    fn unmeasured(&self, sweep: &str) -> Absent {
        Absent::unmeasured(match self.device() {
            "" => format!("{sweep}: {}.", self.words.outcomes.unmeasured),
            YOURS => fill(self.words.sweep_not_measured, &[sweep, self.words.private.your_card]),
            device => fill(self.words.sweep_not_measured, &[sweep, device]),
        })
    }

    /// The rows of `sweep`, named at `at`. One that was never measured is no problem here (a rule says so, once), and the page shows
    /// that in words.
    pub(crate) fn board(&mut self, sweep: &str, at: &Span) -> Result<Board<'a>, Absent> {
        let facts = Some(self.facts(sweep, at)?);
        // Where a column is wrong, half a table would only repeat it.
        let sound = facts.filter(|sweep| !sweep.is_faulty());
        let Some((sweep, run)) = sound.and_then(|sweep| Some((sweep, sweep.run.clone()?))) else {
            return Err(self.unmeasured(sweep));
        };
        self.cite(&run);
        Ok(Board { sweep, run })
    }

    /// The title of `sweep` as HTML, whichever way its language runs: what an exhibit is called that has no caption.
    pub(crate) fn sweep_title(&self, sweep: &str) -> String {
        let title = self.world.course.sweeps.get(sweep).map_or(sweep, |sweep| sweep.title.as_str());
        format!("<bdi>{}</bdi>", escape(title))
    }

    /// The sweeps that `expr` stands on: those it names, and the lesson's only one where it speaks of rows at hand.
    pub(crate) fn sweeps_of(&self, expr: &Expr) -> Vec<String> {
        let names = expr.names();
        let named = names.sweeps.iter().chain(&names.bare).filter_map(|name| self.scope().sweep(name)).map(|sweep| sweep.name.to_string());
        let mut sweeps: BTreeSet<String> = named.collect();
        if names.rows
            && let [(only, _)] = &self.lesson.sweeps[..]
        {
            sweeps.insert(only.clone());
        }
        sweeps.into_iter().collect()
    }
}

/// `a`, `b`, … `z`, `a2`, …
fn mark(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26 + 1) }
}
