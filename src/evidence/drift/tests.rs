//! Turns made-up runs into comparisons, one difference at a time.
//!
//! Must not know how runs are measured.

use super::*;
use crate::evidence::canary::CanaryResult;
use crate::evidence::lines;
use crate::evidence::record::tests::sample as base;
use crate::evidence::record::{Outcome, RowResult};

fn gpu(record: &mut Record) -> &mut crate::plan::launch::DeviceFacts {
    record.header.identity.gpu.as_mut().expect("a GPU")
}

/// A run of five rounds: row 128 takes `first` ns and row 256 `second`, a little more in odd rounds; the canaries 200 µs.
fn run(first: f64, second: f64, canaries: f64) -> Record {
    let mut record = base();
    record.header.identity.timing.rounds = 5;
    let pattern: RowResult = record.results[0].clone();
    record.results.clear();
    for round in 1..=5 {
        let wobble = 1.0 + 0.0005 * f64::from(round % 2);
        for (row, time) in [(0, first), (1, second)] {
            let spans_ns = vec![(time * wobble) as u64; 3];
            record.results.push(RowResult { round, row, spans_ns, ..pattern.clone() });
        }
        for canary in Canary::ALL {
            record.canaries.push(CanaryResult {
                round,
                canary,
                outcome: Outcome::Ok,
                launches: 1,
                work: 1000,
                spans_ns: vec![(canaries * wobble) as u64; 3],
                clock_mhz: vec![1980; 3],
                throttle_before: None,
                throttle_after: None,
                warmup_launches: 9,
            });
        }
    }
    let body = lines::print_body(&record);
    record.footer = Some(lines::footer(&body, "2026-02-03T04:06:07Z".to_owned(), true, Some(1)));
    record
}

fn verdicts(recorded: &Record, fresh: &Record) -> (Verdict, Vec<Option<Verdict>>) {
    let comparison = compare(recorded, fresh, false);
    (comparison.verdict, comparison.rows.iter().map(|row| row.verdict).collect())
}

const T: f64 = 200_000.0;

#[test]
fn every_verdict_of_a_row_and_the_greatest_for_all() {
    use Verdict::{Faster, MachineDrift, NotComparable, Same, Slower, Unresolved};
    let recorded = run(T, T, T);
    let cases = [
        (run(T, T, T), Same, Same, Same),
        (run(T * 1.009, T * 0.991, T), Same, Same, Same),
        (run(T * 1.02, T, T), Slower, Slower, Same),
        (run(T, T * 0.98, T), Faster, Same, Faster),
        (run(T * 1.02, T * 0.98, T), Slower, Slower, Faster),
        // The machine moved along: all of it, half of it, and less than half.
        (run(T * 1.02, T, T * 1.02), Unresolved, MachineDrift, Unresolved),
        (run(T * 1.02, T * 1.02, T * 1.0105), MachineDrift, MachineDrift, MachineDrift),
        (run(T * 1.02, T * 1.02, T * 1.008), Slower, Slower, Slower),
        // It moved the other way, so that equal times are no equal speed.
        (run(T, T, T * 0.97), Unresolved, Unresolved, Unresolved),
        (run(T * 0.97, T * 1.03, T * 0.97), Slower, MachineDrift, Slower),
    ];
    for (number, (fresh, whole, first, second)) in cases.into_iter().enumerate() {
        assert_eq!(verdicts(&recorded, &fresh), (whole, vec![Some(first), Some(second)]), "case {number}");
    }
    let mut other = run(T, T, T);
    other.rows[1].launches_per_sample = 2;
    assert_eq!(verdicts(&recorded, &other), (NotComparable, vec![Some(Same), Some(NotComparable)]));
}

#[test]
fn noise_leaves_a_row_unresolved_and_says_what_would_tell() {
    let recorded = run(T, T, T);
    let mut fresh = run(T, T, T);
    for (index, result) in fresh.results.iter_mut().filter(|result| result.row == 0).enumerate() {
        result.spans_ns = vec![(T * (1.0 + 0.02 * (index as f64 - 2.0))) as u64; 3];
    }
    let comparison = compare(&recorded, &fresh, false);
    assert_eq!((comparison.verdict, comparison.unresolved()), (Verdict::Unresolved, 1));
    assert!(comparison.rows[0].needs.contains(" rounds of each run would tell"), "{}", comparison.rows[0].needs);
    // Four rounds are too few to say anything, and more of them would help.
    fresh.results.retain(|result| result.row == 1 || result.round > 1);
    let comparison = compare(&recorded, &fresh, false);
    assert_eq!(comparison.rows[0].verdict, Some(Verdict::Unresolved));
    assert_eq!(comparison.rows[0].needs, "4 rounds of the fresh run have a time, and 5 at least are needed");
    // The recorded run gets no more of them.
    let comparison = compare(&fresh, &recorded, false);
    assert_eq!((comparison.rows[0].verdict, comparison.unresolved()), (Some(Verdict::NotComparable), 0));
}

#[test]
fn without_a_canary_a_change_is_told_and_the_doubt_named() {
    let (mut recorded, fresh) = (run(T, T, T), run(T * 1.02, T, T));
    recorded.canaries.clear();
    let comparison = compare(&recorded, &fresh, false);
    assert_eq!(comparison.verdict, Verdict::Slower);
    assert!(comparison.canaries.is_empty() && comparison.rows[0].needs.ends_with("no canary tells whether the machine moved"));
    // A canary that does other work is none.
    let (mut other, recorded) = (run(T * 1.02, T, T * 1.02), run(T, T, T));
    other.canaries.iter_mut().for_each(|canary| canary.work = 2000);
    assert_eq!(compare(&recorded, &other, false).verdict, Verdict::Slower);
}

#[test]
fn identity_is_compared_field_by_field() {
    type Spoil = fn(&mut Record);
    let cases: [(&str, Spoil); 10] = [
        ("sweep: copy, other", |record| record.header.sweep = "other".to_owned()),
        ("device: test-card, x", |record| record.header.device = "x".to_owned()),
        ("gpu.sms: 4, 5", |record| gpu(record).sms = 5),
        ("gpu.mig: unknown, 1g.18gb", |record| gpu(record).mig = Some("1g.18gb".to_owned())),
        ("gpu.compute_capability: [9,0], [9,1]", |record| gpu(record).compute_capability = (9, 1)),
        ("driver_branch: 580, unknown", |record| record.header.identity.driver_branch = None),
        ("buffers[0].count: 1024, 2048", |record| record.header.identity.buffers[0].count = 2048),
        ("compile_options[1]: --std=c++17, -O0", |record| record.header.identity.compile_options[1] = "-O0".to_owned()),
        ("check.reference.relative: 1e-6, 0.00001", |record| {
            let Some(crate::plan::launch::Check::Reference { relative, .. }) = &mut record.header.identity.check else {
                panic!("a reference")
            };
            *relative = 1e-5;
        }),
        ("timing.samples: 3, 4", |record| record.header.identity.timing.samples = 4),
    ];
    for (expected, spoil) in cases {
        let mut fresh = run(T, T, T);
        spoil(&mut fresh);
        for across_code in [false, true] {
            let comparison = compare(&run(T, T, T), &fresh, across_code);
            let found: Vec<String> =
                comparison.forbids.iter().map(|one| format!("{}: {}, {}", one.field, one.recorded, one.fresh)).collect();
            assert_eq!(found, [expected]);
            assert_eq!((comparison.verdict, comparison.unresolved()), (Verdict::NotComparable, 0));
        }
    }
    let mut more = run(T, T, T);
    more.header.identity.timing.rounds = 11;
    assert_eq!(compare(&run(T, T, T), &more, false).verdict, Verdict::Same);
}

#[test]
fn two_versions_of_the_code_are_compared_on_request() {
    let recorded = run(T, T, T);
    let mut fresh = run(T * 1.02, T, T);
    fresh.header.identity.fingerprint = crate::base::digest::Digest::of("other");
    let refused = compare(&recorded, &fresh, false);
    assert_eq!((refused.verdict, refused.forbids.len()), (Verdict::NotComparable, 1));
    assert!(text(&refused, "a", "b").contains("--across-code"));
    let compared = compare(&recorded, &fresh, true);
    assert_eq!((compared.verdict, compared.across_code, compared.forbids.len()), (Verdict::Slower, true, 0));
    assert!(text(&compared, "a", "b").contains("two versions of the code are compared"));
}

#[test]
fn another_card_is_named_and_compared() {
    let recorded = run(T, T, T);
    let mut fresh = run(T, T, T);
    fresh.header.circumstance.uuid_digest = Some("1234".to_owned());
    fresh.header.circumstance.commit = Some("abc".to_owned());
    let comparison = compare(&recorded, &fresh, false);
    assert_eq!(comparison.verdict, Verdict::Same);
    assert_eq!(comparison.differs.iter().map(|one| one.field.as_str()).collect::<Vec<_>>(), ["uuid_digest"]);
}

#[test]
fn rows_without_a_time_are_named_as_such() {
    let mut recorded = run(T, T, T);
    let mut fresh = run(T, T, T);
    let fail = |record: &mut Record, row: u32| {
        for result in record.results.iter_mut().filter(|result| result.row == row) {
            result.outcome = Outcome::Incorrect("1 of 8 elements wrong".to_owned());
        }
    };
    fail(&mut fresh, 1);
    let comparison = compare(&recorded, &fresh, false);
    assert_eq!((comparison.verdict, comparison.rows[1].verdict), (Verdict::NotComparable, Some(Verdict::NotComparable)));
    assert_eq!(comparison.rows[1].needs, "no time in the fresh run: incorrect in round 1");
    fail(&mut recorded, 1);
    let comparison = compare(&recorded, &fresh, false);
    assert_eq!((comparison.verdict, comparison.rows[1].verdict), (Verdict::Same, None));
    assert!(text(&comparison, "a", "b").contains("1 without a time in either run"));
    fail(&mut recorded, 0);
    fail(&mut fresh, 0);
    assert_eq!(compare(&recorded, &fresh, false).verdict, Verdict::NotComparable, "nothing compared is not the same");
    fresh.rows[0].label = "64".to_owned();
    let labels: Vec<String> = compare(&recorded, &fresh, false).rows.into_iter().map(|row| row.label).collect();
    assert_eq!(labels, ["128", "256", "64"]);
}

#[test]
fn a_run_that_was_looked_at_shares_its_level() {
    let recorded = run(T, T, T);
    let mut fresh = run(T, T, T);
    let once = compare(&recorded, &fresh, false);
    assert_eq!((once.looks, once.level), (1, 1.0 - 0.01 / 4.0));
    fresh.header.circumstance.looks = Some(1);
    let thrice = compare(&recorded, &fresh, false);
    assert_eq!((thrice.looks, thrice.level), (3, 1.0 - 0.01 / 12.0));
    assert!(thrice.rows[0].change.unwrap().high > once.rows[0].change.unwrap().high);
}

#[test]
fn the_text_of_a_comparison() {
    let recorded = run(T, T, T);
    let mut fresh = run(T * 1.02, T * 0.999, T);
    fresh.header.circumstance.uuid_digest = Some("1234".to_owned());
    let found = text(&compare(&recorded, &fresh, false), "evidence/copy/2026-02-03-test-card.jsonl", "fresh.jsonl");
    assert_eq!(found, include_str!("golden.txt"), "{found}");
    assert!(found.lines().all(|line| line == line.trim_end()));
}

#[test]
fn canaries_read_back_and_stand_before_the_rows_of_their_round() {
    let record = run(T, T, T);
    let text = lines::print(&record);
    assert_eq!(lines::parse(&text).as_ref(), Ok(&record));
    // A header, two planned rows, and then two canaries and two results a round.
    let kinds: Vec<bool> = text.lines().map(|line| line.starts_with("{\"line\":\"canary\"")).collect();
    assert_eq!(kinds[3..11], [true, true, false, false, true, true, false, false]);
    assert_eq!((lines::result_line(&record, 0), lines::result_line(&record, 3), lines::canary_line(&record, 2)), (6, 11, 8));
    let refused = |change: &dyn Fn(&mut Record)| {
        let mut record = record.clone();
        change(&mut record);
        record.footer = None;
        lines::parse(&lines::print(&record)).unwrap_err().message
    };
    assert!(refused(&|record| record.canaries.insert(0, record.canaries[0].clone())).contains("second result in round 1"));
    assert!(refused(&|record| record.canaries[9].round = 6).contains("no round 6"));
    let body = lines::print_body(&record);
    let mut swapped: Vec<&str> = body.split_inclusive('\n').collect();
    swapped.swap(4, 5);
    assert_eq!(lines::parse(&swapped.concat()).unwrap_err().line, 5);
}

/// `record` with `cycles` read back from its first row: so many, a few more in odd rounds.
fn with_cycles(mut record: Record, cycles: i64) -> Record {
    let read = crate::plan::launch::Read { name: "cycles".to_owned(), buffer: "x".to_owned(), take: crate::course::sweep::Take::At(0) };
    record.rows[0].reads = vec![read];
    for result in record.results.iter_mut().filter(|result| result.row == 0) {
        let wobble = if cycles > 1000 { i64::from(result.round % 2) } else { 0 };
        result.reads.insert("cycles".to_owned(), vec![cycles + wobble; 3]);
    }
    record
}

#[test]
fn what_was_read_back_is_compared_beside_the_times_and_without_canaries() {
    let compared =
        |before: i64, now: i64, canaries: f64| compare(&with_cycles(run(T, T, T), before), &with_cycles(run(T, T, canaries), now), false);
    for (before, now, expected) in [
        (40_000, 40_000, Verdict::Same),
        (40_000, 40_800, Verdict::Slower),
        (40_800, 40_000, Verdict::Faster),
        // Steps too coarse to tell two counts apart, and nothing to tell apart.
        (3, 3, Verdict::Same),
        (3, 4, Verdict::Slower),
    ] {
        let comparison = compared(before, now, T);
        let [figure] = &comparison.figures[..] else { panic!("a figure") };
        assert_eq!((figure.verdict, figure.figure.as_deref(), figure.canary), (Some(expected), Some("cycles"), None), "{before}, {now}");
        assert_eq!(comparison.verdict, expected);
    }
    // All comparisons share the doubt, and a canary that moved says nothing of cycles.
    let moved = compared(40_000, 40_000, T * 1.05);
    assert_eq!((moved.level, moved.figures[0].verdict), (level(3, 1), Some(Verdict::Same)));
    assert_eq!(compared(0, 0, T).figures[0].verdict, Some(Verdict::Same));
    assert_eq!(compared(-1, 5, T).figures[0].verdict, None, "of what is not above 0 there is no share");
    let shown = text(&compared(40_000, 40_800, T), "a", "b");
    assert!(shown.contains("row  figure  recorded  fresh   change"), "{shown}");
    assert!(shown.contains("128 cycles  SLOWER  by +2.00 % at least"), "{shown}");
}

#[test]
fn a_run_that_times_nothing_is_compared_by_its_figures() {
    let untimed = |cycles: i64| {
        let mut record = with_cycles(run(T, T, T), cycles);
        record.header.identity.timing.time = false;
        record.results.iter_mut().for_each(|result| result.spans_ns.clear());
        record
    };
    let comparison = compare(&untimed(40_000), &untimed(41_000), false);
    assert_eq!((comparison.verdict, comparison.rows.len(), comparison.figures.len()), (Verdict::Slower, 0, 1));
    let shown = text(&comparison, "a", "b");
    assert!(!shown.contains("recorded ms") && shown.contains("SLOWER (rows: 1 SLOWER)"), "{shown}");
}

#[test]
fn more_of_a_rate_is_faster() {
    let figure = |name: &str, fresh: f64, is_rate: bool| Figure {
        label: "128".to_owned(),
        name: name.to_owned(),
        recorded: vec![4000.0, 4001.0, 4000.0, 4001.0, 4000.0],
        fresh: [0.0, 1.0, 0.0, 1.0, 0.0].map(|wobble| fresh + wobble).to_vec(),
        quantum: 0.1,
        is_rate,
    };
    let figures = [figure("GB/s", 4200.0, true), figure("GB/s", 3900.0, true), figure("us", 4200.0, false), figure("GB/s", 4001.0, true)];
    let comparison = compare_figures(&run(T, T, T), &run(T, T, T), false, &figures);
    let verdicts: Vec<_> = comparison.figures.iter().map(|figure| figure.verdict).collect();
    assert_eq!(verdicts, [Verdict::Faster, Verdict::Slower, Verdict::Slower, Verdict::Same].map(Some));
    let change = comparison.figures[0].change.expect("a change");
    assert!(
        change.low < change.log && change.log < change.high && (change.log - libm::log(1.05)).abs() < 1e-3,
        "shown as it is: {change:?}"
    );
    let few = Figure { fresh: vec![4000.0; 4], ..figure("GB/s", 4000.0, true) };
    let few = compare_figures(&run(T, T, T), &run(T, T, T), false, &[few]);
    assert_eq!(few.figures[0].needs, "4 rounds of the fresh run have it, and 5 at least are needed");
}
