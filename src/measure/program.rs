//! Turns a program of the plan into a run: built once, then a fresh process for every row and round, its output kept whole.
//!
//! Must not know what will be read out of the output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;

use crate::course::sweep::{CachePolicy, TimingPolicy};
use crate::device::{DeviceError, Machine, machine};
use crate::evidence::name;
use crate::evidence::order::order;
use crate::evidence::output::Output;
use crate::evidence::record::{Circumstance, Header, Identity, Outcome, RowPlan, RunKind, VERSION};
use crate::plan::Job;
use crate::plan::program::{HOST, ProgramJob};

use super::anonymous::Anonymous;
use super::command::{Ended, MOST_BYTES, Printed, Shell};
use super::journal::{Journal, Written};
use super::run::{self, Settings};
use super::{Progress, Stop, course_state};

/// What a build may take.
const BUILD_LIMIT: Duration = Duration::from_secs(3600);
/// What a compiler may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(60);
/// The compilers that are asked for their version; of any other program `--version` may mean anything.
const COMPILERS: [&str; 8] = ["nvcc", "g++", "c++", "gcc", "cc", "clang++", "clang", "nvc++"];

/// Where a program runs.
pub struct Place<'a> {
    /// The GPU that it may use; `None` for a program that needs none.
    pub machine: Option<&'a Machine>,
    /// What it finds in its environment besides what all programs do, such as the GPU's number.
    pub environment: &'a [(String, String)],
    /// How often; by default as its manifest says.
    pub rounds: Option<u32>,
}

/// Builds and runs `program`, the work of `job`, and writes record and transcript. A run of the same identity that was cut
/// short is gone on with.
///
/// # Errors
/// When it does not build, the disk refuses, or somebody asked to stop; what was finished is kept then.
pub fn run(
    job: &Job,
    program: &ProgramJob,
    place: &Place<'_>,
    settings: &Settings<'_>,
    progress: &mut dyn Progress,
) -> Result<Written, Stop> {
    if let Some(machine) = place.machine.filter(|machine| !settings.allow_busy && !machine.circumstance.busy.is_empty()) {
        return Err(Stop::Busy(machine.circumstance.busy.clone()));
    }
    let architecture = place.machine.map_or_else(|| HOST.to_owned(), |machine| machine.gpu.architecture());
    let problem = |problem| Stop::Problems(vec![problem]);
    let commands: Vec<Vec<String>> =
        job.rows.iter().map(|row| program.command(row, &architecture)).collect::<Result<_, _>>().map_err(problem)?;
    let build = program.build(&architecture).map_err(problem)?;
    let chosen = run::chosen(job.rows.iter().map(|row| row.label.as_str()), &job.sweep.name, settings.only_rows)?;
    let folder = settings.workspace.join("program");
    lay_out(&program.files, &folder)?;
    let shell = Shell { folder: &folder, environment: place.environment };
    if !build.is_empty() {
        progress.phase("building");
    }
    let built = Built::by(&build, &shell, &settings.anonymous)?;
    progress.compiled(&built.logs);
    if settings.is_interrupted() {
        return Err(Stop::Interrupted { finished: 0 });
    }
    let rows: Vec<RowPlan> = job.rows.iter().zip(&commands).map(|(row, command)| planned(row, command.clone())).collect();
    let rounds = place.rounds.unwrap_or(program.rounds);
    let header = header(job, program, place.machine, settings, (architecture, built, rounds));
    let mut journal = settings.begin(header, rows, progress)?;
    let tasks = Tasks { job, program, commands: &commands, chosen: &chosen, rounds, shell };
    let came = tasks.run(settings, &mut journal, progress);
    settings.close(run::whole(journal, came)?, name::FOLDER)
}

/// What there is to run.
struct Tasks<'a> {
    job: &'a Job,
    program: &'a ProgramJob,
    commands: &'a [Vec<String>],
    /// Whether each row is wanted.
    chosen: &'a [bool],
    rounds: u32,
    shell: Shell<'a>,
}

impl Tasks<'_> {
    /// Runs what `journal` lacks; whether it came to the end, which an interrupt prevents.
    fn run(&self, settings: &Settings<'_>, journal: &mut Journal, progress: &mut dyn Progress) -> anyhow::Result<bool> {
        let finished: BTreeSet<(u32, u32)> = journal.record().in_order().collect();
        let seed = journal.record().header.order_seed;
        progress.rounds(self.chosen.iter().filter(|&&chosen| chosen).count(), self.rounds, finished.len());
        for round in 1..=self.rounds {
            for row in order(seed, round, self.commands.len() as u32) {
                let index = row as usize;
                let wanted = self.chosen.get(index).copied().unwrap_or(false) && !finished.contains(&(round, row));
                let (Some(command), Some(planned)) = (self.commands.get(index).filter(|_| wanted), self.job.rows.get(index)) else {
                    continue;
                };
                if settings.is_interrupted() {
                    return Ok(false);
                }
                let printed = self.shell.run(command, Duration::from_secs(self.program.limit_s.into()));
                let output = output((round, row), printed, self.program.limit_s, &settings.anonymous);
                progress.row(round, &planned.label, &output.outcome);
                journal.add_output(output)?;
            }
        }
        Ok(true)
    }
}

/// Puts `files` into the fresh folder `folder`.
fn lay_out(files: &BTreeMap<String, String>, folder: &Path) -> anyhow::Result<()> {
    for (name, text) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// What building said.
#[derive(Default)]
struct Built {
    commands: Vec<String>,
    logs: BTreeMap<String, String>,
    toolkit: Option<String>,
    host_compiler: Option<String>,
}

impl Built {
    /// Runs the commands of `build`.
    fn by(build: &[Vec<String>], shell: &Shell<'_>, anonymous: &Anonymous) -> Result<Self, Stop> {
        let mut built = Self::default();
        let mut log = String::new();
        for command in build {
            let compiler = command.first().map(String::as_str).unwrap_or_default();
            let printed = shell.run(command, BUILD_LIMIT);
            log.push_str(&anonymous.text(&printed.stdout));
            log.push_str(&anonymous.text(&printed.stderr));
            match printed.ended {
                Ended::Exit(0) => {}
                Ended::NotStarted(why) => {
                    let remedy = "Install it, or give another `build` in the manifest".to_owned();
                    return Err(DeviceError::Missing { what: compiler.to_owned(), why, remedy }.into());
                }
                _ => return Err(DeviceError::Compile { compiler: compiler.to_owned(), log }.into()),
            }
            built.commands.push(command.join(" "));
            if COMPILERS.contains(&compiler) {
                let version = version(compiler, shell).map(|version| anonymous.text(&version));
                let field = if compiler == "nvcc" { &mut built.toolkit } else { &mut built.host_compiler };
                *field = field.take().or(version);
            }
        }
        if !log.is_empty() {
            built.logs.insert("build".to_owned(), log);
        }
        Ok(built)
    }
}

/// The version of `compiler`: nvcc's by its number, another's by its first line.
fn version(compiler: &str, shell: &Shell<'_>) -> Option<String> {
    let printed = shell.run(&[compiler.to_owned(), "--version".to_owned()], VERSION_LIMIT);
    let line = match compiler {
        "nvcc" => printed.stdout.lines().find_map(|line| line.split_once(", V").map(|(_, version)| version)),
        _ => printed.stdout.lines().next(),
    };
    line.map(|line| line.trim().to_owned()).filter(|line| printed.ended == Ended::Exit(0) && !line.is_empty())
}

fn planned(row: &crate::plan::PlannedRow, command: Vec<String>) -> RowPlan {
    let values = row.values.iter().map(|(name, value)| (name.clone(), value.to_exact_text()));
    let (label, values) = (row.label.clone(), values.collect());
    RowPlan { label, values, launch: None, residency: None, launches_per_sample: 1, command, skipped: None, data: 0, reads: Vec::new() }
}

fn header(
    job: &Job,
    program: &ProgramJob,
    machine: Option<&Machine>,
    settings: &Settings<'_>,
    (architecture, built, rounds): (String, Built, u32),
) -> Header {
    let mut unknown = machine.map(|machine| machine.unknown.clone()).unwrap_or_default();
    let circumstance = match machine {
        Some(machine) => machine.circumstance.clone(),
        None => machine::circumstance(HOST, &mut unknown),
    };
    let (commit, dirty) = course_state::commit(settings.root, &mut unknown);
    let mut missing = |is_missing: bool, name: &str, why: &str| {
        if is_missing {
            unknown.entry(name.to_owned()).or_insert_with(|| why.to_owned());
        }
    };
    missing(true, "nvrtc", "a program brings its own code");
    missing(true, "memory_clock_mhz", "a program is not put under load before its rounds");
    missing(built.toolkit.is_none(), "toolkit", "no nvcc was used");
    missing(built.host_compiler.is_none(), "host_compiler", "no host compiler was called");
    // A round is one process, which is all that is known of how its program times itself.
    let timing = TimingPolicy { cache: CachePolicy::Warm, rounds, samples: 1, warmup_ms: 0, limit_s: program.limit_s, time: true };
    let identity = Identity {
        gpu: machine.map(|machine| machine.gpu.clone()),
        memory_clock_mhz: None,
        driver_branch: machine.and_then(|machine| machine.driver_branch.clone()),
        driver_cuda: machine.and_then(|machine| machine.driver_cuda.clone()),
        nvrtc: None,
        toolkit: built.toolkit,
        disassembler: None,
        profiler: None,
        host_compiler: built.host_compiler,
        architecture,
        compile_options: built.commands,
        fingerprint: job.fingerprint.digest,
        buffers: Vec::new(),
        inputs: Vec::new(),
        other_data: Vec::new(),
        check: None,
        timing,
        flush_bytes: None,
    };
    Header {
        version: VERSION,
        sweep: job.sweep.name.clone(),
        kind: RunKind::Program,
        device: machine.map_or_else(|| HOST.to_owned(), |machine| machine.gpu.slug()),
        started: (settings.now)(),
        identity,
        circumstance: Circumstance { commit, dirty, only_rows: settings.only_rows.to_vec(), ..circumstance },
        order_seed: settings.seed,
        fingerprint_lines: job.fingerprint.lines.clone(),
        code: program.code.clone(),
        logs: built.logs,
        unknown,
    }
}

/// What `printed` comes to.
fn output((round, row): (u32, u32), printed: Printed, limit_s: u32, anonymous: &Anonymous) -> Output {
    let last =
        printed.stderr.lines().rev().find(|line| !line.trim().is_empty()).map(|line| format!("; {}", line.trim())).unwrap_or_default();
    let outcome = match &printed.ended {
        Ended::Exit(0) => Outcome::Ok,
        Ended::Exit(code) => Outcome::Runtime(format!("exit code {code}{last}")),
        Ended::Signal(signal) => Outcome::Runtime(format!("ended by signal {signal}{last}")),
        Ended::TooMuch => Outcome::Runtime(format!("it printed more than {MOST_BYTES} bytes and was ended")),
        Ended::TimedOut => Outcome::Timeout(format!("over its limit of {limit_s} s; it was ended")),
        Ended::NotStarted(why) => Outcome::Launch(why.clone()),
    };
    let exit = if let Ended::Exit(code) = printed.ended { Some(code) } else { None };
    let outcome = outcome.map_why(|why| anonymous.text(why));
    Output { round, row, outcome, exit, stdout: anonymous.text(&printed.stdout), stderr: anonymous.text(&printed.stderr) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_is_an_outcome_and_only_zero_is_ok() {
        let of = |ended: Ended| {
            let printed = Printed { ended, stdout: "at /home/ada/x\n".to_owned(), stderr: "a\nno device\n\n".to_owned() };
            let output = output((2, 1), printed, 30, &Anonymous::default());
            assert_eq!((output.round, output.row, output.stdout.as_str()), (2, 1, "at x\n"));
            (output.outcome.word(), output.outcome.why().unwrap_or_default().to_owned(), output.exit)
        };
        assert_eq!(of(Ended::Exit(0)), ("ok", String::new(), Some(0)));
        assert_eq!(of(Ended::Exit(3)), ("runtime", "exit code 3; no device".to_owned(), Some(3)));
        assert_eq!(of(Ended::Signal(11)), ("runtime", "ended by signal 11; no device".to_owned(), None));
        assert_eq!(of(Ended::TooMuch), ("runtime", "it printed more than 262144 bytes and was ended".to_owned(), None));
        assert_eq!(of(Ended::TimedOut), ("timeout", "over its limit of 30 s; it was ended".to_owned(), None));
        assert_eq!(of(Ended::NotStarted("there is no program `x`".to_owned())), ("launch", "there is no program `x`".to_owned(), None));
    }
}
