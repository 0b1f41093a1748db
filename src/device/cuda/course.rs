//! Turns every kernel of this repository into machine code, for every architecture that a course may be read on.
//!
//! Must not need a GPU.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;

use super::compile::compile;
use crate::base::problem::{Problems, Severity};
use crate::course;
use crate::device::DeviceError;
use crate::device::fake;
use crate::plan;
use crate::plan::launch::{Code, DeviceFacts};
use crate::plan::{Plan, Work};
use crate::tree::SourceTree;

/// The architectures: of data centres and desktops, from Turing to Blackwell.
pub(super) const ARCHITECTURES: [(u32, u32); 7] = [(7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)];

/// A unit of one build: its code with all options, and the kernels that are taken from it.
type Unit = (Code, BTreeSet<String>);

/// The sweeps of the course in `folder`.
fn planned(folder: &Path) -> Plan {
    let (mut tree, mut problems) = (SourceTree::new(), Problems::new());
    for below in ["kernels", "lessons"] {
        for entry in walkdir::WalkDir::new(folder.join(below)).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file()) {
            let name = entry.path().strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
            tree.insert(&name, &std::fs::read(entry.path()).unwrap(), &mut problems);
        }
    }
    let plan = plan::plan(&course::read(&tree, &mut problems), &mut problems);
    let of_kernels = |problems: Problems| {
        let sorted = problems.sorted();
        let errors = sorted.into_iter().filter(|problem| problem.severity == Severity::Error);
        errors.filter(|problem| problem.at.as_ref().is_some_and(|at| at.file.starts_with("kernels/"))).map(|problem| problem.message)
    };
    assert_eq!(of_kernels(problems).collect::<Vec<_>>(), Vec::<String>::new());
    plan
}

/// What `plan` has compiled for a device of `gpu`, each once, and the sweeps that it is of.
fn units(plan: &Plan, gpu: &DeviceFacts) -> (Vec<Unit>, BTreeSet<String>) {
    let mut units: BTreeMap<String, Unit> = BTreeMap::new();
    let mut sweeps = BTreeSet::new();
    let mut add = |code: &Code, options: Vec<String>, kernel: String| {
        let code = Code { options, host: String::new(), ..code.clone() };
        let key = format!("{code:?}");
        units.entry(key).or_insert_with(|| (code, BTreeSet::new())).1.insert(kernel);
    };
    for (name, job) in &plan.jobs {
        match &job.work {
            Work::Kernel(kernel) => {
                for row in &job.rows {
                    let shape = kernel.shape(row, gpu).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
                    add(&kernel.code, [&kernel.code.options[..], &shape.options].concat(), shape.kernel);
                }
            }
            Work::Compile(compile) => {
                let rows = compile.rows(&[gpu.architecture()]);
                rows.into_iter().for_each(|row| add(&compile.code, row.options, row.kernel));
            }
            // The one launches kernels of another sweep, the other brings a compiler of its own.
            Work::Profile(_) | Work::Program(_) => continue,
        }
        sweeps.insert(name.clone());
    }
    (units.into_values().collect(), sweeps)
}

#[test]
fn every_kernel_of_the_course_compiles_for_every_architecture() {
    let plan = planned(Path::new(env!("CARGO_MANIFEST_DIR")));
    let mut sweeps = BTreeSet::new();
    let mut all: Vec<(Unit, String)> = Vec::new();
    for compute_capability in ARCHITECTURES {
        let gpu = DeviceFacts { compute_capability, ..fake::facts() };
        let (units, of) = units(&plan, &gpu);
        sweeps.extend(of);
        all.extend(units.into_iter().map(|unit| (unit, gpu.architecture())));
    }
    assert!(sweeps.contains("block-size"), "{sweeps:?}");
    let failures: Vec<String> = all
        .par_iter()
        .filter_map(|((code, kernels), architecture)| {
            let kernels: Vec<String> = kernels.iter().cloned().collect();
            let complaint = match compile(code, architecture, &kernels) {
                Ok(compiled) => {
                    let whole =
                        compiled.cubin.starts_with(b"\x7fELF") && kernels.iter().all(|kernel| compiled.lowered.contains_key(kernel));
                    (!whole || !compiled.log.contains(architecture)).then(|| format!("it is not whole: {}", compiled.log))
                }
                Err(DeviceError::Missing { .. }) => None,
                Err(error) => Some(error.to_string()),
            };
            complaint.map(|complaint| format!("{} with {:?} for {architecture}: {complaint}", code.source, code.options))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    if let Some(((code, _), architecture)) = all.first()
        && let Err(error @ DeviceError::Missing { .. }) = compile(code, architecture, &[])
    {
        eprintln!("skipped: {error}");
    }
}
