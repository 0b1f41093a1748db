//! Turns a formula in the spelling of LaTeX into MathML, which browsers draw and read out by themselves.
//!
//! Must not know what a formula says; figures in it are found where the lesson is read.

use std::ops::Range;

use pulldown_cmark::Event;

use crate::base::problem::Problem;
use crate::base::span::Span;
use crate::pages::html::escape;
use crate::pages::page::Page;

use super::Writer;

pub(super) use math_core::MathDisplay as Display;

impl Writer<'_> {
    /// The formula that stands at `range` of the page's file, dollars and all.
    pub(super) fn formula(&mut self, formula: &str, display: Display, range: &Range<usize>, page: &mut Page<'_>) {
        let html = match page.world.course.config.macros.converter().convert_with_local_state(formula, display) {
            // Wider than a phone it scrolls, by the keyboard too.
            Ok(made) if display == Display::Block => {
                let label = escape(page.words.formula);
                format!("<span class=\"formula\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\">{}</span>", made.mathml)
            }
            Ok(made) => made.mathml,
            Err(error) => {
                let at = place(formula, &error.0, range, page);
                page.problems.push(unread(&error.error_message(), at));
                format!("<code class=\"lost\">{}</code>", escape(formula))
            }
        };
        self.events.push(Event::InlineHtml(html.into()));
    }
}

/// Where `fault` of the formula at `range` stands; all of it where its lines have prefixes, or its text was escaped.
fn place(formula: &str, fault: &Range<usize>, range: &Range<usize>, page: &Page<'_>) -> Span {
    let file = &page.lesson.file;
    let around = page.world.tree.text(file).get(range.clone()).unwrap_or_default();
    let start = around.find(formula).map(|start| range.start + start);
    let char_ends = |end: usize| (end..=formula.len()).find(|&end| formula.is_char_boundary(end)).unwrap_or(formula.len());
    match start {
        Some(start) => Span::new(file, start + fault.start.min(formula.len()), start + char_ends(fault.end.max(fault.start + 1))),
        None => Span::new(file, range.start, range.end),
    }
}

/// "this formula can't be read: unknown command"
fn unread(why: &str, at: Span) -> Problem {
    let why = why.trim_end_matches('.');
    let mut letters = why.chars();
    let why: String = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
    Problem::error("math-syntax", at, format!("this formula can't be read: {why}"))
        .hint("a formula stands between dollars, as in LaTeX: `$x^2$`; before a dollar that opens none write a backslash")
}
