//! Turns a plan and a device into evidence: rounds, order, warm-up, stopping, checking.
//!
//! Must not know what its neighbours above do not tell it.
