//! Turns records into ones edited with care: digest, tick and transcript agree, and nothing in them contradicts anything. What is
//! left to find them are the repository's history and signatures.
//!
//! Must not know how either is checked.

use std::sync::Arc;

use lessonc::evidence::Run;
use lessonc::evidence::record::Record;
use lessonc::evidence::signature::NAMESPACE;
use ssh_key::private::{Ed25519Keypair, KeypairData};
use ssh_key::{HashAlg, LineEnding, PrivateKey};

use super::super::course::{Change, Course};
use super::super::forge::forge;
use super::super::random::Random;
use super::super::text::one;
use super::Kind;
use super::record::kernel_run;

pub(super) const KINDS: &[Kind] = &[
    Kind { what: "a record edited with care after it was committed", rule: "evidence-rewritten", count: 8, make: rewritten },
    Kind { what: "a record taken away after it was committed", rule: "evidence-removed", count: 8, make: removed },
    Kind { what: "a record edited with care after it was signed", rule: "signature-wrong", count: 8, make: edited },
    Kind { what: "a record that only a stranger signed", rule: "signature-unknown", count: 8, make: stranger },
    Kind { what: "a record that nobody signed, in a course that promises it", rule: "signature-missing", count: 8, make: unsigned },
];

/// A lie that no rule can see in the record.
fn lie(record: &mut Record, random: &mut Random) -> Option<()> {
    match random.below(4) {
        0 => {
            let tick = record.footer.as_ref()?.tick_ns?;
            let index = random.below(record.results.len());
            let result = &mut record.results[index];
            let at = random.below(result.spans_ns.len().max(1));
            *result.spans_ns.get_mut(at)? += tick;
        }
        1 => {
            let more = 1 + random.below(3) as u32;
            record.rows.iter_mut().filter_map(|row| row.residency.as_mut()).for_each(|residency| residency.kernel.const_bytes += more);
        }
        2 => {
            let index = random.below(record.results.len());
            let degrees = record.results[index].temperature_c.as_mut()?;
            *degrees += 1 + random.below(9) as u32;
        }
        _ => record.header.circumstance.vbios = Some(format!("96.00.A5.00.{:02}", random.below(100))),
    }
    Some(())
}

fn rewritten(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, true)?.run;
    Some(forge(&run, |record| lie(record, random))?.with_history())
}

fn removed(course: &Course, random: &mut Random) -> Option<Change> {
    let all: Vec<&Arc<Run>> = course.compiled.evidence.all().collect();
    let run = random.pick(&all)?;
    Some(Change::default().without(&run.name).without(&run.transcript_name).with_history())
}

fn key(seed: u8) -> PrivateKey {
    PrivateKey::new(KeypairData::from(Ed25519Keypair::from_seed(&[seed; 32])), "bench").unwrap()
}

fn signature(course: &Course, run: &Run, key: &PrivateKey) -> String {
    key.sign(NAMESPACE, HashAlg::Sha512, course.tree.text(&run.name).as_bytes()).unwrap().to_pem(LineEnding::LF).unwrap()
}

/// A course that promises signatures, and has one by key 1 for every run that feeds a page but `odd`.
fn signed(course: &Course, odd: &Run) -> Option<Change> {
    let config = one(course.tree.text("lessons/course.toml"), r"(?m)^\[policy\]\n", &mut Random::of(""), |found, _| {
        Some(format!("{}signatures = \"required\"\n", &found[0]))
    })?;
    let key = key(1);
    let signers = format!("ada@example {}\n", key.public_key().to_openssh().unwrap());
    let change = Change::of("lessons/course.toml", config).and("lessons/allowed_signers", signers);
    let others = course.feeding.iter().filter(|feeding| feeding.run.name != odd.name);
    Some(others.fold(change, |change, feeding| change.and(&format!("{}.sig", feeding.run.name), signature(course, &feeding.run, &key))))
}

fn one_of_feeding(course: &Course, random: &mut Random) -> Option<Arc<Run>> {
    random.pick(&course.feeding).map(|feeding| feeding.run.clone())
}

fn edited(course: &Course, random: &mut Random) -> Option<Change> {
    let run = kernel_run(course, random, true)?.run;
    let forged = forge(&run, |record| lie(record, random))?;
    let mut change = signed(course, &run)?.and(&format!("{}.sig", run.name), signature(course, &run, &key(1)));
    change.inputs.extend(forged.inputs);
    Some(change)
}

fn stranger(course: &Course, random: &mut Random) -> Option<Change> {
    let run = one_of_feeding(course, random)?;
    let stranger = key(2 + random.below(200) as u8);
    Some(signed(course, &run)?.and(&format!("{}.sig", run.name), signature(course, &run, &stranger)))
}

fn unsigned(course: &Course, random: &mut Random) -> Option<Change> {
    signed(course, &*one_of_feeding(course, random)?)
}
