//! A code of the second step in a request.

use garde::Validate;
use serde::Deserialize;
use utoipa::ToSchema;

/// A request with a code of the second step.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(in crate::http) struct SecondStepCode {
    /// Six digits of the authenticator app. To pass the second step also one of the ten codes, in any case, with or without its
    /// hyphens.
    #[schema(min_length = 1, max_length = 64, example = "287082")]
    #[garde(length(chars, min = 1, max = 64))]
    pub(in crate::http) code: String,
}
