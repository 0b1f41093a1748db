//! Turns a sweep that was just saved into a private run of few rounds, for the preview.
//!
//! Must not let such a run be more than a look: it replaces the one before, and says itself that it is no evidence.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};

use crate::base::problem::Problem;
use crate::base::statistics::LEAST_ROUNDS;
use crate::device::choice::GpuChoice;
use crate::device::{DeviceError, Machine};
use crate::evidence::name;
use crate::evidence::record::{Outcome, Private};
use crate::measure::journal::Written;
use crate::measure::lock::CourseLock;
use crate::measure::side::side;
use crate::measure::{Progress, Stop, compile_log};
use crate::plan::Job;
use crate::serve::Measuring;

use super::course::Studied;
use super::devices::DeviceChoice;
use super::one::{self, Manner};
use crate::cli::settings::CourseArgument;

/// The folder of such runs, beside those of readers.
const FOLDER: &str = "preview";

/// Measures sweeps as they are saved.
struct Bench {
    course: CourseArgument,
    device: DeviceChoice,
    gpu: Option<GpuChoice>,
    machine: Option<Machine>,
    home: PathBuf,
}

/// Who measures what is saved in `course`, on `device`.
///
/// # Errors
/// Where the course's sweeps need a GPU, and there is none.
pub(in super::super) fn measuring(course: &CourseArgument, device: &DeviceChoice, gpu: Option<&GpuChoice>) -> Result<Measuring> {
    if let DeviceChoice::Replay(_) = device {
        bail!("a replay measures nothing");
    }
    let studied = Studied::read(course)?;
    let home = side(&studied.folder.root, FOLDER)?;
    let mut bench = Bench { course: course.clone(), device: device.clone(), gpu: gpu.cloned(), machine: None, home: home.clone() };
    let needing = studied.plan.jobs.values().filter(|job| job.needs_gpu()).find_map(one::launched);
    if let Some(job) = needing {
        let machine = one::machine(&studied, job, &bench.manner(&AtomicBool::new(false)));
        bench.machine = match machine.map_err(Stop::into_error) {
            Ok(machine) => Some(machine),
            Err(error) => bail!("there is no GPU here for --measure: {error:#}. Without --measure the preview needs none"),
        };
    }
    let device = bench.machine.as_ref().map(|machine| machine.gpu.slug()).unwrap_or_default();
    Ok(Measuring { home, device, measure: Box::new(move |sweep, stop| bench.measure(sweep, stop)) })
}

impl Bench {
    fn manner<'a>(&'a self, stop: &'a AtomicBool) -> Manner<'a> {
        Manner {
            device: &self.device,
            gpu: self.gpu.as_ref(),
            rounds: Some(LEAST_ROUNDS as u32),
            rows: &[],
            // The browser that shows the preview may well be on the same card.
            allow_busy: true,
            anew: true,
            home: &self.home,
            private: Some(Private::Preview),
            interrupted: stop,
        }
    }

    /// Measures `sweep` as it lies on the disk; what is wrong with it.
    fn measure(&self, sweep: &str, stop: &AtomicBool) -> Vec<Problem> {
        match self.run(sweep, stop) {
            Ok(problems) => problems,
            Err(error) => {
                say(&format!("{sweep}: no preview: {error:#}\n"));
                Vec::new()
            }
        }
    }

    fn run(&self, sweep: &str, stop: &AtomicBool) -> Result<Vec<Problem>> {
        let studied = Studied::read(&self.course)?;
        // It may be gone again.
        let Some(job) = studied.plan.jobs.get(sweep) else { return Ok(Vec::new()) };
        let _lock = CourseLock::take(&studied.folder.root)?;
        say(&format!("{sweep}: measuring a preview\n"));
        let machine = self.machine.as_ref().filter(|_| job.needs_gpu());
        match one::measure(&studied, job, machine, None, &self.manner(stop), &mut Quiet) {
            Ok(written) => {
                forget_others(&self.home, &written)?;
                say(&format!("{sweep}: the preview is measured\n"));
                Ok(Vec::new())
            }
            Err(stop) => stopped(&studied, job, stop),
        }
    }
}

/// What stands in the way of `job`, as problems of the author's files where they are that.
fn stopped(studied: &Studied, job: &Arc<Job>, stop: Stop) -> Result<Vec<Problem>> {
    match stop {
        Stop::Interrupted { .. } => Ok(Vec::new()),
        Stop::Problems(problems) => Ok(problems),
        Stop::Device(DeviceError::Compile { compiler, log }) => {
            say(&format!("{}: {compiler} does not compile it\n", job.sweep.name));
            Ok(compile_log::problems(&compiler, &log, job.source(), &studied.tree))
        }
        stop => Err(stop.into_error()),
    }
}

/// Removes the previews of the sweep of `written` before it: each is worth nothing once there is another.
fn forget_others(home: &Path, written: &Written) -> Result<()> {
    let folder = home.join(name::FOLDER).join(&written.record.header.sweep);
    let keep = [&written.record_name, &written.transcript_name].map(|name| home.join(name));
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        if !keep.contains(&path) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Says it on the terminal of the preview; a closed one is no reason to stop.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Hears how a run goes on, and keeps it to itself.
struct Quiet;

impl Progress for Quiet {
    fn phase(&mut self, _: &str) {}
    fn rounds(&mut self, _: usize, _: u32, _: usize) {}
    fn row(&mut self, _: u32, _: &str, _: &Outcome) {}
    fn note(&mut self, _: &str) {}
}
