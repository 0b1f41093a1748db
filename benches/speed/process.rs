//! Turns a command into what it took: time on the wall, time of processors, the most memory that any of its processes held.
//!
//! Must not know what is run. Each command is run by a process of its own, since the system keeps the memory of children only as the
//! largest of all.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// A command to be timed.
#[derive(Debug, Clone)]
pub(crate) struct Timed {
    program: PathBuf,
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    folder: Option<PathBuf>,
}

/// What a command took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Took {
    /// Seconds on the wall.
    pub(crate) wall: f64,
    /// Seconds of processors.
    pub(crate) cpu: f64,
    /// The most memory that one of its processes held at a time, bytes.
    pub(crate) peak: u64,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Ended {
    Well(Took),
    /// It ran into the limit, and was ended.
    Late,
    /// It failed, with these last words.
    Badly(String),
}

impl Timed {
    pub(crate) fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { program: program.into(), arguments, variables: Vec::new(), folder: None }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// The same, run in `folder`.
    pub(crate) fn within(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// The command as it is run where nobody times it.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    /// Runs it, for `limit` at most.
    ///
    /// # Errors
    /// When it can't be started.
    pub(crate) fn run(&self, limit: Duration) -> Result<Ended> {
        let mut said = tempfile::tempfile().context("cannot make a file for what a command says")?;
        let mut helper = Command::new(std::env::current_exe()?);
        helper.args(["timed", "--limit-s"]).arg(limit.as_secs().to_string()).arg("--").arg(&self.program).args(&self.arguments);
        helper.envs(self.variables.iter().map(|(name, value)| (name, value))).stderr(said.try_clone()?);
        if let Some(folder) = &self.folder {
            helper.current_dir(folder);
        }
        let output = helper.output().with_context(|| format!("cannot run {}", self.program.display()))?;
        match serde_json::from_slice(&output.stdout) {
            Ok(Ended::Badly(how)) => Ok(Ended::Badly(format!("{how}: {}", last_words(&mut said)))),
            Ok(ended) => Ok(ended),
            Err(_) => anyhow::bail!("{}: {}", self.program.display(), last_words(&mut said)),
        }
    }
}

/// The end of what was written to `said`.
fn last_words(said: &mut File) -> String {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let mut words = Vec::new();
    let read = said.seek(SeekFrom::Start(0)).and_then(|_| said.read_to_end(&mut words));
    let words = String::from_utf8_lossy(&words[words.len().saturating_sub(1000)..]).trim().to_owned();
    if read.is_ok() && !words.is_empty() { words } else { "it said nothing".to_owned() }
}

/// The hidden command that [`Timed::run`] starts: runs the words of `command` and prints how they ended.
pub(crate) fn serve(command: &[OsString], limit: Duration) -> Result<()> {
    let ended = run_here(command, limit)?;
    println!("{}", serde_json::to_string(&ended)?);
    Ok(())
}

fn run_here(command: &[OsString], limit: Duration) -> Result<Ended> {
    static LATE: AtomicBool = AtomicBool::new(false);
    let (program, arguments) = command.split_first().context("no command")?;
    let began = Instant::now();
    // A group of its own, so that what it starts can be ended with it.
    let mut child = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).process_group(0).spawn()?;
    let group = Pid::from_raw(i32::try_from(child.id())?);
    std::thread::spawn(move || {
        std::thread::sleep(limit);
        LATE.store(true, Ordering::SeqCst);
        let _ = killpg(group, Signal::SIGKILL);
    });
    let status = child.wait()?;
    let wall = began.elapsed().as_secs_f64();
    Ok(if LATE.load(Ordering::SeqCst) { Ended::Late } else { ended(status, wall)? })
}

fn ended(status: ExitStatus, wall: f64) -> Result<Ended> {
    if !status.success() {
        return Ok(Ended::Badly(status.to_string()));
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + 1e-6 * time.tv_usec() as f64;
    let cpu = seconds(usage.user_time()) + seconds(usage.system_time());
    // Linux counts KiB.
    Ok(Ended::Well(Took { wall, cpu, peak: u64::try_from(usage.max_rss())? * 1024 }))
}
