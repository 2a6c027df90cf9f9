//! A minimal HTTP/1.1 connection for one request at a time, so that the load generator uses little of the
//! machine. Event streams are read with hyper.

use std::io::{self, ErrorKind};

use hyper::body::Bytes;
use hyper::header::HeaderValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::request::{Call, Target};

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
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Headers,
    pub(super) body: Bytes,
    /// Whether the service closes the connection after it.
    pub(super) closes: bool,
}

/// The response headers that are kept.
#[derive(Debug, Default)]
pub(super) struct Headers([Option<HeaderValue>; KEPT.len()]);

impl Headers {
    /// The value of a header, if it was sent.
    pub(super) fn get(&self, name: &str) -> Option<&HeaderValue> {
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
    pub(super) async fn exchange(&mut self, target: &Target, call: Call<'_>) -> io::Result<Reply> {
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

    fn put_together(&mut self, target: &Target, call: Call<'_>) {
        let request = &mut self.request;
        request.clear();
        let mut put = |parts: &[&[u8]]| parts.iter().for_each(|part| request.extend_from_slice(part));
        put(&[call.method.as_str().as_bytes(), b" ", target.prefix.as_bytes(), call.path.as_bytes()]);
        put(&[b" HTTP/1.1\r\nhost: ", target.host.as_bytes()]);
        if let Some(bearer) = call.bearer {
            put(&[b"\r\nauthorization: ", bearer.as_bytes()]);
        }
        if let Some(tag) = call.if_match {
            put(&[b"\r\nif-match: ", tag.as_bytes()]);
        }
        let body: &[u8] = call.body.map_or(b"", |body| body);
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

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use hyper::Method;

    use super::*;

    /// A service that answers each request with the next of these responses, a few bytes at a time, and then
    /// hangs up.
    fn service(answers: &'static [&'static str]) -> Target {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = Target::read(&format!("http://{}/base", listener.local_addr().unwrap())).unwrap();
        std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            socket.set_nodelay(true).unwrap();
            for answer in answers {
                let mut request = Vec::new();
                while !request.ends_with(b"{\"a\":1}") {
                    let mut byte = [0];
                    assert_eq!(socket.read(&mut byte).unwrap(), 1);
                    request.push(byte[0]);
                }
                let head = String::from_utf8(request).unwrap();
                assert!(head.starts_with("POST /base/v1/x HTTP/1.1\r\nhost: 127.0.0.1:"), "{head}");
                for line in ["authorization: Bearer t", "if-match: \"5\"", "content-length: 7"] {
                    assert!(head.contains(&format!("\r\n{line}\r\n")), "{head}");
                }
                for piece in answer.as_bytes().chunks(7) {
                    socket.write_all(piece).unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            }
        });
        target
    }

    async fn ask(connection: &mut Connection, target: &Target) -> io::Result<Reply> {
        let (bearer, tag) = (HeaderValue::from_static("Bearer t"), HeaderValue::from_static("\"5\""));
        let body = Bytes::from_static(b"{\"a\":1}");
        let call = Call {
            method: &Method::POST,
            path: "/v1/x",
            bearer: Some(&bearer),
            if_match: Some(&tag),
            body: Some(&body),
        };
        connection.exchange(target, call).await
    }

    #[tokio::test]
    async fn responses_are_read_with_any_framing_and_in_any_pieces() {
        let target = service(&[
            "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nETag: \"7.ab\"\r\n\r\n{\"version\":7",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 409 Conflict\r\ntransfer-encoding: chunked\r\nretry-after: 3\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\nconnection: close\r\n\r\nuntil the end",
        ]);
        let mut connection = Connection::open(&target).await.unwrap();
        let first = ask(&mut connection, &target).await.unwrap();
        assert_eq!((first.status, &first.body[..], first.closes), (200, &b"{\"version\":7"[..], false));
        assert_eq!(first.headers.get("etag").unwrap(), "\"7.ab\"");
        let second = ask(&mut connection, &target).await.unwrap();
        assert_eq!((second.status, &second.body[..]), (409, &b"hello world"[..]));
        assert_eq!(second.headers.get("retry-after").unwrap(), "3");
        let third = ask(&mut connection, &target).await.unwrap();
        assert_eq!((third.status, third.body.len(), third.closes), (204, 0, false));
        assert!(!connection.is_spent());
        let last = ask(&mut connection, &target).await.unwrap();
        assert_eq!((&last.body[..], last.closes), (&b"until the end"[..], true));
        assert_eq!(last.headers.get("content-type").unwrap(), "a/b");
        assert!(connection.is_spent());
    }

    #[tokio::test]
    async fn a_truncated_response_is_an_error() {
        for answers in [
            &["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel"],
            &["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel"],
            &["HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nhello"],
            &["HTTP/1.1 200 OK\r\ncont"],
            &["what?\r\n\r\n"],
            &[""],
        ] {
            let target = service(answers);
            let mut connection = Connection::open(&target).await.unwrap();
            assert!(ask(&mut connection, &target).await.is_err(), "{answers:?}");
        }
    }
}
