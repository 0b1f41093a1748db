//! Turns results into Markdown.
//!
//! Must not round away what a ratio is made of: three digits that count.

use std::fmt::Write as _;

use super::results::{COPY, LONG, Results, UNCHANGED, VERIFY, VERSION};
use super::subjects::SUBJECTS;

pub(super) fn text(results: &Results, machine: &str) -> String {
    let mut text = format!("{} lessons; medians of {} runs, in turn; {machine}.\n", results.lessons, results.runs);
    let versions: Vec<String> = results.versions.iter().map(|(tool, version)| format!("{tool} {version}")).collect();
    let _ = writeln!(text, "{}.\n", versions.join(", "));
    text += "| | cold build, s | processor, s | peak memory, MiB | output, MB | files |\n| --- | ---: | ---: | ---: | ---: | ---: |\n";
    for subject in SUBJECTS {
        let size = results.sizes.get(subject.name).copied().unwrap_or_default();
        if let Some(took) = results.median(subject.name) {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {:.0} | {:.1} | {} |",
                subject.name,
                digits(took.wall),
                digits(took.cpu),
                took.peak as f64 / f64::from(1 << 20),
                size.megabytes(),
                size.files
            );
        }
    }
    text += "\n| lessonc besides | s | processor, s | peak memory, MiB |\n| --- | ---: | ---: | ---: |\n";
    for (name, shown) in
        [(UNCHANGED, UNCHANGED), (VERIFY, VERIFY), (COPY, COPY), (VERSION, VERSION), (LONG, "build, ten times the lessons")]
    {
        if let Some(took) = results.median(name) {
            let _ =
                writeln!(text, "| {shown} | {} | {} | {:.0} |", digits(took.wall), digits(took.cpu), took.peak as f64 / f64::from(1 << 20));
        }
    }
    for (name, why) in &results.missing {
        let _ = writeln!(text, "\nWithout {name}: {}.", complaint(why));
    }
    text
}

/// The line of `why` that says what went wrong, by its looks.
fn complaint(why: &str) -> &str {
    let line = why.lines().find(|line| line.to_lowercase().contains("error")).or_else(|| why.lines().next_back());
    line.unwrap_or_default().trim().trim_end_matches('.')
}

/// `value` with three digits that count.
pub(crate) fn digits(value: f64) -> String {
    let places = if value <= 0.0 { 0 } else { (2 - value.log10().floor() as i32).clamp(0, 6) };
    format!("{value:.*}", usize::try_from(places).unwrap_or(0))
}
