//! Turns a run's header into the name of its file, and a file's name into a check that the two agree.
//!
//! Must not know what else is in the folder.

use crate::base::span::SourceName;

use super::record::Header;

/// The folder of all evidence.
pub const FOLDER: &str = "evidence";

/// The folder of a source tree in which runs stand that are no evidence, beside the course's own files.
pub const PRIVATE: &str = "private";

/// Whether the record `name` stands among the private ones.
#[must_use]
pub fn is_private(name: &str) -> bool {
    name.strip_prefix(PRIVATE).is_some_and(|rest| rest.starts_with('/'))
}

/// The path from the course's root, without ending, of the run of `header`: number `suffix` of its day, from 1.
#[must_use]
pub fn stem(header: &Header, suffix: u32) -> String {
    stem_in(FOLDER, header, suffix)
}

/// The same in another folder than that of all evidence.
#[must_use]
pub fn stem_in(folder: &str, header: &Header, suffix: u32) -> String {
    let date = header.started.get(..10).unwrap_or(&header.started);
    let more = if suffix > 1 { format!("-{suffix}") } else { String::new() };
    format!("{folder}/{}/{date}-{}{more}", header.sweep, header.device)
}

/// A record's name without its ending.
#[must_use]
pub fn stem_of(record: &str) -> &str {
    record.strip_suffix(".jsonl").unwrap_or(record)
}

/// The transcript's name for a record's.
#[must_use]
pub fn transcript_name(record: &SourceName) -> SourceName {
    format!("{}.txt", stem_of(record)).into()
}

/// The number of the run within its day, if `name` is a name that `header` may have.
///
/// # Errors
/// One sentence that says what the name should be.
pub fn agrees(name: &str, header: &Header) -> Result<u32, String> {
    let first = stem_in(if is_private(name) { PRIVATE } else { FOLDER }, header, 1);
    let suffix = name.strip_suffix(".jsonl").and_then(|name| name.strip_prefix(&first)).and_then(|rest| match rest.strip_prefix('-') {
        None if rest.is_empty() => Some(1),
        Some(digits) if !digits.starts_with(['0', '+']) => digits.parse().ok().filter(|&number: &u32| number > 1),
        _ => None,
    });
    suffix.ok_or_else(|| format!("by its header the record belongs in `{first}.jsonl`"))
}
