//! Turns regions of a source into the units that the device and host compilers are given, with `#line`.
//!
//! Must not know compilers.
