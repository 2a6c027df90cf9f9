//! A socket for the driver, which expects asynchronous ones.
//!
//! The calling thread waits on the socket itself, with `poll(2)` and a deadline ([`Wire::wait`]), without
//! another thread or a reactor. Only the connection for notices is registered with a runtime
//! ([`Wire::register`]).

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use socket2::Socket;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::UnixStream;

/// One socket, shared by the driver and the waiting thread.
#[derive(Clone)]
pub struct Wire(Arc<Inner>);

struct Inner {
    socket: Socket,
    /// Whether reading may return data. Saves a system call per answer.
    readable: AtomicBool,
    /// Whether the driver has more to write than the system accepted.
    blocked: AtomicBool,
    /// The same socket, watched by a runtime. Only its readiness is used, which is the same for TCP.
    watched: OnceLock<UnixStream>,
}

impl Wire {
    /// Wraps a connected socket.
    pub(crate) fn new(socket: Socket) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self(Arc::new(Inner {
            socket,
            readable: AtomicBool::new(false),
            blocked: AtomicBool::new(false),
            watched: OnceLock::new(),
        })))
    }

    /// Lets the caller's runtime watch the socket from now on.
    pub(crate) fn register(&self) -> io::Result<()> {
        let watched = UnixStream::from_std(OwnedFd::from(self.0.socket.try_clone()?).into())?;
        // A second registration has no effect.
        let _ = self.0.watched.set(watched);
        Ok(())
    }

    /// Waits until the driver can continue; false when the deadline passed first.
    pub(crate) fn wait(&self, deadline: Instant) -> io::Result<bool> {
        let mut wanted = PollFlags::IN;
        if self.0.blocked.load(Ordering::Relaxed) {
            wanted |= PollFlags::OUT;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            // A server that never stops sending does not extend the deadline.
            return Ok(false);
        }
        let left = Timespec::try_from(left).map_err(io::Error::other)?;
        let mut watched = [PollFd::new(&self.0.socket, wanted)];
        match poll(&mut watched, Some(&left)) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
        let [watched] = watched;
        // Reading reports errors and hang-ups.
        self.0.readable.store(watched.revents() != PollFlags::OUT, Ordering::Relaxed);
        self.0.blocked.store(false, Ordering::Relaxed);
        Ok(true)
    }

    fn read_now(&self, room: &mut [u8]) -> Poll<io::Result<usize>> {
        if !self.0.readable.load(Ordering::Relaxed) {
            return Poll::Pending;
        }
        let outcome = (&self.0.socket).read(room);
        let emptied = match &outcome {
            // A short read means that no more data is available. The end of the stream is reported on every
            // read.
            Ok(count) => *count > 0 && *count < room.len(),
            Err(_) => would_block(&outcome),
        };
        self.0.readable.store(!emptied, Ordering::Relaxed);
        if would_block(&outcome) { Poll::Pending } else { Poll::Ready(outcome) }
    }

    fn write_now(&self, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = (&self.0.socket).write(bytes);
        let blocked = would_block(&outcome);
        self.0.blocked.store(blocked, Ordering::Relaxed);
        if blocked { Poll::Pending } else { Poll::Ready(outcome) }
    }
}

fn would_block<T>(outcome: &io::Result<T>) -> bool {
    outcome.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let room = buffer.initialize_unfilled();
        let count = ready!(match self.0.watched.get() {
            Some(watched) => loop {
                ready!(watched.poll_read_ready(context))?;
                let outcome = watched.try_io(Interest::READABLE, || (&self.0.socket).read(room));
                if !would_block(&outcome) {
                    break Poll::Ready(outcome);
                }
            },
            None => self.read_now(room),
        })?;
        buffer.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Some(watched) = self.0.watched.get() else { return self.write_now(bytes) };
        loop {
            ready!(watched.poll_write_ready(context))?;
            let outcome = watched.try_io(Interest::WRITABLE, || (&self.0.socket).write(bytes));
            if !would_block(&outcome) {
                return Poll::Ready(outcome);
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.socket.shutdown(Shutdown::Write))
    }
}
