//! Turns a choice of a GPU into one that CUDA shows, or into what is missing.
//!
//! Must not open it.

use super::api::{Absent, Found};
use crate::device::DeviceError;
use crate::device::choice::{GpuChoice, hyphenated};

/// The GPU of `choice`.
pub(super) fn find(choice: &GpuChoice) -> Result<Found, DeviceError> {
    let all = Found::all().map_err(missing)?;
    let found = match choice {
        GpuChoice::First => all.first().copied(),
        GpuChoice::Number(number) => all.get(*number as usize).copied(),
        GpuChoice::Uuid(wanted) => all.iter().copied().find(|gpu| gpu.uuid().is_ok_and(|uuid| uuid == *wanted)),
    };
    found.ok_or_else(|| {
        let listed = |(number, gpu): (usize, &Found)| {
            let uuid = gpu.uuid().map_or_else(|_| "no UUID".to_owned(), |uuid| format!("GPU-{}", hyphenated(uuid)));
            format!("{number}: {} ({uuid})", gpu.name().unwrap_or_default())
        };
        let listed: Vec<String> = all.iter().enumerate().map(listed).collect();
        DeviceError::Missing {
            what: format!("the GPU asked for, {choice},"),
            why: if listed.is_empty() { "CUDA shows none".to_owned() } else { format!("CUDA shows {}", listed.join(", ")) },
            remedy: "Name one of those, and see which ones CUDA_VISIBLE_DEVICES lets through".to_owned(),
        }
    })
}

/// What a GPU needs and is not there, in the words of who can install it.
pub(super) fn missing(absent: Absent) -> DeviceError {
    let (what, why, remedy) = match absent {
        Absent::Driver => (
            "the NVIDIA driver",
            "libcuda can't be loaded".to_owned(),
            "Install the driver (570 or newer); in a container, start it with the GPU passed through",
        ),
        Absent::Old(version) => (
            "a recent NVIDIA driver",
            format!("the installed one knows CUDA {}.{}", version / 1000, version % 1000 / 10),
            "Install driver 570 or newer (CUDA 12.8)",
        ),
        Absent::Device(failure) => {
            ("an NVIDIA GPU", failure.0, "Run on a machine with an NVIDIA GPU, and see that `nvidia-smi` and CUDA_VISIBLE_DEVICES show it")
        }
        Absent::Other(failure) => return failure.into(),
    };
    DeviceError::Missing { what: what.into(), why, remedy: remedy.into() }
}
