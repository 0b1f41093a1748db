//! Turns the sweeps of a course on one device into what their names mean there.
//!
//! Must not know other devices, nor which sweeps a lesson stands on.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::name::in_expressions;

use super::facts::SweepFacts;

/// The sweeps of a course on one device.
#[derive(Default)]
pub(super) struct OnDevice {
    sweeps: BTreeMap<Arc<str>, Arc<SweepFacts>>,
    /// Their names by how expressions spell them.
    spelled: BTreeMap<String, Arc<str>>,
}

impl OnDevice {
    /// These sweeps.
    pub(super) fn of(sweeps: Vec<Arc<SweepFacts>>) -> Self {
        let spelled = sweeps.iter().map(|sweep| (in_expressions(&sweep.name), sweep.name.clone())).collect();
        Self { sweeps: sweeps.into_iter().map(|sweep| (sweep.name.clone(), sweep)).collect(), spelled }
    }

    /// All of them, by name.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<SweepFacts>> {
        self.sweeps.values()
    }

    /// What the device `device`, which they are on, is called by a run that was made on it.
    pub(super) fn device_name(&self, device: &str) -> Option<String> {
        let mut runs = self.all().filter_map(|sweep| sweep.run.as_ref());
        runs.find(|run| run.device() == device).map(|run| run.made_on())
    }

    /// The sweep `name`.
    pub(super) fn sweep(&self, name: &str) -> Option<&Arc<SweepFacts>> {
        self.sweeps.get(name)
    }

    /// The sweep that expressions call `name`.
    pub(super) fn spelled(&self, name: &str) -> Option<&Arc<SweepFacts>> {
        self.sweep(self.spelled.get(name)?)
    }
}
