//! Extractors for queries and paths. One answer names every wrong parameter.

use std::future::{Ready, ready};
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::web::{self, PathConfig};
use actix_web::{FromRequest, HttpRequest};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::body::operation_id;
use super::field_errors::{FieldErrors, path_faults, query_faults};
use super::problem::{Problem, ProblemCode};
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
        let read = web::Query::<T>::from_query(request.query_string());
        ready(read.map(|query| Query(query.into_inner())).map_err(|_| malformed(request)))
    }
}

/// Refuses every parameter in the query of an operation that takes none.
pub(super) fn without_query(request: &HttpRequest) -> Result<(), Problem> {
    let pairs = web::Query::<Vec<(String, String)>>::from_query(request.query_string());
    if pairs.is_ok_and(|pairs| pairs.is_empty()) { Ok(()) } else { Err(malformed(request)) }
}

fn malformed(request: &HttpRequest) -> Problem {
    let pairs = web::Query::<Vec<(String, String)>>::from_query(request.query_string());
    let errors = pairs.map(|pairs| query_faults(&operation_id(request), &pairs)).unwrap_or_default();
    let errors = FieldErrors::new(errors);
    let (parameter, detail) = (errors.first_field(), errors.detail_or("The query cannot be read."));
    Problem::new(ProblemCode::MalformedQuery { parameter, errors: errors.some() }, detail)
}

/// Answers paths that cannot be parsed with a problem.
pub fn path_config() -> PathConfig {
    PathConfig::default().error_handler(|_, request| unreadable_path(request).into())
}

/// The problem for a path that cannot be parsed.
pub(super) fn unreadable_path(request: &HttpRequest) -> Problem {
    let errors = FieldErrors::new(path_faults(&operation_id(request), request.match_info().iter()));
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
    type Error = &'static str;

    fn try_from(size: u64) -> Result<PageSize, &'static str> {
        if (1..=LARGEST_PAGE).contains(&size) {
            Ok(PageSize(size as usize))
        } else {
            Err("a page has 1 to 100 items")
        }
    }
}

/// A text of 1 to `MOST` characters.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct ShortText<const MOST: usize>(pub String);

impl<const MOST: usize> TryFrom<String> for ShortText<MOST> {
    type Error = &'static str;

    fn try_from(text: String) -> Result<ShortText<MOST>, &'static str> {
        if (1..=MOST).contains(&text.chars().count()) {
            Ok(ShortText(text))
        } else {
            Err("the text is too long")
        }
    }
}

/// Seconds that a long poll waits: at most [`LONGEST_WAIT`].
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "u64")]
pub struct Wait(pub Duration);

impl TryFrom<u64> for Wait {
    type Error = &'static str;

    fn try_from(seconds: u64) -> Result<Wait, &'static str> {
        let wait = Duration::from_secs(seconds);
        if wait <= LONGEST_WAIT { Ok(Wait(wait)) } else { Err("the wait is too long") }
    }
}

/// The hash of an event. Its first 16 digits count; up to 64 are accepted.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct EventHash(pub HashTag);

impl TryFrom<String> for EventHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<EventHash, &'static str> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let tag = text.get(..16).filter(|_| digits && text.len() <= 64).and_then(HashTag::parse);
        tag.map(EventHash).ok_or("not a hash")
    }
}

/// A position in a log or a list: below 2⁵³, so that every JSON parser reads it exactly.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "u64")]
pub struct LogSeq(pub u64);

impl TryFrom<u64> for LogSeq {
    type Error = &'static str;

    fn try_from(position: u64) -> Result<LogSeq, &'static str> {
        if position < 1 << 53 { Ok(LogSeq(position)) } else { Err("not a position") }
    }
}
