//! The token of a mailed link in a request.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::field_errors::Body;

/// A request with the token of a mailed link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct MailedToken {
    /// The token from the fragment of the link.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{43}$",
        min_length = 43,
        max_length = 43,
        example = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    )]
    pub(in crate::http) token: String,
}

impl Body for MailedToken {}
