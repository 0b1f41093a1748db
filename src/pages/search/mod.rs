//! Turns the lessons of a site into an index that a browser can search without a server: small scripts, of which a query loads a few.
//!
//! Must not know how results look. Each language has an index of its own, made when somebody asks for its first file:
//!
//! - `root.js`: the number of sections, how many of them a file of texts holds, the node at the top of the tree of terms, and what the
//!   files depend on;
//! - `LEVEL-NUMBER.js`: the tree's leaves at level 0, its nodes above ([`tree`]);
//! - `words.js`: the words that stand most often, which the texts have codes for ([`dictionary`]), and which readers who mistype may mean;
//! - `t-NUMBER.js`: the texts of some sections, since results are shown with what they stand in ([`texts`]).
//!
//! All but the root are packed ([`packed`]).

mod bytes;
mod code;
mod dictionary;
mod numbers;
mod packed;
mod postings;
mod section;
mod spelled;
mod terms;
mod texts;
mod tree;
mod vocabulary;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use serde_json::json;

use crate::base::digest::Checksum;
use crate::base::series::Series;

use self::dictionary::Dictionary;
use self::packed::Packer;
use self::postings::Terms;
pub(crate) use self::section::{Findable, findable, plain_text};
use self::texts::Texts;

/// The folder of the site that holds the indices, one folder a language.
pub(crate) const FOLDER: &str = "search/";

/// The indices of a site, not made yet.
#[derive(Debug, Default)]
pub(crate) struct Search {
    lessons: Series<Arc<Findable>>,
    files: OnceLock<BTreeMap<String, Arc<str>>>,
}

impl Search {
    /// Of `lessons`, in the order of the course.
    pub(crate) fn new(lessons: Series<Arc<Findable>>) -> Self {
        Self { lessons, files: OnceLock::new() }
    }

    /// Whether it is of these very lessons.
    pub(crate) fn is_of(&self, lessons: &Series<Arc<Findable>>) -> bool {
        lessons.is_as(&self.lessons)
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
        let sections = lessons.iter().map(|lesson| lesson.sections()).sum();
        let counted = postings::counted(&lessons);
        let dictionary = Dictionary::of(counted.iter().map(|part| &part.vocabulary));
        let key = |name: &str| format!("{language}/{name}");
        let words = Packer::new().script(&key("words"), dictionary.text().as_bytes());
        let (tree, Texts { each, files: texts }) = rayon::join(
            || tree::of(&Terms::of(&counted), sections),
            || texts::of(&lessons, &dictionary, |number| key(&format!("t-{number}"))),
        );
        drop(counted);
        let mut files = vec![(key("words"), words)];
        files.extend(texts.into_iter().enumerate().map(|(number, text)| (key(&format!("t-{number}")), text)));
        let nodes = tree
            .levels
            .par_iter()
            .enumerate()
            .flat_map(|(level, nodes)| nodes.par_iter().enumerate().map(move |(number, node)| (format!("{level}-{number}"), node)));
        files.par_extend(nodes.map_init(Packer::new, |packer, (name, node)| (key(&name), packer.script(&key(&name), node.as_bytes()))));
        // Browsers keep files, and those of two builds would not fit together.
        let build = Checksum::of_all(files.iter().map(|(_, script)| script.as_bytes())).to_string()[..8].to_owned();
        let root = json!({ "build": build, "sections": sections, "each": each, "levels": tree.levels.len(), "top": tree.top });
        files.push((key("root"), packed::script(&key("root"), &root.to_string()).into()));
        files.into_iter().map(|(key, script)| (format!("{FOLDER}{key}.js"), script)).collect()
    }
}

#[cfg(test)]
mod tests;
