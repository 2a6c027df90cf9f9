//! Extractors for queries and paths. A query is refused at the first parameter that cannot be read, or with
//! every limit that it breaks; of a path, every wrong part is named.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::web::PathConfig;
use actix_web::{FromRequest, HttpRequest};
use garde::{Path, Validate};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::field_errors::{limits, read_query};
use super::problem::{Failure, Problem};
use estimation_service::base::failure::Fault;
use estimation_service::base::field_error::{FieldCode, FieldError, FieldErrors};
use estimation_service::games::HashTag;
use estimation_service::watch::LONGEST_WAIT;

/// The longest query, in bytes.
const LONGEST_QUERY: usize = 4096;

/// The parameters of a query. Its type refuses unknown ones.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned + Validate<Context = ()>> FromRequest for Query<T> {
    type Error = Problem;
    type Future = Ready<Result<Query<T>, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        if request.query_string().len() > LONGEST_QUERY {
            let detail = format!("The query has more than {LONGEST_QUERY} characters.");
            let code = Failure::MalformedQuery { parameter: None, errors: None };
            return ready(Err(Problem::new(code, detail)));
        }
        ready(
            read_query(request.query_string())
                .map_err(|error| malformed(vec![error]))
                .and_then(within_limits),
        )
    }
}

/// Refuses every parameter in the query of an operation that takes none.
pub(super) fn without_query(request: &HttpRequest) -> Result<(), Problem> {
    /// No parameters.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}

    read_query(request.query_string()).map(|Nothing {}| ()).map_err(|error| malformed(vec![error]))
}

fn within_limits<T: Validate<Context = ()>>(query: T) -> Result<Query<T>, Problem> {
    let faults = limits(&query, Path::to_string);
    if faults.is_empty() {
        return Ok(Query(query));
    }
    Err(malformed(faults.iter().map(Fault::field_error).collect()))
}

fn malformed(errors: Vec<FieldError>) -> Problem {
    let errors = FieldErrors::new(errors);
    let parameter = errors.first_field();
    Failure::MalformedQuery { parameter, errors: errors.some() }.into()
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
    Problem::new(Failure::MalformedPath { errors: errors.some() }, detail)
}

/// Items per page: 1 to 100.
#[derive(Clone, Copy, Debug, Deserialize, Validate)]
#[garde(transparent)]
pub struct PageSize(#[garde(range(min = 1, max = 100))] pub usize);

impl Default for PageSize {
    fn default() -> PageSize {
        PageSize(20)
    }
}

/// A text of 1 to `MAX` characters.
#[derive(Clone, Debug, Deserialize, Validate)]
#[garde(transparent)]
pub struct ShortText<const MAX: usize>(#[garde(length(chars, min = 1, max = MAX))] pub String);

/// Seconds that a long poll waits: at most [`LONGEST_WAIT`].
#[derive(Clone, Copy, Debug, Default, Deserialize, Validate)]
#[garde(transparent)]
pub struct Wait(#[garde(range(max = LONGEST_WAIT.as_secs()))] pub u64);

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
#[derive(Clone, Copy, Debug, Default, Deserialize, Validate)]
#[garde(transparent)]
pub struct LogSeq(#[garde(range(max = (1 << 53) - 1))] pub u64);
