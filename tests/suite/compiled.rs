//! A course whose one sweep is only compiled: measured here with a real NVRTC and no GPU, built, verified, and changed.
#![cfg(feature = "cuda")]

use std::sync::OnceLock;

use lessonc::base::digest::Digest;
use lessonc::cli::Ending;
use lessonc::device::cuda::examine::Toolkit;
use serde_json::Value;

use super::fixture::{build, found};
use super::support::{Folder, Said, lessonc, lessonc_with, repository};

/// A copy of the course, compiled and built; `None` and a message where NVRTC or a disassembler is missing.
fn course() -> Option<Folder> {
    static READY: OnceLock<Option<Folder>> = OnceLock::new();
    READY.get_or_init(made).as_ref().map(|made| Folder::copy_of(made.path()))
}

fn made() -> Option<Folder> {
    match Toolkit::find() {
        Ok(toolkit) => {
            if let Err(why) = toolkit.disassembler {
                eprintln!("skipped: {why}");
                return None;
            }
        }
        Err(error) => {
            eprintln!("skipped: {error}");
            return None;
        }
    }
    let folder = Folder::copy_of(&repository().join("tests/compiled"));
    let measured = lessonc([&"measure", &"--course", &folder.path()]);
    assert_eq!(measured.ending, Ending::Fine, "{measured:?}");
    assert!(measured.out.contains("32-sm_90") && measured.out.contains("record evidence/spill/"), "{measured:?}");
    build(&folder);
    Some(folder)
}

fn record(folder: &Folder) -> String {
    let mut names = folder.files("evidence").into_iter().filter(|name| name.ends_with(".jsonl"));
    names.next().expect("a record")
}

#[test]
fn facts_of_a_compiler_are_evidence_on_every_device() {
    let Some(course) = course() else { return };
    assert_eq!(found(&course), [""; 0]);
    let name = record(&course);
    assert!(name.contains("-nvrtc-1"), "{name}: the toolkit stands in a device's place");
    let page = course.read("site/spill.html");
    assert!(page.contains("NVRTC 1") && page.contains("sm_80"), "the page says what compiled it, and for what");
    assert!(!page.contains("rounds"), "nothing was launched");
    let transcript = course.read(&name.replace(".jsonl", ".txt"));
    assert!(transcript.contains("launched nowhere") && transcript.contains("spill stores"), "{transcript}");
    let again = lessonc([&"measure", &"--course", &course.path()]);
    assert_eq!((again.ending, again.out.as_str()), (Ending::Fine, ""), "what is current is not compiled again: {again:?}");
    let listed = lessonc([&"measure", &"--list", &"--course", &course.path()]);
    assert!(listed.out.contains("4 rows: 32-sm_80, 32-sm_90, 255-sm_80, 255-sm_90") && listed.out.contains("current"), "{listed:?}");
}

/// Compiles on `course` with `words`.
fn compile(course: &Folder, words: &str) -> Said {
    let path = course.path();
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut arguments: Vec<&dyn AsRef<std::ffi::OsStr>> = vec![&"measure", &"--course", &path];
    arguments.extend(words.iter().map(|word| word as &dyn AsRef<std::ffi::OsStr>));
    lessonc_with(&arguments)
}

#[test]
fn a_run_that_was_cut_short_is_gone_on_with() {
    let Some(course) = course() else { return };
    let name = record(&course);
    let whole = course.read(&name);
    let device = name.rsplit('/').next().unwrap().splitn(4, '-').nth(3).unwrap().trim_end_matches(".jsonl").to_owned();
    course.remove(&name);
    course.remove(&name.replace(".jsonl", ".txt"));
    // A header, four rows, two of them compiled, and a part of a third.
    let cut: usize = whole.split_inclusive('\n').take(7).map(str::len).sum();
    course.write(&format!(".lessonc/measure/spill-{device}.jsonl"), &whole[..cut + 30]);
    let again = compile(&course, "");
    assert_eq!(again.ending, Ending::Fine, "{again:?}");
    assert!(again.err.contains("2 finished rows are kept"), "{again:?}");
    let compiled =
        |text: &str| text.lines().filter(|line| line.starts_with("{\"line\":\"compiled\"")).map(str::to_owned).collect::<Vec<_>>();
    let text = course.read(&record(&course));
    assert_eq!(compiled(&text), compiled(&whole), "the same facts in the same order");
    assert!(text.contains("\"complete\":true") && text.contains("\"resumed\":["), "{text}");
    // The record is another one, of another moment.
    build(&course);
    assert_eq!(found(&course), [""; 0]);
}

#[test]
fn some_rows_may_be_compiled_for_a_look() {
    let Some(course) = course() else { return };
    let looked = compile(&course, "--rows 255-sm_80,32-sm_90");
    assert_eq!(looked.ending, Ending::Fine, "{looked:?}");
    assert!(looked.err.contains("only some rows were asked for") && looked.out.contains("not tried"), "{looked:?}");
    let name = course.files("evidence").into_iter().find(|name| name.ends_with("-2.txt")).expect("a second run");
    assert!(course.read(&name).contains("Complete       no: only 2 of the rows were asked for"), "{}", course.read(&name));
    assert_eq!(found(&course), [""; 0], "the whole run counts on");
    let stranger = compile(&course, "--rows 33-sm_90");
    assert!(stranger.ending == Ending::Failed && stranger.err.contains("has no row `33-sm_90`"), "{stranger:?}");
}

#[test]
fn what_changes_the_code_makes_its_facts_stale_and_nothing_else_does() {
    let Some(course) = course() else { return };
    type Change = (&'static str, fn(&Folder), &'static [&'static str]);
    let changes: [Change; 8] = [
        ("an operand", |course| course.edit("kernels/spill.cu", "+ weights", "- weights"), &["error evidence-stale"]),
        ("an option", |course| course.edit("kernels/spill.toml", "c++17", "c++20"), &["error evidence-stale"]),
        ("a row", |course| course.edit("kernels/spill.toml", "[32, 255]", "[32, 64, 255]"), &["error evidence-stale"]),
        ("an architecture", |course| course.edit("kernels/spill.toml", "\"sm_80\"", "\"sm_86\""), &["error evidence-stale"]),
        ("a false sentence", |course| course.edit("lessons/spill.md", "stores == 0", "stores == 1"), &["error claim-refuted"]),
        (
            "no opcode to count before",
            |course| course.edit("kernels/spill.toml", "[\"FMUL\", \"FFMA\"]", "[\"DMUL\"]"),
            &["error expr-value"],
        ),
        ("a comment", |course| course.edit("kernels/spill.cu", "float a[64];", "float a[64]; // accumulators"), &["error site-stale"]),
        ("what is counted", |course| course.edit("kernels/spill.toml", "\"LDG\"", "\"LDG.E\""), &[]),
    ];
    for (what, change, expected) in changes {
        let changed = Folder::copy_of(course.path());
        change(&changed);
        let found = found(&changed);
        for problem in expected {
            assert!(found.iter().any(|found| found == problem), "{what}: {found:?}");
        }
        let stale = found.iter().any(|problem| problem == "error evidence-stale");
        assert_eq!(stale, expected.contains(&"error evidence-stale"), "{what}: {found:?}");
    }
    course.remove(&record(&course));
    assert!(found(&course).contains(&"error evidence-missing".to_owned()));
}

#[test]
fn code_that_does_not_compile_points_at_the_author_s_line_and_one_architecture_spoils_no_other() {
    let Some(course) = course() else { return };
    let broken = Folder::copy_of(course.path());
    broken.edit("kernels/spill.cu", "+ weights", "+ wieghts");
    let measured = lessonc([&"measure", &"--course", &broken.path()]);
    assert_eq!(measured.ending, Ending::Problems);
    assert!(measured.err.contains("kernels/spill.cu:11") && measured.err.contains("wieghts"), "{measured:?}");
    course.edit("kernels/spill.toml", "\"sm_80\"", "\"sm_99\"");
    let measured = lessonc([&"measure", &"--course", &course.path()]);
    assert_eq!(measured.ending, Ending::Problems, "{measured:?}");
    assert!(measured.err.contains("2 of 4 rows did not compile") && measured.out.contains("skipped"), "{measured:?}");
    // Figures of rows that did not compile are absent, and said to be.
    let verified = lessonc([&"verify", &"--course", &course.path()]);
    assert!(verified.out.contains("was not compiled") || verified.out.contains("no row"), "{verified:?}");
}

#[test]
fn verify_can_compile_again_and_finds_what_was_made_up() {
    let Some(course) = course() else { return };
    let verified = lessonc([&"verify", &"--compile", &"--course", &course.path()]);
    assert_eq!(verified.ending, Ending::Fine, "{verified:?}");
    assert!(verified.err.contains("says the same of 4 of 4 rows"), "{verified:?}");
    let name = record(&course);
    let text = course.read(&name);
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let line = lines.iter_mut().find(|line| line["line"] == "compiled").unwrap();
    line["facts"]["spill_store_bytes"] = Value::from(4);
    let mut footer = lines.pop().unwrap();
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    footer["digest"] = Value::String(Digest::of(&body).to_string());
    course.write(&name, &format!("{body}{footer}\n"));
    let verified = lessonc([&"verify", &"--compile", &"--format", &"short", &"--course", &course.path()]);
    assert_eq!(verified.ending, Ending::Problems);
    let said = verified.out.lines().find(|line| line.contains("error[compile-differs]")).unwrap_or_else(|| panic!("{verified:?}"));
    assert!(said.contains(&format!("{name}:6:1")) && said.contains("32-sm_80") && said.contains("spill stores: 4 then"), "{said}");
}

#[test]
fn what_was_launched_is_compiled_again_too() {
    let Ok(toolkit) = Toolkit::find().map_err(|error| eprintln!("skipped: {error}")) else { return };
    let course = Folder::new();
    for folder in ["kernels", "lessons", "evidence", "templates"] {
        for name in super::support::files(&repository().join(folder)) {
            let path = format!("{folder}/{name}");
            let text = std::fs::read_to_string(repository().join(&path)).unwrap_or_default();
            course.write(&path, &text);
        }
    }
    let names = course.files("evidence/occupancy");
    let name = names.iter().find(|name| name.ends_with(".jsonl")).unwrap().clone();
    let compiled = |words: &str| {
        let said = lessonc([&"verify", &"--compile", &"--format", &"short", &"--course", &course.path()]);
        let lines = said.err.lines().chain(said.out.lines());
        lines.filter(|line| line.contains(&name) && line.contains(words)).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut lines: Vec<Value> = course.read(&name).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    if lines[0]["identity"]["nvrtc"] != toolkit.nvrtc.as_str() {
        assert_eq!(compiled("was not compiled again: it is of NVRTC").len(), 1);
        eprintln!("skipped: NVRTC {} is installed", toolkit.nvrtc);
        return;
    }
    // Rows with bounds and options of their own are compiled as they were.
    let rows = lines.iter().filter(|line| line["line"] == "row").count();
    assert_eq!(compiled(&format!("says the same of {rows} of {rows} rows")).len(), 1);
    let mut footer = lines.pop().unwrap();
    for (fact, words) in [("local_bytes", "local memory: 64 then, 0 now"), ("static_shared_bytes", "static shared memory: 64 then, 0 now")]
    {
        // All rows of a kernel say the same of it, or the record would contradict itself.
        let mut forged = lines.clone();
        for line in forged.iter_mut().filter(|line| line["line"] == "row") {
            line["residency"]["kernel"][fact] = Value::from(64);
        }
        let body: String = forged.iter().map(|line| format!("{line}\n")).collect();
        footer["digest"] = Value::String(Digest::of(&body).to_string());
        course.write(&name, &format!("{body}{footer}\n"));
        let found = compiled("error[compile-differs]");
        assert_eq!(found.len(), rows, "{found:?}");
        assert!(found[0].contains(words) && found[0].contains(":2:1"), "{found:?}");
    }
}

#[test]
fn all_architectures_of_the_toolkit_are_rows() {
    let Some(course) = course() else { return };
    course.edit("kernels/spill.toml", "[\"sm_80\", \"sm_90\"]", "\"all\"");
    course.edit("kernels/spill.toml", "[32, 255]", "[255, 32]");
    let measured = lessonc([&"measure", &"--course", &course.path()]);
    assert_eq!(measured.ending, Ending::Fine, "{measured:?}");
    for row in ["32-sm_75", "32-sm_80", "32-sm_90", "255-sm_120"] {
        assert!(measured.out.contains(row), "{row}: {measured:?}");
    }
    build(&course);
    assert_eq!(found(&course), [""; 0]);
    assert!(course.read("site/spill.html").contains("sm_120"));
}
