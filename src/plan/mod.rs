//! Turns sweeps into jobs: rows with every constant known, the code each compiles, and the fingerprint of it all.
//!
//! Must not know which of them were ever measured, nor on what.

mod expand;
pub mod facts;
pub mod fingerprint;
pub mod launch;
mod lines;
mod names;
mod shape;
#[cfg(test)]
mod tests;
pub mod unit;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::problem::Problems;
use crate::base::quantity::Quantity;
use crate::course::Course;
use crate::course::sweep::{Sweep, TimingPolicy};

pub use self::lines::PROTOCOL;

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
    /// The constants, exact, in the manifest's order: names in the launch's and the columns' expressions.
    pub constants: Vec<(String, Quantity)>,
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

/// Plans every sweep of `course`. A sweep that can't be planned whole is left out; the problems say why.
pub fn plan(course: &Course, problems: &mut Problems) -> Plan {
    let mut plan = Plan::default();
    for (name, sweep) in &course.sweeps {
        names::check(sweep, course.sweeps.keys(), problems);
        plan.jobs.extend(job(sweep, &course.sources, problems).map(|job| (name.clone(), Arc::new(job))));
    }
    plan
}

/// Plans one sweep.
fn job(sweep: &Arc<Sweep>, sources: &unit::Sources, problems: &mut Problems) -> Option<Job> {
    let before = problems.errors();
    let constants = expand::constants(sweep, problems);
    if problems.errors() > before {
        // All else would only repeat that a constant has no value.
        return None;
    }
    let rows = expand::rows(sweep, &constants, problems);
    let buffers = expand::buffers(sweep, &constants, problems);
    let known = values::Known::exact(&constants, &[]);
    let inputs: Vec<HostCall> = sweep.inputs.iter().filter_map(|call| problems.note(values::host_call(call, &known))).collect();
    let check = expand::check(sweep, &constants, problems);
    let code = unit::assemble(sweep, sources, problems)?;
    if problems.errors() > before {
        return None;
    }
    let fingerprint = Fingerprint::of(lines::of(&lines::Parts {
        launch: &sweep.launch,
        constants: &constants,
        rows: &rows,
        code: &code,
        buffers: &buffers,
        inputs: &inputs,
        check: check.as_ref(),
        timing: &sweep.timing,
    }));
    let timing = sweep.timing.clone();
    Some(Job { sweep: sweep.clone(), rows, constants, code, buffers, inputs, check, timing, fingerprint })
}

/// One configuration of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRow {
    /// What `row('…')` finds it by.
    pub label: String,
    /// The row's own values (axes, explicit columns), exact, in the manifest's order.
    pub values: Vec<(String, Quantity)>,
}
