//! Turns the claims of all lessons into verdicts on every device, and what can't be published into problems.
//!
//! Must not know pages: a page asks what a claim shows on a device.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::digest::Checksum;
use crate::base::problem::{Problem, Problems};
use crate::base::row::{Maker, Row};
use crate::base::stamp::Stamp;
use crate::course::columns::Standing;
use crate::course::document::{Claim, Document};
use crate::course::lesson::Lesson;
use crate::course::sweep::Sweep;
use crate::course::{self, Course};
use crate::expr::Scope;

use super::facts::Facts;
use super::judge::{Judged, Verdict, judge};
use super::problems as problem;
use super::vacuous::{standing, vacuous};

/// What a page shows of a claim on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// The sentence.
    Sentence,
    /// What the author says otherwise.
    Otherwise,
    /// The sentence, with the verdict that it is not supported.
    Unsupported,
}

/// A claim on a device.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimOutcome {
    /// The claim's own verdict.
    pub judged: Judged,
    /// The verdict on what is said otherwise, where the claim is refuted and has that.
    pub otherwise: Option<Judged>,
    /// What the page shows.
    pub shows: Shows,
}

/// The verdicts of a course.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    families: Arc<BTreeMap<String, Arc<Family>>>,
}

/// The verdicts on what a lesson, in whichever languages, claims.
#[derive(Debug, Default, PartialEq)]
pub struct Family {
    /// By claim, on each device.
    outcomes: BTreeMap<String, Vec<(String, ClaimOutcome)>>,
    /// What can't be published.
    problems: Vec<Problem>,
}

/// The verdicts reached before.
#[derive(Debug, Default)]
pub struct Memo {
    families: Row<course::Family, Arc<Known>, Vec<Problem>>,
    last: Mutex<Verdicts>,
}

/// Verdicts, and what they were reached from.
#[derive(Debug)]
struct Known {
    languages: course::Family,
    stamp: Stamp,
    family: Arc<Family>,
}

impl Verdicts {
    /// The outcome of the claim `claim` of the lesson `lesson` (in any language) on the device `device`.
    #[must_use]
    pub fn of(&self, lesson: &str, claim: &str, device: &str) -> Option<&ClaimOutcome> {
        let on_devices = self.families.get(lesson)?.outcomes.get(claim)?;
        on_devices.iter().find(|(slug, _)| slug == device).map(|(_, outcome)| outcome)
    }

    /// Adds all verdicts to what `stamp` says that something was made from.
    pub fn add_all_to(&self, stamp: &mut Stamp) {
        stamp.same(&self.families);
    }

    /// All verdicts on what `lesson` claims: the very same value as long as nothing that they hang on changes.
    #[must_use]
    pub fn of_lesson(&self, lesson: &str) -> Option<&Arc<Family>> {
        self.families.get(lesson)
    }
}

/// Judges every claim of `course` on every published device.
#[must_use]
pub fn verdicts(course: &Course, facts: &Facts, problems: &mut Problems) -> Verdicts {
    verdicts_again(course, facts, &Memo::default(), problems)
}

/// The same; where lessons and sweeps are those of before, so are the verdicts.
#[must_use]
pub fn verdicts_again(course: &Course, facts: &Facts, memo: &Memo, problems: &mut Problems) -> Verdicts {
    let published = Checksum::of(course.config.devices.join("\n"));
    let mut around = Stamp::default();
    around.equal(Some(published));
    around.same(&course.sweeps);
    facts.add_all_to(&mut around);
    let before = std::mem::take(&mut *memo.last.lock().unwrap_or_else(PoisonError::into_inner));
    let judging = Judging { course, facts, published, before: &before, is_moved: AtomicBool::new(false) };
    let parts = memo.families.again(around, &course.families, &judging);
    problems.extend(parts.iter().flat_map(|part| part.sum.iter().cloned()));
    let same = before.families.len() == course.families.len() && !judging.is_moved.into_inner();
    let known = || parts.iter().flat_map(|part| part.values.iter());
    let now = || known().filter_map(|known| Some((known.languages.first()?.name.clone(), known.family.clone()))).collect();
    let verdicts = if same { before.clone() } else { Verdicts { families: Arc::new(now()) } };
    *memo.last.lock().unwrap_or_else(PoisonError::into_inner) = verdicts.clone();
    verdicts
}

/// What verdicts are reached from.
struct Judging<'a> {
    course: &'a Course,
    facts: &'a Facts,
    published: Checksum,
    /// The verdicts of before.
    before: &'a Verdicts,
    /// Whether one is another now.
    is_moved: AtomicBool,
}

impl Maker for Judging<'_> {
    type Thing = course::Family;
    type Key = str;
    type Value = Arc<Known>;
    type Sum = Vec<Problem>;

    fn key<'t>(&self, languages: &'t course::Family) -> &'t str {
        languages.first().map_or("", |lesson| &lesson.name)
    }

    fn stands(&self, _: &Vec<Problem>) -> bool {
        true
    }

    fn holds(&self, languages: &course::Family, known: &Arc<Known>, same_around: bool) -> bool {
        let mut pairs = known.languages.iter().zip(&**languages);
        known.languages.len() == languages.len()
            && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
            && (same_around || known.stamp == stamp(self.course, self.facts, languages, self.published))
    }

    fn make(&self, languages: &course::Family) -> Arc<Known> {
        let family = family(self.course, self.facts, languages);
        // Where the text alone is another, all that hangs on the verdicts stays.
        let known = self.before.of_lesson(self.key(languages)).filter(|known| ***known == family);
        let family = known.cloned().unwrap_or_else(|| {
            self.is_moved.store(true, Ordering::Relaxed);
            Arc::new(family)
        });
        Arc::new(Known { languages: languages.clone(), stamp: stamp(self.course, self.facts, languages, self.published), family })
    }

    fn sum(&self, values: &[Arc<Known>]) -> Vec<Problem> {
        values.iter().flat_map(|known| known.family.problems.iter().cloned()).collect()
    }
}

/// What the verdicts on a lesson, in these languages, hang on.
fn stamp(course: &Course, facts: &Facts, languages: &[Arc<Lesson>], published: Checksum) -> Stamp {
    let mut stamp = Stamp::default();
    stamp.equal(Some(published));
    stamp.equal(Some(facts.shared()));
    for lesson in languages {
        stamp.same(lesson);
        for (sweep, _) in &lesson.sweeps {
            stamp.same_or_none(course.sweeps.get(sweep));
            facts.add_to(&mut stamp, sweep);
        }
    }
    stamp
}

fn family(course: &Course, facts: &Facts, languages: &[Arc<Lesson>]) -> Family {
    let claiming = languages.iter().filter(|lesson| !lesson.face.claims.is_empty());
    let documents: Vec<(&Lesson, Document)> = claiming.map(|lesson| (&**lesson, lesson.document())).collect();
    let claims: Vec<(&Lesson, &Claim)> = documents
        .iter()
        .flat_map(|(lesson, document)| document.claims().map(|claim| (*lesson, claim)))
        .filter(|(_, claim)| !claim.holds.is_empty())
        .collect();
    if claims.is_empty() {
        return Family::default();
    }
    let sweeps = sweeps_of(course, languages);
    let measured = claims.iter().filter(|(_, claim)| claim.holds.iter().any(|expr| standing(expr, &sweeps) == Standing::Measured)).count();
    let mut problems = Problems::new();
    let mut empty = BTreeSet::new();
    for (_, claim) in &claims {
        let conditions = claim.holds.iter().chain(claim.otherwise.iter().flat_map(|otherwise| &otherwise.holds));
        for (expr, why) in conditions.filter_map(|expr| Some((expr, vacuous(expr, &sweeps)?))) {
            problems.push(problem::vacuous(claim, expr, &why));
            empty.insert(&claim.name);
        }
    }
    let mut outcomes: BTreeMap<String, Vec<(String, ClaimOutcome)>> = BTreeMap::new();
    for (lesson, claim) in &claims {
        for (index, device) in facts.devices_of(lesson).iter().enumerate() {
            let scope = facts.scope(lesson, device);
            let outcome = outcome(claim, &scope, measured);
            // What could not fail needs no second problem that says how it fared.
            // Nor does one that can't be judged because of its sweep: on a published device a rule asks for the run.
            let said = scope.is_faulty() || course.config.devices.contains(device) && scope.lacks_a_run();
            let unjudged = outcome.judged.verdict == Verdict::NotMeasured && said;
            // What does not hold on somebody's own card is no fault of the course.
            let published = index < facts.devices().len();
            if published && !empty.contains(&claim.name) && !unjudged {
                note(claim, &outcome, device, index == 0, &mut problems);
                problems.extend(latent(claim, &outcome, &scope, measured));
            }
            outcomes.entry(claim.name.clone()).or_default().push((device.clone(), outcome));
        }
    }
    Family { outcomes, problems: problems.into_iter().collect() }
}

fn sweeps_of<'a>(course: &'a Course, languages: &[Arc<Lesson>]) -> Vec<&'a Sweep> {
    let mut names: Vec<&str> = languages.iter().flat_map(|lesson| lesson.sweeps.iter().map(|(name, _)| name.as_str())).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().filter_map(|name| course.sweeps.get(name)).map(AsRef::as_ref).collect()
}

/// Judges `claim` in `scope`, as one of `measured` that share the level.
fn outcome(claim: &Claim, scope: &dyn Scope, measured: usize) -> ClaimOutcome {
    let judged = judge(&claim.holds, scope, measured);
    let otherwise =
        claim.otherwise.as_ref().filter(|_| judged.verdict == Verdict::Refuted).map(|otherwise| judge(&otherwise.holds, scope, measured));
    let stands_in = otherwise.as_ref().is_some_and(|otherwise| otherwise.verdict == Verdict::Supported && !otherwise.parts.is_empty());
    let shows = match judged.verdict {
        Verdict::Supported => Shows::Sentence,
        _ if stands_in => Shows::Otherwise,
        _ => Shows::Unsupported,
    };
    ClaimOutcome { judged, otherwise, shows }
}

/// What is wrong with a condition of what is said otherwise, where nobody needs it yet: on the day when a new run refutes the sentence,
/// a row that isn't there would be found too late.
fn latent(claim: &Claim, outcome: &ClaimOutcome, scope: &dyn Scope, measured: usize) -> Vec<Problem> {
    let unused = claim.otherwise.as_ref().filter(|_| outcome.otherwise.is_none());
    unused.map(|otherwise| judge(&otherwise.holds, scope, measured).faults).unwrap_or_default()
}

fn note(claim: &Claim, outcome: &ClaimOutcome, device: &str, primary: bool, problems: &mut Problems) {
    problems.extend(outcome.judged.faults.iter().cloned());
    match (outcome.shows, &outcome.otherwise, &claim.otherwise) {
        (Shows::Sentence | Shows::Otherwise, ..) => {}
        (Shows::Unsupported, Some(judged), Some(otherwise)) => {
            problems.extend(judged.faults.iter().cloned());
            if judged.verdict != Verdict::Broken {
                problems.push(problem::otherwise_unsupported(claim, judged, device, &otherwise.at));
            }
        }
        (Shows::Unsupported, ..) => problems.extend(problem::unsupported(claim, &outcome.judged, device, primary)),
    }
}
