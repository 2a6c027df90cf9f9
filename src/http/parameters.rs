//! Extractors for queries and paths. A query is refused at its first wrong parameter; of a path, every wrong part is named.

use std::future::{Ready, ready};
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::web::PathConfig;
use actix_web::{FromRequest, HttpRequest};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::field_errors::{FieldErrors, query, refusal};
use super::problem::{Problem, ProblemCode};
use estimation_service::base::field_error::{FieldCode, FieldError};
use estimation_service::games::HashTag;
use estimation_service::watch::LONGEST_WAIT;

/// The longest query, in bytes.
const LONGEST_QUERY: usize = 4096;

/// The parameters of a query. Its type refuses unknown ones.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = Problem;
    type Future = Ready<Result<Query<T>, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        if request.query_string().len() > LONGEST_QUERY {
            let detail = format!("The query has more than {LONGEST_QUERY} characters.");
            let code = ProblemCode::MalformedQuery { parameter: None, errors: None };
            return ready(Err(Problem::new(code, detail)));
        }
        ready(query::read(request.query_string()).map(Query).map_err(malformed))
    }
}

/// Refuses every parameter in the query of an operation that takes none.
pub(super) fn without_query(request: &HttpRequest) -> Result<(), Problem> {
    /// No parameters.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}

    query::read(request.query_string()).map(|Nothing {}| ()).map_err(malformed)
}

fn malformed(error: FieldError) -> Problem {
    let errors = FieldErrors::new(vec![error]);
    let (parameter, detail) = (errors.first_field(), errors.detail_or(""));
    Problem::new(ProblemCode::MalformedQuery { parameter, errors: errors.some() }, detail)
}

/// Answers paths that cannot be parsed with a problem.
pub fn path_config() -> PathConfig {
    PathConfig::default().error_handler(|_, request| unreadable_path(request).into())
}

/// The problem for a path that cannot be parsed.
pub(super) fn unreadable_path(request: &HttpRequest) -> Problem {
    let wrong = request.match_info().iter().filter_map(|(name, text)| {
        let (is_right, code, reason) = match name {
            "id" => (text.parse::<Uuid>().is_ok(), FieldCode::WrongFormat, "must be a UUID"),
            "seat" => (text.parse::<u8>().is_ok(), FieldCode::WrongType, "must be the number of a seat"),
            _ => return None,
        };
        (!is_right).then(|| FieldError::new(name, code, reason))
    });
    let errors = FieldErrors::new(wrong.collect());
    let detail = errors.detail_or("A part of the path cannot be read.");
    Problem::new(ProblemCode::MalformedPath { errors: errors.some() }, detail)
}

/// Items per page: 1 to 100.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u64")]
pub struct PageSize(pub usize);

const LARGEST_PAGE: u64 = 100;

impl Default for PageSize {
    fn default() -> PageSize {
        PageSize(20)
    }
}

impl TryFrom<u64> for PageSize {
    type Error = String;

    fn try_from(size: u64) -> Result<PageSize, String> {
        if (1..=LARGEST_PAGE).contains(&size) {
            Ok(PageSize(size as usize))
        } else {
            Err(refusal(FieldCode::OutOfRange, &format!("must be 1 to {LARGEST_PAGE}")))
        }
    }
}

/// A text of 1 to `MOST` characters.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct ShortText<const MOST: usize>(pub String);

impl<const MOST: usize> TryFrom<String> for ShortText<MOST> {
    type Error = String;

    fn try_from(text: String) -> Result<ShortText<MOST>, String> {
        let code = match text.chars().count() {
            0 => FieldCode::TooShort,
            length if length > MOST => FieldCode::TooLong,
            _ => return Ok(ShortText(text)),
        };
        Err(refusal(code, &format!("must have 1 to {MOST} characters")))
    }
}

/// Seconds that a long poll waits: at most [`LONGEST_WAIT`].
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "u64")]
pub struct Wait(pub Duration);

impl TryFrom<u64> for Wait {
    type Error = String;

    fn try_from(seconds: u64) -> Result<Wait, String> {
        let wait = Duration::from_secs(seconds);
        let reason = || format!("must be at most {} seconds", LONGEST_WAIT.as_secs());
        if wait <= LONGEST_WAIT { Ok(Wait(wait)) } else { Err(refusal(FieldCode::OutOfRange, &reason())) }
    }
}

/// The hash of an event. Its first 16 digits count; up to 64 are accepted.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct EventHash(pub HashTag);

impl TryFrom<String> for EventHash {
    type Error = String;

    fn try_from(text: String) -> Result<EventHash, String> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let tag = text.get(..16).filter(|_| digits && text.len() <= 64).and_then(HashTag::parse);
        let reason = "must be 16 to 64 hexadecimal digits";
        tag.map(EventHash).ok_or_else(|| refusal(FieldCode::WrongFormat, reason))
    }
}

/// A position in a log or a list: below 2⁵³, so that every JSON parser reads it exactly.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "u64")]
pub struct LogSeq(pub u64);

impl TryFrom<u64> for LogSeq {
    type Error = String;

    fn try_from(position: u64) -> Result<LogSeq, String> {
        let reason = "must be below 2⁵³";
        if position < 1 << 53 { Ok(LogSeq(position)) } else { Err(refusal(FieldCode::OutOfRange, reason)) }
    }
}
