//! The token of a mailed link in a request.

use garde::Validate;
use serde::Deserialize;
use utoipa::ToSchema;

/// A request with the token of a mailed link.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(in crate::http) struct MailedToken {
    /// The token from the fragment of the link.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{43}$",
        min_length = 43,
        max_length = 43,
        example = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    )]
    #[garde(length(chars, equal = 43))]
    pub(in crate::http) token: String,
}
