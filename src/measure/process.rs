//! Turns requests into lines of JSON for a fresh process, and its lines into answers; and, in that process, the reverse.
//!
//! Must not know what is asked. Code of the course runs in such processes only, and a fault on the device ends one of
//! them and nothing else.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};

use crate::device::Device;

use super::worker::{Lost, Reply, Request, answer, is_last};

/// The hidden command that makes lessonc serve requests on its standard input.
pub const COMMAND: &str = "round-process";

/// What a line of the protocol begins with. Host regions may print; what they print is no answer.
const MARK: &str = "\u{1}lessonc ";

/// A process that answers requests. It is killed when dropped.
pub struct Child {
    process: std::process::Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Child {
    /// Starts this program anew as a worker, with `arguments` that say on which device.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn start(arguments: &[OsString]) -> Result<Self> {
        let program = std::env::current_exe().context("cannot tell which program this is")?;
        Self::start_command(Command::new(program).arg(COMMAND).args(arguments))
    }

    /// A process of `sh` that plays a worker.
    ///
    /// # Errors
    /// When the system refuses.
    #[cfg(all(test, unix))]
    pub(super) fn of_shell(script: &str) -> Result<Self> {
        Self::start_command(Command::new("sh").arg("-c").arg(script))
    }

    fn start_command(command: &mut Command) -> Result<Self> {
        // Modules are loaded when they are asked for, never at a first launch: a load within a sample would be timed.
        command.env("CUDA_MODULE_LOADING", "EAGER").stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own, so that a break from the keyboard lets the row in progress end in order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut process = command.spawn().context("cannot start a process for a round")?;
        let (input, output) = process.stdin.take().zip(process.stdout.take()).ok_or_else(|| anyhow!("the process has no pipes"))?;
        let (sender, lines) = channel();
        // A thread, since a pipe can't be read with a time limit. It ends with the process's output.
        std::thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                if line.starts_with(MARK) && sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { process, input, lines })
    }

    /// Asks `request` and waits for the answer, `limit` at most.
    ///
    /// # Errors
    /// When the process ended, or did not answer in time and was killed.
    pub fn ask(&mut self, request: &Request, limit: Duration) -> Result<Reply, Lost> {
        let mut line = serde_json::to_string(request).map_err(|error| Lost::Died(format!("the request can't be written: {error}")))?;
        line.push('\n');
        if self.input.write_all(line.as_bytes()).and_then(|()| self.input.flush()).is_err() {
            return Err(self.died());
        }
        match self.lines.recv_timeout(limit) {
            Ok(line) => {
                serde_json::from_str(&line[MARK.len()..]).map_err(|error| Lost::Died(format!("the process answers nonsense: {error}")))
            }
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.process.kill();
                Err(Lost::TimedOut(limit))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }

    /// How the process ended, in words.
    fn died(&mut self) -> Lost {
        let _ = self.process.kill();
        let how = self.process.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        Lost::Died(format!("the process of the round ended: {how}"))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Requests as they come in, a line each.
pub type Requests<'a> = dyn Iterator<Item = std::io::Result<String>> + 'a;

/// How long a worker whose parent is gone may go on.
const ORPHANED: Duration = Duration::from_secs(1);

/// The requests of the parent on standard input. A parent that is killed closes it, and then this process ends too, whatever
/// it is doing: the row in hand is nobody's any more, and the GPU is wanted by the next run.
pub fn of_parent() -> Box<Requests<'static>> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines() {
            if sender.send(line).is_err() {
                break;
            }
        }
        drop(sender);
        std::thread::sleep(ORPHANED);
        std::process::exit(0);
    });
    Box::new(lines.into_iter())
}

/// Answers `requests` with `device` until they end, or until an answer says that the device can't go
/// on: its process must end then.
///
/// # Errors
/// When the parent is gone or asks what this version does not know.
pub fn serve(device: &mut dyn Device, requests: &mut Requests<'_>, output: &mut dyn Write) -> Result<()> {
    for line in requests {
        let request: Request = serde_json::from_str(&line?).context("the parent asks what this lessonc does not know")?;
        let reply = answer(device, &request);
        // The line break before it ends whatever a host region has printed.
        write!(output, "\n{MARK}{}\n", serde_json::to_string(&reply)?)?;
        output.flush()?;
        if is_last(&reply) {
            break;
        }
    }
    Ok(())
}

/// Answers every request with the one `error`, for a process that could not open its device.
///
/// # Errors
/// As for [`serve`].
pub fn refuse(error: &crate::device::DeviceError, requests: &mut Requests<'_>, output: &mut dyn Write) -> Result<()> {
    for line in requests {
        line?;
        write!(output, "\n{MARK}{}\n", serde_json::to_string(&Reply::Error(error.clone()))?)?;
        output.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_answers_line_by_line_and_ends_after_a_fault() {
        use crate::device::fake::{Fake, FakeFault, FakeSpec, FaultKind};
        let task = |row: u32| {
            let launch = r#"{"kernel":"k","block":[32,1,1],"shared_bytes":0,"grid":[1,1,1],"arguments":[],"bytes":1073741824,"flop":null}"#;
            let timing = r#"{"cache":"cold","rounds":5,"samples":5,"warmup_ms":1,"limit_s":30}"#;
            format!(
                r#"{{"measure":{{"round":1,"row":{row},"launch":{launch},"launches":1,"least_span_ns":1,"timing":{timing},"in_place":false,"checked":true,"reads":[]}}}}"#
            )
        };
        let requests = ["\"machine\"".to_owned(), task(0), task(1), task(0)].join("\n") + "\n";
        let fault = FakeFault { row: Some(1), round: None, kind: FaultKind::Runtime };
        let mut device = Fake::new(std::sync::Arc::new(FakeSpec { faults: vec![fault], ..FakeSpec::default() }), 1);
        let mut output = Vec::new();
        serve(&mut device, &mut requests.as_bytes().lines(), &mut output).expect("the requests are known");
        let output = String::from_utf8(output).expect("JSON is text");
        let replies: Vec<Reply> = output.lines().filter_map(|line| serde_json::from_str(line.strip_prefix(MARK)?).ok()).collect();
        let words: Vec<&str> = replies
            .iter()
            .map(|reply| match reply {
                Reply::Machine(_) => "machine",
                Reply::Measured(result, _) => result.outcome.word(),
                _ => "other",
            })
            .collect();
        assert_eq!(words, ["machine", "ok", "runtime"]);
        assert!(serve(&mut device, &mut b"nonsense\n".lines(), &mut Vec::new()).is_err());
    }

    fn shell(script: &str) -> Child {
        Child::of_shell(script).expect("sh starts")
    }

    #[test]
    fn chatter_is_passed_over_and_an_answer_found() {
        let mut child = shell("read line; echo chatter; printf 'no line end'; printf '\\n\\001lessonc \"done\"\\n'; read line");
        assert_eq!(child.ask(&Request::Machine, Duration::from_secs(20)), Ok(Reply::Done));
    }

    #[test]
    fn a_crash_and_a_hang_are_told_apart() {
        let lost = shell("read line; exit 3").ask(&Request::Machine, Duration::from_secs(20));
        assert!(matches!(&lost, Err(Lost::Died(how)) if how.contains('3')), "{lost:?}");
        let lost = shell("exec sleep 60").ask(&Request::Machine, Duration::from_millis(50));
        assert_eq!(lost, Err(Lost::TimedOut(Duration::from_millis(50))));
    }
}
