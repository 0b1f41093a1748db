//! Turns a compiled course into what is shown now, and tells who waits when that changes.
//!
//! Must not know HTTP or disks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::changes::{Changes, History};
use super::kept::Kept;
use super::problems;
use crate::base::digest::Checksum;
use crate::base::problem::Problem;
use crate::base::span::SourceName;
use crate::pages::Site;
use crate::tree::SourceTree;

/// The folder of the site whose files are made when somebody searches; the comparison of sites leaves it out.
const SEARCH: &str = "search/";

/// What is shown at one moment; never changes, only gives way to the next.
pub(super) struct Shown {
    pub(super) site: Site,
    pub(super) problems: problems::Shown,
    /// The files of the lessons on the disk, whether their pages could be made or not, in order.
    written: Arc<[SourceName]>,
    /// Turns the problem of a template that can't be filled into what the page's script reads.
    explain: Explain,
}

/// See [`Shown::explain`].
pub(super) type Explain = Box<dyn Fn(&Problem) -> Value + Send + Sync>;

impl Shown {
    pub(super) fn new(site: Site, written: Arc<[SourceName]>, problems: problems::Shown, explain: Explain) -> Self {
        Self { site, problems, written, explain }
    }

    /// Whether there is a lesson's file whose page is at `path`, by its name alone: one that can't be read as well.
    fn is_written(&self, path: &str) -> bool {
        let Some(name) = path.strip_suffix(".html") else { return false };
        let is_there = |file: &str| self.written.binary_search_by(|known| (**known).cmp(file)).is_ok();
        is_there(&format!("lessons/{name}.md"))
            || name.split_once('/').is_some_and(|(language, name)| is_there(&format!("lessons/{name}.{language}.md")))
    }
}

/// The files of the lessons on the disk, in order, for as long as their names are the same ones.
#[derive(Default)]
pub(super) struct Written {
    names: Checksum,
    files: Arc<[SourceName]>,
}

impl Written {
    /// Those in `tree`.
    pub(super) fn follow(&mut self, tree: &SourceTree) -> Arc<[SourceName]> {
        let names = tree.names_state("lessons", |ending| ending == "md");
        if names != self.names {
            let files = tree.below("lessons").map(|(name, _)| name).filter(|name| name.ends_with(".md"));
            *self = Self { names, files: files.cloned().collect() };
        }
        self.files.clone()
    }
}

/// A file of the site as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum File {
    /// As it is now.
    Now(Bytes),
    /// As it could be made last.
    Before(Bytes),
    /// There is one, and it never could be made.
    Broken,
    /// There is none.
    Gone,
}

struct State {
    shown: Arc<Shown>,
    generation: u64,
    history: History,
    kept: Kept,
    /// Pages that went, and those that came in their place.
    renamed: BTreeMap<String, String>,
}

/// What is shown now.
pub(super) struct Preview {
    state: Mutex<State>,
    generation: watch::Sender<u64>,
}

impl Preview {
    /// Begins with `first`, as generation `generation`.
    pub(super) fn new(first: Shown, generation: u64) -> Self {
        let state = State {
            shown: Arc::new(first),
            generation,
            history: History::new(generation),
            kept: Kept::default(),
            renamed: BTreeMap::new(),
        };
        Self { state: Mutex::new(state), generation: watch::Sender::new(generation) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows `next` from now on, and tells the browsers.
    pub(super) fn show(&self, next: Shown) {
        let before = self.state().shown.clone();
        let changed = next.site.changed_since(&before.site);
        let mut state = self.state();
        state.generation += 1;
        state.history.step(Changes::of(&changed));
        state.kept.forget_below(SEARCH);
        for path in &changed {
            if next.site.has(path) || next.is_written(path) {
                state.kept.age(path);
                state.renamed.remove(path);
            } else {
                state.kept.forget(path);
            }
        }
        state.renamed.extend(renamed(&changed, &before, &next));
        state.shown = Arc::new(next);
        self.generation.send_replace(state.generation);
    }

    /// The file `path`, and the generation that it belongs to.
    pub(super) fn file(&self, path: &str) -> (File, u64) {
        let (file, generation, _) = self.look(path);
        (file, generation)
    }

    /// Whether there is a file `path` now.
    pub(super) fn now_has(&self, path: &str) -> bool {
        self.state().shown.site.has(path)
    }

    /// The same, and why it isn't as it should be now.
    fn look(&self, path: &str) -> (File, u64, Option<(Arc<Shown>, Problem)>) {
        let (shown, generation, fresh) = {
            let mut state = self.state();
            (state.shown.clone(), state.generation, state.kept.fresh(path))
        };
        if let Some(bytes) = fresh {
            return (File::Now(bytes), generation, None);
        }
        let rendered = shown.site.render(path);
        let mut state = self.state();
        match rendered {
            Some(Ok(bytes)) => {
                let bytes = Bytes::from(bytes);
                if state.generation == generation {
                    state.kept.put(path, bytes.clone());
                }
                (File::Now(bytes), generation, None)
            }
            Some(Err(problem)) => (state.kept.last(path).map_or(File::Broken, File::Before), generation, Some((shown, problem))),
            None => (state.kept.last(path).map_or(File::Gone, File::Before), generation, None),
        }
    }

    /// What the script on the page `path` shows over it.
    pub(super) fn over(&self, path: &str) -> Value {
        let (file, generation, problem) = self.look(path);
        let (shown, now) = {
            let state = self.state();
            (state.shown.clone(), state.renamed.get(path).cloned())
        };
        let mut problems = shown.problems.of_page(path);
        let mut errors = shown.problems.errors;
        if let Some((shown, problem)) = problem {
            problems.insert(0, (shown.explain)(&problem));
            errors += 1;
        }
        let state = match file {
            File::Now(_) => "now",
            File::Before(_) => "before",
            File::Broken => "broken",
            File::Gone => "gone",
        };
        json!({
            "generation": generation, "page": state, "renamed": now,
            "errors": errors, "warnings": shown.problems.warnings, "problems": problems,
        })
    }

    /// What may differ now from generation `then`, as the page's script reads it, and which generation is now.
    pub(super) fn since(&self, then: u64) -> (Value, u64) {
        let state = self.state();
        (state.history.since(then).json(state.generation), state.generation)
    }

    /// Says which generation is shown, now and each time it changes.
    pub(super) fn generations(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }
}

/// The page of a lesson that went, and that of the lesson that came: where there is one of each, the lesson was renamed.
fn renamed(changed: &[String], before: &Shown, next: &Shown) -> Option<(String, String)> {
    let pages = || changed.iter().filter(|path| path.ends_with(".html"));
    let mut gone = pages().filter(|path| before.is_written(path) && !next.is_written(path));
    let mut new = pages().filter(|path| !before.is_written(path) && next.is_written(path));
    match (gone.next(), gone.next(), new.next(), new.next()) {
        (Some(old), None, Some(new), None) => Some((old.clone(), new.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::problem::Problems;

    /// A site of `pages`, made of lessons in `files`.
    fn shown(files: &[&str], pages: &[(&str, &str)]) -> Shown {
        let mut tree = SourceTree::new();
        for file in files {
            tree.insert(file, b"", &mut Problems::new());
        }
        let site = Site::of_texts(pages.iter().copied());
        Shown::new(site, Written::default().follow(&tree), problems::Shown::default(), Box::new(|problem| json!(problem.id)))
    }

    #[test]
    fn a_page_that_cannot_be_made_is_shown_as_it_was_and_one_whose_lesson_is_gone_is_not() {
        let preview = Preview::new(shown(&["lessons/a.md", "lessons/b.he.md"], &[("a.html", "A"), ("he/b.html", "B")]), 7);
        let see = |path: &str| match preview.file(path).0 {
            File::Now(bytes) => format!("now {}", String::from_utf8_lossy(&bytes)),
            File::Before(bytes) => format!("before {}", String::from_utf8_lossy(&bytes)),
            other => format!("{other:?}"),
        };
        assert_eq!(["a.html", "he/b.html", "c.html"].map(see), ["now A", "now B", "Gone"]);
        preview.show(shown(&["lessons/a.md", "lessons/b.he.md"], &[("a.html", "BROKEN"), ("c.html", "BROKEN")]));
        assert_eq!(["a.html", "he/b.html", "c.html"].map(see), ["before A", "before B", "Broken"]);
        assert_eq!((&preview.over("a.html")["page"], &preview.over("a.html")["problems"][0]), (&json!("before"), &json!("template")));
        preview.show(shown(&["lessons/new.md", "lessons/b.he.md"], &[("new.html", "A"), ("he/b.html", "B2")]));
        assert_eq!(["a.html", "he/b.html", "new.html"].map(see), ["Gone", "now B2", "now A"]);
        assert_eq!(preview.over("a.html")["renamed"], json!("new.html"));
        let (changes, now) = preview.since(8);
        assert_eq!((changes["pages"].clone(), now), (json!(["a.html", "c.html", "he/b.html", "new.html"]), 9));
        preview.show(shown(&["lessons/a.md"], &[("a.html", "A")]));
        assert_eq!((see("a.html"), &preview.over("a.html")["renamed"]), ("now A".to_owned(), &json!(null)));
    }
}
