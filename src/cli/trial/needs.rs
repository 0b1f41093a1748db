//! Turns the sweeps of a lesson into what measuring them takes: time, and what a machine must have.
//!
//! Must not need a device.

use std::sync::Arc;
use std::time::Duration;

use crate::course::lesson::Lesson;
use crate::evidence::effort;
use crate::plan::{Job, Work};
use crate::rules::report::plural;

use super::super::measure::course::Studied;
use super::super::measure::dry_run::{bytes_text, device_bytes, duration_text};
use super::super::measure::one::Manner;

/// Why `lesson` can't be tried on this machine, in one message: what is wrong, and what trying it would take.
pub(super) fn lacking(studied: &Studied, lesson: &Lesson, jobs: &[Arc<Job>], manner: &Manner<'_>, why: &anyhow::Error) -> String {
    let names: Vec<&str> = jobs.iter().map(|job| job.sweep.name.as_str()).collect();
    let time = time(studied, jobs, manner).map(|time| format!(", in about {}", duration_text(time))).unwrap_or_default();
    format!(
        "there is no GPU here to try {} on: {}\nIt would measure {}{time}: {}\nand needs {}.\n`lessonc doctor` says what this machine has.",
        lesson.name,
        format!("{why:#}").trim_end_matches('.'),
        plural(jobs.len(), "sweep"),
        names.join(", "),
        needs(jobs).join("; ")
    )
}

/// What a machine must have for `jobs`.
fn needs(jobs: &[Arc<Job>]) -> Vec<String> {
    let has = |is: fn(&Work) -> bool| jobs.iter().any(|job| is(&job.work));
    let memory = jobs.iter().filter_map(|job| job.kernel()).map(device_bytes).max();
    let memory = memory.map(|bytes| format!(" with {} of free memory", bytes_text(bytes))).unwrap_or_default();
    let mut needs = vec![format!("an NVIDIA GPU{memory}, and its driver (570 or newer)")];
    if has(|work| matches!(work, Work::Kernel(_) | Work::Profile(_) | Work::Compile(_))) {
        needs.push("NVRTC (from the CUDA toolkit, or `pip install nvidia-cuda-nvrtc`)".to_owned());
    }
    if jobs.iter().filter_map(|job| job.kernel()).any(|kernel| !kernel.code.host.is_empty()) {
        needs.push("a C++ compiler".to_owned());
    }
    if has(|work| matches!(work, Work::Program(program) if !program.host)) {
        needs.push("nvcc (of the CUDA toolkit)".to_owned());
    }
    if has(|work| matches!(work, Work::Profile(_))) {
        needs.push("Nsight Compute (ncu), with leave to read counters".to_owned());
    }
    needs
}

/// How long measuring `jobs` takes, going by the runs that there are; `None` where one has none.
pub(super) fn time(studied: &Studied, jobs: &[Arc<Job>], manner: &Manner<'_>) -> Option<Duration> {
    let one = |job: &Arc<Job>| {
        let last = studied.evidence.runs.get(&job.sweep.name)?.iter().rfind(|run| run.is_complete())?;
        let rounds = f64::from(last.record.header.identity.timing.rounds.max(1));
        let wanted = if job.rounds() > 1 { manner.rounds.unwrap_or(job.rounds()) } else { 1 };
        Some(effort::wall(&last.record)?.mul_f64(f64::from(wanted) / rounds))
    };
    jobs.iter().map(one).sum()
}
