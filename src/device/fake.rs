//! Turns formulas into times, and requests into faults: a device for tests.
//!
//! Must never feed a published page. Its answers follow from its description alone, so that two runs are equal.

mod faults;

use std::sync::Arc;
use std::time::Duration;

use super::canary::plan;
use super::{Built, Condition, Device, DeviceError, Fault, Machine, Sample, SamplePlan, Setup};
use crate::base::digest::Digest;
use crate::evidence::FAKE;
use crate::evidence::canary::Canary;
use crate::evidence::record::{Circumstance, Receipt};
use crate::plan::launch::{DeviceFacts, KernelFacts, Launch, Read, Residency, Shape};

pub use self::faults::{FakeFault, FaultKind};

/// The time of one launch in nanoseconds, by the row's index and launch.
pub type TimeOf = dyn Fn(u32, &Launch) -> Result<f64, String> + Send + Sync;

/// What a figure that is read back is after one launch, by the row's index, the launch and the buffer.
pub type ReadOf = dyn Fn(u32, &Launch, &str) -> Result<f64, String> + Send + Sync;

/// What a fake device is.
#[derive(Clone)]
pub struct FakeSpec {
    /// What it says of itself; its slug must be `fake`.
    pub facts: DeviceFacts,
    /// Times.
    pub time: Arc<TimeOf>,
    /// Figures that are read back; they differ between rounds as times do.
    pub read: Arc<ReadOf>,
    /// Largest share by which a round's times differ from the formula; samples differ by a tenth of that besides.
    pub noise: f64,
    /// Seed of the noise.
    pub seed: u64,
    /// How much longer everything takes, canaries included: a machine that moved.
    pub machine: f64,
    /// Spans are multiples of this, nanoseconds.
    pub tick_ns: u64,
    /// The compiler's messages with which it refuses the code, if it does.
    pub refusal: Option<String>,
    /// The compiler's messages with which it takes the code, if it has any.
    pub warnings: Option<String>,
    /// What goes wrong.
    pub faults: Vec<FakeFault>,
    /// How long a row takes on the wall, beside the time that it makes up: so that a test has time to break in.
    pub pace: Duration,
    /// Why the device calls itself busy.
    pub busy: Vec<String>,
}

/// A card that no shop sells: of Hopper's proportions, and small.
#[must_use]
pub fn facts() -> DeviceFacts {
    DeviceFacts {
        name: "Fake".to_owned(),
        mig: None,
        compute_capability: (9, 0),
        sms: 16,
        warp_size: 32,
        threads_per_sm: 2048,
        blocks_per_sm: 32,
        threads_per_block: 1024,
        registers_per_sm: 65_536,
        registers_per_block: 65_536,
        shared_bytes_per_sm: 233_472,
        shared_bytes_per_block: 49_152,
        shared_bytes_per_block_optin: 232_448,
        shared_bytes_reserved_per_block: 1024,
        l2_bytes: 8 << 20,
        memory_bytes: 16 << 30,
        memory_bus_bits: 1024,
        memory_clock_khz: 2_000_000,
        sm_clock_khz: 1_500_000,
        ecc: true,
    }
}

/// 512 GB/s for a launch that says what it moves, a tenth of a millisecond and a little more a row for one that doesn't.
///
/// # Errors
/// Never; the signature is that of [`TimeOf`].
pub fn default_time(row: u32, launch: &Launch) -> Result<f64, String> {
    Ok(launch.bytes.map_or(100_000.0 * (1.0 + f64::from(row) / 100.0), |bytes| bytes as f64 / 512.0))
}

/// A thousand, and a hundred more a row.
///
/// # Errors
/// Never; the signature is that of [`ReadOf`].
pub fn default_read(row: u32, _launch: &Launch, _buffer: &str) -> Result<f64, String> {
    Ok(1000.0 + 100.0 * f64::from(row))
}

impl Default for FakeSpec {
    fn default() -> Self {
        Self {
            facts: facts(),
            time: Arc::new(default_time),
            read: Arc::new(default_read),
            noise: 0.001,
            seed: 1,
            machine: 1.0,
            tick_ns: 32,
            refusal: None,
            warnings: None,
            faults: Vec::new(),
            pace: Duration::ZERO,
            busy: Vec::new(),
        }
    }
}

/// Registers of every kernel of the fake device.
const REGISTERS: u32 = 32;
/// Span of an empty event pair, nanoseconds.
const EMPTY_PAIR_NS: u64 = 200;
/// What a call costs on the host, beyond what the device spans.
const CALL: Duration = Duration::from_micros(10);

/// A fake device in one round; 0 is planning.
pub struct Fake {
    spec: Arc<FakeSpec>,
    round: u32,
    setup: Option<Setup>,
    row: u32,
    launch: Option<Launch>,
    canary: Option<Canary>,
    /// Rows whose residency was asked for.
    asked: u32,
    /// Whether the outputs are those of a launch, and not poison.
    written: bool,
    checks: u32,
    conditions: u32,
    samples: u64,
    clock: Duration,
}

impl Fake {
    /// The device of `spec` as the processes of round `round` meet it.
    #[must_use]
    pub fn new(spec: Arc<FakeSpec>, round: u32) -> Self {
        Self {
            spec,
            round,
            setup: None,
            row: 0,
            launch: None,
            canary: None,
            asked: 0,
            written: false,
            checks: 0,
            conditions: 0,
            samples: 0,
            clock: Duration::ZERO,
        }
    }

    fn has(&self, kind: FaultKind) -> bool {
        let here = |fault: &&FakeFault| fault.row.is_none_or(|row| row == self.row) && fault.round.is_none_or(|round| round == self.round);
        self.spec.faults.iter().filter(here).any(|fault| fault.kind == kind)
    }

    /// Noise in -1 to 1 that belongs to `parts` and to nothing else.
    fn noise(&self, parts: [u64; 3]) -> f64 {
        let digest = Digest::of(format!("{} {parts:?}", self.spec.seed)).to_string();
        u64::from_str_radix(&digest[..13], 16).map_or(0.0, |bits| bits as f64 / (1u64 << 51) as f64 - 1.0)
    }

    /// What the noise of the next sample of `row` makes of a time, on a machine that may have moved.
    fn share(&self, row: u64) -> f64 {
        let (round, noise) = (self.round.into(), self.spec.noise);
        self.spec.machine * (1.0 + noise * (self.noise([round, row, 0]) + 0.1 * self.noise([round, row, self.samples])))
    }

    /// A sample that spans `span` nanoseconds, as the timer reads it.
    fn ticked(&mut self, span: f64) -> Sample {
        let tick = self.spec.tick_ns.max(1);
        let span_ns = (span / tick as f64) as u64 * tick;
        self.clock += Duration::from_nanos(span_ns) + CALL;
        Sample { span_ns, clock_mhz: self.spec.facts.sm_clock_khz / 1000 }
    }

    fn outputs(&self) -> u64 {
        let buffers = self.setup.iter().flat_map(|setup| &setup.data(setup.data_of(self.row)).buffers);
        buffers.filter(|buffer| buffer.role.is_output()).map(|buffer| buffer.count).sum()
    }
}

impl Device for Fake {
    fn machine(&mut self) -> Result<Machine, DeviceError> {
        let circumstance = Circumstance {
            backend: FAKE.to_owned(),
            lessonc: env!("CARGO_PKG_VERSION").to_owned(),
            busy: self.spec.busy.clone(),
            ..Circumstance::default()
        };
        let names = [
            "uuid_digest",
            "vbios",
            "driver",
            "driver_branch",
            "driver_cuda",
            "power_limit_mw",
            "persistence",
            "clock_locks",
            "other_processes",
            "host_cpu",
            "kernel",
            "hypervisor",
        ];
        let unknown = names.into_iter().map(|name| (name.to_owned(), "the device is made up".to_owned())).collect();
        Ok(Machine { gpu: self.spec.facts.clone(), driver_branch: None, driver_cuda: None, circumstance, unknown })
    }

    fn build(&mut self, setup: &Setup) -> Result<Built, DeviceError> {
        if let Some(log) = &self.spec.refusal {
            return Err(DeviceError::Compile { compiler: "nvrtc".to_owned(), log: log.clone() });
        }
        let logs = self.spec.warnings.iter().map(|log| ("nvrtc".to_owned(), log.clone())).collect();
        let architecture = self.spec.facts.architecture();
        let mut options = vec![format!("--gpu-architecture={architecture}")];
        options.extend(setup.code.options.iter().cloned());
        Ok(Built { nvrtc: None, host_compiler: None, architecture, options, logs })
    }

    fn residency(&mut self, shape: &Shape) -> Result<Residency, DeviceError> {
        (self.row, self.asked) = (self.asked, self.asked + 1);
        if self.has(FaultKind::Skipped) {
            return Err(DeviceError::Other("the fake device was told to refuse this row".to_owned()));
        }
        let facts = &self.spec.facts;
        let threads = shape.block.iter().fold(1u32, |product, &n| product.saturating_mul(n));
        if threads == 0 || threads > facts.threads_per_block {
            return Err(DeviceError::Other(format!("a block of {threads} threads: 1 to {} are possible", facts.threads_per_block)));
        }
        if shape.shared_bytes > facts.shared_bytes_per_block_optin {
            return Err(DeviceError::Other(format!(
                "{} bytes of shared memory a block: {} at most",
                shape.shared_bytes, facts.shared_bytes_per_block_optin
            )));
        }
        let warps = threads.div_ceil(facts.warp_size);
        let by_threads = facts.threads_per_sm / (warps * facts.warp_size);
        let capped = shape.options.iter().find_map(|option| option.strip_prefix("--maxrregcount=")?.parse::<u32>().ok());
        let registers = capped.map_or(REGISTERS, |cap| cap.clamp(1, REGISTERS));
        let by_registers = facts.registers_per_sm / (warps * facts.warp_size * registers);
        let by_shared = facts.shared_bytes_per_sm / (shape.shared_bytes + facts.shared_bytes_reserved_per_block);
        let blocks_per_sm = by_threads.min(by_registers).min(by_shared).min(facts.blocks_per_sm);
        let kernel = KernelFacts {
            registers,
            // What has no register is spilled.
            local_bytes: 4 * (REGISTERS - registers),
            static_shared_bytes: 0,
            const_bytes: 0,
            max_threads_per_block: facts.threads_per_block,
        };
        Ok(Residency { blocks_per_sm, suggested_block: facts.threads_per_block, suggested_grid: facts.sms * 2, kernel })
    }

    fn make_inputs(&mut self, _setup: &Setup) -> Result<(), DeviceError> {
        Ok(())
    }

    fn open(&mut self, setup: &Setup) -> Result<(), DeviceError> {
        self.setup = Some(setup.clone());
        Ok(())
    }

    fn empty_pair_ns(&mut self) -> Result<u64, Fault> {
        Ok(if self.has(FaultKind::TooShort) { 1_000_000_000 } else { EMPTY_PAIR_NS })
    }

    fn stage(&mut self, row: u32, launch: &Launch) -> Result<(), Fault> {
        (self.row, self.launch, self.canary) = (row, Some(launch.clone()), None);
        (self.checks, self.conditions, self.samples) = (0, 0, 0);
        if self.round > 0 {
            std::thread::sleep(self.spec.pace);
        }
        Ok(())
    }

    fn reset_outputs(&mut self) -> Result<(), Fault> {
        self.written = false;
        Ok(())
    }

    fn launch(&mut self) -> Result<(), Fault> {
        if self.has(FaultKind::Launch) {
            return Err(Fault::Launch("the fake device was told to refuse the launch".to_owned()));
        }
        self.written = true;
        Ok(())
    }

    fn check(&mut self) -> Result<Option<Receipt>, Fault> {
        if self.setup.as_ref().is_none_or(|setup| setup.data(0).check.is_none()) {
            return Ok(None);
        }
        self.checks += 1;
        let elements = self.outputs();
        let told = if self.checks == 1 { self.has(FaultKind::Incorrect) } else { self.has(FaultKind::IncorrectAfter) };
        // Poison that no launch has overwritten is wrong in every element.
        let wrong = if !self.written { elements } else { u64::from(told) };
        let first_wrong = (wrong > 0).then(|| "output[0]: got nan, expected 1".to_owned());
        Ok(Some(Receipt { elements, wrong, first_wrong, largest_relative: "0".to_owned() }))
    }

    fn sample(&mut self, plan: SamplePlan) -> Result<Sample, Fault> {
        let launch = self.launch.as_ref().ok_or_else(|| Fault::Runtime("no launch was staged".to_owned()))?;
        self.samples += 1;
        let one = (self.spec.time)(self.row, launch).map_err(Fault::Runtime)?;
        let span = one * f64::from(plan.launches) * self.share(self.row.into());
        // The samples proper come after the second reset; warm-up, which has one, is told apart by the condition asked between.
        if self.conditions > 0 && self.has(FaultKind::Runtime) {
            return Err(Fault::Runtime("the fake device was told to fault".to_owned()));
        }
        if self.conditions > 0 && self.has(FaultKind::Timeout) {
            return Err(Fault::Timeout("the fake device was told not to come back".to_owned()));
        }
        if self.conditions > 0 && self.has(FaultKind::Crash) {
            std::process::exit(70);
        }
        while self.conditions > 0 && self.has(FaultKind::Hang) {
            std::thread::sleep(Duration::from_secs(3600));
        }
        if !(span.is_finite() && span >= 0.0) {
            return Err(Fault::Runtime(format!("the formula gives {span} ns")));
        }
        self.written = true;
        let moved = self.has(FaultKind::ClockMoves) && self.samples.is_multiple_of(2);
        let sample = self.ticked(span);
        Ok(Sample { clock_mhz: if moved { sample.clock_mhz / 2 } else { sample.clock_mhz }, ..sample })
    }

    fn canary(&mut self, canary: Canary) -> Result<Option<Sample>, Fault> {
        if self.canary.replace(canary) != Some(canary) {
            (self.launch, self.samples) = (None, 0);
        }
        self.samples += 1;
        let facts = &self.spec.facts;
        let plan = plan(canary, facts);
        let speed = match canary {
            Canary::Copy => 512.0,
            Canary::Fma => f64::from(facts.sms) * 256.0 * f64::from(facts.sm_clock_khz) / 1e6,
        };
        let one = plan.work as f64 / speed;
        // Rows are counted from 0, so that no row has the noise of a canary.
        let span = one * f64::from(plan.launches) * self.share(u64::MAX - canary as u64);
        Ok(Some(self.ticked(span)))
    }

    fn read(&mut self, read: &Read) -> Result<i64, Fault> {
        let launch = self.launch.as_ref().ok_or_else(|| Fault::Runtime("no launch was staged".to_owned()))?;
        let one = (self.spec.read)(self.row, launch, &read.buffer).map_err(Fault::Runtime)?;
        let figure = one * self.share(self.row.into());
        if figure.is_finite() { Ok(figure.round() as i64) } else { Err(Fault::Runtime(format!("the formula reads {figure}"))) }
    }

    fn condition(&mut self) -> Condition {
        self.conditions += 1;
        let reasons = if self.has(FaultKind::Throttled) { vec!["hw-thermal-slowdown".to_owned()] } else { Vec::new() };
        Condition {
            throttle: Some(reasons),
            temperature_c: Some(40),
            pstate: Some("P0".to_owned()),
            memory_clock_mhz: Some(self.spec.facts.memory_clock_khz / 1000),
        }
    }

    fn now(&mut self) -> Duration {
        self.clock
    }
}
