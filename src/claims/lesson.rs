//! Turns the sweeps that a lesson stands on into what names mean in its sentences and figures, on one device.
//!
//! Must not know the lesson's text.

use std::sync::Arc;

use crate::base::name::in_expressions;
use crate::evidence::{Run, spoken};
use crate::expr::{Absent, History, Row, RowSet, Scope, Value};

use super::facts::SweepFacts;
use super::on_device::OnDevice;

/// What names mean in a lesson.
pub struct LessonScope {
    device: String,
    /// All sweeps of the course on the device.
    all: Arc<OnDevice>,
    /// The sweeps that the lesson stands on.
    own: Vec<Own>,
    /// Sweeps that the lesson names and that could not be planned or are not there; a problem elsewhere says why.
    lost: Vec<String>,
    /// What the latest run on the device says of it, whatever the sweep.
    latest: Option<Arc<dyn Row>>,
}

/// A sweep that a lesson stands on.
#[derive(Clone)]
struct Own {
    facts: Arc<SweepFacts>,
    /// The runs that may be asked for, where that is not the business of `facts`: another run than the current one counts.
    history: Option<Arc<dyn History>>,
}

impl LessonScope {
    pub(super) fn new<'a>(device: &str, all: Arc<OnDevice>, named: impl Iterator<Item = &'a str>, latest: Option<Arc<dyn Row>>) -> Self {
        let (mut own, mut lost) = (Vec::new(), Vec::new());
        for name in named {
            match all.sweep(name) {
                Some(sweep) => own.push(Own { facts: sweep.clone(), history: None }),
                None => lost.push(name.to_owned()),
            }
        }
        Self { device: device.to_owned(), all, own, lost, latest }
    }

    /// The same had `run`, one of the runs of the sweep `sweep`, counted and not the one that does; `None` where that run says nothing
    /// of the rows that are planned today, or the lesson doesn't stand on the sweep.
    #[must_use]
    pub fn by(&self, sweep: &str, run: &Run) -> Option<Self> {
        let mut own = self.own.clone();
        let place = own.iter_mut().find(|own| *own.facts.name == *sweep)?;
        *place = Own { facts: place.facts.by(run)?, history: place.facts.history_by(run) };
        Some(Self { device: self.device.clone(), all: self.all.clone(), own, lost: self.lost.clone(), latest: self.latest.clone() })
    }

    /// What the lesson's own run saw of the device, before what any other run did.
    fn device_row(&self) -> Option<&Arc<dyn Row>> {
        self.own.iter().find_map(|own| own.facts.device_row.as_ref()).or(self.latest.as_ref())
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
        !self.lost.is_empty() || self.own.iter().any(|own| own.facts.is_faulty())
    }

    /// Whether a sweep that the lesson stands on has no current run here.
    #[must_use]
    pub fn lacks_a_run(&self) -> bool {
        self.own.iter().any(|own| own.facts.run.is_none())
    }
}

/// Why there is no value of the sweep `name`: not the fault of the expression.
fn unread(name: &str) -> Absent {
    Absent::unmeasured(format!("the sweep {name} can't be read"))
}

fn rows_of(own: &Own) -> Result<RowSet, Absent> {
    if own.facts.run.is_none() {
        return Err(own.facts.unmeasured());
    }
    let rows = own.facts.row_set();
    Ok(RowSet { history: own.history.clone().or(rows.history), ..rows })
}

impl Scope for LessonScope {
    fn name(&self, name: &str) -> Option<Result<Value, Absent>> {
        if name == "device" {
            return Some(match self.device_row() {
                Some(row) => Ok(Value::Row(row.clone())),
                None => Err(Absent::unmeasured(format!("nothing was measured on {}", spoken(&self.device)))),
            });
        }
        if let Some(own) = self.own.iter().find(|own| in_expressions(&own.facts.name) == name) {
            return Some(rows_of(own).map(Value::Rows));
        }
        if let Some(lost) = self.lost.iter().find(|lost| in_expressions(lost) == name) {
            return Some(Err(unread(lost)));
        }
        if let Some(sweep) = self.all.spelled(name) {
            return Some(Err(format!("the lesson doesn't stand on {0}; add it to `sweeps` in its front matter", sweep.name).into()));
        }
        match self.own.as_slice() {
            [only] => only.facts.named(name),
            // It may be a constant of the sweep that can't be read.
            _ => self.lost.first().map(|lost| Err(unread(lost))),
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.own.iter().map(|own| in_expressions(&own.facts.name)).collect();
        if let [only] = self.own.as_slice() {
            names.extend(only.facts.known_names());
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
                let names: Vec<String> = several.iter().map(|own| format!("`{}.`", in_expressions(&own.facts.name))).collect();
                Err(format!("the lesson stands on several sweeps; say which: {}", names.join(", ")).into())
            }
        }
    }
}
