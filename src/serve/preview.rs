//! Turns a compiled course into what is shown now, and tells who waits when that changes.
//!
//! Must not know HTTP or files.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::sync::watch;

use crate::pages::Site;

/// What is shown at one moment; never changes, only gives way to the next.
pub(super) struct Shown {
    site: Site,
    /// The printed problems; empty if there are none.
    pub(super) problems: String,
    /// How many of them are errors.
    pub(super) errors: usize,
    /// Which moment it is.
    pub(super) generation: u64,
    rendered: Mutex<BTreeMap<String, Arc<Rendered>>>,
}

/// A file of the site, rendered once a generation.
pub(super) type Rendered = Result<Vec<u8>, String>;

impl Shown {
    pub(super) fn new(generation: u64, site: Site, problems: String, errors: usize) -> Self {
        Self { site, problems, errors, generation, rendered: Mutex::default() }
    }

    /// The file `path`, or the words of the problem that keeps it from being rendered; `None` if there is no such file.
    pub(super) fn file(&self, path: &str) -> Option<Arc<Rendered>> {
        let mut rendered = self.rendered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = rendered.get(path) {
            return Some(file.clone());
        }
        let file = self.site.render(path)?;
        let file = Arc::new(file.map_err(|problem| format!("error[{}]: {}", problem.id, problem.message)));
        rendered.insert(path.to_owned(), file.clone());
        Some(file)
    }
}

/// What is shown now.
pub(super) struct Preview {
    now: RwLock<Arc<Shown>>,
    generation: watch::Sender<u64>,
}

impl Preview {
    pub(super) fn new(first: Shown) -> Self {
        let generation = watch::Sender::new(first.generation);
        Self { now: RwLock::new(Arc::new(first)), generation }
    }

    pub(super) fn now(&self) -> Arc<Shown> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Shows `next` from now on, and tells the browsers.
    pub(super) fn show(&self, next: Shown) {
        let generation = next.generation;
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        self.generation.send_replace(generation);
    }

    /// Says which generation is shown, now and each time it changes.
    pub(super) fn generations(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }
}
