//! The extractor for JSON bodies.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{BytesMut, Data};
use actix_web::{FromRequest, HttpRequest};
use tokio::time::timeout;

use super::connection::body_was_read;
use super::field_errors::{Body, FieldErrors, Unreadable, read_again};
use super::idempotency;
use super::paths::Paths;
use super::problem::{Problem, ProblemCode};
use crate::app::failure::FieldError;
use crate::app::request;

/// The largest accepted body, in bytes.
pub const BODY_LIMIT: usize = 64 * 1024;

/// How long a client may take to send a body.
const BODY_TIME: Duration = Duration::from_secs(10);

/// A JSON body. Its type refuses unknown fields.
pub struct Json<T>(pub T);

impl<T: Body> FromRequest for Json<T> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Json<T>, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let announced = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = announced.map(|value| value.split(';').next().unwrap_or("").trim().to_owned());
        let mut payload = payload.take();
        let request = request.clone();
        Box::pin(async move {
            if !media_type.is_some_and(|media_type| media_type.eq_ignore_ascii_case("application/json")) {
                return Err(Problem::new(
                    ProblemCode::UnsupportedMediaType,
                    "The body is not announced as JSON.",
                ));
            }
            let body = timeout(BODY_TIME, collect(&mut payload)).await.map_err(|_| {
                let detail = format!("The body had not arrived after {} seconds.", BODY_TIME.as_secs());
                Problem::new(ProblemCode::RequestTimeout, detail)
            })??;
            body_was_read(&request);
            request::renew();
            idempotency::keep_hash(&request, &body);
            read(&body, &request).map(Json)
        })
    }
}

async fn collect(payload: &mut Payload) -> Result<BytesMut, Problem> {
    use futures_util::StreamExt;
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| {
            let code = ProblemCode::MalformedJson { line: None, column: None };
            Problem::new(code, "The body broke off.").because(error)
        })?;
        if body.len() + chunk.len() > BODY_LIMIT {
            let detail = format!("The body is larger than {BODY_LIMIT} bytes.");
            return Err(Problem::new(ProblemCode::BodyTooLarge { limit: BODY_LIMIT }, detail));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Reads a JSON object. An error names every wrong field.
fn read<T: Body>(body: &[u8], request: &HttpRequest) -> Result<T, Problem> {
    // Serde would also take an array of the fields' values.
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
        && let Ok(value) = serde_json::from_slice(body)
    {
        return Ok(value);
    }
    read_again(&operation(request), body).map_err(|unreadable| match unreadable {
        Unreadable::Malformed(error) => {
            let (line, column) = (Some(error.line()), Some(error.column()));
            Problem::new(ProblemCode::MalformedJson { line, column }, "The body is not JSON.")
        }
        Unreadable::Invalid(errors) => invalid(errors),
    })
}

fn invalid(errors: Vec<FieldError>) -> Problem {
    let errors = FieldErrors::new(errors);
    let (field, detail) = (errors.first_field(), errors.detail_or(""));
    Problem::new(ProblemCode::InvalidBody { errors, field }, detail)
}

/// The id of the operation that a request is for; empty where there is none.
pub(super) fn operation(request: &HttpRequest) -> String {
    let paths = request.app_data::<Data<Paths>>();
    let operation = paths.and_then(|paths| paths.operation(request.method(), request.path()));
    operation.map(|operation| operation.id.to_string()).unwrap_or_default()
}
