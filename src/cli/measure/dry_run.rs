//! Turns jobs into what measuring them would take: rows and processes, time, memory of the device and of the host.
//!
//! Must not need a device; what only a device knows is taken from its last run, or left out and said to be.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::course::sweep::CachePolicy;
use crate::device::canary::copied_bytes;
use crate::device::{evicted_bytes, fake};
use crate::evidence::canary::Canary;
use crate::evidence::{Current, effort};
use crate::measure::journal;
use crate::plan::launch::{BufferPlan, Check, Data, DeviceFacts};
use crate::plan::{Job, KernelJob, Work};

use super::Arguments;
use super::course::Studied;
use super::devices::DeviceChoice;

/// Words for `jobs`, each as `arguments` would have it measured.
pub(super) fn dry_run(studied: &Studied, jobs: &[std::sync::Arc<Job>], arguments: &Arguments) -> String {
    let fake = ["fake".to_owned()];
    let devices = if arguments.device == DeviceChoice::Fake { &fake[..] } else { &studied.course.config.devices[..] };
    let mut text = String::new();
    for job in jobs {
        let Some(kernel) = job.kernel() else {
            let what = match &job.work {
                Work::Profile(profile) => {
                    format!("{} rows of {} under ncu, {} launches each", job.rows.len(), profile.of.sweep.name, profile.launches)
                }
                Work::Program(program) => {
                    let rounds = arguments.rounds.unwrap_or(program.rounds);
                    let (processes, limit) = (rounds as usize * job.rows.len(), program.limit_s);
                    let gpu = if program.host { "no GPU" } else { "on a GPU" };
                    format!("a program, {gpu}: {processes} processes in {rounds} rounds, each {limit} s at most")
                }
                Work::Kernel(_) | Work::Compile(_) => "compiled and launched nowhere: no GPU, seconds".to_owned(),
            };
            let _ = writeln!(text, "{}: {}\n  {what}", job.sweep.name, job.sweep.title);
            continue;
        };
        let rounds = arguments.rounds.unwrap_or(kernel.timing.rounds);
        let rows = job.rows.iter().filter(|row| arguments.rows.is_empty() || arguments.rows.contains(&row.label)).count();
        let (samples, cache) = (kernel.timing.samples, kernel.timing.cache.name());
        let _ = writeln!(text, "{}: {}", job.sweep.name, job.sweep.title);
        // Planning and sizing have a process each, too.
        let processes = rounds + 2;
        let _ = writeln!(
            text,
            "  {rows} row{} in {rounds} rounds of {samples} samples, {cache} cache; {processes} processes, more after faults",
            if rows == 1 { "" } else { "s" }
        );
        for device in devices {
            one(&mut text, studied, job, kernel, device, (rows, rounds), arguments);
        }
        if devices.is_empty() {
            let _ = writeln!(text, "  on any device: {}", least_time(kernel, rows, rounds));
        }
        memory(&mut text, studied, job, kernel, devices);
    }
    text
}

/// What `job` would do on `device`, and how long that would take.
fn one(
    text: &mut String,
    studied: &Studied,
    job: &Job,
    kernel: &KernelJob,
    device: &str,
    (rows, rounds): (usize, u32),
    arguments: &Arguments,
) {
    let name = &job.sweep.name;
    if let (Current::Fresh(run), false) = (studied.evidence.current(job, device), arguments.force || !arguments.rows.is_empty()) {
        let _ = writeln!(text, "  {device}: nothing to do, {} is current; --force would measure again", run.name);
        return;
    }
    let cut_short = journal::cut_short(&studied.folder.root, name, device).filter(|_| arguments.rows.is_empty() && !arguments.anew);
    let whole = rows as f64 * f64::from(rounds);
    let done = cut_short.map_or(0.0, |(done, _)| done as f64);
    let last = studied.evidence.history(name, device).filter(|run| run.is_complete()).last();
    let before = last.and_then(|run| {
        let took = effort::wall(&run.record)?;
        let results = run.record.results.len() as f64;
        (results > 0.0).then(|| (took.mul_f64((whole - done).max(0.0) / results), run))
    });
    let time = match before {
        Some((took, run)) => format!("about {}, going by {}", duration_text(took), run.name),
        None => least_time(kernel, rows, rounds),
    };
    let go_on = cut_short.map(|(done, all)| format!("goes on with a run that was cut short at {done} of {all} rows; "));
    let _ = writeln!(text, "  {device}: {}{time}", go_on.unwrap_or_default());
}

/// What warm-up takes at least, where no run says more.
fn least_time(kernel: &KernelJob, rows: usize, rounds: u32) -> String {
    let warmup = Duration::from_millis(kernel.timing.warmup_ms.into()).saturating_mul(rounds);
    // The canaries are warmed up as rows are.
    let least = warmup.saturating_mul(u32::try_from(rows + Canary::ALL.len()).unwrap_or(u32::MAX));
    format!("at least {} for warm-up alone; no run says how much more", duration_text(least))
}

/// What the buffers of `kernel` take on the device, in memory of the host, and on its disk.
fn memory(text: &mut String, studied: &Studied, job: &Job, kernel: &KernelJob, devices: &[String]) {
    let buffers = device_bytes(kernel);
    // Inputs and references of one size after the other; each stays on disk.
    let of_host = kernel.data.iter().map(host_bytes);
    let (at_once, on_disk) = of_host.fold((0_u64, 0_u64), |(most, sum), bytes| (most.max(bytes), sum.saturating_add(bytes)));
    let known = devices.iter().find_map(|device| facts(studied, &job.sweep.name, device).map(|facts| (device, facts)));
    let flush = match known {
        Some((device, facts)) => format!(
            " and {} to read the cache of {device} out, and {} for its canaries where they are free",
            bytes_text(evicted_bytes(&facts)),
            bytes_text(2 * copied_bytes(&facts))
        ),
        None if kernel.timing.cache == CachePolicy::Cold => " and twice its second-level cache".to_owned(),
        None => String::new(),
    };
    let _ = writeln!(text, "  memory of the device: {} for buffers{flush}", bytes_text(buffers));
    let _ = writeln!(
        text,
        "  of the host: {} while inputs are made, and {} on disk, in the folder for temporary files",
        bytes_text(at_once),
        if on_disk == at_once { "as much".to_owned() } else { bytes_text(on_disk) }
    );
}

/// What the buffers of `kernel` take on the device.
pub(in super::super) fn device_bytes(kernel: &KernelJob) -> u64 {
    // A buffer that a launch overwrites is kept a second time, to be restored.
    let copies = |buffer: &BufferPlan| if buffer.role.is_input() && buffer.role.is_output() { 2 } else { 1 };
    let mut largest: BTreeMap<&str, u64> = BTreeMap::new();
    for buffer in kernel.data.iter().flat_map(|data| &data.buffers) {
        let bytes = largest.entry(&buffer.name).or_default();
        *bytes = (*bytes).max(buffer.bytes().saturating_mul(copies(buffer)));
    }
    largest.into_values().fold(0, u64::saturating_add)
}

/// What the inputs and the expected outputs of `data` take.
fn host_bytes(data: &Data) -> u64 {
    let is_referenced = matches!(data.check, Some(Check::Reference { .. }));
    let copies = |buffer: &BufferPlan| u64::from(buffer.role.is_input()) + u64::from(is_referenced && buffer.role.is_output());
    data.buffers.iter().fold(0, |sum, buffer| sum.saturating_add(buffer.bytes().saturating_mul(copies(buffer))))
}

/// What is known of `device`, from the last run of `sweep` on it.
fn facts(studied: &Studied, sweep: &str, device: &str) -> Option<DeviceFacts> {
    let last = studied.evidence.history(sweep, device).last().and_then(|run| run.record.header.identity.gpu.clone());
    last.or_else(|| (device == fake::facts().slug()).then(fake::facts))
}

/// `90 s`, `12 min`, as one says it.
pub(in super::super) fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 120.0 { format!("{} s", seconds.ceil()) } else { format!("{} min", (seconds / 60.0).ceil()) }
}

/// Bytes in the largest binary unit that leaves at least one of it.
pub(in super::super) fn bytes_text(bytes: u64) -> String {
    let units = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => format!("{:.1} {unit}", bytes as f64 / size as f64),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_bytes_are_said_in_a_size_one_can_grasp() {
        let times = [(0, "0 s"), (1_200, "2 s"), (119_000, "119 s"), (121_000, "3 min"), (3_600_000, "60 min")];
        for (milliseconds, expected) in times {
            assert_eq!(duration_text(Duration::from_millis(milliseconds)), expected);
        }
        for (bytes, expected) in [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (16 << 20, "16.0 MiB"), (5 << 29, "2.5 GiB")] {
            assert_eq!(bytes_text(bytes), expected);
        }
    }
}
