//! Turns launches with every number known into faults, receipts and spans of time: the seam to a GPU.
//!
//! Must not know rounds, orders or statistics, nor what a lesson is. One file below names cudarc; nothing else does.

pub mod canary;
pub mod choice;
pub mod compare;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod fake;
pub mod host;
pub mod inputs;
pub mod machine;
pub mod ncu;
#[cfg(feature = "cuda")]
pub mod nvml;
pub(crate) mod paths;
pub mod readback;
pub mod replay;
pub mod took;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::evidence::canary::Canary;
use crate::evidence::record::{Circumstance, Outcome, Receipt};
use crate::plan::launch::{BufferPlan, Code, Data, DeviceFacts, Launch, Read, Residency, Shape};

use self::took::Took;

/// What is known of the device and the machine before any code is compiled. Fields that could not be learned are
/// `None`, and `unknown` has their names and reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// What the driver says of the GPU.
    pub gpu: DeviceFacts,
    /// NVIDIA driver branch, such as `580`.
    pub driver_branch: Option<String>,
    /// CUDA version of the driver, such as `13.0`.
    pub driver_cuda: Option<String>,
    /// All that explains a run and does not identify it; the caller adds what it knows (commit, lessonc's version).
    pub circumstance: Circumstance,
    /// Why a field is `None`, by its name.
    pub unknown: BTreeMap<String, String>,
}

/// All that a device needs for one sweep. Serialisable, so that a fresh process can be handed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The sweep, for messages and names of files.
    pub sweep: String,
    /// What is compiled.
    pub code: Code,
    /// What is compiled apart from each other.
    pub builds: Vec<Build>,
    /// What rows work on, each once; the same calls and buffers in all of it, of other sizes.
    pub data: Vec<Data>,
    /// Which of it each row works on, by the row's index; the first, for rows beyond.
    pub data_of: Vec<u32>,
    /// Buffers that figures are read back from; they are poisoned with the outputs.
    pub read: Vec<String>,
    /// Folder outside the course for cubins, libraries, inputs and references; made by the planning process, read by
    /// the processes of the rounds.
    pub workspace: PathBuf,
}

/// One compile of a sweep's device code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Options beside those of the code.
    pub options: Vec<String>,
    /// The kernels that rows launch from it, each once: plain names or name expressions.
    pub kernels: Vec<String>,
}

/// The builds that rows of `shapes` need, each once.
#[must_use]
pub fn builds(shapes: &[Shape]) -> Vec<Build> {
    let mut kernels: BTreeMap<&[String], BTreeSet<&str>> = BTreeMap::new();
    for shape in shapes {
        kernels.entry(&shape.options).or_default().insert(&shape.kernel);
    }
    let build = |(options, kernels): (&[String], BTreeSet<&str>)| Build {
        options: options.to_vec(),
        kernels: kernels.into_iter().map(str::to_owned).collect(),
    };
    kernels.into_iter().map(build).collect()
}

/// Nothing to work on.
static NO_DATA: Data = Data { buffers: Vec::new(), inputs: Vec::new(), check: None };

impl Setup {
    /// What rows number `index` of the data work on.
    #[must_use]
    pub fn data(&self, index: usize) -> &Data {
        self.data.get(index).unwrap_or(&NO_DATA)
    }

    /// The number of what row `row` works on.
    #[must_use]
    pub fn data_of(&self, row: u32) -> usize {
        self.data_of.get(row as usize).map_or(0, |&data| data as usize)
    }

    /// The buffers in the largest size that any row needs.
    #[must_use]
    pub fn largest(&self) -> Vec<BufferPlan> {
        let mut largest = self.data(0).buffers.clone();
        for buffer in self.data.iter().flat_map(|data| &data.buffers) {
            if let Some(found) = largest.iter_mut().find(|found| found.name == buffer.name) {
                found.count = found.count.max(buffer.count);
            }
        }
        largest
    }

    /// The first of the data whose inputs are those of number `index`: it holds them for both.
    #[must_use]
    pub fn inputs_of(&self, index: usize) -> usize {
        let own = self.data(index);
        let same = |other: &Data| other.buffers == own.buffers && other.inputs == own.inputs;
        self.data.iter().position(same).unwrap_or(index)
    }
}

/// A warm-up that does not settle ends after this many times its least time. A replay has to know it to stop there.
pub const WARMUP_PATIENCE: u32 = 5;

/// Bytes that are read to evict the second-level cache before a cold sample: twice its size.
#[must_use]
pub fn evicted_bytes(gpu: &DeviceFacts) -> u64 {
    gpu.l2_bytes.saturating_mul(2)
}

/// What compiling said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// NVRTC's version.
    pub nvrtc: Option<String>,
    /// The host compiler's version line.
    pub host_compiler: Option<String>,
    /// The architecture of the cubin.
    pub architecture: String,
    /// All options given to NVRTC, in order, paths left out.
    pub options: Vec<String>,
    /// Messages by compiler (`nvrtc`, `c++`), paths stripped.
    pub logs: BTreeMap<String, String>,
}

/// How a sample is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplePlan {
    /// Launches between the two events.
    pub launches: u32,
    /// Whether to evict the second-level cache first, by reading.
    pub evict: bool,
}

/// One event pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// What the pair measured, nanoseconds.
    pub span_ns: u64,
    /// SM clock around it, MHz, from in-stream probes of cycles and global time.
    pub clock_mhz: u32,
}

/// What the driver reports of the device's state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Active throttle reasons by name; `None` without NVML.
    pub throttle: Option<Vec<String>>,
    /// Degrees Celsius.
    pub temperature_c: Option<u32>,
    /// Performance state, such as `P0`.
    pub pstate: Option<String>,
    /// Memory clock, MHz.
    pub memory_clock_mhz: Option<u32>,
}

/// Why a row could not go on. A fault after a launch poisons the context, so that the process must end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The launch was refused (too many threads, too much shared memory).
    Launch(String),
    /// The kernel ran and failed (illegal address, trap).
    Runtime(String),
    /// A sample or launch did not come back in time.
    Timeout(String),
}

impl From<Fault> for Outcome {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Launch(why) => Self::Launch(why),
            Fault::Runtime(why) => Self::Runtime(why),
            Fault::Timeout(why) => Self::Timeout(why),
        }
    }
}

/// Why a device can't be used for a sweep at all: a problem of the machine or of the course's code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceError {
    /// Something is not installed or not there: driver, GPU, NVRTC, a C++ compiler. Says which, and what to install.
    Missing {
        /// What is missing, such as `NVRTC`.
        what: String,
        /// What was tried or seen.
        why: String,
        /// What to install or do.
        remedy: String,
    },
    /// The author's code does not compile; the log has the author's file and line.
    Compile {
        /// `nvrtc` or `c++`.
        compiler: String,
        /// The compiler's messages.
        log: String,
    },
    /// Anything else, with its context.
    Other(String),
}

impl std::fmt::Display for DeviceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing { what, why, remedy } => write!(f, "{what} is missing: {why}. {remedy}"),
            Self::Compile { compiler, log } => write!(f, "{compiler} rejects the code:\n{log}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for DeviceError {}

/// A GPU, a stand-in for tests, or a record played back. Calls come in the order of the methods below: a planning
/// process calls down to [`Device::make_inputs`], a round's process `open` and then the canaries and, row by row, the rest.
pub trait Device {
    /// Facts of the device and the machine.
    ///
    /// # Errors
    /// [`DeviceError::Missing`] when there is no driver or no GPU.
    fn machine(&mut self) -> Result<Machine, DeviceError>;

    /// Compiles the sweep's device and host code into the workspace and loads the kernels.
    ///
    /// # Errors
    /// [`DeviceError::Compile`] with the author's lines; [`DeviceError::Missing`] without a compiler.
    fn build(&mut self, setup: &Setup) -> Result<Built, DeviceError>;

    /// The driver's answer for `shape`, opting in to its dynamic shared memory first where it needs that.
    ///
    /// # Errors
    /// The driver's words, when the shape is impossible.
    fn residency(&mut self, shape: &Shape) -> Result<Residency, DeviceError>;

    /// Runs the host regions that fill inputs and compute references, into the workspace.
    ///
    /// # Errors
    /// When the disk is full or a host region fails.
    fn make_inputs(&mut self, setup: &Setup) -> Result<(), DeviceError>;

    /// In a fresh process: loads what [`Device::build`] and [`Device::make_inputs`] left in the workspace, allocates and
    /// fills the buffers.
    ///
    /// # Errors
    /// When the device has too little memory, or the workspace is incomplete.
    fn open(&mut self, setup: &Setup) -> Result<(), DeviceError>;

    /// The span of an event pair with nothing between, nanoseconds: the median of several.
    ///
    /// # Errors
    /// A fault of the device.
    fn empty_pair_ns(&mut self) -> Result<u64, Fault>;

    /// Makes `launch`, the row `row` of the plan, the one that the following calls are about.
    ///
    /// # Errors
    /// When its shape is refused.
    fn stage(&mut self, row: u32, launch: &Launch) -> Result<(), Fault>;

    /// From now on, a launch or a sample that takes longer than `limit` is a [`Fault::Timeout`].
    fn allow(&mut self, _limit: Duration) {}

    /// Poisons `out` buffers and those that are read back with 0xFF, and restores `inout` ones.
    ///
    /// # Errors
    /// A fault of the device.
    fn reset_outputs(&mut self) -> Result<(), Fault>;

    /// Launches once and waits.
    ///
    /// # Errors
    /// The launch's or the kernel's fault.
    fn launch(&mut self) -> Result<(), Fault>;

    /// Launches `launches` times, each with its outputs prepared, in a part of the process's life that a profiler is told of.
    ///
    /// # Errors
    /// The launch's or the kernel's fault.
    fn profile(&mut self, launches: u32) -> Result<(), Fault> {
        for _ in 0..launches {
            self.reset_outputs()?;
            self.launch()?;
        }
        Ok(())
    }

    /// Compares the outputs as they are now; `None` if the sweep has no check.
    ///
    /// # Errors
    /// A fault of the device.
    fn check(&mut self) -> Result<Option<Receipt>, Fault>;

    /// Takes one sample of the staged launch.
    ///
    /// # Errors
    /// The kernel's fault, or that it did not come back.
    fn sample(&mut self, plan: SamplePlan) -> Result<Sample, Fault>;

    /// Takes one sample of a launch that lessonc brings itself; `None` where the device has none. What was staged is forgotten.
    ///
    /// # Errors
    /// The kernel's fault, or that it did not come back.
    fn canary(&mut self, canary: Canary) -> Result<Option<Sample>, Fault>;

    /// What the last launch left for the figure `read`.
    ///
    /// # Errors
    /// A fault of the device, or that no launch wrote it.
    fn read(&mut self, read: &Read) -> Result<i64, Fault>;

    /// The state of the device now.
    fn condition(&mut self) -> Condition;

    /// How long parts of what was asked took since this was asked last, where the device keeps that.
    fn took(&mut self) -> Took {
        Took::default()
    }

    /// Time since some fixed moment: what warm-up and limits are counted by. A stand-in has a clock of its own, so that
    /// a test needs no patience and a replay repeats.
    fn now(&mut self) -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}
