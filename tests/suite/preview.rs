//! `serve` over the loopback interface: pages, edits, broken edits, and who is not answered.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lessonc::serve::{Port, Server};

use super::browser::Browser;
use super::support::{Folder, files, lessonc};

/// A preview that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub(crate) fn start(course: &Path) -> Self {
        let server = Server::start(course, "", Port::Exactly(0), Box::new(|_| {})).unwrap();
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

    /// Sends a request and gives the whole answer.
    fn request(&self, method: &str, path: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.request("GET", path, "localhost")
    }

    /// Waits until the answer for `path` is as it should be. A file that is caught half written shows for a moment, too.
    fn until(&self, path: &str, is_right: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let answer = self.get(path);
            if is_right(&answer) {
                return answer;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "still {path}: {answer}");
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

/// The stream of generations.
struct Events(BufReader<TcpStream>);

impl Events {
    fn open(preview: &Running) -> Self {
        let mut stream = TcpStream::connect(preview.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(b"GET /_lessonc/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
        Self(BufReader::new(stream))
    }

    /// Waits for the next generation.
    fn next(&mut self) -> u64 {
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).expect("an event arrives in time"), 0, "the stream ended");
            if let Some(generation) = line.strip_prefix("data: ") {
                return generation.trim().parse().unwrap();
            }
        }
    }
}

/// A course of one lesson that stands on no measurement.
pub(crate) fn course() -> Folder {
    let folder = Folder::new();
    lessonc([&"init", &folder.path()]);
    folder
}

#[test]
fn an_edit_shows_a_broken_one_says_why_and_the_next_recovers() {
    let folder = course();
    let before = files(folder.path());
    let preview = Running::start(folder.path());
    assert!(preview.get("/").starts_with("HTTP/1.1 200"));
    let page = preview.get("/first.html");
    assert!(page.contains("Say the one idea") && page.contains("/_lessonc/reload.js"), "{page}");
    let mut events = Events::open(&preview);
    let first = events.next();
    assert!(page.contains(&format!("data-generation=\"{first}\"")));

    folder.edit("lessons/first.md", "Say the one idea", "Another idea");
    let second = events.next();
    assert!(second > first);
    preview.until("/first.html", |page| page.contains("Another idea"));

    // A kernel that a page shows counts as much as the page.
    folder.edit("kernels/first.cu", "y[i] = 2.0f * x[i];\n    }\n}\n// end snippet", "y[i] = 3.0f * x[i];\n    }\n}\n// end snippet");
    preview.until("/first.html", |page| page.contains("3.0f"));

    folder.edit("lessons/first.md", "first.cu#scale\n", "first.cu#sacle\n");
    preview.until("/first.html", |page| {
        ["snippet-missing", "first.cu#sacle", "<details id=\"lessonc-problems\" open"].iter().all(|part| page.contains(part))
    });

    folder.edit("lessons/first.md", "first.cu#sacle\n", "first.cu#scale\n");
    preview.until("/first.html", |page| !page.contains("snippet-missing"));
    assert_eq!(before, files(folder.path()), "a preview writes nothing");
}

#[test]
fn new_files_and_folders_are_seen() {
    let folder = course();
    let preview = Running::start(folder.path());
    folder.write("lessons/second.md", "+++\ntitle = \"Second\"\n+++\n\nA second page.\n");
    preview.until("/second.html", |page| page.contains("A second page."));
    folder.remove("lessons/second.md");
    preview.until("/second.html", |answer| answer.starts_with("HTTP/1.1 404"));
}

#[test]
fn only_this_machine_is_answered_and_only_reading() {
    let folder = course();
    let preview = Running::start(folder.path());
    assert!(preview.request("GET", "/", "evil.example:4000").starts_with("HTTP/1.1 403"));
    assert!(preview.request("POST", "/", "localhost").starts_with("HTTP/1.1 405"));
    assert!(preview.get("/no-such-page.html").starts_with("HTTP/1.1 404"));
    assert!(preview.get("/../lessons/course.toml").starts_with("HTTP/1.1 404"));
    assert!(preview.get("/%2e%2e/lessons/course.toml").starts_with("HTTP/1.1 404"));
    assert!(preview.address.ip().is_loopback());
}

#[test]
fn a_taken_port_is_an_error_only_when_it_was_asked_for() {
    let folder = course();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let refused = Server::start(folder.path(), "", Port::Exactly(port), Box::new(|_| {})).err().expect("the port is taken");
    assert!(format!("{refused:#}").contains(&port.to_string()));
    let any = Server::start(folder.path(), "", Port::Any, Box::new(|_| {})).unwrap();
    let other = Server::start(folder.path(), "", Port::Any, Box::new(|_| {})).unwrap();
    assert_ne!(any.address(), other.address());
}

#[test]
fn an_open_page_reloads_by_itself() {
    let Some(browser) = Browser::get() else { return };
    let folder = course();
    let preview = Running::start(folder.path());
    let mut tab = browser.tab();
    tab.open(&format!("http://{}/first.html", preview.address));
    tab.until("document.body.textContent.includes('Say the one idea')");
    folder.edit("lessons/first.md", "Say the one idea", "Something else");
    tab.until("document.body.textContent.includes('Something else')");
    folder.edit("lessons/first.md", "first.cu#scale\n", "first.cu#sacle\n");
    tab.until("document.getElementById('lessonc-problems') !== null && document.body.textContent.includes('first.cu#sacle')");
    folder.edit("lessons/first.md", "first.cu#sacle\n", "first.cu#scale\n");
    tab.until("document.getElementById('lessonc-problems') === null || !document.getElementById('lessonc-problems').open");
    let complaints = tab.complaints();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
