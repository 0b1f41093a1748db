//! Turns the files that changed from one generation to the next into what a browser must know, whichever generation it shows.
//!
//! Must not know what is in the files, nor who asks.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Value, json};

/// More paths than this are told as "any".
const MOST: usize = 200;

/// How many generations a browser may have missed and still learn what changed.
const REMEMBERED: usize = 64;

/// Some files of the site; `None` where any may be meant.
type Which = Option<BTreeSet<String>>;

/// Which files may differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changes {
    /// The HTML pages.
    pages: Which,
    /// All others.
    files: Which,
}

impl Changes {
    /// None at all.
    fn none() -> Self {
        Self { pages: Some(BTreeSet::new()), files: Some(BTreeSet::new()) }
    }

    /// Any of them.
    fn any() -> Self {
        Self { pages: None, files: None }
    }

    /// Those at `paths`.
    pub(super) fn of(paths: &[String]) -> Self {
        let mut changes = Self::none();
        for path in paths {
            let part = if path.ends_with(".html") { &mut changes.pages } else { &mut changes.files };
            add(part, path);
        }
        changes
    }

    fn add(&mut self, other: &Self) {
        for (mine, theirs) in [(&mut self.pages, &other.pages), (&mut self.files, &other.files)] {
            match theirs {
                Some(paths) => paths.iter().for_each(|path| add(mine, path)),
                None => *mine = None,
            }
        }
    }

    /// As the page's script reads it: lists of paths, `true` where any may be meant.
    pub(super) fn json(&self, generation: u64) -> Value {
        let part = |part: &Which| part.as_ref().map_or(json!(true), |paths| json!(paths));
        json!({ "generation": generation, "pages": part(&self.pages), "files": part(&self.files) })
    }
}

fn add(part: &mut Which, path: &str) {
    if let Some(paths) = part {
        paths.insert(path.to_owned());
        if paths.len() > MOST {
            *part = None;
        }
    }
}

/// What changed in the last generations.
#[derive(Debug)]
pub(super) struct History {
    now: u64,
    /// Each generation's, the latest last.
    steps: VecDeque<Changes>,
}

impl History {
    /// Of a preview that begins with `generation`.
    pub(super) fn new(generation: u64) -> Self {
        Self { now: generation, steps: VecDeque::new() }
    }

    /// Takes in what the next generation changed.
    pub(super) fn step(&mut self, changes: Changes) {
        self.now += 1;
        self.steps.push_back(changes);
        if self.steps.len() > REMEMBERED {
            self.steps.pop_front();
        }
    }

    /// What may differ now from generation `then`; anything, where nobody remembers, as after another start of the preview.
    pub(super) fn since(&self, then: u64) -> Changes {
        let missed = self.now.checked_sub(then).and_then(|missed| usize::try_from(missed).ok());
        let Some(first) = missed.and_then(|missed| self.steps.len().checked_sub(missed)) else { return Changes::any() };
        let mut changes = Changes::none();
        self.steps.range(first..).for_each(|step| changes.add(step));
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(paths: &[&str]) -> Changes {
        Changes::of(&paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_browser_learns_all_that_it_missed_or_that_nobody_knows() {
        let mut history = History::new(10);
        for paths in [&["a.html", "x.css"][..], &["b.html"], &[]] {
            history.step(changes(paths));
        }
        let cases = [
            (13, changes(&[])),
            (12, changes(&[])),
            (11, changes(&["b.html"])),
            (10, changes(&["a.html", "b.html", "x.css"])),
            (9, Changes::any()),
            (14, Changes::any()),
        ];
        for (then, expected) in cases {
            assert_eq!(history.since(then), expected, "since {then}");
        }
        (0..REMEMBERED).for_each(|_| history.step(changes(&["c.html"])));
        assert_eq!((history.since(13), history.since(12)), (changes(&["c.html"]), Changes::any()));
    }

    #[test]
    fn many_paths_are_any_path_and_stay_so() {
        let many: Vec<String> = (0..=MOST).map(|page| format!("{page}.html")).collect();
        let mut changed = Changes::of(&many);
        assert_eq!(changed.json(1).to_string(), r#"{"generation":1,"pages":true,"files":[]}"#);
        assert_eq!(Changes::of(&many[1..]).json(1)["pages"].as_array().map(Vec::len), Some(MOST));
        changed.add(&changes(&["a.css", "a.html"]));
        assert_eq!(changed.json(2).to_string(), r#"{"generation":2,"pages":true,"files":["a.css"]}"#);
    }
}
