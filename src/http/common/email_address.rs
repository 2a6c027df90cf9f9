//! An email address in a request.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::field_errors::Body;

/// A request with an email address.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct EmailAddressRequest {
    /// The address, in ASCII.
    #[schema(
        format = Email,
        pattern = "^[!-~]+@[!-~]+$",
        min_length = 3,
        max_length = 254,
        example = "noor@example.org"
    )]
    pub(in crate::http) address: String,
}

impl Body for EmailAddressRequest {}
