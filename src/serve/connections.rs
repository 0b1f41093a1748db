//! Turns connections into requests that are answered, however many come and however slow they are.
//!
//! Must not know what is asked for. Whoever sends no request in time, takes no answer, or is one too many, is let go.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service as _;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::Sleep;

/// What a connection may take. Browsers open a few a window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// How many there may be; one more sends the oldest home.
    pub(super) connections: usize,
    /// How long the head of a request may take, and how long nothing may be asked.
    pub(super) request: Duration,
    /// How long nothing of an answer may be taken.
    pub(super) answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 200, request: Duration::from_secs(20), answer: Duration::from_secs(20) }
    }
}

/// Bytes that the head of a request may have.
const HEAD: usize = 32 << 10;

/// How long to wait when the system has no more sockets.
const BREATH: Duration = Duration::from_millis(20);

/// Answers all who come to `listener` by `router`, for ever.
pub(super) async fn accept(listener: TcpListener, router: Router, crowd: Arc<Crowd>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => crowd.welcome(stream, &router),
            // Somebody who was gone before the door opened, or no socket left.
            Err(_) => {
                crowd.make_room(1);
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

/// All who are connected.
pub(super) struct Crowd {
    limits: Limits,
    guests: Mutex<Guests>,
}

#[derive(Default)]
struct Guests {
    by_age: BTreeMap<u64, Guest>,
    next: u64,
}

struct Guest {
    task: AbortHandle,
    has_asked: Arc<AtomicBool>,
}

impl Crowd {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, guests: Mutex::default() })
    }

    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers `stream` until either side has enough.
    fn welcome(self: &Arc<Self>, stream: TcpStream, router: &Router) {
        self.make_room(self.limits.connections);
        let has_asked = Arc::new(AtomicBool::new(false));
        let (asked, service) = (has_asked.clone(), TowerToHyperService::new(router.clone()));
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            asked.store(true, Ordering::Relaxed);
            service.call(request)
        });
        let mut server = http1::Builder::new();
        server.timer(TokioTimer::new()).header_read_timeout(self.limits.request).max_buf_size(HEAD);
        let connection = server.serve_connection(TokioIo::new(Patient::new(stream, self.limits.answer)), service);
        let mut guests = self.guests();
        let number = guests.next;
        let crowd = self.clone();
        let task = tokio::spawn(async move {
            let _ = connection.await; // it is the other's loss
            crowd.guests().by_age.remove(&number);
        });
        guests.by_age.insert(number, Guest { task: task.abort_handle(), has_asked });
        guests.next += 1;
    }

    /// Sends so many home that fewer than `most` stay: first who never asked for anything, the oldest before the younger.
    fn make_room(&self, most: usize) {
        let mut guests = self.guests();
        while guests.by_age.len() >= most {
            let silent = guests.by_age.iter().find(|(_, guest)| !guest.has_asked.load(Ordering::Relaxed));
            let Some(number) = silent.or_else(|| guests.by_age.first_key_value()).map(|(number, _)| *number) else { return };
            if let Some(guest) = guests.by_age.remove(&number) {
                guest.task.abort();
            }
        }
    }
}

/// A connection that ends when the other side takes nothing for a while.
struct Patient {
    stream: TcpStream,
    patience: Duration,
    /// Runs while something waits to be taken.
    waits: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        Self { stream, patience, waits: None }
    }

    fn unless_too_long<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waits = None;
            return written;
        }
        let patience = self.patience;
        ready!(self.waits.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience))).as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.unless_too_long(written, context)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, parts: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.unless_too_long(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
