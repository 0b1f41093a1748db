//! Whom a run was made for that is no evidence, as one word of its header.
//!
//! Turns nothing into anything by itself. Must not know how such a run is shown.

use serde::{Deserialize, Serialize};

/// Whom a run is for that was never meant to be published. It says so itself, so that no copy of it becomes evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Private {
    /// A reader, who wants to see what a lesson says on the card at hand.
    Try,
    /// An author, who wants to see at once what an edit does: in few rounds.
    Preview,
}

impl Private {
    /// The command that makes such runs.
    #[must_use]
    pub fn command(self) -> &'static str {
        match self {
            Self::Try => "lessonc try",
            Self::Preview => "lessonc serve --measure",
        }
    }
}
