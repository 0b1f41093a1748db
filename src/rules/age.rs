//! Holds evidence to the age that the course allows, and to days that have come.
//!
//! Must not know the clock; the day comes in as a value.

use chrono::NaiveDate;

use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;

pub(super) static RULE: Rule = Rule {
    id: "evidence-old",
    protects: "figures of drivers and compilers that nobody uses any more",
    example: "the run is 400 days old and lessons/course.toml allows 365",
    occasion: Occasion::Verify,
    check: Check::Whole(check),
};

fn check(checked: &Checked<'_>, problems: &mut Problems) {
    let (Some(as_of), Some(allowed)) = (checked.as_of, checked.course.config.policy.evidence_days) else { return };
    for (job, run) in checked.feeding() {
        let Ok(date) = run.date().parse::<NaiveDate>() else { continue };
        let days = (as_of - date).num_days();
        if days > i64::from(allowed) {
            let message = format!("the run is {days} days old, and the course allows {allowed}");
            problems.push(
                Problem::error(RULE.id, Span::top(&run.name), message)
                    .hint(format!("measure again: `lessonc measure {} --force`", job.sweep.name)),
            );
        }
    }
}

pub(super) static FUTURE: Rule = Rule {
    id: "evidence-future",
    protects: "a run that stays the latest for ever, because its day never comes",
    example: "the run is of 2126-01-31, and today is 2026-02-01",
    occasion: Occasion::Verify,
    check: Check::Whole(future),
};

/// Days by which the clocks of two machines may differ: one, for a run just before midnight.
const AHEAD: i64 = 1;

fn future(checked: &Checked<'_>, problems: &mut Problems) {
    let Some(as_of) = checked.as_of else { return };
    for run in checked.evidence.all() {
        let ahead = run.date().parse::<NaiveDate>().is_ok_and(|date| (date - as_of).num_days() > AHEAD);
        if ahead {
            let message = format!("the run is of {}, and today is {as_of}", run.date());
            problems.push(Problem::error(FUTURE.id, Span::top(&run.name), message).hint("set the machine's clock, and measure again"));
        }
    }
}
