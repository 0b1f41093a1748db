//! Turns `site-manifest.json` and the digests of a folder into what was published and what became of it since.
//!
//! Must not know the disk: who reads and writes the folder hands its contents over as values.

use std::collections::BTreeMap;

use memchr::memchr;
use serde::{Deserialize, Serialize};

use crate::base::digest::Checksum;

/// The manifest's name in the site's folder.
pub const MANIFEST: &str = "site-manifest.json";

/// This program's version, as manifests name it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a build wrote: every file with its digest, and the version that wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of lessonc.
    pub lessonc: String,
    /// Checksum of each file by its path from the site's root; of text with LF line ends.
    pub files: BTreeMap<String, Checksum>,
}

impl Manifest {
    /// The text of the file: one line an entry, so that merges and differences are readable.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// When it is none; a sentence that says why.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("it is no manifest of lessonc: {error}"))
    }

    /// What can still be learned from a manifest that a merge left in pieces: every line that names a file. A build
    /// needs it to remove what either side had made.
    #[must_use]
    pub fn salvage(text: &str) -> Self {
        let entry = |line: &str| -> Option<(String, Checksum)> {
            let (path, digest) = line.trim().trim_end_matches(',').rsplit_once(": ")?;
            Some((serde_json::from_str(path).ok()?, serde_json::from_str(digest).ok()?))
        };
        Self { lessonc: String::new(), files: text.lines().filter_map(entry).collect() }
    }
}

/// The digest of a published file: text counts with LF line ends, whatever the checkout made of it.
#[must_use]
pub fn digest_of_file(bytes: &[u8]) -> Checksum {
    // Looked for first: hardly a file has one.
    match memchr(b'\r', bytes).is_some().then(|| as_text(bytes)).flatten() {
        Some(text) => Checksum::of(text.replace("\r\n", "\n")),
        None => Checksum::of(bytes),
    }
}

/// Whether two published files hold the same, line ends aside.
#[must_use]
pub fn same_file(a: &[u8], b: &[u8]) -> bool {
    a == b || (a.contains(&b'\r') != b.contains(&b'\r') && digest_of_file(a) == digest_of_file(b))
}

fn as_text(bytes: &[u8]) -> Option<&str> {
    if bytes.contains(&0) { None } else { std::str::from_utf8(bytes).ok() }
}

/// The published site as it lies there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishedSite {
    /// The manifest, or why it can't be read; `None` where there is none.
    pub manifest: Option<Result<Manifest, String>>,
    /// Checksum of every file that is there, by its path; hidden files are left out.
    pub files: BTreeMap<String, Checksum>,
    /// The text of the files that are not what the manifest says, to show what was edited.
    pub edited: BTreeMap<String, String>,
}

impl PublishedSite {
    /// The files that no build wrote, such as a `CNAME`: nobody's business, and worth a word.
    pub fn strangers(&self) -> impl Iterator<Item = &str> {
        let listed = |path: &String| matches!(&self.manifest, Some(Ok(manifest)) if manifest.files.contains_key(path));
        self.files.keys().filter(move |path| !listed(path)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_reads_back_and_survives_a_merge_conflict() {
        let files = BTreeMap::from([("a \": b.html".to_owned(), Checksum::of("a")), ("he/b.html".to_owned(), Checksum::of("b"))]);
        let manifest = Manifest { lessonc: VERSION.to_owned(), files };
        let text = manifest.text();
        assert_eq!(Manifest::parse(&text), Ok(manifest.clone()));
        let torn = text.replace("\n    \"he/", "\n<<<<<<< HEAD\n    \"he/") + ">>>>>>> other\n";
        assert!(Manifest::parse(&torn).is_err());
        assert_eq!(Manifest::salvage(&torn).files, manifest.files);
    }

    #[test]
    fn line_ends_count_in_binary_files_only() {
        assert_eq!(digest_of_file(b"a\r\nb"), digest_of_file(b"a\nb"));
        assert_ne!(digest_of_file(b"\0a\r\nb"), digest_of_file(b"\0a\nb"));
        assert!(same_file(b"a\r\nb", b"a\nb") && !same_file(b"a\r\nb", b"a\nc") && !same_file(b"\0\r\n", b"\0\n"));
    }
}
