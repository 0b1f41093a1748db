//! How much of a run's time on the wall is measuring: the ratio of the wall to warm-up and samples, of rows and of canaries. Two or
//! less is good.
//!
//!     cargo bench --bench measure_ratio                            of each sweep and device of this repository the latest timed run
//!     cargo bench --bench measure_ratio -- --all                   all timed runs, by whichever lessonc they were made
//!     cargo bench --bench measure_ratio -- RECORD.jsonl [SECONDS]   one record; SECONDS on the wall, where it does not say so
//!
//! A record of a card needs no card to be looked at. Ends with 1 if a ratio is above two; of runs before a sweep's latest that says
//! nothing of today's lessonc, so `--all` only lists them.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use lessonc::evidence::record::{Record, RunKind};
use lessonc::evidence::{effort, lines};

/// What a ratio should not exceed.
const GOOD: f64 = 2.0;

fn main() -> ExitCode {
    // Cargo passes `--bench` on.
    let (options, arguments): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let good = match arguments.first() {
        Some(file) => {
            let told = arguments.get(1).and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs_f64);
            let file = Path::new(file);
            let found = read(file).and_then(|record| ratio(file, &record, told));
            found.inspect_err(|why| eprintln!("{}: {why}", file.display())).is_ok_and(|ratio| ratio <= GOOD)
        }
        None => latest(&Path::new(env!("CARGO_MANIFEST_DIR")).join("evidence"), options.iter().any(|option| option == "--all")),
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether the latest timed run of each sweep and device below `folder` is good, of which there must be one; `all` prints the others
/// too.
fn latest(folder: &Path, all: bool) -> bool {
    let mut runs: BTreeMap<(String, String), Vec<(PathBuf, Record)>> = BTreeMap::new();
    for file in records(folder) {
        match read(&file) {
            Ok(record) if record.header.kind == RunKind::Kernel && record.is_complete() && effort::wall(&record).is_some() => {
                runs.entry((record.header.sweep.clone(), record.header.device.clone())).or_default().push((file, record));
            }
            Ok(_) => {}
            Err(why) => eprintln!("{}: {why}", file.display()),
        }
    }
    let mut good = !runs.is_empty();
    for mut of_sweep in runs.into_values() {
        // Of two that began in one second the later one has the longer name, `-2` behind the day's first.
        of_sweep.sort_by_key(|(file, record)| (record.header.started.clone(), file.as_os_str().len(), file.clone()));
        let Some((last, before)) = of_sweep.split_last() else { continue };
        for (file, record) in before.iter().filter(|_| all) {
            let _ = ratio(file, record, None);
        }
        good &= ratio(&last.0, &last.1, None).is_ok_and(|ratio| ratio <= GOOD);
    }
    good
}

/// The records below `folder`.
fn records(folder: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    entries.map(walkdir::DirEntry::into_path).filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect()
}

fn read(file: &Path) -> Result<Record, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    lines::parse(&text).map_err(|why| format!("line {}: {}", why.line, why.message))
}

/// Prints what the run `record` in `file` took, on the wall as `told` or as it says itself.
fn ratio(file: &Path, record: &Record, told: Option<Duration>) -> Result<f64, String> {
    let wall =
        told.or_else(|| effort::wall(record)).ok_or("the run was not finished in one piece, so its time on the wall is not known")?;
    let timed = effort::timed(record);
    if timed.is_zero() {
        return Err("no row was measured".to_owned());
    }
    let ratio = wall.as_secs_f64() / timed.as_secs_f64();
    println!(
        "{}: {} rows, {} rounds: {:.1} s on the wall, {:.1} s of warm-up and samples: {ratio:.2}",
        file.file_name().unwrap_or_default().to_string_lossy(),
        record.rows.len(),
        record.header.identity.timing.rounds,
        wall.as_secs_f64(),
        timed.as_secs_f64()
    );
    Ok(ratio)
}
