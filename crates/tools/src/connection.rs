//! A minimal HTTP/1.1 connection for one request at a time, so that the load generator uses little of the machine that it
//! measures. httparse parses. With hyper's client in its place the driver takes a quarter more processor time for a
//! command, on a connection that the request polls itself as with one that a task polls: the cost is spread over hyper's
//! channels, dispatcher and header maps.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use bytes::Bytes;
use http::header::HeaderValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::http::{Call, Target};

/// The response headers that are kept.
const KEPT: [&str; 3] = ["content-type", "etag", "retry-after"];

/// The maximum number of response headers.
const HEADERS: usize = 64;

/// The step by which the buffer grows; most responses fit.
const ROOM: usize = 8 * 1024;

/// An open connection.
pub(super) struct Connection {
    target: Arc<Target>,
    stream: TcpStream,
    read: Vec<u8>,
    /// The buffer in which a request is built.
    request: Vec<u8>,
}

/// A response.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Headers,
    pub(super) body: Bytes,
    /// Whether the service closes the connection after it.
    pub(super) closes: bool,
}

/// The body of a response that is read while it arrives.
pub(super) struct Incoming {
    connection: Connection,
    framing: Framing,
}

/// The response headers that are kept.
#[derive(Debug, Default)]
pub struct Headers([Option<HeaderValue>; KEPT.len()]);

impl Headers {
    /// The value of a header, if it was sent.
    pub fn get(&self, name: &str) -> Option<&HeaderValue> {
        let index = KEPT.iter().position(|kept| *kept == name)?;
        self.0[index].as_ref()
    }
}

/// The head of a response, and how its body ends.
struct Head {
    status: u16,
    headers: Headers,
    closes: bool,
    body: Framing,
}

/// How a body ends (RFC 9112, section 6.3).
enum Framing {
    Length(usize),
    Chunked,
    UntilClosed,
}

impl Connection {
    pub(super) async fn open(target: &Arc<Target>) -> io::Result<Connection> {
        let stream = TcpStream::connect(&target.address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { target: Arc::clone(target), stream, read: Vec::new(), request: Vec::new() })
    }

    /// Whether the service closed the connection or sent unexpected data.
    pub(super) fn is_spent(&self) -> bool {
        let silent = |error: io::Error| error.kind() == ErrorKind::WouldBlock;
        !self.read.is_empty() || !self.stream.try_read(&mut [0]).is_err_and(silent)
    }

    /// Sends a request and reads the whole response. After an error the connection is unusable.
    pub(super) async fn exchange(&mut self, call: &Call) -> io::Result<Reply> {
        let Head { status, headers, closes, body } = self.send(call).await?;
        Ok(Reply { status, headers, body: self.body(body).await?, closes })
    }

    /// Sends a request. Returns the status of the response, and its body.
    pub(super) async fn stream(mut self, call: &Call) -> io::Result<(u16, Incoming)> {
        let Head { status, body: framing, .. } = self.send(call).await?;
        Ok((status, Incoming { connection: self, framing }))
    }

    /// Sends a request and reads the head of the response.
    async fn send(&mut self, call: &Call) -> io::Result<Head> {
        self.put_together(call);
        self.stream.write_all(&self.request).await?;
        self.target.traffic.sent(self.request.len());
        loop {
            let (length, head) = self.head().await?;
            self.read.drain(..length);
            // Skip interim responses (RFC 9110, section 15.2).
            if head.status >= 200 {
                return Ok(head);
            }
        }
    }

    fn put_together(&mut self, call: &Call) {
        let (target, request) = (&self.target, &mut self.request);
        request.clear();
        let mut put = |parts: &[&[u8]]| parts.iter().for_each(|part| request.extend_from_slice(part));
        put(&[call.method.as_str().as_bytes(), b" ", target.prefix.as_bytes(), &call.path]);
        put(&[b" HTTP/1.1\r\nhost: ", target.host.as_bytes()]);
        if let Some(bearer) = &call.bearer {
            put(&[b"\r\nauthorization: ", bearer.as_bytes()]);
        }
        for (name, value) in &call.headers {
            put(&[b"\r\n", name.as_bytes(), b": ", value.as_bytes()]);
        }
        let body: &[u8] = call.body.as_deref().unwrap_or_default();
        if call.body.is_some() {
            put(&[b"\r\ncontent-type: application/json"]);
        }
        put(&[b"\r\ncontent-length: ", body.len().to_string().as_bytes(), b"\r\n\r\n", body]);
    }

    /// Reads until the head of a response is complete. Returns its length and content.
    async fn head(&mut self) -> io::Result<(usize, Head)> {
        loop {
            if let Some(found) = parse(&self.read)? {
                return Ok(found);
            }
            self.more(ROOM).await?;
        }
    }

    async fn body(&mut self, mut framing: Framing) -> io::Result<Bytes> {
        if let Framing::Length(length) = framing {
            self.fill(length).await?;
            let rest = self.read.split_off(length);
            return Ok(std::mem::replace(&mut self.read, rest).into());
        }
        let mut body = Vec::new();
        while self.part(&mut framing, &mut body).await? {}
        Ok(body.into())
    }

    /// Appends the next part of a body. Returns false at its end.
    async fn part(&mut self, framing: &mut Framing, body: &mut Vec<u8>) -> io::Result<bool> {
        match *framing {
            Framing::Length(length) => {
                self.fill(length).await?;
                body.extend(self.read.drain(..length));
                *framing = Framing::Length(0);
                Ok(length > 0)
            }
            Framing::Chunked => {
                let size = self.chunk_size().await?;
                self.fill(size + 2).await?;
                body.extend_from_slice(&self.read[..size]);
                self.read.drain(..size + 2);
                if size == 0 {
                    *framing = Framing::Length(0);
                }
                Ok(size > 0)
            }
            Framing::UntilClosed => {
                let length = self.received().await?;
                body.append(&mut self.read);
                Ok(length > 0)
            }
        }
    }

    async fn chunk_size(&mut self) -> io::Result<usize> {
        loop {
            let parsed = httparse::parse_chunk_size(&self.read);
            match parsed.map_err(|_| io::Error::new(ErrorKind::InvalidData, "no size of a chunk"))? {
                httparse::Status::Complete((length, size)) => {
                    self.read.drain(..length);
                    return usize::try_from(size).map_err(|_| ErrorKind::InvalidData.into());
                }
                httparse::Status::Partial => self.more(ROOM).await?,
            }
        }
    }

    /// Reads until the buffer has as many bytes.
    async fn fill(&mut self, length: usize) -> io::Result<()> {
        while self.read.len() < length {
            self.more(length - self.read.len()).await?;
        }
        Ok(())
    }

    async fn more(&mut self, wanted: usize) -> io::Result<()> {
        self.read.reserve(wanted);
        if self.received().await? == 0 { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Reads what has arrived, or the next bytes. Returns their number; 0 if the service has closed the connection.
    async fn received(&mut self) -> io::Result<usize> {
        let length = self.stream.read_buf(&mut self.read).await?;
        self.target.traffic.received(length);
        Ok(length)
    }
}

impl Incoming {
    /// Appends the next part of the body. Returns false at its end.
    pub(super) async fn part(&mut self, into: &mut Vec<u8>) -> io::Result<bool> {
        self.connection.part(&mut self.framing, into).await
    }
}

/// Parses the head of a response, if it is complete.
fn parse(read: &[u8]) -> io::Result<Option<(usize, Head)>> {
    let mut fields = [httparse::EMPTY_HEADER; HEADERS];
    let mut response = httparse::Response::new(&mut fields);
    let parsed = response.parse(read).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    let httparse::Status::Complete(length) = parsed else { return Ok(None) };
    let status = response.code.unwrap_or(0);
    let mut headers = Headers::default();
    let (mut body, mut closes) = (Framing::UntilClosed, false);
    for field in &*response.headers {
        let is = |name: &str| field.name.eq_ignore_ascii_case(name);
        let says = |value: &[u8]| field.value.eq_ignore_ascii_case(value);
        if is("content-length") && !matches!(body, Framing::Chunked) {
            let length = std::str::from_utf8(field.value).ok().and_then(|text| text.trim().parse().ok());
            body = Framing::Length(length.ok_or(ErrorKind::InvalidData)?);
        } else if is("transfer-encoding") && says(b"chunked") {
            body = Framing::Chunked;
        } else if is("connection") {
            closes = says(b"close");
        } else if let Some(index) = KEPT.iter().position(|name| is(name)) {
            headers.0[index] = HeaderValue::from_bytes(field.value).ok();
        }
    }
    if matches!(status, 100..200 | 204 | 304) {
        body = Framing::Length(0);
    }
    closes |= matches!(body, Framing::UntilClosed);
    Ok(Some((length, Head { status, headers, closes, body })))
}
