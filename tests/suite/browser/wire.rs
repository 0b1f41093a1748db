//! Turns calls of the DevTools protocol into answers, and keeps the events that came meanwhile.
//!
//! Must not know what the calls mean.

use std::net::TcpStream;

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use super::PATIENCE;

pub(super) struct Wire {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: Option<String>,
    next: u64,
    /// What happened and nobody has asked for yet.
    pub(super) events: Vec<Value>,
}

impl Wire {
    /// A connection of its own to the browser that listens at `url`.
    pub(super) fn connect(url: &str) -> Self {
        let (socket, _) = tungstenite::connect(url).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        Self { socket, session: None, next: 0, events: Vec::new() }
    }

    /// From now on calls go to that session, a page's, instead of the browser.
    pub(super) fn speak_to(&mut self, session: &str) {
        self.session = Some(session.to_owned());
    }

    /// The answer to a call that no page can keep from being answered.
    pub(super) fn call(&mut self, method: &str, params: Value) -> Value {
        self.attempt(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The answer to a call, or why the browser refused it.
    pub(super) fn attempt(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let mut value = self.read(method);
            if value["id"] != json!(id) {
                self.events.push(value);
            } else if value.get("error").is_some() {
                return Err(value["error"].take());
            } else {
                return Ok(value["result"].take());
            }
        }
    }

    /// Waits for an event that is `wanted`, if it has not come yet; all are kept.
    pub(super) fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) {
        let mut seen = 0;
        loop {
            if self.events[seen..].iter().any(&wanted) {
                return;
            }
            seen = self.events.len();
            let value = self.read(what);
            self.events.push(value);
        }
    }

    /// The next message, whatever it is; `what` is waited for.
    fn read(&mut self, what: &str) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap_or_else(|error| panic!("{what}: {error}")) {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }
}
