//! Turns the buffers of a sweep into device memory: filled from files, reset between launches, compared with what they should hold.
//!
//! Must not know how a launch is timed. Data moves in pieces through two page-locked buffers, so that reading a file, copying
//! to the device and comparing overlap, and no buffer needs a second copy of itself on the host.

use std::collections::BTreeMap;
use std::time::Instant;

use super::api::{Event, Failure, Gpu, Memory, Pinned};
use crate::course::sweep::Role;
use crate::device::compare::{self, Comparison, Tolerance};
use crate::device::host::{HostBuffer, HostLibrary, Which};
use crate::device::took::{Part, Took};
use crate::device::{DeviceError, Fault, Setup, inputs, readback};
use crate::evidence::record::Receipt;
use crate::plan::launch::{BufferPlan, Check, HostCall, Read};

/// Bytes of a piece; a multiple of every element.
const PIECE: usize = 32 << 20;

/// The buffers of a sweep on the device, in the largest size that a row needs; the row at hand sees its own part of each.
pub(super) struct Buffers {
    by_name: BTreeMap<String, Buffer>,
    pieces: [(Pinned, Event); 2],
    expected: BTreeMap<String, HostBuffer>,
    host: Option<HostLibrary>,
    /// The number of what the row at hand works on.
    data: usize,
    /// How long moving inputs and reading references took.
    took: Took,
}

struct Buffer {
    /// As the row at hand has it.
    plan: BufferPlan,
    memory: Memory,
    /// The input of a buffer that launches overwrite.
    pristine: Option<Memory>,
    /// Whether figures are read back from it.
    is_read: bool,
}

impl Buffer {
    /// Bytes of the row at hand.
    fn bytes(&self) -> usize {
        usize::try_from(self.plan.bytes()).map_or(self.memory.bytes(), |bytes| bytes.min(self.memory.bytes()))
    }
}

impl Buffers {
    /// Bytes of device memory that the buffers of `setup` need.
    pub(super) fn bytes(setup: &Setup) -> u64 {
        let largest = setup.largest();
        let copies = |buffer: &BufferPlan| if buffer.role == Role::Inout { 2 } else { 1 };
        largest.iter().map(|buffer| buffer.bytes().saturating_mul(copies(buffer))).fold(0, u64::saturating_add)
    }

    /// Allocates the buffers and fills those that have an input, as the first row has it.
    pub(super) fn new(gpu: &Gpu, setup: &Setup) -> Result<Self, DeviceError> {
        let pieces = [(gpu.pinned(PIECE)?, gpu.event()?), (gpu.pinned(PIECE)?, gpu.event()?)];
        let mut by_name = BTreeMap::new();
        for plan in setup.largest() {
            let bytes =
                usize::try_from(plan.bytes()).map_err(|_| DeviceError::Other(format!("the buffer `{}` is too large", plan.name)))?;
            let memory = gpu.memory(bytes)?;
            gpu.fill(&memory, bytes, 0xFF)?;
            let pristine = if plan.role == Role::Inout { Some(gpu.memory(bytes)?) } else { None };
            let is_read = setup.read.contains(&plan.name);
            by_name.insert(plan.name.clone(), Buffer { plan, memory, pristine, is_read });
        }
        let mut made = Self { by_name, pieces, expected: BTreeMap::new(), host: None, data: 0, took: Took::default() };
        made.load(gpu, setup, 0)?;
        Ok(made)
    }

    /// Makes the buffers those of the row `row`.
    pub(super) fn stage(&mut self, gpu: &Gpu, setup: &Setup, row: u32) -> Result<(), DeviceError> {
        let data = setup.data_of(row);
        if data == self.data { Ok(()) } else { self.load(gpu, setup, data) }
    }

    /// Gives each buffer its size and its input in the data of number `data`. Inputs that are there already stay.
    fn load(&mut self, gpu: &Gpu, setup: &Setup, data: usize) -> Result<(), DeviceError> {
        let is_first = self.data == data;
        let same_inputs = !is_first && setup.inputs_of(data) == setup.inputs_of(self.data);
        self.expected.clear();
        self.data = data;
        for plan in &setup.data(data).buffers {
            let Some(buffer) = self.by_name.get_mut(&plan.name) else { continue };
            buffer.plan = plan.clone();
            if plan.role.is_input() && !same_inputs {
                let (bytes, began) = (buffer.bytes(), Instant::now());
                upload(gpu, setup, data, plan, &buffer.memory, &mut self.pieces)?;
                if let Some(pristine) = &buffer.pristine {
                    gpu.copy(pristine, &buffer.memory, bytes)?;
                }
                self.took.add(Part::Upload, began.elapsed());
            }
        }
        Ok(())
    }

    /// How long parts took since this was asked last.
    pub(super) fn took(&mut self) -> Took {
        std::mem::take(&mut self.took)
    }

    /// The device address of a buffer.
    pub(super) fn address(&self, name: &str) -> Option<u64> {
        self.by_name.get(name).map(|buffer| buffer.memory.address())
    }

    /// Queues the poisoning of `out` buffers and of those that are read back, and the restoring of `inout` ones.
    pub(super) fn reset_outputs(&self, gpu: &Gpu) -> Result<(), Failure> {
        for buffer in self.by_name.values() {
            match (&buffer.pristine, buffer.plan.role) {
                (Some(pristine), _) => gpu.copy(&buffer.memory, pristine, buffer.bytes())?,
                (None, Role::Out) => gpu.fill(&buffer.memory, buffer.bytes(), 0xFF)?,
                (None, _) if buffer.is_read => gpu.fill(&buffer.memory, buffer.bytes(), 0xFF)?,
                (None, _) => {}
            }
        }
        Ok(())
    }

    /// What the last launch left for the figure `read`.
    pub(super) fn read(&mut self, gpu: &Gpu, read: &Read) -> Result<i64, Fault> {
        let buffer = self.by_name.get(&read.buffer);
        let buffer = buffer.ok_or_else(|| Fault::Runtime(format!("`{}` is read from `{}`, which is no buffer", read.name, read.buffer)))?;
        let mut copy = Vec::with_capacity(buffer.bytes());
        download(gpu, &mut self.pieces, &buffer.memory, buffer.bytes(), |_, got| copy.extend_from_slice(got))?;
        readback::figure(read, buffer.plan.element, &copy)
    }

    /// Compares the outputs, or asks the predicate.
    pub(super) fn check(&mut self, gpu: &Gpu, setup: &Setup) -> Result<Option<Receipt>, Fault> {
        let data = setup.data(self.data);
        match &data.check {
            None => Ok(None),
            Some(Check::Predicate { call }) => self.ask(gpu, setup, call).map(Some),
            Some(Check::Reference { call, relative, absolute }) => {
                let tolerance = Tolerance { relative: *relative, absolute: *absolute };
                let mut comparison = Comparison::default();
                for plan in inputs::named(data, call).filter(|plan| plan.role.is_output()) {
                    if !self.expected.contains_key(&plan.name) {
                        let began = Instant::now();
                        let expected = inputs::read(&inputs::expected_file(setup, self.data, &plan.name), plan);
                        self.expected.insert(plan.name.clone(), expected.map_err(|error| Fault::Runtime(error.to_string()))?);
                        self.took.add(Part::Expected, began.elapsed());
                    }
                    let expected = self.expected.get(&plan.name).map_or(&[][..], HostBuffer::bytes);
                    let Some(buffer) = self.by_name.get(&plan.name) else { continue };
                    download(gpu, &mut self.pieces, &buffer.memory, buffer.bytes(), |offset, got| {
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
        for plan in inputs::named(setup.data(self.data), call) {
            let Some(buffer) = self.by_name.get(&plan.name) else { continue };
            let mut copy = HostBuffer::filled(buffer.bytes(), 0);
            download(gpu, &mut self.pieces, &buffer.memory, buffer.bytes(), |offset, got| {
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

/// Fills the beginning of `memory` with the input of `plan` in the data of number `data`.
fn upload(
    gpu: &Gpu,
    setup: &Setup,
    data: usize,
    plan: &BufferPlan,
    memory: &Memory,
    pieces: &mut [(Pinned, Event); 2],
) -> Result<(), DeviceError> {
    let file = inputs::open(&inputs::input_file(setup, data, &plan.name), plan)?;
    let whole = usize::try_from(plan.bytes()).map_or(memory.bytes(), |bytes| bytes.min(memory.bytes()));
    for (index, offset) in (0..whole).step_by(PIECE).enumerate() {
        let bytes = PIECE.min(whole - offset);
        let (piece, copied) = &mut pieces[index % 2];
        // The copy that used this piece two turns ago must be done before it is overwritten; an event that was never
        // recorded counts as reached.
        gpu.reach(copied)?;
        let read = inputs::fill(&file, offset as u64, &mut piece.bytes_mut()[..bytes]);
        read.map_err(|error| DeviceError::Other(format!("can't read the input `{}`: {error}", plan.name)))?;
        gpu.copy_in(memory, offset, piece, bytes)?;
        gpu.record(copied)?;
    }
    pieces.iter().try_for_each(|(_, copied)| gpu.reach(copied)).map_err(DeviceError::from)
}

/// Hands the first `whole` bytes of `memory` to `each` piece by piece, with the piece's offset; the next piece is on its way
/// meanwhile.
fn download(
    gpu: &Gpu,
    pieces: &mut [(Pinned, Event); 2],
    memory: &Memory,
    whole: usize,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<(), Failure> {
    let offsets: Vec<usize> = (0..whole).step_by(PIECE).collect();
    let queue = |(piece, copied): &mut (Pinned, Event), offset: usize| {
        gpu.copy_out(piece, memory, offset, PIECE.min(whole - offset))?;
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
        each(offset, &piece.bytes()[..PIECE.min(whole - offset)]);
    }
    Ok(())
}
