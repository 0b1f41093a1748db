//! `lessonc serve --measure`: what is saved is measured, shown with a mark, and never evidence.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::fixture::{fixture, found};
use super::support::{Folder, lessonc_with};

/// A preview in a process of its own, ended when dropped.
struct Preview {
    child: Child,
    port: u16,
}

impl Preview {
    fn start(folder: &Folder) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lessonc"));
        command.args(["serve", "--measure", "--device", "fake", "--port", "0", "--course"]).arg(folder.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let port = url.trim().trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
        Self { child, port: port.unwrap_or_else(|| panic!("{url}")) }
    }

    fn page(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", self.port).unwrap();
        let mut text = Vec::new();
        stream.read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The page once it is as wanted; a test that waits longer has failed.
    #[track_caller]
    fn once(&self, path: &str, wanted: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let page = self.page(path);
            if wanted(&page) {
                return page;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{page}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where the problems are that lie over the page.
const OVER: &str = "/_lessonc/over?page=copy.html";

const MARK: &str = "<span class=\"stale\">preview</span>";

#[test]
fn what_is_saved_is_measured_and_marked() {
    let folder = fixture();
    let evidence = folder.files("evidence");
    let preview = Preview::start(&folder);
    assert!(!preview.page("/copy.html").contains(MARK), "nothing was saved yet");

    // Other sizes: the evidence is stale, and a preview stands in its place.
    folder.edit("kernels/copy.toml", "most = \"256 * 1024 * 1024\"", "most = \"512 * 1024 * 1024\"");
    let page = preview.once("/copy.html", |page| page.contains(MARK));
    assert!(page.contains("a preview in few rounds, no evidence"), "{page}");
    assert!(
        page.contains("One item a thread takes <span class=\"figure\"") && page.contains("2.09"),
        "twice the bytes, twice the time: {page}"
    );
    assert!(preview.page(OVER).contains("evidence-stale"), "what is published is still to be measured");
    assert_eq!(folder.files("evidence"), evidence);
    let records = || folder.files(".lessonc/preview/evidence").len();
    assert_eq!(records(), 2, "a record and its transcript");

    // Saved again, and back to what it was: the evidence counts, and no preview is shown.
    folder.edit("kernels/copy.toml", "most = \"512 * 1024 * 1024\"", "most = \"128 * 1024 * 1024\"");
    preview.once("/copy.html", |page| page.contains(MARK) && page.contains("0.52"));
    assert_eq!(records(), 2, "the preview before is gone");
    folder.edit("kernels/copy.toml", "most = \"128 * 1024 * 1024\"", "most = \"256 * 1024 * 1024\"");
    preview.once("/copy.html", |page| !page.contains(MARK));
    preview.once(OVER, |over| !over.contains("evidence-stale"));
    drop(preview);
    assert_eq!(found(&folder), [""; 0]);
}

#[test]
fn what_does_not_compile_is_shown_at_its_line_until_it_is_mended() {
    let folder = fixture();
    folder.write("kernels/copy.fake.toml", "compile = \"copy.cu(21): error: no such thing\"\n");
    let preview = Preview::start(&folder);
    folder.edit("kernels/copy.cu", "x[i];  // one load", "x[i] ;;  // one load");
    let over = preview.once(OVER, |over| over.contains("kernel-compile"));
    assert!(over.contains("no such thing") && over.contains("copy.cu:21"), "{over}");
    folder.remove("kernels/copy.fake.toml");
    folder.edit("kernels/copy.cu", "x[i] ;;  // one load", "x[i] + 0;  // one load");
    preview.once("/copy.html", |page| page.contains(MARK));
    assert!(!preview.page(OVER).contains("kernel-compile"));
}

#[test]
fn without_a_gpu_it_says_so_at_once() {
    let folder = fixture();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lessonc"));
    let output =
        command.args(["serve", "--measure", "--port", "0", "--course"]).arg(folder.path()).env("CUDA_VISIBLE_DEVICES", "").output();
    let output = output.unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.starts_with("lessonc: there is no GPU here for --measure: ") && err.contains("Without --measure"), "{err}");
    assert!(lessonc_with(&[&"serve", &"--gpu", &"1", &"--course", &folder.path()]).err.contains("--measure"), "a GPU is for measuring");
}
