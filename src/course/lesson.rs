//! Turns `lessons/NAME.md` or `lessons/NAME.LANG.md` into a lesson: front matter and document.
//!
//! Must not know other lessons, sweeps or evidence.
//!
//! ```toml
//! +++
//! title = "How many threads should a block have?"     # may hold figures, as the summary
//! summary = "…"
//! date = 2026-01-31
//! updated = 2026-03-01                                 # when it was last revised
//! order = 1                                            # where the outline does not say
//! language = "en"
//! tags = ["occupancy"]
//! draft = false
//! aliases = ["occupancy-old"]                          # names that it once had
//! sweeps = ["block-size"]                              # what its figures come from
//! stated = [{ figure = "4.8 TB/s", source = "NVIDIA's data sheet", of = "…" }]   # `of`: what is like a measured figure and is none
//! +++
//! ```

use std::sync::Arc;

use pulldown_cmark::Event;

use crate::base::leaf::Leaf;
use crate::base::name::{self, is_name};
use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;
use crate::base::span::{SourceName, Span};

use super::config::{Config, is_language, not_a_language};
use super::document::{self, Document, Node};
use super::face::Face;
use super::figures::{self, Figures};
use super::folded::Folded;
use super::keys::{self, Keys};
use super::stated::{self, Stated};
use super::toml;

/// One lesson in one language.
#[derive(Debug, Clone)]
pub struct Lesson {
    /// The file.
    pub file: SourceName,
    /// The lesson's name, shared by its translations: `occupancy` for `occupancy.md` and `occupancy.he.md`.
    pub name: String,
    /// Its language.
    pub language: String,
    /// Whether it is a translation (`NAME.LANG.md`) of the lesson of its name.
    pub translation: bool,
    /// Its title, as running text with figures.
    pub title: Vec<Node>,
    /// Its summary, likewise.
    pub summary: Option<Vec<Node>>,
    /// Its date, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// When it was last revised, `YYYY-MM-DD`; not before its date.
    pub updated: Option<String>,
    /// Its place in the course, where the outline does not say.
    pub order: Option<i64>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Names that it once had: their addresses lead to it.
    pub aliases: Vec<(String, Span)>,
    /// Whether it is a draft; drafts are built with `--draft` only.
    pub draft: bool,
    /// The sweeps it stands on.
    pub sweeps: Vec<(String, Span)>,
    /// Figures that are stated and not measured, each with its source.
    pub stated: Vec<Stated>,
    /// What columns are called on its page, where the manifest's title won't do: in another language. Name, heading.
    pub headings: Vec<(Slice, Slice)>,
    /// The text; an empty one once it was let go of.
    pub text: Leaf<Folded>,
    /// What is seen of it from elsewhere.
    pub face: Face,
    /// The figures on its page, title and summary among them.
    pub figures: Figures,
}

impl Lesson {
    /// Its text, to be read.
    #[must_use]
    pub fn document(&self) -> Document {
        self.text.get().document()
    }

    /// Its title as the author wrote it, the markup aside; a figure in it is left out, since it belongs to the lesson's own page.
    #[must_use]
    pub fn plain_title(&self) -> String {
        let mut title = String::new();
        for node in &self.title {
            if let Node::Markdown(mark) = node
                && let Event::Text(text) | Event::Code(text) = mark.event()
            {
                title.push_str(&text);
            }
        }
        title
    }
}

const FENCE: &str = "+++";

/// Reads the file `file` of `lessons/`; `None` if it is no lesson, or its name can't be one. Of `config` the language of
/// lessons that name none counts, and the macros in formulas.
pub fn read(file: &SourceName, text: &Arc<str>, config: &Config, problems: &mut Problems) -> Option<Lesson> {
    let stem = file.rsplit('/').next().unwrap_or(file).strip_suffix(".md")?;
    if is_emptied(file, text) {
        let problem = Problem::error("lesson-empty", Span::top(file), format!("{file} is empty"));
        problems.push(problem.hint("write the lesson: `+++`, a title, `+++` and its text; or delete the file"));
        return None;
    }
    if !opens(text) {
        let hint = if text.lines().next().is_some_and(|line| line.trim_end() == "---") {
            "front matter stands between lines of `+++`, not `---`, and is TOML: `title = \"…\"`"
        } else {
            "open it with `+++`, a title and `+++`; a file that is no lesson is named in capitals, such as NOTES.md"
        };
        // README, STYLE and their like are for authors.
        if stem.chars().any(char::is_lowercase) {
            problems.push(
                Problem::warning("front-matter-missing", Span::top(file), format!("{file} has no front matter and is no lesson"))
                    .hint(hint),
            );
        }
        return None;
    }
    let (name, suffix) = match stem.rsplit_once('.') {
        Some((name, suffix)) if is_language(suffix) => (name, Some(suffix)),
        _ => (stem, None),
    };
    if !is_name(name) {
        problems.push(Problem::error("lesson-name", Span::top(file), format!("`{name}` can't name a lesson")).hint(name::RULE));
        return None;
    }
    let (front, body) = split(file, text, problems)?;
    let mut found = Problems::new();
    let table = toml::document(&front, &mut found);
    let is_torn = found.iter().any(|problem| problem.id == "toml-syntax");
    problems.extend(found);
    if is_torn {
        // Nobody knows which keys were meant: a title or a sweep that is missing would be said too, and again wherever the text needs it.
        return None;
    }
    let translation = suffix.is_some();
    let document = document::read(&body, text, translation, problems);
    let mut keys = Keys::of(&table, "the front matter", Span::new(file, 0, FENCE.len()));
    let title = keys.title("title", problems).map(|title| document::inline(&title, problems)).unwrap_or_default();
    let summary = keys.text("summary", problems).map(|summary| document::inline(&summary, problems));
    let headings = headings(&mut keys, problems);
    let mut figures = figures::read(&title, summary.as_deref(), &document.nodes, (&Slice::verbatim(file, text, 0), &config.macros));
    figures.add_texts(headings.iter().map(|(_, heading)| heading));
    let (date, updated) = dates(&mut keys, problems);
    let lesson = Lesson {
        file: file.clone(),
        name: name.to_owned(),
        language: lesson_language(&mut keys, suffix, &config.language, problems),
        translation,
        title,
        summary,
        date,
        updated,
        order: keys.integer("order", i64::MIN, i64::MAX, problems),
        tags: tags(&mut keys, problems),
        aliases: aliases(&mut keys, problems),
        draft: keys.truth("draft", problems).unwrap_or(false),
        sweeps: keys.texts("sweeps", problems).iter().map(|sweep| (sweep.text().to_owned(), sweep.whole())).collect(),
        stated: stated::read(&mut keys, problems),
        headings,
        face: Face::of(&document),
        text: Leaf::new(Folded::of(document)),
        figures,
    };
    keys.finish(problems);
    Some(lesson)
}

/// Whether the file has a lesson's name and nothing in it: while it is being written, or by mistake.
pub(super) fn is_emptied(file: &SourceName, text: &str) -> bool {
    text.trim().is_empty() && file.rsplit('/').next().is_some_and(|name| name.trim_end_matches(".md").chars().any(char::is_lowercase))
}

/// What the lesson is listed under; white space around a name is none of it.
fn tags(keys: &mut Keys<'_>, problems: &mut Problems) -> Vec<String> {
    let (empty, tags): (Vec<Slice>, Vec<Slice>) = keys.texts("tags", problems).into_iter().partition(|tag| tag.text().trim().is_empty());
    for tag in empty {
        problems.push(Problem::error("toml-value", tag.whole(), "a tag needs a name"));
    }
    let mut kept: Vec<String> = Vec::new();
    for tag in tags.iter().map(|tag| tag.text().trim()) {
        // As everywhere, tags that differ in case only are one.
        if !kept.iter().any(|known| known.to_lowercase() == tag.to_lowercase()) {
            kept.push(tag.to_owned());
        }
    }
    kept
}

/// Names that the lesson once had.
fn aliases(keys: &mut Keys<'_>, problems: &mut Problems) -> Vec<(String, Span)> {
    let (sound, wrong): (Vec<Slice>, Vec<Slice>) = keys.texts("aliases", problems).into_iter().partition(|alias| is_name(alias.text()));
    for alias in wrong {
        let problem = Problem::error("alias-name", alias.whole(), format!("`{}` never named a lesson", alias.text()));
        problems.push(problem.hint("write the name that the lesson's file had, without folder and ending: `old-name`"));
    }
    sound.iter().map(|alias| (alias.text().to_owned(), alias.whole())).collect()
}

/// When the lesson was written and when it was last revised.
fn dates(keys: &mut Keys<'_>, problems: &mut Problems) -> (Option<String>, Option<String>) {
    let (date, updated) = (keys.date("date", problems), keys.date("updated", problems));
    if let (Some(date), Some(updated)) = (&date, &updated)
        && updated < date
    {
        let at = keys.item("updated").map_or_else(|| keys.at().clone(), |item| item.at.clone());
        problems.push(Problem::error("toml-value", at, format!("`updated` is {updated}, before the lesson's `date`, {date}")));
    }
    (date, updated)
}

/// What the front matter calls columns.
fn headings(keys: &mut Keys<'_>, problems: &mut Problems) -> Vec<(Slice, Slice)> {
    let Some(mut table) = keys.table("headings", "the headings", problems) else { return Vec::new() };
    let heading = |(name, at, item): (&str, &Span, &toml::Item)| {
        let heading = problems.note(keys::text(item, "a heading in quotes"))?;
        Some((Slice::verbatim(&at.file, name, at.start), heading))
    };
    table.all().filter_map(heading).collect()
}

/// Whether `text` opens with front matter.
pub(super) fn opens(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.trim_end() == FENCE)
}

/// The front matter and the text below it.
fn split(file: &SourceName, text: &str, problems: &mut Problems) -> Option<(Slice, Slice)> {
    let start = text.find('\n').map_or(text.len(), |end| end + 1);
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim_end() == FENCE {
            let body = at + line.len();
            return Some((Slice::verbatim(file, &text[start..at], start), Slice::verbatim(file, &text[body..], body)));
        }
        at += line.len();
    }
    problems.push(
        Problem::error("front-matter-unclosed", Span::new(file, 0, FENCE.len()), "the front matter opened here is never closed")
            .hint("close it by a line of `+++`"),
    );
    None
}

fn lesson_language(keys: &mut Keys<'_>, suffix: Option<&str>, default: &str, problems: &mut Problems) -> String {
    let named = keys.text("language", problems).filter(|language| {
        let sound = is_language(language.text());
        if !sound {
            problems.push(not_a_language(language.text(), language.whole()));
        }
        sound
    });
    match (named, suffix) {
        (Some(named), Some(suffix)) if named.text() != suffix => {
            problems.push(
                Problem::error("front-matter-language", named.whole(), format!("the file's name says `{suffix}`, not `{}`", named.text()))
                    .hint("take the key out, or rename the file"),
            );
            suffix.to_owned()
        }
        (Some(named), _) => named.text().to_owned(),
        (None, suffix) => suffix.unwrap_or(default).to_owned(),
    }
}
