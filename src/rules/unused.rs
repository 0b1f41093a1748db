//! Finds what the author made and no page shows: sweeps that no lesson stands on, regions that no page or sweep uses.
//!
//! Must not know how a page shows a region.

use std::collections::BTreeSet;

use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems, Severity};
use crate::base::span::{SourceName, Span};

pub(super) static SWEEP: Rule = Rule {
    id: "sweep-unused",
    protects: "the author, who measured for a page and forgot to stand it on the sweep",
    example: "kernels/occupancy.toml is named by no lesson's `sweeps`",
    occasion: Occasion::Build,
    check: Check::Whole(sweeps),
};

pub(super) static REGION: Rule = Rule {
    id: "snippet-unused",
    protects: "the author, who marked a region and forgot to show it, or misspelt it in both places",
    example: "`// snippet: launch` opens a region that no lesson shows and no sweep compiles",
    occasion: Occasion::Build,
    check: Check::Whole(regions),
};

fn sweeps(checked: &Checked<'_>, problems: &mut Problems) {
    // Who knows what a lesson that could not be read stands on.
    if !checked.course.unread_lessons.is_empty() {
        return;
    }
    let named: BTreeSet<&str> = checked.course.lessons.iter().flat_map(|lesson| &lesson.sweeps).map(|(name, _)| name.as_str()).collect();
    for (name, sweep) in checked.course.sweeps.iter() {
        if !named.contains(name.as_str()) {
            let message = format!("no lesson stands on the sweep `{name}`");
            problems.push(
                Problem::warning(SWEEP.id, Span::top(&sweep.manifest), message)
                    .hint(format!("name it in a lesson's front matter: sweeps = [\"{name}\"]")),
            );
        }
    }
}

fn regions(checked: &Checked<'_>, problems: &mut Problems) {
    if !checked.course.unread.is_empty() || !checked.course.unread_lessons.is_empty() {
        return;
    }
    let shown = checked.course.lessons.iter().flat_map(|lesson| &lesson.document.regions).filter_map(|region| region.rsplit_once('#'));
    let mut used: BTreeSet<(&str, &str)> = shown.collect();
    for sweep in checked.course.sweeps.values() {
        let Some((source, _)) = sweep.source() else { continue };
        used.extend(sweep.regions().map(|(region, _)| (source, region.as_str())));
    }
    // Where markers are wrong, what is unused follows from it and is not worth a line.
    let torn: BTreeSet<SourceName> = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error && problem.id.starts_with("snippet-"))
        .filter_map(|problem| problem.at.as_ref().map(|at| at.file.clone()))
        .collect();
    for (path, source) in checked.course.sources.iter().filter(|(_, source)| !torn.contains(&source.name)) {
        for region in &source.regions {
            if !used.contains(&(path.as_str(), region.name.as_str())) {
                let message = format!("no lesson shows the region `{}`, and no sweep names it", region.name);
                problems.push(
                    Problem::warning(REGION.id, region.at.clone(), message)
                        .hint(format!("show it with `snippet: {path}#{}`, or remove its markers", region.name)),
                );
            }
        }
    }
}
