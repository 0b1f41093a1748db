//! Turns what depends on the device into one part of the page for each device that it shows; a reader sees one of them at a time,
//! in print all.
//!
//! Must not know what the parts show. The first device is what every page shows without scripts.

use serde::Serialize;

use crate::base::problem::{Problem, Severity};
use crate::claims::Facts;

use super::Counts;
use super::page::Page;

/// A device, as pages name it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct DeviceView {
    /// Its slug, by which a reader's choice is kept.
    pub slug: String,
    /// Its product name.
    pub name: String,
    /// What marks it, in words: that it is the reader's own.
    pub mark: Option<String>,
}

/// The devices between which a reader of most pages can choose; none where there is no choice.
pub(crate) fn choice(facts: &Facts) -> Vec<DeviceView> {
    let view = |slug: &String| DeviceView { slug: slug.clone(), name: facts.device_name(slug), mark: None };
    if facts.devices().len() > 1 { facts.devices().iter().map(view).collect() } else { Vec::new() }
}

/// The classes of the part that is for the device at `index`, with a space before them.
pub(crate) fn class(index: usize) -> String {
    format!(" on d{index}")
}

/// What ends the ids of parts that are for the device at `index`: none for the first, so that links keep their targets.
pub(crate) fn id_end(index: usize) -> String {
    if index == 0 { String::new() } else { format!("-on-{index}") }
}

impl Page<'_> {
    /// The devices between which a reader of this page can choose; none where there is no choice.
    pub(crate) fn choice(&self) -> Vec<DeviceView> {
        let facts = self.world.facts;
        let view = |slug: &String| {
            let private = self.lesson.sweeps.iter().find_map(|(sweep, _)| facts.private_run(sweep, slug));
            let mark = private.and_then(|run| Some(self.words.private.beside(run.private()?, run.date())));
            DeviceView { slug: slug.clone(), name: facts.device_name(slug), mark }
        };
        if self.has_choice() { self.devices.iter().map(view).collect() } else { Vec::new() }
    }

    /// What `make` makes for each device that the page shows, the primary one first; a single one where there is no choice or where the page
    /// is within a part for one device already. Only the first counts as checked, and what is wrong on another device alone is
    /// a warning: the page says there in words what it lacks.
    pub(crate) fn on_each<T>(&mut self, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let devices = self.devices.len();
        if devices < 2 || self.within {
            return vec![make(self)];
        }
        self.within = true;
        let mut made = vec![make(self)];
        let known: Vec<Problem> = self.problems.iter().cloned().collect();
        for device in 1..devices {
            let counts: Counts = self.counts;
            let problems = std::mem::take(&mut self.problems);
            self.device = device;
            made.push(make(self));
            let found = std::mem::replace(&mut self.problems, problems);
            let slug = self.device().to_owned();
            let is_new = |found: &Problem| !known.iter().any(|known| known.id == found.id && known.at == found.at);
            let on_device = |found: Problem| {
                let message = format!("on {slug}: {}", found.message);
                Problem { severity: Severity::Warning, message, ..found }
            };
            // What is lacking on somebody's own card is no fault of the course.
            if device < self.world.facts.devices().len() {
                self.problems.extend(found.into_iter().filter(is_new).map(on_device));
            }
            self.counts = counts;
            self.device = 0;
        }
        self.within = false;
        made
    }
}
