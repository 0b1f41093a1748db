//! Turns `kernels/NAME.toml` into a sweep: what to compile, which rows, what to launch, check and derive.
//!
//! Must not know values: expressions are parsed here and evaluated elsewhere.

use crate::base::quantity::Unit;
use crate::base::span::{SourceName, Span};
use crate::expr::Expr;

use serde::{Deserialize, Serialize};

/// An experiment as its author declares it.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// Its name: the manifest's, without `.toml`.
    pub name: String,
    /// The manifest in the tree.
    pub manifest: SourceName,
    /// One line that says what is asked.
    pub title: String,
    /// Where the manifest names its source.
    pub source_at: Span,
    /// The source, by its path from `kernels/`.
    pub source: String,
    /// The regions that are compiled for the device; empty: the whole file less the host regions.
    pub regions: Vec<(String, Span)>,
    /// The regions that are compiled for the host, to fill and check.
    pub host_regions: Vec<(String, Span)>,
    /// Options for NVRTC.
    pub options: Vec<String>,
    /// Named exact values, in order; each may use the ones before it.
    pub constants: Vec<(String, Expr)>,
    /// Axes; the rows are their product, the first varying slowest.
    pub axes: Vec<Axis>,
    /// Rows given one by one instead; each sets the same names.
    pub explicit_rows: Vec<Vec<(String, Expr)>>,
    /// What a row is called, over its values; by default its axis values joined by `-`, or its `label`.
    pub label: Option<Expr>,
    /// The buffers, in order.
    pub buffers: Vec<Buffer>,
    /// The host calls that fill the inputs.
    pub inputs: Vec<Call>,
    /// How outputs are judged.
    pub check: Option<CheckSpec>,
    /// The launch.
    pub launch: LaunchSpec,
    /// How rows are timed.
    pub timing: TimingPolicy,
    /// Derived columns, in order; each may use the ones before it. They don't count in the fingerprint.
    pub columns: Vec<Column>,
}

/// One dial of a sweep.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// Its values.
    pub values: Vec<Expr>,
    /// The unit to show them in.
    pub unit: Option<Unit>,
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
    /// How many elements, over the constants.
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
    /// The kernel, or an expression of text that gives its name (`"scale<" …`): a template's name expression.
    pub kernel: Expr,
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

/// The part a buffer plays in a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Filled once, only read.
    In,
    /// Filled with 0xFF bytes (a NaN pattern) before each checked launch.
    Out,
    /// Restored to its input before each checked launch.
    Inout,
    /// Neither filled nor checked.
    Scratch,
}

/// The element type of a buffer, by its C name in the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// `signed char`
    I8,
    /// `unsigned char`
    U8,
    /// `short`
    I16,
    /// `unsigned short`
    U16,
    /// `int`
    I32,
    /// `unsigned`
    U32,
    /// `long long`
    I64,
    /// `unsigned long long`
    U64,
    /// `float`
    F32,
    /// `double`
    F64,
}

impl Element {
    /// Bytes of one element.
    #[must_use]
    pub fn bytes(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The C++ type that host regions see.
    #[must_use]
    pub fn c_type(self) -> &'static str {
        match self {
            Self::I8 => "signed char",
            Self::U8 => "unsigned char",
            Self::I16 => "short",
            Self::U16 => "unsigned short",
            Self::I32 => "int",
            Self::U32 => "unsigned",
            Self::I64 => "long long",
            Self::U64 => "unsigned long long",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }
}

/// Whether the second-level cache holds the data of the launch before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CachePolicy {
    /// Launches back to back; a sample spans many of them.
    Warm,
    /// One launch a sample, the cache evicted by reading before each.
    Cold,
}

/// How the rows of a sweep are timed; defaults are those of the measuring protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimingPolicy {
    /// Warm or cold.
    pub cache: CachePolicy,
    /// Rounds, each a fresh process.
    pub rounds: u32,
    /// Samples a row and round.
    pub samples: u32,
    /// Least time of warm-up a row and round, milliseconds.
    pub warmup_ms: u32,
    /// Time limit of a row and round, seconds.
    pub limit_s: u32,
}
