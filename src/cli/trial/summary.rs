//! Turns what a lesson says on the reader's card into text for a terminal, or into JSON: which sentences hold there, which don't, which
//! can't be told, with what both cards say.
//!
//! Must not judge, nor measure.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::base::quantity::{Amount, Format, Quantity};
use crate::claims::{Part, Verdict};
use crate::course::lesson::Lesson;
use crate::device::Machine;
use crate::evidence::name;
use crate::expr::Finding;
use crate::pages::Told;
use crate::rules::report::plural;

use super::super::measure::course::Studied;
use super::Shown;
use super::measuring::{State, Tried};

/// What there is to say of a try.
pub(super) struct Summary<'a> {
    pub(super) lesson: &'a Lesson,
    pub(super) studied: &'a Studied,
    pub(super) machine: Option<&'a Machine>,
    pub(super) tried: &'a [Tried],
    pub(super) shown: &'a Shown,
}

/// The verdicts in the order of the summary, so that what is news stands last, nearest to the prompt: how they are said of one sentence and
/// of several, and their colour.
const VERDICTS: [(Verdict, &str, &str, &str); 5] = [
    (Verdict::Supported, "holds", "hold", "32"),
    (Verdict::NotMeasured, "wasn't measured", "weren't measured", "2"),
    (Verdict::Broken, "can't be judged", "can't be judged", "2"),
    (Verdict::Unresolved, "can't be told", "can't be told", "33"),
    (Verdict::Refuted, "doesn't hold", "don't hold", "31"),
];

/// As wide as lines get.
const WIDTH: usize = 100;

/// The verdict on a sentence.
fn verdict(told: &Told) -> Verdict {
    told.outcome.as_ref().map_or(Verdict::NotMeasured, |outcome| outcome.judged.verdict)
}

/// The conditions of a sentence, as they were decided.
fn parts(told: &Told) -> impl Iterator<Item = &Part> {
    told.outcome.iter().flat_map(|outcome| &outcome.judged.parts)
}

/// Whether a sentence is about runs that it names, whatever the card: all that was measured of what it compares is of published runs.
fn is_of_named_runs(told: &Told) -> bool {
    let findings = parts(told).flat_map(|part| &part.findings);
    let compared = findings.filter_map(|finding| if let Finding::Comparison(comparison) = finding { Some(comparison) } else { None });
    let sides = compared.flat_map(|comparison| [&comparison.left, &comparison.right]);
    let runs_of = |side: &Quantity| match &side.amount {
        Amount::Measured(rounds) => vec![rounds.run.clone()],
        Amount::Across(across) => across.parts.iter().map(|rounds| rounds.run.clone()).collect(),
        Amount::Exact(_) | Amount::Between(..) => Vec::new(),
    };
    let mut runs = sides.flat_map(runs_of).peekable();
    runs.peek().is_some() && runs.all(|run| !name::is_private(&run))
}

/// What a condition compares, as values; where it asks for rows, what is said of them first.
fn values(part: &Part) -> String {
    let comparisons =
        part.findings.iter().filter_map(|finding| if let Finding::Comparison(comparison) = finding { Some(comparison) } else { None });
    let wanted = match part.verdict {
        Verdict::Refuted => Some(false),
        Verdict::Supported => Some(true),
        _ => None,
    };
    let compared = comparisons.clone().find(|comparison| comparison.truth == wanted).or_else(|| comparisons.clone().next());
    let side = |quantity: &Quantity| quantity.shown(&Format::default()).text();
    match compared {
        Some(comparison) => format!("{} against {}", side(&comparison.left), side(&comparison.right)),
        None => part.found.split("; ").next().unwrap_or_default().to_owned(),
    }
}

/// `text` in lines that begin with `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent.len() + line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(lines, "{indent}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        let _ = writeln!(lines, "{indent}{line}");
    }
    lines
}

impl Summary<'_> {
    /// The sentences here, each with the same one as published.
    fn sentences(&self) -> impl Iterator<Item = (&Told, Option<&Told>)> {
        let [published, here] = &self.shown.sentences;
        here.iter().map(move |told| (told, published.iter().find(|other| other.claim == told.claim)))
    }

    /// Those of them that are about the card at hand.
    fn of_card(&self) -> impl Iterator<Item = (&Told, Option<&Told>)> {
        self.sentences().filter(|(told, _)| !is_of_named_runs(told))
    }

    fn of(&self, wanted: Verdict) -> Vec<(&Told, Option<&Told>)> {
        self.of_card().filter(|(told, _)| verdict(told) == wanted).collect()
    }

    /// For people, with colours where the terminal shows them.
    pub(super) fn human(&self, colour: bool) -> String {
        let paint = |text: &str, code: &str| if colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() };
        let here = self.machine.map_or_else(|| "this machine".to_owned(), |machine| format!("your {}", machine.gpu.title()));
        let mut text = format!("{}\n", paint(&format!("{} on {here}", self.lesson.name), "1"));
        for tried in self.tried {
            let _ = writeln!(text, "  {}: {}", tried.sweep, state(tried));
        }
        for (verdict, one, _, code) in VERDICTS {
            for (told, published) in self.of(verdict) {
                let _ = writeln!(text, "\n{}  {}", paint(&capital(one), &format!("1;{code}")), paint(&told.claim, "2"));
                self.sentence(&mut text, told, published);
            }
        }
        let counts = VERDICTS.iter().filter_map(|(verdict, one, several, code)| match self.of(*verdict).len() {
            0 => None,
            1 => Some(paint(&format!("1 {one}"), code)),
            count => Some(paint(&format!("{count} {several}"), code)),
        });
        let counts: Vec<String> = counts.collect();
        let named: Vec<&str> =
            self.sentences().map(|(told, _)| told).filter(|told| is_of_named_runs(told)).map(|told| &*told.claim).collect();
        if !named.is_empty() {
            let about = "about published runs that they name, whatever the card";
            let _ = write!(text, "\n{}", wrapped(&format!("Not counted, since {about}: {}.", named.join(", ")), ""));
        }
        if counts.is_empty() {
            text.push_str("\nThe lesson has no checked sentence about the card at hand.\n");
        } else {
            let all = plural(self.of_card().count(), "checked sentence");
            let _ = writeln!(text, "\nOf {all}, on {here}: {}.", counts.join(", "));
        }
        let _ = writeln!(text, "{}", self.shown.page.display());
        text
    }

    /// A sentence as it reads here and as it is published, and what stands behind it: of one that holds what it compares first, of
    /// another all that keeps it from holding.
    fn sentence(&self, text: &mut String, told: &Told, published: Option<&Told>) {
        text.push_str(&wrapped(&told.sentence, "  "));
        let name = self.shown.published.as_ref().map_or("published", |(name, _)| name.as_str());
        let differs = published.filter(|published| published.sentence != told.sentence && verdict(published) != Verdict::NotMeasured);
        if let Some(published) = differs {
            text.push_str(&wrapped(&format!("{name}: {}", published.sentence), "    "));
        }
        let decides = |part: &&Part| part.verdict == verdict(told);
        let most = if verdict(told) == Verdict::Refuted { usize::MAX } else { 1 };
        for (place, part) in parts(told).enumerate().filter(|(_, part)| decides(part)).take(most) {
            let there = published.and_then(|published| parts(published).nth(place));
            match part.verdict {
                Verdict::NotMeasured | Verdict::Broken => text.push_str(&wrapped(&part.found, "    ")),
                Verdict::Supported if differs.is_some() => {}
                _ => {
                    let _ = writeln!(text, "    {}", part.text);
                    let _ = writeln!(text, "      yours: {}", values(part));
                    if let Some(there) = there {
                        let _ = writeln!(text, "      {name}: {}", values(there));
                    }
                }
            }
        }
    }

    /// For machines.
    pub(super) fn json(&self) -> Result<String> {
        let sweep = |tried: &Tried| {
            let (state, record) = match &tried.state {
                State::Measured(_, record) => ("measured", Some(record)),
                State::Kept(_, record) => ("kept", Some(record)),
                State::Failed(_) => ("failed", None),
            };
            let left_out: Vec<Value> = tried.left_out.iter().map(|(row, why)| json!({"row": row, "why": why})).collect();
            json!({"sweep": tried.sweep, "state": state, "record": record, "why": tried.failed(), "rows": tried.rows, "left_out": left_out})
        };
        let judged = |told: &Told| {
            let conditions: Vec<Value> =
                parts(told).map(|part| json!({"condition": part.text, "verdict": part.verdict.word(), "found": part.found})).collect();
            json!({"verdict": verdict(told).word(), "sentence": told.sentence, "conditions": conditions})
        };
        let sentences: Vec<Value> = self
            .sentences()
            .map(|(told, published)| json!({"claim": told.claim, "of_named_runs": is_of_named_runs(told), "here": judged(told), "published": published.map(judged)}))
            .collect();
        let device = self.machine.map(|machine| json!({"name": machine.gpu.title(), "slug": machine.gpu.slug()}));
        let published = self.shown.published.as_ref().map(|(name, slug)| json!({"name": name, "slug": slug}));
        let summary = json!({
            "lesson": self.lesson.name,
            "file": &*self.lesson.file,
            "course": self.studied.course.config.title.of(&self.lesson.language),
            "device": device,
            "published": published,
            "page": self.shown.page,
            "sweeps": self.tried.iter().map(sweep).collect::<Vec<_>>(),
            "sentences": sentences,
        });
        Ok(serde_json::to_string_pretty(&summary).context("cannot print the summary")? + "\n")
    }
}

/// What became of a sweep, and which rows of it have no figures here.
fn state(tried: &Tried) -> String {
    let state = match &tried.state {
        State::Measured(1, _) => "measured".to_owned(),
        State::Measured(rounds, _) => format!("measured, {rounds} rounds"),
        State::Kept(date, _) => format!("measured on {date}; --again measures it anew"),
        State::Failed(why) => return format!("not measured: {}", one_line(why)),
    };
    match tried.left_out.as_slice() {
        [] => state,
        [(row, why)] => format!("{state}; without `{row}`: {}", one_line(why)),
        [(row, why), ..] => {
            format!("{state}; without {} of {} rows, `{row}` first: {}", tried.left_out.len(), tried.rows, one_line(why))
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
