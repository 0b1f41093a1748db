//! Turns a bound figure into its text on the page, with where it comes from at hand on hover, on focus and in print.
//!
//! Must not compute: values come from the facts.

use crate::course::document::Figure;
use crate::evidence::record::RunKind;
use crate::expr::{self, NOT_MEASURED, Value};

use super::html::escape;
use super::page::Page;
use super::words::fill;

/// The figure as HTML within a line.
pub(crate) fn html(figure: &Figure, page: &mut Page<'_>) -> String {
    page.counts.figures += 1;
    let figured = match expr::figure(&figure.expr, &page.scope) {
        Ok(figured) => figured,
        Err(problem) => {
            let sweeps = page.sweeps_of(&figure.expr);
            // A sweep without any run is said once, by a rule, and a column that is wrong in its manifest; a row or column without
            // a value is said here.
            let said = page.scope.is_faulty() || sweeps.iter().all(|sweep| page.run(sweep).is_none());
            let silent = problem.id == NOT_MEASURED && said;
            let html =
                format!("<span class=\"lost\" title=\"{}\">{}</span>", escape(&problem.message), escape(page.words.outcomes.unmeasured));
            if !silent {
                page.problems.push(problem);
            }
            return html;
        }
    };
    let runs = page.runs_behind(&figure.expr, &figured.value);
    let marks: Vec<String> = runs.iter().map(|run| page.cite(run)).collect();
    let (number, how) = match &figured.value {
        Value::Quantity(quantity) => {
            let shown = quantity.shown(&figured.format);
            let how = match (quantity.parts(), &shown.spread) {
                (parts @ [_, ..], Some(spread)) => {
                    let spread = if shown.unit.is_empty() { spread.clone() } else { format!("{spread}\u{a0}{}", shown.unit) };
                    let counted = runs.iter().all(|run| run.kind() == RunKind::Profile);
                    let words = if counted { page.words.median_of_launches } else { page.words.median };
                    let rounds: Vec<String> = parts.iter().map(|part| part.present().len().to_string()).collect();
                    fill(words, &[&rounds.join(" + "), &spread])
                }
                _ => page.words.exact.to_owned(),
            };
            (shown.number, how)
        }
        _ => (figured.text.clone(), String::new()),
    };
    let mut note = format!("<b class=\"ltr\">{}</b>{}", escape(&figured.text), escape(&how));
    for run in &runs {
        let source = page.provenance(run, None);
        note += &format!("<br>{}. {}", escape(&fill(page.words.from_sweep, &[&source.sweep])), escape(&source.measured));
        if let Some(state) = source.state {
            note += &format!(" ({})", escape(state));
        }
    }
    note += &format!("<br><code>{}</code>", escape(figure.expr.text()));
    let id = page.id("figure");
    let mark: String = marks.iter().map(|mark| format!("[{mark}]")).collect();
    format!(
        "<span class=\"figure\" tabindex=\"0\" aria-describedby=\"{id}\"><data value=\"{}\">{}</data><span class=\"mark\">{mark}</span>\
         <span class=\"note\" role=\"tooltip\" id=\"{id}\">{note}</span></span>",
        escape(&number),
        escape(&figured.text)
    )
}
