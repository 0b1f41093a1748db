//! Turns `lessons/course.toml` into the course's configuration.
//!
//! Must not know the lessons themselves.
//!
//! ```toml
//! title = "GPU performance, measured"
//! summary = "…"
//! language = "en"                              # of lessons that name none; "en" by default
//! repository = "https://…/blob/main/"          # where the course's files can be seen, optional
//! base_url = "https://example.org/course/"     # where the site is published, optional
//! outline = ["block-size", "occupancy"]        # order of the lessons, perhaps in parts: see `outline`
//!
//! [devices]
//! published = ["nvidia-h200"]                  # the first is primary
//!
//! [site]
//! raw_html = "checked"                         # or "trusted"
//! committed = true                             # whether site/ must equal a fresh build; true by default
//! search = true                                # whether pages have a search; true by default
//!
//! [math.macros]                                # short names in formulas: see `macros`
//! E = '\mathbb{E}[#1]'
//!
//! [policy]                                     # and [rules]: see `policy`
//! evidence_days = 365
//! ```

use crate::base::path;
use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;
use crate::base::span::{SourceName, Span};
use crate::tree::SourceTree;

use super::keys::Keys;
use super::localised::Localised;
use super::macros::Macros;
use super::outline::Outline;
use super::policy::{self, Policy};
use super::toml;

/// Where the configuration stands in a course.
pub const FILE: &str = "lessons/course.toml";

/// What the course says of itself.
#[derive(Debug, Clone)]
pub struct Config {
    /// The course's title.
    pub title: Localised,
    /// A sentence on what it is about.
    pub summary: Localised,
    /// Language of lessons that name none, such as `en`.
    pub language: String,
    /// Published devices by slug; the first is primary.
    pub devices: Vec<String>,
    /// Where each of [`Config::devices`] is named.
    pub devices_at: Vec<Span>,
    /// Whether `site/` is committed and must equal a fresh build.
    pub site_committed: bool,
    /// Whether readers can search the site.
    pub has_search: bool,
    /// Whether HTML in lessons passes as it is: its authors are trusted with their readers' browsers.
    pub trusts_html: bool,
    /// Web address of the repository's files, for links to sources, if any.
    pub repository: Option<String>,
    /// Web address of the site's root, with a final `/`, if the course says where it is published.
    pub base_url: Option<String>,
    /// Lessons in the order of the course, by name; lessons it leaves out follow by their front matter's order.
    pub outline: Outline,
    /// Short names in formulas.
    pub macros: Macros,
    /// What the course asks of itself.
    pub policy: Policy,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            title: Localised::default(),
            summary: Localised::default(),
            language: "en".to_owned(),
            devices: Vec::new(),
            devices_at: Vec::new(),
            site_committed: true,
            has_search: true,
            trusts_html: false,
            repository: None,
            base_url: None,
            outline: Outline::default(),
            macros: Macros::default(),
            policy: Policy::default(),
        }
    }
}

impl Config {
    /// The web address of the site's file `path`, that of a folder for its `index.html`; `None` where nobody says where the site is
    /// published.
    #[must_use]
    pub fn address(&self, path: &str) -> Option<String> {
        let path = path.strip_suffix("index.html").filter(|folder| folder.is_empty() || folder.ends_with('/')).unwrap_or(path);
        self.base_url.as_ref().map(|base| format!("{base}{}", path::encoded(path)))
    }

    /// The web address of the file `name` of the course in its repository, if that is known.
    #[must_use]
    pub fn in_repository(&self, name: &str) -> Option<String> {
        self.repository.as_ref().map(|address| format!("{}/{}", address.trim_end_matches('/'), path::encoded(name)))
    }
}

/// Reads the configuration of `tree`; what is missing or wrong takes its default after the problem.
pub fn read(tree: &SourceTree, problems: &mut Problems) -> Config {
    let name: SourceName = FILE.into();
    let Some(file) = tree.get(FILE) else {
        problems.push(
            Problem::of_course("course-missing", format!("there is no {FILE}"))
                .hint("a course is a folder with that file; `lessonc init` makes one"),
        );
        return Config::default();
    };
    let table = toml::document(&Slice::verbatim(&name, &file.text(), 0), problems);
    let mut keys = Keys::of(&table, FILE, Span::top(&name));
    let mut config = Config::default();
    if let Some(language) = keys.text("language", problems) {
        if is_language(language.text()) {
            config.language = language.text().to_owned();
        } else {
            problems.push(not_a_language(language.text(), language.whole()));
        }
    }
    config.title = title(&mut keys, &config.language, problems);
    config.summary = Localised::read(&mut keys, "summary", &config.language, problems).unwrap_or_default();
    config.repository =
        web_address(&mut keys, "repository", "all of it, up to the folder that holds `kernels/`: `https://…/blob/main/`", problems);
    let base_url = web_address(&mut keys, "base_url", "all of it, without `?` or `#`: `https://example.org/course/`", problems);
    config.base_url = base_url.map(|address| format!("{}/", address.trim_end_matches('/')));
    config.outline = Outline::read(&mut keys, &config.language, problems);
    let devices = keys.table("devices", "`[devices]`", problems);
    if let Some(mut devices) = devices {
        (config.devices, config.devices_at) = list(&mut devices, "published", problems);
        check_devices(&mut config, problems);
        devices.finish(problems);
    }
    if let Some(mut site) = keys.table("site", "`[site]`", problems) {
        config.site_committed = site.truth("committed", problems).unwrap_or(true);
        config.has_search = site.truth("search", problems).unwrap_or(true);
        config.trusts_html = trusts_html(&mut site, problems);
        site.finish(problems);
    }
    config.macros = Macros::read(&mut keys, problems);
    config.policy = policy::read(&mut keys, &config.devices, problems);
    keys.finish(problems);
    config
}

/// The course's title, which must be there and say something.
fn title(keys: &mut Keys<'_>, language: &str, problems: &mut Problems) -> Localised {
    let title = Localised::read(keys, "title", language, problems);
    let at = keys.item("title").map(|item| item.at.clone());
    let title = keys.required("title", title, problems);
    if let (Some(title), Some(at)) = (&title, at)
        && title.is_empty()
    {
        problems.push(Problem::error("toml-value", at, "`title` is empty"));
    }
    title.unwrap_or_default()
}

/// The web address under `key`; `write` says how one is written.
fn web_address(keys: &mut Keys<'_>, key: &str, write: &str, problems: &mut Problems) -> Option<String> {
    let address = keys.text(key, problems)?;
    let rest = ["https://", "http://"].iter().find_map(|scheme| address.text().strip_prefix(scheme));
    if rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(['?', '#', ' ', '"', '<', '>'])) {
        return Some(address.text().to_owned());
    }
    let problem = Problem::error("toml-value", address.whole(), format!("`{}` is no web address", address.text()));
    problems.push(problem.hint(format!("write {write}")));
    None
}

/// What `raw_html` of `site` says.
fn trusts_html(site: &mut Keys<'_>, problems: &mut Problems) -> bool {
    let Some(word) = site.text("raw_html", problems) else { return false };
    if !["checked", "trusted"].contains(&word.text()) {
        let problem = Problem::error("toml-value", word.whole(), format!("`raw_html` can't be `{}`", word.text()));
        problems.push(problem.meant(word.text(), ["checked", "trusted"]));
    }
    word.text() == "trusted"
}

/// The strings under `key`, each once.
fn list(keys: &mut Keys<'_>, key: &str, problems: &mut Problems) -> (Vec<String>, Vec<Span>) {
    let (mut names, mut places) = (Vec::new(), Vec::<Span>::new());
    for entry in keys.texts(key, problems) {
        let (name, at) = (entry.text().to_owned(), entry.whole());
        match names.iter().position(|known| *known == name) {
            Some(first) => {
                let first = places[first].clone();
                problems.push(Problem::error("toml-value", at, format!("`{name}` is listed twice in `{key}`")).related(first, "the first"));
            }
            None => {
                names.push(name);
                places.push(at);
            }
        }
    }
    (names, places)
}

fn check_devices(config: &mut Config, problems: &mut Problems) {
    for (device, at) in config.devices.iter_mut().zip(&config.devices_at) {
        let slug = crate::base::name::slug(device);
        if slug != *device {
            problems.push(
                Problem::error("toml-value", at.clone(), format!("`{device}` can't be a device's name here"))
                    .hint(format!("devices go by their slugs, as in the names of evidence files: `{slug}`?")),
            );
            *device = slug;
        }
    }
}

/// Whether `text` is a language tag such as `en`, `he` or `pt-BR`.
#[must_use]
pub fn is_language(text: &str) -> bool {
    let mut parts = text.split('-');
    let first = parts.next().unwrap_or_default();
    (2..=3).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_lowercase())
        && parts.all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// The problem that `language`, which stands at `at`, is no language tag.
#[must_use]
pub fn not_a_language(language: &str, at: Span) -> Problem {
    Problem::error("toml-value", at, format!("`{language}` is not a language"))
        .hint("a language is written as on the web: `en`, `he`, `pt-BR`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Config, Vec<(&'static str, usize)>) {
        let mut tree = SourceTree::new();
        let mut problems = Problems::new();
        tree.insert(FILE, text.as_bytes(), &mut problems);
        let config = read(&tree, &mut problems);
        (config, problems.iter().map(|problem| (problem.id, problem.at.as_ref().map_or(0, |at| at.start))).collect())
    }

    #[test]
    fn everything_at_once() {
        let (config, problems) = of("title = 'T'\nsummary = 'S'\nlanguage = 'he'\noutline = ['a', 'b']\nrepository = 'https://x/b/'\n\
             base_url = 'https://y/c'\n[devices]\npublished = ['nvidia-h200']\n[site]\ncommitted = false\nsearch = false\n[policy]\nevidence_days = 30\n");
        assert_eq!(problems, []);
        assert_eq!((config.title.of("he"), config.summary.of("en"), &*config.language), ("T", "S", "he"));
        assert_eq!(config.outline.named().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(config.devices, ["nvidia-h200"]);
        let addresses = ["index.html", "he/index.html", "a b.html", "my-index.html"].map(|path| config.address(path).unwrap_or_default());
        assert_eq!(addresses, ["https://y/c/", "https://y/c/he/", "https://y/c/a%20b.html", "https://y/c/my-index.html"]);
        assert_eq!(config.in_repository("kernels/a.cu").as_deref(), Some("https://x/b/kernels/a.cu"));
        assert_eq!((config.site_committed, config.has_search, config.policy.evidence_days), (false, false, Some(30)));
    }

    #[test]
    fn mistakes_stand_where_they_are() {
        let cases: [(&str, &[(&str, usize)]); 12] = [
            ("title = 'T'\n[site]\nraw_html = 'yes'\n", &[("toml-value", 31)]),
            ("", &[("toml-missing-key", 0)]),
            ("title = ' '\n", &[("toml-value", 8)]),
            ("title = { en = '' }\n", &[("toml-value", 8)]),
            ("title = 'T'\nbase_url = 'example.org'\n", &[("toml-value", 24)]),
            ("title = 'T'\nbase_url = 'https://x/?a'\n", &[("toml-value", 24)]),
            ("title = 'T'\ntitel = 'T'\n", &[("toml-unknown-key", 12)]),
            ("title = 1\n", &[("toml-type", 8)]),
            ("title = 'T'\nlanguage = 'English'\n", &[("toml-value", 24)]),
            ("title = 'T'\noutline = ['a', 'a']\n", &[("toml-value", 29)]),
            ("title = 'T'\n[devices]\npublished = ['NVIDIA H200']\n", &[("toml-value", 36)]),
            ("title = 'T'\n[policy]\nevidence_days = 0\n", &[("toml-value", 37)]),
        ];
        for (text, expected) in cases {
            assert_eq!(of(text).1, expected, "{text}");
        }
        let mut problems = Problems::new();
        read(&SourceTree::new(), &mut problems);
        assert_eq!(problems.iter().map(|problem| problem.id).collect::<Vec<_>>(), ["course-missing"]);
    }
}
