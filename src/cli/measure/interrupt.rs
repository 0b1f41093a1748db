//! Turns interrupts from the keyboard into a wish that a run ends after its row in progress.
//!
//! Must not know what is measured.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Once};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Set by an interrupt from the keyboard; one for the process, since the handler is.
pub(in super::super) static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The first interrupt ends the run after the row in progress; a second one ends the program.
///
/// The flag is set by the signal's handler itself, not by a thread that the handler wakes: on a busy machine such a thread may come
/// so late that another row has begun, and a second interrupt, sent then, is the first for nobody.
pub(in super::super) fn heed_interrupts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [SIGINT, SIGTERM] {
            // In this order: what ends the program looks at the flag before the same signal sets it. An error means that the system
            // has no such signal, and then nobody can send it.
            let _ = flag::register_conditional_shutdown(signal, 130, Arc::clone(&INTERRUPTED));
            let _ = flag::register(signal, Arc::clone(&INTERRUPTED));
        }
    });
}
