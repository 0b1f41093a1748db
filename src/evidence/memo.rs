//! Turns the runs of one reading into those of the next, where the same files lie there.
//!
//! Must not hold what was wrong with a record: a fault is found anew each time, at its place.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::digest::Digest;
use crate::base::span::SourceName;

use super::Run;

/// What a run was read from: its record's file, and the digests of record and transcript.
pub(super) type Source = (SourceName, Digest, Option<Digest>);

/// The runs of the reading before.
#[derive(Debug, Default)]
pub struct Memo(Mutex<BTreeMap<Source, Arc<Run>>>);

impl Memo {
    /// The run that was read from `source`.
    pub(super) fn get(&self, source: &Source) -> Option<Arc<Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(source).cloned()
    }

    /// Keeps `runs` and forgets all others, so that memory follows the course and not its history.
    pub(super) fn keep(&self, runs: impl Iterator<Item = (Source, Arc<Run>)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = runs.collect();
    }
}
