//! Turns all that can change a measurement into lines of text, and the lines into one digest.
//!
//! Must not know how a difference is shown; equal lines mean that an old run still speaks for this code.

use crate::base::digest::Digest;

/// What a run is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The hashed lines, readable: code as its tokens, a statement a line; options, sizes, policy.
    pub lines: Vec<String>,
    /// The digest of the lines, each with its LF.
    pub digest: Digest,
}

impl Fingerprint {
    /// The fingerprint of `lines`.
    #[must_use]
    pub fn of(lines: Vec<String>) -> Self {
        let mut text = lines.join("\n");
        text.push('\n');
        Self { digest: Digest::of(&text), lines }
    }
}
