//! Turns a row of a sweep, the device's facts and the driver's residency answer into one launch, all numbers known.
//!
//! Must not ask a device anything itself: its answers come in as values, so that a replay plans exactly as the run did.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::course::sweep::{Element, Role, Take};

/// What the driver says of a GPU: the facts that a launch or a column may be computed from.
///
/// Sizes are in bytes, clocks in kHz, as the CUDA driver API reports them (`cuDeviceGetAttribute`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceFacts {
    /// Product name, such as `NVIDIA H200`.
    pub name: String,
    /// MIG profile such as `1g.18gb`; `None` for a whole card.
    pub mig: Option<String>,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Threads in a warp.
    pub warp_size: u32,
    /// Threads that an SM can hold.
    pub threads_per_sm: u32,
    /// Blocks that an SM can hold.
    pub blocks_per_sm: u32,
    /// Threads that a block can have.
    pub threads_per_block: u32,
    /// 32-bit registers of an SM.
    pub registers_per_sm: u32,
    /// 32-bit registers that a block can have.
    pub registers_per_block: u32,
    /// Shared memory of an SM.
    pub shared_bytes_per_sm: u32,
    /// Shared memory that a block gets without opting in.
    pub shared_bytes_per_block: u32,
    /// Shared memory that a block can get by opting in.
    pub shared_bytes_per_block_optin: u32,
    /// Shared memory that the system keeps of each block.
    pub shared_bytes_reserved_per_block: u32,
    /// Second-level cache.
    pub l2_bytes: u64,
    /// Global memory.
    pub memory_bytes: u64,
    /// Width of the memory bus, bits.
    pub memory_bus_bits: u32,
    /// Top memory clock, kHz.
    pub memory_clock_khz: u32,
    /// Top SM clock, kHz.
    pub sm_clock_khz: u32,
    /// Whether memory errors are corrected.
    pub ecc: bool,
}

impl DeviceFacts {
    /// The product name with the MIG profile, if there is one.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.mig {
            Some(profile) => format!("{} {profile}", self.name),
            None => self.name.clone(),
        }
    }

    /// The name of the device in paths and in `course.toml`: the slug of the GPU's name with its MIG profile.
    #[must_use]
    pub fn slug(&self) -> String {
        crate::base::name::slug(&self.title())
    }

    /// The architecture that a cubin for this device is compiled for, such as `sm_90`.
    #[must_use]
    pub fn architecture(&self) -> String {
        format!("sm_{}{}", self.compute_capability.0, self.compute_capability.1)
    }
}

/// What the driver says of a loaded kernel (`cuFuncGetAttribute`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelFacts {
    /// Registers a thread.
    pub registers: u32,
    /// Local memory a thread, bytes; spills live there.
    pub local_bytes: u32,
    /// Statically allocated shared memory a block, bytes.
    pub static_shared_bytes: u32,
    /// Constant memory, bytes.
    pub const_bytes: u32,
    /// Threads a block may have with this kernel.
    pub max_threads_per_block: u32,
}

/// What the driver answers for one kernel, block size and amount of dynamic shared memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Residency {
    /// Blocks that fit on an SM at once (`cuOccupancyMaxActiveBlocksPerMultiprocessor`).
    pub blocks_per_sm: u32,
    /// The block size that `cuOccupancyMaxPotentialBlockSize` suggests for this kernel and dynamic shared memory.
    pub suggested_block: u32,
    /// The grid that the same call calls enough to fill the device.
    pub suggested_grid: u32,
    /// What the driver says of the kernel.
    pub kernel: KernelFacts,
}

/// What must be known before residency can be asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// The kernel as the unit names it: a plain name or a template's name expression, such as `scale<8>`.
    pub kernel: String,
    /// Threads a block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory a block, bytes.
    pub shared_bytes: u32,
    /// Options for NVRTC that are the row's own, beside those of the code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// One kernel argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// The device address of the buffer of this name.
    Buffer(String),
    /// A C `int`.
    I32(i32),
    /// A C `unsigned`.
    U32(u32),
    /// A C `long long`.
    I64(i64),
    /// A C `unsigned long long` or `size_t`.
    U64(u64),
    /// A C `float`.
    F32(f32),
    /// A C `double`.
    F64(f64),
}

/// One launch with every number known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// Kernel, block and dynamic shared memory.
    #[serde(flatten)]
    pub shape: Shape,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
    /// Bytes that one launch moves to and from the level named by the sweep, if it says.
    pub bytes: Option<u64>,
    /// Floating-point operations of one launch, if the sweep says.
    pub flop: Option<u64>,
}

/// A device buffer of a sweep, its size known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferPlan {
    /// Its name in the manifest.
    pub name: String,
    /// Its part.
    pub role: Role,
    /// Its element type.
    pub element: Element,
    /// Its elements.
    pub count: u64,
}

impl BufferPlan {
    /// Its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count * self.element.bytes()
    }
}

/// A call of a C++ function of the host regions; scalar arguments are exact numbers by now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCall {
    /// The function.
    pub function: String,
    /// Its arguments: buffers by name (host copies), or numbers.
    pub arguments: Vec<Argument>,
}

/// What rows work on: the buffers in their sizes, what fills them, and how outputs are judged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The buffers.
    pub buffers: Vec<BufferPlan>,
    /// The calls that fill the input buffers, in order.
    pub inputs: Vec<HostCall>,
    /// How outputs are judged; `None` only where nothing is measured.
    pub check: Option<Check>,
}

impl Data {
    /// The buffer `name`.
    #[must_use]
    pub fn buffer(&self, name: &str) -> Option<&BufferPlan> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }
}

/// A figure of a row that is read back from a buffer after each sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The column that it makes.
    pub name: String,
    /// The buffer.
    pub buffer: String,
    /// What is taken of it.
    pub take: Take,
}

impl Read {
    /// What is taken, in a few words: `clock[0]`, `the max of clock`.
    #[must_use]
    pub fn words(&self) -> String {
        match self.take {
            Take::At(index) => format!("{}[{index}]", self.buffer),
            take => format!("the {} of {}", take.name(), self.buffer),
        }
    }
}

/// How outputs are judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// A host function computes what the `out` and `inout` buffers should hold; they are compared element by element.
    Reference {
        /// The call; each output buffer it names is the host buffer that it must fill.
        call: HostCall,
        /// Largest relative difference of a floating-point element.
        relative: f64,
        /// Largest absolute difference of a floating-point element.
        absolute: f64,
    },
    /// A host function looks at the outputs and returns whether they are right.
    Predicate {
        /// The call; the function returns `bool`.
        call: HostCall,
    },
}

/// What one compile of device code and one of host code need; complete, so that it can be handed to another process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Code {
    /// The file under `kernels/` that it is cut from; also the name that compilers see.
    pub source: String,
    /// The device unit: the regions that the manifest names (or the whole file less its host regions), with `#line`.
    pub device: String,
    /// The host unit: the regions that fill and check, with `#line`; empty if the sweep has none.
    pub host: String,
    /// Local headers that either includes, by the name in the `#include`.
    pub headers: BTreeMap<String, String>,
    /// Options for NVRTC, without architecture and include paths.
    pub options: Vec<String>,
}
