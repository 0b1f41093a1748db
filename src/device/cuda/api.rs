//! Turns calls of the CUDA driver and of NVRTC into results that own what they hand out: the one file that names cudarc.
//!
//! Must not decide anything. Every handle keeps its context alive and none can leave its thread, so that no call here can meet
//! a context that is gone or not current. A kernel that reads or writes out of bounds faults on the device, not in this process.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::rc::Rc;

use cudarc::driver::{result, sys};
use cudarc::nvrtc::{result as nvrtc_result, sys as nvrtc};

pub(super) use cudarc::driver::sys::CUdevice_attribute_enum as Attribute;

/// The driver's name of an error and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure(pub(super) String);

impl From<result::DriverError> for Failure {
    fn from(error: result::DriverError) -> Self {
        let text = |words: Result<&CStr, _>| words.map(|words: &CStr| words.to_string_lossy().into_owned()).ok();
        let name = text(error.error_name()).unwrap_or_else(|| format!("{:?}", error.0));
        Self(text(error.error_string()).map_or(name.clone(), |words| format!("{name}: {words}")))
    }
}

fn ask(code: sys::CUresult) -> Result<(), Failure> {
    code.result().map_err(Failure::from)
}

/// Why there is no GPU to work with.
pub(super) enum Absent {
    /// No `libcuda`.
    Driver,
    /// The driver is older than CUDA 12.8, whose calls are used here; its version as `major * 1000 + minor * 10`.
    Old(i32),
    /// The driver has no device for this process; its words.
    Device(Failure),
    /// Anything else.
    Other(Failure),
}

impl From<result::DriverError> for Absent {
    fn from(error: result::DriverError) -> Self {
        match error.0 {
            sys::CUresult::CUDA_ERROR_NO_DEVICE | sys::CUresult::CUDA_ERROR_STUB_LIBRARY | sys::CUresult::CUDA_ERROR_INVALID_DEVICE => {
                Self::Device(error.into())
            }
            _ => Self::Other(error.into()),
        }
    }
}

struct Context {
    device: sys::CUdevice,
    stream: sys::CUstream,
    lost: Cell<bool>,
}

impl Drop for Context {
    fn drop(&mut self) {
        if !self.lost.get() {
            // SAFETY: the stream and the retained context are this value's own.
            unsafe {
                let _ = result::stream::destroy(self.stream);
                let _ = result::primary_ctx::release(self.device);
            }
        }
    }
}

/// A GPU that the driver shows to this process; there is no context on it yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found(sys::CUdevice);

/// A GPU, its primary context and one stream in it, on which all work here is queued.
#[derive(Clone)]
pub(super) struct Gpu(Rc<Context>);

/// Device memory.
pub(super) struct Memory {
    at: sys::CUdeviceptr,
    bytes: usize,
    context: Rc<Context>,
}

/// Page-locked host memory that the device can reach too.
pub(super) struct Pinned {
    at: *mut u8,
    bytes: usize,
    context: Rc<Context>,
}

/// A point in the stream's time.
pub(super) struct Event(sys::CUevent, #[allow(dead_code)] Rc<Context>);

/// Loaded code.
pub(super) struct Module(sys::CUmodule, Rc<Context>);

/// A kernel of a loaded module.
#[derive(Clone)]
pub(super) struct Function {
    at: sys::CUfunction,
    parameters: Vec<usize>,
    _context: Rc<Context>,
}

/// Arguments of a kernel, each in eight bytes of its own.
pub(super) struct Arguments {
    cells: Vec<[u8; 8]>,
    _one_thread: PhantomData<Rc<()>>,
}

impl Found {
    /// All GPUs that the driver shows, in CUDA's order.
    pub(super) fn all() -> Result<Vec<Self>, Absent> {
        // SAFETY: `is_culib_present` only tries to load a library; nothing else is called before it said yes.
        if !unsafe { sys::is_culib_present() } {
            return Err(Absent::Driver);
        }
        let mut version = 0;
        // SAFETY: the pointer is to a live integer; this call is allowed before `cuInit`.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
        if version < 12_080 {
            return Err(Absent::Old(version));
        }
        result::init()?;
        Ok((0..result::device::get_count()?).map(|number| result::device::get(number).map(Self)).collect::<Result<_, _>>()?)
    }

    pub(super) fn name(self) -> Result<String, Failure> {
        Ok(result::device::get_name(self.0)?)
    }

    /// The UUID's 16 bytes; those of the MIG instance where there is one.
    pub(super) fn uuid(self) -> Result<[u8; 16], Failure> {
        Ok(result::device::get_uuid(self.0)?.bytes.map(|byte| byte as u8))
    }

    /// Its address on the bus, as NVML knows it too.
    pub(super) fn pci_bus_id(self) -> Result<String, Failure> {
        let mut text = [0 as c_char; 32];
        // SAFETY: the buffer is as long as said, and the driver ends the text with a NUL.
        unsafe {
            ask(sys::cuDeviceGetPCIBusId(text.as_mut_ptr(), text.len() as c_int, self.0))?;
            Ok(CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned())
        }
    }
}

impl Gpu {
    /// Makes a context and a stream on `found`.
    pub(super) fn open(found: Found) -> Result<Self, Absent> {
        let Found(device) = found;
        // SAFETY: `device` comes from the driver; the context is released by `Drop`.
        unsafe {
            let context = result::primary_ctx::retain(device)?;
            result::ctx::set_current(context)?;
            let stream = result::stream::create(result::stream::StreamKind::NonBlocking)?;
            Ok(Self(Rc::new(Context { device, stream, lost: Cell::new(false) })))
        }
    }

    /// Says that work on the device did not come back: from now on nothing is freed, since freeing would wait for it.
    pub(super) fn give_up(&self) {
        self.0.lost.set(true);
    }

    pub(super) fn name(&self) -> Result<String, Failure> {
        Ok(result::device::get_name(self.0.device)?)
    }

    /// The CUDA version of the driver, as `major * 1000 + minor * 10`.
    pub(super) fn driver_version() -> Result<i32, Failure> {
        let mut version = 0;
        // SAFETY: the pointer is to a live integer.
        ask(unsafe { sys::cuDriverGetVersion(&raw mut version) })?;
        Ok(version)
    }

    pub(super) fn memory_bytes(&self) -> Result<u64, Failure> {
        // SAFETY: the device is the driver's.
        Ok(unsafe { result::device::total_mem(self.0.device) }? as u64)
    }

    pub(super) fn attribute(&self, which: Attribute) -> Result<u32, Failure> {
        // SAFETY: the device is the driver's.
        let value = unsafe { result::device::get_attribute(self.0.device, which) }?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Tells a profiler that watches this process that what it is after begins, or ends.
    pub(super) fn profiler(on: bool) -> Result<(), Failure> {
        // SAFETY: neither takes anything; a context is current in this thread since `open`.
        ask(unsafe { if on { sys::cuProfilerStart() } else { sys::cuProfilerStop() } })
    }

    /// Free and total bytes.
    pub(super) fn free_bytes(&self) -> Result<(usize, usize), Failure> {
        Ok(result::mem_get_info()?)
    }

    /// Plain device memory: neither managed nor from a pool.
    pub(super) fn memory(&self, bytes: usize) -> Result<Memory, Failure> {
        // SAFETY: freed by `Drop`; the contents are never read as a Rust type before they are written.
        let at = unsafe { result::malloc_sync(bytes.max(1)) }?;
        Ok(Memory { at, bytes, context: Rc::clone(&self.0) })
    }

    /// Page-locked memory, zeroed.
    pub(super) fn pinned(&self, bytes: usize) -> Result<Pinned, Failure> {
        // SAFETY: freed by `Drop`; zeroed here, so that slices over it are of initialised bytes.
        let at = unsafe {
            let at = result::malloc_host(bytes.max(1), sys::CU_MEMHOSTALLOC_DEVICEMAP)?.cast::<u8>();
            at.write_bytes(0, bytes.max(1));
            at
        };
        Ok(Pinned { at, bytes, context: Rc::clone(&self.0) })
    }

    pub(super) fn event(&self) -> Result<Event, Failure> {
        Ok(Event(result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT)?, Rc::clone(&self.0)))
    }

    pub(super) fn load(&self, cubin: &[u8]) -> Result<Module, Failure> {
        // SAFETY: a cubin carries its own length; an incomplete one is refused by the driver.
        Ok(Module(unsafe { result::module::load_data(cubin.as_ptr().cast()) }?, Rc::clone(&self.0)))
    }

    /// Queues the filling of the first `bytes` of `memory`.
    pub(super) fn fill(&self, memory: &Memory, bytes: usize, byte: u8) -> Result<(), Failure> {
        // SAFETY: the range lies in the allocation.
        Ok(unsafe { result::memset_d8_async(memory.at, byte, bytes.min(memory.bytes), self.0.stream) }?)
    }

    /// Queues a copy of the first `bytes` of `from` to the start of `to`.
    pub(super) fn copy(&self, to: &Memory, from: &Memory, bytes: usize) -> Result<(), Failure> {
        // SAFETY: both ranges lie in their allocations.
        Ok(unsafe { result::memcpy_dtod_async(to.at, from.at, bytes.min(to.bytes).min(from.bytes), self.0.stream) }?)
    }

    /// Queues a copy of the first `bytes` of `from` to `to` at `offset`; `from` must not be written before it is done.
    pub(super) fn copy_in(&self, to: &Memory, offset: usize, from: &Pinned, bytes: usize) -> Result<(), Failure> {
        let bytes = bytes.min(from.bytes).min(to.bytes.saturating_sub(offset));
        // SAFETY: both ranges lie in their allocations, by the line above; page-locked memory outlives the queue, whose
        // context it holds.
        Ok(unsafe { result::memcpy_htod_async(to.at + offset as u64, std::slice::from_raw_parts(from.at, bytes), self.0.stream) }?)
    }

    /// Queues a copy of `bytes` of `from` at `offset` to the start of `to`, which must not be read before it is done.
    pub(super) fn copy_out(&self, to: &mut Pinned, from: &Memory, offset: usize, bytes: usize) -> Result<(), Failure> {
        let bytes = bytes.min(to.bytes).min(from.bytes.saturating_sub(offset));
        // SAFETY: as in `copy_in`.
        Ok(unsafe { result::memcpy_dtoh_async(std::slice::from_raw_parts_mut(to.at, bytes), from.at + offset as u64, self.0.stream) }?)
    }

    /// Queues a launch. Refuses what the kernel does not take, since the driver would read past the arguments.
    pub(super) fn launch(&self, f: &Function, grid: [u32; 3], block: [u32; 3], shared: u32, with: &Arguments) -> Result<(), Failure> {
        if f.parameters.len() != with.cells.len() || f.parameters.iter().any(|&bytes| bytes > 8) {
            return Err(Failure(f.mismatch(with.cells.len())));
        }
        let mut cells: Vec<*mut c_void> = with.cells.iter().map(|value| value.as_ptr().cast_mut().cast()).collect();
        // SAFETY: as many arguments as the kernel has, each at least as long as the kernel reads; the driver copies them.
        Ok(unsafe { result::launch_kernel(f.at, grid.into(), block.into(), shared, self.0.stream, &mut cells) }?)
    }

    pub(super) fn record(&self, event: &Event) -> Result<(), Failure> {
        // SAFETY: event and stream are of one context.
        Ok(unsafe { result::event::record(event.0, self.0.stream) }?)
    }

    /// Waits for an event.
    pub(super) fn reach(&self, event: &Event) -> Result<(), Failure> {
        // SAFETY: the event is live.
        Ok(unsafe { result::event::synchronize(event.0) }?)
    }

    /// Milliseconds between two events that were reached.
    pub(super) fn elapsed_ms(&self, start: &Event, end: &Event) -> Result<f32, Failure> {
        // SAFETY: both events are live.
        Ok(unsafe { result::event::elapsed(start.0, end.0) }?)
    }

    /// Whether all queued work is done.
    pub(super) fn finished(&self) -> Result<bool, Failure> {
        // SAFETY: the stream is live.
        match unsafe { sys::cuStreamQuery(self.0.stream) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => ask(code).map(|()| true),
        }
    }
}

impl Memory {
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its address on the device.
    pub(super) fn address(&self) -> u64 {
        self.at
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if !self.context.lost.get() {
            // SAFETY: allocated by `memory` and freed once.
            let _ = unsafe { result::free_sync(self.at) };
        }
    }
}

impl Pinned {
    /// Its address on the device.
    pub(super) fn address(&self) -> Result<u64, Failure> {
        let mut at = 0;
        // SAFETY: allocated as mapped.
        ask(unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut at, self.at.cast(), 0) })?;
        Ok(at)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: initialised when allocated; the caller lets no queued copy into it overlap with this borrow.
        unsafe { std::slice::from_raw_parts(self.at, self.bytes) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and borrowed uniquely.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.bytes) }
    }

    /// The word `index`, which the device may write at any time.
    pub(super) fn word(&self, index: usize) -> &std::sync::atomic::AtomicU32 {
        assert!((index + 1) * 4 <= self.bytes);
        // SAFETY: inside the allocation and aligned (page-locked memory starts at a page); shared only as an atomic.
        unsafe { std::sync::atomic::AtomicU32::from_ptr(self.at.cast::<u32>().add(index)) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if !self.context.lost.get() {
            // SAFETY: allocated by `pinned` and freed once.
            let _ = unsafe { result::free_host(self.at.cast()) };
        }
    }
}

impl Module {
    /// The kernel of this lowered name, loaded now and not at its first launch.
    pub(super) fn function(&self, lowered: &str) -> Result<Function, Failure> {
        let name = CString::new(lowered).map_err(|_| Failure("a kernel's name holds NUL".into()))?;
        // SAFETY: module and context are live; the two integers are too.
        unsafe {
            let at = result::module::get_function(self.0, name)?;
            ask(sys::cuFuncLoad(at))?;
            let (mut parameters, mut offset, mut size) = (Vec::new(), 0, 0);
            while sys::cuFuncGetParamInfo(at, parameters.len(), &raw mut offset, &raw mut size) == sys::CUresult::CUDA_SUCCESS {
                parameters.push(size);
            }
            Ok(Function { at, parameters, _context: Rc::clone(&self.1) })
        }
    }
}

impl Function {
    /// Why arguments can't be given to this kernel; meaningful where they can't.
    pub(super) fn mismatch(&self, given: usize) -> String {
        format!(
            "the kernel takes {} arguments of {:?} bytes, and {given} of at most 8 bytes are given",
            self.parameters.len(),
            self.parameters
        )
    }

    /// The bytes of each parameter.
    pub(super) fn parameters(&self) -> &[usize] {
        &self.parameters
    }

    fn attribute(&self, which: sys::CUfunction_attribute) -> Result<u32, Failure> {
        // SAFETY: the function is live.
        let value = unsafe { result::function::get_function_attribute(self.at, which) }?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Registers, local bytes, static shared bytes, constant bytes, most threads a block.
    pub(super) fn attributes(&self) -> Result<[u32; 5], Failure> {
        use sys::CUfunction_attribute::*;
        Ok([
            self.attribute(CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            self.attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            self.attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            self.attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
            self.attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        ])
    }

    /// Lets blocks have `bytes` of dynamic shared memory.
    pub(super) fn opt_in(&self, bytes: u32) -> Result<(), Failure> {
        let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function is live.
        Ok(unsafe { result::function::set_function_attribute(self.at, which, c_int::try_from(bytes).unwrap_or(c_int::MAX)) }?)
    }

    /// Blocks of `threads` threads and `shared` dynamic bytes that fit on an SM.
    pub(super) fn blocks_per_sm(&self, threads: u32, shared: u32) -> Result<u32, Failure> {
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        // SAFETY: the function is live.
        let blocks = unsafe { result::occupancy::max_active_block_per_multiprocessor(self.at, threads, shared as usize) }?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// The block size and the grid that the driver suggests.
    pub(super) fn suggestion(&self, shared: u32) -> Result<(u32, u32), Failure> {
        let (mut grid, mut block) = (0, 0);
        // SAFETY: the function and the integers are live; without a callback the given shared size holds for every block size.
        ask(unsafe { sys::cuOccupancyMaxPotentialBlockSize(&raw mut grid, &raw mut block, self.at, None, shared as usize, 0) })?;
        Ok((u32::try_from(block).unwrap_or(0), u32::try_from(grid).unwrap_or(0)))
    }
}

impl Arguments {
    /// Arguments from the bytes of each.
    pub(super) fn new(cells: Vec<[u8; 8]>) -> Self {
        Self { cells, _one_thread: PhantomData }
    }
}

/// What NVRTC made.
pub(super) struct Unit {
    /// Machine code.
    pub(super) cubin: Vec<u8>,
    /// The compiler's messages, those of a success too.
    pub(super) log: String,
    /// The symbol of each kernel that was asked for.
    pub(super) lowered: BTreeMap<String, String>,
}

/// Whether the loader finds NVRTC by its own name.
pub(super) fn nvrtc_is_present() -> bool {
    // SAFETY: only tries to load a library.
    unsafe { nvrtc::is_culib_present() }
}

/// Loads the libraries at `paths` for good, so that the loader then finds them by name: a library that is loaded already answers
/// to its own name wherever it came from. Whether NVRTC is found now.
pub(super) fn load_nvrtc(paths: &[PathBuf]) -> bool {
    for path in paths {
        // SAFETY: the initialisers of NVRTC and of its table of built-ins are NVIDIA's own; neither is ever unloaded.
        match unsafe { libloading::Library::new(path) } {
            Ok(library) => std::mem::forget(library),
            Err(_) => return false,
        }
    }
    nvrtc_is_present()
}

/// NVRTC's version; only after [`nvrtc_is_present`] said yes.
pub(super) fn nvrtc_version() -> Option<(i32, i32)> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both integers are live.
    unsafe { nvrtc::nvrtcVersion(&raw mut major, &raw mut minor) }.result().ok().map(|()| (major, minor))
}

/// The architectures that NVRTC compiles for, as `major * 10 + minor`, in ascending order; only after [`nvrtc_is_present`] said yes.
pub(super) fn nvrtc_architectures() -> Option<Vec<i32>> {
    let mut count = 0;
    // SAFETY: the integer is live.
    unsafe { nvrtc::nvrtcGetNumSupportedArchs(&raw mut count) }.result().ok()?;
    let mut architectures = vec![0; usize::try_from(count).ok()?];
    // SAFETY: the list has room for as many as NVRTC said there are.
    unsafe { nvrtc::nvrtcGetSupportedArchs(architectures.as_mut_ptr()) }.result().ok()?;
    architectures.sort_unstable();
    Some(architectures)
}

/// Compiles `source`, shown as `name` in messages; an error is the compiler's log.
pub(super) fn compile(
    source: &str,
    name: &str,
    headers: &BTreeMap<String, String>,
    options: &[String],
    kernels: &[String],
) -> Result<Unit, String> {
    let text = |text: &str| CString::new(text).map_err(|_| "a source or an option holds NUL".to_owned());
    let texts = |all: &mut dyn Iterator<Item = &String>| all.map(|one| text(one)).collect::<Result<Vec<_>, _>>();
    let (source, name) = (text(source)?, text(name)?);
    let (header_names, header_texts) = (texts(&mut headers.keys())?, texts(&mut headers.values())?);
    let (options, expressions) = (texts(&mut options.iter())?, texts(&mut kernels.iter())?);
    let pointers = |all: &[CString]| all.iter().map(|one| one.as_ptr()).collect::<Vec<_>>();
    let (names, contents, flags) = (pointers(&header_names), pointers(&header_texts), pointers(&options));
    let words = |error: nvrtc_result::NvrtcError| format!("NVRTC: {error}");
    let mut program = std::ptr::null_mut();
    // SAFETY: every pointer is to a text that outlives the program, which is destroyed below on all ways out.
    unsafe {
        nvrtc::nvrtcCreateProgram(
            &raw mut program,
            source.as_ptr(),
            name.as_ptr(),
            names.len() as c_int,
            contents.as_ptr(),
            names.as_ptr(),
        )
        .result()
        .map_err(words)?;
        let made = (|| {
            for expression in &expressions {
                nvrtc::nvrtcAddNameExpression(program, expression.as_ptr()).result().map_err(words)?;
            }
            let outcome = nvrtc::nvrtcCompileProgram(program, flags.len() as c_int, flags.as_ptr()).result();
            let log: Vec<u8> = nvrtc_result::get_program_log(program).map_err(words)?.into_iter().map(|byte| byte as u8).collect();
            let log = String::from_utf8_lossy(&log).trim_matches('\0').trim_end().to_owned();
            outcome.map_err(|error| if log.is_empty() { words(error) } else { log.clone() })?;
            let mut lowered = BTreeMap::new();
            for (expression, kernel) in expressions.iter().zip(kernels) {
                let mut symbol = std::ptr::null();
                nvrtc::nvrtcGetLoweredName(program, expression.as_ptr(), &raw mut symbol).result().map_err(words)?;
                lowered.insert(kernel.clone(), CStr::from_ptr(symbol).to_string_lossy().into_owned());
            }
            let mut size = 0;
            nvrtc::nvrtcGetCUBINSize(program, &raw mut size).result().map_err(words)?;
            let mut cubin = vec![0; size];
            nvrtc::nvrtcGetCUBIN(program, cubin.as_mut_ptr().cast()).result().map_err(words)?;
            Ok(Unit { cubin, log, lowered })
        })();
        let _ = nvrtc_result::destroy_program(program);
        made
    }
}
