//! Turns what single runs took into medians.
//!
//! Must not know what they are compared with.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use crate::process::Took;

pub(super) const UNCHANGED: &str = "build, nothing changed";
pub(super) const VERIFY: &str = "verify";
pub(super) const COPY: &str = "cp -r of the site";
pub(super) const VERSION: &str = "--version";
/// The course as it is beside one of ten times its length.
pub(super) const SHORT: &str = "short";
pub(super) const LONG: &str = "long";

/// What is known of every command.
pub(super) struct Results {
    pub(super) lessons: usize,
    pub(super) runs: usize,
    took: BTreeMap<&'static str, Vec<Took>>,
    pub(super) sizes: BTreeMap<&'static str, Size>,
    /// Who did not take part to the end, and why.
    pub(super) missing: Vec<(&'static str, String)>,
    pub(super) versions: BTreeMap<&'static str, String>,
}

/// How large an output is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) bytes: u64,
    pub(super) files: usize,
}

impl Size {
    pub(super) fn of(folder: &Path) -> Result<Self> {
        let mut size = Self::default();
        for entry in walkdir::WalkDir::new(folder) {
            let entry = entry?;
            if entry.file_type().is_file() {
                size = Self { bytes: size.bytes + entry.metadata()?.len(), files: size.files + 1 };
            }
        }
        Ok(size)
    }

    /// Millions of bytes.
    pub(super) fn megabytes(self) -> f64 {
        self.bytes as f64 / 1e6
    }
}

impl Results {
    pub(super) fn new(lessons: usize, runs: usize) -> Self {
        let (took, sizes, versions) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { lessons, runs, took, sizes, missing: Vec::new(), versions }
    }

    pub(super) fn add(&mut self, name: &'static str, took: Took) {
        self.took.entry(name).or_default().push(took);
    }

    /// The middle of what `name` took, each for itself; nothing of one that came to no end.
    pub(super) fn median(&self, name: &str) -> Option<Took> {
        let took = self.took.get(name).filter(|_| !self.missing.iter().any(|(missing, _)| *missing == name))?;
        let middle = |of: fn(&Took) -> f64| {
            let mut values: Vec<f64> = took.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            let half = values.len() / 2;
            if values.len().is_multiple_of(2) { (values[half - 1] + values[half]) / 2.0 } else { values[half] }
        };
        Some(Took { wall: middle(|took| took.wall), cpu: middle(|took| took.cpu), peak: middle(|took| took.peak as f64) as u64 })
    }

    /// Its time on the wall.
    pub(super) fn wall(&self, name: &str) -> Option<f64> {
        self.median(name).map(|took| took.wall)
    }
}
