//! Turns what driver and GPU say of themselves into findings.
//!
//! Must not open a device in this process: a worker does.

use crate::device::choice::GpuChoice;
use crate::device::{DeviceError, Machine};
use crate::measure::{Stop, planning};

use super::super::measure::devices;
use super::{Finding, State};

/// What is known of the device, and whether it answers.
pub(super) fn machine(fake: bool, gpu: Option<&GpuChoice>) -> (Vec<Finding>, bool) {
    let mut workers = if fake { devices::plain_fake() } else { devices::cuda(gpu) };
    let answer = (workers.start)(0).map_err(Stop::from).and_then(|mut worker| planning::machine(&mut worker));
    match answer {
        Ok(machine) => (described(&machine), true),
        Err(stop) => (vec![absent(stop)], false),
    }
}

fn absent(stop: Stop) -> Finding {
    let finding = match stop {
        Stop::Device(DeviceError::Missing { what, why, remedy }) => {
            Finding::new("device", State::Missing, format!("{what} is missing: {why}")).remedy(remedy)
        }
        stop => Finding::new("device", State::Missing, format!("{:#}", stop.into_error())),
    };
    finding.needed()
}

fn described(machine: &Machine) -> Vec<Finding> {
    let (gpu, circumstance) = (&machine.gpu, &machine.circumstance);
    let mig = gpu.mig.as_ref().map(|profile| format!(", MIG {profile}")).unwrap_or_default();
    let mut findings = vec![Finding::ok(
        "device",
        format!(
            "{}{mig}: compute capability {}.{}, {} SMs, {:.1} GiB, published as `{}`",
            gpu.name,
            gpu.compute_capability.0,
            gpu.compute_capability.1,
            gpu.sms,
            gpu.memory_bytes as f64 / f64::from(1 << 30),
            gpu.slug()
        ),
    )];
    let unknown = |field: &str| machine.unknown.get(field).cloned().unwrap_or_else(|| "not told".to_owned());
    let told = |name: &'static str, value: Option<String>, field: &str| match value {
        Some(value) => Finding::ok(name, value),
        None => Finding::new(name, State::Unknown, unknown(field)),
    };
    let cuda = machine.driver_cuda.as_ref().map(|version| format!(", CUDA {version}")).unwrap_or_default();
    findings.push(told("driver", circumstance.driver.as_ref().map(|version| format!("{version}{cuda}")), "driver"));
    findings.push(told("clock limits", circumstance.clock_locks.clone(), "clock_locks"));
    findings.push(told("power limit", circumstance.power_limit_mw.map(|limit| format!("{} W", limit / 1000)), "power_limit_mw"));
    findings.push(match circumstance.persistence {
        Some(true) => Finding::ok("persistence", "on"),
        Some(false) => Finding::new("persistence", State::Poor, "off: the driver starts anew with each process")
            .remedy("`nvidia-smi -pm 1` as root keeps it, and rounds start faster"),
        None => Finding::new("persistence", State::Unknown, unknown("persistence")),
    });
    findings.push(if circumstance.busy.is_empty() {
        match circumstance.other_processes {
            Some(_) => Finding::ok("idle", "no other process uses the device"),
            None => Finding::new("idle", State::Unknown, unknown("other_processes")),
        }
    } else {
        Finding::new("idle", State::Poor, circumstance.busy.join("; "))
            .remedy("Wait until it is idle, or choose another one with --gpu: `measure` refuses a busy one")
    });
    findings
}
