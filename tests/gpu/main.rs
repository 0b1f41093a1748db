//! What needs an NVIDIA GPU: `cargo test --test gpu -- --ignored --test-threads=1`.
//!
//! On a machine without Rust the binary of these tests and that of lessonc are enough: the variable `LESSONC_BIN` says where the
//! latter lies.
#![cfg(feature = "cuda")]
#![allow(clippy::disallowed_methods, reason = "a test of the shell")]
#![allow(clippy::print_stdout, reason = "what a GPU said is looked at by hand")]

mod commands;
mod device;
mod samples;
