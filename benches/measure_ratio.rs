//! How much of a run's time on the wall is measuring: the ratio of the wall to warm-up and samples, of rows and of canaries. Two or
//! less is good.
//!
//!     cargo bench --bench measure_ratio                            all complete records of this repository
//!     cargo bench --bench measure_ratio -- RECORD.jsonl [SECONDS]   one record; SECONDS on the wall, where it does not say so
//!
//! A record of a card needs no card to be looked at. Ends with 1 if a ratio is above two.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use lessonc::evidence::{effort, lines};

/// What a ratio should not exceed.
const GOOD: f64 = 2.0;

fn main() -> ExitCode {
    // Cargo passes `--bench` on.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let files = match arguments.first() {
        Some(file) => vec![PathBuf::from(file)],
        None => records(&Path::new(env!("CARGO_MANIFEST_DIR")).join("evidence")),
    };
    let told = arguments.get(1).and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs_f64);
    let mut good = true;
    for file in &files {
        match ratio(file, told) {
            Ok(ratio) => good &= ratio <= GOOD,
            Err(why) => {
                eprintln!("{}: {why}", file.display());
                good &= arguments.is_empty();
            }
        }
    }
    if good && !files.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The records below `folder`.
fn records(folder: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    entries.map(walkdir::DirEntry::into_path).filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect()
}

/// Prints what the run in `file` took, on the wall as `told` or as it says itself.
fn ratio(file: &Path, told: Option<Duration>) -> Result<f64, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let record = lines::parse(&text).map_err(|why| format!("line {}: {}", why.line, why.message))?;
    let wall =
        told.or_else(|| effort::wall(&record)).ok_or("the run was not finished in one piece, so its time on the wall is not known")?;
    let timed = effort::timed(&record);
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
