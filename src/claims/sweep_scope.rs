//! Turns the sweep of a column into what names mean in that column, besides the row's own.
//!
//! Must not know lessons, nor other sweeps.

use crate::expr::{Absent, RowSet, Scope, Value};

use super::facts::SweepFacts;

/// What names mean in a manifest's columns, besides the row's own.
pub(super) struct SweepScope<'a>(pub(super) &'a SweepFacts);

impl Scope for SweepScope<'_> {
    fn name(&self, name: &str) -> Option<Result<Value, Absent>> {
        if let Some(value) = self.0.named(name) {
            return Some(value);
        }
        (name == "device").then(|| match &self.0.device_row {
            Some(row) => Ok(Value::Row(row.clone())),
            None if self.0.run.is_some() => Err(format!("{} was measured without a GPU", self.0.name).into()),
            None => Err(self.0.unmeasured()),
        })
    }

    fn names(&self) -> Vec<String> {
        self.0.known_names().chain(["device".to_owned()]).collect()
    }

    fn rows(&self) -> Result<RowSet, Absent> {
        Ok(RowSet::of(self.0.row_values()))
    }
}
