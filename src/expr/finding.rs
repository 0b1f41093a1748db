//! What an expression was found to stand on: its comparisons, and what came of the rows that it speaks of.
//!
//! Turns nothing into anything by itself. Must not know how it is put into words.

use std::sync::Arc;

use crate::base::quantity::{Quantity, Rational};

use super::compare::{Relation, Test};
use super::tree::Node;

/// One thing that a condition stands on.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// Two values and a relation.
    Comparison(Box<Comparison>),
    /// Rows, and what holds for each.
    Rows(RowsFinding),
    /// Two texts, or what rows are called.
    Texts(TextsFinding),
}

/// Texts that were compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextsFinding {
    /// The author's text of both sides, canonical.
    pub sides: [String; 2],
    /// What both sides are, in the words of no language: "a / b" where there are several, or the data can't tell.
    pub values: [String; 2],
    /// The bytes of the expression's text that it is.
    pub range: (usize, usize),
    /// Whether it is so.
    pub truth: Option<bool>,
}

/// A comparison that an expression stands on, as it was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What was asked.
    pub relation: Relation,
    /// The left side.
    pub left: Quantity,
    /// The right side.
    pub right: Quantity,
    /// The author's text of the left side, canonical.
    pub left_text: String,
    /// The author's text of the right side, canonical.
    pub right_text: String,
    /// How many times the right side was asked for: 13/10 of `a >= 1.3 * b`, whose right side is `b` then.
    pub times: Rational,
    /// The bytes of the expression's text that it is.
    pub range: (usize, usize),
    /// Whether it holds; `None` if the rounds can't tell.
    pub truth: Option<bool>,
    /// The test of the rounds, its ratios those of left over right; `None` where both sides are exact.
    pub test: Option<Test>,
}

/// What is asked of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// `rows where …`: which fulfil it.
    Where,
    /// `near_best(…)`: which are that near.
    Near,
    /// `all(…)`
    All,
    /// `any(…)`
    Any,
    /// `none(…)`
    None,
    /// That one of the others is the best: each of these must be worse.
    Best,
    /// `from(…)`: from which row on.
    From,
}

/// Rows, and what holds for each.
#[derive(Debug, Clone, PartialEq)]
pub struct RowsFinding {
    /// What was asked.
    pub asked: Asked,
    /// The author's text, canonical.
    pub text: String,
    /// The bytes of the expression's text that it is.
    pub range: (usize, usize),
    /// The answer, where one is asked for; rows that only are chosen have none.
    pub truth: Option<bool>,
    /// Why there is no answer that rows alone give: why a place may be nowhere.
    pub why: Option<String>,
    /// The place that was asked for, as text.
    pub place: Option<String>,
    /// The rows, in their order.
    pub rows: Vec<RowFinding>,
}

/// What holds for a row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFinding {
    /// What the row is called.
    pub label: String,
    /// Whether it fulfils what is asked; `None` if the data can't tell.
    pub truth: Option<bool>,
    /// What that stands on, the decisive part of it.
    pub findings: Vec<Finding>,
    /// Why it has no value, where that is the reason.
    pub unmeasured: Option<String>,
}

impl Finding {
    /// Calls `visit` for every comparison that it stands on.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Comparison)) {
        match self {
            Self::Comparison(comparison) => visit(comparison),
            Self::Rows(rows) => rows.rows.iter().flat_map(|row| &row.findings).for_each(|finding| finding.walk(visit)),
            Self::Texts(_) => {}
        }
    }

    /// The bytes of the expression's text that it is.
    #[must_use]
    pub fn range(&self) -> (usize, usize) {
        match self {
            Self::Comparison(comparison) => comparison.range,
            Self::Rows(rows) => rows.range,
            Self::Texts(texts) => texts.range,
        }
    }
}

impl TextsFinding {
    /// That `values`, which `sides` are, were compared at `node`.
    pub(crate) fn at(node: &Node, sides: [&Node; 2], values: [Vec<Arc<str>>; 2], truth: Option<bool>) -> Finding {
        let sides = sides.map(ToString::to_string);
        let values = values.map(|texts| texts.join(" / "));
        Finding::Texts(Self { sides, values, range: (node.start, node.end), truth })
    }
}

impl RowsFinding {
    /// What was asked of `rows` at `node`, with no answer yet.
    pub(crate) fn at(node: &Node, asked: Asked, rows: Vec<RowFinding>) -> Self {
        Self { asked, text: node.to_string(), range: (node.start, node.end), truth: None, why: None, place: None, rows }
    }

    /// The labels of the rows of which `truth` is known.
    pub fn labels(&self, truth: Option<bool>) -> impl Iterator<Item = &str> {
        self.rows.iter().filter(move |row| row.truth == truth).map(|row| row.label.as_str())
    }
}
