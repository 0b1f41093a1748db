//! Turns host regions into a loaded library of functions that fill and check buffers.
//!
//! Must not run outside the processes that measure.
