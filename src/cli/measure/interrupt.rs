//! Turns interrupts from the keyboard into a wish that a run ends after its row in progress.
//!
//! Must not know what is measured.

use std::sync::atomic::{AtomicBool, Ordering};

/// Set by an interrupt from the keyboard; one for the process, since the handler is.
pub(super) static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The first interrupt ends the run after the row in progress; a second one ends the program.
pub(super) fn heed_interrupts() {
    // An error means that there is a handler already, from an earlier call in this process.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}
