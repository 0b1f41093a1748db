//! Turns a planned sweep and a device into a record: rounds in fresh processes, rows in a shuffled order, raw spans.
//!
//! Must not know claims or pages, so that no figure can be tuned to a sentence; prints nothing.

pub mod anonymous;
pub mod canary;
pub mod checking;
pub mod command;
pub mod compile_log;
#[cfg(feature = "cuda")]
pub mod compiling;
pub mod course_state;
pub mod experiment;
pub mod journal;
pub mod lock;
pub mod planning;
pub mod process;
mod processes;
pub mod program;
#[cfg(feature = "cuda")]
pub mod recompile;
pub mod row;
pub mod profiling;
pub mod run;
pub mod side;
pub mod sizing;
pub mod worker;

use std::collections::BTreeMap;

use crate::base::problem::Problem;
use crate::device::DeviceError;
use crate::evidence::record::Outcome;

/// Hears how a run goes on; what it does with that is its own affair.
pub trait Progress {
    /// Something that is not a row takes its time: building, inputs, sizing.
    fn phase(&mut self, words: &str);
    /// The code compiled; what each compiler had to say of it.
    fn compiled(&mut self, _logs: &BTreeMap<String, String>) {}
    /// Rows will be measured: this many in each of so many rounds, `finished` of them in all already.
    fn rounds(&mut self, rows: usize, rounds: u32, finished: usize);
    /// A row ended in a round.
    fn row(&mut self, round: u32, label: &str, outcome: &Outcome);
    /// The run ended; where its time went.
    fn took(&mut self, _sentence: &str) {}
    /// A word that somebody should see, such as that an interrupted run was found.
    fn note(&mut self, words: &str);
}

/// Why a run came to no end.
#[derive(Debug)]
pub enum Stop {
    /// The device can't be used, or the author's code does not compile.
    Device(DeviceError),
    /// The sweep can't be planned on this device.
    Problems(Vec<Problem>),
    /// It was asked to stop; the results that were finished are kept, and a later run goes on with them.
    Interrupted {
        /// How many.
        finished: usize,
    },
    /// Others use the GPU; how that shows.
    Busy(Vec<String>),
    /// The machine failed: disk, processes.
    Machine(anyhow::Error),
}

impl Stop {
    /// The same as an error of the machine, for those who have no problems to show.
    #[must_use]
    pub fn into_error(self) -> anyhow::Error {
        match self {
            Self::Device(error) => error.into(),
            Self::Problems(problems) => {
                anyhow::anyhow!("{}", problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; "))
            }
            Self::Interrupted { .. } => anyhow::anyhow!("interrupted"),
            Self::Busy(reasons) => anyhow::anyhow!(
                "the GPU is busy: {}. Wait until it is idle, choose another one, or allow it and let the record say so",
                reasons.join("; ")
            ),
            Self::Machine(error) => error,
        }
    }
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Self::Machine(error)
    }
}

impl From<DeviceError> for Stop {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

/// A time as records write it, `YYYY-MM-DDTHH:MM:SSZ`.
#[must_use]
pub fn time_text(time: chrono::DateTime<chrono::Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests;
