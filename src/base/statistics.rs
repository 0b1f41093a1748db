//! Turns the values of rounds into medians, spreads and one-sided bounds, to the same bits on every machine.
//!
//! Must not know what was measured.
