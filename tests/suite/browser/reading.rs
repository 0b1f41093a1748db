//! What a reader does with a page in a tab: press keys, click, type, and hear what has the focus.
//!
//! Must not call a page's own functions: every event comes from the browser, as it would from a hand.

use serde_json::{Value, json};

use super::tab::Tab;

impl Tab {
    /// Presses and releases a key, by the name that pages hear: `Tab`, `Enter`, `Escape`, `ArrowDown`, `/`; `Shift+` may stand before.
    pub(crate) fn press(&mut self, key: &str) {
        let (shift, key) = key.strip_prefix("Shift+").map_or((false, key), |key| (true, key));
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "Space" => (32, " "),
            "End" => (35, ""),
            "Home" => (36, ""),
            "ArrowLeft" => (37, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            other => (0, other),
        };
        let name = if key == "Space" { " " } else { key };
        let mut event = json!({
            "type": if text.is_empty() { "rawKeyDown" } else { "keyDown" },
            "key": name, "code": if code == 0 { "" } else { key }, "modifiers": if shift { 8 } else { 0 },
        });
        if code != 0 {
            event["windowsVirtualKeyCode"] = json!(code);
        }
        if !text.is_empty() {
            event["text"] = json!(text);
        }
        self.wire.call("Input.dispatchKeyEvent", event.clone());
        event["type"] = json!("keyUp");
        self.wire.call("Input.dispatchKeyEvent", event);
    }

    /// Writes `text` where the focus is.
    pub(crate) fn write(&mut self, text: &str) {
        self.wire.call("Input.insertText", json!({ "text": text }));
    }

    /// Clicks in the middle of the first element of `selector` that can be seen.
    pub(crate) fn click(&mut self, selector: &str) {
        let place = format!(
            "(() => {{ for (const e of document.querySelectorAll({})) {{
                e.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                const box = e.getBoundingClientRect();
                if (box.width && e.checkVisibility()) return [box.x + box.width / 2, box.y + box.height / 2];
            }} return null; }})()",
            json!(selector)
        );
        let place = self.evaluate(&place);
        let (x, y) = (&place[0], &place[1]);
        assert!(x.is_number(), "nothing to click at: {selector}");
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let event =
                json!({ "type": kind, "x": x, "y": y, "button": if kind == "mouseMoved" { "none" } else { "left" }, "clickCount": 1 });
            self.wire.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Lets the page in this tab read and write the clipboard, as its reader might.
    pub(crate) fn lend_clipboard(&mut self) {
        let permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"];
        self.wire.call("Browser.grantPermissions", json!({ "permissions": permissions, "browserContextId": self.context }));
    }

    /// The page as a picture, whole.
    pub(crate) fn picture(&mut self) -> Vec<u8> {
        let shot: Value = self.wire.call("Page.captureScreenshot", json!({ "format": "png", "captureBeyondViewport": true }));
        decode(shot["data"].as_str().unwrap())
    }
}

/// Base 64, as the protocol writes it.
fn decode(text: &str) -> Vec<u8> {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut held, mut bits) = (0_u32, 0);
    for sign in text.bytes().take_while(|sign| *sign != b'=') {
        held = held << 6 | SIGNS.iter().position(|known| *known == sign).expect("base 64") as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}
