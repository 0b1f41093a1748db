//! Turns the weights that a course gives to rules into lighter and heavier problems.
//!
//! Must not let a course silence what its pages stand on: the catalogue says how far it may go.

use super::catalogue::{self, Leeway};
use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems, Severity};
use crate::course::policy::{Policy, Weight};

pub(super) static UNKNOWN: Rule = Rule {
    id: "rule-unknown",
    protects: "the author from a rule that was meant to be stricter and is misspelt",
    example: "`unbound-figures = { level = \"error\", … }` under `[rules]`",
    occasion: Occasion::Build,
    check: Check::Whole(unknown),
};

pub(super) static FIXED: Rule = Rule {
    id: "rule-fixed",
    protects: "readers from a course that turned off what its pages stand on",
    example: "`evidence-digest = { level = \"off\", … }` under `[rules]`",
    occasion: Occasion::Build,
    check: Check::Whole(fixed),
};

fn unknown(checked: &Checked<'_>, problems: &mut Problems) {
    for (rule, weight) in &checked.course.config.policy.rules {
        if catalogue::leeway(rule).is_none() {
            let entries = catalogue::entries();
            let known = entries.iter().flat_map(|entry| entry.ids).copied();
            let problem = Problem::error(UNKNOWN.id, weight.at.clone(), format!("there is no rule `{rule}`"));
            problems.push(problem.hint("`lessonc verify --rules` lists them all").meant(rule, known));
        }
    }
}

fn fixed(checked: &Checked<'_>, problems: &mut Problems) {
    for (rule, weight) in &checked.course.config.policy.rules {
        let Some(leeway) = catalogue::leeway(rule).filter(|&leeway| !is_allowed(weight, leeway)) else { continue };
        let problem = Problem::error(
            FIXED.id,
            weight.at.clone(),
            match leeway {
                Leeway::Fixed => format!("`{rule}` is always on: without it a page could say what nobody measured, or be no page"),
                Leeway::Warning | Leeway::Off => format!("`{rule}` may be a warning, but not off"),
            },
        );
        problems.push(problem.hint("take it out of `[rules]`, and mend what it finds"));
    }
}

fn is_allowed(weight: &Weight, leeway: Leeway) -> bool {
    match leeway {
        Leeway::Fixed => false,
        Leeway::Warning => weight.severity.is_some(),
        Leeway::Off => true,
    }
}

/// Weighs `problems` as the course does.
pub(super) fn apply(policy: &Policy, problems: &mut Problems) {
    let weight = |problem: &Problem| -> Option<Option<Severity>> {
        let weight = policy.rules.get(problem.id)?;
        catalogue::leeway(problem.id).filter(|&leeway| is_allowed(weight, leeway)).map(|_| weight.severity)
    };
    if policy.rules.is_empty() {
        return;
    }
    let weighed = std::mem::take(problems).into_iter().filter_map(|problem| match weight(&problem) {
        Some(severity) => severity.map(|severity| Problem { severity, ..problem }),
        None => Some(problem),
    });
    problems.extend(weighed);
}
