//! Turns verdicts that a page can't be published with into problems at the claim's expression.
//!
//! Must not know how a verdict was reached.

use crate::base::problem::{Problem, Severity};
use crate::base::span::{SourceName, Span};
use crate::course::document::Claim;
use crate::expr::Expr;

use super::judge::{Judged, Part, Verdict};

/// The problem of a claim that is not supported on `device`; `None` for one that is, and for one whose expression is
/// wrong, which has problems of its own.
pub(super) fn unsupported(claim: &Claim, judged: &Judged, device: &str, primary: bool) -> Option<Problem> {
    let part = judged.decisive()?;
    let (id, hint) = match judged.verdict {
        Verdict::Supported | Verdict::Broken => return None,
        Verdict::Refuted => ("claim-refuted", "say what the data support, or add `otherwise:` with its own `holds`"),
        Verdict::Unresolved => ("claim-unresolved", "claim less, or measure more rounds"),
        Verdict::NotMeasured => ("claim-not-measured", "measure the sweep on this device, or take the device out of `devices`"),
    };
    let mut problem = Problem::error(id, part.at.clone(), message(claim, part, device)).hint(hint);
    if judged.verdict == Verdict::Unresolved && !primary {
        problem.severity = Severity::Warning;
    }
    for (run, words) in runs(part) {
        problem = problem.related(Span::top(&run), words);
    }
    Some(problem)
}

/// The problem of the text that stands in for a refuted claim.
pub(super) fn otherwise_unsupported(claim: &Claim, judged: &Judged, device: &str, at: &Span) -> Problem {
    match judged.decisive() {
        Some(part) => Problem::error(
            "claim-otherwise",
            part.at.clone(),
            format!("claim `{}` is refuted on {device}, and what it says otherwise is {}: {}", claim.name, part.verdict.word(), part.found),
        ),
        None => Problem::error(
            "claim-otherwise",
            at.clone(),
            format!("claim `{}` is refuted on {device}, and its `otherwise` has no `holds` of its own", claim.name),
        )
        .hint("write `otherwise: { holds = \"…\" } …`, so that what the page shows instead is checked too"),
    }
}

/// A condition that could not fail.
pub(super) fn vacuous(claim: &Claim, expr: &Expr, why: &str) -> Problem {
    Problem::error("vacuous-claim", expr.span(), format!("claim `{}` could not fail on any device: {why}", claim.name))
        .hint("compare what was measured, or leave the sentence unclaimed")
}

fn message(claim: &Claim, part: &Part, device: &str) -> String {
    if part.verdict == Verdict::NotMeasured {
        return format!("claim `{}` can't be judged on {device}: {}", claim.name, part.found);
    }
    format!("claim `{}` is {} on {device}: {}", claim.name, part.verdict.word(), part.found)
}

/// The records that a part's values come from, each once.
fn runs(part: &Part) -> Vec<(SourceName, String)> {
    let mut runs: Vec<(SourceName, String)> = Vec::new();
    for side in part.comparisons().iter().flat_map(|comparison| [&comparison.left, &comparison.right]) {
        for rounds in side.parts() {
            if runs.iter().all(|(run, _)| *run != rounds.run) {
                runs.push((rounds.run.clone(), "the run it is judged by".to_owned()));
            }
        }
    }
    runs
}
