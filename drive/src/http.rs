//! HTTP: one request at a time on a connection that stays open, and streams on connections of their own.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::io::{InspectReader, InspectWriter};

use crate::error::DriveError;

/// The timeout of a response.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// The address of a service.
pub struct Target {
    address: String,
    host: HeaderValue,
    prefix: String,
    pub traffic: Traffic,
}

/// What all connections to a service carried: requests, and bytes in both directions with the heads.
#[derive(Default)]
pub struct Traffic {
    requests: AtomicU64,
    bytes: AtomicU64,
}

/// A request, with its path relative to the service's base path.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: Method,
    pub path: Arc<str>,
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
    pub headers: HeaderMap,
    pub body: Bytes,
    /// From sending the request to the last byte of the response.
    pub latency: Duration,
}

/// Why there was no response. It is unknown whether the request had an effect.
pub type NoAnswer = Box<dyn Error + Send + Sync>;

type Sender = SendRequest<Full<Bytes>>;

/// A connection to the service, opened when needed.
pub struct Client {
    target: Arc<Target>,
    sender: Option<Sender>,
}

/// A problem, of which the driver reads the code.
#[derive(Deserialize)]
struct Problem {
    code: String,
}

impl Call {
    pub fn get(path: impl Into<Arc<str>>) -> Call {
        Call { method: Method::GET, path: path.into(), bearer: None, headers: Vec::new(), body: None }
    }

    pub fn post(path: impl Into<Arc<str>>, body: Option<Bytes>) -> Call {
        Call { method: Method::POST, body, ..Call::get(path) }
    }
}

impl Answer {
    /// How long the service asks the client to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok().map(Duration::from_secs)
    }

    /// Parses the body.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, DriveError> {
        serde_json::from_slice(&self.body).map_err(|error| DriveError::unreadable(self, error))
    }

    /// The code of a problem; empty for other responses.
    pub fn code(&self) -> String {
        self.read::<Problem>().map(|problem| problem.code).unwrap_or_default()
    }
}

impl Traffic {
    fn add(count: &AtomicU64, more: usize) {
        count.fetch_add(more as u64, Ordering::Relaxed);
    }

    /// Sets all counts to zero.
    pub fn reset(&self) {
        for count in [&self.requests, &self.bytes] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// The numbers of requests and of bytes.
    pub fn counts(&self) -> [u64; 2] {
        [&self.requests, &self.bytes].map(|count| count.load(Ordering::Relaxed))
    }
}

impl Target {
    /// Parses the service's URL. Only `http` is supported.
    ///
    /// # Errors
    /// The sentence that says what is wrong with the URL.
    pub fn read(url: &str) -> Result<Target, String> {
        let uri: Uri = url.parse().map_err(|error| format!("invalid URL {url:?}: {error}"))?;
        let (Some("http"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(format!("invalid URL {url:?}: expected one like http://127.0.0.1:8080"));
        };
        let address = format!("{}:{}", authority.host(), authority.port_u16().unwrap_or(80));
        let host = HeaderValue::from_str(authority.as_str()).map_err(|error| format!("{url:?}: {error}"))?;
        let prefix = uri.path().trim_end_matches('/').to_owned();
        Ok(Target { address, host, prefix, traffic: Traffic::default() })
    }

    async fn connect(self: &Arc<Target>) -> Result<Sender, NoAnswer> {
        let socket = TcpStream::connect(&self.address).await?;
        socket.set_nodelay(true)?;
        let (read, write) = socket.into_split();
        let (reading, writing) = (Arc::clone(self), Arc::clone(self));
        let read = InspectReader::new(read, move |bytes| Traffic::add(&reading.traffic.bytes, bytes.len()));
        let write = InspectWriter::new(write, move |bytes| Traffic::add(&writing.traffic.bytes, bytes.len()));
        let (sender, connection) = handshake(TokioIo::new(tokio::io::join(read, write))).await?;
        // Its errors are those of its requests.
        tokio::spawn(async { drop(connection.await) });
        Ok(sender)
    }

    /// Sends a request. Returns the response when its head has come.
    async fn send(&self, sender: &mut Sender, call: &Call) -> Result<Response<Incoming>, NoAnswer> {
        let mut request =
            Request::builder().method(&call.method).uri(format!("{}{}", self.prefix, call.path));
        request = request.header(HOST, &self.host);
        if let Some(bearer) = &call.bearer {
            request = request.header(AUTHORIZATION, bearer);
        }
        if call.body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        for (name, value) in &call.headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(call.body.clone().unwrap_or_default()))?;
        Traffic::add(&self.traffic.requests, 1);
        Ok(sender.send_request(request).await?)
    }
}

impl Client {
    pub fn new(target: &Arc<Target>) -> Client {
        Client { target: Arc::clone(target), sender: None }
    }

    /// Sends a request and waits for the whole response.
    ///
    /// # Errors
    /// There was no whole response in time.
    pub async fn send(&mut self, call: Call) -> Result<Answer, NoAnswer> {
        let started = Instant::now();
        let (head, body) = timeout(ANSWER_WITHIN, self.exchange(&call)).await??;
        let latency = started.elapsed();
        Ok(Answer { call, status: head.status.as_u16(), headers: head.headers, body, latency })
    }

    /// Keeps the connection only if the whole response came.
    async fn exchange(&mut self, call: &Call) -> Result<(hyper::http::response::Parts, Bytes), NoAnswer> {
        let mut kept = self.sender.take();
        if let Some(sender) = &mut kept
            && sender.ready().await.is_err()
        {
            kept = None;
        }
        let mut sender = match kept {
            Some(sender) => sender,
            None => self.target.connect().await?,
        };
        let (head, body) = self.target.send(&mut sender, call).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        self.sender = Some(sender);
        Ok((head, body))
    }

    /// Opens an event stream on a connection of its own. Returns the status and the body.
    pub async fn stream(&self, call: &Call) -> Result<(u16, Incoming), NoAnswer> {
        let opened = async {
            let mut sender = self.target.connect().await?;
            self.target.send(&mut sender, call).await
        };
        let response = timeout(ANSWER_WITHIN, opened).await??;
        Ok((response.status().as_u16(), response.into_body()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    const BODY: &[u8] = b"{\"a\":1}";

    /// A service that gives each connection these answers. Returns its client, and what it was sent when it hung up.
    async fn service(connections: Vec<Vec<&'static str>>) -> (Client, tokio::task::JoinHandle<Vec<u8>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/base/", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let mut sent = Vec::new();
            for answers in connections {
                let (mut socket, _) = listener.accept().await.unwrap();
                for answer in answers {
                    let begins = sent.len();
                    while !sent[begins..].ends_with(BODY) {
                        sent.push(socket.read_u8().await.unwrap());
                    }
                    socket.write_all(answer.as_bytes()).await.unwrap();
                }
            }
            sent
        });
        (Client::new(&Arc::new(Target::read(&url).unwrap())), serving)
    }

    fn call() -> Call {
        let headers = vec![("if-match", HeaderValue::from_static("\"5\""))];
        let bearer = Some(HeaderValue::from_static("Bearer t"));
        Call { bearer, headers, ..Call::post("/v1/x", Some(Bytes::from_static(BODY))) }
    }

    #[tokio::test]
    async fn a_connection_is_kept_until_the_service_closes_it_and_its_bytes_are_counted() {
        let first = [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"7.ab\"\r\n\r\nhello",
            "HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\nretry-after: 3\r\n\r\n",
        ];
        let second = ["HTTP/1.1 204 No Content\r\n\r\n"];
        let (mut client, serving) = service(vec![first.to_vec(), second.to_vec()]).await;
        let answer = client.send(call()).await.unwrap();
        assert_eq!((answer.status, &*answer.body), (200, &b"hello"[..]));
        assert_eq!(client.send(call()).await.unwrap().retry_after(), Some(Duration::from_secs(3)));
        assert_eq!(client.send(call()).await.unwrap().status, 204);
        let sent = serving.await.unwrap();
        let received = [first[0], first[1], second[0]].concat().len();
        assert_eq!(client.target.traffic.counts(), [3, (sent.len() + received) as u64]);
        let sent = String::from_utf8(sent).unwrap();
        assert!(sent.starts_with("POST /base/v1/x HTTP/1.1\r\nhost: 127.0.0.1:"), "{sent}");
        for line in ["authorization: Bearer t", "if-match: \"5\"", "content-length: 7"] {
            assert_eq!(sent.matches(&format!("\r\n{line}\r\n")).count(), 3, "{sent}");
        }
    }

    #[tokio::test]
    async fn a_truncated_response_is_no_answer() {
        for answer in [
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel",
            "HTTP/1.1 200 OK\r\ncont",
            "what?\r\n\r\n",
            "",
        ] {
            let (mut client, _serving) = service(vec![vec![answer]]).await;
            assert!(client.send(call()).await.is_err(), "{answer:?}");
        }
    }
}
