//! A real browser for tests: Debian's Chromium over its DevTools protocol, and tabs in it that see a page as a reader does.
//!
//! Must not know what is right about a page; tests say that. Without Chromium they fail, unless `LESSONC_NO_BROWSER=1` says that
//! there is none to be had.

mod reading;
mod tab;
mod wire;

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

pub(crate) use self::tab::{Look, Tab};

/// How long a browser may take over anything at all; the machine may be busy with other tests.
const PATIENCE: Duration = Duration::from_secs(180);

/// The program to drive; `None` if the caller's environment says to do without.
fn program() -> Option<PathBuf> {
    if std::env::var_os("LESSONC_NO_BROWSER").is_some_and(|value| value == "1") {
        return None;
    }
    let named = std::env::var_os("LESSONC_BROWSER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found =
        named.or_else(|| std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file()));
    Some(found.expect(
        "no Chromium on the PATH: run `tests/run --install`, name one in LESSONC_BROWSER, or set LESSONC_NO_BROWSER=1 to skip these tests",
    ))
}

/// A running Chromium. Tests that run at the same time share one; it ends with the last of them.
pub(crate) struct Browser {
    child: Child,
    url: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// The browser of all tests, started if none is using it; `None` where there is to be none.
    pub(crate) fn get() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<Browser>> = Mutex::new(Weak::new());
        let program = program()?;
        let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Some(shared.upgrade().unwrap_or_else(|| {
            let browser = Arc::new(Self::start(program));
            *shared = Arc::downgrade(&browser);
            browser
        }))
    }

    fn start(program: PathBuf) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars"])
            // Tests share the browser, and a tab behind others must not be slower than the one before them.
            .args(["--disable-renderer-backgrounding", "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows"])
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned))
            .expect("Chromium says where it listens");
        std::thread::spawn(move || lines.for_each(drop)); // a full pipe would stop it
        Self { child, url, _profile: profile }
    }

    /// A new tab that shares nothing with others: neither storage nor permissions.
    pub(crate) fn tab(self: &Arc<Self>) -> Tab {
        Tab::new(Arc::clone(self))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
