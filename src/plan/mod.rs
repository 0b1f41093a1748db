//! Turns sweeps into jobs: rows with every constant known, the code each compiles, and the fingerprint of it all.
//!
//! Must not know which of them were ever measured, nor on what.

pub mod expand;
pub mod facts;
pub mod fingerprint;
pub mod launch;
pub mod unit;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::quantity::Quantity;
use crate::course::sweep::{Sweep, TimingPolicy};

use self::fingerprint::Fingerprint;
use self::launch::{BufferPlan, Check, Code, HostCall};

/// Every sweep of the course as a job, by name.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The jobs.
    pub jobs: BTreeMap<String, Arc<Job>>,
}

/// One sweep, expanded: all that can be known without a device.
#[derive(Debug, Clone)]
pub struct Job {
    /// The sweep as the author wrote it; its launch and column expressions are evaluated row by row.
    pub sweep: Arc<Sweep>,
    /// The rows, in the manifest's order; labels are unique.
    pub rows: Vec<PlannedRow>,
    /// What is compiled.
    pub code: Code,
    /// The buffers.
    pub buffers: Vec<BufferPlan>,
    /// The calls that fill the input buffers, in order.
    pub inputs: Vec<HostCall>,
    /// How outputs are judged; `None` only for a sweep that is not timed.
    pub check: Option<Check>,
    /// How rows are timed.
    pub timing: TimingPolicy,
    /// What a run of this job is known by.
    pub fingerprint: Fingerprint,
}

/// One configuration of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRow {
    /// What `row('…')` finds it by.
    pub label: String,
    /// The row's own values (axes, explicit columns), exact, in the manifest's order.
    pub values: Vec<(String, Quantity)>,
}
