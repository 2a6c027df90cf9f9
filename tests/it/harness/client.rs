//! The HTTP client of all tests. For services of `http`, it checks each answer against the spec first.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::table::Player;
use crate::http::spec::spec;
use crate::patience::PATIENCE;

/// Less than the server's keep-alive time, so that no request meets a closing connection.
const KEPT_OPEN: Duration = Duration::from_secs(3);

/// The entity tag of no view: another state of version 1.
pub const STALE: &str = "\"1.0123456789abcdef.0123456789abcdef\"";

#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    pub token: Option<String>,
    judged: bool,
}

pub struct Request {
    client: Client,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub method: Method,
    pub path: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
    /// The JSON body of the request, if any.
    pub sent: Option<Value>,
}

impl Client {
    pub fn anonymous(base: &str) -> Client {
        let http = crate::web::client().redirect(reqwest::redirect::Policy::none());
        let http = http.pool_idle_timeout(KEPT_OPEN).build().expect("a client");
        Client { http, base: base.to_owned(), token: None, judged: false }
    }

    /// Checks every answer against the published spec.
    pub fn judged(self) -> Client {
        Client { judged: true, ..self }
    }

    pub fn with_token(&self, token: &str) -> Client {
        Client { token: Some(token.to_owned()), ..self.clone() }
    }

    pub fn at(&self, base: &str) -> Client {
        Client { base: base.to_owned(), ..self.clone() }
    }

    /// The same client with its own connections.
    pub fn apart(&self) -> Client {
        Client { http: Client::anonymous(&self.base).http, ..self.clone() }
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    pub fn host(&self) -> &str {
        self.base.split("://").last().unwrap_or_default()
    }

    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    pub fn delete(&self, path: &str) -> Request {
        self.request(Method::DELETE, path)
    }

    pub fn post(&self, path: &str) -> Request {
        self.request(Method::POST, path)
    }

    pub fn send(&self, path: &str, body: &Value) -> Request {
        self.post(path).json(body)
    }

    pub fn request(&self, method: Method, path: &str) -> Request {
        let mut headers = HeaderMap::new();
        if let Some(bearer) = self.bearer() {
            headers.insert("authorization", text(&bearer));
        }
        Request { client: self.clone(), method, path: path.to_owned(), headers, body: None }
    }

    pub fn bearer(&self) -> Option<String> {
        self.token.as_ref().map(|token| format!("Bearer {token}"))
    }

    /// A request whose answer is not checked, such as an endless stream.
    pub fn unjudged(&self, path: &str) -> RequestBuilder {
        self.unjudged_request(Method::GET, path).bearer_auth(self.token.as_deref().unwrap_or_default())
    }

    /// A request of any method without the token, whose answer is not checked.
    pub fn unjudged_request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base))
    }

    /// Registers an account with a username unique on the server, and signs in.
    pub async fn register(&self, name: &str) -> Player {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number =
            std::process::id().wrapping_mul(4_096).wrapping_add(COUNT.fetch_add(1, Ordering::Relaxed));
        let username = format!("{name}-{number:08x}");
        let wish = json!({"username": username, "password": "plum-kettle-orbit", "display_name": name});
        Player::new(self, name, &self.send("/v1/accounts", &wish).await.accepted())
    }

    /// The client with a new session of an account.
    pub async fn signed_in(&self, username: &str, password: &str) -> Client {
        let login = json!({"username": username, "password": password});
        let session = self.send("/v1/sessions", &login).await.accepted();
        self.with_token(session["access_token"].as_str().expect("a token"))
    }

    pub async fn guest(&self) -> Player {
        Player::new(self, "guest", &self.send("/v1/accounts/guest", &json!({})).await.accepted())
    }
}

impl Request {
    /// Sends bytes with the content type of JSON.
    pub fn raw(self, body: impl Into<Vec<u8>>) -> Request {
        let mut request = self.header("content-type", "application/json");
        request.body = Some(body.into());
        request
    }

    pub fn json(self, body: &Value) -> Request {
        self.raw(body.to_string())
    }

    pub fn header(mut self, name: &'static str, value: impl AsRef<str>) -> Request {
        let name = HeaderName::from_static(name);
        if value.as_ref().is_empty() {
            self.headers.remove(name);
        } else {
            self.headers.insert(name, text(value.as_ref()));
        }
        self
    }

    pub async fn sent(self) -> Result<Answer, reqwest::Error> {
        self.sent_within(PATIENCE).await
    }

    /// Sends a request with a timeout. The request may be lost.
    pub async fn sent_within(self, limit: Duration) -> Result<Answer, reqwest::Error> {
        let Request { client, method, path, headers, body } = self;
        let sent = body.as_deref().and_then(|body| serde_json::from_slice(body).ok());
        let mut request = client.unjudged_request(method.clone(), &path).headers(headers).timeout(limit);
        if let Some(body) = body {
            request = request.body(body);
        }
        let answer = Answer { method, path, sent, ..Answer::whole(request.send().await?).await? };
        if client.judged
            && let Err(wrong) = spec().judge(&answer)
        {
            panic!("{answer}\nis not what the spec says: {wrong}");
        }
        Ok(answer)
    }
}

impl IntoFuture for Request {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let what = format!("{} {}", self.method, self.path);
            self.sent().await.unwrap_or_else(|error| panic!("{what}: {error:?}"))
        })
    }
}

impl Answer {
    pub async fn whole(response: reqwest::Response) -> Result<Answer, reqwest::Error> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let (path, body) = (response.url().path().to_owned(), response.text().await?);
        Ok(Answer { method: Method::GET, path, status, headers, body, sent: None })
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Asserts a retryable problem.
    #[track_caller]
    pub fn unavailable(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let wait: u64 = self.header("retry-after").expect("Retry-After").parse().expect("seconds");
        assert!((1..=60).contains(&wait), "{self:?}");
        let problem = self.refused(503, "unavailable");
        assert!(problem["request_id"].is_string(), "{problem}");
        problem
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub fn json(&self) -> Value {
        if self.body.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{self}\nis not JSON: {error}"))
    }

    #[track_caller]
    pub fn accepted(&self) -> Value {
        assert!(self.is_success(), "{self}\nwas to be accepted");
        self.json()
    }

    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> Value {
        let problem = self.json();
        assert!(
            self.status == status && problem["code"] == code,
            "{self}\nwas to be refused with {status} {code}"
        );
        problem
    }

    #[track_caller]
    pub fn etag(&self) -> String {
        self.header("etag").unwrap_or_else(|| panic!("{self}\nhas no ETag")).to_owned()
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)?;
        if let Some(sent) = &self.sent {
            write!(f, " {:.1000}", sent.to_string())?;
        }
        write!(f, "\n→ {} {}", self.status, self.body)
    }
}

fn text(value: &str) -> HeaderValue {
    HeaderValue::from_str(value).expect("a header's value")
}
