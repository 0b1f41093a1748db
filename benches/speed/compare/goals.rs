//! Turns results into the goals that lessonc set itself, each with what came of it.
//!
//! Must not soften one: what was not measured is said to be so.

use std::fmt;

use super::results::{COPY, LONG, Results, SHORT, UNCHANGED, VERIFY, VERSION};
use super::subjects::{HUGO, HUGO_PLAIN, LESSONC, LESSONC_PLAIN, ZOLA};
use super::table::digits;

/// What is wanted of a figure.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    AtLeast(f64),
    AtMost(f64),
}

/// A goal.
#[derive(Debug)]
pub(super) struct Goal {
    words: &'static str,
    wanted: Wanted,
    unit: &'static str,
    got: Option<f64>,
}

impl Goal {
    /// Whether it was met; `None` where that was not measured.
    pub(super) fn is_met(&self) -> Option<bool> {
        self.got.map(|got| match self.wanted {
            Wanted::AtLeast(least) => got >= least,
            Wanted::AtMost(most) => got <= most,
        })
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, bound) = match self.wanted {
            Wanted::AtLeast(least) => ("at least", least),
            Wanted::AtMost(most) => ("at most", most),
        };
        let wanted = format!("{}: {word} {bound}{}", self.words, self.unit);
        match (self.is_met(), self.got) {
            (Some(true), Some(got)) => write!(f, "- {wanted}; met: {}{}", digits(got), self.unit),
            (Some(false), Some(got)) => write!(f, "- {wanted}; **not met: {}{}**", digits(got), self.unit),
            _ => write!(f, "- {wanted}; not measured"),
        }
    }
}

/// Every goal. Those that name a number of lessons hold at it only.
pub(super) fn goals(results: &Results) -> Vec<Goal> {
    use Wanted::{AtLeast, AtMost};
    // The others make no index of their pages, or are compared without it.
    let (build, plain) = (LESSONC.name, LESSONC_PLAIN.name);
    let over = |a: &str, b: &str| Some(results.wall(a)? / results.wall(b)?);
    let mib = |name: &str| results.median(name).map(|took| took.peak as f64 / f64::from(1 << 20));
    let at = |lessons: usize, value: Option<f64>| value.filter(|_| results.lessons == lessons);
    let goal = |words, wanted, unit, got| Goal { words, wanted, unit, got };
    vec![
        goal("Hugo with highlighting takes longer", AtLeast(20.0), " times", over(HUGO, plain)),
        goal("Zola with highlighting takes longer", AtLeast(30.0), " times", over(ZOLA, plain)),
        goal("Hugo without highlighting takes longer", AtLeast(2.0), " times", over(HUGO_PLAIN, plain)),
        goal("a build over a copy of its site", AtMost(2.0), " times", over(build, COPY)),
        goal("ten times the lessons", AtMost(10.5), " times", over(LONG, SHORT)),
        goal("peak memory at 1,000 lessons", AtMost(150.0), " MiB", at(1000, mib(build))),
        goal("peak memory at 10,000 lessons", AtMost(600.0), " MiB", at(1000, mib(LONG))),
        goal(
            "the search index",
            AtMost(1.0),
            " s",
            at(1000, results.wall(build).zip(results.wall(plain)).map(|(with, without)| with - without)),
        ),
        goal("output at 1,000 lessons", AtMost(40.0), " MB", at(1000, results.sizes.get(build).map(|size| size.megabytes()))),
        goal("verify over build", AtMost(2.0), " times", over(VERIFY, build)),
        goal("a build with nothing changed over a cold one", AtMost(0.5), " times", over(UNCHANGED, build)),
        goal("start of the program", AtMost(5.0), " ms", results.wall(VERSION).map(|wall| 1e3 * wall)),
    ]
}
