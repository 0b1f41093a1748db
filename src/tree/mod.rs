//! Turns the bytes of every input file of a course into one value, [`SourceTree`]: normalised text and its digest.
//!
//! Must not know where the bytes came from (disk, a test, a fuzzer), nor what any file means.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use crate::base::digest::Digest;
use crate::base::problem::{Problem, Problems};
use crate::base::span::{LineColumn, LineStarts, SourceName, Span};

/// One input file as text.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Its text: UTF-8 without BOM or NUL, line ends as LF.
    pub text: Arc<str>,
    /// The digest of that text, so the same on a checkout with CRLF.
    pub digest: Digest,
    /// Where its lines begin; found when the first of its places is asked for.
    lines: OnceLock<LineStarts>,
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for SourceFile {}

/// Every input file of a course by its path from the course's root. The only thing that the pure core reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceTree {
    files: BTreeMap<SourceName, SourceFile>,
}

/// The suffixes of files that are text to this tool; under `kernels/` every file is expected to be text.
const BINARY_SUFFIXES: [&str; 10] = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".woff2", ".ico", ".pdf", ".zip"];

impl SourceTree {
    /// A tree of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes `bytes` in as the file `name` (again: replaces it). A file that is no text becomes a problem, not an entry;
    /// pictures and the like are passed over, since no stage reads them as text.
    pub fn insert(&mut self, name: &str, bytes: &[u8], problems: &mut Problems) {
        if BINARY_SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) {
            return;
        }
        let name: SourceName = name.into();
        match normalise(bytes) {
            Ok(text) => {
                let digest = Digest::of(&text);
                self.files.insert(name, SourceFile { text: text.into(), digest, lines: OnceLock::new() });
            }
            Err(why) => problems.push(
                Problem::error("not-text", Span::top(&name), format!("{name} is not text: {why}"))
                    .hint("save it as UTF-8, or move it out of the course's folders"),
            ),
        }
    }

    /// Forgets the file `name`, as when it was deleted.
    pub fn remove(&mut self, name: &str) -> bool {
        self.files.remove(name).is_some()
    }

    /// The file `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&SourceFile> {
        self.files.get(name)
    }

    /// The text of the file `name`, empty where there is none: for showing the line of a problem.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.files.get(name).map_or("", |file| &file.text)
    }

    /// The line and column of byte `offset` of the file `name`; the first of both where there is no such file.
    #[must_use]
    pub fn line_column(&self, name: &str, offset: usize) -> LineColumn {
        match self.files.get(name) {
            Some(file) => file.lines.get_or_init(|| LineStarts::of(&file.text)).line_column(&file.text, offset),
            None => LineColumn { line: 1, column: 1 },
        }
    }

    /// All files by name.
    pub fn iter(&self) -> impl Iterator<Item = (&SourceName, &SourceFile)> {
        self.files.iter()
    }

    /// The files below `folder` (given without a final `/`), by name.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a SourceName, &'a SourceFile)> + 'a {
        self.files
            .range::<str, _>((Bound::Included(folder), Bound::Unbounded))
            .take_while(move |(name, _)| name.starts_with(folder))
            .filter(move |(name, _)| name.as_bytes().get(folder.len()) == Some(&b'/'))
    }
}

/// `bytes` as text with LF line ends and no BOM, or why that can't be.
fn normalise(bytes: &[u8]) -> Result<String, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to() + 1))?;
    match text.find('\0') {
        Some(at) => Err(format!("byte {} is NUL", at + 1)),
        None => Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_bom_do_not_count() {
        let mut problems = Problems::new();
        let mut tree = SourceTree::new();
        tree.insert("a", b"x\ny\n", &mut problems);
        tree.insert("b", b"\xEF\xBB\xBFx\r\ny\r\n", &mut problems);
        assert_eq!(tree.get("a"), tree.get("b"));
        tree.insert("c", b"\xFF", &mut problems);
        tree.insert("d", b"a\0b", &mut problems);
        assert_eq!(problems.errors(), 2);
        assert!(tree.get("c").is_none() && tree.get("d").is_none());
    }

    #[test]
    fn below_takes_a_folder_and_not_its_namesakes() {
        let mut tree = SourceTree::new();
        for name in ["kernels/a.cu", "kernels-old/b.cu", "kernels.txt", "lessons/c.md"] {
            tree.insert(name, b"", &mut Problems::new());
        }
        assert_eq!(tree.below("kernels").map(|(name, _)| &**name).collect::<Vec<_>>(), ["kernels/a.cu"]);
    }
}
