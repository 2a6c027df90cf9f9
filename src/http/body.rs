//! The extractor for JSON bodies.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use actix_web::dev::Payload;
use actix_web::http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue,
};
use actix_web::web::{BytesMut, Data};
use actix_web::{FromRequest, HttpRequest};
use garde::Validate;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::bearer::{authenticate_again, await_authentication};
use super::connection::body_was_read;
use super::field_errors::{Unreadable, limits, pointer_to_limit, read_json};
use super::idempotency;
use super::paths::{Paths, SpecOperation};
use super::problem::{Failure, Problem};
use super::spec::JSON;
use estimation_service::base::failure::Faults;
use estimation_service::base::field_error::FieldErrors;
use estimation_service::base::request;

/// What a chunk counts at least, in bytes. Receiving a chunk costs as much as parsing so many bytes.
const SHORTEST_CHUNK: usize = 8;

/// How long a client may take to send a body.
const BODY_TIME: Duration = Duration::from_secs(10);

/// After a body that took longer, the access token is verified again.
const PROMPT: Duration = Duration::from_secs(1);

/// A JSON body. Its type refuses unknown fields and what is beyond its limits. The spec has its maximum size.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + Validate<Context = ()>> FromRequest for Json<T> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Json<T>, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let announced = plain_json(request);
        let mut payload = payload.take();
        let request = request.clone();
        Box::pin(async move {
            let begun = Instant::now();
            announced?;
            let limit = operation(&request)
                .map(|operation| operation.largest_body)
                .ok_or_else(|| Problem::defect("a body was read without an operation"))?;
            if announced_length(&request).is_some_and(|length| length > limit) {
                return Err(Failure::BodyTooLarge { limit }.into());
            }
            let body = timeout(BODY_TIME, collect(&mut payload, limit)).await.map_err(|_| {
                let detail = format!("The body had not arrived after {} seconds.", BODY_TIME.as_secs());
                Problem::new(Failure::RequestTimeout, detail)
            })??;
            body_was_read(&request);
            if begun.elapsed() > PROMPT {
                authenticate_again(&request).await?;
            }
            request::renew();
            idempotency::keep_hash(&request, &body);
            read(&body, &request).await.map(Json)
        })
    }
}

/// Refuses bodies that the head does not announce as JSON, or as encoded. The answer has the header that says what to send
/// (RFC 9110, 15.5.16).
fn plain_json(request: &HttpRequest) -> Result<(), Problem> {
    let announced = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = announced.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case(JSON) {
        let code = Failure::UnsupportedMediaType { header: "Content-Type" };
        return Err(Problem::from(code).header(ACCEPT, JSON));
    }
    let is_plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if !request.headers().get_all(CONTENT_ENCODING).all(is_plain) {
        let code = Failure::UnsupportedMediaType { header: "Content-Encoding" };
        return Err(Problem::from(code).header(ACCEPT_ENCODING, "identity"));
    }
    Ok(())
}

/// The length of the body, if the head has it.
fn announced_length(request: &HttpRequest) -> Option<usize> {
    request.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn collect(payload: &mut Payload, limit: usize) -> Result<BytesMut, Problem> {
    use futures_util::StreamExt;
    let (mut body, mut size) = (BytesMut::new(), 0);
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| {
            let code = Failure::MalformedJson { line: None, column: None };
            Problem::new(code, "The body broke off.").because(error)
        })?;
        size += chunk.len().max(SHORTEST_CHUNK);
        if size > limit {
            return Err(Failure::BodyTooLarge { limit }.into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Reads a JSON object once. What cannot be read is refused at its first fault, and what is beyond limits with all of them.
async fn read<T>(body: &[u8], request: &HttpRequest) -> Result<T, Problem>
where
    T: DeserializeOwned + Validate<Context = ()>,
{
    let refusal = match read_json::<T>(body) {
        Ok(value) => {
            let faults = limits(&value, pointer_to_limit);
            if faults.is_empty() {
                return Ok(value);
            }
            Failure::from(Faults::several(faults)).into()
        }
        Err(Unreadable::Malformed { line, column }) => {
            let code = Failure::MalformedJson { line: Some(line), column: Some(column) };
            return Err(Problem::new(code, "The body is not JSON."));
        }
        Err(Unreadable::Invalid(error)) => {
            let errors = FieldErrors::new(vec![error]);
            let field = errors.first_field();
            Failure::InvalidBody { errors, field }.into()
        }
    };
    // If the token is refused, its problem is the answer.
    await_authentication(request).await?;
    Err(refusal)
}

fn operation(request: &HttpRequest) -> Option<&SpecOperation> {
    request.app_data::<Data<Paths>>()?.operation(request.method(), request.path())
}
