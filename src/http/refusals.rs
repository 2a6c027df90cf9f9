//! The problems that an operation may answer with, for the spec.

use std::collections::BTreeMap;

use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use super::problem::{MEDIA_TYPE, Problem};

/// Refusals of operations without a token and without a body.
pub struct ReadRefusals;
/// Refusals of operations without a token and with a body.
pub struct PublicRefusals;
/// Refusals of an operation without a token about a table.
pub struct InvitationRefusals;
/// Refusals of operations with a token and without a body.
pub struct CallerRefusals;
/// Refusals of operations with a token and a body.
pub struct WriteRefusals;

const READ: &[u16] = &[400, 404, 405, 429, 431, 500, 503];
const INVITATION: &[u16] = &[400, 404, 405, 409, 429, 431, 500, 503];
const BODY: &[u16] = &[400, 404, 405, 408, 409, 413, 415, 422, 429, 431, 500, 503];
const CALLER: &[u16] = &[400, 401, 403, 404, 405, 409, 422, 429, 431, 500, 503];
const WRITE: &[u16] = &[400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 429, 431, 500, 503];

macro_rules! refusals {
    ($($type:ident: $statuses:ident),+) => {$(
        impl IntoResponses for $type {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                $statuses.iter().map(|&status| (status.to_string(), RefOr::T(refusal(status)))).collect()
            }
        }
    )+};
}

refusals!(
    ReadRefusals: READ,
    InvitationRefusals: INVITATION,
    PublicRefusals: BODY,
    CallerRefusals: CALLER,
    WriteRefusals: WRITE
);

/// A placeholder: the components of the spec describe each status.
fn refusal(status: u16) -> Response {
    let schema = Ref::from_schema_name(Problem::name());
    ResponseBuilder::new()
        .description(format!("A problem of status {status}."))
        .content(MEDIA_TYPE, ContentBuilder::new().schema(Some(schema)).build())
        .build()
}
