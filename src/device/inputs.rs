//! Turns the host calls of a sweep into files of inputs and expected outputs, made once and read by every round.
//!
//! Must not know a GPU.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::host::{HostBuffer, HostLibrary, Which};
use super::{DeviceError, Setup};
use crate::plan::launch::{Argument, BufferPlan, Check, Data, HostCall};

/// The file of the input of a buffer in the data of this number; data of equal inputs share it.
#[must_use]
pub fn input_file(setup: &Setup, data: usize, name: &str) -> PathBuf {
    setup.workspace.join(format!("input-{}-{name}.bin", setup.inputs_of(data)))
}

/// The file of what a buffer in the data of this number should hold after a launch.
#[must_use]
pub fn expected_file(setup: &Setup, data: usize, name: &str) -> PathBuf {
    setup.workspace.join(format!("expected-{data}-{name}.bin"))
}

/// The buffers of `data` that `call` names, each once.
pub fn named<'a>(data: &'a Data, call: &'a HostCall) -> impl Iterator<Item = &'a BufferPlan> {
    let names: BTreeSet<&str> = call
        .arguments
        .iter()
        .filter_map(|argument| if let Argument::Buffer(name) = argument { Some(name.as_str()) } else { None })
        .collect();
    data.buffers.iter().filter(move |buffer| names.contains(buffer.name.as_str()))
}

/// Runs the calls that fill inputs, then the reference, and writes what they left to the workspace: for all that rows work on,
/// one after the other, so that memory holds no more than the largest.
///
/// # Errors
/// When a host function throws, the disk is full, or a check leaves an output out.
pub fn make(setup: &Setup, library: &HostLibrary) -> Result<(), DeviceError> {
    setup.data.iter().enumerate().try_for_each(|(index, data)| make_one(setup, library, index, data))
}

fn make_one(setup: &Setup, library: &HostLibrary, index: usize, data: &Data) -> Result<(), DeviceError> {
    every_output_is_checked(data)?;
    let is_first = setup.inputs_of(index) == index;
    let mut buffers = BTreeMap::new();
    for buffer in data.buffers.iter().filter(|buffer| buffer.role.is_input()) {
        let contents = if is_first { blank(buffer)? } else { read(&input_file(setup, index, &buffer.name), buffer)? };
        buffers.insert(buffer.name.clone(), contents);
    }
    if is_first {
        for (at, call) in data.inputs.iter().enumerate() {
            library.call(Which::Input(at), call, &mut buffers)?;
        }
        buffers.par_iter().try_for_each(|(name, buffer)| write(&input_file(setup, index, name), buffer))?;
    }
    if let Some(Check::Reference { call, .. }) = &data.check {
        for buffer in named(data, call).filter(|buffer| !buffer.role.is_input()) {
            buffers.insert(buffer.name.clone(), blank(buffer)?);
        }
        library.call(Which::Check, call, &mut buffers)?;
        for buffer in named(data, call).filter(|buffer| buffer.role.is_output()) {
            if let Some(bytes) = buffers.get(&buffer.name) {
                write(&expected_file(setup, index, &buffer.name), bytes)?;
            }
        }
    }
    Ok(())
}

/// An output that the check does not name would be shown as checked and was not.
fn every_output_is_checked(data: &Data) -> Result<(), DeviceError> {
    let Some(Check::Reference { call, .. } | Check::Predicate { call }) = &data.check else { return Ok(()) };
    let checked: BTreeSet<&str> = named(data, call).map(|buffer| buffer.name.as_str()).collect();
    match data.buffers.iter().find(|buffer| buffer.role.is_output() && !checked.contains(buffer.name.as_str())) {
        Some(left) => Err(DeviceError::Other(format!(
            "the output `{}` is no argument of {}, so nothing would check it; name it there, or make it `scratch`",
            left.name, call.function
        ))),
        None => Ok(()),
    }
}

/// A buffer of the plan's size, filled with 0xFF: what a function forgets to write is a NaN.
fn blank(buffer: &BufferPlan) -> Result<HostBuffer, DeviceError> {
    let bytes = usize::try_from(buffer.bytes());
    let bytes = bytes.map_err(|_| DeviceError::Other(format!("the buffer `{}` is larger than this machine can address", buffer.name)))?;
    Ok(HostBuffer::filled(bytes, 0xFF))
}

fn write(path: &Path, buffer: &HostBuffer) -> Result<(), DeviceError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let done = File::create(path).and_then(|mut file| file.write_all(buffer.bytes()));
    done.map_err(|error| DeviceError::Other(format!("can't write {name} ({} bytes) to the workspace: {error}", buffer.bytes().len())))
}

/// Reads a file of `make` whole.
///
/// # Errors
/// When it is missing or not of the buffer's size.
pub fn read(path: &Path, buffer: &BufferPlan) -> Result<HostBuffer, DeviceError> {
    let file = open(path, buffer)?;
    let mut bytes = blank(buffer)?;
    fill(&file, 0, bytes.bytes_mut())
        .map_err(|error| DeviceError::Other(format!("can't read `{}` from the workspace: {error}", buffer.name)))?;
    Ok(bytes)
}

/// Bytes that one task reads.
const TASK: usize = 2 << 20;

/// Fills `bytes` with what `file` holds from `offset` on. In parallel, since these files lie in the system's memory, which one
/// core copies far slower than a device is filled.
///
/// # Errors
/// The system's.
#[cfg(unix)]
pub fn fill(file: &File, offset: u64, bytes: &mut [u8]) -> std::io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    let parts = bytes.par_chunks_mut(TASK).enumerate();
    parts.try_for_each(|(index, part)| file.read_exact_at(part, offset + (index * TASK) as u64))
}

/// Fills `bytes` with what `file` holds from `offset` on.
///
/// # Errors
/// The system's.
#[cfg(not(unix))]
pub fn fill(mut file: &File, offset: u64, bytes: &mut [u8]) -> std::io::Result<()> {
    use std::io::{Read as _, Seek as _};
    file.seek(std::io::SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

/// Opens a file of `make` and sees that it is whole.
///
/// # Errors
/// When it is missing or not of the buffer's size.
pub fn open(path: &Path, buffer: &BufferPlan) -> Result<File, DeviceError> {
    let context = |error: std::io::Error| DeviceError::Other(format!("the workspace has no contents for `{}`: {error}", buffer.name));
    let file = File::open(path).map_err(context)?;
    let bytes = file.metadata().map_err(context)?.len();
    if bytes == buffer.bytes() {
        Ok(file)
    } else {
        Err(DeviceError::Other(format!("the workspace holds {bytes} bytes for `{}` and {} are planned", buffer.name, buffer.bytes())))
    }
}
