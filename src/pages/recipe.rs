//! Turns the name of what a file of the site holds into its bytes, when somebody asks for them.
//!
//! Must not know how a view is made: each page has a module of its own for that.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::Value;

use crate::base::problem::Problem;
use crate::evidence::Run;
use crate::tree::SourceFile;

use super::lists::{self, List};
use super::stock::Stock;
use super::{csv, lesson, listing, machines, problems};

/// What one file of the site holds.
#[derive(Clone)]
pub(crate) enum Recipe {
    /// The text as it is: a transcript, a style sheet.
    Text(Arc<str>),
    /// The same of a file of the course: a record.
    Input(Arc<SourceFile>),
    /// The same of what is no text: a picture, a font.
    Bytes(Arc<[u8]>),
    /// The rows of a run as CSV.
    Rows(Arc<Run>),
    /// A template filled with a view.
    Page(PageOf),
}

/// What a page is about.
#[derive(Clone)]
pub(crate) enum PageOf {
    /// A lesson, by its index among the published ones.
    Lesson(usize),
    /// The code of a file, by the index of its source.
    Source(usize),
    /// The transcript of a run, and the path of its signature, if it has one.
    Transcript(Arc<Run>, Option<String>),
    /// The lessons of an edition, by its index.
    Index(usize),
    /// A list of an edition.
    List(usize, List),
    /// No page: what is shown at addresses that lead nowhere.
    Lost,
    /// The site map, or one of its parts.
    Map(Option<usize>),
    /// The feed of an edition.
    Feed(usize),
    /// The way from an address that a lesson once had: the lesson's index, and which of its aliases.
    Moved(usize, usize),
}

impl PageOf {
    /// Whether it is about all lessons of an edition.
    pub(crate) fn is_about_all(&self) -> bool {
        matches!(self, Self::Index(_) | Self::List(..) | Self::Map(_) | Self::Feed(_))
    }

    /// Whether readers look for it.
    pub(crate) fn is_for_readers(&self) -> bool {
        matches!(self, Self::Lesson(_) | Self::Source(_) | Self::Transcript(..) | Self::Index(_) | Self::List(..))
    }
}

/// Appends the bytes of the file that `recipe` describes, one of `recipes`, to `bytes`.
pub(super) fn write(recipe: &Recipe, recipes: &BTreeMap<String, Recipe>, stock: &Stock, bytes: &mut Vec<u8>) -> Result<(), Problem> {
    match recipe {
        Recipe::Text(text) => bytes.extend_from_slice(text.as_bytes()),
        Recipe::Input(file) => bytes.extend_from_slice(file.whole().ok_or_else(|| problems::is_another_by_now(file.name()))?.as_bytes()),
        Recipe::Bytes(all) => bytes.extend_from_slice(all),
        Recipe::Rows(run) => bytes.extend_from_slice(csv::of_run(run, &stock.facts).as_bytes()),
        Recipe::Page(page) => {
            let (template, view) = view(page, recipes, stock)?;
            stock.templates.fill_to(template, &view, bytes)?;
        }
    }
    Ok(())
}

/// The template of `page`, and what fills it.
fn view(page: &PageOf, recipes: &BTreeMap<String, Recipe>, stock: &Stock) -> Result<(&'static str, Value), Problem> {
    let edition = |index: usize| &stock.navigation.editions()[index];
    Ok(match page {
        PageOf::Lesson(index) => (lesson::TEMPLATE, lesson::view(&stock.lessons[*index], &stock.navigation, *index)?),
        PageOf::Source(index) => ("source-page.html", listing::source(stock, &stock.course.sources[*index])),
        PageOf::Transcript(run, signature) => ("transcript-page.html", listing::transcript(stock, run, signature.as_deref())),
        PageOf::Index(index) => ("index.html", listing::index(stock, edition(*index))),
        PageOf::List(index, list) => lists::page(stock, edition(*index), *list),
        PageOf::Lost => ("404.html", listing::not_found(&stock.navigation)),
        PageOf::Map(part) => {
            let for_readers = |recipe: &Recipe| matches!(recipe, Recipe::Page(page) if page.is_for_readers());
            let paths = recipes.iter().filter(|(_, recipe)| for_readers(recipe)).map(|(path, _)| path.as_str());
            ("sitemap.xml", machines::site_map(stock, *part, paths))
        }
        PageOf::Feed(index) => ("feed.xml", machines::feed(stock, edition(*index))),
        PageOf::Moved(index, alias) => ("moved.html", machines::moved(stock, *index, *alias)),
    })
}
