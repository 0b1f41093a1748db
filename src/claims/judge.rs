//! Turns what must hold into a verdict: supported, refuted, or that the data can't tell.
//!
//! Must not know which page says it. The level is shared among the claims of a lesson.

use crate::base::problem::Problem;
use crate::base::span::Span;
use crate::expr::{self, ALPHA, Comparison, Expr, Finding, Levels, NOT_MEASURED, Scope};

use super::words;

/// What the evidence says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It holds, beyond the shared doubt.
    Supported,
    /// The data can't tell.
    Unresolved,
    /// A value that it needs was not measured.
    NotMeasured,
    /// It does not hold, beyond the shared doubt.
    Refuted,
    /// An expression is wrong; a problem says how.
    Broken,
}

impl Verdict {
    /// The verdict as a word for pages and messages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Unresolved => "unresolved",
            Self::NotMeasured => "not measured",
            Self::Refuted => "refuted",
            Self::Broken => "broken",
        }
    }
}

/// One of the conditions of a claim, as it was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The condition as the author wrote it.
    pub text: String,
    /// Where it stands.
    pub at: Span,
    /// Its own verdict.
    pub verdict: Verdict,
    /// What the data say of it, without a full stop: both values, the bounds, and the strongest statement that holds.
    pub found: String,
    /// What it stands on.
    pub findings: Vec<Finding>,
}

impl Part {
    /// Every comparison that it stands on, those of rows among them.
    #[must_use]
    pub fn comparisons(&self) -> Vec<&Comparison> {
        let mut all = Vec::new();
        self.findings.iter().for_each(|finding| finding.walk(&mut |comparison| all.push(comparison)));
        all
    }
}

/// A claim as it was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The verdict: the worst of its parts.
    pub verdict: Verdict,
    /// Its conditions, in the author's order.
    pub parts: Vec<Part>,
    /// What is wrong with its expressions.
    pub faults: Vec<Problem>,
}

impl Judged {
    /// The part that decided.
    #[must_use]
    pub fn decisive(&self) -> Option<&Part> {
        self.parts.iter().find(|part| part.verdict == self.verdict)
    }
}

/// Judges that all of `holds` hold in `scope`, as one of `claims` measured claims that share the level.
#[must_use]
pub fn judge(holds: &[Expr], scope: &dyn Scope, claims: usize) -> Judged {
    let levels = Levels::both(ALPHA / claims.max(1) as f64).all_of(holds.len());
    let mut faults = Vec::new();
    let mut parts = Vec::new();
    for expr in holds {
        let (verdict, found, findings) = match expr::decide(expr, scope, levels) {
            Ok(decision) => {
                let verdict = match decision.truth {
                    Some(true) => Verdict::Supported,
                    Some(false) => Verdict::Refuted,
                    None => Verdict::Unresolved,
                };
                (verdict, words::found(&decision.findings, verdict), decision.findings)
            }
            Err(problem) if problem.id == NOT_MEASURED => (Verdict::NotMeasured, problem.message, Vec::new()),
            Err(problem) => {
                let message = problem.message.clone();
                faults.push(problem);
                (Verdict::Broken, message, Vec::new())
            }
        };
        parts.push(Part { text: expr.text().to_owned(), at: expr.span(), verdict, found, findings });
    }
    let verdict = parts.iter().map(|part| part.verdict).max().unwrap_or(Verdict::Supported);
    Judged { verdict, parts, faults }
}
