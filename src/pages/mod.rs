//! Turns lessons, evidence and verdicts into a site: a sorted map from path to recipe, rendered when asked.
//!
//! Must not know disks, browsers or devices.
