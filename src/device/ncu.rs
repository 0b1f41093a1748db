//! Turns a request for hardware counters into a command line of Nsight Compute, and what it prints into numbers by metric.
//!
//! Must not know sweeps. Its output changes between versions: values are found by the names of columns, a row of units may be there
//! or not, and whatever is no row of the table is no data.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Seek as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::paths::without_paths;

pub use crate::evidence::profiled::{ACHIEVED, DRAM_BYTES, DURATION, LIMITS, THEORETICAL};

/// The metrics that every pass asks for.
#[must_use]
pub fn metrics() -> Vec<&'static str> {
    let mut metrics = vec![ACHIEVED, THEORETICAL, DRAM_BYTES, DURATION];
    metrics.extend(LIMITS.map(|(metric, _)| metric));
    metrics
}

/// How long the profiler may take for a row: it launches a kernel once for each group of counters.
const LIMIT: Duration = Duration::from_secs(600);

/// Nsight Compute, found and answering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ncu {
    program: PathBuf,
    /// What it is, such as `ncu 2025.3.1.0`.
    pub version: String,
}

impl Ncu {
    /// The one on the PATH or in the toolkit's usual place.
    ///
    /// # Errors
    /// One sentence that says what to install.
    pub fn find() -> Result<Self, String> {
        let name = format!("ncu{}", std::env::consts::EXE_SUFFIX);
        let folders = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
        let places = folders.into_iter().chain(["/usr/local/cuda/bin".into()]).map(|folder| folder.join(&name));
        let found = places.filter(|path| path.is_file()).find_map(|program| {
            let output = Command::new(&program).arg("--version").output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let version = text.lines().find_map(|line| line.trim().strip_prefix("Version "))?.split_whitespace().next()?.to_owned();
            Some(Self { program, version: format!("ncu {version}") })
        });
        found.ok_or_else(|| "ncu is not installed: it comes with the CUDA toolkit as Nsight Compute".to_owned())
    }

    /// Profiles the launches of `pass` in a run of `program` with `arguments`.
    ///
    /// # Errors
    /// Why there are no counters.
    pub fn profile(&self, pass: &Pass<'_>, program: &OsStr, arguments: &[OsString]) -> Result<Vec<Profiled>, NoCounters> {
        let failed = |why: &dyn std::fmt::Display| NoCounters(without_paths(&format!("{} can't be run: {why}", self.version)));
        let file = || tempfile::tempfile().map_err(|error| failed(&error));
        let (mut printed, mut said) = (file()?, file()?);
        let (out, err) = (printed.try_clone().map_err(|error| failed(&error))?, said.try_clone().map_err(|error| failed(&error))?);
        let mut command = Command::new(&self.program);
        command.args(pass.arguments()).arg(program).args(arguments).stdin(Stdio::null()).stdout(out).stderr(err);
        // A group of its own, so that a break from the keyboard lets the row in hand end in order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let began = Instant::now();
        while child.try_wait().map_err(|error| failed(&error))?.is_none() {
            if began.elapsed() > LIMIT {
                let _ = child.kill();
                let _ = child.wait();
                return Err(NoCounters(format!("{} did not end within {} s", self.version, LIMIT.as_secs())));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let text = |file: &mut std::fs::File| -> std::io::Result<String> {
            let mut bytes = Vec::new();
            file.rewind()?;
            file.read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let printed = text(&mut printed).map_err(|error| failed(&error))?;
        let said = text(&mut said).map_err(|error| failed(&error))?;
        read(&printed, &said, pass.count, pass.metrics)
    }
}

/// Which launches of a program are profiled, and what of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass<'a> {
    /// Launches to let go by after the program says that profiling begins.
    pub skip: u32,
    /// Launches to profile.
    pub count: u32,
    /// The metrics.
    pub metrics: &'a [String],
}

impl Pass<'_> {
    /// The arguments for `ncu`, before the program that it is to run. Launches are chosen by their order from the moment
    /// that the program starts the profiler, since filters by name meet base names or mangled ones as versions please; clocks and caches are left as they are.
    #[must_use]
    pub fn arguments(&self) -> Vec<OsString> {
        let fixed = ["--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw", "--profile-from-start", "off"];
        let mut arguments: Vec<OsString> = fixed.map(OsString::from).into();
        for (option, value) in
            [("--launch-skip", self.skip.to_string()), ("--launch-count", self.count.to_string()), ("--metrics", self.metrics.join(","))]
        {
            arguments.extend([option.into(), value.into()]);
        }
        arguments
    }
}

/// A profiled launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profiled {
    /// The kernel, as ncu names it.
    pub kernel: String,
    /// Values by metric, as numbers in base units (bytes, nanoseconds, percent).
    pub values: BTreeMap<String, f64>,
}

/// Why there are no counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoCounters(pub String);

/// The profiled launches that `printed` (standard output) shows; `said` is what else the program said, and `count` how many
/// launches there should be.
///
/// # Errors
/// Why there are no counters, or fewer launches than there should be: one sentence without paths.
pub fn read(printed: &str, said: &str, count: u32, metrics: &[String]) -> Result<Vec<Profiled>, NoCounters> {
    if let Some(why) = refusal(printed).or_else(|| refusal(said)) {
        return Err(NoCounters(why));
    }
    let launches = table(printed, metrics);
    if launches.len() == count as usize {
        return Ok(launches);
    }
    let complaint = printed.lines().chain(said.lines()).find(|line| line.contains("==ERROR=="));
    Err(NoCounters(match complaint {
        Some(line) => format!("ncu: {}", plain(line)),
        None => format!("ncu profiled {} of {count} launches", launches.len()),
    }))
}

/// Why the driver or a sandbox lets nobody read counters, where `text` says so.
fn refusal(text: &str) -> Option<String> {
    let known = [
        ("ERR_NVGPUCTRPERM", "reading GPU performance counters is not permitted to this user (ERR_NVGPUCTRPERM)"),
        ("Failed to initialize the profiler", "ncu can't initialise the profiler on this machine, as in a sandbox without counters"),
        ("Profiling is not supported", "ncu does not support profiling on this device"),
        ("No kernels were profiled", "ncu saw no launch"),
    ];
    known.iter().find(|(mark, _)| text.contains(mark)).map(|(_, why)| (*why).to_owned())
}

/// A line of ncu without its mark and without paths.
fn plain(line: &str) -> String {
    without_paths(line.trim_start_matches("==ERROR==").trim())
}

/// The rows of the one table in `printed`: it begins at the first line whose cells hold a kernel's name and one of `metrics`.
fn table(printed: &str, metrics: &[String]) -> Vec<Profiled> {
    let mut rows = printed.lines().map(cells);
    let is_head = |row: &Vec<String>| row.iter().any(|cell| cell == "Kernel Name") && row.iter().any(|cell| metrics.contains(cell));
    let Some(head) = rows.by_ref().find(is_head) else { return Vec::new() };
    let kernel = head.iter().position(|name| name == "Kernel Name").unwrap_or(0);
    let mut units: Vec<String> = Vec::new();
    let mut launches = Vec::new();
    for row in rows {
        // Whatever a program or the profiler says after the table is no row of it; a row that was cut short is none either.
        if row.len() != head.len() {
            continue;
        }
        if row[kernel].is_empty() {
            if launches.is_empty() {
                units = row;
            }
            continue;
        }
        let value = |(index, name): (usize, &String)| {
            let unit = units.get(index).map_or("", String::as_str);
            Some((name.clone(), number(&row[index])? * scale(unit)))
        };
        let values = head.iter().enumerate().filter(|(_, name)| metrics.contains(name)).filter_map(value).collect();
        launches.push(Profiled { kernel: row[kernel].clone(), values });
    }
    launches
}

/// The cells of a line of CSV; quotes are doubled within quotes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                push(&mut cells, '"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => push(&mut cells, c),
        }
    }
    // A quote that is never closed belongs to a line that was cut short.
    if quoted { Vec::new() } else { cells }
}

fn push(cells: &mut [String], c: char) {
    if let Some(cell) = cells.last_mut() {
        cell.push(c);
    }
}

/// `1,234.5` and `1234.5`; `None` for blanks and `n/a`.
fn number(cell: &str) -> Option<f64> {
    cell.replace(',', "").trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// What a value in `unit` is multiplied by to be in base units: bytes, nanoseconds, percent. ncu scales units by itself.
fn scale(unit: &str) -> f64 {
    match unit {
        "Kbyte" | "usecond" | "us" => 1e3,
        "Mbyte" | "msecond" | "ms" => 1e6,
        "Gbyte" | "second" | "s" => 1e9,
        "Tbyte" => 1e12,
        _ => 1.0,
    }
}

/// What limits the blocks on an SM: the names of all that allow the fewest, where ncu says.
#[must_use]
pub fn limited_by(values: &BTreeMap<String, f64>) -> Option<String> {
    let limits: Vec<(f64, &str)> = LIMITS.iter().filter_map(|(metric, name)| Some((*values.get(*metric)?, *name))).collect();
    let least = limits.iter().map(|(limit, _)| *limit).min_by(f64::total_cmp)?;
    let names: Vec<&str> = limits.iter().filter(|(limit, _)| *limit == least).map(|(_, name)| *name).collect();
    Some(names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Vec<String> {
        metrics().into_iter().map(str::to_owned).collect()
    }

    /// As Nsight Compute 2025.3 prints it for two launches, shortened to a few columns.
    const WITH_UNITS: &str = "==PROF== Connected to process 812 (/home/me/lessonc)\n==PROF== Profiling \"scale\" - 0: 0%....50%....100% - 4 passes\n\
        the program prints, too\n==PROF== Disconnected from process 812\n\
        \"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"dram__bytes.sum\",\"gpu__time_duration.sum\",\"launch__occupancy_limit_blocks\",\
        \"launch__occupancy_limit_registers\",\"launch__occupancy_limit_shared_mem\",\"launch__occupancy_limit_warps\",\
        \"sm__maximum_warps_per_active_cycle_pct\",\"sm__warps_active.avg.pct_of_peak_sustained_active\"\n\
        \"\",\"\",\"\",\"\",\"Mbyte\",\"usecond\",\"block\",\"block\",\"block\",\"block\",\"%\",\"%\"\n\
        \"0\",\"812\",\"void scale<4>(float *, int)\",\"(256, 1, 1)\",\"1,073.74\",\"251.5\",\"32\",\"8\",\"32\",\"8\",\"100\",\"74.25\"\n\
        \"1\",\"812\",\"void scale<4>(float *, int)\",\"(256, 1, 1)\",\"1,073.80\",\"250.9\",\"32\",\"8\",\"32\",\"8\",\"100\",\"74.31\"\n";

    #[test]
    fn launches_are_read_by_the_names_of_columns() {
        let launches = read(WITH_UNITS, "", 2, &asked()).expect("two launches");
        let first = &launches[0];
        assert_eq!(first.kernel, "void scale<4>(float *, int)");
        assert_eq!((first.values[ACHIEVED], first.values[THEORETICAL], first.values[DURATION]), (74.25, 100.0, 251_500.0));
        assert!((first.values[DRAM_BYTES] - 1_073_740_000.0).abs() < 1.0);
        assert_eq!(limited_by(&first.values).as_deref(), Some("registers, warps"));
        assert_eq!(launches[1].values[ACHIEVED], 74.31);
        let other_order = "\"Kernel Name\",\"sm__warps_active.avg.pct_of_peak_sustained_active\",\"ID\"\r\n\"k\",\"50.5\",\"0\"\r\n\"k\",\"n/a\",\"1\"\r\n";
        let launches = read(other_order, "", 2, &asked()).expect("no row of units, another order");
        assert_eq!((launches[0].values[ACHIEVED], launches[1].values.get(ACHIEVED)), (50.5, None), "absent is never zero");
        assert_eq!(limited_by(&launches[0].values), None);
    }

    #[test]
    fn what_keeps_counters_away_is_said() {
        let denied = "==PROF== Connected to process 9 (/home/me/lessonc)\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access \
            NVIDIA GPU Performance Counters on the target device 0. For instructions see https://developer.nvidia.com/ERR_NVGPUCTRPERM\n";
        let sandbox = "==ERROR== Failed to initialize the profiler: LibraryNotLoaded\n";
        let other = "==ERROR== The application returned an error code (11) at /opt/x/y.\n";
        let cut = &WITH_UNITS[..WITH_UNITS.len() - 20];
        let cases = [
            (denied, "", "not permitted to this user (ERR_NVGPUCTRPERM)"),
            ("", denied, "not permitted to this user (ERR_NVGPUCTRPERM)"),
            (sandbox, "", "sandbox"),
            ("==WARNING== No kernels were profiled.\n", "", "ncu saw no launch"),
            (other, "", "The application returned an error code (11) at y."),
            (cut, "", "ncu profiled 1 of 2 launches"),
            ("", "", "ncu profiled 0 of 2 launches"),
        ];
        for (printed, said, expected) in cases {
            let NoCounters(why) = read(printed, said, 2, &asked()).expect_err("no counters");
            assert!(why.contains(expected) && !why.contains("/home") && !why.contains("/opt"), "{why}");
        }
        assert!(read(WITH_UNITS, "", 3, &asked()).is_err(), "a launch is missing");
    }

    #[test]
    fn a_pass_leaves_clocks_and_caches_alone_and_counts_launches() {
        let metrics = vec![ACHIEVED.to_owned(), "l1tex__t_bytes.sum".to_owned()];
        let arguments = Pass { skip: 1, count: 3, metrics: &metrics }.arguments();
        let text = arguments.iter().map(|argument| argument.to_string_lossy()).collect::<Vec<_>>().join(" ");
        assert_eq!(
            text,
            "--clock-control none --cache-control none --csv --page raw --profile-from-start off --launch-skip 1 --launch-count 3 --metrics \
             sm__warps_active.avg.pct_of_peak_sustained_active,l1tex__t_bytes.sum"
        );
    }
}
