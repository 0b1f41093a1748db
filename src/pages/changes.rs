//! Turns what a page said on each device into what changes between them: checked sentences with another verdict, and the figures
//! that move most.
//!
//! Must not judge: verdicts come in ready, and whether two figures differ is decided as for two bodies of evidence.

use serde::Serialize;

use crate::base::quantity::Quantity;
use crate::claims::Verdict;
use crate::review;

use super::devices::DeviceView;

/// As many figures are listed: those that move most.
const FIGURES: usize = 8;

/// What a page said, device by device.
#[derive(Debug, Default)]
pub(crate) struct Said {
    figures: Vec<(String, Vec<Figure>)>,
    claims: Vec<(Claim, Vec<(Verdict, &'static str)>)>,
}

/// A figure on a device.
#[derive(Debug, Clone)]
struct Figure {
    device: usize,
    text: String,
    value: Option<Quantity>,
}

/// A checked sentence, and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Claim {
    /// The id that links lead to.
    pub id: String,
    /// What it says on the first device, without markup.
    pub sentence: String,
}

impl Said {
    /// Notes that the figure `expr` is `text` on the device `device`, and its value where that is a number.
    pub(crate) fn figure(&mut self, expr: &str, device: usize, text: &str, value: Option<Quantity>) {
        let figure = Figure { device, text: text.to_owned(), value };
        match self.figures.iter_mut().find(|(known, _)| known == expr) {
            Some((_, figures)) if figures.iter().any(|known| known.device == device) => {}
            Some((_, figures)) => figures.push(figure),
            None => self.figures.push((expr.to_owned(), vec![figure])),
        }
    }

    /// Notes what becomes of `claim` on the next device, in words too.
    pub(crate) fn claim(&mut self, claim: Claim, device: usize, verdict: (Verdict, &'static str)) {
        match self.claims.last_mut().filter(|_| device > 0) {
            Some((_, verdicts)) => verdicts.push(verdict),
            None => self.claims.push((claim, vec![verdict])),
        }
    }

    /// What changes between `devices`; `None` where there is no choice.
    pub(crate) fn changes(&self, devices: &[DeviceView]) -> Option<Changes> {
        if devices.is_empty() {
            return None;
        }
        let differs = |verdicts: &[(Verdict, &'static str)]| verdicts.windows(2).any(|pair| pair[0].0 != pair[1].0);
        let claims = self.claims.iter().filter(|(_, verdicts)| differs(verdicts)).map(|(claim, verdicts)| ClaimChange {
            claim: claim.clone(),
            verdicts: verdicts.iter().map(|&(verdict, word)| VerdictView { status: verdict.word(), word }).collect(),
        });
        let mut figures: Vec<(f64, FigureChange)> = self.figures.iter().filter_map(|(expr, on)| moved(expr, on, devices.len())).collect();
        // Sorting is stable: those that move alike stay in the order of the page.
        figures.sort_by(|a, b| b.0.total_cmp(&a.0));
        let figures = figures.into_iter().take(FIGURES).map(|(_, change)| change);
        Some(Changes { devices: devices.to_vec(), claims: claims.collect(), figures: figures.collect() })
    }
}

/// The figure `expr` with how far it moves at most, as a logarithm, if it moves beyond what its rounds leave open.
fn moved(expr: &str, on: &[Figure], devices: usize) -> Option<(f64, FigureChange)> {
    let first = on.iter().find(|figure| figure.device == 0)?;
    let base = first.value.as_ref()?;
    let mut most = 0.0_f64;
    let value = |device: usize| {
        let Some(figure) = on.iter().find(|figure| figure.device == device) else { return ValueView::default() };
        let moved = figure.value.as_ref().filter(|value| review::moved(base, value)).and_then(|value| review::share(base, value));
        let times = moved.map(|share| {
            most = most.max(libm::log(1.0 + share).abs());
            format!("{:.2}×", 1.0 + share)
        });
        ValueView { text: Some(figure.text.clone()), times }
    };
    let values: Vec<ValueView> = (0..devices).map(value).collect();
    (most > 0.0).then(|| (most, FigureChange { text: expr.to_owned(), values }))
}

/// What changes between devices.
#[derive(Debug, Serialize)]
pub(crate) struct Changes {
    /// The devices.
    pub devices: Vec<DeviceView>,
    /// Sentences whose verdicts differ.
    pub claims: Vec<ClaimChange>,
    /// The figures that move most.
    pub figures: Vec<FigureChange>,
}

/// A sentence and its verdict on each device.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct ClaimChange {
    claim: Claim,
    verdicts: Vec<VerdictView>,
}

#[derive(Debug, PartialEq, Serialize)]
struct VerdictView {
    status: &'static str,
    word: &'static str,
}

/// A figure and its value on each device.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct FigureChange {
    text: String,
    values: Vec<ValueView>,
}

#[derive(Debug, Default, PartialEq, Serialize)]
struct ValueView {
    /// `None`: not measured there.
    text: Option<String>,
    /// Over the first device's, where it moves.
    times: Option<String>,
}
