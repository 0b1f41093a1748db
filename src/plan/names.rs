//! Turns a name in a launch or a column that stands for nothing into a problem, before any device is asked.
//!
//! Must not know values.

use crate::base::name;
use crate::base::problem::{Problem, Problems};
use crate::course::columns::{BUILT_IN, COMPILED};
use crate::course::sweep::{ArgumentSpec, CompileSweep, KernelSpec, Kind, LaunchSpec, OptionPart, Sweep};
use crate::expr::Expr;

/// Checks the expressions of `sweep` that only a device or a run can give values to. `others` are the course's sweeps.
/// Whether those of the launch are in order; what its columns are changes no measurement.
pub(super) fn check<'a>(sweep: &'a Sweep, others: impl Iterator<Item = &'a String>, problems: &mut Problems) -> bool {
    let before = problems.errors();
    let mut known: Vec<&str> = sweep.constants.iter().map(|(name, _)| &**name).collect();
    known.extend(sweep.axes.iter().map(|axis| &*axis.name));
    known.extend(sweep.explicit_rows.first().into_iter().flat_map(|row| &row.values).map(|(name, _)| &**name));
    known.push("device");
    match &sweep.kind {
        Kind::Kernel(kernel) => {
            check_launch(&kernel.launch, known.clone(), problems);
            known.extend(BUILT_IN.map(|column| column.name));
        }
        // Its rows, and so the names in them, are another sweep's; what its columns name is known when they are evaluated.
        Kind::Profile(_) => return true,
        Kind::Compile(compile) => {
            known.pop();
            check_compile(compile, &known, problems);
            known.extend(COMPILED.map(|column| column.name).into_iter().chain(["label", "device"]));
            known.extend(compile.sass.iter().map(|column| &*column.name));
        }
    }
    let sound = problems.errors() == before;
    let others: Vec<String> = others.map(|name| name::in_expressions(name)).collect();
    known.extend(others.iter().map(String::as_str));
    for column in &sweep.columns {
        bare(&column.value, &known, problems);
        known.push(&column.name);
    }
    sound
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
    let scalars = launch.arguments.iter().filter_map(|argument| match argument {
        ArgumentSpec::Scalar(_, expr) => Some(expr),
        ArgumentSpec::Buffer(..) => None,
    });
    for expr in launch.grid.iter().chain(scalars).chain(&launch.bytes).chain(&launch.flop) {
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
