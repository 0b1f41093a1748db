//! Turns what an expression gets wrong into problems that point at the author's column.
//!
//! Must not know how values are computed.

use crate::base::name;
use crate::base::problem::Problem;
use crate::base::slice::Slice;

use super::token::Fault;

/// The id of a problem that says only that something was not measured.
pub const NOT_MEASURED: &str = "figure-not-measured";

pub(crate) fn of_fault(source: &Slice, fault: Fault) -> Problem {
    let problem = Problem::error(fault.id, source.span(fault.start, fault.end), fault.message);
    match fault.hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

pub(crate) fn value(start: usize, end: usize, why: impl Into<String>) -> Fault {
    Fault { id: "expr-value", ..Fault::syntax(start, end, why) }
}

pub(crate) fn kind(start: usize, end: usize, why: impl Into<String>) -> Fault {
    Fault { id: "expr-type", ..Fault::syntax(start, end, why) }
}

pub(crate) fn call(start: usize, end: usize, why: impl Into<String>) -> Fault {
    Fault { id: "expr-call", ..Fault::syntax(start, end, why) }
}

/// What is called `title` has no column `missed`.
pub(crate) fn no_column<'a>(start: usize, end: usize, title: &str, missed: &str, known: impl IntoIterator<Item = &'a str>) -> Fault {
    let fault = Fault { id: "expr-name", ..Fault::syntax(start, end, format!("{title} has no column `{missed}`")) };
    match name::did_you_mean(missed, known) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// Something named `missed` is not among `known`.
pub(crate) fn no_name<'a>(start: usize, end: usize, what: &str, missed: &str, known: impl IntoIterator<Item = &'a str>) -> Fault {
    let fault = Fault { id: "expr-name", ..Fault::syntax(start, end, format!("there is no {what} `{missed}`")) };
    match name::did_you_mean(missed, known) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}
