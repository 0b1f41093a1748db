//! Turns a small course into runs with the commands as typed.
//!
//! Must not need a GPU.

use std::ffi::OsString;
use std::path::Path;

use super::super::{Ending, Terminal};

mod changes;
mod checked;
mod fresh;
mod kept;

const COURSE: &str = "title = \"T\"\nsummary = \"S\"\nlanguage = \"en\"\n[devices]\npublished = [\"fake\"]\n[site]\ncommitted = false\n";

const KERNEL: &str = "// snippet: fill\n#include <cstddef>\nvoid fill(float* x, unsigned long long n) { for (size_t i = 0; i < n; i++) x[i] = 1; }\n\
// end snippet\n// snippet: reference\nvoid reference(const float* x, float* y, unsigned long long n) { for (size_t i = 0; i < n; i++) y[i] = x[i]; }\n\
// end snippet\n// snippet: copy\nextern \"C\" __global__ void copy(const float* x, float* y, unsigned long long n) {}\n// end snippet\n";

const SWEEP: &str = r#"title = "How many threads?"
source = "copy.cu"
host = ["fill", "reference"]

[constants]
elements = "4 * 1024 * 1024"

[axes]
threads = [64, 256, 2048]

[buffers]
x = { role = "in", type = "f32", count = "elements" }
y = { role = "out", type = "f32", count = "elements" }

[inputs]
call = "fill"
arguments = ["x", { u64 = "elements" }]

[check]
reference = "reference"
arguments = ["x", "y", { u64 = "elements" }]
relative = 0
absolute = 0

[launch]
kernel = "copy"
block = "threads"
grid = "max(1, residency.blocks_per_sm * device.sms)"
arguments = ["x", "y", { u64 = "elements" }]
bytes = "8 B * elements"

[timing]
warmup_ms = 2
"#;

fn course() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a temporary folder");
    for folder in ["lessons", "kernels"] {
        std::fs::create_dir(root.path().join(folder)).expect("writable");
    }
    write(root.path(), "lessons/course.toml", COURSE);
    write(root.path(), "kernels/copy.cu", KERNEL);
    write(root.path(), "kernels/copy.toml", SWEEP);
    root
}

fn write(root: &Path, name: &str, text: &str) {
    std::fs::write(root.join(name), text).expect("writable");
}

/// Runs `lessonc measure` on `root` with `words`: how it ended, and what it wrote to standard output and error.
fn measure(root: &Path, words: &str) -> (Ending, String, String) {
    lessonc(root, "measure", words)
}

/// The same of another command.
fn lessonc(root: &Path, command: &str, words: &str) -> (Ending, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut terminal =
        Terminal { out: &mut out, err: &mut err, out_colour: false, err_colour: false, builds: crate::cache::Cache::default() };
    let mut arguments: Vec<OsString> = vec!["lessonc".into(), command.into(), "--course".into(), root.into()];
    arguments.extend(words.split_whitespace().map(OsString::from));
    let ending = super::super::run(arguments, &mut terminal);
    (ending, String::from_utf8_lossy(&out).into_owned(), String::from_utf8_lossy(&err).into_owned())
}

/// The name of the record that `out` names.
fn record(out: &str) -> String {
    out.lines().find_map(|line| line.strip_prefix("record ")).expect("a record is named").to_owned()
}

#[test]
fn a_sweep_is_measured_once_and_again_when_it_changes() {
    let root = course();
    let (ending, out, err) = measure(root.path(), "--list");
    assert_eq!((ending, err.as_str()), (Ending::Fine, ""));
    assert_eq!(out, "copy: How many threads?\n  3 rows: 64, 256, 2048\n  fake: missing\n");

    let (ending, out, err) = measure(root.path(), "--device fake");
    assert_eq!(ending, Ending::Fine, "{err}");
    assert!(out.starts_with("copy\nrow   threads  grid"), "{out}");
    assert!(out.contains("skipped"), "a block of 2048 threads fits on no device: {out}");
    assert!(err.contains("copy: round 11 of 11, 2 of 2 rows ok"), "{err}");
    let name = record(&out);
    assert!(name.starts_with("evidence/copy/") && name.ends_with("-fake.jsonl") && root.path().join(&name).is_file(), "{name}");

    let (ending, out, err) = measure(root.path(), "--device fake");
    assert_eq!((ending, out.as_str()), (Ending::Fine, ""));
    assert!(err.contains("is current on fake; --force measures again"), "{err}");
    assert!(measure(root.path(), "--list").1.ends_with(&format!("  fake: current, {name}\n")));

    write(root.path(), "kernels/copy.toml", &SWEEP.replace("64, 256", "64, 512"));
    let (_, out, _) = measure(root.path(), "--list");
    assert!(out.contains(&format!("fake: stale; since {name} these lines differ:\n")) && out.contains("    + "), "{out}");
    // Fewer rounds than the sweep's are for a look; as many or more count.
    let (ending, out, err) = measure(root.path(), "copy --device fake --rounds 5");
    assert_eq!(ending, Ending::Fine, "{err}");
    assert!(record(&out).ends_with("-fake-2.jsonl"), "{out}");
    assert!(err.contains("copy: 5 of the sweep's 11 rounds; the run is kept, and is not current"), "{err}");
    assert!(measure(root.path(), "--list").1.contains(&format!("fake: stale; since {name} these")));
    std::fs::remove_file(root.path().join(&name)).expect("it is there");
    assert!(measure(root.path(), "--list").1.contains("fake: missing; only runs that were cut short, or of too few rounds"));
    let (_, _, err) = measure(root.path(), "copy --device fake --rounds 12");
    assert!(!err.contains("not current"), "{err}");
    assert!(measure(root.path(), "--list").1.contains("fake: current"));
    let (_, out, _) = measure(root.path(), "--device fake --force");
    assert!(record(&out).ends_with("-fake-4.jsonl"), "{out}");
}

#[test]
fn the_file_beside_the_manifest_makes_times_and_faults_and_no_fingerprint() {
    let root = course();
    let (_, out, _) = measure(root.path(), "--device fake");
    let name = record(&out);
    let fake = "ms = \"bytes / (100 GB/s)\"\nnoise = 0\n[[faults]]\nrow = \"256\"\nround = 2\noutcome = \"incorrect\"\n";
    write(root.path(), "kernels/copy.fake.toml", fake);
    assert!(measure(root.path(), "--list").1.contains(&format!("fake: current, {name}\n")));
    let (ending, out, err) = measure(root.path(), "--device fake --force");
    assert_eq!(ending, Ending::Fine, "{err}");
    // 8 B * 4 Mi at 100 GB/s.
    assert!(out.contains("0.33552") || out.contains("0.33554"), "{out}");
    assert!(err.contains("256 in round 2: incorrect: 1 of 4194304 elements wrong before the samples"), "{err}");
    assert!(out.contains("10/11  incorrect"), "{out}");

    write(root.path(), "kernels/copy.fake.toml", "[[faults]]\noutcome = \"incorrect\"\n");
    let (ending, out, err) = measure(root.path(), "--device fake --force");
    assert_eq!(ending, Ending::Problems);
    assert!(out.contains("0/11") && err.contains("no row was ok in any round"), "{err}");

    write(root.path(), "kernels/copy.fake.toml", "[[faults]]\noutcome = \"late\"\n");
    let (ending, _, err) = measure(root.path(), "--device fake --force");
    assert_eq!(ending, Ending::Problems);
    assert!(err.contains("`late` is none of") && err.contains("kernels/copy.fake.toml:2:12"), "{err}");
}

/// Chases pointers through working sets, two kernels, a register budget: all that a row may change.
const CHASE: &str = r#"title = "How far is memory?"
source = "copy.cu"
host = ["fill", "reference"]

[axes]
variant = ["chase", "copy"]
set = { from = "16 KiB", to = "64 KiB", times = 2 }
budget = { values = [16, 32], unit = "registers" }

[constants]
steps = 1000

[buffers]
x = { role = "in", type = "f32", count = "set / 4 B" }
y = { role = "out", type = "f32", count = "set / 4 B" }
clock = { role = "scratch", type = "u64", count = 2 }

[inputs]
call = "fill"
arguments = ["x", { u64 = "set / 4 B" }]

[check]
reference = "reference"
arguments = ["x", "y", { u64 = "set / 4 B" }]

[launch]
kernel = { expression = "variant" }
block = 32
grid = 1
arguments = ["x", "y", "clock", { u64 = "set / 4 B" }]
options = ["--maxrregcount={budget}"]

[read]
latency = { buffer = "clock", at = 0, per = "steps", unit = "cycles" }
longest = { buffer = "clock", take = "max", unit = "cycles", title = "Longest" }

[timing]
time = false
warmup_ms = 2
samples = 20

[columns]
spilled = "local_bytes"
bytes_a_cycle = "4 B / latency"
"#;

#[test]
fn rows_may_change_kernel_options_data_and_what_is_read_back() {
    let root = course();
    std::fs::remove_file(root.path().join("kernels/copy.toml")).expect("it is there");
    write(root.path(), "kernels/chase.toml", CHASE);
    write(root.path(), "kernels/chase.fake.toml", "noise = 0.001\n[reads]\nclock = \"622 * steps + budget\"\n");
    let (ending, out, err) = measure(root.path(), "--device fake");
    assert_eq!(ending, Ending::Fine, "{out}{err}");
    let name = record(&out);
    let head = out.lines().nth(1).expect("a table");
    assert!(["--maxrregcount=16", "  622"].iter().all(|cell| out.contains(cell)) && head.contains("latency"), "{out}");
    assert!(!head.contains("ms") && out.contains("11/11"), "{out}");
    let transcript = std::fs::read_to_string(root.path().join(name.replace(".jsonl", ".txt"))).expect("it is there");
    assert!(transcript.contains("Read back after each sample\n  latency  clock[0]\n  longest  the max of clock\n"), "{transcript}");
    let text = std::fs::read_to_string(root.path().join(&name)).expect("it is there");
    let record = crate::evidence::lines::parse(&text).expect("a record");
    assert_eq!((record.rows.len(), record.results.len()), (12, 12 * 11));
    assert_eq!(record.rows[0].label, "chase-16-16");
    let counts: Vec<u64> = record.rows.iter().map(|row| record.header.identity.buffers_of(row.data)[0].count).collect();
    assert_eq!(counts, [4096, 4096, 8192, 8192, 16384, 16384, 4096, 4096, 8192, 8192, 16384, 16384]);
    assert_eq!(record.header.identity.other_data.len(), 2, "three working sets are held once each");
    let launch = record.rows[6].launch.as_ref().expect("it was planned");
    assert_eq!((launch.shape.kernel.as_str(), &*launch.shape.options), ("copy", &["--maxrregcount=16".to_owned()][..]));
    assert_eq!(record.rows.iter().map(|row| row.residency.as_ref().map_or(0, |answer| answer.kernel.local_bytes)).max(), Some(64));
    let result = &record.results[0];
    assert_eq!((result.spans_ns.len(), result.clock_mhz.len(), result.reads["latency"].len()), (0, 20, 20));
    assert!(result.before.as_ref().is_some_and(|receipt| receipt.elements > 0 && receipt.wrong == 0));
    let (ending, out, err) = measure(root.path(), &format!("--device replay:{name}"));
    assert_eq!(ending, Ending::Fine, "{out}{err}");
    assert!(out.contains(&format!("equal to {name} in every line")), "{out}");
    assert!(measure(root.path(), "--list").1.contains("fake: current"));

    let page = "+++\ntitle = \"C\"\nsummary = \"S\"\nsweeps = [\"chase\"]\n+++\n\nIt takes `= row('chase-16-32').latency | fixed(0)`.\n\n\
        snippet: copy.cu#copy\n\n\
        table: chase { columns = [\"variant\", \"set\", \"latency\", \"longest\", \"spilled\"] }\n\n\
        > claim: far { holds = [\"row('copy-64-16').latency > 600 cycles\", \"count(rows where variant == 'copy' and latency > 600 cycles) == 6\"] }\n\
        > It is far: `= row('copy-64-16').latency`.\n";
    write(root.path(), "lessons/chase.md", page);
    let (ending, out, err) = lessonc(root.path(), "verify", "");
    assert_eq!(ending, Ending::Fine, "{out}{err}");
    // What a chain takes, the cycles that were counted must reach.
    for (latency, expected) in [(622, Ending::Fine), (640, Ending::Problems)] {
        let physics = format!("{CHASE}[physics]\nchain = {{ operations = \"steps\", latency = \"{latency} cycles\" }}\n");
        write(root.path(), "kernels/chase.toml", &physics);
        let (ending, out, _) = lessonc(root.path(), "verify", "");
        assert_eq!((ending, out.contains("physics-chain")), (expected, expected == Ending::Problems), "{out}");
        assert!(expected == Ending::Fine || out.contains("cycles at most, and its chain of operations takes 640000"), "{out}");
    }
}

#[test]
fn what_is_not_launched_needs_no_check_and_one_round() {
    let root = course();
    let kept = SWEEP.split("[buffers]").next().expect("its beginning");
    let kept = kept.replace("host = [\"fill\", \"reference\"]\n", "").replace("[constants]\nelements = \"4 * 1024 * 1024\"\n", "");
    let launch = "[launch]\nkernel = \"copy\"\nblock = \"threads\"\ngrid = 1\n[timing]\ntime = false\n";
    write(root.path(), "kernels/copy.toml", &format!("{kept}{launch}"));
    let (ending, out, err) = measure(root.path(), "--device fake --rounds 7");
    assert_eq!(ending, Ending::Fine, "{out}{err}");
    let text = std::fs::read_to_string(root.path().join(record(&out))).expect("it is there");
    let record = crate::evidence::lines::parse(&text).expect("a record");
    assert_eq!((record.rows.len(), record.results.len()), (3, 2));
    assert!(record.results.iter().all(|result| result.spans_ns.is_empty() && result.before.is_none()));
    assert_eq!(record.rows[0].residency.as_ref().map(|answer| answer.blocks_per_sm), Some(32));
    // What is not timed has no times to stand on.
    write(root.path(), "kernels/copy.toml", &format!("{kept}{launch}[columns]\nslow = \"2 * ms\"\n"));
    let (_, _, err) = measure(root.path(), "--device fake --force");
    assert!(err.contains("there is no name `ms`"), "{err}");
    // What is timed is checked.
    write(root.path(), "kernels/copy.toml", &format!("{kept}{}", launch.replace("time = false", "")));
    let (_, _, err) = measure(root.path(), "--device fake");
    assert!(err.contains("manifest-check"), "{err}");
}

#[test]
fn code_that_does_not_compile_is_shown_at_its_line() {
    let root = course();
    write(root.path(), "kernels/copy.fake.toml", "compile = 'copy.cu(9): error: expected a \";\"'\n");
    let (ending, out, err) = measure(root.path(), "--device fake");
    assert_eq!((ending, out.as_str()), (Ending::Problems, ""));
    assert!(err.contains("error[kernel-compile]: nvrtc: expected a \";\"") && err.contains("kernels/copy.cu:9"), "{err}");
    assert!(err.contains("__global__ void copy"), "the line itself is shown: {err}");
    assert!(!root.path().join("evidence").exists());
}

#[test]
fn what_cannot_be_measured_is_said() {
    let root = course();
    let cases = [
        ("cpoy --list", Ending::Failed, "did you mean `copy`?"),
        ("--device tpu", Ending::Failed, "expected `cuda`, `fake` or `replay:RUN`"),
        ("--rounds 4 --device fake", Ending::Failed, "4 is not in 5..=1000"),
    ];
    for (words, expected, text) in cases {
        let (ending, _, err) = measure(root.path(), words);
        assert_eq!(ending, expected, "{words}");
        assert!(err.contains(text), "{words}: {err}");
    }
    write(root.path(), "kernels/copy.toml", &SWEEP.replace("max(1, residency", "max(1, residence"));
    let (ending, _, err) = measure(root.path(), "--device fake");
    assert_eq!(ending, Ending::Problems);
    assert!(err.contains("kernels/copy.toml") && err.contains("residence"), "{err}");
    // Only a device can tell, and it would tell of every row.
    write(root.path(), "kernels/copy.toml", &SWEEP.replace("max(1, residency.blocks_per_sm * device.sms)", "device.l2_bytes // 2"));
    let (ending, _, err) = measure(root.path(), "--device fake");
    assert_eq!((ending, err.matches("error[").count()), (Ending::Problems, 1), "{err}");
    std::fs::remove_file(root.path().join("kernels/copy.toml")).expect("it is there");
    let (ending, _, err) = measure(root.path(), "--device fake");
    assert_eq!(ending, Ending::Problems);
    assert!(err.contains("there is no sweep to measure"), "{err}");
}

#[test]
fn a_dry_run_says_what_it_would_take_and_measures_nothing() {
    let root = course();
    let (ending, out, err) = measure(root.path(), "--dry-run --device fake --rounds 7");
    assert_eq!((ending, err.as_str()), (Ending::Fine, ""));
    assert!(out.contains("3 rows in 7 rounds of 20 samples, cold cache; 9 processes"), "{out}");
    assert!(out.contains("fake: at least 1 s for warm-up alone"), "{out}");
    assert!(out.contains("memory of the device: 32.0 MiB for buffers and 16.0 MiB to read the cache of fake out"), "{out}");
    assert!(out.contains("of the host: 32.0 MiB while inputs are made"), "{out}");
    assert!(!root.path().join("evidence").exists() && !root.path().join(".lessonc").exists());

    let name = record(&measure(root.path(), "--device fake").1);
    let (_, out, _) = measure(root.path(), "--dry-run");
    assert!(out.contains(&format!("fake: nothing to do, {name} is current")), "{out}");
    let (_, out, _) = measure(root.path(), "--dry-run --force --rows 64");
    assert!(out.contains("1 row in 11 rounds") && out.contains(&format!("s, going by {name}")), "{out}");
}

#[test]
fn a_busy_device_is_refused_with_its_reason_and_allowed_with_a_word_in_the_record() {
    let root = course();
    write(root.path(), "kernels/copy.fake.toml", "busy = \"2 other processes compute on it\"\n");
    let (ending, _, err) = measure(root.path(), "--device fake");
    assert_eq!(ending, Ending::Failed);
    assert!(
        err.contains("the GPU is busy: 2 other processes compute on it; wait until it is idle") && err.contains("--allow-busy"),
        "{err}"
    );
    let (ending, out, err) = measure(root.path(), "--device fake --allow-busy");
    assert_eq!(ending, Ending::Fine, "{err}");
    let transcript = std::fs::read_to_string(root.path().join(record(&out).replace(".jsonl", ".txt"))).expect("it is there");
    assert!(transcript.contains("the GPU was not idle when the run began: 2 other processes compute on it"), "{transcript}");
}

#[test]
fn warnings_of_code_that_compiles_are_shown_once_at_their_lines() {
    let root = course();
    write(
        root.path(),
        "kernels/copy.fake.toml",
        "warnings = 'copy.cu(9): warning #177-D: variable \"z\" was declared but never referenced'\n",
    );
    let (ending, _, err) = measure(root.path(), "--device fake");
    assert_eq!(ending, Ending::Fine, "{err}");
    assert_eq!(err.matches("warning[kernel-warning]").count(), 1, "{err}");
    assert!(err.contains("kernels/copy.cu:9") && err.contains("never referenced"), "{err}");
}
