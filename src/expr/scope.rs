//! What an expression meets where it stands: values, rows, and what names mean.
//!
//! Turns nothing into anything by itself. Must not know which stage answers.

use std::sync::Arc;

use crate::base::quantity::Quantity;

use super::best::Contest;

/// A value of the language.
#[derive(Clone)]
pub enum Value {
    /// A number with a unit, exact or over rounds.
    Quantity(Quantity),
    /// Text.
    Text(Arc<str>),
    /// One of these texts: a label where the data can't tell which row it is.
    OneOf(Vec<Arc<str>>),
    /// Yes or no, or, for what the data can't tell, neither (`None`).
    Truth(Option<bool>),
    /// One row of a sweep (or any other set of named values, such as the device).
    Row(Arc<dyn Row>),
    /// Rows of a sweep.
    Rows(RowSet),
    /// A place in an order of rows that does not exist, or may not.
    Place(Place),
}

/// From which row on something holds, where that may be nowhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Where it may be; `None`: there is no such place.
    pub at: Option<Quantity>,
    /// Why there is none, or may be none.
    pub why: String,
}

/// Rows of a sweep, in its order.
#[derive(Clone, Default)]
pub struct RowSet {
    /// The rows that belong to it for sure.
    pub sure: Vec<Arc<dyn Row>>,
    /// The rows of which the data can't tell whether they do.
    pub unsure: Vec<Arc<dyn Row>>,
    /// Named values of the sweep that belong to none of its rows, where it has any.
    pub values: Option<Arc<dyn Row>>,
    /// The runs that it may also be asked for, where these are the rows of a sweep.
    pub history: Option<Arc<dyn History>>,
}

impl RowSet {
    /// All of `rows`, for sure.
    #[must_use]
    pub fn of(rows: Vec<Arc<dyn Row>>) -> Self {
        Self { sure: rows, ..Self::default() }
    }

    /// All rows that may belong to it, each with whether it does for sure.
    pub fn members(&self) -> impl Iterator<Item = (&Arc<dyn Row>, bool)> {
        self.sure.iter().map(|row| (row, true)).chain(self.unsure.iter().map(|row| (row, false)))
    }
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

    /// Why, if it is only that nothing was measured.
    #[must_use]
    pub fn why_unmeasured(self) -> Option<String> {
        self.unmeasured.then_some(self.why)
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
    /// Whether it has a column `name`, with a value or without.
    fn has(&self, name: &str) -> bool {
        self.columns().iter().any(|known| known == name)
    }
    /// Among which rows, and by what, the data chose it; `None` where the author did.
    fn contest(&self) -> Option<&Contest> {
        None
    }
}

/// The runs of a sweep on a device.
pub trait History: Send + Sync {
    /// The rows of the run `name`, or of the one that counts, with what is known of the run itself as their values.
    ///
    /// # Errors
    /// One sentence: that there is no such run.
    fn run(&self, name: Option<&str>) -> Result<RowSet, Absent>;
}

/// What names mean where an expression stands.
pub trait Scope {
    /// The value of the bare name `name`, or `None` if there is no such name here. A sweep's name stands for
    /// [`Value::Rows`].
    fn name(&self, name: &str) -> Option<Result<Value, Absent>>;
    /// All bare names, for "did you mean".
    fn names(&self) -> Vec<String>;
    /// The rows that `row(…)`, `rows`, `best(…)`, `count(…)` speak of when no sweep is named.
    ///
    /// # Errors
    /// One sentence: that there is no sweep here, several, or that it was not measured on this device.
    fn rows(&self) -> Result<RowSet, Absent>;
}

/// A scope in which the columns of one row are names too, and `this` is the row: for derived columns and predicates.
pub struct RowScope<'a> {
    /// The row.
    pub row: Arc<dyn Row>,
    /// What all other names mean.
    pub outer: &'a dyn Scope,
}

impl Scope for RowScope<'_> {
    fn name(&self, name: &str) -> Option<Result<Value, Absent>> {
        if name == "this" {
            return Some(Ok(Value::Row(self.row.clone())));
        }
        if self.row.has(name) {
            return Some(self.row.column(name));
        }
        self.outer.name(name)
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.row.columns();
        names.push("this".to_owned());
        names.extend(self.outer.names());
        names
    }

    fn rows(&self) -> Result<RowSet, Absent> {
        self.outer.rows()
    }
}

/// A scope in which no name means anything: for what computes with numbers only.
pub struct Nowhere;

impl Scope for Nowhere {
    fn name(&self, _: &str) -> Option<Result<Value, Absent>> {
        None
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn rows(&self) -> Result<RowSet, Absent> {
        Err("there are no rows here".into())
    }
}
