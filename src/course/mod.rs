//! Turns the source tree into what the author wrote: lessons, kernels with their regions, sweeps, configuration.
//!
//! Must not know of runs or figures: nothing here reads `evidence/`, and nothing here computes a value.

pub mod config;
pub mod document;
pub mod keys;
pub mod lesson;
pub mod marker;
pub mod source;
pub mod sweep;
pub mod toml;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::span::SourceName;

use self::config::Config;
use self::lesson::Lesson;
use self::source::Source;
use self::sweep::Sweep;

/// What the author wrote, read and understood; anything that could not be is a problem and is left out.
#[derive(Debug, Clone, Default)]
pub struct Course {
    /// `lessons/course.toml`.
    pub config: Config,
    /// Every lesson in every language, in the order of the course.
    pub lessons: Vec<Arc<Lesson>>,
    /// Every text file under `kernels/` but the sweeps' manifests, by its path from `kernels/`.
    pub sources: BTreeMap<String, Arc<Source>>,
    /// Every sweep by its name (`kernels/NAME.toml`).
    pub sweeps: BTreeMap<String, Arc<Sweep>>,
}

/// The path that the author writes (from `kernels/`) for a file of the tree.
#[must_use]
pub fn kernel_path(name: &SourceName) -> Option<&str> {
    name.strip_prefix("kernels/")
}
