//! Turns a parsed expression into the names it stands on, without a value for any of them.
//!
//! Must not know what any name means.

use std::collections::BTreeSet;

use super::figure::FORMATTERS;
use super::tree::{Form, Kind, Node};

/// The names that an expression stands on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Bare names outside predicates: `pixels`, `device`, `block_size`, `rows`.
    pub bare: BTreeSet<String>,
    /// Columns: `.ms`, `["GB/s"]`, the text arguments of `best` and its kin, and bare names in predicates over rows
    /// (which may be names from outside too).
    pub columns: BTreeSet<String>,
    /// The names that `.row(…)`, `.rows`, `.best(…)` and the like are called on: sweeps, with `_` for `-`.
    pub sweeps: BTreeSet<String>,
    /// Whether it speaks of the rows of the one sweep at hand: `row(…)`, `rows`, `best(…)` without a sweep's name.
    pub rows: bool,
    /// Fields of `device`.
    pub device: BTreeSet<String>,
    /// The runs that it names: `run('2026-11-30-nvidia-h200')`.
    pub runs: BTreeSet<String>,
}

/// Functions over rows: what stands before the dot is a sweep, and without it the sweep at hand is meant.
const ROW_FUNCTIONS: [&str; 16] =
    ["row", "run", "best", "worst", "fastest", "ties", "near_best", "pair", "first", "last", "rows", "alike", "all", "any", "none", "from"];

/// Functions over a column of rows: those given, or the rows at hand.
const FOLDS: [&str; 6] = ["count", "len", "sum", "min", "max", "range"];

pub(crate) fn names(root: &Node) -> Names {
    let mut names = Names::default();
    root.walk(false, &mut |node, in_predicate| match &node.kind {
        Kind::Name(name) if name == "rows" => names.rows = true,
        Kind::Name(name) if name == "this" => {}
        Kind::Name(name) if in_predicate => _ = names.columns.insert(name.clone()),
        Kind::Name(name) => _ = names.bare.insert(name.clone()),
        Kind::Member(on, member) => match &on.kind {
            Kind::Name(name) if name == "device" => _ = names.device.insert(member.clone()),
            Kind::Name(name) if member == "rows" => _ = names.sweeps.insert(name.clone()),
            _ => _ = names.columns.insert(member.clone()),
        },
        Kind::Call(call) if ROW_FUNCTIONS.contains(&call.name.as_str()) => {
            match (call.form, call.arguments.first().map(|argument| &argument.value.kind)) {
                (Form::Method | Form::Piped, Some(Kind::Name(name))) if name != "rows" => _ = names.sweeps.insert(name.clone()),
                (Form::Plain, first) if matches!(first, None | Some(Kind::Text(_))) || matches!(&*call.name, "row" | "run") => {
                    names.rows = true
                }
                // Only the condition is given, and it is about the rows at hand.
                (Form::Plain, Some(_)) if call.predicate() == Some(0) => names.rows = true,
                _ => {}
            }
            names.columns.extend(call.arguments.iter().filter_map(|argument| match (&argument.name, &argument.value.kind) {
                (Some(name), _) if call.name == "row" => Some(name.clone()),
                (Some(_), Kind::Text(column)) if call.name == "pair" => Some(column.clone()),
                (None, Kind::Text(column)) if !matches!(&*call.name, "row" | "run") => Some(column.clone()),
                _ => None,
            }));
            names.runs.extend(call.arguments.iter().filter_map(|argument| match &argument.value.kind {
                Kind::Text(run) if call.name == "run" => Some(run.clone()),
                _ => None,
            }));
            if call.name == "fastest" {
                names.columns.insert("ms".to_owned());
            }
        }
        Kind::Call(call) if FOLDS.contains(&call.name.as_str()) => {
            let first = call.arguments.first().map(|argument| &argument.value.kind);
            names.rows |= matches!(first, None | Some(Kind::Text(_)));
            names.columns.extend(call.arguments.iter().filter_map(|argument| match &argument.value.kind {
                Kind::Text(column) => Some(column.clone()),
                _ => None,
            }));
        }
        _ => {}
    });
    for sweep in &names.sweeps {
        names.bare.remove(sweep);
    }
    names
}

/// Whether `root` is a number with nothing but a sign and formatters around it.
pub(crate) fn is_literal(root: &Node) -> bool {
    match &root.kind {
        Kind::Number(..) => true,
        Kind::Negate(inside) => is_literal(inside),
        Kind::Call(call) if FORMATTERS.contains(&call.name.as_str()) => {
            call.arguments.first().is_some_and(|argument| is_literal(&argument.value))
        }
        _ => false,
    }
}
