//! Turns the spellings of units into a dimension and a scale, and back.
//!
//! Must not know which units an amount deserves beyond the usual prefixes.

use std::fmt;
use std::sync::Arc;

use super::exact::{self, Rational};
use crate::base::name;

/// What kind of thing a number counts, as powers of the base units second, byte, floating-point operation and clock
/// cycle; plain counts (threads, warps, registers, ratios) have all powers zero. A hertz is a clock cycle a second, so
/// that cycles over a clock are a time.
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

impl Dimension {
    /// A plain number.
    pub const NONE: Self = Self { time: 0, bytes: 0, flop: 0, cycles: 0 };
    /// Seconds.
    pub const TIME: Self = Self { time: 1, ..Self::NONE };
    /// Bytes.
    pub const BYTES: Self = Self { bytes: 1, ..Self::NONE };
    /// Floating-point operations.
    pub const FLOP: Self = Self { flop: 1, ..Self::NONE };
    /// Clock cycles.
    pub const CYCLES: Self = Self { cycles: 1, ..Self::NONE };
    /// Clock cycles a second.
    pub const CLOCK: Self = Self { cycles: 1, time: -1, ..Self::NONE };

    /// `self` times `other` to the power of `power`, or `None` past what any sensible value has.
    #[must_use]
    pub fn times(self, other: Self, power: i8) -> Option<Self> {
        let part = |a: i8, b: i8| a.checked_add(b.checked_mul(power)?).filter(|sum| sum.abs() <= 24);
        Some(Self {
            time: part(self.time, other.time)?,
            bytes: part(self.bytes, other.bytes)?,
            flop: part(self.flop, other.flop)?,
            cycles: part(self.cycles, other.cycles)?,
        })
    }

    /// Whether it is a plain number.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Half of each power, for a square root.
    #[must_use]
    pub fn half(self) -> Option<Self> {
        let parts = [self.time, self.bytes, self.flop, self.cycles];
        parts.iter().all(|power| power % 2 == 0).then_some(Self {
            time: self.time / 2,
            bytes: self.bytes / 2,
            flop: self.flop / 2,
            cycles: self.cycles / 2,
        })
    }
}

/// A way to write a number of some dimension.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unit {
    /// Its dimension.
    pub dimension: Dimension,
    /// How many base units one of it is.
    pub scale: Rational,
    /// As authors and readers see it: `ms`, `GB/s`, `warps`, `%`; empty for a bare number, and for a unit with a
    /// dimension that is chosen when a figure is printed.
    pub symbol: Arc<str>,
}

/// What plain counts may be counted in; a manifest's `unit` may be another word, a literal in an expression may not.
pub const NOUNS: [&str; 30] = [
    "threads",
    "warps",
    "blocks",
    "lanes",
    "registers",
    "elements",
    "pixels",
    "items",
    "SMs",
    "SM",
    "launches",
    "bits",
    "rounds",
    "samples",
    "rows",
    "loads",
    "stores",
    "instructions",
    "accesses",
    "sectors",
    "transactions",
    "tiles",
    "thread",
    "warp",
    "block",
    "launch",
    "element",
    "pixel",
    "item",
    "lane",
];

/// The units with a dimension: symbol, dimension, scale as numerator and denominator.
const UNITS: [(&str, Dimension, i128, i128); 34] = [
    ("s", Dimension::TIME, 1, 1),
    ("ms", Dimension::TIME, 1, 1_000),
    ("µs", Dimension::TIME, 1, 1_000_000),
    ("ns", Dimension::TIME, 1, 1_000_000_000),
    ("us", Dimension::TIME, 1, 1_000_000),
    ("μs", Dimension::TIME, 1, 1_000_000),
    ("B", Dimension::BYTES, 1, 1),
    ("kB", Dimension::BYTES, 1_000, 1),
    ("MB", Dimension::BYTES, 1_000_000, 1),
    ("GB", Dimension::BYTES, 1_000_000_000, 1),
    ("TB", Dimension::BYTES, 1_000_000_000_000, 1),
    ("PB", Dimension::BYTES, 1_000_000_000_000_000, 1),
    ("KiB", Dimension::BYTES, 1 << 10, 1),
    ("MiB", Dimension::BYTES, 1 << 20, 1),
    ("GiB", Dimension::BYTES, 1 << 30, 1),
    ("TiB", Dimension::BYTES, 1 << 40, 1),
    ("FLOP", Dimension::FLOP, 1, 1),
    ("kFLOP", Dimension::FLOP, 1_000, 1),
    ("MFLOP", Dimension::FLOP, 1_000_000, 1),
    ("GFLOP", Dimension::FLOP, 1_000_000_000, 1),
    ("TFLOP", Dimension::FLOP, 1_000_000_000_000, 1),
    ("PFLOP", Dimension::FLOP, 1_000_000_000_000_000, 1),
    ("cycles", Dimension::CYCLES, 1, 1),
    ("cycle", Dimension::CYCLES, 1, 1),
    ("kcycles", Dimension::CYCLES, 1_000, 1),
    ("Mcycles", Dimension::CYCLES, 1_000_000, 1),
    ("Gcycles", Dimension::CYCLES, 1_000_000_000, 1),
    ("Hz", Dimension::CLOCK, 1, 1),
    ("kHz", Dimension::CLOCK, 1_000, 1),
    ("MHz", Dimension::CLOCK, 1_000_000, 1),
    ("GHz", Dimension::CLOCK, 1_000_000_000, 1),
    ("%", Dimension::NONE, 1, 100),
    ("×", Dimension::NONE, 1, 1),
    ("1", Dimension::NONE, 1, 1),
];

impl Unit {
    /// A number without a unit.
    #[must_use]
    pub fn bare() -> Self {
        Self::noun("")
    }

    /// A plain count of what `noun` names.
    #[must_use]
    pub fn noun(noun: &str) -> Self {
        Self { dimension: Dimension::NONE, scale: Rational::from_integer(1), symbol: noun.into() }
    }

    /// The unit of `dimension` whose prefix is chosen when a figure is printed.
    #[must_use]
    pub fn automatic(dimension: Dimension) -> Self {
        Self { dimension, ..Self::bare() }
    }

    /// Whether the prefix is chosen when a figure is printed.
    #[must_use]
    pub fn is_automatic(&self) -> bool {
        self.symbol.is_empty() && !self.dimension.is_none()
    }

    /// The unit that an expression's literal names, one of the units with a dimension, `%` or one of [`NOUNS`].
    #[must_use]
    pub fn known(symbol: &str) -> Option<Self> {
        Self::scaled(symbol).or_else(|| NOUNS.contains(&symbol).then(|| Self::noun(symbol)))
    }

    /// The unit with a dimension (or `%`, `×`) that `symbol` names.
    #[must_use]
    pub fn scaled(symbol: &str) -> Option<Self> {
        let &(name, dimension, numerator, denominator) = UNITS.iter().find(|unit| unit.0 == symbol && unit.0 != "1")?;
        let symbol = if matches!(name, "us" | "μs") { "µs" } else { name };
        Some(Self { dimension, scale: Rational::new(numerator, denominator), symbol: symbol.into() })
    }

    /// Reads a unit as a manifest or `unit('GB/s')` gives it: units joined by `/` and `*`, from left to right. Words
    /// that aren't units count things (`threads`, `warps/SM`).
    ///
    /// # Errors
    /// A sentence that names the part which is no unit, with what was likely meant.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self::bare());
        }
        let mut unit = Self::bare();
        let mut symbol = String::new();
        let mut power = 1;
        let mut rest = text;
        loop {
            let end = rest.find(['/', '*']).unwrap_or(rest.len());
            let part = Self::atom(rest[..end].trim())?;
            unit.dimension = unit.dimension.times(part.dimension, power).ok_or_else(|| format!("`{text}` has too high a power"))?;
            unit.scale = if power > 0 { exact::multiply(unit.scale, part.scale)? } else { exact::divide(unit.scale, part.scale)? };
            symbol.push_str(&part.symbol);
            let Some(separator) = rest[end..].chars().next() else { break };
            power = if separator == '/' { -1 } else { 1 };
            symbol.push(separator);
            rest = &rest[end + 1..];
        }
        unit.symbol = symbol.into();
        Ok(unit)
    }

    fn atom(part: &str) -> Result<Self, String> {
        if let Some(unit) = Self::known(part) {
            return Ok(unit);
        }
        if part == "1" {
            return Ok(Self::noun("1"));
        }
        let scaled = || UNITS.iter().map(|unit| unit.0).filter(|unit| unit.len() > 1);
        match name::nearest(part, scaled()).or_else(|| name::nearest(part, NOUNS)) {
            Some(meant) => Err(format!("there is no unit `{part}`; did you mean `{meant}`?")),
            None if part.chars().count() >= 3 && part.chars().all(|c| c.is_alphabetic() || c == '-' || c == '_') => Ok(Self::noun(part)),
            None => {
                Err(format!("there is no unit `{part}`; units are such as `ms`, `GB/s`, `KiB`, `FLOP/B`, `cycles`, `MHz`, `%`, `threads`"))
            }
        }
    }

    /// The base unit of `dimension`, spelled out: `B/s`, `1/s`, `cycles`, `Hz`.
    #[must_use]
    pub fn base(dimension: Dimension) -> Self {
        if dimension == Dimension::CLOCK {
            return Self { symbol: "Hz".into(), ..Self::automatic(dimension) };
        }
        let powers = [(dimension.bytes, "B"), (dimension.flop, "FLOP"), (dimension.cycles, "cycles"), (dimension.time, "s")];
        let over = powers.iter().flat_map(|&(power, name)| std::iter::repeat_n(name, power.max(0) as usize)).collect::<Vec<_>>().join("*");
        let under: String = powers
            .iter()
            .flat_map(|&(power, name)| std::iter::repeat_n(if name == "cycles" { "cycle" } else { name }, (-power).max(0) as usize))
            .map(|name| format!("/{name}"))
            .collect();
        let symbol = match (over.is_empty(), under.is_empty()) {
            (true, true) => String::new(),
            (true, false) => format!("1{under}"),
            (false, _) => over + &under,
        };
        Self { symbol: symbol.into(), ..Self::automatic(dimension) }
    }

    /// What it measures, in words, for messages: "a time (ms)", "a rate (B/s)", "a plain number".
    #[must_use]
    pub fn describe(&self) -> String {
        let kind = match self.dimension {
            Dimension::NONE if self.symbol.is_empty() => return "a plain number".to_owned(),
            Dimension::NONE => return format!("a plain number ({})", self.symbol),
            Dimension::TIME => "a time",
            Dimension::BYTES => "a size",
            Dimension::FLOP => "an amount of work",
            Dimension::CYCLES => "a number of cycles",
            Dimension::CLOCK => "a clock rate",
            dimension if dimension.time < 0 => "a rate",
            _ => "a value",
        };
        if self.is_automatic() { format!("{kind} ({})", Self::base(self.dimension)) } else { format!("{kind} ({})", self.symbol) }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.symbol)
    }
}
