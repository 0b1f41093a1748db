//! Turns a view and a template's name into HTML; templates are the built-in ones, each replaced by the course's if it has one.
//!
//! Must not know what a page is about. Templates see plain data and have no functions that fetch.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, ErrorKind, Output, State, UndefinedBehavior, Value, escape_formatter};

use crate::base::problem::{Problem, Problems};
use crate::base::span::{SourceName, Span};
use crate::tree::SourceTree;

use super::html::{escape, escape_to, runs_left};

/// The built-in templates and assets by file name; a course overrides them one by one with `templates/NAME`.
pub(crate) const BUILT_IN: &[(&str, &str)] = &[
    ("404.html", include_str!("../../templates/404.html")),
    ("base.html", include_str!("../../templates/base.html")),
    ("blocks.html", include_str!("../../templates/blocks.html")),
    ("chart.html", include_str!("../../templates/chart.html")),
    ("changes.html", include_str!("../../templates/changes.html")),
    ("crumbs.html", include_str!("../../templates/crumbs.html")),
    ("claim.html", include_str!("../../templates/claim.html")),
    ("claims.html", include_str!("../../templates/claims.html")),
    ("feed.xml", include_str!("../../templates/feed.xml")),
    ("footnotes.html", include_str!("../../templates/footnotes.html")),
    ("gap.html", include_str!("../../templates/gap.html")),
    ("glossary.html", include_str!("../../templates/glossary.html")),
    ("devices.html", include_str!("../../templates/devices.html")),
    ("history.html", include_str!("../../templates/history.html")),
    ("icon.svg", include_str!("../../templates/icon.svg")),
    ("index.html", include_str!("../../templates/index.html")),
    ("lesson.html", include_str!("../../templates/lesson.html")),
    ("list.html", include_str!("../../templates/list.html")),
    ("metadata.html", include_str!("../../templates/metadata.html")),
    ("moved.html", include_str!("../../templates/moved.html")),
    ("search.html", include_str!("../../templates/search.html")),
    ("search/terms.js", include_str!("../../templates/search/terms.js")),
    ("search/shards.js", include_str!("../../templates/search/shards.js")),
    ("search/dialog.js", include_str!("../../templates/search/dialog.js")),
    ("side.html", include_str!("../../templates/side.html")),
    ("sitemap.xml", include_str!("../../templates/sitemap.xml")),
    ("run-it.html", include_str!("../../templates/run-it.html")),
    ("snippet.html", include_str!("../../templates/snippet.html")),
    ("source.html", include_str!("../../templates/source.html")),
    ("source-page.html", include_str!("../../templates/source-page.html")),
    ("sweeps.html", include_str!("../../templates/sweeps.html")),
    ("table.html", include_str!("../../templates/table.html")),
    ("theme.html", include_str!("../../templates/theme.html")),
    ("tags.html", include_str!("../../templates/tags.html")),
    ("rounds.html", include_str!("../../templates/rounds.html")),
    ("comparison.html", include_str!("../../templates/comparison.html")),
    ("transcript.html", include_str!("../../templates/transcript.html")),
    ("transcript-page.html", include_str!("../../templates/transcript-page.html")),
    ("styles/theme.css", include_str!("../../templates/styles/theme.css")),
    ("styles/frame.css", include_str!("../../templates/styles/frame.css")),
    ("styles/prose.css", include_str!("../../templates/styles/prose.css")),
    ("styles/markup.css", include_str!("../../templates/styles/markup.css")),
    ("styles/figures.css", include_str!("../../templates/styles/figures.css")),
    ("styles/exhibits.css", include_str!("../../templates/styles/exhibits.css")),
    ("styles/charts.css", include_str!("../../templates/styles/charts.css")),
    ("styles/code.css", include_str!("../../templates/styles/code.css")),
    ("styles/claims.css", include_str!("../../templates/styles/claims.css")),
    ("styles/devices.css", include_str!("../../templates/styles/devices.css")),
    ("styles/dated.css", include_str!("../../templates/styles/dated.css")),
    ("styles/pages.css", include_str!("../../templates/styles/pages.css")),
    ("styles/lists.css", include_str!("../../templates/styles/lists.css")),
    ("styles/search.css", include_str!("../../templates/styles/search.css")),
    ("styles/adapt.css", include_str!("../../templates/styles/adapt.css")),
    ("scripts/frame.js", include_str!("../../templates/scripts/frame.js")),
    ("scripts/theme.js", include_str!("../../templates/scripts/theme.js")),
    ("scripts/devices.js", include_str!("../../templates/scripts/devices.js")),
    ("scripts/notes.js", include_str!("../../templates/scripts/notes.js")),
    ("scripts/sort.js", include_str!("../../templates/scripts/sort.js")),
    ("scripts/copy.js", include_str!("../../templates/scripts/copy.js")),
    ("scripts/lines.js", include_str!("../../templates/scripts/lines.js")),
    ("scripts/anchors.js", include_str!("../../templates/scripts/anchors.js")),
    ("scripts/contents.js", include_str!("../../templates/scripts/contents.js")),
    ("scripts/search.js", include_str!("../../templates/scripts/search.js")),
];

/// The script of every page among the [`ASSETS`].
pub(crate) const SCRIPT: &str = "lessonc.js";

/// The script among them that searches.
pub(crate) const SEARCH: &str = "search.js";

/// The files under `assets/`, and the built-in files that each is joined of, in the order of [`BUILT_IN`]: all of a folder, or one.
pub(crate) const ASSETS: [(&str, &str); 4] =
    [("icon.svg", "icon.svg"), ("lessonc.css", "styles/"), (SCRIPT, "scripts/"), (SEARCH, "search/")];

/// Steps that a template may take for a page: a loop without an end is a problem and no hanging build. A source of a hundred
/// thousand lines takes a tenth of it.
const FUEL: u64 = 20_000_000;

thread_local! {
    /// Where pages are written, one after the other: room that has grown once is used again, and a page takes what it needs.
    static FILLED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes a value as the built-in formatter does, but escapes only what HTML needs: paths keep their slashes.
fn write(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), minijinja::Error> {
    match value.as_str() {
        Some(text) if *state.auto_escape() == AutoEscape::Html && !value.is_safe() => Ok(escape_to(out, text)?),
        _ => escape_formatter(out, state, value),
    }
}

/// The filter `safe`, which copies nothing that is safe as it is.
fn safe(value: &Value) -> Result<Value, minijinja::Error> {
    if value.is_undefined() {
        return Err(ErrorKind::UndefinedError.into());
    }
    Ok(if value.is_safe() { value.clone() } else { Value::from_safe_string(value.to_string()) })
}

/// The filter `bdi`: text that may run another way than the page, as HTML; an element of its own is for that which may.
fn bdi(state: &State<'_, '_>, text: &str) -> Value {
    let page = state.lookup("page").and_then(|page| page.get_attr("direction").ok());
    let runs_with_it = page.is_some_and(|direction| direction.as_str() == Some("ltr")) && !text.chars().any(runs_left);
    let html = escape(text);
    Value::from_safe_string(if runs_with_it { html } else { format!("<bdi>{html}</bdi>") })
}

/// Whether the file is filled with a view; the others are published as they are.
pub(super) fn is_template(name: &str) -> bool {
    name.ends_with(".html") || name.ends_with(".xml")
}

/// All templates, compiled once.
pub(crate) struct Templates {
    environment: Environment<'static>,
    /// The texts of the course's own, to turn a line into a place.
    own: Vec<(SourceName, String)>,
}

impl fmt::Debug for Templates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.environment.templates().map(|(name, _)| name)).finish()
    }
}

impl Templates {
    /// The built-in templates with those of the course's `templates/` in their place. A template of the course that
    /// does not parse is a problem, and the built-in one stays.
    pub(crate) fn new(tree: &SourceTree, problems: &mut Problems) -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|name| if is_template(name) { AutoEscape::Html } else { AutoEscape::None });
        environment.set_formatter(write);
        environment.add_filter("bdi", bdi);
        environment.add_filter("safe", safe);
        environment.set_debug(true);
        environment.set_fuel(Some(FUEL));
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
        environment.set_syntax(syntax.unwrap_or_default());
        let mut templates = Self { environment, own: Vec::new() };
        for (name, text) in BUILT_IN.iter().filter(|(name, _)| is_template(name)) {
            let added = templates.environment.add_template(name, text);
            debug_assert!(added.is_ok(), "the built-in template {name} does not parse: {added:?}");
        }
        for (name, file) in tree.below("templates") {
            let Some(short) = name.strip_prefix("templates/") else { continue };
            if !BUILT_IN.iter().any(|(known, _)| *known == short) && !is_template(short) {
                let problem = Problem::warning("template-unused", Span::top(name), format!("nothing uses {name}"));
                problems.push(problem.meant(short, BUILT_IN.iter().map(|(known, _)| *known)));
                continue;
            }
            if !is_template(short) {
                continue;
            }
            templates.own.push((name.clone(), file.text().to_string()));
            if let Err(error) = templates.environment.add_template_owned(short.to_owned(), file.text().to_string()) {
                problems.push(templates.problem(&error));
            }
        }
        templates
    }

    /// The built-in files whose names begin with `head`, joined in their order, each replaced by the course's own where it has one.
    pub(crate) fn joined(&self, tree: &SourceTree, head: &str) -> Arc<str> {
        let own = |name: &str| tree.get(&format!("templates/{name}")).map(|file| file.text());
        let parts = BUILT_IN.iter().filter(|(name, _)| name.starts_with(head));
        let texts: Vec<Arc<str>> = parts.map(|(name, text)| own(name).unwrap_or_else(|| (*text).into())).collect();
        texts.concat().into()
    }

    /// Fills the template `name` with `view`.
    ///
    /// # Errors
    /// A problem at the line of the course's template that could not be filled.
    pub(crate) fn fill(&self, name: &str, view: &Value) -> Result<String, Problem> {
        FILLED.with_borrow_mut(|filled| {
            filled.clear();
            self.fill_to(name, view, filled)?;
            // What templates write is text.
            Ok(str::from_utf8(filled).map_or_else(|_| String::from_utf8_lossy(filled).into_owned(), str::to_owned))
        })
    }

    /// Appends to `bytes` what the template `name` makes of `view`.
    ///
    /// # Errors
    /// A problem at the line of the course's template that could not be filled.
    pub(crate) fn fill_to(&self, name: &str, view: &Value, bytes: &mut Vec<u8>) -> Result<(), Problem> {
        let template = self.environment.get_template(name).map_err(|error| self.problem(&error))?;
        template.render_captured_to(view.clone(), bytes).map_err(|error| self.problem(&error))?;
        Ok(())
    }

    /// Whether both make the same of every view.
    pub(crate) fn fill_alike(&self, other: &Self) -> bool {
        self.own == other.own
    }

    /// `error` as a problem at the place in the course's template, or of the course as a whole for a built-in one.
    fn problem(&self, error: &minijinja::Error) -> Problem {
        let what = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        let name = error.name().unwrap_or("template");
        let message = format!("the template {name} can't be filled: {what}");
        let Some((file, text)) = self.own.iter().find(|(file, _)| file.strip_prefix("templates/") == Some(name)) else {
            return Problem::of_course("template", format!("{message} (line {} of the built-in template)", error.line().unwrap_or(0)));
        };
        Problem::error("template", Span::line(file, text, error.line().unwrap_or(1)), message)
            .hint("the values that a template sees are listed at the head of the built-in template of the same name")
    }
}
