//! Turns lessons, evidence and verdicts into a site: a sorted map from path to recipe, rendered when asked.
//!
//! Must not know disks, browsers or devices. Whatever is wrong with the content is found while the site is put
//! together; rendering can only trip over a template.

pub mod highlight;
mod template;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::problem::{Problem, Problems};
use crate::tree::SourceTree;

use self::template::Templates;

/// What was checked, for the last line of `build` and `verify`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Regions shown, diffs included.
    pub snippets: usize,
    /// Figures in prose, captions, titles and summaries.
    pub figures: usize,
    /// Tables of rows.
    pub tables: usize,
    /// Charts.
    pub charts: usize,
    /// Checked sentences.
    pub claims: usize,
    /// Current runs.
    pub runs: usize,
    /// Internal links.
    pub links: usize,
    /// HTML pages.
    pub pages: usize,
}

/// How one file of the site is made.
#[derive(Clone)]
pub(crate) enum Recipe {
    /// The bytes as they are: a record, a transcript, a table as CSV.
    Text(Arc<str>),
    /// A template filled with a view.
    Page {
        /// Its file name under `templates/`.
        template: &'static str,
        /// Plain data.
        view: minijinja::Value,
    },
}

/// Everything that a build writes, not yet rendered. Cheap to clone.
#[derive(Clone)]
pub struct Site {
    recipes: Arc<BTreeMap<String, Recipe>>,
    templates: Arc<Templates>,
}

impl Site {
    /// The path of every file from the site's root, sorted, with `/` between the parts.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.recipes.keys().map(String::as_str)
    }

    /// Whether the site has a file `path`.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.recipes.contains_key(path)
    }

    /// The bytes of the file `path`; `None` if the site has no such file.
    ///
    /// # Errors
    /// Inside: a template that can't be filled, as a problem at the template's line.
    #[must_use]
    pub fn render(&self, path: &str) -> Option<Result<Vec<u8>, Problem>> {
        Some(match self.recipes.get(path)? {
            Recipe::Text(text) => Ok(text.as_bytes().to_vec()),
            Recipe::Page { template, view } => self.templates.fill(template, view).map(String::into_bytes),
        })
    }
}

/// Puts the site together.
#[must_use]
pub fn site(tree: &SourceTree, _draft: bool, problems: &mut Problems) -> (Site, Counts) {
    let templates = Templates::new(tree, problems);
    (Site { recipes: Arc::default(), templates: Arc::new(templates) }, Counts::default())
}
