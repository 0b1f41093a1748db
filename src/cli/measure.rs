//! `lessonc measure`: turns sweeps that have no current run into runs, on a GPU or on a stand-in.
//!
//! Must not know what a run is for. This command runs code of the course: kernels on the device and host regions in
//! processes of their own.

mod check;
mod compiled;
pub(super) mod course;
pub(super) mod devices;
pub(super) mod dry_run;
mod fake;
pub(super) mod interrupt;
mod list;
pub(super) mod one;
pub(super) mod preview;
mod profiled;
mod program;
mod progress;
mod renewed;
mod replay;
mod sign;
pub(super) mod telling;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};

use crate::base::name::did_you_mean;
use crate::base::problem::Problems;
use crate::base::statistics::LEAST_ROUNDS;
use crate::claims;
use crate::device::Machine;
use crate::device::choice::GpuChoice;
use crate::evidence::record::Outcome;
use crate::evidence::{Current, Run, drift};
use crate::measure::journal::Written;
use crate::measure::lock::CourseLock;
use crate::measure::{Progress, Stop};
use crate::plan::{Job, Work};

use self::course::Studied;
pub(super) use self::devices::{DeviceChoice, ProcessArguments, serve_requests};
use self::interrupt::{INTERRUPTED, heed_interrupts};
use self::one::Manner;
pub(super) use self::profiled::{ProfileArguments, launch_for_profiler};
use self::telling::{partial, summary};
use super::settings::CourseArgument;
use super::{Ending, Terminal};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "A run that was cut short is gone on with by the same command. A record keeps the course's commit; where the course \
    was copied without its history, set LESSONC_COMMIT to what `git describe --always --abbrev=40 --dirty` prints in the original."
)]
pub(super) struct Arguments {
    /// Sweeps to measure; by default all that have no current run on the device
    #[arg(value_name = "SWEEP")]
    sweeps: Vec<String>,
    #[command(flatten)]
    course: CourseArgument,
    /// What to measure on: `cuda`, `fake`, or `replay:RUN` for a record of the course
    #[arg(long, value_name = "DEVICE", default_value = "cuda")]
    device: DeviceChoice,
    /// Which GPU: its number among those that CUDA shows, or its UUID as `nvidia-smi -L` prints it
    #[arg(long, value_name = "N|UUID")]
    gpu: Option<GpuChoice>,
    /// Rounds, 5 at least; by default what each sweep says. A run of fewer is for a look, and never current
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(LEAST_ROUNDS as i64..=1000))]
    rounds: Option<u32>,
    /// Measure these rows of a sweep only, for a look; the run is marked incomplete and never current
    #[arg(long, value_name = "LABEL,…", value_delimiter = ',')]
    rows: Vec<String>,
    /// Show the sweeps, their rows and what is current, and measure nothing; needs no GPU
    #[arg(long)]
    list: bool,
    /// Say what would run, how long it would take and how much memory, and measure nothing; needs no GPU
    #[arg(long, conflicts_with = "list")]
    dry_run: bool,
    /// Launch each row once, check what it leaves, and time and keep nothing; needs a device, and works under a sanitizer
    #[arg(long, conflicts_with_all = ["list", "dry_run", "force", "anew", "rounds", "allow_busy"])]
    check: bool,
    /// Write anew the transcripts that are not what their records give, after a new lessonc changed their form, and measure
    /// nothing; needs no GPU
    #[arg(long, conflicts_with_all = ["list", "dry_run", "check", "force", "anew", "rows", "rounds", "gpu", "allow_busy"])]
    transcripts: bool,
    /// Measure again what has a current run
    #[arg(long)]
    force: bool,
    /// Begin anew where a run was cut short; its finished rows go into the evidence, marked incomplete
    #[arg(long)]
    anew: bool,
    /// Measure on a GPU that others use; the record says so
    #[arg(long)]
    allow_busy: bool,
    /// Sign the new records with an SSH key, as `ssh-keygen -Y sign -n lessonc-evidence` does; by default the one in ~/.ssh. A key with
    /// a passphrase, in an agent or in hardware is used through ssh-keygen
    #[arg(long, value_name = "KEY", num_args = 0..=1, require_equals = true, conflicts_with_all = ["list", "dry_run", "transcripts", "check"])]
    sign: Option<Option<PathBuf>>,
}

impl Arguments {
    /// How runs are made that become evidence of the course `studied`.
    fn manner<'a>(&'a self, studied: &'a Studied) -> Manner<'a> {
        Manner {
            device: &self.device,
            gpu: self.gpu.as_ref(),
            rounds: self.rounds,
            rows: &self.rows,
            allow_busy: self.allow_busy,
            anew: self.anew,
            home: &studied.folder.root,
            private: None,
            interrupted: &INTERRUPTED,
        }
    }
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let studied = Studied::read(&arguments.course)?;
    for name in &arguments.sweeps {
        if !studied.course.sweeps.contains_key(name) && !studied.course.unread.contains(name) {
            let hint = did_you_mean(name, studied.course.sweeps.keys().map(String::as_str)).unwrap_or_default();
            bail!("there is no sweep `{name}` in this course; {hint}");
        }
    }
    if arguments.transcripts {
        return renewed::renew(&studied, &arguments.sweeps, terminal);
    }
    let hindrances = studied.hindrances();
    if !hindrances.is_empty() {
        studied.report(&hindrances, terminal)?;
    }
    let unplanned = studied.course.sweeps.keys().chain(studied.course.unread.iter()).filter(|name| !studied.plan.jobs.contains_key(*name));
    let lost: Vec<&String> = unplanned.filter(|name| arguments.sweeps.is_empty() || arguments.sweeps.contains(name)).collect();
    let ending = if lost.is_empty() && hindrances.is_empty() { Ending::Fine } else { Ending::Problems };
    for name in lost {
        writeln!(terminal.err, "{name}: can't be planned as it is")?;
    }
    let chosen = |name: &str| arguments.sweeps.is_empty() || arguments.sweeps.iter().any(|wanted| wanted == name);
    let jobs: Vec<Arc<Job>> = studied.plan.jobs.iter().filter(|(name, _)| chosen(name)).map(|(_, job)| job.clone()).collect();
    if arguments.list {
        terminal.out.write_all(list::list(&studied, &jobs).as_bytes())?;
        return Ok(ending);
    }
    if arguments.dry_run {
        terminal.out.write_all(dry_run::dry_run(&studied, &jobs, arguments).as_bytes())?;
        return Ok(ending);
    }
    if arguments.gpu.is_some() && arguments.device != DeviceChoice::Cuda {
        bail!("--gpu chooses among GPUs, and this device is none");
    }
    // A check keeps nothing that an interrupt could spoil, and ends at once.
    if !arguments.check {
        heed_interrupts();
    }
    match &arguments.device {
        DeviceChoice::Replay(_) if arguments.check => bail!("--check launches kernels, and a replay launches none"),
        DeviceChoice::Replay(name) => replay::replay(&studied, name, arguments, terminal),
        device => {
            let signer = arguments.sign.as_ref().map(|key| sign::Signer::open(key.as_deref())).transpose()?;
            if *device == DeviceChoice::Fake {
                let mut problems = Problems::new();
                jobs.iter().for_each(|job| _ = fake::read(&studied.tree, job, &mut problems));
                if !problems.is_empty() {
                    studied.report(&problems.sorted(), terminal)?;
                    return Ok(Ending::Problems);
                }
            }
            if arguments.check {
                return Ok(ending.and(check::check_all(&studied, &jobs, arguments, terminal)?));
            }
            let measured = measure_all(&studied, &jobs, arguments, terminal);
            // What was written before a run failed was measured all the same.
            let signed = signer.map_or(Ok(()), |signer| signer.sign_new(&studied, terminal));
            let ending = ending.and(measured?);
            signed?;
            terminal.out.write_all(studied.changes()?.as_bytes())?;
            Ok(ending)
        }
    }
}

/// Measures those of `jobs` that have no current run on the device, or all of them with `--force`.
fn measure_all(studied: &Studied, jobs: &[Arc<Job>], arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    if jobs.is_empty() {
        writeln!(terminal.err, "there is no sweep to measure: a sweep is a file kernels/NAME.toml")?;
        return Ok(Ending::Problems);
    }
    if !arguments.rows.is_empty() && jobs.len() > 1 {
        bail!("--rows needs one sweep, by name: {} have rows", jobs.len());
    }
    let _lock = CourseLock::take(&studied.folder.root)?;
    let mut ending = Ending::Fine;
    // What needs no GPU comes first, so that it is done where there is none.
    for job in jobs {
        let Work::Compile(compile) = &job.work else { continue };
        match compiled::run(studied, job, compile, arguments, terminal)? {
            Some(end) => ending = ending.and(end),
            None => return Ok(Ending::Problems),
        }
    }
    match program::without_gpu(studied, jobs, arguments, terminal)? {
        Some(all) => ending = ending.and(all),
        None => return Ok(Ending::Problems),
    }
    let Some(first) = jobs.iter().filter(|job| job.needs_gpu()).find_map(one::launched) else { return Ok(ending) };
    let machine = one::machine(studied, first, &arguments.manner(studied)).map_err(Stop::into_error)?;
    let device = machine.gpu.slug();
    if arguments.device == DeviceChoice::Cuda && !studied.course.config.devices.contains(&device) {
        writeln!(
            terminal.err,
            "{device} is not published yet: name it under [devices] in lessons/course.toml, `published = [\"{device}\"]`"
        )?;
    }
    for job in jobs.iter().filter(|job| job.needs_gpu()) {
        let before = studied.evidence.current(job, &device);
        let end = match &job.work {
            _ if program::is_current(studied, job, &device, arguments, terminal)? => End::Current,
            Work::Kernel(_) => {
                let current = if let Current::Fresh(run) = &before { Some(&**run) } else { None };
                measured(studied, job, Some(&machine), current, arguments, terminal)?
            }
            Work::Program(_) => program::run(studied, job, Some(&machine), arguments, terminal)?,
            Work::Profile(_) => measured(studied, job, Some(&machine), None, arguments, terminal)?,
            Work::Compile(_) => continue,
        };
        match end {
            End::Written(written) if matches!(job.work, Work::Profile(_)) => ending = ending.and(profiled::conclude(&written, terminal)?),
            End::Written(written) => {
                ending = ending.and(conclude(&written, job, terminal)?);
                compared(*written, job, &before, terminal)?;
            }
            End::Problems => ending = Ending::Problems,
            End::Current => {}
            End::Interrupted => return Ok(Ending::Problems),
        }
    }
    Ok(ending)
}

/// Prints what a run came to.
fn conclude(written: &Written, job: &Job, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let record = &written.record;
    summary(written, terminal)?;
    partial(record, terminal)?;
    if record.is_complete() && record.header.identity.timing.rounds < job.rounds() {
        let (rounds, all) = (record.header.identity.timing.rounds, job.rounds());
        writeln!(terminal.err, "{}: {rounds} of the sweep's {all} rounds; the run is kept, and is not current", record.header.sweep)?;
    }
    if (0..record.rows.len()).all(|row| record.outcomes_of(row).all(|(_, outcome)| *outcome != Outcome::Ok)) {
        writeln!(terminal.err, "{}: no row was ok in any round, so there is no evidence; the transcript says why", record.header.sweep)?;
        return Ok(Ending::Problems);
    }
    Ok(Ending::Fine)
}

/// Prints how a complete run compares with the one that counted before it. That says nothing of how measuring went.
fn compared(written: Written, job: &Job, before: &Current, terminal: &mut Terminal<'_>) -> Result<()> {
    // A run of other code can only have been made to see what the code's change does.
    let (run, across_code) = match before {
        Current::Fresh(run) => (run, false),
        Current::Stale(run) => (run, true),
        Current::Missing => return Ok(()),
    };
    if written.record.is_complete() {
        let comparison = claims::drift::compare(Some(job), run, &Arc::new(written.record), across_code);
        writeln!(terminal.out, "\n{}", drift::text(&comparison, &run.name, &written.record_name).trim_end())?;
    }
    Ok(())
}

/// What measuring a sweep came to.
enum End {
    Written(Box<Written>),
    /// To problems of the course, which were printed.
    Problems,
    /// To nothing: there is a run that counts.
    Current,
    /// To a stop that somebody asked for, which was acknowledged.
    Interrupted,
}

/// Measures `job`, on the GPU of `machine` where it is known; `recorded` is the run that counts until now.
fn measured(
    studied: &Studied,
    job: &Arc<Job>,
    machine: Option<&Machine>,
    recorded: Option<&Run>,
    arguments: &Arguments,
    terminal: &mut Terminal<'_>,
) -> Result<End> {
    let manner = arguments.manner(studied);
    told(studied, &job.sweep.name, job.source(), terminal, |progress| one::measure(studied, job, machine, recorded, &manner, progress))
}

/// Lets `work` measure `sweep`, whose code is from `source`, and says why if it comes to nothing.
fn told(
    studied: &Studied,
    sweep: &str,
    source: &str,
    terminal: &mut Terminal<'_>,
    work: impl FnOnce(&mut dyn Progress) -> Result<Written, Stop>,
) -> Result<End> {
    match telling::heard(studied, sweep, source, terminal, work) {
        Ok(written) => Ok(End::Written(Box::new(written))),
        Err(stop) => telling::stopped(studied, sweep, source, stop, terminal),
    }
}

#[cfg(test)]
mod tests;
