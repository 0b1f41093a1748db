//! Holds every transcript to its record: byte for byte what the record gives.
//!
//! Must not know what a transcript says.

use super::{Check, Checked, Occasion, Rule, line_of};
use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;

pub(super) static RULE: Rule = Rule {
    id: "evidence-transcript",
    protects: "a reader who opens the transcript to see what was measured",
    example: "one digit of a time was changed in evidence/block-size/2026-11-30-nvidia-h200.txt",
    occasion: Occasion::Build,
    check: Check::Whole(check),
};

fn check(checked: &Checked<'_>, problems: &mut Problems) {
    for run in checked.evidence.all() {
        let Some(mismatch) = run.transcript_mismatch() else { continue };
        let shown = |line: &Option<String>| line.as_deref().map_or_else(|| "nothing".to_owned(), |line| format!("`{}`", line.trim_end()));
        let problem = match &run.transcript {
            None => Problem::error(RULE.id, Span::top(&run.name), format!("the record has no transcript {}", run.transcript_name))
                .hint("`lessonc measure --transcripts` makes it from the record"),
            Some(_) => Problem::error(
                RULE.id,
                line_of(checked.tree, &run.transcript_name, mismatch.line),
                format!(
                    "the transcript is not what its record gives: {} where the record gives {}",
                    shown(&mismatch.found),
                    shown(&mismatch.expected)
                ),
            )
            .related(Span::top(&run.name), "the record")
            .hint("a transcript is never edited; `lessonc measure --transcripts` makes it anew from its record"),
        };
        problems.push(problem);
    }
}
