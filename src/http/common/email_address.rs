//! An email address in a request.

use garde::Validate;
use serde::Deserialize;
use utoipa::ToSchema;

/// A request with an email address.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(in crate::http) struct EmailAddressRequest {
    /// The address, in ASCII.
    #[schema(
        format = Email,
        pattern = "^[!-~]+@[!-~]+$",
        min_length = 3,
        max_length = 254,
        example = "noor@example.org"
    )]
    #[garde(length(chars, min = 3, max = 254))]
    pub(in crate::http) address: String,
}
