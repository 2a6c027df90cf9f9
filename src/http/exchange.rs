//! Around every request: its id, the log line, and the rendering of problems.

use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, web};

use super::docs;
use super::fallback::Paths;
use super::once::IDEMPOTENCY_KEY;
use super::problem::{Problem, response};
use crate::application::app::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest request id taken from a client.
const ID_LENGTH: usize = 64;

/// Gives a request its id, refuses idempotency keys where none is taken, renders problems and writes the log line.
pub async fn exchange(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    let id = request_id(&request);
    let outcome = if request.headers().contains_key(IDEMPOTENCY_KEY) && !takes_key(&request) {
        let refused = Problem::new("not-supported", "This operation takes no idempotency key.");
        Err((request, refused.with("header", "Idempotency-Key")))
    } else {
        Ok(next.call(request).await?.map_into_boxed_body())
    };
    let mut answer = match outcome {
        Ok(answer) => match answer.response().error().and_then(|error| error.as_error::<Problem>()) {
            None => answer,
            Some(problem) => {
                let rendered = rendered(problem, answer.request().path(), &id);
                answer.into_response(rendered)
            }
        },
        Err((request, problem)) => {
            let rendered = rendered(&problem, request.path(), &id);
            request.into_response(rendered)
        }
    };
    log(&answer, &id, started);
    count(&answer, started);
    if let Ok(value) = HeaderValue::from_str(&id) {
        answer.headers_mut().insert(REQUEST_ID, value);
    }
    docs::guard(&mut answer);
    Ok(answer)
}

/// Whether the request's operation takes an idempotency key, as the spec has it.
fn takes_key(request: &ServiceRequest) -> bool {
    let paths = request.app_data::<web::Data<Paths>>();
    paths.is_some_and(|paths| paths.take_key(request.method(), request.path()))
}

fn rendered(problem: &Problem, path: &str, id: &str) -> actix_web::HttpResponse {
    if let Some(cause) = &problem.cause {
        tracing::error!(request_id = id, code = problem.code.code, cause, "request failed");
    }
    response(problem, Some(path), Some(id))
}

fn count(answer: &ServiceResponse<BoxBody>, started: Instant) {
    let request = answer.request();
    if let (Some(app), Some(paths)) =
        (request.app_data::<web::Data<App>>(), request.app_data::<web::Data<Paths>>())
    {
        let operation = paths.operation(request.method(), request.match_pattern().as_deref());
        app.metrics().request(operation, answer.status().as_u16(), started.elapsed());
    }
}

fn log(answer: &ServiceResponse<BoxBody>, id: &str, started: Instant) {
    tracing::debug!(
        request_id = id,
        method = answer.request().method().as_str(),
        path = answer.request().match_pattern().unwrap_or_default(),
        status = answer.status().as_u16(),
        micros = started.elapsed().as_micros() as u64,
        "request"
    );
}

/// The client's request id if it is one (1–64 letters, digits, `.`, `_`, `-`), else a new one.
fn request_id(request: &ServiceRequest) -> String {
    let fits = |id: &&str| {
        (1..=ID_LENGTH).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    };
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(fits);
    match (given, request.app_data::<web::Data<App>>()) {
        (Some(id), _) => id.to_owned(),
        (None, Some(app)) => app.new_id().to_string(),
        (None, None) => "unknown".to_owned(),
    }
}
