//! Turns a site in memory into a preview in the browser that follows the author's edits.
//!
//! Must not write to the disk, nor know how a course becomes a site: a change goes through the same `compile` as a build. Nor how
//! anything is measured: with `--measure`, somebody else does that.

mod address;
mod changes;
mod connections;
mod editor;
mod folders;
mod guard;
mod http;
mod kept;
mod measuring;
mod preview;
mod problems;
mod settle;
mod watch;

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};

use self::connections::{Crowd, Limits};
use self::guard::Hosts;
use self::preview::Preview;
use self::watch::Watch;

pub use self::address::{DEFAULT_PORT, Port};
pub use self::editor::Editor;
pub use self::measuring::{Measure, Measuring};

/// What an author may choose of a preview.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// A name or an address of this machine under which others may ask as well; `None`: this machine alone.
    pub host: Option<String>,
    /// Where it listens.
    pub port: Port,
    /// Whether files are looked at time and again, where the system tells of no changes: over a network, or in a container.
    pub poll: bool,
    /// Where places of problems open.
    pub editor: Option<Editor>,
}

/// What is told on the terminal: one text a compilation.
pub type Report = Box<dyn Fn(&str) + Send + Sync>;

/// A preview that is ready to answer.
pub struct Server {
    listeners: Vec<TcpListener>,
    address: SocketAddr,
    hosts: Hosts,
    preview: Arc<Preview>,
    limits: Limits,
    _watch: Watch,
}

impl Server {
    /// Takes the port, reads and compiles the course at `root`, and begins to watch it. `prefix` stands before a course's
    /// file names in what `report` is told.
    ///
    /// # Errors
    /// When the course can't be read or watched, or the port is taken.
    pub fn start(root: &Path, prefix: &str, settings: Settings, report: Report) -> Result<Self> {
        Self::start_measuring(root, prefix, settings, None, report)
    }

    /// The same; with `measuring`, sweeps are measured as they are saved.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start_measuring(root: &Path, prefix: &str, settings: Settings, measuring: Option<Measuring>, report: Report) -> Result<Self> {
        let (listeners, hosts) = address::listen(settings.host.as_deref(), settings.port)?;
        let first = listeners.first().context("nowhere to listen")?;
        let address = first.local_addr().context("cannot tell the port")?;
        let (watch, preview) = Watch::start(root, prefix, settings.editor, settings.poll, measuring, report)?;
        Ok(Self { listeners, address, hosts, preview, limits: Limits::default(), _watch: watch })
    }

    /// Where it answers.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets go after `patience` who sends no request or takes no answer, in the place of what is usual.
    #[must_use]
    pub fn patient_for(self, patience: std::time::Duration) -> Self {
        Self { limits: Limits { request: patience, answer: patience, ..self.limits }, ..self }
    }

    /// Answers until `stop` is ready; then the port is free at once, whoever is still connected.
    ///
    /// # Errors
    /// When the system refuses to serve.
    pub fn run(self, stop: impl Future<Output = ()>) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the server")?;
        runtime.block_on(async {
            let (router, crowd) = (http::router(self.preview, self.hosts), Crowd::new(self.limits));
            for listener in self.listeners {
                listener.set_nonblocking(true).context("cannot start the server")?;
                let listener = tokio::net::TcpListener::from_std(listener).context("cannot start the server")?;
                tokio::spawn(connections::accept(listener, router.clone(), crowd.clone()));
            }
            stop.await;
            Ok(())
        })
    }
}
