//! An HTTP client for one request at a time, on a connection that stays open.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::Empty;
use hyper::Request;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::handshake;
use hyper::header::{AUTHORIZATION, HOST, HeaderValue, RETRY_AFTER};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::connection::{Connection, Headers, Reply};
use super::request::{Call, Target};

/// The timeout of a response.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// A response of the service.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Headers,
    pub(super) body: Bytes,
    /// From sending the request to the last byte of the response.
    pub(super) latency: Duration,
}

/// There was no response, so it is unknown whether the request had an effect.
#[derive(Debug)]
pub(super) struct NoAnswer(String);

/// A connection to the service, opened when needed.
pub(super) struct Client {
    target: Arc<Target>,
    connection: Option<Connection>,
}

impl Answer {
    /// The value of a header; empty if it is missing.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// How long the service asks the client to wait.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        self.header(RETRY_AFTER.as_str()).parse().ok().map(Duration::from_secs)
    }

    /// The body as text for people.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Client {
    pub(super) fn new(target: &Arc<Target>) -> Client {
        Client { target: Arc::clone(target), connection: None }
    }

    /// Sends a request and waits for the whole response.
    pub(super) async fn send(&mut self, call: Call<'_>) -> Result<Answer, NoAnswer> {
        let started = Instant::now();
        let answered = timeout(ANSWER_WITHIN, self.exchange(call, started)).await;
        let answered = answered.unwrap_or_else(|_| Err(NoAnswer::because(&"no answer in time")));
        if answered.is_err() {
            self.connection = None;
        }
        answered
    }

    async fn exchange(&mut self, call: Call<'_>, started: Instant) -> Result<Answer, NoAnswer> {
        if self.connection.as_ref().is_none_or(Connection::is_spent) {
            let opened = Connection::open(&self.target).await;
            self.connection = Some(opened.map_err(|error| NoAnswer::because(&error))?);
        }
        let connection = self.connection.as_mut().ok_or_else(|| NoAnswer::because(&"no connection"))?;
        let reply = connection.exchange(&self.target, call).await;
        let Reply { status, headers, body, closes } = reply.map_err(|error| NoAnswer::because(&error))?;
        let latency = started.elapsed();
        if closes {
            self.connection = None;
        }
        Ok(Answer { status, headers, body, latency })
    }

    /// Opens an event stream on a separate connection.
    pub(super) async fn stream(&self, path: &str, bearer: &HeaderValue) -> Result<(u16, Incoming), NoAnswer> {
        let opened = timeout(ANSWER_WITHIN, open_stream(&self.target, path, bearer)).await;
        opened.unwrap_or_else(|_| Err(NoAnswer::because(&"no answer in time")))
    }
}

async fn open_stream(target: &Target, path: &str, bearer: &HeaderValue) -> Result<(u16, Incoming), NoAnswer> {
    let because = |error: hyper::Error| NoAnswer::because(&error);
    let socket = TcpStream::connect(&target.address).await.map_err(|error| NoAnswer::because(&error))?;
    let (mut sender, connection) = handshake(TokioIo::new(socket)).await.map_err(because)?;
    // The reader of the body sees errors of the connection.
    tokio::spawn(async move { drop(connection.await) });
    let request = Request::get(format!("{}{path}", target.prefix))
        .header(HOST, target.host.clone())
        .header(AUTHORIZATION, bearer.clone())
        .body(Empty::<Bytes>::new());
    let request = request.map_err(|error| NoAnswer::because(&error))?;
    let (head, body) = sender.send_request(request).await.map_err(because)?.into_parts();
    Ok((head.status.as_u16(), body))
}

impl NoAnswer {
    fn because(cause: &impl fmt::Display) -> NoAnswer {
        NoAnswer(cause.to_string())
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
