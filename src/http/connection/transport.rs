//! The transport: a socket with deadlines.
//!
//! Each time it is woken, actix-http reads until the socket is empty or after a long read, writes, and flushes. The transport checks the deadline
//! when the socket is empty, and sets the timer when everything is flushed. It keeps a timer that is too early, so a
//! request that arrives in time costs no timer.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Instant;

use actix_web::rt::net::TcpStream;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep_until};

use super::activity::Connection;
use super::admission::Admission;
use super::event_stream::AdmittedSocket;
use super::raw_answer::RawAnswers;

/// The flushes without a read or write after which a connection is closed. When actix-http's buffer is full of pipelined
/// requests, it stops reading and polls in a busy loop.
const FRUITLESS_FLUSHES: u32 = 32;

/// After so many bytes in one read, the other connections of the worker have their turn. A body in chunks of one byte costs
/// most: a read has at most 8 KiB, and takes about half a millisecond.
const LONG_READ: usize = 4096;

/// A connection's socket with its deadlines.
pub(super) struct Transport {
    /// None when an event stream has taken it.
    socket: Option<AdmittedSocket>,
    connection: Rc<Connection>,
    answers: Rc<RawAnswers>,
    timer: Pin<Box<Sleep>>,
    /// Whether the timer will wake the task.
    is_armed: bool,
    has_ended: bool,
    fruitless_flushes: u32,
    /// Whether the last read was long.
    gives_way: bool,
}

impl Transport {
    pub(super) fn new(
        socket: TcpStream,
        connection: Rc<Connection>,
        answers: Rc<RawAnswers>,
        admission: Admission,
    ) -> Transport {
        Transport {
            timer: Box::pin(sleep_until(Instant::now().into())),
            socket: Some(AdmittedSocket { socket, _admission: admission }),
            connection,
            answers,
            is_armed: false,
            has_ended: false,
            fruitless_flushes: 0,
            gives_way: false,
        }
    }

    pub(super) fn connection(&self) -> &Rc<Connection> {
        &self.connection
    }

    /// Ends the connection if its deadline has passed or it was told to close. actix-http sees a client that
    /// disconnected.
    fn has_ended(&mut self) -> bool {
        let is_overdue = || self.connection.deadline().is_some_and(|deadline| deadline <= Instant::now());
        let is_displaced = self.connection.is_displaced();
        if !self.has_ended && (is_displaced || is_overdue()) {
            self.has_ended = true;
            if let Some(AdmittedSocket { socket, .. }) = &self.socket
                && (self.connection.is_reading_head() || is_displaced && has_unread(socket))
            {
                let answer =
                    if is_displaced { self.answers.too_many_connections() } else { self.answers.late_head() };
                send_last(socket, &answer);
            }
        }
        self.has_ended
    }

    /// The socket, unless an event stream has taken it.
    fn socket(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        let admitted = self.socket.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        Ok(Pin::new(&mut admitted.socket))
    }

    /// Gives the socket to the event stream that waits for it. actix-http sees a connection that is broken.
    fn hand_over(&mut self) -> io::Result<()> {
        let Some(stream) = self.connection.coming_stream() else { return Ok(()) };
        let socket = self.socket.take().ok_or(io::ErrorKind::NotConnected)?;
        self.connection.become_stream(stream, socket);
        Err(io::ErrorKind::NotConnected.into())
    }

    /// Sets the timer to the deadline, unless it fires earlier.
    fn arm(&mut self, cx: &mut Context<'_>) {
        let Some(deadline) = self.connection.deadline() else { return };
        let deadline = deadline.into();
        if self.is_armed && !self.timer.is_elapsed() && self.timer.deadline() <= deadline {
            return;
        }
        self.timer.as_mut().reset(deadline);
        self.is_armed = true;
        if self.timer.as_mut().poll(cx).is_ready() {
            cx.waker().wake_by_ref();
        }
    }
}

/// Whether bytes have arrived that were not read.
fn has_unread(socket: &TcpStream) -> bool {
    SockRef::from(socket).peek(&mut [MaybeUninit::uninit()]).is_ok_and(|bytes| bytes > 0)
}

/// Sends the last answer of a connection. If the socket's buffer is full, the client does not get it.
pub(super) fn send_last(socket: &TcpStream, answer: &[u8]) {
    if let Err(error) = SockRef::from(socket).send(answer) {
        tracing::debug!(%error, "cannot send the last answer of a connection");
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.fruitless_flushes = 0;
        if std::mem::take(&mut this.gives_way) {
            cx.waker().wake_by_ref();
            return if this.has_ended() { Poll::Ready(Ok(())) } else { Poll::Pending };
        }
        let before = buffer.filled().len();
        let polled = this.socket()?.poll_read(cx, buffer);
        if polled.is_pending() {
            return if this.has_ended() { Poll::Ready(Ok(())) } else { Poll::Pending };
        }
        if let Some(received @ [_, ..]) = buffer.filled().get(before..) {
            this.connection.received(received);
            this.gives_way = received.len() >= LONG_READ;
        }
        polled
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.fruitless_flushes = 0;
        if !this.connection.owes_answer()
            && let Some(answer) = this.answers.instead_of(bytes)
        {
            send_last(&*this.socket()?, &answer);
            return Poll::Ready(Ok(bytes.len()));
        }
        this.socket()?.poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.hand_over()?;
        this.fruitless_flushes += 1;
        if this.fruitless_flushes > FRUITLESS_FLUSHES && this.connection.is_answering() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        this.connection.flushed();
        this.connection.offer(cx.waker());
        this.arm(cx);
        this.socket()?.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().socket()?.poll_shutdown(cx)
    }
}
