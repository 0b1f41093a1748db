//! lessonc publishes lessons about GPU performance in which no measured figure is typed by hand.
//!
//! The order of the modules below is the direction of data: a module uses only modules above it.
#![doc = ""]
#![doc = include_str!("../ARCHITECTURE.md")]

pub mod base;
pub mod tree;
pub mod expr;
pub mod course;
pub mod plan;
pub mod evidence;
pub mod claims;
pub mod review;
pub mod pages;
pub mod rules;
pub mod pipeline;
#[allow(clippy::disallowed_methods, reason = "the shell: the world outside is its business")]
pub mod cache;
#[allow(clippy::disallowed_methods, reason = "the shell: the world outside is its business")]
pub mod disk;
#[allow(clippy::disallowed_methods, reason = "the shell: the world outside is its business")]
pub mod device;
#[allow(clippy::disallowed_methods, reason = "the shell: the world outside is its business")]
pub mod measure;
#[allow(clippy::disallowed_methods, reason = "the shell: the world outside is its business")]
pub mod serve;
#[allow(clippy::disallowed_methods, reason = "the shell: the world outside is its business")]
pub mod cli;
