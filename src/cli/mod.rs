//! Turns a command line into calls of the stages, and their results into text and an exit code.
//!
//! Must not know what its neighbours above do not tell it.
