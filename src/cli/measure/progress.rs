//! Turns the progress of a run into a bar on a terminal, or into plain lines elsewhere.
//!
//! Must not know what is measured.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::evidence::record::Outcome;
use crate::measure::Progress;

/// Turns what compilers said into words for the author.
pub(super) type Words<'a> = dyn Fn(&BTreeMap<String, String>) -> String + 'a;

/// Another progress that tells what compilers said, too.
pub(super) struct WithWarnings<'a> {
    pub(super) inner: Box<dyn Progress + 'a>,
    pub(super) words: Box<Words<'a>>,
}

impl Progress for WithWarnings<'_> {
    fn phase(&mut self, words: &str) {
        self.inner.phase(words);
    }

    fn compiled(&mut self, logs: &BTreeMap<String, String>) {
        let words = (self.words)(logs);
        if !words.is_empty() {
            self.inner.note(words.trim_end());
        }
    }

    fn rounds(&mut self, rows: usize, rounds: u32, finished: usize) {
        self.inner.rounds(rows, rounds, finished);
    }

    fn row(&mut self, round: u32, label: &str, outcome: &Outcome) {
        self.inner.row(round, label, outcome);
    }

    fn took(&mut self, sentence: &str) {
        self.inner.took(sentence);
    }

    fn note(&mut self, words: &str) {
        self.inner.note(words);
    }
}

/// A bar with the rows, the round and the time left.
pub(super) struct Bar {
    bar: ProgressBar,
    rounds: u32,
}

impl Bar {
    pub(super) fn new(sweep: &str) -> Self {
        let bar = ProgressBar::new_spinner().with_prefix(sweep.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        bar.set_style(style("{prefix}: {spinner} {msg}"));
        Self { bar, rounds: 0 }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Progress for Bar {
    fn phase(&mut self, words: &str) {
        self.bar.set_message(words.to_owned());
    }

    fn rounds(&mut self, rows: usize, rounds: u32, finished: usize) {
        self.rounds = rounds;
        self.bar.set_length(rows as u64 * u64::from(rounds));
        self.bar.set_position(finished as u64);
        // The time left follows from the rows to come, not from those that were there already.
        self.bar.reset_eta();
        self.bar.set_style(style("{prefix}: {wide_bar} {pos}/{len} {msg} {eta} left"));
    }

    fn row(&mut self, round: u32, label: &str, outcome: &Outcome) {
        if *outcome != Outcome::Ok {
            self.bar.println(failure(round, label, outcome));
        }
        self.bar.set_message(format!("round {round} of {}", self.rounds));
        self.bar.inc(1);
    }

    fn took(&mut self, sentence: &str) {
        self.bar.println(format!("{}: {sentence}", self.bar.prefix()));
    }

    fn note(&mut self, words: &str) {
        self.bar.println(words);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn failure(round: u32, label: &str, outcome: &Outcome) -> String {
    format!("  {label} in round {round}: {}: {}", outcome.word(), outcome.why().unwrap_or_default())
}

/// A line a phase, a round, and a row that is not ok.
pub(super) struct Lines<'a> {
    sweep: String,
    out: &'a mut dyn Write,
    rounds: u32,
    rows: usize,
    ended: usize,
    ok: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(sweep: &str, out: &'a mut dyn Write) -> Self {
        Self { sweep: sweep.to_owned(), out, rounds: 0, rows: 0, ended: 0, ok: 0 }
    }
}

impl Progress for Lines<'_> {
    fn phase(&mut self, words: &str) {
        // Nobody may be listening; a run does not end for that.
        let _ = writeln!(self.out, "{}: {words}", self.sweep);
    }

    fn rounds(&mut self, rows: usize, rounds: u32, finished: usize) {
        (self.rows, self.rounds) = (rows, rounds);
        // Of a run that is gone on with, the round in hand counts what it has already.
        self.ended = finished.checked_rem(rows).unwrap_or(0);
        self.ok = self.ended;
    }

    fn row(&mut self, round: u32, label: &str, outcome: &Outcome) {
        self.ended += 1;
        if *outcome == Outcome::Ok {
            self.ok += 1;
        } else {
            let _ = writeln!(self.out, "{}", failure(round, label, outcome));
        }
        if self.ended == self.rows {
            let _ = writeln!(self.out, "{}: round {round} of {}, {} of {} rows ok", self.sweep, self.rounds, self.ok, self.rows);
            (self.ended, self.ok) = (0, 0);
        }
    }

    fn took(&mut self, sentence: &str) {
        self.note(sentence);
    }

    fn note(&mut self, words: &str) {
        let _ = writeln!(self.out, "{}: {words}", self.sweep);
    }
}
