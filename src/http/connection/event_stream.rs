//! Event streams: actix-http writes the head of the answer, and then gives the socket to a [`SocketStream`].
//!
//! A stream may stay open for hours and be idle. Its socket needs neither a parser nor buffers, so the memory of the
//! dispatcher is free from then on, and a frame costs little more than the kernel needs for it. The task stays the same:
//! actix-server still counts the connection and waits for it at shutdown.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodyStream, BoxBody, MessageBody};
use actix_web::http::Version;
use actix_web::rt::net::TcpStream;
use actix_web::web::Bytes;
use futures_util::Stream;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::admission::Admission;

/// The bytes that a client may send behind the request. More of them end the stream.
const MAX_DISCARDED: usize = 16 * 1024;

/// How a client knows where the body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Each frame is a chunk, and an empty chunk is the end.
    Chunked,
    /// The end of the connection is the end of the body, for HTTP/1.0.
    UntilClose,
}

impl Framing {
    pub(super) fn of(version: Version) -> Framing {
        if version < Version::HTTP_11 { Framing::UntilClose } else { Framing::Chunked }
    }

    fn write(self, frame: &[u8]) -> Vec<u8> {
        match self {
            Framing::Chunked => [format!("{:x}\r\n", frame.len()).as_bytes(), frame, b"\r\n"].concat(),
            Framing::UntilClose => frame.to_vec(),
        }
    }

    fn end(self) -> &'static [u8] {
        match self {
            Framing::Chunked => b"0\r\n\r\n",
            Framing::UntilClose => b"",
        }
    }
}

/// The frames of an event stream: an extension of the answer, whose body is empty and never ends. So no middleware is
/// between the frames and the socket.
pub(in crate::http) struct Frames(BoxBody);

impl Frames {
    pub(in crate::http) fn new<E: std::error::Error + 'static>(
        frames: impl Stream<Item = Result<Bytes, E>> + 'static,
    ) -> Frames {
        Frames(BoxBody::new(BodyStream::new(frames)))
    }

    pub(super) fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Box<dyn std::error::Error>>>> {
        Pin::new(&mut self.0).poll_next(cx)
    }
}

/// An event stream, before it has a socket.
pub(super) struct EventStream {
    pub(super) frames: Frames,
    pub(super) framing: Framing,
}

/// A socket that an admission counts.
pub(super) struct AdmittedSocket {
    pub(super) socket: TcpStream,
    /// Dropped after the socket is closed.
    pub(super) _admission: Admission,
}

/// An event stream with its socket.
pub(super) struct SocketStream {
    stream: EventStream,
    admitted: AdmittedSocket,
    /// What the socket has not taken of the last frame. The next frame is made when it has taken all.
    unsent: Vec<u8>,
    sent: usize,
    has_ended: bool,
    discarded: usize,
}

impl SocketStream {
    pub(super) fn new(stream: EventStream, admitted: AdmittedSocket) -> SocketStream {
        SocketStream { stream, admitted, unsent: Vec::new(), sent: 0, has_ended: false, discarded: 0 }
    }

    /// Sends the frames until they end or the client disconnects. Closes the connection, at the latest `linger` after
    /// the last frame was sent.
    ///
    /// # Errors
    /// If the client disconnected or did not read, or the stream failed.
    pub(super) async fn run(mut self, linger: Duration) -> io::Result<()> {
        poll_fn(|cx| self.poll(cx)).await?;
        let SocketStream { stream, admitted: AdmittedSocket { socket, _admission }, .. } = self;
        drop(stream);
        Box::pin(close(socket, linger)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.discard_input(cx)?;
        loop {
            ready!(self.poll_send(cx))?;
            if self.has_ended {
                return Poll::Ready(Ok(()));
            }
            let EventStream { frames, framing } = &mut self.stream;
            self.unsent = match ready!(frames.poll_next(cx)) {
                Some(Ok(frame)) if frame.is_empty() => continue,
                Some(Ok(frame)) => framing.write(&frame),
                Some(Err(error)) => return Poll::Ready(Err(io::Error::other(error.to_string()))),
                None => {
                    self.has_ended = true;
                    framing.end().to_vec()
                }
            };
        }
    }

    /// Reads what the client sends, so that its end shows.
    fn discard_input(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let socket = &self.admitted.socket;
        while let Poll::Ready(ready) = socket.poll_read_ready(cx) {
            ready?;
            match socket.try_read(&mut [0; 512]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.discarded += read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if self.discarded > MAX_DISCARDED {
                return Err(io::ErrorKind::QuotaExceeded.into());
            }
        }
        Ok(())
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let socket = &self.admitted.socket;
        while let Some(rest @ [_, ..]) = self.unsent.get(self.sent..) {
            ready!(socket.poll_write_ready(cx))?;
            match socket.try_write(rest) {
                Ok(sent) => self.sent += sent,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        (self.unsent, self.sent) = (Vec::new(), 0);
        Poll::Ready(Ok(()))
    }
}

/// Closes a socket when the client has closed its side. If bytes were left unread, the kernel would reset the connection,
/// and the client might not get the last frames.
async fn close(mut socket: TcpStream, linger: Duration) -> io::Result<()> {
    socket.shutdown().await?;
    let discard = async {
        loop {
            socket.readable().await?;
            match socket.try_read(&mut [0; 512]) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    };
    timeout(linger, discard).await.unwrap_or(Ok(()))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{Read, Write};
    use std::net::Shutdown;
    use std::rc::Rc;
    use std::sync::Arc;

    use futures_util::stream::{self, StreamExt};
    use socket2::SockRef;

    use super::*;
    use crate::http::address::TrustedProxies;
    use crate::http::connection::admission::{Admissions, ConnectionLimits};

    const PATIENCE: Duration = Duration::from_secs(60);

    type Client = std::net::TcpStream;

    /// A stream of these frames, and its client. The buffers of both sockets are small.
    async fn connected(
        frames: impl Stream<Item = io::Result<Bytes>> + 'static,
        framing: Framing,
    ) -> (SocketStream, Client) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        SockRef::from(&listener).set_send_buffer_size(4_096).unwrap();
        let client = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        client.set_recv_buffer_size(4_096).unwrap();
        client.connect(&listener.local_addr().unwrap().into()).unwrap();
        let client = Client::from(client);
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, peer) = listener.accept().unwrap();
        socket.set_nonblocking(true).unwrap();
        let admissions = Admissions::new(ConnectionLimits::NONE, TrustedProxies::default(), Arc::default());
        let admission = Arc::new(admissions).admit(peer.ip()).unwrap();
        let stream = EventStream { frames: Frames::new(frames), framing };
        let socket = TcpStream::from_std(socket).unwrap();
        (SocketStream::new(stream, AdmittedSocket { socket, _admission: admission }), client)
    }

    /// Runs a stream, which must end.
    async fn outcome(stream: SocketStream) -> io::Result<()> {
        timeout(PATIENCE, stream.run(Duration::from_millis(50))).await.expect("an end")
    }

    #[actix_web::test]
    async fn frames_that_the_socket_takes_in_parts_arrive_whole() {
        let frames: Vec<Bytes> = [3, 0, 300_000, 1].map(|length| Bytes::from(vec![b'x'; length])).into();
        for (framing, between) in [(Framing::Chunked, true), (Framing::UntilClose, false)] {
            let sent = stream::iter(frames.clone()).map(Ok);
            let (stream, mut client) = connected(sent, framing).await;
            let reading = std::thread::spawn(move || {
                let mut heard = String::new();
                client.read_to_string(&mut heard).map(|_| heard)
            });
            outcome(stream).await.unwrap();
            let mut expected = String::new();
            for frame in frames.iter().filter(|frame| !frame.is_empty()) {
                let frame = str::from_utf8(frame).unwrap();
                expected += &if between { format!("{:x}\r\n{frame}\r\n", frame.len()) } else { frame.into() };
            }
            expected += if between { "0\r\n\r\n" } else { "" };
            assert!(reading.join().unwrap().unwrap() == expected, "{framing:?}");
        }
    }

    /// No frame is made that the socket has no room for, and the kernel ends the connection.
    #[cfg(target_os = "linux")]
    #[actix_web::test]
    async fn a_client_that_does_not_read_takes_bounded_memory_and_is_disconnected() {
        let made = Rc::new(Cell::new(0));
        let counted = Rc::clone(&made);
        let frames = stream::repeat_with(move || {
            counted.set(counted.get() + 1);
            Ok(Bytes::from_static(&[b'x'; 1_024]))
        });
        let (stream, _client) = connected(frames, Framing::Chunked).await;
        let socket = SockRef::from(&stream.admitted.socket);
        socket.set_tcp_user_timeout(Some(Duration::from_millis(500))).unwrap();
        assert_eq!(outcome(stream).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!((1..1_024).contains(&made.get()), "{} frames", made.get());
    }

    #[actix_web::test]
    async fn a_client_that_closes_its_side_or_sends_much_ends_its_stream() {
        for (sent, is_closed, kind) in [
            (0, true, io::ErrorKind::UnexpectedEof),
            (MAX_DISCARDED, true, io::ErrorKind::UnexpectedEof),
            (MAX_DISCARDED + 1, false, io::ErrorKind::QuotaExceeded),
        ] {
            let (stream, mut client) = connected(stream::pending(), Framing::Chunked).await;
            let sending = std::thread::spawn(move || {
                client.write_all(&vec![b'x'; sent]).unwrap();
                if is_closed {
                    client.shutdown(Shutdown::Write).unwrap();
                }
                client
            });
            assert_eq!(outcome(stream).await.unwrap_err().kind(), kind, "{sent}");
            drop(sending.join().unwrap());
        }
    }

    #[actix_web::test]
    async fn a_stream_that_fails_has_no_end() {
        let frames = stream::iter([Ok(Bytes::from_static(b"one")), Err(io::ErrorKind::Other.into())]);
        let (stream, mut client) = connected(frames, Framing::Chunked).await;
        outcome(stream).await.unwrap_err();
        let mut heard = String::new();
        client.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "3\r\none\r\n");
    }
}
