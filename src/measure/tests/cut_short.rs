//! Runs that end before their end: gone on with, or begun anew.
//!
//! Must not need a GPU, a clock or patience.

use super::*;

#[test]
fn an_interrupted_run_is_gone_on_with_where_it_stopped() {
    for cache in [CachePolicy::Cold, CachePolicy::Warm] {
        let root = folder();
        let mut start = start_fake(FakeSpec::default());
        let stop = run_on(root.path(), &experiment(cache), &mut start, 6, None);
        assert!(matches!(stop, Err(Stop::Interrupted { finished: 6 })), "{stop:?}");
        assert_eq!(read(root.path()).0.all().count(), 0);
        assert_eq!(journal::cut_short(root.path(), "copy", "fake"), Some((6, 12)));
        let stop = attempt(root.path(), &experiment(cache), &mut start, Ask { rows: 3, seed: 8, ..PLAIN }, None).0;
        assert!(matches!(stop, Err(Stop::Interrupted { finished: 9 })), "{stop:?}");
        // The order is that of the first seed, and all results are those of a run in one piece.
        let (written, notes) = attempt(root.path(), &experiment(cache), &mut start, Ask { seed: 9, ..PLAIN }, None);
        let record = written.expect("the run ends well").record;
        assert_eq!(notes, ["goes on with the run of 2026-05-06T07:08:09Z that was cut short: 9 finished rows are kept"]);
        let whole = fake_run(folder().path(), cache, Vec::new()).record;
        assert_eq!(lines::print_body(&record), lines::print_body(&whole));
        let footer = record.footer.as_ref().expect("it is closed");
        assert_eq!(footer.resumed.iter().map(|resumed| resumed.results).collect::<Vec<_>>(), [6, 9]);
        assert_eq!((footer.wall_ms, whole.footer.as_ref().is_some_and(|footer| footer.wall_ms.is_some())), (None, true));
        let text = transcript::transcript(&record);
        assert!(text.lines().any(|line| line.starts_with("Resumed ") && line.ends_with("Z, after 9 results")), "{text}");
        assert_eq!(read(root.path()).1, []);
        assert_eq!(journal::cut_short(root.path(), "copy", "fake"), None);
    }
}

#[test]
fn another_identity_begins_anew_and_says_why() {
    type Change = fn(&mut Experiment<'_>, &mut FakeSpec, &mut Ask<'_>);
    let cases: [(&str, Change); 6] = [
        ("the code or the sweep has changed since", |experiment, _, _| {
            let lines = [&experiment.fingerprint.lines[..], &["more: code".to_owned()]].concat();
            experiment.fingerprint = Fingerprint::of(lines);
        }),
        ("timing.rounds is not the same", |experiment, _, _| experiment.timing.rounds = 5),
        ("gpu.sms is not the same", |_, spec, _| spec.facts.sms = 17),
        ("the driver answers otherwise for its rows", |_, spec, _| {
            spec.faults.push(FakeFault { row: Some(2), round: None, kind: FaultKind::Skipped })
        }),
        ("a new one is asked for", |_, _, ask| ask.anew = true),
        ("", |_, _, ask| ask.seed = 3),
    ];
    for (why, change) in cases {
        let root = folder();
        let stop = run_on(root.path(), &experiment(CachePolicy::Cold), &mut start_fake(FakeSpec::default()), 7, None);
        assert!(matches!(stop, Err(Stop::Interrupted { finished: 7 })), "{stop:?}");
        let (mut experiment, mut spec, mut ask) = (experiment(CachePolicy::Cold), FakeSpec::default(), PLAIN);
        change(&mut experiment, &mut spec, &mut ask);
        let (written, notes) = attempt(root.path(), &experiment, &mut start_fake(spec), ask, None);
        written.expect("the run ends well");
        let (evidence, problems) = read(root.path());
        assert_eq!(problems, []);
        let runs: Vec<(bool, usize)> = evidence.all().map(|run| (run.is_complete(), run.record.results.len())).collect();
        if why.is_empty() {
            assert_eq!(runs, [(true, 12)]);
            continue;
        }
        assert_eq!((runs[0], runs[1].0), ((false, 7), true), "{why}");
        let kept = "its 7 finished rows stay as evidence/copy/2026-05-06-fake.jsonl, marked incomplete";
        assert_eq!(notes, [format!("a run that was cut short can't go on: {why}; {kept}")]);
    }
}

#[test]
fn a_run_of_some_rows_is_incomplete_and_leaves_a_whole_one_alone() {
    let root = folder();
    let mut start = start_fake(FakeSpec::default());
    assert!(run_on(root.path(), &experiment(CachePolicy::Warm), &mut start, 5, None).is_err());
    let only = ["128".to_owned(), "512".to_owned()];
    let (written, notes) = attempt(root.path(), &experiment(CachePolicy::Warm), &mut start, Ask { only_rows: &only, ..PLAIN }, None);
    let written = written.expect("the run ends well");
    assert_eq!((written.record.is_complete(), written.record.results.len(), notes), (false, 6, Vec::new()));
    assert!(written.transcript.contains("no: only 2 of the rows were asked for: 128, 512"));
    assert_eq!(journal::cut_short(root.path(), "copy", "fake"), Some((5, 12)));
    assert_eq!(read(root.path()).1, []);
    let strange = ["1024".to_owned()];
    let (stop, _) = attempt(root.path(), &experiment(CachePolicy::Cold), &mut start, Ask { only_rows: &strange, ..PLAIN }, None);
    assert!(matches!(&stop, Err(Stop::Machine(error)) if error.to_string().contains("copy has no row `1024`")), "{stop:?}");
}

#[test]
fn a_busy_device_is_refused_unless_it_is_allowed() {
    let root = folder();
    let mut start = start_fake(FakeSpec { busy: vec!["another process computes on it".to_owned()], ..FakeSpec::default() });
    let stop = run_on(root.path(), &experiment(CachePolicy::Cold), &mut start, 1000, None);
    assert!(matches!(&stop, Err(Stop::Busy(reasons)) if reasons.len() == 1), "{stop:?}");
}

#[test]
fn what_a_killed_run_left_is_gone_on_with_from_any_byte() {
    let finished = fake_run(folder().path(), CachePolicy::Cold, Vec::new()).record;
    let text = lines::print_body(&finished);
    // Cuts around the ends of lines, where a kill within a write would show.
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let cuts = ends.iter().flat_map(|&end| [end - 1, end, end + 1]).filter(|&cut| cut <= text.len()).chain([0, 10]);
    for cut in cuts {
        let root = folder();
        let left = root.path().join(crate::measure::side::SIDE).join("measure/copy-fake.jsonl");
        std::fs::create_dir_all(left.parent().expect("it has one")).expect("writable");
        std::fs::write(&left, &text[..cut]).expect("writable");
        let record = fake_run(root.path(), CachePolicy::Cold, Vec::new()).record;
        assert_eq!(lines::print_body(&record), text, "cut at {cut}");
        let whole = &text[..ends.iter().rev().find(|&&end| end <= cut).copied().unwrap_or(0)];
        let kept = whole.lines().filter(|line| line.starts_with("{\"line\":\"result\"")).count();
        let resumed = record.footer.expect("it is closed").resumed;
        assert_eq!(resumed.iter().map(|resumed| resumed.results as usize).collect::<Vec<_>>(), if kept > 0 { vec![kept] } else { vec![] });
        assert!(!left.exists());
        assert_eq!(read(root.path()).1, []);
    }
}

#[test]
fn a_run_is_gone_on_with_as_the_version_that_it_was_begun_as() {
    let mut begun = Record { footer: None, ..fake_run(folder().path(), CachePolicy::Cold, Vec::new()).record };
    begun.header.version = 1;
    let whole = lines::print_body(&begun);
    begun.results.truncate(5);
    begun.canaries.retain(|canary| canary.round <= begun.results.last().expect("five of them").round);
    let root = folder();
    let left = root.path().join(crate::measure::side::SIDE).join("measure/copy-fake.jsonl");
    std::fs::create_dir_all(left.parent().expect("it has one")).expect("writable");
    std::fs::write(&left, lines::print_body(&begun)).expect("writable");
    let written = fake_run(root.path(), CachePolicy::Cold, Vec::new());
    assert_eq!((written.record.header.version, lines::print_body(&written.record)), (1, whole));
    let text = std::fs::read_to_string(root.path().join(&written.record_name)).expect("it is there");
    assert_eq!(lines::parse(&text), Ok(written.record));
}

#[test]
fn a_run_that_was_killed_after_it_was_put_is_not_put_again() {
    let root = folder();
    let finished = fake_run(root.path(), CachePolicy::Cold, Vec::new()).record;
    let left = root.path().join(crate::measure::side::SIDE).join("measure/copy-fake.jsonl");
    std::fs::write(&left, lines::print_body(&finished)).expect("writable");
    let again = fake_run(root.path(), CachePolicy::Cold, Vec::new());
    assert_eq!(again.record_name, "evidence/copy/2026-05-06-fake-2.jsonl");
}
