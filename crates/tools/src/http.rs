//! An HTTP client for one request at a time, on a connection that stays open.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{HeaderValue, RETRY_AFTER};
use http::uri::Scheme;
use http::{Method, Uri};
use thiserror::Error;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use crate::connection::{Connection, Headers, Incoming, Reply};

/// The timeout of a response.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// The address of a service.
pub struct Target {
    pub(crate) address: String,
    pub(crate) host: HeaderValue,
    pub(crate) prefix: String,
    pub(crate) traffic: Traffic,
}

/// What all connections to a service sent and received: requests, and bytes with the heads.
#[derive(Default)]
pub(crate) struct Traffic {
    requests: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
}

/// A request, with its path relative to the service's base path. Its parts are cheap to clone.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: Method,
    pub path: Bytes,
    /// The `Authorization` header, if the request needs one.
    pub bearer: Option<HeaderValue>,
    /// Other headers.
    pub headers: Vec<(&'static str, HeaderValue)>,
    /// JSON.
    pub body: Option<Bytes>,
}

/// A response, with its request.
#[derive(Debug)]
pub struct Answer {
    pub call: Call,
    pub status: u16,
    pub headers: Headers,
    pub body: Bytes,
    /// From sending the request to the last byte of the response.
    pub latency: Duration,
}

/// There was no response, so it is unknown whether the request had an effect.
#[derive(Debug, Error)]
pub enum NoAnswer {
    #[error("no answer in time")]
    Late(#[from] Elapsed),
    #[error(transparent)]
    Socket(#[from] io::Error),
}

/// A connection to the service, opened when needed.
pub struct Client {
    target: Arc<Target>,
    connection: Option<Connection>,
}

impl Call {
    pub fn get(path: impl Into<Bytes>) -> Call {
        Call { method: Method::GET, path: path.into(), bearer: None, headers: Vec::new(), body: None }
    }

    pub fn post(path: impl Into<Bytes>, body: Option<Bytes>) -> Call {
        Call { method: Method::POST, body, ..Call::get(path) }
    }
}

impl Answer {
    /// The value of a header; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// How long the service asks the client to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.header(RETRY_AFTER.as_str()).parse().ok().map(Duration::from_secs)
    }
}

impl Target {
    /// Parses the service's URL. Only `http` is supported.
    ///
    /// # Errors
    /// The sentence that says what is wrong with the URL.
    pub fn read(url: &str) -> Result<Target, String> {
        let uri: Uri = url.parse().map_err(|error| format!("invalid URL {url:?}: {error}"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
            return Err(format!("invalid URL {url:?}: expected one like http://127.0.0.1:8080"));
        };
        if *scheme != Scheme::HTTP {
            return Err(format!("{url:?}: only http is supported"));
        }
        let port = authority.port_u16().unwrap_or(80);
        let host = HeaderValue::from_str(authority.as_str()).map_err(|error| format!("{url:?}: {error}"))?;
        let prefix = uri.path().trim_end_matches('/').to_owned();
        let address = format!("{}:{port}", authority.host());
        Ok(Target { address, host, prefix, traffic: Traffic::default() })
    }
}

impl Traffic {
    pub(crate) fn sent(&self, bytes: usize) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn received(&self, bytes: usize) {
        self.received.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Sets all counts to zero.
    pub(crate) fn reset(&self) {
        for count in [&self.requests, &self.sent, &self.received] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// The numbers of requests, of bytes sent, and of bytes received.
    pub(crate) fn counts(&self) -> [u64; 3] {
        [&self.requests, &self.sent, &self.received].map(|count| count.load(Ordering::Relaxed))
    }
}

impl Client {
    pub fn new(target: &Arc<Target>) -> Client {
        Client { target: Arc::clone(target), connection: None }
    }

    /// Sends a request and waits for the whole response.
    ///
    /// # Errors
    /// There was no whole response in time.
    pub async fn send(&mut self, call: Call) -> Result<Answer, NoAnswer> {
        let started = Instant::now();
        let answered = timeout(ANSWER_WITHIN, self.exchange(&call)).await;
        let Reply { status, headers, body, closes } = match answered {
            Ok(Ok(reply)) => reply,
            failed => {
                self.connection = None;
                failed??
            }
        };
        let latency = started.elapsed();
        if closes {
            self.connection = None;
        }
        Ok(Answer { call, status, headers, body, latency })
    }

    async fn exchange(&mut self, call: &Call) -> io::Result<Reply> {
        let connection = match &mut self.connection {
            Some(connection) if !connection.is_spent() => connection,
            connection => connection.insert(Connection::open(&self.target).await?),
        };
        connection.exchange(call).await
    }

    /// Opens an event stream on a connection of its own. Returns the status and the body.
    pub(crate) async fn stream(&self, call: &Call) -> Result<(u16, Incoming), NoAnswer> {
        let opened = async { Connection::open(&self.target).await?.stream(call).await };
        Ok(timeout(ANSWER_WITHIN, opened).await??)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    /// A service that answers each request with the next of these, in small pieces. It hangs up after the answers of a
    /// connection. The receiver has the heads of the requests.
    fn service(connections: &[&[&'static str]]) -> (Client, Receiver<String>) {
        let connections: Vec<Vec<&str>> = connections.iter().map(|answers| answers.to_vec()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = Target::read(&format!("http://{}/base", listener.local_addr().unwrap())).unwrap();
        let (sender, heads) = channel();
        std::thread::spawn(move || {
            for answers in connections {
                let (mut socket, _) = listener.accept().unwrap();
                socket.set_nodelay(true).unwrap();
                for answer in answers {
                    let mut request = Vec::new();
                    while !request.ends_with(b"{\"a\":1}") {
                        let mut byte = [0];
                        assert_eq!(socket.read(&mut byte).unwrap(), 1);
                        request.push(byte[0]);
                    }
                    sender.send(String::from_utf8(request).unwrap()).unwrap();
                    answer.as_bytes().chunks(7).for_each(|piece| socket.write_all(piece).unwrap());
                }
            }
        });
        (Client::new(&Arc::new(target)), heads)
    }

    fn call() -> Call {
        Call {
            bearer: Some(HeaderValue::from_static("Bearer t")),
            headers: vec![("if-match", HeaderValue::from_static("\"5\""))],
            ..Call::post("/v1/x", Some(Bytes::from_static(b"{\"a\":1}")))
        }
    }

    #[tokio::test]
    async fn a_connection_is_kept_until_the_service_closes_it() {
        let (mut client, heads) = service(&[
            &[
                "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nETag: \"7.ab\"\r\n\r\n{\"version\":7",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 409 Conflict\r\ntransfer-encoding: chunked\r\nretry-after: 3\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\nuntil the end",
            ],
            &["HTTP/1.1 204 No Content\r\n\r\n"],
        ]);
        let first = client.send(call()).await.unwrap();
        assert_eq!(
            (first.status, &first.body[..], first.header("etag")),
            (200, &b"{\"version\":7"[..], "\"7.ab\"")
        );
        let second = client.send(call()).await.unwrap();
        assert_eq!((second.status, &second.body[..]), (409, &b"hello world"[..]));
        assert_eq!(second.retry_after(), Some(Duration::from_secs(3)));
        assert_eq!(client.send(call()).await.unwrap().body, "until the end");
        assert_eq!(client.send(call()).await.unwrap().status, 204);
        for head in heads.iter().take(4) {
            assert!(head.starts_with("POST /base/v1/x HTTP/1.1\r\nhost: 127.0.0.1:"), "{head}");
            for line in ["authorization: Bearer t", "if-match: \"5\"", "content-length: 7"] {
                assert!(head.contains(&format!("\r\n{line}\r\n")), "{head}");
            }
        }
    }

    #[tokio::test]
    async fn a_truncated_response_is_no_answer() {
        for answers in [
            &[&["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel"][..]],
            &[&["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel"]],
            &[&["HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nhello"]],
            &[&["HTTP/1.1 200 OK\r\ncont"]],
            &[&["what?\r\n\r\n"]],
            &[&[""]],
        ] {
            let (mut client, _heads) = service(answers);
            assert!(client.send(call()).await.is_err(), "{answers:?}");
        }
    }

    /// A stream of these messages, each sent when it is wanted, as the service sends them.
    async fn stream(messages: &[&str]) -> Vec<u8> {
        let messages: Vec<String> = messages.iter().map(|message| (*message).to_owned()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = Arc::new(Target::read(&format!("http://{}", listener.local_addr().unwrap())).unwrap());
        let (wanted, wants) = channel::<()>();
        let serving = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                assert_eq!(socket.read(&mut byte).unwrap(), 1);
                request.push(byte[0]);
            }
            let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            socket.write_all(head.as_bytes()).unwrap();
            let mut sent = head.len();
            for message in messages {
                wants.recv().unwrap();
                let chunk = format!("{:x}\r\n{message}\r\n", message.len());
                socket.write_all(chunk.as_bytes()).unwrap();
                sent += chunk.len();
            }
            socket.write_all(b"0\r\n\r\n").unwrap();
            (request.len(), sent + 5)
        });
        let (status, mut body) = Client::new(&target).stream(&Call::get("/v1/x")).await.unwrap();
        assert_eq!(status, 200);
        let mut read = Vec::new();
        while wanted.send(()).is_ok() && body.part(&mut read).await.unwrap() {}
        let (sent, received) = serving.join().unwrap();
        assert_eq!(target.traffic.counts(), [1, sent as u64, received as u64]);
        read
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn each_message_of_a_stream_is_read_when_it_comes() {
        let messages = ["id: 1\ndata: {\"seq\":1}\n\n", ": quiet\n\n", "id: 2\ndata: {\"seq\":2}\n\n"];
        assert_eq!(stream(&messages).await, messages.concat().as_bytes());
    }
}
