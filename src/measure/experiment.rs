//! Turns a job of the plan into what a run needs of it, and nothing else of the course.
//!
//! Must not know devices. Its launches are functions of a device's answers, so that they can be computed from a job's
//! expressions or be taken from a record.

use crate::base::problem::Problem;
use crate::course::sweep::{Role, TimingPolicy};
use crate::plan::fingerprint::Fingerprint;
use crate::plan::launch::{Code, Data, DeviceFacts, Launch, Read, Residency, Shape};
use crate::plan::{Job, KernelJob, PlannedRow};

/// How the shape of a row follows from the device.
pub type ShapeOf<'a> = dyn Fn(usize, &DeviceFacts) -> Result<Shape, Problem> + 'a;
/// How the launch of a row follows from the device and the driver's answer for the row's shape.
pub type LaunchOf<'a> = dyn Fn(usize, &DeviceFacts, &Residency) -> Result<Launch, Problem> + 'a;

/// A sweep, ready to be measured on any device.
pub struct Experiment<'a> {
    /// The sweep's name.
    pub sweep: String,
    /// Labels of the rows and their own values, printed as records hold them.
    pub rows: Vec<(String, Vec<(String, String)>)>,
    /// What is compiled.
    pub code: Code,
    /// What rows work on, each once.
    pub data: Vec<Data>,
    /// Which of it each row works on.
    pub data_of: Vec<u32>,
    /// What is read back in each row.
    pub reads: Vec<Vec<Read>>,
    /// How rows are timed.
    pub timing: TimingPolicy,
    /// What the run will be known by.
    pub fingerprint: Fingerprint,
    /// Shapes.
    pub shape: Box<ShapeOf<'a>>,
    /// Launches.
    pub launch: Box<LaunchOf<'a>>,
}

impl<'a> Experiment<'a> {
    /// What measuring needs of `job`, whose work is `kernel`, in its own number of rounds or in `rounds`.
    #[must_use]
    pub fn of(job: &'a Job, kernel: &'a KernelJob, rounds: Option<u32>) -> Self {
        let missing = |row: usize| Problem::of_course("internal", format!("{} has no row {row}", job.sweep.name));
        let values = |row: &PlannedRow| {
            let printed = row.values.iter().map(|(name, value)| (name.clone(), value.to_exact_text()));
            (row.label.clone(), printed.collect())
        };
        let is_measured = kernel.timing.time || !kernel.reads.is_empty();
        Self {
            sweep: job.sweep.name.clone(),
            rows: job.rows.iter().map(values).collect(),
            code: kernel.code.clone(),
            data: kernel.data.clone(),
            data_of: kernel.data_of.clone(),
            reads: (0..job.rows.len()).map(|row| kernel.reads.iter().filter_map(|read| read.of_row(row)).collect()).collect(),
            // More rounds than one say more only of what is measured.
            timing: TimingPolicy { rounds: rounds.filter(|_| is_measured).unwrap_or(kernel.timing.rounds), ..kernel.timing.clone() },
            fingerprint: job.fingerprint.clone(),
            shape: Box::new(move |row, device| kernel.shape(job.rows.get(row).ok_or_else(|| missing(row))?, device)),
            launch: Box::new(move |row, device, residency| {
                kernel.launch(job.rows.get(row).ok_or_else(|| missing(row))?, device, residency)
            }),
        }
    }

    /// Whether a launch changes its own input.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.data.iter().flat_map(|data| &data.buffers).any(|buffer| buffer.role == Role::Inout)
    }

    /// Whether anything is measured: times, or what is read back.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.timing.time || self.reads.iter().any(|reads| !reads.is_empty())
    }

    /// Whether outputs are checked.
    #[must_use]
    pub fn is_checked(&self) -> bool {
        self.data.iter().any(|data| data.check.is_some())
    }
}
