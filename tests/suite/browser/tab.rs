//! A tab: opens a page, looks at it under any medium, theme and width, and says what it asked for and complained about.
//!
//! Must not know this repository's pages.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::wire::Wire;
use super::{Browser, PATIENCE};

/// How a reader looks at a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) width: u32,
    pub(crate) dark: bool,
    pub(crate) print: bool,
    pub(crate) still: bool,
    pub(crate) scripts: bool,
}

impl Look {
    pub(crate) const WIDE: Self = Self { width: 1280, dark: false, print: false, still: false, scripts: true };
    pub(crate) const PHONE: Self = Self { width: 320, ..Self::WIDE };

    pub(crate) const fn dark(self) -> Self {
        Self { dark: true, ..self }
    }

    pub(crate) const fn printed(self) -> Self {
        Self { print: true, ..self }
    }

    /// As somebody sees it who asked for less motion.
    pub(crate) const fn still(self) -> Self {
        Self { still: true, ..self }
    }

    pub(crate) const fn without_scripts(self) -> Self {
        Self { scripts: false, ..self }
    }
}

impl std::fmt::Display for Look {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.width)?;
        for (holds, word) in [(self.dark, "dark"), (self.print, "print"), (self.still, "still"), (!self.scripts, "no scripts")] {
            if holds {
                write!(f, " {word}")?;
            }
        }
        Ok(())
    }
}

pub(crate) struct Tab {
    pub(super) wire: Wire,
    /// What the tab shares with no other: storage and permissions.
    pub(super) context: Value,
    requests: Vec<String>,
    complaints: Vec<String>,
    /// Ends after the connection, which takes the tab with it.
    _browser: Arc<Browser>,
}

impl Tab {
    pub(super) fn new(browser: Arc<Browser>) -> Self {
        let mut wire = Wire::connect(&browser.url);
        let context = wire.call("Target.createBrowserContext", json!({ "disposeOnDetach": true }))["browserContextId"].take();
        let target = wire.call("Target.createTarget", json!({ "url": "about:blank", "browserContextId": context }))["targetId"].take();
        let session = wire.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }))["sessionId"].take();
        wire.speak_to(session.as_str().unwrap());
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            wire.call(domain, json!({}));
        }
        wire.call("Page.setLifecycleEventsEnabled", json!({ "enabled": true }));
        // Only one tab can have the system's focus; each is to behave as if it had.
        wire.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        let mut tab = Self { wire, context, requests: Vec::new(), complaints: Vec::new(), _browser: browser };
        tab.look(Look::WIDE);
        tab
    }

    pub(crate) fn look(&mut self, look: Look) {
        let phone = look.width < 600;
        let height = if phone { 640 } else { 800 };
        let metrics = json!({ "width": look.width, "height": height, "screenWidth": look.width, "screenHeight": height,
            "deviceScaleFactor": 1, "mobile": phone });
        self.wire.call("Emulation.setDeviceMetricsOverride", metrics);
        let feature = |name: &str, value: &str| json!({ "name": name, "value": value });
        let features = [
            feature("prefers-color-scheme", if look.dark { "dark" } else { "light" }),
            feature("prefers-reduced-motion", if look.still { "reduce" } else { "no-preference" }),
        ];
        self.wire.call("Emulation.setEmulatedMedia", json!({ "media": if look.print { "print" } else { "" }, "features": features }));
        // The browser answers before the page has its size, and draws it anew only with the next frames. Without scripts none can be
        // waited for.
        self.wire.call("Emulation.setScriptExecutionDisabled", json!({ "value": false }));
        self.until(&format!("screen.width === {0} && ({phone} || innerWidth === {0})", look.width));
        self.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))");
        self.wire.call("Emulation.setScriptExecutionDisabled", json!({ "value": !look.scripts }));
    }

    /// Opens `url` and waits until all of it is there. The page before may answer for a while yet, so that its state says nothing.
    pub(crate) fn open(&mut self, url: &str) {
        let result = self.wire.call("Page.navigate", json!({ "url": url }));
        assert!(result.get("errorText").is_none(), "{url}: {result}");
        // A move within the page loads nothing.
        if let Some(loader) = result["loaderId"].as_str() {
            self.wire.wait(url, |event| {
                let params = &event["params"];
                event["method"] == "Page.lifecycleEvent" && params["name"] == "load" && params["loaderId"] == loader
            });
        }
    }

    /// Opens a file of this machine, as a reader who unpacked a site does.
    pub(crate) fn open_file(&mut self, file: &Path) {
        self.open(&format!("file://{}", file.display()));
    }

    /// Runs `script` in every page that is opened from now on, before anything of its own.
    pub(crate) fn on_new_page(&mut self, script: &str) {
        self.wire.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
    }

    /// The value of a script, of its promise if it gives one. A script that throws is a mistake of the test.
    pub(crate) fn evaluate(&mut self, script: &str) -> Value {
        let mut answer = self.attempt(script);
        assert!(answer.get("exceptionDetails").is_none(), "{script}: {answer}");
        answer["result"]["value"].take()
    }

    /// What a script gives. Where the page goes away under it, it is run again in the next one, once that is there.
    fn attempt(&mut self, script: &str) -> Value {
        let begun = Instant::now();
        let mut answer = self.try_once(script);
        while let Err(error) = answer {
            assert!(begun.elapsed() < PATIENCE, "{script}: {error}");
            std::thread::sleep(Duration::from_millis(10));
            answer = match self.try_once("document.readyState === 'complete'") {
                Ok(state) if state["result"]["value"] == json!(true) => self.try_once(script),
                Ok(_) => Err(error),
                Err(gone_again) => Err(gone_again),
            };
        }
        answer.unwrap_or_default()
    }

    /// What a script gives, or in which words the browser says that its page went away.
    fn try_once(&mut self, script: &str) -> Result<Value, Value> {
        const GONE: [&str; 5] = [
            "Inspected target navigated or closed",
            "Execution context was destroyed",
            "Cannot find context with specified id",
            "Cannot find default execution context",
            "Promise was collected",
        ];
        let parameters = json!({ "expression": script, "returnByValue": true, "awaitPromise": true, "userGesture": true });
        self.wire.attempt("Runtime.evaluate", parameters).inspect_err(|error| {
            let words = error["message"].as_str().unwrap_or_default();
            assert!(GONE.iter().any(|gone| words.contains(gone)), "{script}: {error}");
        })
    }

    /// Waits until `script` is true; until then it may throw.
    pub(crate) fn until(&mut self, script: &str) {
        let begun = Instant::now();
        loop {
            let answer = self.attempt(script);
            if answer["result"]["value"] == json!(true) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "still not: {script}: {answer}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// All addresses asked for since the last call.
    pub(crate) fn requests(&mut self) -> Vec<String> {
        self.listen();
        std::mem::take(&mut self.requests)
    }

    /// All that pages complained about since the last call: uncaught errors, console errors, requests that failed.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        self.listen();
        std::mem::take(&mut self.complaints)
    }

    fn listen(&mut self) {
        self.attempt("0"); // lets what is on its way arrive
        for event in std::mem::take(&mut self.wire.events) {
            if event["method"] == "Network.requestWillBeSent" {
                self.requests.extend(event["params"]["request"]["url"].as_str().map(str::to_owned));
            } else if is_complaint(&event) {
                self.complaints.push(event.to_string());
            }
        }
    }
}

fn is_complaint(event: &Value) -> bool {
    let params = &event["params"];
    match event["method"].as_str().unwrap_or_default() {
        "Runtime.exceptionThrown" => true,
        "Runtime.consoleAPICalled" => matches!(params["type"].as_str(), Some("error" | "assert" | "warning")),
        "Log.entryAdded" => params["entry"]["level"] == "error" || params["entry"]["level"] == "warning",
        // A stream of events is cut when its page reloads; that is no failure.
        "Network.loadingFailed" => params["canceled"] != true && params["type"] != "EventSource",
        "Network.responseReceived" => params["response"]["status"].as_u64().is_some_and(|status| status >= 400),
        _ => false,
    }
}
