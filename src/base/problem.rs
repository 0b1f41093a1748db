//! Turns what is wrong with a course into a value that names the place, the fault and the way out.
//!
//! Must not know how a problem is printed, nor stop anything: stages collect problems and go on.

use super::name::{did_you_mean, nearest};
use super::span::Span;

/// How much a problem weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The page can't be published.
    Error,
    /// The page can be published; somebody should look.
    Warning,
}

/// A name that an author most likely meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Meant {
    /// What was written.
    pub written: String,
    /// What was meant.
    pub name: String,
}

/// One thing that is wrong with the course, in the author's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Stable identifier of the kind of problem, such as `snippet-missing`; it is what policy and tests name.
    pub id: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// One sentence: what is wrong, without a final full stop.
    pub message: String,
    /// Where; `None` only for a problem of the course as a whole (no lessons, say).
    pub at: Option<Span>,
    /// Words beside the caret, when they say more than the message.
    pub label: Option<String>,
    /// Other places that belong to it, each with its words (the record's line, the first of two duplicates).
    pub related: Vec<(Span, String)>,
    /// What to do.
    pub hint: Option<String>,
    /// The name that was meant at [`Problem::at`], so that a tool can put it there.
    pub meant: Option<Meant>,
}

impl Problem {
    /// An error of kind `id` at `at`.
    #[must_use]
    pub fn error(id: &'static str, at: Span, message: impl Into<String>) -> Self {
        Self {
            id,
            severity: Severity::Error,
            message: message.into(),
            at: Some(at),
            label: None,
            related: Vec::new(),
            hint: None,
            meant: None,
        }
    }

    /// A warning of kind `id` at `at`.
    #[must_use]
    pub fn warning(id: &'static str, at: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(id, at, message) }
    }

    /// An error about the course as a whole.
    #[must_use]
    pub fn of_course(id: &'static str, message: impl Into<String>) -> Self {
        Self { id, severity: Severity::Error, message: message.into(), at: None, label: None, related: Vec::new(), hint: None, meant: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds which of the `known` names was likely meant by `missed`, in the place of any other hint; changes nothing where
    /// none is near.
    #[must_use]
    pub fn meant<'a>(mut self, missed: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let name = nearest(missed, known.iter().copied());
        self.meant = name.map(|name| Meant { written: missed.to_owned(), name: name.to_owned() });
        match did_you_mean(missed, known) {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Adds the words beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn related(mut self, at: Span, words: impl Into<String>) -> Self {
        self.related.push((at, words.into()));
        self
    }
}

/// All problems found so far; stages add to it and never take away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Keeps the value of an `Ok`; notes the problem of an `Err`.
    pub fn note<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(problem) => {
                self.push(problem);
                None
            }
        }
    }

    /// Adds all of `other`.
    pub fn extend(&mut self, other: impl IntoIterator<Item = Problem>) {
        self.0.extend(other);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many errors there are.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.0.iter().filter(|problem| problem.severity == Severity::Error).count()
    }

    /// How many warnings there are.
    #[must_use]
    pub fn warnings(&self) -> usize {
        self.0.len() - self.errors()
    }

    /// All of them, in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }

    /// All of them by file and place, each once: the order in which they are shown, whatever order found them.
    #[must_use]
    pub fn sorted(mut self) -> Vec<Problem> {
        fn key(problem: &Problem) -> impl Ord + '_ {
            let Problem { id, severity, message, at, label, related, hint, meant } = problem;
            (at, id, message, severity, label, hint, related, meant)
        }
        self.0.sort_by(|a, b| key(a).cmp(&key(b)));
        self.0.dedup();
        self.0
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
