//! Turns a condition into the reason why it could not fail on any device, if there is one.
//!
//! Must not know values: what a condition stands on is read off its names and the manifest's columns.

use std::collections::BTreeSet;

use crate::base::quantity::Dimension;
use crate::course::columns::{PROFILED, Standing, built_in, is_compiled, is_profiled};
use crate::course::sweep::{KernelSweep, Kind, ProgramSweep, Sweep};
use crate::expr::{Expr, Least, Names};

/// What `expr` stands on in a lesson of `sweeps`.
pub(super) fn standing(expr: &Expr, sweeps: &[&Sweep]) -> Standing {
    of_names(&expr.names(), sweeps, &mut BTreeSet::new())
}

fn of_names(names: &Names, sweeps: &[&Sweep], seen: &mut BTreeSet<String>) -> Standing {
    let mut standing = if names.device.is_empty() { Standing::Plan } else { Standing::Device };
    for name in names.columns.iter().chain(&names.bare) {
        let own = sweeps.iter().any(|sweep| is_own(sweep, name));
        let derived = sweeps.iter().filter_map(|sweep| sweep.columns.iter().find(|column| column.name == *name));
        let mut found = Standing::Plan;
        let mut is_derived = false;
        for column in derived {
            is_derived = true;
            if seen.insert(name.clone()) {
                found = found.max(of_names(&column.value.names(), sweeps, seen));
                seen.remove(name);
            }
        }
        // A name may be a constant of one sweep and read back in another; as either it must be able to fail.
        if sweeps.iter().any(|sweep| is_read_back(sweep, name)) {
            found = Standing::Measured;
        } else if !own && !is_derived {
            found = match built_in(name) {
                _ if sweeps.iter().any(|sweep| says_compiler(sweep, name)) => Standing::Device,
                Some(column) => column.standing,
                None if name == "device" => Standing::Device,
                None if sweeps.iter().any(|sweep| is_constant(sweep, name)) => Standing::Plan,
                // A name that nobody knows is another problem's business.
                None => Standing::Measured,
            };
        }
        standing = standing.max(found);
    }
    standing
}

/// Whether `name` is what a compiler says of the rows of `sweep`; it differs between architectures and toolkits.
fn says_compiler(sweep: &Sweep, name: &str) -> bool {
    match &sweep.kind {
        Kind::Compile(compile) => is_compiled(name) || compile.sass.iter().any(|column| column.name == name),
        Kind::Profile(_) => PROFILED.iter().any(|column| column.name == name && column.standing == Standing::Device),
        Kind::Kernel(_) | Kind::Program(_) => false,
    }
}

fn is_read_back(sweep: &Sweep, name: &str) -> bool {
    matches!(&sweep.kind, Kind::Kernel(kernel) if kernel.reads.iter().any(|read| read.name == name))
}

fn is_constant(sweep: &Sweep, name: &str) -> bool {
    sweep.constants.iter().any(|(constant, _)| constant == name)
}

fn is_own(sweep: &Sweep, name: &str) -> bool {
    sweep.axes.iter().any(|axis| axis.name == name) || sweep.explicit_rows.iter().flat_map(|row| &row.values).any(|(own, _)| own == name)
}

/// How little the column `name` of any of `sweeps` may be: what a program printed, what is read back from signed integers and what is
/// derived by a difference may be below zero; what was counted may be nothing; what was timed is more than that.
fn least(name: &str, sweeps: &[&Sweep], depth: usize) -> Least {
    sweeps.iter().map(|sweep| least_of(name, sweep, sweeps, depth)).min().unwrap_or(Least::NotOfRun)
}

fn least_of(name: &str, sweep: &Sweep, sweeps: &[&Sweep], depth: usize) -> Least {
    if let Some(column) = sweep.columns.iter().find(|column| column.name == name) {
        // A column that stands on itself is another problem's business.
        return if depth >= DEEPEST { Least::BelowZero } else { column.value.least(&|name| least(name, sweeps, depth + 1)) };
    }
    if is_own(sweep, name) || is_constant(sweep, name) {
        return Least::NotOfRun;
    }
    if let Some(column) = built_in(name) {
        return match column.standing {
            Standing::Plan => Least::NotOfRun,
            Standing::Device => Least::Zero,
            Standing::Measured => Least::AboveZero,
        };
    }
    match &sweep.kind {
        Kind::Kernel(kernel) if is_read_back(sweep, name) => least_read(kernel, name),
        Kind::Compile(_) if says_compiler(sweep, name) => Least::Zero,
        // While an SM is busy there is a warp on it.
        Kind::Profile(_) if name == "achieved" => Least::AboveZero,
        Kind::Profile(profile) if is_profiled(name) || profile.metrics.iter().any(|metric| metric.name == name) => Least::Zero,
        Kind::Program(program) if prints(program, name) => Least::BelowZero,
        Kind::Kernel(_) | Kind::Compile(_) | Kind::Profile(_) | Kind::Program(_) => Least::NotOfRun,
    }
}

fn prints(program: &ProgramSweep, name: &str) -> bool {
    let in_a_table = program.tables.iter().flat_map(|table| &table.columns).any(|column| column.name == name);
    in_a_table || program.values.iter().any(|value| value.name == name)
}

/// How many columns may be derived one from the other before nothing more is known of their sign.
const DEEPEST: usize = 16;

/// How little what is read back as `name` may be: a time or a count of cycles is more than nothing.
fn least_read(kernel: &KernelSweep, name: &str) -> Least {
    let Some(read) = kernel.reads.iter().find(|read| read.name == name) else { return Least::Zero };
    let buffer = kernel.buffers.iter().find(|known| known.name == read.buffer.0);
    match read.unit.as_ref().map(|unit| unit.dimension) {
        _ if buffer.is_some_and(|buffer| buffer.element.is_signed()) => Least::BelowZero,
        Some(Dimension::TIME | Dimension::CYCLES) => Least::AboveZero,
        _ => Least::Zero,
    }
}

/// Why `expr` could not fail on any device.
pub(super) fn vacuous(expr: &Expr, sweeps: &[&Sweep]) -> Option<String> {
    if let Some(why) = expr.cannot_fail(&|name| least(name, sweeps, 0)) {
        return Some(why);
    }
    let standing = standing(expr, sweeps);
    (standing == Standing::Plan).then(|| "it stands on constants and the plan only, which are the same on every device".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::problem::Problems;
    use crate::base::slice::Slice;
    use crate::course::sweep;

    #[test]
    fn what_one_sweep_reads_back_is_measured_whatever_another_calls_so() {
        let sweeps = [("a", "[read]\nstep = { buffer = \"clock\" }\n"), ("b", "[constants]\nstep = 3\n")].map(|(name, more)| {
            let text = format!(
                "title = \"T\"\nsource = \"{name}.cu\"\n[buffers]\nclock = {{ role = \"scratch\", type = \"u64\", count = 1 }}\n\
                 [launch]\nkernel = \"k\"\nblock = 1\ngrid = 1\narguments = [\"clock\"]\n[timing]\ntime = false\n{more}"
            );
            sweep::read(&format!("kernels/{name}.toml").as_str().into(), name, &text, &mut Problems::new()).expect("it is a sweep")
        });
        let sweeps: Vec<&Sweep> = sweeps.iter().collect();
        for (text, expected) in [("a.row('x').step < a.row('y').step", false), ("3 < 4", true)] {
            let expr = Expr::parse(&Slice::verbatim(&"a.md".into(), text, 0)).expect("it parses");
            assert_eq!(vacuous(&expr, &sweeps).is_some(), expected, "{text}");
        }
    }
}
