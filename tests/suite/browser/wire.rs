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

    pub(super) fn call(&mut self, method: &str, params: Value) -> Value {
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
}
