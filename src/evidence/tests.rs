//! Turns made-up records into text and back, and spoils them one way at a time.
//!
//! Must not know how records are made.

use super::record::tests::sample;
use super::record::{Outcome, Private, Record};
use super::*;
use crate::base::span::SourceName;

const NAME: &str = "evidence/copy/2026-02-03-test-card.jsonl";

fn read_text(name: &str, text: &str, transcript: Option<&str>) -> (Evidence, Vec<Problem>) {
    let mut problems = Problems::new();
    let mut tree = SourceTree::new();
    tree.insert(name, text.as_bytes(), &mut problems);
    if let Some(transcript) = transcript {
        tree.insert(&name::transcript_name(&SourceName::from(name)), transcript.as_bytes(), &mut problems);
    }
    let evidence = read(&tree, &mut problems);
    (evidence, problems.sorted())
}

/// `record` with a footer that agrees with it.
fn sealed(mut record: Record) -> Record {
    let complete = record.is_complete();
    record.footer = Some(lines::footer(&lines::print_body(&record), "2026-02-03T04:06:07Z".to_owned(), complete, Some(500)));
    record
}

/// The sample as a record of version `version`.
fn sample_of(version: u32) -> Record {
    let mut record = sample();
    record.header.version = version;
    sealed(record)
}

#[test]
fn a_record_of_any_version_reads_back_as_it_was_written() {
    for version in [1, 2] {
        let record = sample_of(version);
        let text = lines::print(&record);
        assert_eq!(lines::parse(&text).as_ref(), Ok(&record));
        let (evidence, problems) = read_text(NAME, &text, Some(&transcript::transcript(&record)));
        assert_eq!(problems, []);
        let run = evidence.run("2026-02-03-test-card").expect("the run is found by its stem");
        assert_eq!((run.sweep(), run.device(), run.date(), run.is_complete()), ("copy", "test-card", "2026-02-03", true));
        assert_eq!(run.transcript_mismatch(), None);
    }
}

#[test]
fn every_change_to_a_record_is_noticed() {
    let footer = lines::print(&sample()).lines().count();
    let both: [(&str, &str, &str, usize); 8] = [
        ("\"spans_ns\":[101000", "\"spans_ns\":[100000", "evidence-digest", footer),
        ("\"launches_per_sample\":1", "\"launches_per_sample\": 1", "evidence-digest", footer),
        ("\"complete\":true", "\"complete\": true", "evidence-digest", footer),
        ("\"version\":", "\"version\":1", "evidence-version", 1),
        ("\"order_seed\"", "\"order_sead\"", "evidence-unreadable", 1),
        ("\"line\":\"row\"", "\"line\":\"row\",\"line\":\"row\"", "evidence-unreadable", 2),
        ("{\"line\":\"row\"", "{\"line\":\"raw\"", "evidence-unreadable", 2),
        ("\"line\":\"header\"", "\"line\":\"footer\"", "evidence-unreadable", 1),
    ];
    let cases = [1, 2].into_iter().flat_map(|version| both.map(|case| (version, case))).chain([
        (1, ("\"row\":0", "\"row\": 0", "evidence-digest", footer)),
        (2, ("\"row\":0", "\"row\": 0", "evidence-unreadable", 4)),
        (2, ("{\"line\":\"result\"", "{ \"line\":\"result\"", "evidence-unreadable", 4)),
    ]);
    for (version, (from, to, id, line)) in cases {
        let text = lines::print(&sample_of(version));
        let spoilt = text.replacen(from, to, 1);
        assert_ne!(spoilt, text, "{from} is in the record");
        let (evidence, problems) = read_text(NAME, &spoilt, None);
        assert_eq!(evidence.all().count(), 0, "{to}");
        assert_eq!(problems.iter().map(|problem| problem.id).collect::<Vec<_>>(), [id], "{to}");
        let at = problems[0].at.as_ref().expect("a place").start;
        assert_eq!(crate::base::span::line_column(&spoilt, at).line, line, "{to}");
    }
}

#[test]
fn a_record_of_the_future_is_told_apart() {
    let text = lines::print(&sample()).replacen("\"version\":2", "\"version\":3", 1);
    assert_eq!(lines::parse(&text).unwrap_err().message, "the record is of version 3; this lessonc reads versions 1 to 2");
}

#[test]
fn what_a_record_may_not_say() {
    type Spoil = fn(&mut Record);
    let cases: [(&str, Spoil); 10] = [
        ("evidence-private", |record| record.header.circumstance.private = Some(Private::Preview)),
        ("evidence-replayed", |record| record.header.circumstance.replayed = Some("evidence/copy/2026-02-03-test-card.jsonl".to_owned())),
        ("evidence-path", |record| drop(record.header.logs.insert("c++".to_owned(), "/home/ada/course/copy.cu:3: error".to_owned()))),
        ("evidence-path", |record| record.results[2].outcome = Outcome::Runtime("in /var/tmp/x.cubin".to_owned())),
        ("evidence-path", |record| record.header.code.device.push_str("#line 1 \"/home/ada/copy.cu\"\n")),
        ("evidence-name", |record| record.header.sweep = "other".to_owned()),
        ("evidence-name", |record| record.header.started = "2026-02-04T04:05:06Z".to_owned()),
        ("evidence-fake", |record| record.header.circumstance.backend = "fake".to_owned()),
        ("evidence-unreadable", |record| record.results[0].row = 7),
        ("evidence-unreadable", |record| record.results[1].row = 0),
    ];
    for (id, spoil) in cases {
        let mut record = sample();
        spoil(&mut record);
        let (evidence, problems) = read_text(NAME, &lines::print(&sealed(record)), None);
        assert_eq!(problems.iter().map(|problem| problem.id).collect::<Vec<_>>(), [id]);
        assert_eq!(evidence.all().count(), 0);
    }
}

#[test]
fn names_of_a_day_are_numbered_from_two() {
    let header = sample().header;
    let cases = [
        ("", Some(1)),
        ("-2", Some(2)),
        ("-10", Some(10)),
        ("-1", None),
        ("-0", None),
        ("-02", None),
        ("-x", None),
        ("2", None),
        ("-+2", None),
    ];
    for (end, expected) in cases {
        assert_eq!(name::agrees(&format!("evidence/copy/2026-02-03-test-card{end}.jsonl"), &header).ok(), expected, "{end}");
    }
    assert_eq!(name::stem(&header, 3), "evidence/copy/2026-02-03-test-card-3");
}

#[test]
fn the_transcript_is_compared_line_by_line() {
    let record = sample();
    let text = lines::print(&record);
    let transcript = transcript::transcript(&record);
    let mismatch = |found: Option<&str>| read_text(NAME, &text, found).0.run(NAME).and_then(|run| run.transcript_mismatch());
    let line =
        |mismatch: Option<run::Mismatch>| mismatch.map(|mismatch| (mismatch.line, mismatch.expected.is_some(), mismatch.found.is_some()));
    assert_eq!(line(mismatch(Some(&transcript))), None);
    assert_eq!(line(mismatch(None)), Some((1, true, false)));
    assert_eq!(
        line(mismatch(Some(&transcript.replacen("0.10", "0.09", 1)))).map(|(_, expected, found)| (expected, found)),
        Some((true, true))
    );
    let lines = transcript.lines().count();
    assert_eq!(line(mismatch(Some(&format!("{transcript}more\n")))), Some((lines + 1, false, true)));
    assert_eq!(line(mismatch(Some(transcript.trim_end_matches('\n')))), Some((lines, true, true)));
}

#[test]
fn a_cut_record_is_history_and_never_current() {
    let mut record = sample();
    record.footer = None;
    let (evidence, problems) = read_text(NAME, &lines::print(&record), None);
    assert_eq!(problems, []);
    assert!(!evidence.history("copy", "test-card").next().expect("it is history").is_complete());
    let mut interrupted = sample();
    interrupted.footer.as_mut().expect("a footer").complete = false;
    assert!(!lines::parse(&lines::print(&interrupted)).expect("readable").is_complete());
}

#[test]
fn of_runs_of_other_code_the_nearest_speaks() {
    let run = |(lines, rounds): (&str, u32)| {
        let mut record = sample();
        record.header.fingerprint_lines = lines.split(' ').map(str::to_owned).collect();
        record.header.identity.timing.rounds = rounds;
        let mut run = Run::read(&NAME.into(), &lines::print(&sample()), None).unwrap();
        run.record = record.into();
        Arc::new(run)
    };
    let now: Vec<String> = ["a", "b", "c"].map(str::to_owned).into();
    for (runs, expected) in [
        (&[("a b x", 11)][..], Some(0)),
        (&[("a b x", 11), ("a x x", 11)], Some(0)),
        (&[("a x x", 11), ("a b x", 11), ("a b y", 11)], Some(2)),
        (&[("a x x", 11), ("a b x", 7)], Some(0)),
        (&[("a x x", 7), ("a b x", 7)], Some(1)),
        (&[], None),
    ] {
        let runs: Vec<Arc<Run>> = runs.iter().copied().map(run).collect();
        let found = nearest(&now, 11, runs.iter().collect()).and_then(|found| runs.iter().position(|run| Arc::ptr_eq(run, found)));
        assert_eq!(found, expected);
    }
}

#[test]
fn a_copy_under_another_day_is_no_run() {
    let mut copy = sample();
    copy.header.started = "2026-02-04T04:05:06Z".to_owned();
    copy.footer.as_mut().unwrap().ended = "2026-02-04T04:06:07Z".to_owned();
    let later = copy.footer.take().unwrap();
    copy.footer = Some(lines::footer(&lines::print_body(&copy), later.ended, later.complete, later.tick_ns));
    let mut problems = Problems::new();
    let mut tree = SourceTree::new();
    tree.insert(NAME, lines::print(&sample()).as_bytes(), &mut problems);
    tree.insert("evidence/copy/2026-02-04-test-card.jsonl", lines::print(&copy).as_bytes(), &mut problems);
    let evidence = read(&tree, &mut problems);
    assert_eq!(problems.iter().map(|problem| problem.id).collect::<Vec<_>>(), ["evidence-copied"]);
    assert_eq!(evidence.all().map(|run| &*run.name).collect::<Vec<_>>(), [NAME]);
}

#[test]
fn a_run_is_read_again_only_where_its_files_changed() {
    let record = sample();
    let (memo, mut tree) = (Memo::default(), SourceTree::new());
    let mut read_after = |file: &str, text: String| {
        tree.insert(file, text.as_bytes(), &mut Problems::new());
        let run = read_again(&tree, &memo, &mut Problems::new()).all().next().cloned();
        (run, read(&tree, &mut Problems::new()).all().next().map(|run| (run.record.clone(), run.transcript.clone())))
    };
    let (first, _) = read_after(NAME, lines::print(&record));
    let (same, _) = read_after("kernels/copy.cu", "int x;".to_owned());
    assert!(Arc::ptr_eq(first.as_ref().unwrap(), same.as_ref().unwrap()));
    let transcript = NAME.replace(".jsonl", ".txt");
    for (file, text) in [
        (transcript.as_str(), "a".to_owned()),
        (&transcript, "b".to_owned()),
        (NAME, "no record".to_owned()),
        (NAME, lines::print(&record)),
    ] {
        let (again, anew) = read_after(file, text);
        assert_eq!(again.map(|run| (run.record.clone(), run.transcript.clone())), anew, "{file}");
    }
}

#[test]
fn a_lone_transcript_is_a_warning() {
    let mut problems = Problems::new();
    let mut tree = SourceTree::new();
    tree.insert("evidence/copy/2026-02-03-test-card.txt", b"x", &mut problems);
    let evidence = read(&tree, &mut problems);
    assert!(evidence.runs.is_empty());
    assert_eq!((problems.errors(), problems.warnings()), (0, 1));
}

#[test]
fn the_transcript_of_the_sample() {
    let expected = include_str!("transcript.golden.txt");
    assert_eq!(transcript::transcript(&sample()), expected);
    assert!(expected.lines().all(|line| line == line.trim_end()));
}
