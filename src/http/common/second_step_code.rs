//! A code of the second step in a request.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::field_errors::Body;

/// A request with a code of the second step.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct SecondStepCode {
    /// Six digits of the authenticator app. To pass the second step also one of the ten codes, in any case, with or without its
    /// hyphens.
    #[schema(min_length = 1, max_length = 64, example = "287082")]
    pub(in crate::http) code: String,
}

impl Body for SecondStepCode {}
