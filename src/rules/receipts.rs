//! Holds every time to its receipt: outputs compared and right, before the samples and after.
//!
//! Must not know how outputs are compared.

use super::{Check, Checked, Occasion, Rule, invalid};
use crate::base::problem::Problems;
use crate::evidence::Run;
use crate::evidence::record::{Outcome, Receipt};
use crate::plan::Job;

pub(super) static RULE: Rule = Rule {
    id: "evidence-unchecked",
    protects: "a fast time of a kernel that computed nothing, or the wrong thing",
    example: "a row is `ok` in round 3, and the comparison after its samples is not in the record",
    occasion: Occasion::Build,
    check: Check::Run(check),
};

fn check(checked: &Checked<'_>, _: &Job, run: &Run, problems: &mut Problems) {
    for (index, result) in run.record.results.iter().enumerate() {
        if result.outcome != Outcome::Ok || (result.spans_ns.is_empty() && result.reads.is_empty()) {
            continue;
        }
        let fault = fault(result.before.as_ref(), "before").or_else(|| fault(result.after.as_ref(), "after"));
        if let Some(fault) = fault {
            let label = run.record.rows.get(result.row as usize).map_or("?", |row| &row.label);
            let message = format!("row `{label}` was measured in round {} and {fault}", result.round);
            problems.push(invalid(checked, &RULE, run, index, message));
            break; // one line of a run says it
        }
    }
}

fn fault(receipt: Option<&Receipt>, when: &str) -> Option<String> {
    match receipt {
        None => Some(format!("its outputs were not compared {when} the samples")),
        Some(receipt) if receipt.elements == 0 => Some(format!("the comparison {when} the samples looked at nothing")),
        Some(receipt) if receipt.wrong > 0 => Some(format!("{} outputs were wrong {when} the samples", receipt.wrong)),
        Some(_) => None,
    }
}
