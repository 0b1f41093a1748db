//! Turns the coverage of a course's pages into lines for people and members of JSON.
//!
//! Must not judge it: what share may be stated, a rule says.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::report::plural;
use crate::course::Course;
use crate::course::stated::Coverage;

/// The coverage of all pages together.
#[must_use]
pub fn total(course: &Course) -> Coverage {
    let mut all = Coverage::default();
    for (_, coverage) in course.coverages() {
        all += coverage;
    }
    all
}

/// `coverage` in words: `29 of 31 figures bound, 2 stated, 0 free; 5 sentences checked, 2 regions shown`.
#[must_use]
pub fn line(coverage: Coverage) -> String {
    let Coverage { bound, stated, free, sentences, regions } = coverage;
    format!(
        "{bound} of {} bound, {stated} stated, {free} free; {} checked, {} shown",
        plural(coverage.figures(), "figure"),
        plural(sentences, "sentence"),
        plural(regions, "region")
    )
}

/// A line for each page.
#[must_use]
pub fn pages(course: &Course) -> String {
    let mut text = String::new();
    for (lesson, coverage) in course.coverages() {
        let _ = writeln!(text, "{}: {}", lesson.file, line(coverage));
    }
    text
}

/// Each page and all together.
#[must_use]
pub fn json(course: &Course) -> Value {
    let members = |coverage: Coverage| {
        let Coverage { bound, stated, free, sentences, regions } = coverage;
        json!({ "bound": bound, "stated": stated, "free": free, "sentences": sentences, "regions": regions })
    };
    let pages = course.coverages().map(|(lesson, coverage)| json!({ "path": &*lesson.file, "coverage": members(coverage) }));
    json!({ "all": members(total(course)), "pages": pages.collect::<Vec<_>>() })
}
