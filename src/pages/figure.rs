//! Turns a bound figure into its text on the page, with where it comes from at hand on hover, on focus and in print.
//!
//! Must not compute: values come from the facts.

use crate::base::quantity::{Format, Quantity};
use crate::course::document::Figure;
use crate::evidence::record::{Private, RunKind};
use crate::expr::{self, Expr, Figured, NOT_MEASURED, Value};

use super::dated;
use super::devices;
use super::html::escape;
use super::page::Page;
use super::words::{direction, fill};

/// The value of `expr` on the page; what is wrong with it is among the page's problems, and returned in words.
pub(crate) fn value(expr: &Expr, page: &mut Page<'_>) -> Result<Figured, String> {
    page.counts.figures += 1;
    expr::figure_in(expr, page.scope(), &page.words.figures).map_err(|problem| {
        let sweeps = page.sweeps_of(expr);
        // A sweep without any run is said once, by a rule, and a column that is wrong in its manifest; a row or column without
        // a value is said here.
        let said = page.scope().is_faulty() || sweeps.iter().all(|sweep| page.run(sweep).is_none());
        let silent = problem.id == NOT_MEASURED && said;
        let message = problem.message.clone();
        if !silent {
            page.problems.push(problem);
        }
        message
    })
}

/// A figure as it stands on the page for one device.
#[derive(PartialEq)]
enum Said {
    /// What it is, and where it comes from, as HTML.
    Figure { number: String, text: String, marks: String, note: String, history: String },
    /// Why there is none.
    Lost(String),
}

/// Where a figure stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    /// Between words.
    Text,
    /// In the text of a link, where nothing else may be focused or lead away.
    Link,
}

/// The figure as HTML within a line: once, or once for each device where they differ.
pub(crate) fn html(figure: &Figure, within: Within, page: &mut Page<'_>) -> String {
    let said = page.on_each(|page| said(figure, within, page));
    if said.windows(2).all(|pair| pair[0] == pair[1]) {
        return said.first().map(|said| written(said, "", page.device, within, page)).unwrap_or_default();
    }
    said.iter().enumerate().map(|(index, said)| written(said, &devices::class(index), index, within, page)).collect()
}

fn said(figure: &Figure, within: Within, page: &mut Page<'_>) -> Said {
    let figured = match value(&figure.expr, page) {
        Ok(figured) => figured,
        Err(why) => return Said::Lost(why),
    };
    page.print(&figure.at, &figured.text);
    if page.has_choice() {
        let value = if let Value::Quantity(quantity) = &figured.value { Some(quantity.clone()) } else { None };
        page.said.figure(figure.expr.text(), page.device, &figured.text, value);
    }
    let runs = page.runs_behind(&figure.expr, &figured.value);
    let marks: Vec<String> = runs.iter().map(|run| page.cite(run)).collect();
    let how = match &figured.value {
        Value::Quantity(quantity) => how(quantity, &figured, runs.iter().all(|run| run.kind() == RunKind::Profile), page),
        _ => String::new(),
    };
    let mut note = format!("<b class=\"ltr\">{}</b>{}", escape(&figured.text), escape(&how));
    for run in &runs {
        let source = page.provenance(run, None);
        note += &format!("<br>{}. {}", escape(&fill(page.words.from_sweep, &[&source.sweep])), source.measured_html);
        if let Some(state) = source.state {
            note += &format!(" ({})", escape(state));
        }
    }
    note += &format!("<br><code>{}</code>", escape(figure.expr.text()));
    let mark: String = marks.iter().map(|mark| format!("[{mark}]")).collect();
    let mut marks = format!("<span class=\"mark\">{mark}</span>");
    if runs.iter().any(|run| page.is_outdated(run)) {
        marks += &format!("<span class=\"stale\">{}</span>", escape(page.words.outdated_mark));
    }
    if runs.iter().any(|run| run.private() == Some(Private::Preview)) {
        marks += &format!("<span class=\"stale\">{}</span>", escape(page.words.private.preview));
    }
    let moves = page.moves(&figure.expr, &figured);
    let history = dated::note(&moves, within == Within::Text, page.words);
    page.note_moves(figure.expr.text(), moves);
    Said::Figure { number: figured.number, text: figured.text, marks, note, history }
}

/// `said` as HTML, with the classes `on` of the device at `device`.
fn written(said: &Said, on: &str, device: usize, within: Within, page: &mut Page<'_>) -> String {
    match said {
        Said::Lost(why) => {
            let class = format!("{on} lost");
            let class = class.trim_start();
            format!("<span class=\"{class}\" title=\"{}\">{}</span>", escape(why), escape(page.words.outcomes.unmeasured))
        }
        Said::Figure { number, text, marks, note, history } => {
            // Numbers and units run from left to right in every language, with a style sheet or without.
            let isolated = if direction(&page.lesson.language) == "rtl" { " dir=\"ltr\"" } else { "" };
            let (number, text) = (escape(number), escape(text));
            let data = format!("<data value=\"{number}\"{isolated}>{text}</data>{marks}");
            if within == Within::Link {
                return format!("<span class=\"figure{on}\">{data}<span class=\"note\">{note}{history}</span></span>");
            }
            let id = page.id_on(device, "figure");
            // What is read aloud is where it comes from; its history is there to look at.
            format!(
                "<span class=\"figure{on}\" tabindex=\"0\" aria-describedby=\"{id}\">{data}\
                 <span class=\"note\"><span role=\"tooltip\" id=\"{id}\">{note}</span>{history}</span></span>"
            )
        }
    }
}

/// How the value came about, in words: over how many rounds, and how far they spread; of a range, both its ends.
fn how(quantity: &Quantity, figured: &Figured, counted: bool, page: &Page<'_>) -> String {
    let parts = quantity.parts();
    if parts.is_empty() {
        return page.words.exact.to_owned();
    }
    let format = match &figured.to {
        Some(high) => Format { unit: Some(high.shown_unit(&figured.format)), ..figured.format.clone() },
        None => figured.format.clone(),
    };
    let shown = quantity.shown(&format);
    let ends = [shown.spread, figured.to.as_ref().and_then(|high| high.shown(&format).spread)];
    let spread = ends.into_iter().flatten().collect::<Vec<_>>().join(", ±");
    let spread = if shown.unit.is_empty() { spread } else { format!("{spread}\u{a0}{}", shown.unit) };
    let words = if counted { &page.words.median_of_launches } else { &page.words.median };
    words.of(&parts.iter().map(|part| part.present().len()).collect::<Vec<_>>(), &[&spread])
}
