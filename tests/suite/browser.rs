//! A real browser: a page that is open reloads itself after an edit, and no page has anything to complain about.
//!
//! Chromium is driven over its DevTools protocol. Without Chromium these tests fail, unless `LESSONC_NO_BROWSER=1` says that
//! there is none to be had.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use super::preview::{Running, course};
use super::support::lessonc;

const PATIENCE: Duration = Duration::from_secs(30);

/// The browser to drive; `None` if the caller's environment says to do without.
fn chromium() -> Option<PathBuf> {
    if std::env::var_os("LESSONC_NO_BROWSER").is_some_and(|value| value == "1") {
        return None;
    }
    let named = std::env::var_os("LESSONC_BROWSER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found =
        named.or_else(|| std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file()));
    Some(found.expect("no Chromium on the PATH: install it (`apt-get install chromium`), name one in LESSONC_BROWSER, or set LESSONC_NO_BROWSER=1 to skip these tests"))
}

struct Browser {
    child: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: Option<String>,
    next: u64,
    /// What happened and nobody has asked for yet.
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    fn start(program: PathBuf) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--remote-debugging-port=0",
            ])
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
        let (socket, _) = tungstenite::connect(url).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        let mut browser = Self { child, socket, session: None, next: 0, events: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session = browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }))["sessionId"].clone();
        browser.session = session.as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            browser.call(domain, json!({}));
        }
        browser
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap_or_else(|error| panic!("{method}: {error}")) else { continue };
            let mut value: Value = serde_json::from_str(&text).unwrap();
            if value["id"] == json!(id) {
                assert!(value.get("error").is_none(), "{method}: {value}");
                return value["result"].take();
            }
            self.events.push(value);
        }
    }

    fn open(&mut self, url: &str) {
        let result = self.call("Page.navigate", json!({ "url": url }));
        assert!(result.get("errorText").is_none(), "{url}: {result}");
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    fn evaluate(&mut self, script: &str) -> Value {
        self.call("Runtime.evaluate", json!({ "expression": script, "returnByValue": true }))["result"]["value"].take()
    }

    /// Waits until `script` is true.
    fn until(&mut self, script: &str) {
        let begun = Instant::now();
        while self.evaluate(script) != json!(true) {
            assert!(begun.elapsed() < PATIENCE, "still not: {script}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// All that pages complained about since the last call: uncaught errors, console errors, requests that failed.
    fn complaints(&mut self) -> Vec<String> {
        self.evaluate("0"); // lets what is on its way arrive
        let failed = |event: &Value| match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => matches!(event["params"]["type"].as_str(), Some("error" | "assert")),
            "Log.entryAdded" => event["params"]["entry"]["level"] == "error",
            // A stream of events is cut when its page reloads; that is no failure.
            "Network.loadingFailed" => event["params"]["canceled"] != true && event["params"]["type"] != "EventSource",
            "Network.responseReceived" => event["params"]["response"]["status"].as_u64().is_some_and(|status| status >= 400),
            _ => false,
        };
        let complaints = self.events.iter().filter(|event| failed(event)).map(ToString::to_string).collect();
        self.events.clear();
        complaints
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_open_page_reloads_by_itself() {
    let Some(program) = chromium() else { return };
    let folder = course();
    let preview = Running::start(folder.path());
    let mut browser = Browser::start(program);
    browser.open(&format!("http://{}/first.html", preview.address));
    browser.until("document.body.textContent.includes('Say the one idea')");
    folder.edit("lessons/first.md", "Say the one idea", "Something else");
    browser.until("document.body.textContent.includes('Something else')");
    folder.edit("lessons/first.md", "first.cu#scale\n", "first.cu#sacle\n");
    browser.until("document.getElementById('lessonc-problems') !== null && document.body.textContent.includes('first.cu#sacle')");
    folder.edit("lessons/first.md", "first.cu#sacle\n", "first.cu#scale\n");
    browser.until("document.getElementById('lessonc-problems') === null || !document.getElementById('lessonc-problems').open");
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_page_opens_from_the_disk() {
    let Some(program) = chromium() else { return };
    let folder = course();
    lessonc([&"build", &"--course", &folder.path()]);
    let pages: Vec<String> = folder.files("site").into_iter().filter(|name| name.ends_with(".html")).collect();
    assert!(pages.iter().any(|page| page == "site/first.html"), "{pages:?}");
    let mut browser = Browser::start(program);
    for page in pages {
        browser.open(&format!("file://{}", folder.path().join(&page).display()));
        assert_eq!(browser.evaluate("document.styleSheets.length > 0"), json!(true), "{page} has its style");
        let complaints = browser.complaints();
        assert!(complaints.is_empty(), "{page}: {}", complaints.join("\n"));
    }
}
