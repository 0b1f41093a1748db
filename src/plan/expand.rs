//! Turns axes and explicit rows into planned rows with exact values and unique labels.
//!
//! Must not know devices.
