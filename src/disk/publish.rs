//! Turns a site in memory into files.
//!
//! Must not know what a page is.
