//! Turns the end of a row in a round into a word and its reason.
//!
//! Must not know how either came about.

use serde::{Deserialize, Serialize};

/// How a row ended in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "is", content = "why")]
pub enum Outcome {
    /// Timed, outputs right before and after.
    Ok,
    /// Not run.
    Skipped(String),
    /// The launch was refused.
    Launch(String),
    /// The kernel faulted.
    Runtime(String),
    /// An output was wrong.
    Incorrect(String),
    /// The span is too short to be trusted.
    TooShort(String),
    /// The clock was held down or moved.
    Throttled(String),
    /// Over its time limit.
    Timeout(String),
    /// No hardware counters.
    NoCounters(String),
}

impl Outcome {
    /// It as one word, as records and transcripts have it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Skipped(_) => "skipped",
            Self::Launch(_) => "launch",
            Self::Runtime(_) => "runtime",
            Self::Incorrect(_) => "incorrect",
            Self::TooShort(_) => "too-short",
            Self::Throttled(_) => "throttled",
            Self::Timeout(_) => "timeout",
            Self::NoCounters(_) => "no-counters",
        }
    }

    /// The same with `change` done to its reason.
    #[must_use]
    pub fn map_why(self, change: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Ok => Self::Ok,
            Self::Skipped(why) => Self::Skipped(change(&why)),
            Self::Launch(why) => Self::Launch(change(&why)),
            Self::Runtime(why) => Self::Runtime(change(&why)),
            Self::Incorrect(why) => Self::Incorrect(change(&why)),
            Self::TooShort(why) => Self::TooShort(change(&why)),
            Self::Throttled(why) => Self::Throttled(change(&why)),
            Self::Timeout(why) => Self::Timeout(change(&why)),
            Self::NoCounters(why) => Self::NoCounters(change(&why)),
        }
    }

    /// Its reason, but for `ok`.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Ok => None,
            Self::Skipped(why) | Self::Launch(why) | Self::Runtime(why) | Self::Incorrect(why) => Some(why),
            Self::TooShort(why) | Self::Throttled(why) | Self::Timeout(why) | Self::NoCounters(why) => Some(why),
        }
    }
}
