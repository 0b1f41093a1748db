//! Turns what a program printed, in one round, into a line of a record.
//!
//! Must not know what is read out of it.

use serde::{Deserialize, Serialize};

use super::record::{Header, Outcome, Record, RowPlan};

/// What a program printed for one row in one round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Round, from 1.
    pub round: u32,
    /// Index of the row among the planned rows.
    pub row: u32,
    /// How it ended; only `ok`, which means exit code 0, is evidence.
    pub outcome: Outcome,
    /// Its exit code; `None` if it did not end by itself.
    pub exit: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Record {
    /// A run of `rows` of which nothing was tried yet.
    #[must_use]
    pub fn begun(header: Header, rows: Vec<RowPlan>) -> Self {
        let (results, canaries, compiled, profiled, outputs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { header, rows, results, canaries, compiled, profiled, outputs, footer: None }
    }

    /// What the program printed for row `row`, in the order of the rounds.
    pub fn outputs_of(&self, row: usize) -> impl Iterator<Item = &Output> {
        self.outputs.iter().filter(move |output| output.row as usize == row)
    }

    /// How row `row` ended, round by round, whether a kernel was timed for it or a program run.
    pub fn outcomes_of(&self, row: usize) -> impl Iterator<Item = (u32, &Outcome)> {
        let results = self.results_of(row).map(|result| (result.round, &result.outcome));
        results.chain(self.outputs_of(row).map(|output| (output.round, &output.outcome)))
    }

    /// Round and row of all that was timed or run, in order.
    pub fn in_order(&self) -> impl Iterator<Item = (u32, u32)> {
        let results = self.results.iter().map(|result| (result.round, result.row));
        results.chain(self.outputs.iter().map(|output| (output.round, output.row)))
    }

    /// How many rows were timed, run, compiled or profiled, each round counted.
    #[must_use]
    pub fn tried(&self) -> usize {
        self.results.len() + self.outputs.len() + self.compiled.len() + self.profiled.len()
    }

    /// The rows that can be tried in a run of the rows that were asked for, by index.
    #[must_use]
    pub fn asked(&self) -> Vec<u32> {
        let only = &self.header.circumstance.only_rows;
        let is_asked = |row: &RowPlan| row.skipped.is_none() && (only.is_empty() || only.contains(&row.label));
        (0..).zip(&self.rows).filter(|(_, row)| is_asked(row)).map(|(index, _)| index).collect()
    }
}
