//! Turns an expression of a sweep, a figure or a claim into a tree, and a tree with a scope into a value.
//!
//! Must not know records or devices: whatever a name stands for comes in through [`Scope`]. Total: no loops, no
//! recursion of the author's, cost bounded by the evidence.

mod alike;
pub(crate) mod best;
mod certain;
mod compare;
mod condition;
mod evaluate;
mod figure;
mod finding;
mod functions;
mod levels;
mod membership;
mod names;
mod parse;
mod probe;
mod problems;
mod quantify;
mod range;
mod scope;
mod selection;
mod token;
mod tree;

use crate::base::problem::Problem;
use crate::base::slice::Slice;
use crate::base::span::Span;

pub use self::certain::Least;
pub use self::compare::{Bounds, Relation, Test, TestKind, decide_quantities};
pub use self::condition::Decision;
pub use self::figure::{ENGLISH, Figured, Wording};
pub use self::finding::{Asked, Comparison, Finding, RowFinding, RowsFinding, TextsFinding};
pub use self::levels::Levels;
pub use self::names::Names;
pub use self::problems::NOT_MEASURED;
pub use self::scope::{Absent, History, Nowhere, Place, Row, RowScope, RowSet, Scope, Value};

/// The share of wrong verdicts that a page allows itself, spread over its claims.
pub const ALPHA: f64 = 0.01;

/// A parsed expression, with the author's text it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    source: Slice,
    root: tree::Node,
}

impl Expr {
    /// Parses `source`.
    ///
    /// # Errors
    /// `expr-syntax` or `expr-unit`, at the author's column.
    pub fn parse(source: &Slice) -> Result<Self, Problem> {
        match parse::parse(source.text()) {
            Ok(root) => Ok(Self { source: source.clone(), root }),
            Err(fault) => Err(problems::of_fault(source, fault)),
        }
    }

    /// The author's text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        self.source.whole()
    }

    /// The names it stands on, without a value for any of them.
    #[must_use]
    pub fn names(&self) -> Names {
        names::names(&self.root)
    }

    /// Where the bare name `name` stands first; the whole expression if it doesn't.
    #[must_use]
    pub fn name_span(&self, name: &str) -> Span {
        let mut found = None;
        self.root.walk(false, &mut |node, _| {
            if found.is_none() && matches!(&node.kind, tree::Kind::Name(own) if own == name) {
                found = Some(self.source.span(node.start, node.end));
            }
        });
        found.unwrap_or_else(|| self.span())
    }

    /// The expression in its canonical spelling; parses to the same expression.
    #[must_use]
    pub fn canonical(&self) -> String {
        self.root.to_string()
    }

    /// What the expression prints if it is one number, with a sign and formatters at most: it computes nothing.
    #[must_use]
    pub fn literal_text(&self) -> Option<String> {
        if !names::is_literal(&self.root) {
            return None;
        }
        figure(self, &Nowhere).ok().map(|figured| figured.text)
    }

    /// Why the expression, taken as a condition, could not be false whatever was measured, as far as its form shows: the
    /// same on both sides, arithmetic that makes it true, a count asked not to be below zero, or a value asked to be above it whose
    /// columns always are. `least` says how little a column may be.
    #[must_use]
    pub fn cannot_fail(&self, least: &dyn Fn(&str) -> Least) -> Option<String> {
        certain::cannot_fail(&self.root, least)
    }

    /// How little its value may be, by its form and by what `of_column` says of the columns in it.
    #[must_use]
    pub fn least(&self, of_column: &dyn Fn(&str) -> Least) -> Least {
        certain::least(&self.root, of_column)
    }
}

/// The names of all functions and formatters.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    functions::names()
}

/// The value of `expr` in `scope`.
///
/// # Errors
/// At the author's column: `expr-name`, `expr-unit`, `expr-type`, `expr-value`, `expr-call`, or [`NOT_MEASURED`] when
/// only evidence is missing.
pub fn evaluate(expr: &Expr, scope: &dyn Scope) -> Result<Value, Problem> {
    let figured = figure(expr, scope)?;
    match figured.to {
        // Two values are none.
        Some(_) => Err(problems::of_fault(&expr.source, range::misplaced(&expr.root))),
        None => Ok(figured.value),
    }
}

/// The value of `expr` in `scope` and its text in English as a reader sees it: formatters honoured, as many digits as the rounds
/// support, with the unit.
///
/// # Errors
/// As for [`evaluate()`].
pub fn figure(expr: &Expr, scope: &dyn Scope) -> Result<Figured, Problem> {
    figure_in(expr, scope, &ENGLISH)
}

/// As [`figure()`], in the words of `wording`.
///
/// # Errors
/// As for [`evaluate()`].
pub fn figure_in(expr: &Expr, scope: &dyn Scope, wording: &Wording) -> Result<Figured, Problem> {
    figure::figure(&expr.root, scope, wording).map_err(|fault| problems::of_fault(&expr.source, fault))
}

/// Whether `expr` holds in `scope`, at the chances `levels` of a wrong yes and a wrong no, with all that it stands on.
///
/// # Errors
/// As for [`evaluate()`], and `expr-type` when it is no condition.
pub fn decide(expr: &Expr, scope: &dyn Scope, levels: Levels) -> Result<Decision, Problem> {
    condition::decide(&expr.root, scope, levels).map_err(|fault| problems::of_fault(&expr.source, fault))
}

#[cfg(test)]
mod tests;
