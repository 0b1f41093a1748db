//! Turns a made-up record into ones that can't have been measured, a lie at a time, digest and tick made to agree.
//!
//! Must not know how a record is read.

use super::*;
use crate::evidence::canary::{Canary, CanaryResult};
use crate::evidence::lines;
use crate::evidence::record::tests::sample;

/// `record` with a footer that agrees with its lines.
fn sealed(mut record: Record) -> Record {
    let old = record.footer.take().expect("a footer");
    let tick = verdict::tick_ns(record.results.iter().flat_map(|result| result.spans_ns.iter().copied()));
    record.footer = Some(lines::footer(&lines::print_body(&record), old.ended, old.complete, tick));
    record
}

fn gpu(record: &mut Record) -> &mut DeviceFacts {
    record.header.identity.gpu.as_mut().expect("a GPU")
}

/// A lie, the words that name it, and the line of the record that they are said of.
pub(super) type Lie = (&'static str, usize, fn(&mut Record));

const LIES: &[Lie] = &[
    ("no day and time", 1, |record| record.header.started = "2026-02-30T04:05:06Z".to_owned()),
    ("are no run", 1, |record| record.header.identity.timing.rounds = u32::MAX),
    ("are no run", 1, |record| record.header.identity.timing.samples = 0),
    ("is the device `test-card`", 1, |record| record.header.device = "better-card".to_owned()),
    ("is the device `better-card`", 1, |record| gpu(record).name = "Better Card".to_owned()),
    ("is the device `test-card-1g-18gb`", 1, |record| gpu(record).mig = Some("1g.18gb".to_owned())),
    ("is of sm_100", 1, |record| gpu(record).compute_capability = (10, 0)),
    ("do not ask for sm_90a", 1, |record| record.header.identity.architecture = "sm_90a".to_owned()),
    ("options are not those", 1, |record| drop(record.header.identity.compile_options.pop())),
    ("evict", 1, |record| gpu(record).l2_bytes /= 2),
    ("evict", 1, |record| record.header.identity.flush_bytes = None),
    ("not the digest of its lines", 1, |record| record.header.fingerprint_lines[0].push_str(" more")),
    ("code is not the code", 1, |record| record.header.code.device.push_str("__device__ int more;\n")),
    ("code is not the code", 1, |record| record.header.code.host.push_str("int more;\n")),
    ("code is not the code", 1, |record| drop(record.header.code.headers.insert("a.cuh".to_owned(), "int more;".to_owned()))),
    ("options are not those", 1, |record| record.header.code.options.push("-G".to_owned())),
    ("check are not those", 1, |record| record.header.identity.buffers[0].count = 2048),
    ("check are not those", 1, |record| record.header.identity.check = None),
    ("timing is not that", 1, |record| record.header.identity.timing.warmup_ms = 0),
    ("timing is not that", 1, |record| record.header.identity.timing.samples = 4),
    ("rows are not those", 1, |record| record.rows[0].label = "129".to_owned()),
    ("rows are not those", 1, |record| record.rows[0].values[0].1 = "129".to_owned()),
    ("has `many` for threads", 1, |record| record.rows[0].values[0].1 = "many".to_owned()),
    ("neither planned whole", 2, |record| record.rows[0].residency = None),
    ("neither planned whole", 3, |record| record.rows[1].skipped = Some("too large".to_owned())),
    ("2 launches in a cold sample", 3, |record| record.rows[1].launches_per_sample = 2),
    ("17 blocks on an SM, which need 2176 threads", 2, |record| record.rows[0].residency.as_mut().unwrap().blocks_per_sm = 17),
    ("need 133120 registers", 2, |record| record.rows[0].residency.as_mut().unwrap().kernel.registers = 64 + 1),
    ("bytes of shared memory", 2, |record| record.rows[0].launch.as_mut().unwrap().shape.shared_bytes = 48 << 10),
    ("now one thing, now another", 2, |record| record.rows[1].residency.as_mut().unwrap().kernel.registers = 17),
    ("another residency", 2, |record| record.rows[1].launch.as_mut().unwrap().shape.block = [128, 1, 1]),
    ("has 2 spans and 3 clocks", 4, |record| record.results[0].spans_ns.truncate(2)),
    ("has 4 spans", 4, |record| {
        record.results[0].spans_ns.push(100_000);
        record.results[0].clock_mhz.push(1980);
    }),
    ("ok after 0 of 3", 4, |record| {
        record.results[0].spans_ns.clear();
        record.results[0].clock_mhz.clear();
    }),
    ("hotter than any card", 5, |record| record.results[1].temperature_c = Some(4_000)),
    ("whose top is 1980 MHz", 5, |record| record.results[1].clock_mhz = vec![3960; 3]),
    ("samples say throttled", 5, |record| record.results[1].clock_mhz = vec![1980, 1980, 1500]),
    ("samples say throttled", 5, |record| record.results[1].throttle_after = Some(vec!["hw-thermal-slowdown".to_owned()])),
    ("samples say too-short", 5, |record| record.results[1].empty_pair_ns = Some(1200)),
    ("samples say ok", 5, |record| record.results[1].outcome = Outcome::Throttled("the clock moved".to_owned())),
    ("took no time", 5, |record| record.results[1].spans_ns[0] = 0),
    ("clock stood still", 5, |record| record.results[1].clock_mhz = vec![0; 3]),
    ("without an empty event pair", 5, |record| record.results[1].empty_pair_ns = None),
    ("warmed up by 0", 5, |record| record.results[1].warmup_launches = 0),
    ("incorrect, and no comparison", 5, |record| record.results[1].outcome = Outcome::Incorrect("wrong".to_owned())),
    ("is runtime and was compared", 6, |record| record.results[2].after = record.results[0].after.clone()),
    ("compared in 1023 elements of 1024", 4, |record| record.results[0].after.as_mut().unwrap().elements = 1023),
    ("names a wrong element", 4, |record| record.results[0].after.as_mut().unwrap().wrong = 1),
    ("has `none` for its largest error", 4, |record| record.results[0].after.as_mut().unwrap().largest_relative = "none".to_owned()),
    ("has `NaN` for its largest error", 4, |record| record.results[0].after.as_mut().unwrap().largest_relative = "NaN".to_owned()),
    ("beyond the tolerance", 4, |record| record.results[0].after.as_mut().unwrap().largest_relative = "2e-6".to_owned()),
    ("comes here, and not row 1 in round 1", 4, |record| record.results.swap(0, 1)),
    ("comes here, and not row 0 in round 2", 6, |record| drop(record.results.remove(2))),
    ("comes here", 4, |record| record.header.order_seed ^= 1),
    ("results are missing", 7, |record| drop(record.results.pop())),
    ("before it began", 8, |record| record.footer.as_mut().unwrap().ended = "2026-02-03T04:05:05Z".to_owned()),
    ("no day and time", 8, |record| record.footer.as_mut().unwrap().ended = "2026-02-03T04:65:05Z".to_owned()),
    ("span 200 s of a run that took 61 s", 8, |record| record.results[0].spans_ns = vec![100_000_000_000, 100_000_000_000, 100_000]),
];

/// The lies of `lies` about `honest` that are not noticed where they should be, a line each; that `honest` is, among them.
pub(super) fn missed(honest: &Record, lies: &[Lie]) -> String {
    let mut missed = String::new();
    if let Some(fault) = first_fault(&sealed(honest.clone())) {
        missed = format!("an honest record: {fault:?}\n");
    }
    for (words, line, lie) in lies {
        let mut record = honest.clone();
        lie(&mut record);
        let fault = first_fault(&sealed(record));
        if !fault.as_ref().is_some_and(|fault| fault.message.contains(words) && fault.line == *line) {
            missed += &format!("{words} in line {line}: {fault:?}\n");
        }
    }
    missed
}

#[test]
fn what_can_not_have_been_measured_is_noticed() {
    assert_eq!(missed(&sample(), LIES), "");
}

/// A sound canary of a round.
pub(super) fn sound_canary(round: u32) -> CanaryResult {
    CanaryResult {
        round,
        canary: Canary::Copy,
        outcome: Outcome::Ok,
        launches: 4,
        work: 4096,
        spans_ns: vec![200_000; 3],
        clock_mhz: vec![1980; 3],
        throttle_before: None,
        throttle_after: None,
        warmup_launches: 12,
    }
}

#[test]
fn canaries_say_what_their_samples_allow_and_do_the_same_in_every_round() {
    type Spoil = fn(&mut CanaryResult);
    let fault = |spoil: Spoil| {
        let mut record = sample();
        record.canaries = vec![sound_canary(1), sound_canary(2)];
        spoil(&mut record.canaries[1]);
        first_fault(&sealed(record)).map(|fault| (fault.line, fault.message))
    };
    assert_eq!(fault(|_| {}), None);
    let cases: [(&str, Spoil); 6] = [
        ("has 2 spans and 3 clocks", |canary| canary.spans_ns.truncate(2)),
        ("another work", |canary| canary.work = 8192),
        ("another work", |canary| canary.launches = 2),
        ("took no time", |canary| canary.spans_ns[1] = 0),
        ("its samples say throttled", |canary| canary.clock_mhz[1] = 990),
        ("is ok after 2 of 3", |canary| {
            canary.spans_ns.truncate(2);
            canary.clock_mhz.truncate(2);
        }),
    ];
    for (words, spoil) in cases {
        let (line, message) = fault(spoil).expect(words);
        // A header, two planned rows, a canary and two results of the first round.
        assert_eq!(line, 7, "{message}");
        assert!(message.starts_with("the canary `copy` ") && message.contains(words), "{message}");
    }
    assert_eq!(fault(|canary| canary.outcome = Outcome::Timeout("late".to_owned())), None);
    // They take their share of the run's time.
    let (_, message) = fault(|canary| canary.spans_ns = vec![600_000_000_000; 3]).expect("a fault");
    assert!(message.starts_with("the samples span 1800 s of a run that took "), "{message}");
}

#[test]
fn the_tick_is_what_the_samples_show() {
    let mut record = sample();
    record.footer.as_mut().unwrap().tick_ns = Some(1);
    let fault = first_fault(&record).expect("a fault");
    assert_eq!((fault.line, &*fault.message), (8, "the timer's tick is 1, and the samples show 500"));
}

#[test]
fn another_number_of_rounds_and_a_run_that_was_cut_short_are_no_faults() {
    let mut record = sample();
    record.results.truncate(2);
    record.header.identity.timing.rounds = 1;
    assert_eq!(first_fault(&sealed(record)), None);
    let mut record = sample();
    record.results.truncate(3);
    record.footer.as_mut().unwrap().complete = false;
    assert_eq!(first_fault(&sealed(record.clone())), None);
    record.footer = None;
    assert_eq!(first_fault(&record), None);
}
