//! Turns the words of a command into what it printed and how it ended: in a clean environment, in time, within bounds.
//!
//! Must not know what the command is for. It runs in a process group of its own, which ends with it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes that are kept of each stream; a program that prints more is ended.
pub const MOST_BYTES: usize = 256 * 1024;
/// How long pipes may stay open after the process itself ended: something that it started holds them.
const LINGER: Duration = Duration::from_secs(2);
/// How often it is looked whether a process has ended that holds its pipes no longer.
const LOOK: Duration = Duration::from_millis(20);

/// What a process is given of the environment, beside `CUDA_*` that chooses devices: where programs and libraries are.
const KEPT: [&str; 11] = [
    "PATH",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CPATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "SystemRoot",
];

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// Over its time limit; it was ended.
    TimedOut,
    /// It printed more than [`MOST_BYTES`] on one stream; it was ended.
    TooMuch,
    /// It could not be started; why.
    NotStarted(String),
}

/// What a command printed and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// How.
    pub ended: Ended,
    /// Standard output, LF line ends.
    pub stdout: String,
    /// Standard error, LF line ends.
    pub stderr: String,
}

/// Where commands run.
#[derive(Debug, Clone, Copy)]
pub struct Shell<'a> {
    /// Their folder.
    pub folder: &'a Path,
    /// What they find in their environment besides what all do.
    pub environment: &'a [(String, String)],
}

impl Shell<'_> {
    /// Runs `words` for `limit` at most. The first word is a program of the folder if it holds a `/`, else one of `PATH` (or of a
    /// CUDA toolkit beside it).
    #[must_use]
    pub fn run(&self, words: &[String], limit: Duration) -> Printed {
        let not_started = |why: String| Printed { ended: Ended::NotStarted(why), stdout: String::new(), stderr: String::new() };
        let Some((program, arguments)) = words.split_first() else { return not_started("the command is empty".to_owned()) };
        let Some(path) = find(program, self.folder) else { return not_started(format!("there is no program `{program}`")) };
        let mut command = Command::new(path);
        command.args(arguments).current_dir(self.folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env_clear().envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        // One language of messages, and no cache or setting of the one who measures.
        command.env("LC_ALL", "C").env("HOME", self.folder).env("TMPDIR", self.folder);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        match command.spawn() {
            Ok(child) => Running::new(child).finish(limit),
            Err(error) => not_started(format!("`{program}` can't be started: {}", error.kind())),
        }
    }
}

/// The program `name`: of the folder, of `PATH`, or of the toolkit that the environment names.
#[must_use]
pub fn find(name: &str, folder: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(folder.join(name)).filter(|path| path.is_file());
    }
    let folders = std::env::var_os("PATH").map(|paths| std::env::split_paths(&paths).collect::<Vec<_>>()).unwrap_or_default();
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(|name| std::env::var_os(name).map(PathBuf::from));
    let toolkits = toolkits.chain([PathBuf::from("/usr/local/cuda")]).map(|toolkit| toolkit.join("bin"));
    let candidates = folders.into_iter().chain(toolkits).filter(|folder| folder.is_absolute());
    candidates.map(|folder| folder.join(name)).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}

/// A stream as far as it was read.
type Kept = Arc<Mutex<Vec<u8>>>;

/// What a reader says.
enum Said {
    /// Its stream ended.
    Ended,
    /// Its stream is over the bound.
    TooMuch,
}

struct Running {
    child: Child,
    streams: [Kept; 2],
    said: Receiver<Said>,
}

impl Running {
    fn new(mut child: Child) -> Self {
        let (sender, said) = channel();
        let streams: [Kept; 2] = Default::default();
        let pipes: [Option<Box<dyn Read + Send>>; 2] =
            [child.stdout.take().map(|pipe| Box::new(pipe) as _), child.stderr.take().map(|pipe| Box::new(pipe) as _)];
        for (pipe, kept) in pipes.into_iter().zip(&streams) {
            let Some(pipe) = pipe else { continue };
            let (sender, kept) = (sender.clone(), kept.clone());
            // A thread, since a pipe can't be read with a time limit. It ends with the process group.
            std::thread::spawn(move || {
                // Nobody listens any more if the group was ended; that is no fault.
                let _ = sender.send(keep(pipe, &kept));
            });
        }
        Self { child, streams, said }
    }

    /// Waits for the end of the process and of its streams.
    fn finish(mut self, limit: Duration) -> Printed {
        let deadline = Instant::now() + limit;
        let mut open = self.streams.len();
        let mut status: Option<(ExitStatus, Instant)> = None;
        let ended = loop {
            match self.said.recv_timeout(LOOK) {
                Ok(Said::TooMuch) => break Ended::TooMuch,
                Ok(Said::Ended) => open = open.saturating_sub(1),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    open = 0;
                    std::thread::sleep(LOOK);
                }
            }
            if status.is_none() {
                status = self.child.try_wait().ok().flatten().map(|status| (status, Instant::now()));
            }
            match status {
                Some((status, since)) if open == 0 || since.elapsed() > LINGER => break how(status),
                None if Instant::now() >= deadline => break Ended::TimedOut,
                _ => {}
            }
        };
        self.end();
        let [stdout, stderr] = self.streams.map(|kept| text(&kept.lock().unwrap_or_else(PoisonError::into_inner)));
        Printed { ended, stdout, stderr }
    }

    /// Ends whatever of the group is left.
    fn end(&mut self) {
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // There is nobody left to end in the usual case.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads `pipe` to its end into `kept`, or until that is full.
fn keep(mut pipe: Box<dyn Read + Send>, kept: &Kept) -> Said {
    let mut part = [0; 8192];
    loop {
        let length = match pipe.read(&mut part) {
            Ok(0) => return Said::Ended,
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return Said::Ended,
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MOST_BYTES.saturating_sub(kept.len());
        kept.extend_from_slice(&part[..length.min(room)]);
        if length > room {
            return Said::TooMuch;
        }
    }
}

fn how(status: ExitStatus) -> Ended {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ended::Signal(signal);
    }
    Ended::Exit(status.code().unwrap_or(-1))
}

/// Bytes as text: what is not UTF-8, and NUL, as the mark for that.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\0', "\u{fffd}")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, limit_ms: u64) -> Printed {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let words = ["sh", "-c", script].map(str::to_owned);
        Shell { folder: folder.path(), environment: &[] }.run(&words, Duration::from_millis(limit_ms))
    }

    #[test]
    fn streams_and_exit_code_are_kept_apart() {
        let printed = sh("printf 'out\\r\\n'; echo err >&2; exit 3", 20_000);
        assert_eq!(printed, Printed { ended: Ended::Exit(3), stdout: "out\n".to_owned(), stderr: "err\n".to_owned() });
        assert_eq!(sh("kill -SEGV $$", 20_000).ended, Ended::Signal(11));
        assert_eq!(sh("printf 'a\\377\\000b'", 20_000).stdout, "a\u{fffd}\u{fffd}b");
    }

    #[test]
    fn a_hang_ends_with_all_that_it_started() {
        let begun = Instant::now();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let words = ["sh", "-c", "echo begun; (sleep 1; echo late > mark) & sleep 60"].map(str::to_owned);
        let printed = Shell { folder: folder.path(), environment: &[] }.run(&words, Duration::from_millis(200));
        assert_eq!((printed.ended, printed.stdout.as_str()), (Ended::TimedOut, "begun\n"));
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(1500));
        assert!(!folder.path().join("mark").exists(), "a child of the program lives on");
    }

    #[test]
    fn a_child_that_holds_the_pipes_does_not_hold_up_the_end() {
        let begun = Instant::now();
        let printed = sh("echo done; sleep 60 &", 30_000);
        assert_eq!((printed.ended, printed.stdout.as_str()), (Ended::Exit(0), "done\n"));
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn too_much_output_is_cut_off() {
        let printed = sh("while :; do echo 0123456789012345678901234567890123456789; done", 60_000);
        assert_eq!((printed.ended, printed.stdout.len()), (Ended::TooMuch, MOST_BYTES));
    }

    #[test]
    fn what_is_not_there_is_said() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let start = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            Shell { folder: folder.path(), environment: &[] }.run(&words, Duration::from_secs(20)).ended
        };
        assert_eq!(start(&["no-such-program-here"]), Ended::NotStarted("there is no program `no-such-program-here`".to_owned()));
        assert_eq!(start(&["./bench"]), Ended::NotStarted("there is no program `./bench`".to_owned()));
        std::fs::write(folder.path().join("text"), "no program").expect("written");
        assert!(matches!(start(&["./text"]), Ended::NotStarted(_)));
        assert!(matches!(start(&[]), Ended::NotStarted(_)));
    }

    #[test]
    fn the_environment_says_nothing_of_who_measures() {
        let printed = sh("env | cut -d= -f1 | sort; pwd > here; test \"$HOME\" = \"$(cat here)\" && echo home", 20_000);
        for line in printed.stdout.lines() {
            let known = KEPT.contains(&line) || ["LC_ALL", "HOME", "TMPDIR", "PWD", "SHLVL", "_", "OLDPWD", "home"].contains(&line);
            assert!(known, "{line}");
        }
        assert!(printed.stdout.ends_with("home\n"), "{}", printed.stdout);
    }
}
