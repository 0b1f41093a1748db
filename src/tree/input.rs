//! Turns the bytes of one file into what will stand in a tree: normalised text, or bytes, or the problem that they are neither.
//!
//! Must not know the tree, so that files can be looked at side by side.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memchr;

use super::{BinaryFile, SourceFile};
use crate::base::digest::Checksum;
use crate::base::problem::Problem;
use crate::base::span::{SourceName, Span};

/// The suffixes of files that are no text. All others are expected to be.
const BINARY_SUFFIXES: [&str; 14] =
    [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".woff", ".woff2", ".ttf", ".otf", ".pdf", ".zip", ".mp4"];

/// The folder whose files may be of any kind, since they are published as they are.
const ANY_KIND: &str = "lessons/static/";

/// A file as it will stand in a tree: what takes time to find out of its bytes is done, and needs no tree.
#[derive(Debug)]
pub struct Input {
    pub(super) name: SourceName,
    pub(super) content: Content,
    /// Of its name, and of its name and content, where it will be in the tree.
    pub(super) noted: Option<Noted>,
}

/// What the digests of a tree are made from, of one file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noted {
    pub(super) name: Checksum,
    pub(super) whole: Checksum,
}

impl Noted {
    pub(super) fn of(name: &str, digest: Checksum) -> Self {
        Self { name: Checksum::of(name), whole: digest.of_named(name) }
    }
}

#[derive(Debug)]
pub(super) enum Content {
    Text(Arc<SourceFile>),
    Binary(BinaryFile),
    /// Text where none is looked for.
    Nothing,
    Wrong(Problem),
}

impl Input {
    /// The file `name`, which holds `bytes`.
    #[must_use]
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        let name: SourceName = name.into();
        let is_binary = BINARY_SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
        let content = match normalise(bytes) {
            Ok(text) if !is_binary => {
                let digest = Checksum::of(&*text);
                Content::Text(Arc::new(SourceFile::new(&name, text.into(), digest)))
            }
            result if is_binary || (result.is_err() && name.starts_with(ANY_KIND)) => {
                Content::Binary(BinaryFile { bytes: bytes.into(), digest: Checksum::of(bytes) })
            }
            Ok(_) => Content::Nothing,
            Err(why) => Content::Wrong(
                Problem::error("not-text", Span::top(&name), format!("{name} is not text: {why}"))
                    .hint("save it as UTF-8, or move it out of the course's folders"),
            ),
        };
        let digest = match &content {
            Content::Text(file) => Some(file.digest),
            Content::Binary(file) => Some(file.digest),
            Content::Nothing | Content::Wrong(_) => None,
        };
        let noted = digest.map(|digest| Noted::of(&name, digest));
        Self { name, content, noted }
    }

    /// The file's name.
    #[must_use]
    pub fn name(&self) -> &SourceName {
        &self.name
    }
}

/// `bytes` as text with LF line ends and no BOM, or why that can't be.
pub(super) fn normalise(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to() + 1))?;
    match memchr(0, bytes) {
        Some(at) => Err(format!("byte {} is NUL", at + 1)),
        None if memchr(b'\r', bytes).is_some() => Ok(Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))),
        None => Ok(Cow::Borrowed(text)),
    }
}
