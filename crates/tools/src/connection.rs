//! A minimal HTTP/1.1 connection for one request at a time, so that the load generator uses little of the machine that it
//! measures. httparse parses. With hyper's client in its place the driver takes a quarter more processor time for a
//! command, on a connection that the request polls itself as with one that a task polls: the cost is spread over hyper's
//! channels, dispatcher and header maps. Event streams are read with hyper.

use std::io::{self, ErrorKind};

use hyper::body::Bytes;
use hyper::header::HeaderValue;
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
    pub(super) async fn open(target: &Target) -> io::Result<Connection> {
        let stream = TcpStream::connect(&target.address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, read: Vec::new(), request: Vec::new() })
    }

    /// Whether the service closed the connection or sent unexpected data.
    pub(super) fn is_spent(&self) -> bool {
        let silent = |error: io::Error| error.kind() == ErrorKind::WouldBlock;
        !self.read.is_empty() || !self.stream.try_read(&mut [0]).is_err_and(silent)
    }

    /// Sends a request and reads the whole response. After an error the connection is unusable.
    pub(super) async fn exchange(&mut self, target: &Target, call: &Call) -> io::Result<Reply> {
        self.put_together(target, call);
        self.stream.write_all(&self.request).await?;
        loop {
            let (length, head) = self.head().await?;
            self.read.drain(..length);
            // Skip interim responses (RFC 9110, section 15.2).
            if head.status >= 200 {
                let body = self.body(&head).await?;
                let Head { status, headers, closes, body: _ } = head;
                return Ok(Reply { status, headers, body, closes });
            }
        }
    }

    fn put_together(&mut self, target: &Target, call: &Call) {
        let request = &mut self.request;
        request.clear();
        let mut put = |parts: &[&[u8]]| parts.iter().for_each(|part| request.extend_from_slice(part));
        put(&[call.method.as_str().as_bytes(), b" ", target.prefix.as_bytes(), &call.path]);
        put(&[b" HTTP/1.1\r\nhost: ", target.host.as_bytes()]);
        if let Some(bearer) = &call.bearer {
            put(&[b"\r\nauthorization: ", bearer.as_bytes()]);
        }
        if let Some(tag) = &call.if_match {
            put(&[b"\r\nif-match: ", tag.as_bytes()]);
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

    async fn body(&mut self, head: &Head) -> io::Result<Bytes> {
        match head.body {
            Framing::Length(length) => {
                while self.read.len() < length {
                    self.more(length - self.read.len()).await?;
                }
                Ok(self.take(length))
            }
            Framing::Chunked => {
                let mut body = Vec::new();
                loop {
                    let size = self.chunk_size().await?;
                    while self.read.len() < size + 2 {
                        self.more(size + 2 - self.read.len()).await?;
                    }
                    body.extend_from_slice(&self.read[..size]);
                    self.read.drain(..size + 2);
                    if size == 0 {
                        return Ok(body.into());
                    }
                }
            }
            Framing::UntilClosed => {
                self.stream.read_to_end(&mut self.read).await?;
                Ok(self.take(self.read.len()))
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

    /// Removes the next bytes from the buffer.
    fn take(&mut self, length: usize) -> Bytes {
        let rest = self.read.split_off(length);
        std::mem::replace(&mut self.read, rest).into()
    }

    async fn more(&mut self, wanted: usize) -> io::Result<()> {
        self.read.reserve(wanted);
        match self.stream.read_buf(&mut self.read).await? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
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
