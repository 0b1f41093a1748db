//! Turns `kernels/NAME.toml` into a sweep: what to compile, which rows, what to launch, check and derive.
//!
//! Must not know values: expressions are parsed here and evaluated elsewhere.
//!
//! ```toml
//! title = "How many threads should a block have?"
//! source = "block-size.cu"                 # from kernels/
//! host = ["planes", "reference"]           # regions built by the host's C++ compiler; none by default
//! device = ["luma"]                        # regions given to NVRTC; by default the file less its host regions
//! options = ["--std=c++17"]                # for NVRTC
//!
//! [constants]                              # exact; each may use those before it
//! width = 16384
//! pixels = "width * 8192"
//!
//! [axes]                                   # rows are their product, the first varying slowest; or [[rows]], each with
//! threads = [128, 256, "2 * 256"]          # the same keys and an optional `label = "plain text"`
//! items = { values = [1, 2], unit = "items" }
//! set = { from = "16 KiB", to = "512 MiB", times = 2 }    # powers; with `step = …` sums; `unit` as above
//! more = [1, { from = 8, to = 32, step = 8 }]             # in a list too
//! variant = ["plain", "bounded"]           # a word that names no constant is text; other text is a text of the
//!                                          # language: "'two words'". An axis has numbers or texts, not both
//!
//! [buffers]                                # sizes, inputs and check may use the row's values (working sets)
//! r = { role = "in", type = "f32", count = "pixels" }     # roles: in, out, inout, scratch
//! y = { role = "out", type = "f32", count = "pixels" }
//!
//! [inputs]                                 # or [[inputs]]: calls that fill what is read
//! call = "fill_planes"
//! arguments = ["r", { u64 = "pixels" }]    # buffers by name; scalars i32 u32 i64 u64 f32 f64
//!
//! [check]                                  # or predicate = "…" in place of reference
//! reference = "reference_luma"
//! arguments = ["r", "y", { u64 = "pixels" }]
//! relative = 1e-6                          # 0 by default, as `absolute`
//!
//! [launch]
//! kernel = "luma"                          # or { expression = "…text…" }
//! block = "threads"                        # one to three dimensions, as `grid`
//! shared = 0
//! grid = "max(1, min(residency.blocks_per_sm * device.sms, ceil_div(pixels, threads)))"
//! arguments = ["r", "y", { u64 = "pixels" }]
//! options = ["--maxrregcount={registers}"] # for NVRTC, beside the ones above: `{…}` is an expression over the row; an option
//!                                          # that comes out empty is left out. Equal options are one build
//! bytes = "8 B * pixels"
//! flop = "5 FLOP * pixels"
//!
//! [read]                                   # integers read back from a small buffer after each sample: measured columns
//! cycles = { buffer = "clock", at = 0, per = "steps", unit = "cycles" }      # one element, divided by a plain number
//! slowest = { buffer = "clock", take = "max" }                  # first, median, min or max of all its elements
//!
//! [timing]                                 # these are the defaults
//! cache = "cold"
//! rounds = 11
//! samples = 20
//! warmup_ms = 200
//! limit_s = 30
//! time = true                              # false: residency, what the driver says of the kernel, and `[read]`; nothing is
//!                                          # launched if nothing is read or checked
//!
//! [physics]                                # a run beyond it is no evidence; no part of the fingerprint
//! level = "l2"                             # where `bytes` come from: dram, l2, l1, shared
//! peak_bandwidth = "10 TB/s"               # of that level; DRAM's is the device's own
//! peak_flops = "2 FLOP * 128 * device.sms * device.sm_clock_khz / 1 cycle"
//! chain = { operations = "steps", latency = "4 cycles" }        # dependent: a launch takes as long as all of them, at least
//!
//! [columns]                                # derived; shown, and no part of the fingerprint
//! "GB/s" = "bytes / ms"
//! warps = { value = "ceil_div(threads, device.warp_size)", unit = "warps", title = "Warps a block", about = "…" }
//! ```

use crate::base::problem::Problems;
use crate::base::quantity::Unit;
use crate::base::slice::Slice;
use crate::base::span::{SourceName, Span};
use crate::expr::Expr;

pub use super::compile_sweep::{CompileSweep, OptionPart, OptionSpec, SassColumn};
pub use super::manifest::{PhysicsSpec, ReadSpec, TakeSpec};
pub use super::profile_sweep::{MetricColumn, ProfileSweep};
pub use super::program::{PrintedColumn, ProgramSweep, Reading, TableSpec, ValueSpec};
pub use super::terms::{CachePolicy, Element, Level, Role, Take, TimingPolicy};

/// Reads the manifest `file` of the sweep `name`.
pub fn read(file: &SourceName, name: &str, text: &str, problems: &mut Problems) -> Option<Sweep> {
    super::manifest::read(file, name, text, problems)
}

/// An experiment as its author declares it: what all kinds share, and what its kind adds.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// Its name: the manifest's, without `.toml`.
    pub name: String,
    /// Whether all that a measurement hangs on could be read. If not, it is never planned, and what follows from that goes unsaid.
    pub sound: bool,
    /// The manifest in the tree.
    pub manifest: SourceName,
    /// One line that says what is asked.
    pub title: String,
    /// Named exact values, in order; each may use the ones before it.
    pub constants: Vec<(String, Expr)>,
    /// Axes; the rows are their product, the first varying slowest.
    pub axes: Vec<Axis>,
    /// Rows given one by one instead; each sets the same names.
    pub explicit_rows: Vec<ExplicitRow>,
    /// What a row is called, over its values; by default its own `label`, or its values joined by `-`.
    pub label: Option<Expr>,
    /// Derived columns, in order; each may use the ones before it. They don't count in the fingerprint.
    pub columns: Vec<Column>,
    /// What is done for each row.
    pub kind: Kind,
}

/// The kinds of sweeps.
#[derive(Debug, Clone)]
pub enum Kind {
    /// A kernel that lessonc compiles, launches, checks and times.
    Kernel(Box<KernelSweep>),
    /// Kernels that lessonc compiles, and launches nowhere.
    Compile(Box<CompileSweep>),
    /// Rows of another sweep, launched under a profiler.
    Profile(Box<ProfileSweep>),
    /// A program that is built and run, and whose output is read.
    Program(Box<ProgramSweep>),
}

/// What is cut out of a source, and compiled.
#[derive(Debug, Clone)]
pub struct UnitSpec {
    /// The source, by its path from `kernels/`.
    pub source: String,
    /// Where the manifest names its source.
    pub source_at: Span,
    /// The regions that are compiled for the device; empty: the whole file less the host regions.
    pub regions: Vec<(String, Span)>,
    /// The regions that are compiled for the host, to fill and check.
    pub host_regions: Vec<(String, Span)>,
    /// Options for NVRTC.
    pub options: Vec<String>,
}

/// A kernel to compile, launch, check and time.
#[derive(Debug, Clone)]
pub struct KernelSweep {
    /// What is compiled.
    pub unit: UnitSpec,
    /// The buffers, in order.
    pub buffers: Vec<Buffer>,
    /// The host calls that fill the inputs.
    pub inputs: Vec<Call>,
    /// How outputs are judged.
    pub check: Option<CheckSpec>,
    /// The launch.
    pub launch: LaunchSpec,
    /// Figures that are read back.
    pub reads: Vec<ReadSpec>,
    /// How rows are timed.
    pub timing: TimingPolicy,
    /// What no run may exceed.
    pub physics: PhysicsSpec,
}

impl KernelSweep {
    /// Whether a run of it measures anything: times, or what is read back.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.timing.time || !self.reads.is_empty()
    }
}

/// One dial of a sweep.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// Its values, in order.
    pub values: Vec<AxisValue>,
    /// The unit to show them in.
    pub unit: Option<Unit>,
}

/// One entry of an axis.
#[derive(Debug, Clone)]
pub enum AxisValue {
    /// One value, over the constants.
    One(Expr),
    /// Several at even distances.
    Range(Box<AxisRange>),
}

/// The values from one to another, both of them included where the steps meet them.
#[derive(Debug, Clone)]
pub struct AxisRange {
    /// Where it stands.
    pub at: Span,
    /// The first.
    pub from: Expr,
    /// No value is larger.
    pub to: Expr,
    /// How one follows from the one before.
    pub next: Step,
}

/// How a value of a range follows from the one before.
#[derive(Debug, Clone)]
pub enum Step {
    /// By adding.
    Plus(Expr),
    /// By multiplying.
    Times(Expr),
}

/// A row given by itself.
#[derive(Debug, Clone)]
pub struct ExplicitRow {
    /// Where it stands.
    pub at: Span,
    /// What it is called, if it says.
    pub label: Option<Slice>,
    /// Its values, in the author's order.
    pub values: Vec<(String, Expr)>,
}

/// A device buffer.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// Its part.
    pub role: Role,
    /// Its element type.
    pub element: Element,
    /// How many elements, over the constants and the row's values.
    pub count: Expr,
}

/// An argument of a launch or of a host call.
#[derive(Debug, Clone)]
pub enum ArgumentSpec {
    /// A buffer.
    Buffer(String, Span),
    /// A scalar of a C type.
    Scalar(Element, Expr),
}

/// A call of a function of the host regions.
#[derive(Debug, Clone)]
pub struct Call {
    /// The function.
    pub function: String,
    /// Where it is named.
    pub at: Span,
    /// Its arguments.
    pub arguments: Vec<ArgumentSpec>,
}

/// How outputs are judged.
#[derive(Debug, Clone)]
pub enum CheckSpec {
    /// Compare with what a host function computes.
    Reference {
        /// The function that fills the expected outputs.
        call: Call,
        /// Largest relative difference.
        relative: f64,
        /// Largest absolute difference.
        absolute: f64,
    },
    /// Ask a host function.
    Predicate {
        /// The function; returns `bool`.
        call: Call,
    },
}

/// A launch, its numbers still expressions over the row, the device (`device.sms`) and the driver's answer
/// (`residency.blocks_per_sm`).
#[derive(Debug, Clone)]
pub struct LaunchSpec {
    /// Where it stands.
    pub at: Span,
    /// The kernel.
    pub kernel: KernelSpec,
    /// Threads a block; one to three expressions over row and device.
    pub block: Vec<Expr>,
    /// Dynamic shared bytes a block, over row and device.
    pub shared: Option<Expr>,
    /// Blocks; one to three expressions over row, device and residency.
    pub grid: Vec<Expr>,
    /// The arguments.
    pub arguments: Vec<ArgumentSpec>,
    /// Bytes that a launch moves.
    pub bytes: Option<Expr>,
    /// Floating-point operations of a launch.
    pub flop: Option<Expr>,
    /// Options for NVRTC that may differ from row to row.
    pub options: Vec<OptionSpec>,
}

/// How a launch names its kernel.
#[derive(Debug, Clone)]
pub enum KernelSpec {
    /// The same for every row: `luma`, `scale<8>`.
    Name(Slice),
    /// Text over the row's values, such as a template's name expression.
    Expression(Expr),
}

/// A derived column.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name, spaces and slashes welcome.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// Its value, over the row's other columns.
    pub value: Expr,
    /// The unit to show it in; by default the value's own.
    pub unit: Option<Unit>,
    /// Its heading on pages; by default its name.
    pub title: Option<String>,
    /// Words that explain it.
    pub about: Option<String>,
}
