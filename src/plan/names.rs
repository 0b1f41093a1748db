//! Turns a name in a launch or a column that stands for nothing into a problem, before any device is asked.
//!
//! Must not know values.

use crate::base::problem::{Problem, Problems};
use crate::course::columns::{BUILT_IN, COMPILED};
use crate::course::sweep::{ArgumentSpec, CheckSpec, CompileSweep, KernelSpec, KernelSweep, Kind, LaunchSpec, OptionPart, Sweep, TakeSpec};
use crate::expr::Expr;

use super::lines::in_options;

/// Checks the expressions of `sweep` that only a device or a run can give values to. `others` are the course's sweeps, as
/// expressions spell them. Whether those of the launch are in order; what its columns are changes no measurement.
pub(super) fn check<'a>(sweep: &'a Sweep, others: &'a [String], problems: &mut Problems) -> bool {
    let before = problems.errors();
    let mut known: Vec<&str> = sweep.constants.iter().map(|(name, _)| &**name).collect();
    known.extend(sweep.axes.iter().map(|axis| &*axis.name));
    known.extend(sweep.explicit_rows.first().into_iter().flat_map(|row| &row.values).map(|(name, _)| &**name));
    known.push("device");
    match &sweep.kind {
        Kind::Kernel(kernel) => {
            check_data(kernel, &known[..known.len() - 1], problems);
            check_launch(&kernel.launch, known.clone(), problems);
            let physics = &kernel.physics;
            let chain = physics.chain.iter().flat_map(|(operations, latency)| [operations, latency]);
            for expr in physics.peak_bandwidth.iter().chain(&physics.peak_flops).chain(chain) {
                bare(expr, &known, problems);
            }
            known.extend(BUILT_IN.iter().filter(|column| sweep.has(column)).map(|column| column.name));
            known.extend(kernel.reads.iter().map(|read| read.name.as_str()));
        }
        // Its rows, and so the names in them, are another sweep's; what its columns name is known when they are evaluated.
        Kind::Profile(_) => return true,
        Kind::Program(program) => {
            known.extend(["label", "table"]);
            known.extend(program.printed_names());
        }
        Kind::Compile(compile) => {
            known.pop();
            check_compile(compile, &known, problems);
            known.extend(COMPILED.map(|column| column.name).into_iter().chain(["label", "device"]));
            known.extend(compile.sass.iter().map(|column| &*column.name));
        }
    }
    let sound = problems.errors() == before;
    known.extend(others.iter().map(String::as_str));
    for column in &sweep.columns {
        bare(&column.value, &known, problems);
        known.push(&column.name);
    }
    sound
}

/// What is the same on every device: buffers, inputs, the check, and what is read back.
fn check_data(sweep: &KernelSweep, known: &[&str], problems: &mut Problems) {
    let checked = sweep.check.iter().map(|check| match check {
        CheckSpec::Reference { call, .. } | CheckSpec::Predicate { call } => call,
    });
    let calls = sweep.inputs.iter().chain(checked).flat_map(|call| scalars(&call.arguments));
    let counts = sweep.buffers.iter().map(|buffer| &buffer.count);
    let reads = sweep.reads.iter().flat_map(|read| {
        let at = if let TakeSpec::At(at) = &read.take { Some(at) } else { None };
        at.into_iter().chain(&read.per)
    });
    for expr in counts.chain(calls).chain(reads).chain(in_options(&sweep.launch)) {
        // That a device's facts are not to be had here, who evaluates it says.
        bare(expr, &[known, &["device", "residency"]].concat(), problems);
    }
}

fn scalars(arguments: &[ArgumentSpec]) -> impl Iterator<Item = &Expr> {
    arguments.iter().filter_map(|argument| match argument {
        ArgumentSpec::Scalar(_, expr) => Some(expr),
        ArgumentSpec::Buffer(..) => None,
    })
}

fn check_launch(launch: &LaunchSpec, mut known: Vec<&str>, problems: &mut Problems) {
    let kernel = match &launch.kernel {
        KernelSpec::Expression(expr) => Some(expr),
        KernelSpec::Name(_) => None,
    };
    for expr in kernel.into_iter().chain(&launch.block).chain(&launch.shared) {
        bare(expr, &known, problems);
    }
    known.push("residency");
    for expr in launch.grid.iter().chain(scalars(&launch.arguments)).chain(&launch.bytes).chain(&launch.flop) {
        bare(expr, &known, problems);
    }
}

fn check_compile(compile: &CompileSweep, known: &[&str], problems: &mut Problems) {
    let kernels = compile.kernels.iter().filter_map(|kernel| match kernel {
        KernelSpec::Expression(expr) => Some(expr),
        KernelSpec::Name(_) => None,
    });
    let parts = compile.options.iter().flat_map(|option| &option.parts).filter_map(|part| match part {
        OptionPart::Value(expr) => Some(expr),
        OptionPart::Text(_) => None,
    });
    for expr in kernels.chain(parts) {
        bare(expr, known, problems);
    }
}

fn bare(expr: &Expr, known: &[&str], problems: &mut Problems) {
    for name in expr.names().bare.iter().filter(|name| !known.contains(&name.as_str())) {
        let problem = Problem::error("expr-name", expr.name_span(name), format!("there is no name `{name}`"));
        problems.push(problem.meant(name, known.iter().copied()));
    }
}
