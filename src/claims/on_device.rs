//! Turns the sweeps of a course on one device into what their names mean there, and runs into what is known of the device.
//!
//! Must not know other devices, nor which sweeps a lesson stands on.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::digest::Checksum;
use crate::base::name::in_expressions;
use crate::base::stamp::Stamp;
use crate::evidence::{Evidence, Run};
use crate::expr::Row;
use crate::plan::launch::DeviceFacts;
use crate::plan::{Job, facts};

use super::facts::{Outdated, SweepFacts};

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

/// What the latest run on each device says of it.
pub(super) fn latest_rows(evidence: &Evidence) -> (BTreeMap<String, Arc<dyn Row>>, Vec<String>) {
    let mut latest: BTreeMap<&str, (&Run, &DeviceFacts)> = BTreeMap::new();
    for run in evidence.all().chain(evidence.private.values().flatten()) {
        let header = &run.record.header;
        let Some(gpu) = &header.identity.gpu else { continue };
        let entry = latest.entry(run.device()).or_insert((run, gpu));
        if header.started > entry.0.record.header.started {
            *entry = (run, gpu);
        }
    }
    let source = |(run, _): &(&Run, &DeviceFacts)| format!("{} {:?}", run.name, run.record.footer.as_ref().map(|footer| footer.digest));
    let sources = latest.values().map(source).collect();
    (latest.into_iter().map(|(device, (_, gpu))| (device.to_owned(), facts::device(gpu) as Arc<dyn Row>)).collect(), sources)
}

/// What the facts of `job` hang on, whatever the device.
pub(super) fn stamp(job: &Arc<Job>, evidence: &Evidence, outdated: Outdated) -> Stamp {
    let mut stamp = Stamp::default();
    stamp.same(job);
    stamp.equal((outdated == Outdated::Shown).then(|| Checksum::of("outdated")));
    let runs = [&evidence.runs, &evidence.private].into_iter().flat_map(|runs| runs.get(&job.sweep.name)).flatten();
    runs.for_each(|run| stamp.same(run));
    stamp
}
