//! Turns what was read back in two runs, or printed, into figures that can be compared as times are.
//!
//! Must not know units: who brings a figure says whether more of it is faster.

use crate::base::statistics::{LEAST_ROUNDS, Sample, mean};
use crate::evidence::record::Record;

use super::{Verdict, logarithms};

/// A measured figure of a row in two runs, beside its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The row.
    pub label: String,
    /// The figure, such as the name of its column.
    pub name: String,
    /// Its value in each round of the recorded run that was not lost.
    pub recorded: Vec<f64>,
    /// And of the fresh one.
    pub fresh: Vec<f64>,
    /// The smallest step that it can make.
    pub quantum: f64,
    /// Whether more of it is faster, as of a rate.
    pub is_rate: bool,
}

impl Figure {
    /// Whether all rounds of both runs have one value.
    pub(super) fn is_fixed(&self) -> bool {
        let mut all = self.recorded.iter().chain(&self.fresh);
        all.next().is_some_and(|first| all.all(|value| value == first))
    }

    /// Both sides' logarithms of what more of is slower, or what they lack.
    pub(super) fn samples(&self) -> Result<(Sample, Sample), (Option<Verdict>, String)> {
        if self.recorded.iter().chain(&self.fresh).any(|value| *value <= 0.0) {
            return Err((None, "not above 0 in every round, so that there is no share of it".to_owned()));
        }
        let sample = |values: &[f64], run: &str, verdict: Verdict| {
            let typical = typical(values).unwrap_or(1.0);
            let (values, quantum): (Vec<f64>, f64) = if self.is_rate {
                (values.iter().map(|value| 1.0 / value).collect(), self.quantum / (typical * typical))
            } else {
                (values.to_vec(), self.quantum)
            };
            let few = || format!("{} rounds of the {run} run have it, and {LEAST_ROUNDS} at least are needed", values.len());
            logarithms(&values, quantum).ok_or_else(|| (Some(verdict), few()))
        };
        // The fresh run can take more rounds; the recorded one is what it is.
        let then = sample(&self.recorded, "recorded", Verdict::NotComparable)?;
        Ok((then, sample(&self.fresh, "fresh", Verdict::Unresolved)?))
    }
}

/// The exponential of the mean logarithm of those of `values` that have one.
pub(super) fn typical(values: &[f64]) -> Option<f64> {
    mean(&values.iter().filter(|value| **value > 0.0).map(|&value| libm::log(value)).collect::<Vec<_>>()).map(libm::exp)
}

/// What both runs read back of the same rows: integers as they were read.
pub(super) fn read_back(recorded: &Record, fresh: &Record) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (index, row) in recorded.rows.iter().enumerate() {
        let Some(now) = fresh.row_index(&row.label) else { continue };
        for read in &row.reads {
            let values = |record: &Record, row: usize| record.round_reads(row, &read.name).into_iter().flatten().collect::<Vec<f64>>();
            let (label, name) = (row.label.clone(), read.name.clone());
            let (recorded, fresh) = (values(recorded, index), values(fresh, now));
            figures.push(Figure { label, name, recorded, fresh, quantum: 1.0, is_rate: false });
        }
    }
    figures
}
