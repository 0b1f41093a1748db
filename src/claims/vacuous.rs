//! Turns a condition into the reason why it could not fail on any device, if there is one.
//!
//! Must not know values: what a condition stands on is read off its names and the manifest's columns.

use std::collections::BTreeSet;

use crate::course::columns::{PROFILED, Standing, built_in, is_compiled};
use crate::course::sweep::{Kind, Sweep};
use crate::expr::{Expr, Names};

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
        if !own && !is_derived {
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

fn is_constant(sweep: &Sweep, name: &str) -> bool {
    sweep.constants.iter().any(|(constant, _)| constant == name)
}

fn is_own(sweep: &Sweep, name: &str) -> bool {
    sweep.axes.iter().any(|axis| axis.name == name) || sweep.explicit_rows.iter().flat_map(|row| &row.values).any(|(own, _)| own == name)
}

/// Why `expr` could not fail on any device.
pub(super) fn vacuous(expr: &Expr, sweeps: &[&Sweep]) -> Option<String> {
    let standing = standing(expr, sweeps);
    if let Some(why) = expr.cannot_fail(standing == Standing::Measured) {
        return Some(why);
    }
    (standing == Standing::Plan).then(|| "it stands on constants and the plan only, which are the same on every device".to_owned())
}
