//! `serve` over the loopback interface: a preview that runs, and what asks it.
//!
//! Must not know how a preview works; it is asked as a browser asks it.

mod edits;
mod page;
mod problems;
mod server;
mod warm;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lessonc::serve::{Port, Server, Settings};
use serde_json::Value;

use super::support::{Folder, lessonc};

/// How long anything may take; the machine may be busy with other tests.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a preview is started with: a port that the system chooses, and nothing else.
fn settings() -> Settings {
    Settings { port: Port::Exactly(0), ..Settings::default() }
}

/// A preview that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub(crate) fn start(course: &Path) -> Self {
        Self::of(Server::start(course, "", settings(), Box::new(|_| {})).unwrap())
    }

    /// A preview on that very port.
    fn at(course: &Path, port: u16) -> Self {
        let settings = Settings { port: Port::Exactly(port), ..settings() };
        Self::of(Server::start(course, "", settings, Box::new(|_| {})).unwrap())
    }

    fn of(server: Server) -> Self {
        let address = server.address();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || {
            server
                .run(async {
                    let _ = stopped.await;
                })
                .unwrap();
        });
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request with `headers` and gives the whole answer.
    fn request(&self, line: &str, headers: &str) -> String {
        let mut stream = self.connect();
        write!(stream, "{line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.request(&format!("GET {path}"), "Host: localhost\r\n")
    }

    /// What the script on `page` is told to show over it.
    fn over(&self, page: &str) -> Value {
        let answer = self.get(&format!("/_lessonc/over?page={page}"));
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// Waits until the answer for `path` is as it should be. A file that is caught half written shows for a moment, too.
    fn until(&self, path: &str, is_right: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let answer = self.get(path);
            if is_right(&answer) {
                return answer;
            }
            assert!(begun.elapsed() < PATIENCE, "still {path}: {answer}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn until_over(&self, page: &str, is_right: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let over = self.over(page);
            if is_right(&over) {
                return over;
            }
            assert!(begun.elapsed() < PATIENCE, "still over {page}: {over:#}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// The stream of what changed.
struct Events(BufReader<TcpStream>);

impl Events {
    /// As a page opens it that shows generation `since`.
    fn since(preview: &Running, since: u64) -> Self {
        let mut stream = preview.connect();
        write!(stream, "GET /_lessonc/events?since={since} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
        Self(BufReader::new(stream))
    }

    /// Waits for the next news.
    fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).expect("news arrive in time"), 0, "the stream ended");
            if let Some(news) = line.strip_prefix("data: ") {
                return serde_json::from_str(news).unwrap();
            }
        }
    }
}

/// The generation that a page says it is of.
fn generation(page: &str) -> u64 {
    let (_, rest) = page.split_once("data-generation=\"").expect("a page with the preview's script");
    rest.split('"').next().unwrap().parse().unwrap()
}

/// A course of one lesson that stands on no measurement.
pub(crate) fn course() -> Folder {
    let folder = Folder::new();
    lessonc([&"init", &folder.path()]);
    folder
}
