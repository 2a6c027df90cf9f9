//! Typed answers: the spec of an operation has the type that its handler writes.
//!
//! The return type of a handler gives the status and the body of its answer to the spec; the list of operations has its
//! description. `spec::operations` puts both together.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue, LOCATION, TryIntoHeaderPair};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, Responder};
use futures_util::stream::pending;
use futures_util::{Stream, StreamExt};
use serde::Serialize;
use serde_json::Value;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use super::compression::PLAIN;
use super::connection::Frames;
use super::idempotency::IDEMPOTENCY_REPLAYED;
use super::language::{Language, Translate};
use super::problem::{Failure, Problem};

/// The extension with the schemas that the body of an answer needs. utoipa collects only those of attributes.
pub(super) const SCHEMAS: &str = "x-schemas";

/// Begins the key of an answer that comes from a return type, so that it does not replace what the attribute says of the same
/// status. The status follows.
pub(super) const TYPED: &str = "typed-";

/// The status and the media type of an answer.
pub(super) trait Form {
    const STATUS: StatusCode;
    const MEDIA_TYPE: &'static str;
}

/// Forms of answers, in the type of a handler.
macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $status:ident, $media_type:expr;)+) => {$(
        $(#[$doc])*
        pub(super) enum $name {}

        impl Form for $name {
            const STATUS: StatusCode = StatusCode::$status;
            const MEDIA_TYPE: &'static str = $media_type;
        }
    )+};
}

forms! {
    /// 200 with JSON.
    Json: OK, "application/json";
    /// 201 with JSON.
    Created: CREATED, "application/json";
    /// 200 with an object of JSON on each line.
    JsonLines: OK, "application/x-ndjson";
    /// 200 with text.
    PlainText: OK, "text/plain";
    /// 200 with a page.
    Html: OK, "text/html";
    /// 200 with server-sent events.
    EventStream: OK, "text/event-stream";
}

/// An answer whose body is a `T` in the form `F`, or 304 if the client has that body.
pub(super) struct Answer<T, F = Json> {
    response: HttpResponse,
    body: PhantomData<fn() -> (T, F)>,
}

/// What a handler returns: an answer with a body, or a problem.
pub(super) type Reply<T, F = Json> = Result<Answer<T, F>, Problem>;

/// What a handler returns that answers without a body.
pub(super) type EmptyReply = Result<NoContent, Problem>;

impl<T: Serialize, F: Form> Answer<T, F> {
    /// Writes a body.
    pub(super) fn json(body: &T) -> Answer<T, F> {
        Answer::written(HttpResponse::build(F::STATUS).json(body))
    }
}

impl<T, F> Answer<T, F> {
    /// An answer whose body the caller has written: a `T` in the form `F`.
    pub(super) fn written(response: HttpResponse) -> Answer<T, F> {
        Answer { response, body: PhantomData }
    }

    /// Sends a body piece by piece: a `T` in the form `F`.
    pub(super) fn streamed(pieces: impl Stream<Item = Result<Bytes, Failure>> + 'static) -> Answer<T, F>
    where
        F: Form,
    {
        let mut response = HttpResponse::build(F::STATUS);
        response.insert_header((CONTENT_TYPE, F::MEDIA_TYPE));
        Answer::written(response.streaming(pieces.map(|piece| piece.map_err(ended_early))))
    }

    pub(super) fn header(mut self, header: impl TryIntoHeaderPair) -> Answer<T, F> {
        if let Ok((name, value)) = header.try_into_pair() {
            self.response.headers_mut().insert(name, value);
        }
        self
    }

    /// Keeps the body from being compressed: how well a secret compresses beside other texts tells something of it.
    pub(super) fn uncompressed(self) -> Answer<T, F> {
        self.header(PLAIN)
    }

    /// Adds `Content-Language`.
    pub(super) fn in_language(mut self, language: Language) -> Answer<T, F> {
        self.response = language.mark(self.response);
        self
    }

    /// Marks the answer to a repeated request.
    pub(super) fn replayed(self, replayed: bool) -> Answer<T, F> {
        if replayed { self.header((IDEMPOTENCY_REPLAYED, "true")) } else { self }
    }
}

impl<T> Answer<T, EventStream> {
    /// Sends frames as they come.
    pub(super) fn events(
        frames: impl Stream<Item = Result<Bytes, Failure>> + 'static,
    ) -> Answer<T, EventStream> {
        let mut answer = Answer::streamed(pending());
        answer.response.extensions_mut().insert(Frames::new(frames.map(|frame| frame.map_err(ended_early))));
        answer
    }
}

/// Logs an error inside a body. It can only end the answer.
fn ended_early(failure: Failure) -> Problem {
    let problem = Problem::from(failure);
    tracing::warn!(code = problem.failure.kind().code, cause = problem.cause, "an answer ended early");
    problem
}

impl<T> Answer<T> {
    /// The same body, as that of a thing that was created and has an address.
    pub(super) fn created(mut self, location: HeaderValue) -> Answer<T, Created> {
        *self.response.status_mut() = Created::STATUS;
        self.response.headers_mut().insert(LOCATION, location);
        Answer::written(self.response)
    }
}

impl<T, F> Responder for Answer<T, F> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        self.response
    }
}

impl<T: ToSchema, F: Form> IntoResponses for Answer<T, F> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut schemas = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut schemas);
        let schemas: BTreeMap<_, _> = schemas.into_iter().collect();
        let schemas = serde_json::to_value(schemas).unwrap_or(Value::Null);
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(T::name()))).build();
        let response = ResponseBuilder::new()
            .content(F::MEDIA_TYPE, content)
            .extensions(Some([(SCHEMAS, schemas)].into_iter().collect()))
            .build();
        typed(F::STATUS, response)
    }
}

fn typed(status: StatusCode, response: Response) -> BTreeMap<String, RefOr<Response>> {
    BTreeMap::from([(format!("{TYPED}{}", status.as_str()), RefOr::T(response))])
}

/// An answer without a body.
pub(super) struct NoContent;

impl Responder for NoContent {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::NoContent().finish()
    }
}

impl IntoResponses for NoContent {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        typed(StatusCode::NO_CONTENT, Response::default())
    }
}

/// One of two answers.
pub(super) enum Either<A, B> {
    Left(A),
    Right(B),
}

impl<A: Responder<Body = BoxBody>, B: Responder<Body = BoxBody>> Responder for Either<A, B> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        match self {
            Either::Left(answer) => answer.respond_to(request),
            Either::Right(answer) => answer.respond_to(request),
        }
    }
}

impl<A: IntoResponses, B: IntoResponses> IntoResponses for Either<A, B> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut responses = A::responses();
        for (key, response) in B::responses() {
            match (responses.get_mut(&key), response) {
                (Some(RefOr::T(first)), RefOr::T(second)) => merge(first, second),
                (_, response) => {
                    responses.insert(key, response);
                }
            }
        }
        responses
    }
}

/// Adds the media types and the schemas of another answer of the same status.
fn merge(first: &mut Response, second: Response) {
    first.content.extend(second.content);
    match (&mut first.extensions, second.extensions) {
        (Some(extensions), Some(more)) => {
            for (name, value) in more.iter() {
                if let (Some(Value::Object(present)), Value::Object(more)) = (extensions.get_mut(name), value)
                {
                    present.extend(more.clone());
                }
            }
        }
        (none, more) => *none = more,
    }
}

/// The attribute of an operation lists its problems, because all problems have one type.
impl IntoResponses for Problem {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        BTreeMap::new()
    }
}
