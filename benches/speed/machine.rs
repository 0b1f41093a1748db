//! Turns this machine into a line that a table can stand under: the day, processors, memory, system, how busy it is; and versions.
//!
//! Must not tell names of machines or people.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The day and the machine.
pub(crate) fn line() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |text: &str, name: &str| text.lines().find_map(|line| Some(line.strip_prefix(name)?.split_once(':')?.1.trim().to_owned()));
    let model = field(&cpu, "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory = field(&memory, "MemTotal").and_then(|size| size.split(' ').next()?.parse::<f64>().ok());
    let memory = memory.map_or_else(String::new, |kib| format!(", {:.0} GiB", kib / f64::from(1 << 20)));
    // Who works beside makes every time longer, and not each alike.
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().map_or_else(String::new, |load| format!(", load before {load}"));
    format!("{}, {cores} × {model}{memory}, {}{load}", chrono::Utc::now().format("%Y-%m-%d"), std::env::consts::OS)
}

/// What `program` says of its version: the first word of it that begins with a digit.
pub(crate) fn version(program: &Path, argument: &str) -> String {
    let output = Command::new(program).arg(argument).output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let words = said.split_whitespace().map(|word| word.trim_start_matches('v').split(['+', '-']).next().unwrap_or_default());
    words.into_iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit())).unwrap_or("?").to_owned()
}
