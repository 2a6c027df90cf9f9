//! The middleware around every request: request id, admission, rendering of problems, headers, log lines and metrics.

use std::sync::Arc;
use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpRequest, web};
use tracing::Instrument;

use super::bearer::access_token;
use super::idempotency::IDEMPOTENCY_KEY;
use super::language::{Language, preferred};
use super::parameters::without_query;
use super::paths::{Paths, SpecOperation, not_allowed};
use super::problem::{Failure, Problem, response};
#[cfg(feature = "traces")]
use super::trace;
use super::{address, caching, docs, rate, security};
use estimation_service::auth::security::{RefusedRequest, authentication_refused, authorization_refused};
use estimation_service::base::request;
use estimation_service::services::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest request id that is accepted from a client.
const ID_LENGTH: usize = 64;

/// Headers whose unknown parts are ignored. Their length is limited.
const LENIENT: [&str; 4] = ["Accept", "Accept-Language", "If-None-Match", "Prefer"];

/// The longest of those headers, in bytes.
const HEADER_LENGTH: usize = 1000;

/// The operation whose requests are not counted by address.
const COMMANDS: &str = "postCommand";

/// The operation in metrics and traces of requests without one.
const OTHER: &str = "other";

/// Gives a request its id, counts it, refuses idempotency keys that the operation does not take, renders problems,
/// completes the headers and writes the log line.
pub async fn exchange(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    let id = request_id(&request);
    let language = preferred(request.headers());
    let operation = operation(&request);
    let outcome = match admitted(&request, operation.as_ref()) {
        Err(problem) => Err((request, problem)),
        Ok(()) => {
            // Every log line of the request has its id.
            let name = operation.as_ref().map_or(OTHER, |operation| &operation.id);
            let span =
                tracing::info_span!("request", request_id = id, otel.name = name, otel.kind = "server");
            #[cfg(feature = "traces")]
            trace::begin(&span, &request);
            let answering = request::run(next.call(request));
            let (answer, has_written) = answering.instrument(span.clone()).await;
            let mut answer = answer?.map_into_boxed_body();
            if has_written
                && !answer.request().method().is_safe()
                && let Some(problem) = problem_of(&answer).and_then(Problem::after_a_change)
            {
                answer = answer.error_response(problem);
            }
            #[cfg(feature = "traces")]
            trace::end(&span, &answer);
            if let Some(problem) = problem_of(&answer) {
                span.in_scope(|| report_refused_authorization(answer.request(), problem, name));
            }
            Ok(answer)
        }
    };
    let mut exhausted = None;
    let mut answer = match outcome {
        Ok(answer) => match problem_of(&answer) {
            None => answer,
            Some(problem) => {
                exhausted = exhausted_by(problem);
                if let Some(app) =
                    answer.request().app_data::<web::Data<App>>().filter(|_| problem.is_outage())
                {
                    app.outages.failed(app.now());
                }
                let rendered = rendered(problem, language, answer.request().path(), &id);
                answer.into_response(rendered)
            }
        },
        Err((request, problem)) => {
            let rendered = rendered(&problem, language, request.path(), &id);
            request.into_response(rendered)
        }
    };
    let exhausted = exhausted.as_ref().map(|(name, seconds)| (*name, seconds.as_str()));
    rate::add_headers(&mut answer, exhausted);
    caching::complete(&mut answer);
    log(&answer, &id, started);
    count(&answer, operation.as_ref(), started);
    if let Ok(value) = HeaderValue::from_str(&id) {
        answer.headers_mut().insert(REQUEST_ID, value);
    }
    security::guard(&mut answer);
    docs::guard(&mut answer);
    Ok(answer)
}

/// The operation of the spec that a request is for; none for documents and unknown paths.
fn operation(request: &ServiceRequest) -> Option<SpecOperation> {
    let paths = request.app_data::<web::Data<Paths>>()?;
    paths.operation(request.method(), request.path()).cloned()
}

/// Whether a request may proceed to its operation. Commands that may are not counted by address, because many players
/// may share one.
fn admitted(request: &ServiceRequest, operation: Option<&SpecOperation>) -> Result<(), Problem> {
    let admitted = acceptable(request, operation);
    if admitted.is_err() || operation.is_none_or(|operation| &*operation.id != COMMANDS) {
        rate::count_address(request.request())?;
    }
    admitted
}

/// Whether the operation can take the request's method and headers.
fn acceptable(request: &ServiceRequest, operation: Option<&SpecOperation>) -> Result<(), Problem> {
    let is_document = |paths: &web::Data<Paths>| paths.is_document(request.method(), request.path());
    let paths = request.app_data::<web::Data<Paths>>();
    let paths = paths.filter(|paths| operation.is_none() && !is_document(paths));
    // A literal path goes before one with parameters, even if only the latter has the method.
    if let Some(others) = paths.and_then(|paths| paths.methods(request.path())) {
        return Err(not_allowed(&others));
    }
    if let Some(name) = LENIENT.into_iter().find(|name| is_too_long(request.headers(), name)) {
        let detail = format!("{name} has more than {HEADER_LENGTH} characters.");
        return Err(Problem::new(Failure::MalformedHeader { header: name }, detail));
    }
    if request.headers().contains_key(IDEMPOTENCY_KEY)
        && operation.is_some_and(|operation| !operation.takes_key)
    {
        let code = Failure::NotSupported { header: "Idempotency-Key" };
        return Err(Problem::new(code, "This operation takes no idempotency key."));
    }
    // Pages and links outside take any.
    if request.path().starts_with("/v1/") && operation.is_some_and(|operation| !operation.takes_query) {
        without_query(request.request())?;
    }
    Ok(())
}

/// Whether a header is longer than [`HEADER_LENGTH`].
fn is_too_long(headers: &HeaderMap, name: &str) -> bool {
    headers.get_all(name).map(HeaderValue::len).sum::<usize>() > HEADER_LENGTH
}

/// The problem that an answer is rendered from, if it is one.
fn problem_of(answer: &ServiceResponse<BoxBody>) -> Option<&Problem> {
    answer.response().error().and_then(|error| error.as_error::<Problem>())
}

/// The exceeded limit on attempts, and the seconds until the next attempt is possible.
fn exhausted_by(problem: &Problem) -> Option<(&'static str, String)> {
    let Failure::TooManyAttempts { policy, retry_after } = *problem.failure else { return None };
    Some((policy, retry_after.to_string()))
}

fn rendered(problem: &Problem, language: Language, path: &str, id: &str) -> actix_web::HttpResponse {
    let code = problem.failure.kind().code;
    match &problem.cause {
        Some(cause) if problem.status() >= 500 => {
            tracing::error!(request_id = id, code, cause, "request failed");
        }
        // Operators need not look at faults of clients.
        Some(cause) => tracing::debug!(request_id = id, code, cause, "request refused"),
        None => {}
    }
    response(problem, language, Some(path), Some(id))
}

/// Writes a problem that refuses an authorisation to the security log: every 401 and 403, and every 404 that hides something.
/// The rate limits bound their number: requests refused with 429 are not logged.
fn report_refused_authorization(request: &HttpRequest, problem: &Problem, operation: &str) {
    let report = match problem.status() {
        401 => authentication_refused,
        403 => authorization_refused,
        _ if problem.withheld => authorization_refused,
        _ => return,
    };
    // These have a security event of their own, which says more.
    if let Failure::WrongCredentials | Failure::WrongPassword | Failure::RefreshTokenReused = *problem.failure
    {
        return;
    }
    let app = request.app_data::<web::Data<App>>();
    report(&RefusedRequest {
        code: problem.failure.kind().code,
        operation,
        token: app.zip(access_token(request).ok()).and_then(|(app, token)| app.sessions.claims(token)),
        address: address::client(request),
    });
}

fn count(answer: &ServiceResponse<BoxBody>, operation: Option<&SpecOperation>, started: Instant) {
    if let Some(app) = answer.request().app_data::<web::Data<App>>() {
        let operation = operation.map_or_else(|| OTHER.into(), |operation| Arc::clone(&operation.id));
        app.metrics.request(operation, answer.status().as_u16(), started.elapsed());
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

/// The client's request id if it is valid (1–64 letters, digits, `.`, `_`, `-`), otherwise a new one.
fn request_id(request: &ServiceRequest) -> String {
    let fits = |id: &&str| {
        (1..=ID_LENGTH).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    };
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(fits);
    match (given, request.app_data::<web::Data<App>>()) {
        (Some(id), _) => id.to_owned(),
        (None, Some(app)) => app.request_ids.next(),
        (None, None) => "unknown".to_owned(),
    }
}
