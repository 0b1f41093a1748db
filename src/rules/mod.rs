//! Cross-cutting checks on the finished result, one file each.
//!
//! Must not change what they look at.

pub mod published;
