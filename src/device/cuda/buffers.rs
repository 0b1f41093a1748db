//! Turns the buffers of a sweep into device memory: filled from files, reset between launches, compared with what they should hold.
//!
//! Must not know how a launch is timed. Data moves in pieces through two page-locked buffers, so that reading a file, copying
//! to the device and comparing overlap, and no buffer needs a second copy of itself on the host.

use std::collections::BTreeMap;
use std::io::Read as _;

use super::api::{Event, Failure, Gpu, Memory, Pinned};
use crate::course::sweep::Role;
use crate::device::compare::{self, Comparison, Tolerance};
use crate::device::host::{HostBuffer, HostLibrary, Which};
use crate::device::{DeviceError, Fault, Setup, inputs};
use crate::evidence::record::Receipt;
use crate::plan::launch::{BufferPlan, Check, HostCall};

/// Bytes of a piece; a multiple of every element.
const PIECE: usize = 32 << 20;

/// The buffers of a sweep on the device.
pub(super) struct Buffers {
    by_name: BTreeMap<String, Buffer>,
    pieces: [(Pinned, Event); 2],
    expected: BTreeMap<String, HostBuffer>,
    host: Option<HostLibrary>,
}

struct Buffer {
    plan: BufferPlan,
    memory: Memory,
    /// The input of a buffer that launches overwrite.
    pristine: Option<Memory>,
}

impl Buffers {
    /// Bytes of device memory that the buffers of `setup` need.
    pub(super) fn bytes(setup: &Setup) -> u64 {
        setup
            .buffers
            .iter()
            .map(|buffer| buffer.bytes().saturating_mul(if buffer.role == Role::Inout { 2 } else { 1 }))
            .fold(0, u64::saturating_add)
    }

    /// Allocates the buffers and fills those that have an input.
    pub(super) fn new(gpu: &Gpu, setup: &Setup) -> Result<Self, DeviceError> {
        let pieces = [(gpu.pinned(PIECE)?, gpu.event()?), (gpu.pinned(PIECE)?, gpu.event()?)];
        let mut made = Self { by_name: BTreeMap::new(), pieces, expected: BTreeMap::new(), host: None };
        for plan in &setup.buffers {
            let bytes =
                usize::try_from(plan.bytes()).map_err(|_| DeviceError::Other(format!("the buffer `{}` is too large", plan.name)))?;
            let memory = gpu.memory(bytes)?;
            gpu.fill(&memory, 0xFF)?;
            if plan.role.is_input() {
                made.upload(gpu, setup, plan, &memory)?;
            }
            let pristine = if plan.role == Role::Inout { Some(gpu.memory(bytes)?) } else { None };
            if let Some(pristine) = &pristine {
                gpu.copy(pristine, &memory)?;
            }
            made.by_name.insert(plan.name.clone(), Buffer { plan: plan.clone(), memory, pristine });
        }
        Ok(made)
    }

    fn upload(&mut self, gpu: &Gpu, setup: &Setup, plan: &BufferPlan, memory: &Memory) -> Result<(), DeviceError> {
        let mut file = inputs::open(&inputs::input_file(setup, &plan.name), plan)?;
        for (index, offset) in (0..memory.bytes()).step_by(PIECE).enumerate() {
            let bytes = PIECE.min(memory.bytes() - offset);
            let (piece, copied) = &mut self.pieces[index % 2];
            // The copy that used this piece two turns ago must be done before it is overwritten; an event that was never
            // recorded counts as reached.
            gpu.reach(copied)?;
            let read = file.read_exact(&mut piece.bytes_mut()[..bytes]);
            read.map_err(|error| DeviceError::Other(format!("can't read the input `{}`: {error}", plan.name)))?;
            gpu.copy_in(memory, offset, piece, bytes)?;
            gpu.record(copied)?;
        }
        self.pieces.iter().try_for_each(|(_, copied)| gpu.reach(copied)).map_err(DeviceError::from)
    }

    /// The device address of a buffer.
    pub(super) fn address(&self, name: &str) -> Option<u64> {
        self.by_name.get(name).map(|buffer| buffer.memory.address())
    }

    /// Queues the poisoning of `out` buffers and the restoring of `inout` ones.
    pub(super) fn reset_outputs(&self, gpu: &Gpu) -> Result<(), Failure> {
        for buffer in self.by_name.values() {
            match (&buffer.pristine, buffer.plan.role) {
                (Some(pristine), _) => gpu.copy(&buffer.memory, pristine)?,
                (None, Role::Out) => gpu.fill(&buffer.memory, 0xFF)?,
                (None, _) => {}
            }
        }
        Ok(())
    }

    /// Compares the outputs, or asks the predicate.
    pub(super) fn check(&mut self, gpu: &Gpu, setup: &Setup) -> Result<Option<Receipt>, Fault> {
        match &setup.check {
            None => Ok(None),
            Some(Check::Predicate { call }) => self.ask(gpu, setup, call).map(Some),
            Some(Check::Reference { call, relative, absolute }) => {
                let tolerance = Tolerance { relative: *relative, absolute: *absolute };
                let mut comparison = Comparison::default();
                for plan in inputs::named(setup, call).filter(|plan| plan.role.is_output()) {
                    if !self.expected.contains_key(&plan.name) {
                        let expected = inputs::read(&inputs::expected_file(setup, &plan.name), plan);
                        self.expected.insert(plan.name.clone(), expected.map_err(|error| Fault::Runtime(error.to_string()))?);
                    }
                    let expected = self.expected.get(&plan.name).map_or(&[][..], HostBuffer::bytes);
                    let Some(buffer) = self.by_name.get(&plan.name) else { continue };
                    download(gpu, &mut self.pieces, &buffer.memory, |offset, got| {
                        let start = offset as u64 / plan.element.bytes();
                        comparison.add(&plan.name, plan.element, start, got, &expected[offset..offset + got.len()], tolerance);
                    })?;
                }
                Ok(Some(comparison.receipt()))
            }
        }
    }

    fn ask(&mut self, gpu: &Gpu, setup: &Setup, call: &HostCall) -> Result<Receipt, Fault> {
        let own = |error: DeviceError| Fault::Runtime(error.to_string());
        if self.host.is_none() {
            self.host = Some(HostLibrary::load(setup).map_err(own)?);
        }
        let mut buffers = BTreeMap::new();
        let mut elements = 0;
        for plan in inputs::named(setup, call) {
            let Some(buffer) = self.by_name.get(&plan.name) else { continue };
            let mut copy = HostBuffer::filled(buffer.memory.bytes(), 0);
            download(gpu, &mut self.pieces, &buffer.memory, |offset, got| {
                copy.bytes_mut()[offset..offset + got.len()].copy_from_slice(got)
            })?;
            buffers.insert(plan.name.clone(), copy);
            elements += if plan.role.is_output() { plan.count } else { 0 };
        }
        let Some(host) = &self.host else { return Err(Fault::Runtime("the host regions are not loaded".into())) };
        let right = host.call(Which::Check, call, &mut buffers).map_err(own)?;
        Ok(compare::of_predicate(&call.function, right, elements))
    }
}

/// Hands `memory` to `each` piece by piece, with the piece's offset; the next piece is on its way meanwhile.
fn download(gpu: &Gpu, pieces: &mut [(Pinned, Event); 2], memory: &Memory, mut each: impl FnMut(usize, &[u8])) -> Result<(), Failure> {
    let offsets: Vec<usize> = (0..memory.bytes()).step_by(PIECE).collect();
    let queue = |(piece, copied): &mut (Pinned, Event), offset: usize| {
        gpu.copy_out(piece, memory, offset, PIECE)?;
        gpu.record(copied)
    };
    if let Some(&first) = offsets.first() {
        queue(&mut pieces[0], first)?;
    }
    for (index, &offset) in offsets.iter().enumerate() {
        if let Some(&next) = offsets.get(index + 1) {
            queue(&mut pieces[(index + 1) % 2], next)?;
        }
        let (piece, copied) = &pieces[index % 2];
        gpu.reach(copied)?;
        each(offset, &piece.bytes()[..PIECE.min(memory.bytes() - offset)]);
    }
    Ok(())
}
