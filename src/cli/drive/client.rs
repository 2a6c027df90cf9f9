//! A client's connection: one request at a time over HTTP/1.1, kept open between requests.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, IF_MATCH, RETRY_AFTER};
use hyper::http::uri::Scheme;
use hyper::{Method, Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::cli::Failed;

/// How long an answer may take before the connection is given up.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// Where the service is.
pub(super) struct Target {
    address: String,
    host: HeaderValue,
    prefix: String,
}

/// A request to the service, by its path below the service's own.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    /// The `Authorization` header, if the request needs one.
    pub(super) bearer: Option<&'a HeaderValue>,
    /// The view the request is meant for, if for one alone.
    pub(super) if_match: Option<&'a HeaderValue>,
    pub(super) body: Option<&'a Bytes>,
}

/// What the service answered.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// From the request's sending to the answer's last byte.
    pub(super) latency: Duration,
}

/// There was no answer: whether the request had its effect is not known.
#[derive(Debug)]
pub(super) struct NoAnswer(String);

/// One connection to the service, opened when needed.
pub(super) struct Client {
    target: Arc<Target>,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Target {
    /// Reads the service's URL. Only `http` is spoken.
    pub(super) fn read(url: &str) -> Result<Target, Failed> {
        let uri: Uri = url.parse().map_err(|error| format!("{url:?} is no URL: {error}"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
            return Err(format!("{url:?} is no URL like http://127.0.0.1:8080").into());
        };
        if *scheme != Scheme::HTTP {
            return Err(format!("{url:?}: only http can be driven").into());
        }
        let port = authority.port_u16().unwrap_or(80);
        Ok(Target {
            address: format!("{}:{port}", authority.host()),
            host: HeaderValue::from_str(authority.as_str())?,
            prefix: uri.path().trim_end_matches('/').to_owned(),
        })
    }
}

impl Answer {
    /// A header's text; empty if it is missing.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// How long the service asks to wait.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        self.header(RETRY_AFTER.as_str()).parse().ok().map(Duration::from_secs)
    }

    /// The body for a person to read.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Client {
    pub(super) fn new(target: &Arc<Target>) -> Client {
        Client { target: Arc::clone(target), sender: None }
    }

    /// Where it leads.
    pub(super) fn target(&self) -> &Arc<Target> {
        &self.target
    }

    /// Sends a request and waits for the whole answer.
    pub(super) async fn send(&mut self, call: Call<'_>) -> Result<Answer, NoAnswer> {
        let started = Instant::now();
        let answered = timeout(ANSWER_WITHIN, self.exchange(call, started)).await;
        let answered = answered.unwrap_or_else(|_| Err(NoAnswer::because(&"no answer in time")));
        if answered.is_err() {
            self.sender = None;
        }
        answered
    }

    async fn exchange(&mut self, call: Call<'_>, started: Instant) -> Result<Answer, NoAnswer> {
        let request = self.request(call)?;
        if self.sender.as_ref().is_none_or(SendRequest::is_closed) {
            self.sender = Some(connect(&self.target).await?);
        }
        let sender = self.sender.as_mut().ok_or_else(|| NoAnswer::because(&"no connection"))?;
        sender.ready().await.map_err(|error| NoAnswer::because(&error))?;
        let response = sender.send_request(request).await.map_err(|error| NoAnswer::because(&error))?;
        let (head, body) = response.into_parts();
        let body = body.collect().await.map_err(|error| NoAnswer::because(&error))?.to_bytes();
        let latency = started.elapsed();
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body, latency })
    }

    /// Opens a stream on the connection, which is good for nothing else afterwards.
    pub(super) async fn stream(
        mut self,
        path: &str,
        bearer: &HeaderValue,
    ) -> Result<(u16, Incoming), NoAnswer> {
        let call = Call { method: &Method::GET, path, bearer: Some(bearer), if_match: None, body: None };
        let request = self.request(call)?;
        let mut sender = match self.sender.take() {
            Some(sender) => sender,
            None => connect(&self.target).await?,
        };
        let sent = timeout(ANSWER_WITHIN, sender.send_request(request)).await;
        let response = sent.map_err(|_| NoAnswer::because(&"no answer in time"))?;
        let (head, body) = response.map_err(|error| NoAnswer::because(&error))?.into_parts();
        Ok((head.status.as_u16(), body))
    }

    fn request(&self, call: Call<'_>) -> Result<Request<Full<Bytes>>, NoAnswer> {
        let target = &self.target;
        let uri = if target.prefix.is_empty() {
            Uri::try_from(call.path)
        } else {
            Uri::try_from(format!("{}{}", target.prefix, call.path))
        };
        let body = Full::new(call.body.cloned().unwrap_or_default());
        let mut request = Request::new(body);
        *request.method_mut() = call.method.clone();
        *request.uri_mut() = uri.map_err(|error| NoAnswer::because(&error))?;
        let headers = request.headers_mut();
        headers.insert(HOST, target.host.clone());
        if call.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        for (name, value) in [(AUTHORIZATION, call.bearer), (IF_MATCH, call.if_match)] {
            if let Some(value) = value {
                headers.insert(name, value.clone());
            }
        }
        Ok(request)
    }
}

async fn connect(target: &Target) -> Result<SendRequest<Full<Bytes>>, NoAnswer> {
    let stream = TcpStream::connect(&target.address).await.map_err(|error| NoAnswer::because(&error))?;
    stream.set_nodelay(true).map_err(|error| NoAnswer::because(&error))?;
    let (sender, connection) =
        handshake(TokioIo::new(stream)).await.map_err(|error| NoAnswer::because(&error))?;
    // What goes wrong with the connection is told to whoever waits for an answer on it.
    tokio::spawn(async move { drop(connection.await) });
    Ok(sender)
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
