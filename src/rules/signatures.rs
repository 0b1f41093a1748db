//! Holds signatures to the records beside them and to the people whom the course trusts.
//!
//! Must not say who is to be trusted: `lessons/allowed_signers` does, or whoever asks.

use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;
use crate::course::policy::Signatures;
use crate::evidence::name;
use crate::evidence::signature::{ENDING, NAMESPACE};
use crate::evidence::signers::{Signers, Trust};
use crate::evidence::vouched::{self, Signed, signed};

pub(super) static WRONG: Rule = Rule {
    id: "signature-wrong",
    protects: "readers from a record that was changed after somebody signed it",
    example: "a record was edited and its digest made anew, and its signature is of the one before",
    occasion: Occasion::Build,
    check: Check::Whole(wrong),
};

pub(super) static UNKNOWN: Rule = Rule {
    id: "signature-unknown",
    protects: "readers from a record that only a stranger vouches for",
    example: "a record is signed with a key that no line of lessons/allowed_signers has",
    occasion: Occasion::Build,
    check: Check::Whole(unknown),
};

pub(super) static MISSING: Rule = Rule {
    id: "signature-missing",
    protects: "readers from a record that nobody vouches for, in a course that promises otherwise",
    example: "`signatures = \"required\"` under `[policy]`, and a page stands on a run without a signature",
    occasion: Occasion::Build,
    check: Check::Whole(missing),
};

/// The signers that count: those of whoever asks, or the course's own.
fn signers(checked: &Checked<'_>, problems: &mut Problems) -> Signers {
    if let Some(signers) = checked.signers {
        return signers.clone();
    }
    vouched::signers(checked.tree, problems)
}

/// Whoever names the signers means to hold runs to them.
fn is_required(checked: &Checked<'_>) -> bool {
    checked.signers.is_some() || checked.course.config.policy.signatures == Signatures::Required
}

fn wrong(checked: &Checked<'_>, problems: &mut Problems) {
    let signers = signers(checked, problems);
    for run in checked.evidence.all() {
        if let Signed::Wrongly(name, why) = signed(checked.tree, &signers, run) {
            let message = format!("the signature does not vouch for its record: {why}");
            problems.push(
                Problem::error(WRONG.id, Span::top(&name), message)
                    .related(Span::top(&run.name), "the record")
                    .hint("restore both from version control; who measured can sign again, others can't"),
            );
        }
    }
    for (name, _) in checked.tree.below(name::FOLDER).filter(|(name, _)| name.ends_with(ENDING)) {
        if checked.tree.get(name.strip_suffix(ENDING).unwrap_or_default()).is_none() {
            let message = "there is no record that this signature could be of";
            problems.push(Problem::warning(WRONG.id, Span::top(name), message).hint("restore the record, or delete the signature"));
        }
    }
}

fn unknown(checked: &Checked<'_>, problems: &mut Problems) {
    let signers = signers(checked, &mut Problems::new());
    for run in checked.evidence.all() {
        let Signed::By(name, key, trust) = signed(checked.tree, &signers, run) else { continue };
        let (why, hint) = match trust {
            Trust::Trusted(_) => continue,
            Trust::OtherTime(who) => {
                (format!("{who}, and not for the day of this run"), "its line in the signers' file says when it may sign")
            }
            Trust::OtherPurpose(who) => (format!("{who}, and not for evidence"), "its line in the signers' file names other `namespaces`"),
            Trust::Unknown => ("nobody whom the course trusts".to_owned(), "a line in lessons/allowed_signers says whose a key is"),
        };
        let problem = if is_required(checked) { Problem::error } else { Problem::warning };
        let message = format!("the record is signed with the key {key}, of {why}");
        problems.push(problem(UNKNOWN.id, Span::top(&name), message).related(Span::top(&run.name), "the record").hint(hint));
    }
}

fn missing(checked: &Checked<'_>, problems: &mut Problems) {
    if !is_required(checked) {
        return;
    }
    let signers = Signers::default();
    for (_, run) in checked.feeding() {
        if matches!(signed(checked.tree, &signers, &run), Signed::Not) {
            let hint = format!(
                "who measured signs it with `ssh-keygen -Y sign -n {NAMESPACE} -f KEY {}`; `lessonc measure --sign` signs new runs",
                run.name
            );
            problems.push(Problem::error(MISSING.id, Span::top(&run.name), "a page stands on this run, and nobody signed it").hint(hint));
        }
    }
}

/// How many of the runs that feed a page are signed by somebody trusted, and how many feed one.
#[must_use]
pub fn vouched(checked: &Checked<'_>) -> (usize, usize) {
    let signers = signers(checked, &mut Problems::new());
    let feeding = checked.feeding();
    let trusted = feeding.iter().filter(|(_, run)| matches!(signed(checked.tree, &signers, run), Signed::By(.., Trust::Trusted(_))));
    (trusted.count(), feeding.len())
}
