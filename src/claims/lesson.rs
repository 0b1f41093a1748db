//! Turns the sweeps that a lesson stands on into what names mean in its sentences and figures, on one device.
//!
//! Must not know the lesson's text.

use std::sync::Arc;

use crate::base::name::in_expressions;
use crate::evidence::spoken;
use crate::expr::{Absent, Row, RowSet, Scope, Value};

use super::facts::SweepFacts;
use super::on_device::OnDevice;

/// What names mean in a lesson.
pub struct LessonScope {
    device: String,
    /// All sweeps of the course on the device.
    all: Arc<OnDevice>,
    /// The sweeps that the lesson stands on.
    own: Vec<Arc<SweepFacts>>,
    /// Sweeps that the lesson names and that could not be planned or are not there; a problem elsewhere says why.
    lost: Vec<String>,
    device_row: Option<Arc<dyn Row>>,
}

impl LessonScope {
    pub(super) fn new<'a>(device: &str, all: Arc<OnDevice>, named: impl Iterator<Item = &'a str>, latest: Option<Arc<dyn Row>>) -> Self {
        let (mut own, mut lost) = (Vec::new(), Vec::new());
        for name in named {
            match all.sweep(name) {
                Some(sweep) => own.push(sweep.clone()),
                None => lost.push(name.to_owned()),
            }
        }
        // What the lesson's own run saw of the device comes before what any other run did.
        let device_row = own.iter().find_map(|sweep| sweep.device_row.clone()).or(latest);
        Self { device: device.to_owned(), all, own, lost, device_row }
    }

    /// The sweep that a name in an expression means, of those that the lesson stands on and of all others.
    #[must_use]
    pub fn sweep(&self, name: &str) -> Option<&SweepFacts> {
        self.all.sweep(name).or_else(|| self.all.spelled(name)).map(Arc::as_ref)
    }

    /// Whether a sweep that the lesson stands on, or one of its columns, is wrong: what follows from that is not the lesson's
    /// fault.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        !self.lost.is_empty() || self.own.iter().any(|sweep| sweep.is_faulty())
    }

    /// Whether a sweep that the lesson stands on has no current run here.
    #[must_use]
    pub fn lacks_a_run(&self) -> bool {
        self.own.iter().any(|sweep| sweep.run.is_none())
    }
}

/// Why there is no value of the sweep `name`: not the fault of the expression.
fn unread(name: &str) -> Absent {
    Absent::unmeasured(format!("the sweep {name} can't be read"))
}

fn rows_of(sweep: &SweepFacts) -> Result<RowSet, Absent> {
    if sweep.run.is_some() { Ok(sweep.row_set()) } else { Err(sweep.unmeasured()) }
}

impl Scope for LessonScope {
    fn name(&self, name: &str) -> Option<Result<Value, Absent>> {
        if name == "device" {
            return Some(match &self.device_row {
                Some(row) => Ok(Value::Row(row.clone())),
                None => Err(Absent::unmeasured(format!("nothing was measured on {}", spoken(&self.device)))),
            });
        }
        if let Some(sweep) = self.own.iter().find(|sweep| in_expressions(&sweep.name) == name) {
            return Some(rows_of(sweep).map(Value::Rows));
        }
        if let Some(lost) = self.lost.iter().find(|lost| in_expressions(lost) == name) {
            return Some(Err(unread(lost)));
        }
        if let Some(sweep) = self.all.spelled(name) {
            return Some(Err(format!("the lesson doesn't stand on {0}; add it to `sweeps` in its front matter", sweep.name).into()));
        }
        match self.own.as_slice() {
            [only] => only.named(name),
            // It may be a constant of the sweep that can't be read.
            _ => self.lost.first().map(|lost| Err(unread(lost))),
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.own.iter().map(|sweep| in_expressions(&sweep.name)).collect();
        if let [only] = self.own.as_slice() {
            names.extend(only.known_names());
        }
        names.extend(["device".to_owned(), "rows".to_owned()]);
        names
    }

    fn rows(&self) -> Result<RowSet, Absent> {
        if let Some(lost) = self.lost.first() {
            return Err(unread(lost));
        }
        match self.own.as_slice() {
            [sweep] => rows_of(sweep),
            [] => Err("the lesson stands on no sweep; name one in `sweeps` in its front matter".into()),
            several => {
                let names: Vec<String> = several.iter().map(|sweep| format!("`{}.`", in_expressions(&sweep.name))).collect();
                Err(format!("the lesson stands on several sweeps; say which: {}", names.join(", ")).into())
            }
        }
    }
}
