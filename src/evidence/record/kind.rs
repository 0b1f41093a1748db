//! What a run did for each row, as one word of its header.
//!
//! Turns nothing into anything by itself. Must not know what the kinds leave in a record.

use serde::{Deserialize, Serialize};

/// What a run did for each row: the kinds of sweeps as records name them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunKind {
    /// A kernel was compiled, launched, checked and timed.
    #[default]
    Kernel,
    /// Kernels were compiled, and launched nowhere.
    Compile,
    /// Rows were launched under a profiler.
    Profile,
    /// A program was run, and its output kept.
    Program,
}

impl RunKind {
    pub(super) fn is_kernel(&self) -> bool {
        matches!(self, Self::Kernel)
    }
}
