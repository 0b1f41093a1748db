//! Turns what NVIDIA's management library says of a GPU into circumstances and conditions; all of it optional.
//!
//! Must not fail a run: what can't be learned is left out, with its reason. The library is loaded at run time, and the device
//! found by UUID or PCI address, since its own numbering does not follow `CUDA_VISIBLE_DEVICES`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nvml_wrapper::Nvml;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, PerformanceState, TemperatureSensor};
use nvml_wrapper::error::NvmlError;

use super::Condition;
use super::choice::hyphenated;
use crate::base::digest::Digest;
use crate::evidence::record::Circumstance;

/// A device in use for this share of the time or more is busy; a desktop on it takes less.
const BUSY_PERCENT: u32 = 10;
/// Time between two looks at whether a device is idle.
const AGAIN: Duration = Duration::from_millis(500);

/// The library and how to find the device in it.
pub struct Management {
    nvml: Nvml,
    uuid: String,
    pci_bus_id: String,
    /// Processes that computed on the device when that was asked.
    others: Result<u32, String>,
}

impl Management {
    /// Loads the library, for the device of this UUID or at this address.
    ///
    /// # Errors
    /// Its words: it is not installed, or has no permission.
    pub fn open(uuid: [u8; 16], pci_bus_id: String) -> Result<Self, String> {
        let nvml = Nvml::init().map_err(|error| format!("NVML: {error}"))?;
        let others = Err("it was not asked when the process began".to_owned());
        Ok(Self { nvml, uuid: format!("GPU-{}", hyphenated(uuid)), pci_bus_id, others })
    }

    fn device(&self) -> Result<nvml_wrapper::Device<'_>, NvmlError> {
        self.nvml.device_by_uuid(self.uuid.as_str()).or_else(|_| self.nvml.device_by_pci_bus_id(self.pci_bus_id.as_str()))
    }

    /// Fills in the circumstances it knows; the reason for each that it does not goes to `unknown`.
    pub fn describe(&self, circumstance: &mut Circumstance, unknown: &mut BTreeMap<String, String>) {
        circumstance.driver = keep("driver", self.nvml.sys_driver_version(), unknown);
        let device = match self.device() {
            Ok(device) => device,
            Err(error) => return without(&format!("NVML does not find the device: {error}"), unknown),
        };
        circumstance.vbios = keep("vbios", device.vbios_version(), unknown);
        circumstance.power_limit_mw = keep("power_limit_mw", device.enforced_power_limit(), unknown);
        circumstance.pstate = keep("pstate", device.performance_state().map(pstate), unknown).flatten();
        circumstance.persistence = persistence(&device, unknown);
        circumstance.clock_locks = keep("clock_locks", clock_locks(&device), unknown);
        circumstance.other_processes = match &self.others {
            Ok(count) => Some(*count),
            Err(why) => {
                unknown.insert("other_processes".into(), why.clone());
                None
            }
        };
    }

    /// Counts who else computes on the device, and says why it is not idle. To be asked before this process has a context, since it would count
    /// itself (in a container not even by its own number). Looks again for as long as `patience`, since a process that just
    /// ended, and its load, still show for a moment. Nothing if NVML does not tell.
    pub fn look_around(&mut self, patience: Duration) -> Vec<String> {
        let count = self.device().and_then(|device| device.running_compute_processes()).map(|all| all.len());
        self.others = count.map_err(|error| format!("NVML: {error}")).map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let started = Instant::now();
        loop {
            let reasons = self.reasons();
            if reasons.is_empty() || started.elapsed() >= patience {
                return reasons;
            }
            std::thread::sleep(AGAIN);
        }
    }

    fn reasons(&self) -> Vec<String> {
        let Ok(device) = self.device() else { return Vec::new() };
        let mut reasons = Vec::new();
        match device.running_compute_processes().map(|all| all.len()) {
            Ok(1) => reasons.push("another process computes on it".to_owned()),
            Ok(count) if count > 1 => reasons.push(format!("{count} other processes compute on it")),
            _ => {}
        }
        match device.utilization_rates() {
            Ok(rates) if rates.gpu >= BUSY_PERCENT => reasons.push(format!("it is in use {} % of the time", rates.gpu)),
            _ => {}
        }
        reasons
    }

    /// The state of the device now.
    #[must_use]
    pub fn condition(&self) -> Condition {
        let Ok(device) = self.device() else { return Condition::default() };
        Condition {
            throttle: device.current_throttle_reasons().ok().map(throttle_names),
            temperature_c: device.temperature(TemperatureSensor::Gpu).ok(),
            pstate: device.performance_state().ok().and_then(pstate),
            memory_clock_mhz: device.clock_info(Clock::Memory).ok(),
        }
    }
}

/// The digest under which a record tells two cards apart without naming either.
#[must_use]
pub fn uuid_digest(uuid: [u8; 16]) -> String {
    Digest::of(format!("GPU-{}", hyphenated(uuid))).to_string()
}

/// Notes the one reason why nothing of NVML is known.
pub fn without(why: &str, unknown: &mut BTreeMap<String, String>) {
    for field in ["vbios", "power_limit_mw", "pstate", "persistence", "clock_locks", "other_processes"] {
        unknown.insert(field.into(), why.into());
    }
}

fn keep<T>(field: &str, found: Result<T, NvmlError>, unknown: &mut BTreeMap<String, String>) -> Option<T> {
    found.map_err(|error| unknown.insert(field.into(), format!("NVML: {error}"))).ok()
}

#[cfg(target_os = "linux")]
fn persistence(device: &nvml_wrapper::Device<'_>, unknown: &mut BTreeMap<String, String>) -> Option<bool> {
    keep("persistence", device.is_in_persistent_mode(), unknown)
}

#[cfg(not(target_os = "linux"))]
fn persistence(_: &nvml_wrapper::Device<'_>, unknown: &mut BTreeMap<String, String>) -> Option<bool> {
    unknown.insert("persistence".into(), "only on Linux".into());
    None
}

/// Application clocks beside the top ones. NVML has no question for locked clocks; a lock shows in the clock of the samples.
fn clock_locks(device: &nvml_wrapper::Device<'_>) -> Result<String, NvmlError> {
    let (top_sm, top_memory) = (device.max_clock_info(Clock::SM)?, device.max_clock_info(Clock::Memory)?);
    Ok(match (device.applications_clock(Clock::SM), device.applications_clock(Clock::Memory)) {
        (Ok(sm), Ok(memory)) => format!("applications {sm} MHz SM, {memory} MHz memory; top {top_sm} and {top_memory} MHz"),
        _ => format!("no application clocks; top {top_sm} MHz SM, {top_memory} MHz memory"),
    })
}

fn pstate(state: PerformanceState) -> Option<String> {
    Some(state.as_c()).filter(|number| *number < 16).map(|number| format!("P{number}"))
}

/// The names of throttle reasons in records, as `nvidia-smi -q` words them, joined by hyphens.
fn throttle_names(reasons: ThrottleReasons) -> Vec<String> {
    [
        (ThrottleReasons::GPU_IDLE, "idle"),
        (ThrottleReasons::APPLICATIONS_CLOCKS_SETTING, "applications-clocks-setting"),
        (ThrottleReasons::SW_POWER_CAP, "sw-power-cap"),
        (ThrottleReasons::HW_SLOWDOWN, "hw-slowdown"),
        (ThrottleReasons::SYNC_BOOST, "sync-boost"),
        (ThrottleReasons::SW_THERMAL_SLOWDOWN, "sw-thermal-slowdown"),
        (ThrottleReasons::HW_THERMAL_SLOWDOWN, "hw-thermal-slowdown"),
        (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "hw-power-brake-slowdown"),
        (ThrottleReasons::DISPLAY_CLOCK_SETTING, "display-clock-setting"),
    ]
    .into_iter()
    .filter(|(reason, _)| reasons.contains(*reason))
    .map(|(_, name)| name.to_owned())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_written_as_nvidia_smi_does_and_recorded_as_a_digest() {
        let uuid = std::array::from_fn(|at| at as u8 * 17);
        assert_eq!(hyphenated(uuid), "00112233-4455-6677-8899-aabbccddeeff");
        assert_eq!(uuid_digest(uuid).len(), 64);
        assert_ne!(uuid_digest(uuid), uuid_digest([0; 16]));
    }

    #[test]
    fn reasons_have_names_in_a_fixed_order() {
        let reasons = ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN | ThrottleReasons::GPU_IDLE;
        assert_eq!(throttle_names(reasons), ["idle", "hw-power-brake-slowdown"]);
        assert!(throttle_names(ThrottleReasons::empty()).is_empty());
    }
}
