//! Turns the figures of every lesson, by two bodies of evidence, into those that say something else now.
//!
//! Must not judge what the author makes of them.

use crate::base::quantity::Quantity;
use crate::base::span::Span;
use crate::expr::{self, Expr, Figured, Levels, NOT_MEASURED, Relation, Value, decide_quantities};

use super::Stand;

/// The chance that a figure which did not move is said to have.
const ALPHA: f64 = 0.01;

/// The figures of the pages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    /// Figures that move beyond their spread, that are lost, or that name something else.
    pub moved: Vec<FigureChange>,
    /// Figures whose digits change within their spread.
    pub wavering: usize,
    /// Figures that stay as they are.
    pub kept: usize,
    /// Figures that have a value for the first time.
    pub first: usize,
}

/// A figure that says something else.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureChange {
    /// Where it stands.
    pub at: Span,
    /// Its expression.
    pub text: String,
    /// What it said.
    pub before: String,
    /// What it says.
    pub after: String,
    /// By what share it changed: 0.021 for 2.1 % more.
    pub share: Option<f64>,
}

/// The figures of `after`, on the device that pages show.
pub(super) fn figures(before: Stand<'_>, after: Stand<'_>) -> Figures {
    let mut figures = Figures::default();
    let Some(device) = after.facts.devices().first() else { return figures };
    for lesson in after.course.lessons.iter() {
        let scopes = (before.facts.scope(lesson, device), after.facts.scope(lesson, device));
        for (expr, at) in &lesson.figures.computed {
            figures.add(expr, at, (expr::figure(expr, &scopes.0), expr::figure(expr, &scopes.1)));
        }
    }
    figures
}

type Found = Result<Figured, crate::base::problem::Problem>;

impl Figures {
    fn add(&mut self, expr: &Expr, at: &Span, found: (Found, Found)) {
        let (before, after, share) = match found {
            (Ok(before), Ok(after)) if before.text == after.text => return self.kept += 1,
            (Ok(before), Ok(after)) => match (&before.value, &after.value) {
                (Value::Quantity(old), Value::Quantity(new)) if !moved(old, new) => return self.wavering += 1,
                (Value::Quantity(old), Value::Quantity(new)) => (before.text, after.text.clone(), share(old, new)),
                _ => (before.text, after.text, None),
            },
            (Err(_), Ok(_)) => return self.first += 1,
            (Ok(before), Err(problem)) => {
                let why = if problem.id == NOT_MEASURED { "not measured" } else { "no value" };
                (before.text, format!("{why}: {}", problem.message), None)
            }
            (Err(_), Err(_)) => return self.kept += 1,
        };
        self.moved.push(FigureChange { at: at.clone(), text: expr.text().to_owned(), before, after, share });
    }
}

/// Whether both differ beyond what their rounds leave open; what is exact differs if it does.
#[must_use]
pub fn moved(old: &Quantity, new: &Quantity) -> bool {
    let either = Levels::both(ALPHA / 2.0);
    let wavers = || matches!(decide_quantities(Relation::Less, old, new, either), Ok((None, _)));
    !(old.is_measured() && new.is_measured() && wavers())
}

/// By what share `new` differs from `old`, both above zero and of one kind: 0.021 for 2.1 % more.
#[must_use]
pub fn share(old: &Quantity, new: &Quantity) -> Option<f64> {
    let size = |quantity: &Quantity| quantity.typical().filter(|size| *size > 0.0);
    (old.dimension() == new.dimension()).then_some(())?;
    Some(size(new)? / size(old)? - 1.0)
}
