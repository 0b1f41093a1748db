//! Turns the sweeps that a lesson stands on into what names mean in its sentences and figures, on one device.
//!
//! Must not know the lesson's text.

use std::sync::Arc;

use crate::base::name::in_expressions;
use crate::expr::{Absent, Row, RowSet, Scope, Value};

use super::facts::SweepFacts;

/// What names mean in a lesson.
pub struct LessonScope {
    device: String,
    /// All sweeps of the course on the device.
    sweeps: Vec<Arc<SweepFacts>>,
    /// The sweeps that the lesson stands on, as indices.
    own: Vec<usize>,
    device_row: Option<Arc<dyn Row>>,
}

impl LessonScope {
    pub(super) fn new(device: &str, sweeps: Vec<Arc<SweepFacts>>, own: &[&str], latest: Option<Arc<dyn Row>>) -> Self {
        let own: Vec<usize> = own.iter().filter_map(|name| sweeps.iter().position(|sweep| &*sweep.name == *name)).collect();
        // What the lesson's own run saw of the device comes before what any other run did.
        let device_row = own.iter().filter_map(|&index| sweeps[index].device_row.clone()).next().or(latest);
        Self { device: device.to_owned(), sweeps, own, device_row }
    }

    /// The device's slug.
    #[must_use]
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The sweep that an exhibit or a name means: by its name, with `-` or `_`.
    #[must_use]
    pub fn sweep(&self, name: &str) -> Option<&SweepFacts> {
        self.sweeps.iter().map(Arc::as_ref).find(|sweep| *sweep.name == *name || in_expressions(&sweep.name) == name)
    }

    /// The sweeps that the lesson stands on.
    pub fn own(&self) -> impl Iterator<Item = &SweepFacts> {
        self.own.iter().filter_map(|&index| self.sweeps.get(index)).map(Arc::as_ref)
    }
}

fn rows_of(sweep: &SweepFacts) -> Result<Vec<Arc<dyn Row>>, Absent> {
    if sweep.run.is_some() { Ok(sweep.row_values()) } else { Err(sweep.unmeasured()) }
}

impl Scope for LessonScope {
    fn name(&self, name: &str) -> Option<Result<Value, Absent>> {
        if name == "device" {
            return Some(match &self.device_row {
                Some(row) => Ok(Value::Row(row.clone())),
                None => Err(Absent::unmeasured(format!("nothing was measured on {}", self.device))),
            });
        }
        if let Some(sweep) = self.own().find(|sweep| in_expressions(&sweep.name) == name) {
            return Some(rows_of(sweep).map(|rows| Value::Rows(RowSet::of(rows))));
        }
        if let Some(sweep) = self.sweeps.iter().find(|sweep| in_expressions(&sweep.name) == name) {
            return Some(Err(format!("the lesson doesn't stand on {0}; add it to `sweeps` in its front matter", sweep.name).into()));
        }
        let mut own = self.own();
        match (own.next(), own.next()) {
            (Some(sweep), None) => sweep.constants.get(name).map(|constant| Ok(Value::Quantity(constant.clone()))),
            _ => None,
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.own().map(|sweep| in_expressions(&sweep.name)).collect();
        if let [only] = self.own.as_slice() {
            names.extend(self.sweeps[*only].constants.keys().cloned());
        }
        names.extend(["device".to_owned(), "rows".to_owned()]);
        names
    }

    fn rows(&self) -> Result<Vec<Arc<dyn Row>>, Absent> {
        let own: Vec<&SweepFacts> = self.own().collect();
        match own.as_slice() {
            [sweep] => rows_of(sweep),
            [] => Err("the lesson stands on no sweep; name one in `sweeps` in its front matter".into()),
            several => {
                let names: Vec<String> = several.iter().map(|sweep| format!("`{}.`", in_expressions(&sweep.name))).collect();
                Err(format!("the lesson stands on several sweeps; say which: {}", names.join(", ")).into())
            }
        }
    }
}
