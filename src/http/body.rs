//! Reading requests: JSON bodies, paths and queries, with a clear problem for whatever cannot be read.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{BytesMut, PathConfig, QueryConfig};
use actix_web::{FromRequest, HttpRequest};
use serde::de::{DeserializeOwned, IgnoredAny};
use tokio::time::timeout;

use super::connection::body_was_read;
use super::once;
use super::problem::Problem;

/// The largest body taken, in bytes.
pub const BODY_LIMIT: usize = 64 * 1024;

/// How long a client may take to send a body.
const BODY_TIME: Duration = Duration::from_secs(10);

/// A JSON body. Unknown fields are for its type to refuse.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned> FromRequest for Json<T> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Json<T>, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let announced = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = announced.map(|value| value.split(';').next().unwrap_or("").trim().to_owned());
        let mut payload = payload.take();
        let request = request.clone();
        Box::pin(async move {
            if !media_type.is_some_and(|media_type| media_type.eq_ignore_ascii_case("application/json")) {
                return Err(Problem::new("unsupported-media-type", "The body is not announced as JSON."));
            }
            let body = timeout(BODY_TIME, collect(&mut payload)).await.map_err(|_| {
                let detail = format!("The body had not arrived after {} seconds.", BODY_TIME.as_secs());
                Problem::new("request-timeout", detail)
            })??;
            body_was_read(&request);
            once::keep_hash(&request, &body);
            read(&body).map(Json)
        })
    }
}

async fn collect(payload: &mut Payload) -> Result<BytesMut, Problem> {
    use futures_util::StreamExt;
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk =
            chunk.map_err(|error| Problem::new("malformed-json", "The body broke off.").because(error))?;
        if body.len() + chunk.len() > BODY_LIMIT {
            let detail = format!("The body is larger than {BODY_LIMIT} bytes.");
            return Err(Problem::new("body-too-large", detail).with("limit", BODY_LIMIT));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Reads a JSON object, and says where it is not what it should be.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if first.is_some_and(|&first| first != b'{') {
        // Left to itself, serde takes a list of the fields' values as well.
        serde_json::from_slice::<IgnoredAny>(body).map_err(|error| malformed(&error))?;
        return Err(Problem::new("invalid-body", "The body is not what is expected: an object."));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if inner.is_data() {
            let problem = Problem::new("invalid-body", without_position(&inner));
            if path == "." { problem } else { problem.with("field", path) }
        } else {
            malformed(&inner)
        }
    })?;
    deserializer.end().map_err(|error| malformed(&error))?;
    Ok(value)
}

fn malformed(error: &serde_json::Error) -> Problem {
    Problem::new("malformed-json", "The body is not JSON.")
        .with("line", error.line())
        .with("column", error.column())
}

/// The message of a JSON error without the line and column that tagged bodies lose anyway.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    format!("The body is not what is expected: {text}.")
}

/// Paths that cannot be read are problems.
pub fn path_config() -> PathConfig {
    PathConfig::default().error_handler(|error, _| unreadable_path(error).into())
}

/// The problem of a path that cannot be read.
pub(super) fn unreadable_path(error: impl ToString) -> Problem {
    Problem::new("malformed-path", "A part of the path cannot be read.").because(error)
}

/// Queries that cannot be read are problems.
pub fn query_config() -> QueryConfig {
    QueryConfig::default().error_handler(|error, _| {
        let detail = match &error {
            actix_web::error::QueryPayloadError::Deserialize(error) => {
                format!("The query is not what is expected: {error}.")
            }
            _ => "The query cannot be read.".to_owned(),
        };
        Problem::new("malformed-query", detail).into()
    })
}
