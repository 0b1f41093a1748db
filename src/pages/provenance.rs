//! Turns a run into the line under an exhibit: device, date, rounds, spread, record, transcript, how to run it again.
//!
//! Must not know which exhibit it stands under.

use serde::Serialize;

use crate::evidence::Run;
use crate::evidence::record::RunKind;

use super::html::escape;
use super::lines::line_id;
use super::words::{Words, fill};

/// Where figures come from, in words and links.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Provenance {
    /// The letter of the run on this page, where runs are listed.
    pub mark: Option<String>,
    /// The sweep's name.
    pub sweep: String,
    /// The device's product name.
    pub device: String,
    /// UTC date, `YYYY-MM-DD`.
    pub date: String,
    /// Device and date in words.
    pub measured: String,
    /// The same as HTML, the date in one piece.
    pub measured_html: String,
    /// Rounds in words; `None` where nothing was launched.
    pub rounds: Option<String>,
    /// The largest spread in words.
    pub spread: Option<String>,
    /// What speaks against the run, if anything does.
    pub state: Option<&'static str>,
    /// Who vouches for the run, in words.
    pub signed: Option<String>,
    /// The way to the record.
    pub record: String,
    /// The way to the transcript's page.
    pub transcript: String,
    /// The command that measures the sweep again.
    pub again: String,
}

/// The product name of a run's device, with its MIG profile.
pub(crate) fn device_name(run: &Run) -> String {
    run.made_on()
}

/// The path of the page that shows a run's transcript.
pub(crate) fn transcript_page(run: &Run) -> String {
    format!("{}.html", run.stem())
}

impl Provenance {
    /// The provenance of `run` as a page says it that stands `root` away from the site's root; `spread` is the largest
    /// of what is shown, as a share of its value.
    pub(crate) fn new(run: &Run, spread: Option<f64>, root: &str, words: &Words) -> Self {
        let state = run.private().map(|whom| words.private.state(whom)).or_else(|| run.is_fake().then_some(words.fake));
        let device = device_name(run);
        let time = format!("<time datetime=\"{0}\">{0}</time>", run.date());
        Self {
            mark: None,
            sweep: run.sweep().to_owned(),
            date: run.date().to_owned(),
            measured: fill(words.measured, &[&device, run.date()]),
            measured_html: fill(words.measured, &[&format!("<span class=\"whole-words\">{}</span>", escape(&device)), &time]),
            rounds: (run.kind() == RunKind::Kernel).then(|| words.rounds.of(&[run.record.header.identity.timing.rounds as usize], &[])),
            spread: spread.map(|share| fill(words.spread_at_most, &[&percent(share)])),
            state,
            signed: None,
            record: format!("{root}{}", run.name),
            transcript: format!("{root}{}", transcript_page(run)),
            again: format!("lessonc measure {}", run.sweep()),
            device,
        }
    }
}

impl Provenance {
    /// The same, its transcript opened at `line`.
    pub(crate) fn at_line(mut self, line: usize) -> Self {
        self.transcript += &format!("#{}", line_id(line));
        self
    }

    /// The same, its transcript opened where it says what `run` has of the row `label`, if it does.
    pub(crate) fn at_row(self, run: &Run, label: Option<&str>) -> Self {
        match label.and_then(|label| run.transcript_line(label)) {
            Some(line) => self.at_line(line),
            None => self,
        }
    }
}

/// A share as percent, rounded up to one significant digit below one and to two places at least, so that it is no promise
/// that the data don't keep.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    for places in 0..=4 {
        let step = [1.0, 0.1, 0.01, 0.001, 0.0001][places];
        if percent >= step || places == 4 {
            return format!("{:.places$}", (percent / step).ceil() * step);
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_never_understated() {
        let cases = [(0.0009, "0.09"), (0.000_91, "0.10"), (0.0101, "2"), (0.01, "1"), (0.3, "30"), (0.000_004, "0.0004"), (0.0, "0.0000")];
        for (share, expected) in cases {
            assert_eq!(percent(share), expected, "{share}");
        }
    }
}
