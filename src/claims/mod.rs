//! Turns sentences with conditions into verdicts, by the evidence of each device.
//!
//! Must not know how a page looks.

pub mod columns;
mod compiled;
pub mod drift;
pub mod facts;
mod history;
pub mod judge;
pub mod lesson;
mod on_device;
mod planned;
mod problems;
mod profiled;
mod printed;
mod row;
mod sweep_scope;
mod vacuous;
pub mod verdicts;
mod words;

pub use self::columns::{Column, ColumnKind};
pub use self::facts::{Facts, Outdated, SweepFacts};
pub use self::judge::{Judged, Part, Verdict, judge};
pub use self::lesson::LessonScope;
pub use self::row::{Rounds, RowFacts};
pub use self::verdicts::{ClaimOutcome, Verdicts, verdicts, verdicts_again};

/// Facts and verdicts of before, to be used again.
#[derive(Default)]
pub struct Memo {
    /// The facts.
    pub facts: facts::Memo,
    /// The verdicts.
    pub verdicts: verdicts::Memo,
}

#[cfg(test)]
mod tests;
