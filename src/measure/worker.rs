//! Turns requests into calls of a device and their answers, in this process or in a fresh one.
//!
//! Must not know the order of requests. A worker in this process and one in a child answer through the same function, so
//! that what is tested without a GPU is what runs with one.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::device::took::{Part, Took};
use crate::device::{Built, Condition, Device, DeviceError, Machine, SamplePlan, Setup};
use crate::evidence::canary::CanaryResult;
use crate::evidence::record::{Outcome, RowResult};
use crate::plan::launch::{Launch, Residency, Shape};

use super::canary::{self, CanaryTask};
use super::process::Child;
use super::row::{self, Task};
use super::sizing;

/// What a worker can be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Facts of the device and the machine.
    Machine,
    /// To compile.
    Build(Setup),
    /// The driver's answer for a shape.
    Residency(Shape),
    /// To fill inputs and references.
    MakeInputs(Setup),
    /// To load what the planning process made.
    Open(Setup),
    /// How long samples of a row span, for sizing; keeps the device busy for `busy_ms` first.
    Probe {
        /// The row.
        row: u32,
        /// Its launch.
        launch: Launch,
        /// How samples are taken.
        launches: u32,
        /// Whether to evict the cache.
        evict: bool,
        /// Least time of warm-up, milliseconds.
        busy_ms: u32,
        /// What a sample may take, seconds.
        limit_s: u32,
    },
    /// To measure a row in a round.
    Measure(Box<Task>),
    /// To launch a row once and check it.
    Check(Box<Task>),
    /// To measure a canary in a round.
    Canary(Box<CanaryTask>),
}

/// What it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// To [`Request::Machine`].
    Machine(Box<Machine>),
    /// To [`Request::Build`].
    Built(Built),
    /// To [`Request::Residency`].
    Residency(Residency),
    /// To [`Request::MakeInputs`].
    Done,
    /// To [`Request::Open`]; how long that took.
    Opened(Took),
    /// To [`Request::Probe`].
    Probed(Probed),
    /// To [`Request::Measure`] and [`Request::Check`], and how long it took.
    Measured(Box<RowResult>, Took),
    /// To [`Request::Canary`]; `None` where the device has none.
    Canary(Option<Box<CanaryResult>>),
    /// To any that could not be done.
    Error(DeviceError),
}

/// What a probe saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Probed {
    /// Spans of its samples, nanoseconds; or how the row fails.
    pub spans: Result<Vec<u64>, Outcome>,
    /// The state of the device under load.
    pub condition: Condition,
}

/// Why a worker did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// Its process ended; how, in words.
    Died(String),
    /// It did not answer in this time.
    TimedOut(Duration),
}

/// What `device` answers to `request`.
pub fn answer(device: &mut dyn Device, request: &Request) -> Reply {
    let reply = match request {
        Request::Machine => device.machine().map(|machine| Reply::Machine(Box::new(machine))),
        Request::Build(setup) => device.build(setup).map(Reply::Built),
        Request::Residency(shape) => device.residency(shape).map(Reply::Residency),
        Request::MakeInputs(setup) => device.make_inputs(setup).map(|()| Reply::Done),
        Request::Open(setup) => open(device, setup).map(Reply::Opened),
        Request::Probe { row, launch, launches, evict, busy_ms, limit_s } => {
            let plan = SamplePlan { launches: *launches, evict: *evict };
            device.allow(Duration::from_secs((*limit_s).into()));
            Ok(Reply::Probed(sizing::probe(device, *row, launch, plan, Duration::from_millis((*busy_ms).into()))))
        }
        Request::Measure(task) => {
            let (result, took) = row::measure(device, task);
            Ok(Reply::Measured(Box::new(result), took))
        }
        Request::Check(task) => Ok(Reply::Measured(Box::new(row::check(device, task)), Took::default())),
        Request::Canary(task) => Ok(Reply::Canary(canary::measure(device, task).map(Box::new))),
    };
    reply.unwrap_or_else(Reply::Error)
}

fn open(device: &mut dyn Device, setup: &Setup) -> Result<Took, DeviceError> {
    let began = device.now();
    device.open(setup)?;
    let mut took = Took::default();
    let time = device.now().saturating_sub(began);
    took.add_rest(Part::Load, time, &device.took());
    Ok(took)
}

/// Whether `reply` tells of a device that can't go on, so that its process must end.
#[must_use]
pub fn is_last(reply: &Reply) -> bool {
    match reply {
        Reply::Measured(result, _) => poisons(&result.outcome),
        Reply::Canary(Some(result)) => poisons(&result.outcome),
        _ => false,
    }
}

/// Whether a row that ended so leaves the device in a state in which nothing more should be measured.
#[must_use]
pub fn poisons(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Launch(_) | Outcome::Runtime(_) | Outcome::Timeout(_))
}

/// Something that answers requests.
pub enum Worker {
    /// A device in this process: the fake one, or a replay.
    Here(Box<dyn Device>),
    /// A device in a process of its own.
    Child(Child),
}

impl Worker {
    /// Asks `request` and waits for the answer, at most `limit` where the worker is a process that can be killed.
    ///
    /// # Errors
    /// When there is no answer; the worker is gone then.
    pub fn ask(&mut self, request: &Request, limit: Duration) -> Result<Reply, Lost> {
        match self {
            Self::Here(device) => Ok(answer(device.as_mut(), request)),
            Self::Child(child) => child.ask(request, limit),
        }
    }
}
