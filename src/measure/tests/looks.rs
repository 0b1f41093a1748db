//! Canaries, and runs that are compared with an earlier one while they are measured.
//!
//! Must not need a GPU, a clock or patience.

use super::*;
use crate::device::canary::plan;
use crate::evidence::canary::Canary;
use crate::measure::canary::CanaryTask;

#[test]
fn canaries_are_measured_in_every_round_before_its_rows() {
    let root = folder();
    let written = fake_run(root.path(), CachePolicy::Cold, Vec::new());
    let order: Vec<(u32, Canary)> = written.record.canaries.iter().map(|result| (result.round, result.canary)).collect();
    let (copy, fma) = (Canary::Copy, Canary::Fma);
    assert_eq!(order, [(1, copy), (1, fma), (2, fma), (2, copy), (3, copy), (3, fma)]);
    assert!(written.record.canaries.iter().all(|result| result.outcome == Outcome::Ok && result.spans_ns.len() == 5));
    // 64 MiB at 512 GB/s and 16 SMs of 256 operations a cycle, within the noise.
    let gpu = written.record.header.identity.gpu.as_ref().expect("a device");
    for (canary, expected) in [(copy, 131_072.0), (fma, 16.0 * 4.0 * 256.0 * 131_072.0 / (16.0 * 256.0 * 1.5))] {
        let (times, plan) = (written.record.canary_ns(canary), plan(canary, gpu));
        assert_eq!((times.len(), written.record.canary_work(canary)), (3, Some((plan.launches, plan.work))));
        assert!(times.iter().all(|time| (time / expected - 1.0).abs() < 0.0012), "{canary:?}: {times:?}, expected {expected}");
    }
    assert!(written.transcript.contains("\nCanaries\n  canary"), "{}", written.transcript);
    assert_eq!(consistent::first_fault(&written.record), None);
}

#[test]
fn a_canary_that_failed_replays_too() {
    let root = folder();
    let mut record = fake_run(root.path(), CachePolicy::Cold, Vec::new()).record;
    let [first, .., last] = &mut record.canaries[..] else { panic!("canaries") };
    let [task, _] = CanaryTask::of_round(1, record.header.identity.gpu.as_ref().expect("a device"), &record.header.identity.timing);
    *first = task.lost(Outcome::Runtime("it died".to_owned()));
    last.outcome = Outcome::Timeout("it did not come back".to_owned());
    last.spans_ns.truncate(2);
    last.clock_mhz.truncate(2);
    last.throttle_after = None;
    assert_eq!(consistent::first_fault(&record), None);
    assert_replays(root.path(), &experiment(CachePolicy::Cold), &record);
    assert!(transcript::transcript(&record).contains("  copy in round 1: runtime: it died\n"));
}

/// The experiment in five rounds, the fewest that can be compared.
fn of_five_rounds() -> Experiment<'static> {
    let experiment = experiment(CachePolicy::Cold);
    Experiment { timing: TimingPolicy { rounds: 5, ..experiment.timing }, ..experiment }
}

/// A run in five rounds that scatter by `noise`, compared with `recorded` and asked to stop after `rows` rows.
fn measured(root: &Path, noise: f64, rows: usize, recorded: Option<&Record>) -> (Result<Written, Stop>, Vec<String>) {
    let seed = if recorded.is_some() { 2 } else { 1 };
    let mut start = start_fake(FakeSpec { noise, seed, ..FakeSpec::default() });
    attempt(root, &of_five_rounds(), &mut start, Ask { rows, recorded, ..PLAIN }, None)
}

fn record(measured: (Result<Written, Stop>, Vec<String>)) -> Record {
    measured.0.expect("the run ends well").record
}

fn rounds_and_looks(record: &Record) -> (u32, Option<u32>) {
    (record.header.identity.timing.rounds, record.header.circumstance.looks)
}

#[test]
fn rows_that_cannot_be_told_from_the_record_get_more_rounds() {
    let root = folder();
    let quiet = record(measured(root.path(), 0.001, 1000, None));
    assert_eq!(rounds_and_looks(&quiet), (5, None));
    // Little noise, equal times: one look is enough.
    assert_eq!(rounds_and_looks(&record(measured(root.path(), 0.001, 1000, Some(&quiet)))), (5, Some(1)));
    // Too much noise for any number of rounds that is granted.
    let (loud, notes) = measured(root.path(), 0.2, 1000, Some(&quiet));
    let loud = loud.expect("the run ends well").record;
    assert_eq!(notes, ["4 rows can't be told from the recorded run yet: 5 more rounds"; 2]);
    assert_eq!(rounds_and_looks(&loud), (15, Some(3)));
    assert!(transcript::transcript(&loud).contains("\nCompared       3 times with the run before"));
    assert_eq!((loud.results.len(), loud.canaries.len(), loud.is_complete()), (60, 30, true));
    assert_eq!(consistent::first_fault(&loud), None);
    assert_eq!(lines::parse(&lines::print(&loud)).as_ref(), Ok(&loud));
    assert_eq!(read(root.path()).1, []);
    assert_replays(root.path(), &Experiment { timing: loud.header.identity.timing.clone(), ..of_five_rounds() }, &loud);
    // What can't be compared gets none, nor does a run of some rows.
    let mut other = quiet.clone();
    other.header.identity.gpu.as_mut().expect("a device").sms += 1;
    assert_eq!(rounds_and_looks(&record(measured(root.path(), 0.2, 1000, Some(&other)))), (5, None));
    let mut start = start_fake(FakeSpec { noise: 0.2, ..FakeSpec::default() });
    let ask = Ask { only_rows: &["64".to_owned()], recorded: Some(&quiet), ..PLAIN };
    assert_eq!(record(attempt(root.path(), &of_five_rounds(), &mut start, ask, None)).header.identity.timing.rounds, 5);
}

#[test]
fn a_run_that_was_given_more_rounds_and_cut_short_goes_on_with_them() {
    let whole = folder();
    let quiet = record(measured(whole.path(), 0.001, 1000, None));
    let expected = record(measured(whole.path(), 0.2, 1000, Some(&quiet)));
    // In the round after the first look, twice in a row, and in the last round.
    let root = folder();
    for rows in [21, 2, 30] {
        let (ended, _) = measured(root.path(), 0.2, rows, Some(&quiet));
        assert!(matches!(ended, Err(Stop::Interrupted { .. })), "{ended:?}");
    }
    assert_eq!(journal::cut_short(root.path(), "copy", "fake"), Some((53, 60)));
    let (ended, notes) = measured(root.path(), 0.2, 1000, Some(&quiet));
    let ended = ended.expect("the run ends well").record;
    assert!(notes[0].ends_with("53 finished rows are kept"), "{notes:?}");
    assert_eq!(lines::print_body(&ended), lines::print_body(&expected));
    let resumed = ended.footer.expect("it is closed").resumed;
    assert_eq!(resumed.iter().map(|resumed| resumed.results).collect::<Vec<_>>(), [21, 23, 53]);
}

#[test]
fn a_longer_run_is_locked_from_its_first_moment() {
    let root = folder();
    let finished = fake_run(root.path(), CachePolicy::Cold, Vec::new()).record;
    let header = evidence::record::Header { started: "2026-05-07T07:08:09Z".to_owned(), ..finished.header.clone() };
    let begin = || journal::Journal::begin(root.path(), header.clone(), finished.rows.clone(), false, &mut |_| {});
    let mut journal = begin().expect("nobody else measures");
    finished.results.iter().for_each(|result| journal.add(result.clone()).expect("writable"));
    assert!(journal.as_if_ended().is_complete());
    journal.extend(6, 2).expect("writable");
    assert!(!journal.as_if_ended().is_complete());
    let refused = begin().err().expect("the longer run is locked too").to_string();
    assert!(refused.contains("another lessonc measures copy"), "{refused}");
    drop(journal);
    assert_eq!(journal::cut_short(root.path(), "copy", "fake"), Some((12, 24)));
    assert_eq!(begin().expect("free again").record().header.identity.timing.rounds, 6);
}
