//! Turns numbers with units into arithmetic that can't mix a time with a rate, exactly or over the rounds of a run.
//!
//! Must not know where a number was measured; a value over rounds carries its run's name only to refuse another's.

use std::sync::Arc;

/// An exact number.
pub type Rational = num_rational::Ratio<i128>;

/// What kind of thing a number counts, as powers of the base units second, byte, floating-point operation and clock
/// cycle; plain counts (threads, warps, registers, ratios) have all powers zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Dimension {
    /// Power of the second.
    pub time: i8,
    /// Power of the byte.
    pub bytes: i8,
    /// Power of the floating-point operation.
    pub flop: i8,
    /// Power of the clock cycle.
    pub cycles: i8,
}

/// A way to write a number of some dimension.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unit {
    /// Its dimension.
    pub dimension: Dimension,
    /// How many base units one of it is.
    pub scale: Rational,
    /// As authors and readers see it: `ms`, `GB/s`, `warps`, `%`; empty for a bare number.
    pub symbol: Arc<str>,
}

/// How much, in base units.
#[derive(Debug, Clone, PartialEq)]
pub enum Amount {
    /// Known exactly: what the author wrote, the plan, the driver or the compiler says.
    Exact(Rational),
    /// Measured: one value a round.
    Measured(Rounds),
}

/// A value for each round of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    /// The run; values of two runs do not pair.
    pub run: Arc<str>,
    /// The value of each round in base units, `None` where the round was lost.
    pub values: Arc<[Option<f64>]>,
    /// The smallest step that the value can make in base units (timer tick, one cycle); a floor for its spread.
    pub quantum: f64,
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// How much, in base units.
    pub amount: Amount,
    /// The unit to show it in.
    pub unit: Unit,
}
