//! Turns rounds into the processes that measure them: each opened for the sweep, a new one in every round and after a fault.
//!
//! Must not know what they are asked. Two of them never hold the device at once: while one ends, the next one starts, and it is
//! asked to open only when the other is gone, so that nothing that is timed has company.

use std::time::{Duration, Instant};

use crate::device::Setup;
use crate::device::took::{Part, Took};

use super::Stop;
use super::planning::{Start, nonsense};
use super::worker::{Lost, Reply, Request, Worker};

/// What opening may take.
const LIMIT: Duration = Duration::from_secs(3600);

/// The processes of a run, one after the other.
pub(super) struct Processes<'a, 'b> {
    start: &'a mut Start<'b>,
    setup: &'a Setup,
    running: Option<Worker>,
    /// Started and not opened yet, for this round.
    ahead: Option<(u32, Worker)>,
    /// What starting, opening and ending them took, and what else is added.
    pub(super) took: Took,
}

impl<'a, 'b> Processes<'a, 'b> {
    /// No process yet of those that `start` starts for `setup`.
    pub(super) fn new(setup: &'a Setup, start: &'a mut Start<'b>) -> Self {
        Self { start, setup, running: None, ahead: None, took: Took::default() }
    }

    /// As if `worker` had been started for round `round`, by somebody who has no more use for it.
    pub(super) fn with(mut self, round: u32, worker: Worker) -> Self {
        self.ahead = Some((round, worker));
        self
    }

    /// The process of round `round`, ready for rows: the one at hand, or a new one.
    ///
    /// # Errors
    /// When none can be started or opened.
    pub(super) fn running(&mut self, round: u32) -> Result<&mut Worker, Stop> {
        Ok(match self.running.take() {
            Some(worker) => self.running.insert(worker),
            None => {
                let worker = self.opened(round)?;
                self.running.insert(worker)
            }
        })
    }

    /// Ends the process at hand, which a fault has spoilt or a time limit has.
    pub(super) fn lose(&mut self) {
        self.end_round(None);
    }

    /// Ends the process at hand, and starts the one of round `next` meanwhile: a context takes its time to go as one does to come.
    pub(super) fn end_round(&mut self, next: Option<u32>) {
        let began = Instant::now();
        let ending = self.running.take();
        // What can't be started now is started when it is needed, and its failure is told then.
        let next = next.filter(|_| matches!(ending, Some(Worker::Child(_))));
        self.ahead = next.and_then(|round| (self.start)(round).ok().map(|worker| (round, worker)));
        drop(ending);
        self.took.add(Part::End, began.elapsed());
    }

    /// A process that has opened the sweep, for round `round`.
    fn opened(&mut self, round: u32) -> Result<Worker, Stop> {
        let began = Instant::now();
        let request = Request::Open(self.setup.clone());
        let ahead = self.ahead.take().filter(|(of, _)| *of == round).map(|(_, worker)| worker);
        let is_ahead = ahead.is_some();
        let mut worker = match ahead {
            Some(worker) => worker,
            None => (self.start)(round)?,
        };
        let mut reply = worker.ask(&request, LIMIT);
        // Somebody ended it before it had anything to do with a row, or the one before it still held what it needed: another one
        // may have more luck.
        if reply.is_err() || is_ahead && matches!(reply, Ok(Reply::Error(_))) {
            drop(worker);
            worker = (self.start)(round)?;
            reply = worker.ask(&request, LIMIT);
        }
        match reply {
            Ok(Reply::Opened(took)) => {
                self.took.add_rest(Part::Start, began.elapsed(), &took);
                Ok(worker)
            }
            Ok(reply) => Err(nonsense(&reply)),
            Err(Lost::Died(why)) => Err(Stop::Machine(anyhow::anyhow!("before a row was measured: {why}"))),
            Err(Lost::TimedOut(limit)) => {
                Err(Stop::Machine(anyhow::anyhow!("before a row was measured: no answer within {} s", limit.as_secs())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::fake::{Fake, FakeSpec};
    use crate::plan::launch::Code;

    fn setup() -> Setup {
        let code =
            Code { source: String::new(), device: String::new(), host: String::new(), headers: Default::default(), options: Vec::new() };
        let (sweep, workspace) = ("a".to_owned(), std::path::PathBuf::new());
        Setup { sweep, code, builds: Vec::new(), data: Vec::new(), data_of: Vec::new(), read: Vec::new(), workspace }
    }

    fn fake(round: u32) -> Worker {
        Worker::Here(Box::new(Fake::new(std::sync::Arc::new(FakeSpec::default()), round)))
    }

    #[test]
    fn a_process_serves_its_round_and_no_other() {
        let (setup, mut started) = (setup(), Vec::new());
        let mut start = |round| {
            started.push(round);
            Ok(fake(round))
        };
        let mut processes = Processes::new(&setup, &mut start).with(0, fake(0));
        assert!(processes.running(0).is_ok(), "the one that was there already");
        processes.lose();
        assert!(processes.running(1).is_ok() && processes.running(1).is_ok());
        processes.end_round(Some(2));
        assert!(processes.running(2).is_ok());
        processes.lose();
        assert!(processes.running(2).is_ok());
        drop(processes);
        assert_eq!(started, [1, 2, 2]);
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_started_ahead_and_cannot_open_gives_way_to_another() {
        use crate::measure::process::Child;
        let setup = setup();
        let shell = |script: &str| -> anyhow::Result<Worker> { Ok(Worker::Child(Child::of_shell(script)?)) };
        let (opens, cannot) = (
            r#"while read line; do printf '\n\001lessonc {"opened":{}}\n'; done"#,
            r#"read line; printf '\n\001lessonc {"error":{"other":"the device is taken"}}\n'; read line"#,
        );
        let mut started = Vec::new();
        let mut start = |round| {
            started.push(round);
            // The second process meets the first one still there.
            shell(if started.len() == 2 { cannot } else { opens })
        };
        let mut processes = Processes::new(&setup, &mut start);
        assert!(processes.running(1).is_ok());
        processes.end_round(Some(2));
        assert!(processes.running(2).is_ok());
        drop(processes);
        assert_eq!(started, [1, 2, 2]);
        let mut start = |_| shell(cannot);
        let stop = Processes::new(&setup, &mut start).running(1).err().map(|stop| stop.into_error().to_string());
        assert_eq!(stop.as_deref(), Some("the device is taken"), "one that no other stands in the way of is not tried again");
    }
}
