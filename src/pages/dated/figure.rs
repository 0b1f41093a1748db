//! Turns a figure into its value by each dated run of the sweeps that it stands on, and that into the end of the figure's note.
//!
//! Must not know where the figure stands. A run's value is the figure had that run counted, all else being as it is.

use std::sync::Arc;

use crate::expr::{self, Expr, Figured, Value};
use crate::pages::html::escape;
use crate::pages::page::Page;
use crate::pages::words::Words;

use super::{Dated, DatedRun, Moved, MovedFigure, RunView};

/// A figure by the runs of a sweep that it stands on.
#[derive(Clone)]
pub(crate) struct Moves {
    /// The sweep's name.
    pub sweep: Arc<str>,
    /// Its runs.
    pub dated: Arc<Dated>,
    /// By run, what the figure is; `None` where the run doesn't say.
    pub values: Vec<Option<Then>>,
}

/// What a figure is by a run.
#[derive(Clone)]
pub(crate) struct Then {
    /// As the page would print it.
    pub text: String,
    /// Its size, for drawing.
    pub size: Option<f64>,
    /// How far it lies from the one that is shown; `None` where it is that one, and for what is no number.
    pub moved: Option<Moved>,
}

impl Page<'_> {
    /// How the figure `expr`, which is `shown`, moved over the dated runs, sweep by sweep.
    pub(crate) fn moves(&mut self, expr: &Expr, shown: &Figured) -> Vec<Moves> {
        let mut moves = Vec::new();
        let names_runs = !expr.names().runs.is_empty();
        for name in self.sweeps_of(expr) {
            let facts = self.world.facts.sweep(&name, self.device());
            let Some((sweep, dated)) = facts.and_then(|facts| Some((facts.name.clone(), self.dated(facts)?))) else { continue };
            let value = |run: &DatedRun| {
                let then = expr::figure_in(expr, run.scope.as_ref()?, &self.words.figures).ok()?;
                Some(Then { size: size(&then), moved: moved(shown, &then), text: then.text })
            };
            let values: Vec<Option<Then>> = dated.runs.iter().map(value).collect();
            let moves_of = Moves { sweep, dated, values };
            // What names its runs itself stays with them.
            if !(names_runs && moves_of.says_the_same()) {
                moves.push(moves_of);
            }
        }
        moves
    }

    /// Notes how the figure `expr` moved, for the tables at the end of the page.
    pub(crate) fn note_moves(&mut self, expr: &str, moves: Vec<Moves>) {
        let device = self.device;
        let is_known = |known: &MovedFigure| known.device == device && known.expr == expr;
        if !moves.is_empty() && !self.moved.iter().any(is_known) {
            self.moved.push(MovedFigure { device, expr: expr.to_owned(), moves });
        }
    }
}

impl Moves {
    /// Whether it is the same in every run.
    pub(super) fn is_same(&self) -> bool {
        self.values.iter().all(Option::is_some) && self.says_the_same()
    }

    /// Whether it is the same in every run that says what it is.
    fn says_the_same(&self) -> bool {
        let mut known = self.values.iter().flatten();
        let first = known.clone().next().map(|then| &then.text);
        known.all(|then| then.moved.is_none() && Some(&then.text) == first)
    }

    /// Whether a run besides the one that is shown says what it is.
    pub(super) fn is_told(&self) -> bool {
        self.values.iter().zip(&self.dated.runs).any(|(then, run)| then.is_some() && !run.view.current)
    }

    /// How many runs there are.
    pub(super) fn count(&self) -> usize {
        self.dated.runs.len() + self.dated.others
    }
}

fn size(figured: &Figured) -> Option<f64> {
    match &figured.value {
        Value::Quantity(quantity) => quantity.typical(),
        _ => None,
    }
}

/// How far `then` lies from `shown`; of a range, its ends must lie as they did.
fn moved(shown: &Figured, then: &Figured) -> Option<Moved> {
    let (Value::Quantity(from), Value::Quantity(to)) = (&shown.value, &then.value) else { return None };
    let moved = Moved::between(from, to);
    match (&shown.to, &then.to) {
        (Some(from), Some(to)) => {
            let beyond = [moved, Moved::between(from, to)].into_iter().flatten().any(|moved| moved.beyond);
            (shown.text != then.text || beyond).then_some(Moved { share: None, beyond })
        }
        _ => moved,
    }
}

/// The end of a figure's note: its value by each run, as HTML within a line. Dates lead to transcripts where `leads` says so; they are
/// passed over by the Tab key, which has the same ways at the end of the page.
pub(crate) fn note(moves: &[Moves], leads: bool, words: &Words) -> String {
    let mut html = String::new();
    for moves in moves {
        let over = if moves.is_same() { &words.dated.same_over } else { &words.dated.over };
        html += &format!("<span class=\"moves\"><i>{}</i>", escape(&over.of(&[moves.count()], &[&moves.sweep])));
        if moves.is_same() {
            html += "</span>";
            continue;
        }
        for (run, then) in moves.dated.runs.iter().zip(&moves.values) {
            // Runs that say nothing of it have no table at the end of the page, and so no ways from there.
            html += &line(&run.view, then.as_ref(), leads && moves.is_told(), words);
        }
        if moves.dated.others > 0 {
            html += &format!("<i>{}</i>", escape(&words.dated.others.of(&[moves.dated.others], &[])));
        }
        html += "</span>";
    }
    html
}

/// A run in the note: its date, what the figure is by it, how far that lies off, and what else is to be known of it.
fn line(run: &RunView, then: Option<&Then>, leads: bool, words: &Words) -> String {
    let date = match leads {
        true => format!("<a tabindex=\"-1\" href=\"{}\">{}</a>", escape(&run.href), run.date),
        false => run.date.clone(),
    };
    let of_day = run.of_day.map(|nth| format!(" ({nth})")).unwrap_or_default();
    let text = then.map_or_else(|| "\u{2013}".to_owned(), |then| escape(&then.text));
    let moved = then.and_then(|then| then.moved.as_ref()).filter(|_| !run.current);
    let share = moved.and_then(|moved| moved.share.as_deref()).unwrap_or_default();
    let beyond = moved.map(|moved| if moved.beyond { words.dated.beyond } else { words.dated.within });
    let remarks: Vec<&str> = beyond.into_iter().chain([run.apart.as_str()]).filter(|remark| !remark.is_empty()).collect();
    let class = if moved.is_some_and(|moved| moved.beyond) { " class=\"beyond\"" } else { "" };
    format!(
        "<span{class}><span class=\"ltr\">{date}{of_day}</span><b class=\"ltr\">{text}</b>\
         <span class=\"ltr\">{share}</span><span>{}</span></span>",
        escape(&remarks.join(", "))
    )
}
