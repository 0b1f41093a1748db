//! Turns the files under `evidence/` into runs: parsed records, their transcripts, and which run is current.
//!
//! Must not know lessons or pages.

pub mod record;
