//! Finds what the author made and no page shows: sweeps that no lesson stands on, regions that no page or sweep uses.
//!
//! Must not know how a page shows a region.

use std::collections::BTreeSet;

use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems, Severity};
use crate::base::span::{SourceName, Span};
use crate::course::document::Node;
use crate::course::source::reference;

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
    for (name, sweep) in &checked.course.sweeps {
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
    let mut used: BTreeSet<String> = BTreeSet::new();
    for lesson in &checked.course.lessons {
        shown(&lesson.document.nodes, &mut used);
    }
    for sweep in checked.course.sweeps.values() {
        let Some((source, _)) = sweep.source() else { continue };
        for (region, _) in sweep.regions() {
            used.insert(format!("{source}#{region}"));
        }
    }
    // Where markers are wrong, what is unused follows from it and is not worth a line.
    let torn: BTreeSet<SourceName> = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error && problem.id.starts_with("snippet-"))
        .filter_map(|problem| problem.at.as_ref().map(|at| at.file.clone()))
        .collect();
    for (path, source) in checked.course.sources.iter().filter(|(_, source)| !torn.contains(&source.name)) {
        for region in &source.regions {
            if !used.contains(&format!("{path}#{}", region.name)) {
                let message = format!("no lesson shows the region `{}`, and no sweep names it", region.name);
                problems.push(
                    Problem::warning(REGION.id, region.at.clone(), message)
                        .hint(format!("show it with `snippet: {path}#{}`, or remove its markers", region.name)),
                );
            }
        }
    }
}

/// Adds every `FILE#REGION` that `nodes` show.
fn shown(nodes: &[Node], used: &mut BTreeSet<String>) {
    for node in nodes {
        match node {
            Node::Exhibit(marker) if marker.kind == "snippet" => {
                used.insert(marker.target.text().trim().to_owned());
                for (_, _, item) in &marker.options.entries {
                    if let crate::course::toml::Value::Text(text) = &item.value {
                        used.insert(text.text().to_owned()); // `diff = "FILE#REGION"`
                    }
                }
                if let (Some((file, _)), Some(fold)) = (reference(marker.target.text().trim()), marker.options.get("fold")) {
                    used.extend(fold.texts().into_iter().map(|region| format!("{file}#{}", region.text())));
                }
            }
            Node::Claim(claim) => {
                shown(&claim.sentence, used);
                if let Some(otherwise) = &claim.otherwise {
                    shown(&otherwise.sentence, used);
                }
            }
            Node::Exhibit(_) | Node::Markdown(..) | Node::Figure(_) | Node::Open(_) | Node::Close => {}
        }
    }
}
