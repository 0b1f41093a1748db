//! Turns saves of kernels and manifests into private runs of what they changed: one at a time, and of the newest code only.
//!
//! Must not know devices, nor how anything is measured: who does that comes from outside.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result};

use crate::base::digest::Digest;
use crate::base::problem::Problem;
use crate::evidence::{Current, Evidence};
use crate::plan::Plan;

/// Measures the sweep of a name, as it lies on the disk, until the flag asks to stop: what is wrong with it.
pub type Measure = Box<dyn FnMut(&str, &AtomicBool) -> Vec<Problem> + Send>;

/// Who measures what is saved.
pub struct Measuring {
    /// The folder that the runs are written in.
    pub home: PathBuf,
    /// The slug of the device that they are made on.
    pub device: String,
    /// Measures.
    pub measure: Measure,
}

/// What came of measuring a sweep.
pub(super) struct Measured {
    sweep: String,
    code: Digest,
    problems: Vec<Problem>,
}

/// What is measured, and what is known of it.
pub(super) struct Bench {
    home: PathBuf,
    device: String,
    queue: Arc<Queue>,
    /// The code of every sweep, as it was compiled last; `None` before the first time.
    known: Option<BTreeMap<String, Digest>>,
    /// What is wrong with sweeps whose code is still the one that was measured.
    problems: BTreeMap<String, Vec<Problem>>,
}

impl Bench {
    /// Begins to wait for sweeps to measure, in a thread of its own; `tell` hears of each that came to an end.
    pub(super) fn start(measuring: Measuring, tell: impl Fn(Measured) + Send + 'static) -> Result<Self> {
        let Measuring { home, device, mut measure } = measuring;
        let queue = Arc::new(Queue::default());
        let orders = queue.clone();
        let work = move || {
            while let Some(Order { sweep, code, stop }) = orders.next() {
                let problems = measure(&sweep, &stop);
                // Of what was overtaken nobody wants to hear.
                if !stop.load(Ordering::Relaxed) {
                    tell(Measured { sweep, code, problems });
                }
            }
        };
        std::thread::Builder::new().name("measure".to_owned()).spawn(work).context("cannot start a thread")?;
        Ok(Self { home, device, queue, known: None, problems: BTreeMap::new() })
    }

    /// The folder that the runs are written in.
    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    /// Has measured what is not as it was when this was last asked, and has no run that could be shown. What is being measured and
    /// is not like that any more is stopped.
    pub(super) fn follow(&mut self, plan: &Plan, evidence: &Evidence) {
        let now: BTreeMap<String, Digest> = plan.jobs.iter().map(|(name, job)| (name.clone(), job.fingerprint.digest)).collect();
        let Some(known) = self.known.replace(now.clone()) else { return };
        self.problems.retain(|name, _| known.get(name) == now.get(name));
        let mut orders = self.queue.lock();
        orders.due.retain(|name, code| now.get(name) == Some(code));
        if let Some(running) = orders.running.as_ref().filter(|running| now.get(&running.sweep) != Some(&running.code)) {
            running.stop.store(true, Ordering::Relaxed);
        }
        for (name, code) in now.iter().filter(|(name, code)| known.get(*name) != Some(code)) {
            let is_shown = plan.jobs.get(name).is_some_and(|job| matches!(evidence.shown(job, &self.device), Current::Fresh(_)));
            if !is_shown {
                orders.due.insert(name.clone(), *code);
            }
        }
        self.queue.changed.notify_all();
    }

    /// Takes note of what came of measuring a sweep.
    pub(super) fn note(&mut self, Measured { sweep, code, problems }: Measured) {
        if self.known.as_ref().is_some_and(|known| known.get(&sweep) == Some(&code)) {
            self.problems.insert(sweep, problems);
        }
    }

    /// What is wrong with what was measured.
    pub(super) fn problems(&self) -> impl Iterator<Item = Problem> {
        self.problems.values().flatten().cloned()
    }
}

impl Drop for Bench {
    /// Doesn't wait for the row in progress: who ends a preview wants the terminal back.
    fn drop(&mut self) {
        let mut orders = self.queue.lock();
        orders.ended = true;
        if let Some(running) = &orders.running {
            running.stop.store(true, Ordering::Relaxed);
        }
        self.queue.changed.notify_all();
    }
}

/// What is to be measured.
#[derive(Default)]
struct Queue {
    orders: Mutex<Orders>,
    changed: Condvar,
}

#[derive(Default)]
struct Orders {
    /// By sweep, the code that it has.
    due: BTreeMap<String, Digest>,
    running: Option<Order>,
    ended: bool,
}

/// A sweep to measure.
#[derive(Clone)]
struct Order {
    sweep: String,
    code: Digest,
    /// Set when nobody wants it any more.
    stop: Arc<AtomicBool>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next sweep, once there is one; `None` at the end.
    fn next(&self) -> Option<Order> {
        let mut orders = self.lock();
        orders.running = None;
        loop {
            if orders.ended {
                return None;
            }
            if let Some((sweep, code)) = orders.due.pop_first() {
                let order = Order { sweep, code, stop: Arc::default() };
                orders.running = Some(order.clone());
                return Some(order);
            }
            orders = self.changed.wait(orders).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::base::problem::Problems;
    use crate::tree::SourceTree;

    /// The plan of a course with these compile sweeps, by name and kernel.
    fn plan(sweeps: &[(&str, &str)]) -> Plan {
        let (mut tree, mut problems) = (SourceTree::new(), Problems::new());
        tree.insert("lessons/course.toml", b"title = \"T\"\n", &mut problems);
        for (name, kernel) in sweeps {
            let code = format!("extern \"C\" __global__ void {kernel}() {{}}\n");
            let sweep = format!(
                "kind = \"compile\"\ntitle = \"T\"\nsource = \"{name}.cu\"\nkernels = [\"{kernel}\"]\narchitectures = [\"sm_90\"]\n"
            );
            tree.insert(&format!("kernels/{name}.cu"), code.as_bytes(), &mut problems);
            tree.insert(&format!("kernels/{name}.toml"), sweep.as_bytes(), &mut problems);
        }
        let course = crate::course::read(&tree, &mut problems);
        let plan = crate::plan::plan(&course, &mut problems);
        assert!(problems.errors() == 0 && plan.jobs.len() == sweeps.len(), "{problems:?}");
        plan
    }

    #[test]
    fn what_was_saved_is_measured_and_what_was_overtaken_is_stopped() {
        let (began, begun) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let measure: Measure = Box::new(move |sweep, stop| {
            began.send(sweep.to_owned()).expect("the test listens");
            // The first never ends by itself.
            while sweep == "a" && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            vec![Problem::of_course("kernel-compile", sweep)]
        });
        let measuring = Measuring { home: PathBuf::new(), device: "fake".to_owned(), measure };
        let mut bench = Bench::start(measuring, move |measured| tell.send(measured).expect("the test listens")).expect("a thread");
        let next = || begun.recv_timeout(Duration::from_secs(10)).expect("something is measured");
        let evidence = Evidence::default();
        bench.follow(&plan(&[("a", "a1"), ("b", "b1")]), &evidence);
        // Nothing was saved yet.
        bench.follow(&plan(&[("a", "a2"), ("b", "b1")]), &evidence);
        assert_eq!(next(), "a");
        // Saved again while it is measured: that is stopped, and the newest is measured.
        bench.follow(&plan(&[("a", "a3"), ("b", "b2")]), &evidence);
        assert_eq!(next(), "a");
        // It is gone, and what was saved beside it has its turn.
        bench.follow(&plan(&[("b", "b2")]), &evidence);
        assert_eq!(next(), "b");
        let measured = told.recv_timeout(Duration::from_secs(10)).expect("b comes to its end");
        assert_eq!(measured.sweep, "b", "of what was overtaken nobody hears");
        bench.note(measured);
        assert_eq!(bench.problems().count(), 1);
        bench.follow(&plan(&[("b", "b3")]), &evidence);
        assert_eq!(bench.problems().count(), 0, "other code is not at fault for it");
    }
}
