//! Turns lessons, evidence and verdicts into a site: a sorted map from path to recipe, rendered when asked.
//!
//! Must not know disks, browsers or devices. Whatever is wrong with the content is found while the site is put
//! together; rendering can only trip over a template.

mod again;
mod asked;
mod assemble;
mod block;
mod caption;
mod changes;
mod claim;
mod csv;
mod dated;
mod devices;
mod difference;
mod exhibits;
mod explorer;
mod figure;
mod files;
mod forge;
mod frame;
pub mod highlight;
pub(crate) mod html;
mod layout;
mod lesson;
mod lines;
mod links;
mod listing;
mod lists;
mod machines;
mod metadata;
mod navigation;
mod page;
mod plot;
mod problems;
mod provenance;
mod reading_time;
mod recipe;
mod run_it;
mod scripted;
mod search;
mod sidebar;
mod stock;
mod template;
mod text;
pub(crate) mod told;
mod words;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::digest::Checksum;
use crate::base::problem::Problem;

use self::difference::Difference;
use self::recipe::{PageOf, Recipe};
use self::search::Search;
use self::stock::Stock;

pub use self::again::Memo;
pub use self::assemble::site;
pub use self::page::World;
pub use self::told::Told;

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

impl Counts {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            snippets: self.snippets + other.snippets,
            figures: self.figures + other.figures,
            tables: self.tables + other.tables,
            charts: self.charts + other.charts,
            claims: self.claims + other.claims,
            runs: self.runs + other.runs,
            links: self.links + other.links,
            pages: self.pages + other.pages,
        }
    }
}

/// Who takes the bytes of a file by its path as soon as they are certain, so that nobody has to hold them until all else is made. What
/// comes of them is certain only when nothing is wrong with the course.
pub type Press<'a> = &'a (dyn Fn(&str, &[u8]) + Sync);

/// Everything that a build writes, not yet rendered. Cheap to clone.
#[derive(Clone)]
pub struct Site {
    recipes: Arc<BTreeMap<String, Recipe>>,
    stock: Arc<Stock>,
    search: Arc<Search>,
}

impl Site {
    /// The path of every file from the site's root, sorted, with `/` between the parts.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let mut paths: Vec<&str> = self.recipes.keys().chain(self.search.files().keys()).map(String::as_str).collect();
        paths.sort_unstable();
        paths.into_iter()
    }

    /// The bytes of the file `path`; `None` if the site has no such file, or a [`Press`] took them.
    ///
    /// # Errors
    /// Inside: a template that can't be filled, as a problem at the template's line.
    #[must_use]
    pub fn render(&self, path: &str) -> Option<Result<Vec<u8>, Problem>> {
        let mut bytes = Vec::new();
        let rendered = self.render_to(path, &mut bytes)?;
        bytes.shrink_to_fit();
        Some(rendered.map(|()| bytes))
    }

    /// Appends the bytes of the file `path` to `bytes`, as [`Site::render`] gives them: room that has grown once can be used again.
    ///
    /// # Errors
    /// As there.
    pub fn render_to(&self, path: &str, bytes: &mut Vec<u8>) -> Option<Result<(), Problem>> {
        Some(match self.recipes.get(path) {
            Some(Recipe::Page(PageOf::Lesson(index))) if self.stock.lessons[*index].is_handed_over() => return None,
            Some(recipe) => recipe::write(recipe, &self.recipes, &self.stock, bytes),
            None if path.starts_with(search::FOLDER) => {
                bytes.extend_from_slice(self.search.files().get(path)?.as_bytes());
                Ok(())
            }
            None => return None,
        })
    }

    /// The digest of the published file `path`, where it is known and nobody has to read the file for it.
    #[must_use]
    pub fn digest(&self, path: &str) -> Option<Checksum> {
        match self.recipes.get(path)? {
            Recipe::Input(file) => Some(file.digest),
            _ => None,
        }
    }

    /// Whether the site has a file `path`; asking makes none.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.recipes.contains_key(path)
    }

    /// The paths, sorted, of all files that are not as they are in `before`, those that only one of the two sites has among them. The
    /// files of the search are left out: they are made when somebody searches, and comparing would make them.
    #[must_use]
    pub fn changed_since(&self, before: &Self) -> Vec<String> {
        let difference = Difference::between(&self.stock, &before.stock);
        let same_files = Arc::ptr_eq(&self.recipes, &before.recipes);
        if let Some(paths) = same_files.then(|| difference.in_place()).flatten() {
            return paths.into_iter().collect();
        }
        let (mut paths, mut list) = (Vec::new(), false);
        let (mut now, mut then) = (self.recipes.iter().peekable(), before.recipes.iter().peekable());
        loop {
            let first = match (now.peek(), then.peek()) {
                (Some((one, _)), Some((other, _))) => one.cmp(other),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let is_changed = match first {
                Ordering::Equal => now.peek().zip(then.peek()).is_some_and(|((_, now), (_, then))| !difference.leaves(now, then)),
                Ordering::Less | Ordering::Greater => true,
            };
            let one = if first.is_le() { now.next() } else { None };
            let other = if first.is_ge() { then.next() } else { None };
            list |= first.is_ne();
            paths.extend(one.or(other).filter(|_| is_changed).map(|(path, _)| path.clone()));
        }
        // Pages that came or went are on the site map, whatever else they have to do with lessons.
        if list {
            let is_map = |recipe: &Recipe| matches!(recipe, Recipe::Page(PageOf::Map(_)));
            paths.extend(self.recipes.iter().filter(|(_, recipe)| is_map(recipe)).map(|(path, _)| path.clone()));
            paths.sort_unstable();
            paths.dedup();
        }
        paths
    }
}

#[cfg(test)]
impl Site {
    /// A site of texts by their paths; one that says `BROKEN` can't be rendered.
    pub(crate) fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let recipe = |text: &str| match text {
            "BROKEN" => Recipe::Page(PageOf::Lost),
            text => Recipe::Text(text.into()),
        };
        let recipes = texts.into_iter().map(|(path, text)| (path.to_owned(), recipe(text))).collect();
        let mut tree = crate::tree::SourceTree::new();
        tree.insert("templates/404.html", b"{{ nothing }}", &mut crate::base::problem::Problems::new());
        Self { recipes: Arc::new(recipes), stock: Arc::new(Stock::of_nothing(&tree)), search: Arc::default() }
    }
}

#[cfg(test)]
mod tests;
