//! Turns a course and choices into single faults, kind by kind, each with the rule that must find it.
//!
//! Must not ask a rule where it looks: what makes a change a fault is argued from what the changed thing means, here.

mod careful;
mod claim;
mod course;
mod kernel;
mod lesson;
mod manifest;
mod marker;
mod record;
mod run;
mod site;

use super::course::{Change, Course};
use super::random::Random;

/// A kind of fault.
pub(super) struct Kind {
    /// What is wrong, in words.
    pub(super) what: &'static str,
    /// The id of the problem that must be found.
    pub(super) rule: &'static str,
    /// How many are made.
    pub(super) count: usize,
    /// Makes one; `None` where the choice fell on a place that has none.
    pub(super) make: fn(&Course, &mut Random) -> Option<Change>,
}

/// Every kind.
pub(super) fn all() -> impl Iterator<Item = &'static Kind> {
    let texts = [kernel::KINDS, manifest::KINDS, lesson::KINDS, marker::KINDS, claim::KINDS, course::KINDS];
    let rest = [record::KINDS, run::KINDS, careful::KINDS, site::KINDS];
    texts.into_iter().chain(rest).flatten()
}
