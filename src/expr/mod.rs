//! Turns an expression of a sweep, a figure or a claim into a tree, and a tree with a scope into a value.
//!
//! Must not know records or devices: whatever a name stands for comes in through [`Scope`]. Total: no loops, no
//! recursion of the author's, cost bounded by the evidence.

use std::sync::Arc;

use crate::base::quantity::Quantity;

/// A value of the language.
#[derive(Clone)]
pub enum Value {
    /// A number with a unit, exact or over rounds.
    Quantity(Quantity),
    /// Text.
    Text(Arc<str>),
    /// Yes or no, or, for what the data can't tell, neither (`None`).
    Truth(Option<bool>),
    /// One row of a sweep (or any other set of named values, such as the device).
    Row(Arc<dyn Row>),
    /// Rows of a sweep.
    Rows(Vec<Arc<dyn Row>>),
}

/// Why there is no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// One sentence without a full stop.
    pub why: String,
    /// Whether it is only that nothing was measured: the expression itself is fine.
    pub unmeasured: bool,
}

impl Absent {
    /// There is no value because the device, the row or the column was not measured.
    #[must_use]
    pub fn unmeasured(why: impl Into<String>) -> Self {
        Self { why: why.into(), unmeasured: true }
    }
}

impl From<String> for Absent {
    fn from(why: String) -> Self {
        Self { why, unmeasured: false }
    }
}

impl From<&str> for Absent {
    fn from(why: &str) -> Self {
        why.to_owned().into()
    }
}

/// Named values that belong together: a row of a sweep, the device, the driver's residency answer.
pub trait Row: Send + Sync {
    /// What it is called in messages, such as "row 256 of block-size".
    fn title(&self) -> String;
    /// The value of `name`; the error is one sentence that says why there is none.
    ///
    /// # Errors
    /// When there is no such column, or it has no value here (a row that was not measured).
    fn column(&self, name: &str) -> Result<Value, Absent>;
    /// All names it has, for "did you mean".
    fn columns(&self) -> Vec<String>;
}

/// What names mean where an expression stands.
pub trait Scope {
    /// The value of the bare name `name`, or `None` if there is no such name here.
    fn name(&self, name: &str) -> Option<Result<Value, Absent>>;
    /// All bare names, for "did you mean".
    fn names(&self) -> Vec<String>;
    /// The rows that `row(…)`, `rows`, `best(…)`, `count(…)` speak of when no sweep is named.
    ///
    /// # Errors
    /// One sentence: that there is no sweep here, several, or that it was not measured on this device.
    fn rows(&self) -> Result<Vec<Arc<dyn Row>>, Absent>;
}

/// A parsed expression, with the author's text it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    source: crate::base::slice::Slice,
}
