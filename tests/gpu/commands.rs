//! `lessonc` on a GPU, as a program: the course in `course`, each sweep of it in seconds.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lessonc::evidence::lines;
use lessonc::evidence::profiled::{ACHIEVED, TOLERANCE};
use lessonc::evidence::record::{Outcome, Record};

const COURSE: [(&str, &str); 11] = [
    ("lessons/course.toml", include_str!("course/lessons/course.toml")),
    ("kernels/faults.cu", include_str!("course/kernels/faults.cu")),
    ("kernels/faults.toml", include_str!("course/kernels/faults.toml")),
    ("kernels/chase.cu", include_str!("course/kernels/chase.cu")),
    ("kernels/chase.toml", include_str!("course/kernels/chase.toml")),
    ("kernels/tile.cu", include_str!("course/kernels/tile.cu")),
    ("kernels/tile.toml", include_str!("course/kernels/tile.toml")),
    ("kernels/warps.toml", include_str!("course/kernels/warps.toml")),
    ("kernels/sum.cu", include_str!("course/kernels/sum.cu")),
    ("kernels/sum.toml", include_str!("course/kernels/sum.toml")),
    (".gitignore", ".lessonc/\n"),
];

/// The course in a folder of its own.
struct Course(tempfile::TempDir);

/// How a command ended and what it said on both streams.
struct Said {
    code: Option<i32>,
    text: String,
}

/// The program, wherever it lies.
fn program() -> PathBuf {
    std::env::var_os("LESSONC_BIN").map_or_else(|| env!("CARGO_BIN_EXE_lessonc").into(), PathBuf::from)
}

impl Course {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in COURSE {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(program());
        command.args(words.split_whitespace()).current_dir(self.0.path());
        command
    }

    fn run(&self, words: &str) -> Said {
        said(&mut self.command(words))
    }

    /// The one record of `sweep`.
    fn record(&self, sweep: &str) -> Record {
        let folder = self.0.path().join("evidence").join(sweep);
        let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let records: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect();
        assert_eq!(records.len(), 1, "{records:?}");
        lines::parse(&std::fs::read_to_string(&records[0]).unwrap()).unwrap()
    }

    /// Measures `sweep`, which must end well.
    fn measured(&self, sweep: &str) -> Record {
        let said = self.run(&format!("measure {sweep}"));
        println!("{}", said.text);
        assert_eq!(said.code, Some(0), "{}", said.text);
        self.record(sweep)
    }
}

fn said(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Said { code: output.status.code(), text }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn every_fault_is_an_outcome_of_its_row_and_others_go_on() {
    let record = Course::new().measured("faults");
    let outcome = |label: &str| {
        let row = record.row_index(label).unwrap();
        let mut outcomes = record.outcomes_of(row).map(|(_, outcome)| outcome.clone());
        let outcome = outcomes.next().unwrap_or_else(|| Outcome::Skipped(record.rows[row].skipped.clone().unwrap_or_default()));
        (outcome.word(), outcome.why().unwrap_or_default().to_owned())
    };
    for (label, word, why) in [
        ("fine", "ok", ""),
        ("wrong", "incorrect", "1 of 1048583 elements wrong before the samples; first y[77]: got -1, expected 154"),
        ("stray", "runtime", "CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("trap", "runtime", "CUDA_ERROR_"),
        ("stuck", "timeout", "the kernel did not come back within 2 s"),
        ("too-many-lines", "launch", "CUDA_ERROR_INVALID_VALUE"),
        ("too-many-threads", "skipped", "a block of 2048 threads"),
        ("fine-too", "ok", ""),
    ] {
        let found = outcome(label);
        assert!(found.0 == word && found.1.contains(why), "{label}: {found:?}, expected {word}: {why}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn rows_have_options_and_data_of_their_own_and_cycles_are_read_back() {
    let record = Course::new().measured("chase");
    let medians =
        |row: usize, name: &str| record.round_reads(row, name).into_iter().map(|read| read.expect("every round")).collect::<Vec<f64>>();
    for (row, (elements, steps)) in [(4096_u64, 64), (4096, 1000), (65_536, 64), (65_536, 1000)].into_iter().enumerate() {
        let result = record.results_of(row).next().unwrap();
        let checked = result.before.as_ref().map(|receipt| (receipt.elements, receipt.wrong));
        assert_eq!((checked, result.spans_ns.len()), (Some((elements, 0)), 0), "{result:?}");
        assert!(medians(row, "told").iter().all(|told| *told == f64::from(steps)), "row {row}");
        let last = (f64::from(steps) * 32.0) % elements as f64;
        assert!(medians(row, "last").iter().all(|found| *found == last), "row {row}: {last}");
        let cycles: Vec<f64> = medians(row, "latency").iter().map(|cycles| cycles / f64::from(steps)).collect();
        println!("{}: {cycles:.0?} cycles a step", record.rows[row].label);
        assert!(cycles.iter().all(|cycles| (10.0..5000.0).contains(cycles)), "{cycles:?}");
    }
}

/// A template's kernels, with more shared memory than is given unasked; then one row of them under the profiler, which may have
/// no counters here and must say why.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn templates_opt_in_to_shared_memory_and_a_row_is_profiled() {
    let course = Course::new();
    let record = course.measured("tile");
    let gpu = record.header.identity.gpu.as_ref().unwrap();
    for row in &record.rows {
        let launch = row.launch.as_ref().unwrap();
        let (shared, answer) = (launch.shape.shared_bytes, row.residency.as_ref().unwrap());
        let fit = gpu.shared_bytes_per_sm / (shared + gpu.shared_bytes_reserved_per_block);
        assert_eq!(answer.blocks_per_sm, fit.min(gpu.threads_per_sm / 256), "{}", row.label);
        assert!(launch.shape.kernel.starts_with("tile<"), "{}", launch.shape.kernel);
    }
    assert!(record.results.iter().all(|result| result.outcome == Outcome::Ok), "{:?}", record.results[0].outcome);
    let said = course.run("measure warps");
    println!("{}", said.text);
    let profiled = course.record("warps").profiled;
    assert_eq!(profiled.len(), 1);
    match &profiled[0].outcome {
        Outcome::Ok => {
            let achieved: Vec<f64> = profiled[0].launches.iter().map(|launch| launch[ACHIEVED]).collect();
            assert!(achieved.len() == 3 && achieved.iter().all(|share| *share > 0.0 && *share <= 100.0 + TOLERANCE), "{achieved:?}");
            assert_eq!((said.code, profiled[0].limited_by.as_deref()), (Some(0), Some("shared memory")));
        }
        Outcome::NoCounters(why) => assert!(said.code == Some(1) && !why.is_empty() && said.text.contains(why.as_str()), "{why}"),
        other => panic!("{other:?}"),
    }
}

/// A profiler that the driver keeps counters from.
const DENIED: &str = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Version 2025.3.1.0 (build 1) (public-release)'; exit 0; fi\n\
    echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters'; exit 1\n";

#[test]
#[ignore = "needs an NVIDIA GPU"]
#[cfg(unix)]
fn a_row_without_counters_says_why() {
    use std::os::unix::fs::PermissionsExt as _;
    let course = Course::new();
    let tools = tempfile::tempdir().unwrap();
    std::fs::write(tools.path().join("ncu"), DENIED).unwrap();
    std::fs::set_permissions(tools.path().join("ncu"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut places = vec![tools.path().to_owned()];
    places.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let said = said(course.command("measure warps").env("PATH", std::env::join_paths(places).unwrap()));
    assert!(said.code == Some(1) && said.text.contains("no-counters: reading GPU performance counters is not permitted"), "{}", said.text);
    assert!(matches!(course.record("warps").profiled[0].outcome, Outcome::NoCounters(_)));
}

#[test]
#[ignore = "needs an NVIDIA GPU and nvcc"]
fn a_program_is_built_by_nvcc_and_its_failures_are_outcomes() {
    let course = Course::new();
    let record = course.measured("sum");
    assert!(record.header.identity.toolkit.is_some(), "nvcc's version is known");
    let of = |row: u32| record.outputs.iter().filter(move |output| output.row == row);
    assert_eq!((of(0).count(), of(1).count()), (5, 5));
    assert!(
        of(0).all(|output| output.outcome == Outcome::Ok && output.stdout == "threads    sum\n     32    496\n"),
        "{:?}",
        record.outputs
    );
    assert!(
        of(1).all(|output| output.exit == Some(1) && output.outcome.word() == "runtime"),
        "2048 threads are more than a block may have"
    );
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_busy_gpu_is_refused_and_a_gpu_is_chosen_by_number_or_uuid() {
    let course = Course::new();
    let none = course.run("measure tile --gpu 99");
    assert!(none.code == Some(2) && none.text.contains("the GPU asked for") && none.text.contains("0: "), "{}", none.text);
    let uuid = none.text.split("(GPU-").nth(1).and_then(|rest| rest.split(')').next()).expect("a UUID is listed");
    for gpu in ["0".to_owned(), format!("GPU-{uuid}"), uuid.to_owned()] {
        let said = course.run(&format!("doctor --quick --gpu {gpu}"));
        assert!(said.code == Some(0) && said.text.contains("lessonc can measure here"), "{gpu}: {}", said.text);
    }
    let mut busy = super::device::busy();
    let mut lines = BufReader::new(busy.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains(super::device::BUSY)), "it works");
    let refused = course.run("measure tile");
    let _ = busy.kill();
    let _ = busy.wait();
    println!("{}", refused.text);
    assert!(refused.code == Some(2) && refused.text.contains("the GPU is busy: "), "{}", refused.text);
    assert!(!course.0.path().join("evidence").exists());
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn doctor_tells_the_noise_of_two_equal_rows() {
    let said = Course::new().run("doctor --gpu 0");
    println!("{}", said.text);
    assert_eq!(said.code, Some(0), "{}", said.text);
    for words in ["timer tick", "SM clock", "rounds spread by", "two equal rows differ by", "lessonc can measure here"] {
        assert!(said.text.contains(words), "{words}");
    }
}

/// Whether the files of the course are those that are compiled in.
#[test]
fn every_file_of_the_course_is_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gpu/course");
    let entries = walkdir::WalkDir::new(&folder).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    let mut names: Vec<String> =
        entries.map(|entry| entry.path().strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/")).collect();
    names.sort();
    let mut known: Vec<&str> = COURSE.iter().map(|(name, _)| *name).filter(|name| !name.starts_with('.')).collect();
    known.sort_unstable();
    assert_eq!(names, known);
}

/// Whether the course can be planned at all, which needs no GPU.
#[test]
fn the_course_can_be_planned() {
    let said = said(Course::new().command("measure --list").stdin(Stdio::null()));
    assert!(said.code == Some(0) && !said.text.contains("error"), "{}", said.text);
}
