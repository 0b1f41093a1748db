//! Turns a course before and after some evidence into what changes on its pages, for `measure` and `verify --fresh`.
//!
//! Must not know how the evidence came to be.

use crate::base::problem::Problems;
use crate::base::span::{LineColumn, Span};
use crate::pipeline;
use crate::review;
use crate::tree::SourceTree;

/// What changes on the pages from `before` to `after`, whose files are shown below `prefix`; a code's last run counts before, whatever
/// has become of the code. Empty where the course says nothing by evidence.
pub(super) fn changes(before: &SourceTree, after: &SourceTree, prefix: &str) -> String {
    let (then, now) = (pipeline::judge_as_it_stood(before), pipeline::judge(after, &mut Problems::new()));
    let place = |span: &Span| {
        let LineColumn { line, column } = after.line_column(&span.file, span.start);
        format!("{prefix}{}:{line}:{column}", span.file)
    };
    let text = review::text(&review::review(then.stand(), now.stand()), &place);
    if text.is_empty() { text } else { format!("\nwhat changes on the pages\n{text}") }
}
