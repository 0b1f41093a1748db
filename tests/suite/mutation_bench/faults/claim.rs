//! Turns checked sentences into ones that the evidence contradicts or cannot contradict, and evidence into such as contradicts them.
//!
//! Must not know how a claim is decided: where a verdict must turn is shown from the medians of rounds, by a margin that no test of
//! any level would call otherwise.

use std::ops::Range;
use std::sync::Arc;

use lessonc::base::statistics::{mean, standard_deviation};
use lessonc::evidence::Run;
use lessonc::evidence::record::Record;
use regex::Captures;

use super::super::course::{Change, Course};
use super::super::forge::forge;
use super::super::random::Random;
use super::super::text::{digit, regex};
use super::Kind;
use super::lesson::lessons;

pub(super) const KINDS: &[Kind] = &[
    Kind { what: "a comparison turned round", rule: "claim-refuted", count: 10, make: turned },
    Kind { what: "another number of rows in a claim", rule: "claim-refuted", count: 2, make: counted },
    Kind { what: "the samples of two compared rows exchanged", rule: "claim-refuted", count: 6, make: exchanged },
    Kind { what: "the samples of two compared rows exchanged in some rounds", rule: "claim-unresolved", count: 8, make: mixed },
    Kind { what: "a claim loosened until it can't fail", rule: "vacuous-claim", count: 16, make: vacuous },
    Kind { what: "a claim without its condition", rule: "claim-no-holds", count: 8, make: no_holds },
    Kind { what: "a claim without its sentence", rule: "claim-no-sentence", count: 8, make: no_sentence },
    Kind { what: "a claim pasted twice", rule: "claim-duplicate", count: 8, make: twice },
];

const CLAIM: &str = r"(?m)^> claim: [^\n]*\n(?:^>[^\n]*\n?)*";

/// The claims of a lesson that have no other text for a card on which they fail: with one, the page says that.
fn plain(text: &str) -> Vec<Range<usize>> {
    let claims = regex(CLAIM);
    claims.find_iter(text).filter(|claim| !claim.as_str().contains("otherwise:")).map(|claim| claim.range()).collect()
}

/// One of the places that `pattern` finds in the plain claims of a lesson, changed.
fn in_claim(
    course: &Course,
    random: &mut Random,
    pattern: &str,
    change: impl FnOnce(&Captures<'_>, &mut Random) -> Option<String>,
) -> Option<Change> {
    let name = random.pick(&lessons(course))?.clone();
    let text = course.tree.text(&name);
    let claim = random.pick(&plain(text))?.clone();
    let new = super::super::text::one(&text[claim.clone()], pattern, random, change)?;
    Some(Change::of(&name, format!("{}{new}{}", &text[..claim.start], &text[claim.end..])))
}

/// `<` for `>`: what the rounds support one way round, they refute the other way round, by the same bounds.
fn turned(course: &Course, random: &mut Random) -> Option<Change> {
    in_claim(course, random, r#""(?<left>[^"<>=]+) (?<here><|>) [^"<>=]+""#, |found, _| {
        let is_plain = !["where", "count", " and ", " or ", "all(", "any("].iter().any(|word| found[0].contains(word));
        is_plain.then(|| if &found["here"] == "<" { ">" } else { "<" }.to_owned())
    })
}

fn counted(course: &Course, random: &mut Random) -> Option<Change> {
    in_claim(course, random, r#"== (?<here>\d+)""#, |found, random| digit(&found["here"], random))
}

/// `A < k * B` or `A > k * B` of times or rates of two rows of a sweep.
struct Comparison {
    run: Arc<Run>,
    rows: [usize; 2],
    /// Whether the left side is held to be the smaller.
    less: bool,
    factor: f64,
    rate: bool,
}

impl Comparison {
    /// One of those that a lesson makes of runs that count.
    fn one(course: &Course, random: &mut Random) -> Option<Self> {
        let lessons: Vec<_> = course.compiled.course.lessons.iter().collect();
        let lesson = random.pick(&lessons)?;
        let text = course.tree.text(&lesson.file);
        let side = r"(?:(?<SWEEP>\w+)\.)?row\('(?<LABEL>[^']+)'\)(?<METRIC>\.ms|\['GB/s'\])";
        let named = |side: &str, letter: &str| {
            side.replace("SWEEP", &format!("s{letter}")).replace("LABEL", &format!("l{letter}")).replace("METRIC", &format!("m{letter}"))
        };
        let pattern = regex(&format!(r#""{} (?<op>[<>]) (?:(?<k>\d+(?:\.\d+)?) \* )?{}""#, named(side, "a"), named(side, "b")));
        let claims = plain(text);
        let all: Vec<Captures<'_>> = claims.iter().flat_map(|claim| pattern.captures_iter(&text[claim.clone()])).collect();
        let found = random.pick(&all)?;
        let own = lesson.sweeps.first().map(|(name, _)| name.replace('-', "_"));
        let sweep = |group: &str| found.name(group).map(|name| name.as_str().to_owned()).or(own.clone());
        (sweep("sa") == sweep("sb") && found["ma"] == found["mb"]).then_some(())?;
        let feeding = course.feeding.iter().find(|feeding| Some(feeding.job.sweep.name.replace('-', "_")) == sweep("sa"))?;
        let rows = [feeding.run.record.row_index(&found["la"])?, feeding.run.record.row_index(&found["lb"])?];
        let factor = found.name("k").map_or(Some(1.0), |factor| factor.as_str().parse().ok())?;
        Some(Self { run: feeding.run.clone(), rows, less: &found["op"] == "<", factor, rate: &found["ma"] != ".ms" })
    }

    /// How many standard errors the rounds of `record` speak for the comparison; below 0, against it.
    fn margin(&self, record: &Record) -> Option<f64> {
        let value = |row: usize| -> Vec<Option<f64>> {
            let bytes = record.rows[row].launch.as_ref().and_then(|launch| launch.bytes).unwrap_or(1) as f64;
            record.round_ns(row).into_iter().map(|ns| ns.map(|ns| if self.rate { bytes / ns } else { ns })).collect()
        };
        let sign = if self.less { 1.0 } else { -1.0 };
        let pairs = value(self.rows[0]).into_iter().zip(value(self.rows[1]));
        let apart: Vec<f64> = pairs.filter_map(|(left, right)| Some(sign * ((self.factor * right?).ln() - left?.ln()))).collect();
        Some(mean(&apart)? / standard_deviation(&apart)? * (apart.len() as f64).sqrt())
    }

    /// Exchanges the samples of the two rows in the rounds that `chosen` names.
    fn exchange(&self, record: &mut Record, chosen: impl Fn(u32) -> bool) {
        let rounds: Vec<u32> = record.results.iter().map(|result| result.round).filter(|&round| chosen(round)).collect();
        for round in rounds.iter().collect::<std::collections::BTreeSet<_>>() {
            let place = |row: usize| record.results.iter().position(|result| result.round == *round && result.row as usize == row);
            let (Some(first), Some(second)) = (place(self.rows[0]), place(self.rows[1])) else { continue };
            let spans = std::mem::take(&mut record.results[first].spans_ns);
            record.results[first].spans_ns = std::mem::replace(&mut record.results[second].spans_ns, spans);
        }
    }

    fn forged(&self, chosen: impl Fn(u32) -> bool, turned: impl Fn(f64) -> bool) -> Option<Change> {
        forge(&self.run, |record| {
            self.exchange(record, chosen);
            turned(self.margin(record)?).then_some(())
        })
    }
}

/// A hundred standard errors against the sentence: no level of eleven rounds is so strict.
fn exchanged(course: &Course, random: &mut Random) -> Option<Change> {
    Comparison::one(course, random)?.forged(|_| true, |margin| margin < -100.0)
}

/// Within half a standard error of nothing: no level that anybody uses decides that.
fn mixed(course: &Course, random: &mut Random) -> Option<Change> {
    let comparison = Comparison::one(course, random)?;
    let rounds: Vec<bool> = (0..64).map(|_| random.below(2) == 0).collect();
    comparison.forged(|round| rounds[round as usize % 64], |margin| margin.abs() < 0.5)
}

/// Conditions that hold whatever is measured, of a measured time X and another one Y.
const VACUOUS: [&str; 12] = [
    "X >= X",
    "X > 0 ms",
    "X > -1 ms",
    "1 < 2",
    "X < 2 * X",
    "X > 0.5 * X",
    "X + 1 ms > X",
    "count(rows) > 0",
    "0 * Y < X",
    "within(X, X, 5%)",
    "X / X < 2",
    "X <= max(X, Y)",
];

fn vacuous(course: &Course, random: &mut Random) -> Option<Change> {
    let name = random.pick(&lessons(course))?.clone();
    let text = course.tree.text(&name);
    let times: Vec<&str> = regex(r"(?:\w+\.)?row\('[^']+'\)\.ms").find_iter(text).map(|found| found.as_str()).collect();
    let (x, y) = (*random.pick(&times)?, *random.pick(&times)?);
    // Where a lesson stands on several sweeps, what goes by the name of a row alone is of a run that stands before it.
    let is_whole = |time: &str| !time.starts_with("row(") || !text.contains(".row(");
    (is_whole(x) && is_whole(y)).then_some(())?;
    let form = VACUOUS[random.below(VACUOUS.len())];
    let sweep = x.split_once(".row").map_or(String::new(), |(sweep, _)| format!("{sweep}."));
    let condition = form.replace("rows", &format!("{sweep}rows")).replace('X', x).replace('Y', y);
    let claim = random.pick(&plain(text))?.clone();
    let new = super::super::text::one(&text[claim.clone()], r#"(?s)holds = (?<here>"[^"]*"|\[.*?"\])"#, random, |_, _| {
        Some(format!("\"{condition}\""))
    })?;
    Some(Change::of(&name, format!("{}{new}{}", &text[..claim.start], &text[claim.end..])))
}

fn no_holds(course: &Course, random: &mut Random) -> Option<Change> {
    in_claim(course, random, r"(?s)\A> claim: [\w-]+(?<here> \{.*?\})\n", |_, _| Some(String::new()))
}

fn no_sentence(course: &Course, random: &mut Random) -> Option<Change> {
    in_claim(course, random, r"(?s)\A> claim: [\w-]+ \{.*?\}\n(?<here>.*)\z", |_, _| Some(String::new()))
}

fn twice(course: &Course, random: &mut Random) -> Option<Change> {
    in_claim(course, random, r"(?s)\A.*\z", |found, _| Some(format!("{0}\n{0}", &found[0])))
}
