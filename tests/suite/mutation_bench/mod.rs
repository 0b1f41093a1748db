//! Turns this repository's own course into a few hundred faulty ones, a fault each, and into harmless variants; `verify` must find
//! every fault under the name of the rule that is there for it, and nothing in the others.
//!
//! Must not let one rule hide another: what can be made afresh after a fault is made afresh (digest, transcript, site), unless it
//! is what the fault is in. Faults are chosen by a seed among what the course has, so that they grow with it.
//!
//! Some edits of a record are no faults here, because nothing in a course can tell them from a measurement: samples moved a little
//! or all in one proportion, as long as no claim turns and no physics is broken; a clock, a temperature or a driver's version
//! within what cards have; registers of a kernel changed in all of its rows alike (`verify --compile` finds those); a round
//! declared lost; the whole of a run made up with care. Against those stand the repository's history and signatures, and
//! `faults::careful` holds those to it.

mod course;
mod faults;
mod forge;
mod harmless;
mod random;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use lessonc::base::problem::Problem;
use lessonc::pipeline::Memo;
use rayon::prelude::*;

use self::course::{Change, Course, is_error};
use self::faults::Kind;
use self::random::Random;

/// Least of what is asked of the bench.
const FAULTS: usize = 200;
const KINDS: usize = 25;
const FAULTS_OF_A_RULE: usize = 8;
/// Choices that may fall on a place that has none of a kind, for each fault of it.
const TRIES: usize = 60;
/// One fault of so many is judged in the whole course, too.
const SAMPLE: usize = 40;

/// Rules whose problems are warnings by nature: with such a fault, a page still says nothing wrong.
const WARNINGS: [&str; 4] = ["evidence-removed", "snippet-unused", "stated-unused", "template-unused"];

/// Kinds that only a course of other sweeps has places for.
const MAYBE: [&str; 1] = ["a chain shorter than its operations"];

fn the_course() -> &'static Course {
    static COURSE: OnceLock<Course> = OnceLock::new();
    COURSE.get_or_init(Course::read)
}

/// Memos of compilations that ended; each is of one compilation at a time.
#[derive(Default)]
struct Memos(Mutex<Vec<Memo>>);

impl Memos {
    fn with<T>(&self, work: impl FnOnce(&Memo) -> T) -> T {
        let memo = self.0.lock().unwrap().pop().unwrap_or_default();
        let result = work(&memo);
        self.0.lock().unwrap().push(memo);
        result
    }
}

fn the_parts() -> &'static [Course] {
    static PARTS: OnceLock<Vec<Course>> = OnceLock::new();
    PARTS.get_or_init(|| the_course().parts())
}

/// A fault, the kind that it is of, and the part of the course that it is in.
struct Fault<'a> {
    kind: &'static Kind,
    part: &'a Course,
    change: Change,
}

/// The faults of `kind`, each another one, as many as asked for where the course has so many; they go round the parts of the course.
fn make<'a>(parts: &'a [Course], kind: &'static Kind) -> Vec<Fault<'a>> {
    let mut random = Random::of(kind.what);
    let first = random.below(parts.len());
    let mut made: BTreeMap<Change, &Course> = BTreeMap::new();
    for number in 0..kind.count * TRIES {
        if made.len() == kind.count {
            break;
        }
        let part = &parts[(first + number) % parts.len()];
        made.extend((kind.make)(part, &mut random).map(|change| (change, part)));
    }
    made.into_iter().map(|(change, part)| Fault { kind, part, change }).collect()
}

/// Whether `found` has the problem that `fault` must be found as.
fn is_caught(fault: &Fault<'_>, found: &[Problem]) -> bool {
    found.iter().any(|problem| problem.id == fault.kind.rule && (is_error(problem) || WARNINGS.contains(&problem.id)))
}

fn judge(course: &Course, fault: &Fault<'_>, memo: &Memo) -> Vec<Problem> {
    course.verify(&fault.change, |found| is_caught(fault, found), memo)
}

/// Whether `fault` is one of the few that are judged in the whole course too: what is found in a part is found there. The site and
/// the configuration of a part are its own.
fn is_for_the_whole(index: usize, fault: &Fault<'_>) -> bool {
    index.is_multiple_of(SAMPLE) && fault.change.site.is_none() && !fault.change.inputs.contains_key("lessons/course.toml")
}

fn score(rows: &BTreeMap<(&str, &str), (usize, usize)>) -> String {
    let mut text = String::new();
    for ((rule, what), (caught, made)) in rows {
        let _ = writeln!(text, "{caught:>3}/{made:<3} {rule:<27} {what}");
    }
    let (caught, made) = rows.values().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
    let rules: BTreeSet<&str> = rows.keys().map(|(rule, _)| *rule).collect();
    let _ = writeln!(text, "{caught}/{made} faults of {} kinds, by {} rules", rows.len(), rules.len());
    text
}

#[test]
fn every_fault_is_found_by_the_rule_that_is_there_for_it() {
    let course = the_course();
    let began = Instant::now();
    let kinds: Vec<&'static Kind> = faults::all().collect();
    let parts = the_parts();
    let faults: Vec<Fault<'_>> = kinds.par_iter().flat_map(|kind| make(parts, kind)).collect();
    let made = began.elapsed();
    let memos = Memos::default();
    let found: Vec<Vec<Problem>> = faults.par_iter().map(|fault| memos.with(|memo| judge(fault.part, fault, memo))).collect();
    let sample = faults.par_iter().enumerate().filter(|(index, fault)| is_for_the_whole(*index, fault));
    let lost: Vec<String> = sample
        .filter(|(_, fault)| !is_caught(fault, &memos.with(|memo| judge(course, fault, memo))))
        .map(|(_, fault)| format!("{}: {}", fault.kind.what, fault.change.words(course)))
        .collect();
    let mut rows: BTreeMap<(&str, &str), (usize, usize)> = kinds.iter().map(|kind| ((kind.rule, kind.what), (0, 0))).collect();
    let mut missed = String::new();
    for (fault, found) in faults.iter().zip(&found) {
        let row = rows.entry((fault.kind.rule, fault.kind.what)).or_default();
        row.1 += 1;
        if is_caught(fault, found) {
            row.0 += 1;
        } else {
            let said: Vec<String> = found.iter().map(|problem| format!("{}: {}", problem.id, problem.message)).collect();
            let _ = writeln!(missed, "{} [{}]\n  {}\n  found: {said:?}", fault.kind.what, fault.kind.rule, fault.change.words(fault.part));
        }
    }
    eprintln!("{}made in {made:.1?}, all in {:.1?}", score(&rows), began.elapsed());
    assert!(missed.is_empty(), "missed:\n{missed}");
    assert!(lost.is_empty(), "found in a part of the course, and not in the whole: {lost:?}");
    let mut of_rule: BTreeMap<&str, usize> = BTreeMap::new();
    for ((rule, _), (_, made)) in &rows {
        *of_rule.entry(rule).or_default() += made;
    }
    let missing = rows.iter().filter(|((_, what), (_, made))| *made == 0 && !MAYBE.contains(what));
    let none: Vec<_> = missing.map(|(kind, _)| kind).collect();
    let few: Vec<_> = of_rule.iter().filter(|(_, made)| (1..FAULTS_OF_A_RULE).contains(*made)).collect();
    assert!(faults.len() >= FAULTS && rows.len() >= KINDS && few.is_empty() && none.is_empty(), "too few faults: {few:?}, none: {none:?}");
}

#[test]
fn what_is_harmless_is_not_flagged_after_a_build() {
    let course = the_course();
    let began = Instant::now();
    let edits = harmless::all(course, the_parts());
    let count = edits.len();
    let memos = Memos::default();
    let flagged: Vec<String> = edits
        .into_par_iter()
        .map(|edit| {
            let found = memos.with(|memo| edit.course.rebuilt(&edit.change, edit.checkout, memo));
            let said: Vec<String> = found.iter().map(|problem| format!("{}: {}", problem.id, problem.message)).collect();
            (!said.is_empty()).then(|| format!("{}\n  {}\n  found: {said:?}", edit.what, edit.change.words(edit.course)))
        })
        .flatten()
        .collect();
    eprintln!("0 of {count} harmless edits may be flagged, and {} are; {:.1?}", flagged.len(), began.elapsed());
    assert!(flagged.is_empty(), "{}", flagged.join("\n"));
    assert!(count >= 60, "{count} harmless edits");
}
