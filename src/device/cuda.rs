//! Turns the calls of the device seam into CUDA.
//!
//! Must not decide anything: order, counts and verdicts come from above. Below it, `api` alone names cudarc, `timing` takes a
//! sample, `compile` and `toolkit` deal with NVRTC, `examine` with what it says, `cache` keeps it, `buffers` moves data.

mod api;
mod buffers;
mod cache;
mod canary;
pub mod compile;
#[cfg(test)]
mod course;
mod cubin;
mod disassembler;
pub mod examine;
mod facts;
mod find;
mod ptxas;
mod timing;
mod toolkit;
mod units;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use self::api::{Arguments, Failure, Function, Gpu, Module};
use self::buffers::Buffers;
use self::cache::Cache;
use self::canary::Canaries;
use self::find::{find, missing};
use self::timing::{Clockwork, Staged};
use self::units::{Units, units};
use super::choice::GpuChoice;
use super::nvml::{self, Management};
use super::took::Took;
use super::{Build, Built, Condition, Device, DeviceError, Fault, Machine, Sample, SamplePlan, Setup, host, inputs, machine};
use crate::evidence::canary::Canary;
use crate::evidence::record::Receipt;
use crate::plan::launch::{Argument, DeviceFacts, KernelFacts, Launch, Read, Residency, Shape};

/// Machine code of the sweep and the names of its kernels in it; those of the kernels around a sample.
fn cubin_file(build: usize) -> String {
    format!("device-{build}.cubin")
}
fn lowered_file(build: usize) -> String {
    format!("device-{build}.json")
}
const PROBE_CUBIN: &str = "probe.cubin";
const CANARY_CUBIN: &str = "canary.cubin";

/// A visible NVIDIA GPU.
pub struct CudaDevice {
    // Fields are dropped in order: what lives on the device before the context's last handle.
    open: Option<Open>,
    /// By the options of their build and their names.
    kernels: BTreeMap<(Vec<String>, String), Function>,
    management: Result<Management, String>,
    facts: DeviceFacts,
    uuid: [u8; 16],
    busy: Vec<String>,
    limit: Duration,
    gpu: Gpu,
}

/// What a round's process has loaded.
struct Open {
    staged: Option<Staged>,
    /// Made when the first is asked for; `None` inside where the device has no memory left for them.
    canaries: Option<Option<Canaries>>,
    clockwork: Clockwork,
    buffers: Buffers,
    setup: Setup,
    _probes: Module,
    canary_module: Module,
}

impl From<Failure> for DeviceError {
    fn from(failure: Failure) -> Self {
        Self::Other(failure.0)
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self::Runtime(failure.0)
    }
}

impl CudaDevice {
    /// Opens the first visible GPU. A launch or sample that takes longer than `limit` is a [`Fault::Timeout`].
    ///
    /// # Errors
    /// [`DeviceError::Missing`] when there is no driver, an old one, or no GPU.
    pub fn open(limit: Duration) -> Result<Self, DeviceError> {
        Self::open_chosen(&GpuChoice::First, limit, Some(Duration::ZERO))
    }

    /// Opens the GPU of `choice`; one that is busy is given `patience` to become idle. `None`: whether it is busy is not asked.
    ///
    /// # Errors
    /// As for [`CudaDevice::open`], and when there is no such GPU among those that are visible.
    pub fn open_chosen(choice: &GpuChoice, limit: Duration, patience: Option<Duration>) -> Result<Self, DeviceError> {
        let found = find(choice)?;
        let uuid = found.uuid()?;
        let mut management = Management::open(uuid, found.pci_bus_id()?);
        let busy = match (&mut management, patience) {
            (Ok(management), Some(patience)) => management.look_around(patience),
            _ => Vec::new(),
        };
        let gpu = Gpu::open(found).map_err(missing)?;
        let facts = facts::facts(&gpu)?;
        Ok(Self { open: None, kernels: BTreeMap::new(), management, facts, uuid, busy, limit, gpu })
    }

    fn ready(&mut self) -> Result<(&Gpu, &mut Open, Duration), Fault> {
        let open = self.open.as_mut().ok_or_else(|| Fault::Runtime("the device was not opened for a sweep".into()))?;
        Ok((&self.gpu, open, self.limit))
    }

    fn kernel(&self, shape: &Shape) -> Result<&Function, String> {
        let name = &shape.kernel;
        self.kernels.get(&(shape.options.clone(), name.clone())).ok_or_else(|| format!("the sweep compiled no kernel `{name}`"))
    }

    /// The kernel of `shape`, allowed the dynamic shared memory that it asks for. Only where dynamic and static memory together
    /// exceed the default: opting in everywhere would move the split between shared memory and the first-level cache.
    fn opted_in(&self, shape: &Shape) -> Result<Function, String> {
        let function = self.kernel(shape)?.clone();
        let [_, _, fixed, _, _] = function.attributes().map_err(|failure| failure.0)?;
        if shape.shared_bytes > 0 && fixed.saturating_add(shape.shared_bytes) > self.facts.shared_bytes_per_block {
            function.opt_in(shape.shared_bytes).map_err(|failure| {
                format!(
                    "{} dynamic and {fixed} static bytes of shared memory a block (this device allows {}): {}",
                    shape.shared_bytes, self.facts.shared_bytes_per_block_optin, failure.0
                )
            })?;
        }
        Ok(function)
    }

    fn load_kernels(&mut self, build: &Build, cubin: &[u8], lowered: &BTreeMap<String, String>) -> Result<(), DeviceError> {
        let module = self.gpu.load(cubin)?;
        for (name, symbol) in lowered {
            self.kernels.insert((build.options.clone(), name.clone()), module.function(symbol)?);
        }
        Ok(())
    }
}

impl Device for CudaDevice {
    fn machine(&mut self) -> Result<Machine, DeviceError> {
        let mut unknown = BTreeMap::new();
        let mut circumstance = machine::circumstance("cuda", &mut unknown);
        circumstance.uuid_digest = Some(nvml::uuid_digest(self.uuid));
        circumstance.busy.clone_from(&self.busy);
        match &self.management {
            Ok(management) => management.describe(&mut circumstance, &mut unknown),
            Err(why) => {
                nvml::without(why, &mut unknown);
                circumstance.driver = std::fs::read_to_string("/sys/module/nvidia/version").ok().map(|text| text.trim().to_owned());
            }
        }
        let driver_branch = circumstance.driver.as_ref().and_then(|version| version.split('.').next()).map(str::to_owned);
        if driver_branch.is_none() {
            let why = unknown.get("driver").cloned().unwrap_or_else(|| "the driver does not tell its version without NVML".into());
            unknown.insert("driver_branch".into(), why.clone());
            unknown.entry("driver".into()).or_insert(why);
        }
        let version = Gpu::driver_version()?;
        let driver_cuda = Some(format!("{}.{}", version / 1000, version % 1000 / 10));
        Ok(Machine { gpu: self.facts.clone(), driver_branch, driver_cuda, circumstance, unknown })
    }

    fn build(&mut self, setup: &Setup) -> Result<Built, DeviceError> {
        let architecture = self.facts.architecture();
        let Units { probes, canaries, compiled, host } = units(setup, &architecture, &Cache::of_user())?;
        write(&setup.workspace, PROBE_CUBIN, &probes.cubin)?;
        write(&setup.workspace, CANARY_CUBIN, &canaries.cubin)?;
        let (mut logs, mut options, mut nvrtc) = (BTreeMap::new(), Vec::new(), None);
        self.kernels.clear();
        for (index, (build, compiled)) in setup.builds.iter().zip(compiled).enumerate() {
            let lowered = serde_json::to_vec(&compiled.lowered).map_err(|error| DeviceError::Other(error.to_string()))?;
            write(&setup.workspace, &cubin_file(index), &compiled.cubin)?;
            write(&setup.workspace, &lowered_file(index), &lowered)?;
            self.load_kernels(build, &compiled.cubin, &compiled.lowered)?;
            // A row's own options stand in its launch.
            options = compiled.options[..compiled.options.len() - build.options.len()].to_vec();
            nvrtc = compiled.nvrtc;
            logs.insert([&["nvrtc".to_owned()], &build.options[..]].concat().join(" "), compiled.log);
        }
        let host_compiler = host.map(|built| {
            logs.insert("c++".into(), built.log);
            built.compiler
        });
        Ok(Built { nvrtc, host_compiler, architecture, options, logs })
    }

    fn residency(&mut self, shape: &Shape) -> Result<Residency, DeviceError> {
        let function = self.opted_in(shape).map_err(DeviceError::Other)?;
        let [registers, local_bytes, static_shared_bytes, const_bytes, max_threads_per_block] = function.attributes()?;
        let threads = shape.block.iter().map(|&n| u64::from(n)).product::<u64>();
        let most = max_threads_per_block.min(self.facts.threads_per_block);
        if threads == 0 || threads > u64::from(most) {
            return Err(DeviceError::Other(format!(
                "a block of {threads} threads: `{}` can have 1 to {most} on this device",
                shape.kernel
            )));
        }
        let blocks_per_sm = function.blocks_per_sm(threads as u32, shape.shared_bytes)?;
        if blocks_per_sm == 0 {
            return Err(DeviceError::Other(format!(
                "no block of {threads} threads with {} dynamic bytes of shared memory fits on an SM of this device",
                shape.shared_bytes
            )));
        }
        let (suggested_block, suggested_grid) = function.suggestion(shape.shared_bytes)?;
        let kernel = KernelFacts { registers, local_bytes, static_shared_bytes, const_bytes, max_threads_per_block };
        Ok(Residency { blocks_per_sm, suggested_block, suggested_grid, kernel })
    }

    fn make_inputs(&mut self, setup: &Setup) -> Result<(), DeviceError> {
        if host::is_needed(setup) { inputs::make(setup, &host::HostLibrary::load(setup)?) } else { Ok(()) }
    }

    fn open(&mut self, setup: &Setup) -> Result<(), DeviceError> {
        self.open = None;
        self.kernels.clear();
        for (index, build) in setup.builds.iter().enumerate() {
            let lowered: BTreeMap<String, String> = serde_json::from_slice(&read(&setup.workspace, &lowered_file(index))?)
                .map_err(|error| DeviceError::Other(format!("the workspace's {}: {error}", lowered_file(index))))?;
            self.load_kernels(build, &read(&setup.workspace, &cubin_file(index))?, &lowered)?;
        }
        let probes = self.gpu.load(&read(&setup.workspace, PROBE_CUBIN)?)?;
        let evicted = super::evicted_bytes(&self.facts);
        let needed: u64 = Buffers::bytes(setup).saturating_add(evicted);
        let (free, _) = self.gpu.free_bytes()?;
        if needed > free as u64 {
            return Err(DeviceError::Other(format!("the buffers need {needed} bytes of device memory and {free} are free")));
        }
        let buffers = Buffers::new(&self.gpu, setup)?;
        let clockwork = Clockwork::new(&self.gpu, &probes, self.facts.sms, evicted, self.limit);
        let clockwork = clockwork.map_err(|fault| DeviceError::Other(format!("the kernels around a sample: {fault:?}")))?;
        let canary_module = self.gpu.load(&read(&setup.workspace, CANARY_CUBIN)?)?;
        let setup = setup.clone();
        self.open = Some(Open { staged: None, canaries: None, clockwork, buffers, setup, _probes: probes, canary_module });
        Ok(())
    }

    fn empty_pair_ns(&mut self) -> Result<u64, Fault> {
        let (gpu, open, limit) = self.ready()?;
        open.clockwork.empty_pair_ns(gpu, limit)
    }

    fn stage(&mut self, row: u32, launch: &Launch) -> Result<(), Fault> {
        let function = self.opted_in(&launch.shape).map_err(Fault::Launch)?;
        let (gpu, open, _) = self.ready()?;
        open.buffers.stage(gpu, &open.setup, row).map_err(|error| Fault::Runtime(error.to_string()))?;
        let mut cells = Vec::with_capacity(launch.arguments.len());
        let mut sizes = Vec::with_capacity(launch.arguments.len());
        for argument in &launch.arguments {
            sizes.push(if matches!(argument, Argument::I32(_) | Argument::U32(_) | Argument::F32(_)) { 4 } else { 8 });
            cells.push(match argument {
                Argument::Buffer(name) => {
                    let address = open.buffers.address(name);
                    address.ok_or_else(|| Fault::Launch(format!("the kernel is given `{name}`, which is no buffer")))?.to_ne_bytes()
                }
                number => host::number_bytes(number),
            });
        }
        if function.parameters() != sizes {
            return Err(Fault::Launch(format!(
                "`{}` takes arguments of {:?} bytes, and the manifest gives {sizes:?}",
                launch.shape.kernel,
                function.parameters()
            )));
        }
        let arguments = Arguments::new(cells);
        let (grid, block, shared) = (launch.grid, launch.shape.block, launch.shape.shared_bytes);
        open.staged = Some(Staged { function, grid, block, shared, arguments });
        Ok(())
    }

    fn allow(&mut self, limit: Duration) {
        self.limit = limit;
    }

    fn reset_outputs(&mut self) -> Result<(), Fault> {
        let (gpu, open, limit) = self.ready()?;
        open.buffers.reset_outputs(gpu)?;
        timing::wait(gpu, limit)
    }

    fn launch(&mut self) -> Result<(), Fault> {
        let (gpu, open, limit) = self.ready()?;
        staged(&open.staged)?.launch(gpu)?;
        timing::wait(gpu, limit)
    }

    fn profile(&mut self, launches: u32) -> Result<(), Fault> {
        // What prepares outputs is no kernel of ours, and a profiler counts kernels only.
        Gpu::profiler(true)?;
        for _ in 0..launches {
            self.reset_outputs()?;
            self.launch()?;
        }
        Ok(Gpu::profiler(false)?)
    }

    fn check(&mut self) -> Result<Option<Receipt>, Fault> {
        let (gpu, open, _) = self.ready()?;
        open.buffers.check(gpu, &open.setup)
    }

    fn sample(&mut self, plan: SamplePlan) -> Result<Sample, Fault> {
        let (gpu, open, limit) = self.ready()?;
        open.clockwork.sample(gpu, Some(staged(&open.staged)?), plan, limit)
    }

    fn canary(&mut self, canary: Canary) -> Result<Option<Sample>, Fault> {
        let facts = self.facts.clone();
        let (gpu, open, limit) = self.ready()?;
        let canaries = match &mut open.canaries {
            Some(canaries) => canaries,
            none => none.insert(Canaries::new(gpu, &open.canary_module, &facts)?),
        };
        let Some(canaries) = canaries else { return Ok(None) };
        let plan = SamplePlan { launches: super::canary::plan(canary, &facts).launches, evict: false };
        open.clockwork.sample(gpu, Some(canaries.staged(canary)), plan, limit).map(Some)
    }

    fn read(&mut self, read: &Read) -> Result<i64, Fault> {
        let (gpu, open, _) = self.ready()?;
        open.buffers.read(gpu, read)
    }

    fn took(&mut self) -> Took {
        self.open.as_mut().map(|open| open.buffers.took()).unwrap_or_default()
    }

    fn condition(&mut self) -> Condition {
        self.management.as_ref().map(Management::condition).unwrap_or_default()
    }
}

fn staged(staged: &Option<Staged>) -> Result<&Staged, Fault> {
    staged.as_ref().ok_or_else(|| Fault::Runtime("no launch was staged".into()))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), DeviceError> {
    std::fs::write(folder.join(name), bytes).map_err(|error| DeviceError::Other(format!("can't write {name} to the workspace: {error}")))
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, DeviceError> {
    std::fs::read(folder.join(name)).map_err(|error| DeviceError::Other(format!("the workspace has no {name}: {error}")))
}

/// The program `name` of the CUDA toolkit, such as `nvcc`, wherever it is installed.
#[must_use]
pub fn program(name: &str) -> Option<std::path::PathBuf> {
    toolkit::tool(name)
}
