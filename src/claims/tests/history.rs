//! Runs that expressions name, and what is known of a run itself.

use super::*;
use crate::evidence::canary::{Canary, CanaryResult};

/// The second run of the day: as [`USUAL`], but everything takes `slower` thousandths longer, and the code was other code.
fn second(slower: u64) -> Arc<Run> {
    let longer = USUAL.map(|row| row.map(|span| span.map(|span| span * (1000 + slower) / 1000)));
    let mut record = record("test-card", &longer);
    record.header.identity.fingerprint = crate::base::digest::Digest::of("other code");
    for round in 1..=7 {
        let canary = |canary, work, span| CanaryResult {
            round,
            canary,
            outcome: Outcome::Ok,
            launches: 4,
            work,
            spans_ns: vec![span, span + 4 * u64::from(round), span + 99],
            clock_mhz: vec![1980; 3],
            throttle_before: None,
            throttle_after: None,
            warmup_launches: 3,
        };
        record.canaries.push(canary(Canary::Copy, 1 << 29, 520_000));
        record.canaries.push(canary(Canary::Fma, 1_000_000_000, 1_000_000));
    }
    for result in &mut record.results {
        result.empty_pair_ns = Some(1300 + u64::from(result.round % 2));
    }
    record.footer = Some(lines::footer(&lines::print_body(&record), "2026-02-03T04:06:07Z".to_owned(), true, Some(32)));
    Arc::new(Run::whole(&"evidence/copy/2026-02-03-test-card-2.jsonl".into(), record, None, 2))
}

#[test]
fn a_run_may_be_named_and_asked_about_itself() {
    let (course, _) = course("\"test-card\", \"other-card\"", "Text.");
    let facts = facts(&course, &[run("test-card", &USUAL), second(20), run("other-card", &USUAL)]);
    let scope = facts.scope(&course.lessons[0], "test-card");
    let cases = [
        ("row('64').ms", "0.2000 ms"),
        ("run().row('64').ms", "0.2000 ms"),
        ("copy.run('2026-02-03-test-card').row('64').ms", "0.2000 ms"),
        ("run('2026-02-03-test-card-2').row('64').ms | unit('µs')", "204.0 µs"),
        ("run('2026-02-03-test-card-2').row('128')['GB/s']", "41.1 GB/s"),
        ("best(run('2026-02-03-test-card-2'), 'ms').label", "256 or 512"),
        ("count(run('2026-02-03-test-card-2').rows where ms > 0.1 ms)", "2"),
        ("run().date", "2026-02-03"),
        ("run().device", "Test Card"),
        ("run().rounds", "7 rounds"),
        ("run().tick", "32 ns"),
        ("run('2026-02-03-test-card-2').copy", "0.130004 ms"),
        ("run('2026-02-03-test-card-2').copy_bytes", "512 MiB"),
        ("run('2026-02-03-test-card-2').fma_flop", "1 GFLOP"),
        ("run('2026-02-03-test-card-2').empty_pair", "1300 ns"),
        ("run('2026-02-03-test-card-2').row('64').ms / run('2026-02-03-test-card-2').copy | fixed(2)", "1.57"),
        ("spread(row('64').ms)", "0.46 %"),
        ("spread(row('64').grid)", "0 %"),
        ("spread(row('64').ms) < 1%", "yes"),
        ("run().ms", "! expr-type: `ms` is a column of a row, and these are many rows"),
        ("run().tik", "! expr-name: there is no column of the run 2026-02-03-test-card of copy `tik`"),
        ("run().copy", "! expr-name: there is no column of the run 2026-02-03-test-card of copy `copy`"),
        (
            "run('2026-02-03-test-car').row('64').ms",
            "! expr-value: copy has no run 2026-02-03-test-car on test-card; did you mean `2026-02-03-test-card`?",
        ),
        ("run('2026-02-03-other-card').tick", "! figure-not-measured: 2026-02-03-other-card is no run on test-card"),
        ("run(3).tick", "! expr-call: `run` is not given what it needs"),
        ("run('a', 'b').tick", "! expr-call: `run` is not given what it needs"),
        ("(rows where threads > 64).run().tick", "! expr-value: only a sweep has runs, and these are some of its rows"),
    ];
    let all: Vec<String> = cases.iter().map(|(text, _)| worth(&scope, text)).collect();
    assert_eq!(all, cases.map(|(_, expected)| expected));
    let elsewhere = facts.scope(&course.lessons[0], "other-card");
    assert_eq!(
        worth(&elsewhere, "run('2026-02-03-test-card-2').tick"),
        "! figure-not-measured: 2026-02-03-test-card-2 is no run on other-card"
    );
    assert_eq!(worth(&elsewhere, "run().tick"), "32 ns");
}

#[test]
fn no_run_counts_where_the_code_is_other_code() {
    let (course, _) = course("\"test-card\"", "Text.");
    let facts = facts(&course, &[second(20)]);
    let scope = facts.scope(&course.lessons[0], "test-card");
    let why = "copy was measured on test-card on 2026-02-03, but its code, sizes or timing changed since";
    assert_eq!(worth(&scope, "run().tick"), format!("! figure-not-measured: {why}"));
}
