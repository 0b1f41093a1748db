//! The words of a sweep that records repeat: parts and types of buffers, cache and timing.
//!
//! Turns nothing into anything by itself. Must not know manifests.

use serde::{Deserialize, Serialize};

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

impl Role {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::In, Self::Out, Self::Inout, Self::Scratch];

    /// Whether a launch finds something in it.
    #[must_use]
    pub fn is_input(self) -> bool {
        matches!(self, Self::In | Self::Inout)
    }

    /// Whether a launch leaves a result in it.
    #[must_use]
    pub fn is_output(self) -> bool {
        matches!(self, Self::Out | Self::Inout)
    }

    /// As a manifest spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Inout => "inout",
            Self::Scratch => "scratch",
        }
    }
}

impl Element {
    /// All of them.
    pub const ALL: [Self; 10] =
        [Self::I8, Self::U8, Self::I16, Self::U16, Self::I32, Self::U32, Self::I64, Self::U64, Self::F32, Self::F64];

    /// Whether it holds numbers below zero.
    #[must_use]
    pub fn is_signed(self) -> bool {
        !matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

    /// As a manifest spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Whether an argument of a call can be of this type.
    #[must_use]
    pub fn is_scalar(self) -> bool {
        self.bytes() >= 4
    }

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

/// A level of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The device's memory.
    Dram,
    /// The cache that all SMs share.
    L2,
    /// An SM's cache.
    L1,
    /// An SM's shared memory.
    Shared,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Dram, Self::L2, Self::L1, Self::Shared];

    /// As a manifest spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dram => "dram",
            Self::L2 => "l2",
            Self::L1 => "l1",
            Self::Shared => "shared",
        }
    }
}

/// What is taken of the elements of a buffer that is read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Take {
    /// The element of this index.
    At(u64),
    /// The middle one, the lower of two.
    Median,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl Take {
    /// Those that a manifest names by a word.
    pub const WORDS: [Self; 4] = [Self::At(0), Self::Median, Self::Min, Self::Max];

    /// As a manifest spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::At(_) => "first",
            Self::Median => "median",
            Self::Min => "min",
            Self::Max => "max",
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

impl CachePolicy {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Warm, Self::Cold];

    /// As a manifest spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Warm => "warm",
            Self::Cold => "cold",
        }
    }
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
    /// Whether samples are times. Without, there is residency, what the driver says of kernels, and what is read back.
    #[serde(default = "timed", skip_serializing_if = "is_timed")]
    pub time: bool,
}

fn timed() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_timed(time: &bool) -> bool {
    *time
}

impl Default for TimingPolicy {
    fn default() -> Self {
        Self { cache: CachePolicy::Cold, rounds: 11, samples: 20, warmup_ms: 200, limit_s: 30, time: true }
    }
}
