//! Turns the lessons of a site into an index that a browser can search without a server: small scripts, of which a query loads a few.
//!
//! Must not know how results look. Each language has an index of its own, made when somebody asks for its first file:
//!
//! - `root.js`: the number of sections, the node at the top of the tree of terms, and what the files depend on;
//! - `LEVEL-NUMBER.js`: the tree's leaves at level 0, its nodes above ([`tree`]);
//! - `words.js`: the words that most sections share, for readers who mistype a word at its beginning;
//! - `t-NUMBER.js`: the texts of up to [`SECTIONS`] sections of one lesson, deflated, since results are shown with what they stand in.
//!   A section's number is that file's number times [`SECTIONS`], and its place there.

mod code;
mod postings;
mod section;
mod terms;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use base64ct::{Base64, Encoding as _};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use rayon::prelude::*;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use self::postings::Posting;
pub(crate) use self::section::{Findable, Section, findable, plain_text};

/// The folder of the site that holds the indices, one folder a language.
pub(crate) const FOLDER: &str = "search/";
/// Sections in a file of texts, and its bytes before it is deflated.
const SECTIONS: usize = 16;
const TEXTS: usize = 11_000;
/// Bytes of a section that results can be shown from.
const SHOWN: usize = 5_500;
/// Words in the list for readers who mistype.
const COMMON: usize = 500;

/// The indices of a site, not made yet.
#[derive(Debug, Default)]
pub(crate) struct Search {
    lessons: Vec<Arc<Findable>>,
    files: OnceLock<BTreeMap<String, Arc<str>>>,
}

impl Search {
    /// Of `lessons`, in the order of the course.
    pub(crate) fn new(lessons: Vec<Arc<Findable>>) -> Self {
        Self { lessons, files: OnceLock::new() }
    }

    /// Whether it is of these very lessons.
    pub(crate) fn is_of<'a>(&self, mut lessons: impl ExactSizeIterator<Item = &'a Arc<Findable>>) -> bool {
        self.lessons.len() == lessons.len()
            && self.lessons.iter().all(|known| lessons.next().is_some_and(|lesson| Arc::ptr_eq(known, lesson)))
    }

    /// Its files by their paths on the site.
    pub(crate) fn files(&self) -> &BTreeMap<String, Arc<str>> {
        self.files.get_or_init(|| {
            let languages: BTreeSet<&str> = self.lessons.iter().map(|lesson| &*lesson.language).collect();
            languages.into_iter().flat_map(|language| self.of_language(language)).collect()
        })
    }

    fn of_language(&self, language: &str) -> Vec<(String, Arc<str>)> {
        let lessons: Vec<&Findable> = self.lessons.iter().map(AsRef::as_ref).filter(|lesson| lesson.language == language).collect();
        let (numbers, texts) = placed(&lessons);
        let terms = postings::of(&lessons, &numbers);
        let tree = tree::of(&terms);
        let mut files: Vec<(String, String)> = Vec::new();
        let texts: Vec<String> = texts.par_iter().map(|text| deflated(text)).collect();
        files.extend(texts.into_iter().enumerate().map(|(number, text)| (format!("t-{number}"), text)));
        for (level, nodes) in tree.levels.into_iter().enumerate() {
            files.extend(nodes.into_iter().enumerate().map(|(number, text)| (format!("{level}-{number}"), text)));
        }
        files.push(("words".into(), common(&terms)));
        let mut digest = Sha256::new();
        for (name, text) in &files {
            digest.update(name);
            digest.update(text);
        }
        // Browsers keep files, and those of two builds would not fit together.
        let build: String = digest.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let levels = files.iter().filter(|(name, _)| name.ends_with("-0") && !name.starts_with('t')).count();
        let root = json!({ "build": build, "sections": numbers.len(), "levels": levels, "top": tree.top });
        let script = |name: &str, value: &serde_json::Value| -> (String, Arc<str>) {
            let path = format!("{FOLDER}{language}/{name}.js");
            (path, format!("lessonc_search({}, {value});\n", json!(format!("{language}/{name}"))).into())
        };
        let mut scripts: Vec<_> = files.par_iter().map(|(name, text)| script(name, &json!(text))).collect();
        scripts.push(script("root", &root));
        scripts
    }
}

/// The number of each section, and the files of their texts: each of one lesson, its path, its title, and of each section its
/// anchor, its heading and what it says.
fn placed(lessons: &[&Findable]) -> (Vec<u32>, Vec<String>) {
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    for lesson in lessons {
        let mut file = Vec::new();
        let mut bytes = 0;
        for section in &lesson.sections {
            let shown = shown(section);
            if file.len() == SECTIONS || (bytes > 0 && bytes + shown.len() > TEXTS) {
                texts.push(text_of(lesson, &mut file));
                bytes = 0;
            }
            bytes += shown.len();
            numbers.push((texts.len() * SECTIONS + file.len()) as u32);
            file.push(json!([section.anchor, section.heading, shown]));
        }
        texts.push(text_of(lesson, &mut file));
    }
    (numbers, texts)
}

fn text_of(lesson: &Findable, sections: &mut Vec<serde_json::Value>) -> String {
    json!([lesson.path, lesson.title, std::mem::take(sections)]).to_string()
}

/// What of `section` results are shown from: its text, then its code, up to [`SHOWN`] bytes.
fn shown(section: &Section) -> String {
    let code = section.code.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown = if code.is_empty() { section.text.clone() } else { format!("{} {code}", section.text) };
    shown.truncate(shown.floor_char_boundary(SHOWN));
    shown
}

fn deflated(text: &str) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(5));
    // Writing to memory can't fail.
    let bytes = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).unwrap_or_default();
    Base64::encode_string(&bytes)
}

/// The words that most sections share, the most common first.
fn common(terms: &[(String, Vec<Posting>)]) -> String {
    let mut words: Vec<(&str, usize)> =
        terms.iter().filter(|(term, _)| term.chars().count() > 3).map(|(term, postings)| (&**term, postings.len())).collect();
    words.sort_by_key(|&(_, sections)| std::cmp::Reverse(sections));
    words.iter().take(COMMON).map(|(term, _)| *term).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
