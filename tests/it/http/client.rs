//! A client over real HTTP. Whatever it is answered is held against the spec before a test sees it.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::spec::spec;

/// Somebody who asks, with a token or without.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    token: Option<String>,
}

/// A request that is sent when it is awaited.
pub struct Request {
    client: Client,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

/// An answer, whole.
#[derive(Clone, Debug)]
pub struct Answer {
    pub method: Method,
    pub path: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
    /// The JSON that was sent, if it was JSON.
    pub sent: Option<Value>,
}

impl Client {
    /// Somebody without a token.
    pub fn anybody(base: &str) -> Client {
        let http =
            crate::web::client().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
        Client { http, base: base.to_owned(), token: None }
    }

    /// The same connection, for somebody else who shows a token.
    pub fn with_token(&self, token: &str) -> Client {
        Client { http: self.http.clone(), base: self.base.clone(), token: Some(token.to_owned()) }
    }

    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    pub fn delete(&self, path: &str) -> Request {
        self.request(Method::DELETE, path)
    }

    /// A request whose answer is not judged, such as one that goes on for ever.
    pub fn unjudged(&self, path: &str) -> reqwest::RequestBuilder {
        self.http.get(format!("{}{path}", self.base)).bearer_auth(self.token.as_deref().unwrap_or_default())
    }

    /// A request of any method whose answer is not judged.
    pub fn unjudged_request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base))
    }

    /// Host and port of the service.
    pub fn host(&self) -> &str {
        self.base.split("://").last().unwrap_or_default()
    }

    /// A POST without a body.
    pub fn post(&self, path: &str) -> Request {
        self.request(Method::POST, path)
    }

    /// A POST of JSON.
    pub fn send(&self, path: &str, body: &Value) -> Request {
        self.post(path).raw(body.to_string())
    }

    pub fn request(&self, method: Method, path: &str) -> Request {
        let mut headers = HeaderMap::new();
        if let Some(token) = &self.token {
            headers.insert("authorization", text(&format!("Bearer {token}")));
        }
        Request { client: self.clone(), method, path: path.to_owned(), headers, body: None }
    }
}

impl Request {
    /// Bytes that are announced as JSON.
    pub fn raw(self, body: impl Into<Vec<u8>>) -> Request {
        let mut request = self.header("content-type", "application/json");
        request.body = Some(body.into());
        request
    }

    /// Sets a header, or takes it away where the value is empty.
    pub fn header(mut self, name: &'static str, value: &str) -> Request {
        let name = HeaderName::from_static(name);
        if value.is_empty() {
            self.headers.remove(name);
        } else {
            self.headers.insert(name, text(value));
        }
        self
    }
}

impl IntoFuture for Request {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Request { client, method, path, headers, body } = self;
            let sent = body.as_deref().and_then(|body| serde_json::from_slice(body).ok());
            let url = format!("{}{path}", client.base);
            let mut request = client.http.request(method.clone(), &url).headers(headers);
            if let Some(body) = body {
                request = request.body(body);
            }
            let response = request.send().await.unwrap_or_else(|error| panic!("{method} {path}: {error:?}"));
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let body = response.text().await.unwrap_or_else(|error| panic!("{method} {path}: {error:?}"));
            let answer = Answer { method, path, status, headers, body, sent };
            if let Err(wrong) = spec().judge(&answer) {
                panic!("{answer}\nis not what the spec says: {wrong}");
            }
            answer
        })
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The body as JSON; null where there is none.
    pub fn json(&self) -> Value {
        if self.body.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{self}\nis not JSON: {error}"))
    }

    /// The body of a success.
    #[track_caller]
    pub fn accepted(&self) -> Value {
        assert!((200..300).contains(&self.status), "{self}\nwas to be accepted");
        self.json()
    }

    /// The problem of a refusal, which must be this one.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> Value {
        let problem = self.json();
        assert!(
            self.status == status && problem["code"] == code,
            "{self}\nwas to be refused with {status} {code}"
        );
        problem
    }

    /// The entity tag.
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
