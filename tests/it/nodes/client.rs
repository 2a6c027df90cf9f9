//! Clients of nodes over real HTTP, who live with nodes that die.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::patience::PATIENCE;

/// How long a connection that nobody uses is kept: less than the server keeps it, so that no request meets its end.
const KEPT_OPEN: Duration = Duration::from_secs(3);

/// Somebody who asks one node.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    pub token: Option<String>,
}

/// Somebody with an account.
#[derive(Clone)]
pub struct Player {
    pub client: Client,
    pub account: String,
}

/// An answer, whole.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Client {
    /// Somebody without a token.
    pub fn anybody(url: &str) -> Client {
        let http = crate::web::client().pool_idle_timeout(KEPT_OPEN).build().expect("a client");
        Client { http, base: url.to_owned(), token: None }
    }

    /// The same person at another node.
    pub fn at(&self, url: &str) -> Client {
        Client { base: url.to_owned(), ..self.clone() }
    }

    /// The same person with connections of their own.
    pub fn apart(&self) -> Client {
        Client { token: self.token.clone(), ..Client::anybody(&self.base) }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub fn posting(&self, path: &str, body: &Value) -> RequestBuilder {
        self.request(Method::POST, path).json(body)
    }

    pub async fn get(&self, path: &str) -> Answer {
        answered(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        answered(self.posting(path, body)).await
    }

    /// Makes an account and signs in.
    pub async fn register(&self, name: &str) -> Player {
        let username = format!("{name}-{:08x}", rand_suffix());
        let wish = json!({"username": username, "password": "plum-kettle-orbit", "display_name": name});
        self.signed_in(&self.post("/v1/accounts", &wish).await.accepted())
    }

    /// Makes a guest's account.
    pub async fn guest(&self) -> Player {
        self.signed_in(&self.post("/v1/accounts/guest", &json!({})).await.accepted())
    }

    /// The player of an account that was made just now.
    pub fn signed_in(&self, made: &Value) -> Player {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let client = Client { token: Some(text(&made["session"]["access_token"])), ..self.clone() };
        Player { client, account: text(&made["account"]["id"]) }
    }
}

impl Player {
    /// The same player at another node.
    pub fn at(&self, url: &str) -> Player {
        Player { client: self.client.at(url), ..self.clone() }
    }
}

/// Sends a request whose answer is sure to come.
pub async fn answered(request: RequestBuilder) -> Answer {
    sent(request).await.unwrap_or_else(|error| panic!("no answer: {error:?}"))
}

/// Sends a request that may be lost.
pub async fn sent(request: RequestBuilder) -> Result<Answer, reqwest::Error> {
    sent_within(request, PATIENCE).await
}

/// Sends a request that may be lost, and that is given up after a time.
pub async fn sent_within(request: RequestBuilder, limit: Duration) -> Result<Answer, reqwest::Error> {
    let response = request.timeout(limit).send().await?;
    whole(response).await
}

/// Reads an answer to its end.
pub async fn whole(response: reqwest::Response) -> Result<Answer, reqwest::Error> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await?;
    let body = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap_or(Value::Null) };
    Ok(Answer { status, headers, body })
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value: &HeaderValue| value.to_str().expect("a text"))
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body of a success.
    #[track_caller]
    pub fn accepted(self) -> Value {
        assert!(self.is_success(), "{} {}", self.status, self.body);
        self.body
    }

    /// The problem of a refusal, which must be this one.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Value {
        assert!(self.status == status && self.body["code"] == code, "{} {}", self.status, self.body);
        self.body
    }

    /// A problem that says to try again later, and nothing else.
    #[track_caller]
    pub fn unavailable(self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let wait: u64 = self.header("retry-after").expect("Retry-After").parse().expect("seconds");
        assert!((1..=60).contains(&wait), "{self:?}");
        let problem = self.refused(503, "unavailable");
        assert!(problem["request_id"].is_string(), "{problem}");
        problem
    }
}

/// Something that other tests and other runs on the same server do not have.
fn rand_suffix() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    std::process::id().wrapping_mul(4_096).wrapping_add(COUNT.fetch_add(1, Ordering::Relaxed))
}
