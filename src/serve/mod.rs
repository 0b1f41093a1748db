//! Turns a site in memory into a preview in the browser that follows the author's edits.
//!
//! Must not write to the disk, nor know how a course becomes a site: a change goes through the same `compile` as a build.

mod http;
mod preview;
mod watch;

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};

use self::preview::Preview;
use self::watch::Watch;

/// Where the preview listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// [`DEFAULT_PORT`], or the next one that is free.
    Any,
    /// This one or none; 0 lets the system choose.
    Exactly(u16),
}

/// The port that is tried first.
pub const DEFAULT_PORT: u16 = 4000;

/// What is told on the terminal: one text a compilation.
pub type Report = Box<dyn Fn(&str) + Send + Sync>;

/// A preview that is ready to answer.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    preview: Arc<Preview>,
    _watch: Watch,
}

impl Server {
    /// Reads and compiles the course at `root`, begins to watch it and takes the port. `prefix` stands before a course's
    /// file names in what `report` is told.
    ///
    /// # Errors
    /// When the course can't be read or watched, or the port is taken.
    pub fn start(root: &Path, prefix: &str, port: Port, report: Report) -> Result<Self> {
        let listener = listen(port)?;
        let address = listener.local_addr().context("cannot tell the port")?;
        let (watch, preview) = Watch::start(root, prefix, report)?;
        Ok(Self { listener, address, preview, _watch: watch })
    }

    /// Where it answers; always a loopback address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is ready.
    ///
    /// # Errors
    /// When the system refuses to accept connections.
    pub fn run(self, stop: impl Future<Output = ()>) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the server")?;
        runtime.block_on(async {
            self.listener.set_nonblocking(true).context("cannot start the server")?;
            let listener = tokio::net::TcpListener::from_std(self.listener).context("cannot start the server")?;
            let serve = axum::serve(listener, http::router(self.preview));
            // Browsers hold their event streams open for ever, so there is no waiting for them.
            tokio::select! {
                result = async { serve.await } => result.context("the server failed"),
                () = stop => Ok(()),
            }
        })
    }
}

fn listen(port: Port) -> Result<TcpListener> {
    let bind = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    match port {
        Port::Exactly(port) => bind(port).with_context(|| format!("cannot listen on port {port}; name another one with --port")),
        Port::Any => (DEFAULT_PORT..DEFAULT_PORT + 20)
            .find_map(|port| bind(port).ok())
            .map_or_else(|| bind(0), Ok)
            .context("cannot listen on any port of the loopback interface"),
    }
}
