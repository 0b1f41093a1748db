//! Turns a command into a server that is asked for pages until it is dropped, with all that it started.
//!
//! Must not know what a page says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::process::Timed;

/// A preview that runs.
pub(super) struct Server {
    child: Child,
    port: u16,
    /// What it says that its last work took, milliseconds.
    worked: Arc<Mutex<Option<f64>>>,
}

impl Server {
    /// Starts what `command` makes of a free port; `speaks` if it tells on standard error what its work took, as lessonc does.
    pub(super) fn start(command: impl FnOnce(u16) -> Timed, speaks: bool) -> Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut command = command(port).command();
        let errors = if speaks { Stdio::piped() } else { Stdio::null() };
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).process_group(0).spawn()?;
        let worked = Arc::new(Mutex::new(None));
        if let Some(errors) = child.stderr.take() {
            let worked = worked.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(errors).lines().map_while(Result::ok) {
                    if let Some(took) = took(&line) {
                        *worked.lock().unwrap_or_else(PoisonError::into_inner) = Some(took);
                    }
                }
            });
        }
        Ok(Self { child, port, worked })
    }

    /// Asks for `path` every `poll` until it holds `text`; what the request took that brought it.
    pub(super) fn wait(&mut self, path: &str, text: &str, poll: Duration, limit: Duration) -> Result<Duration> {
        let began = Instant::now();
        loop {
            let asked = Instant::now();
            let page = self.get(path);
            let took = asked.elapsed();
            if page.is_ok_and(|page| page.windows(text.len()).any(|window| window == text.as_bytes())) {
                return Ok(took);
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended: {status}");
            }
            if began.elapsed() > limit {
                bail!("`{text}` was not served within {} s", limit.as_secs());
            }
            std::thread::sleep(poll);
        }
    }

    fn get(&self, path: &str) -> Result<Vec<u8>> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).context("nobody listens")?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.set_nodelay(true)?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost:{}\r\nAccept: text/html\r\nConnection: close\r\n\r\n", self.port);
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(answer)
    }

    /// Forgets what it said before.
    pub(super) fn forget(&self) {
        *self.worked.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What it says that its work took since, milliseconds.
    pub(super) fn worked(&self) -> Option<f64> {
        // It may say so a little after it serves.
        let waited = Instant::now();
        loop {
            let worked = *self.worked.lock().unwrap_or_else(PoisonError::into_inner);
            if worked.is_some() || self.child.stderr.is_some() || waited.elapsed() > Duration::from_millis(50) {
                return worked;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(group) = i32::try_from(self.child.id()) {
            let _ = killpg(Pid::from_raw(group), Signal::SIGTERM);
            std::thread::sleep(Duration::from_millis(200));
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        let _ = self.child.wait();
    }
}

/// What a line like `compiled in 12.5 ms: no problems` says, milliseconds.
fn took(line: &str) -> Option<f64> {
    line.split_once("compiled in ")?.1.split_once(" ms")?.0.trim().parse().ok()
}
