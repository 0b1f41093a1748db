//! Turns a site in memory into a preview in the browser.
//!
//! Must not know what its neighbours above do not tell it.
