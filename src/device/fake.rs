//! Turns formulas into times, and requests into faults: a device for tests.
//!
//! Must never feed a published page.
