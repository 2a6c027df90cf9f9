//! What shows who a player is, in requests that sign in or link an identity.

use garde::Validate;
use serde::Deserialize;
use utoipa::ToSchema;

use estimation_service::identities;

/// What an issuer gave a player: an `id_token` and perhaps a `code`, or a `code` with its `code_verifier`.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(in crate::http) struct Evidence {
    /// The name of the issuer, from `GET /v1/issuers`.
    #[schema(min_length = 1, max_length = 32, pattern = "^[a-z0-9-]{1,32}$", example = "apple")]
    #[garde(length(chars, min = 1, max = 32))]
    issuer: String,
    /// The nonce of `POST /v1/nonces`. Each is used once.
    #[schema(
        min_length = 54,
        max_length = 54,
        pattern = "^[A-Za-z0-9_-]{54}$",
        example = "AAAAAGlWYcDNXcKi0GaPLHyKU7FdY2J9rzDnVGH2xtAnNGdM3n2gKw"
    )]
    #[garde(length(chars, equal = 54))]
    nonce: String,
    /// The ID token of an app.
    #[schema(
        min_length = 1,
        max_length = 4096,
        pattern = r"^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$",
        example = "eyJhbGciOiJFUzI1NiIsImtpZCI6Im9uZSJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
        required = false
    )]
    #[garde(length(chars, min = 1, max = 4096))]
    id_token: Option<String>,
    /// An authorization code. With an `id_token`, the server keeps the issuer's refresh token for it, and revokes the
    /// player's grant with that when the account is deleted. Without one, the server exchanges the code for the ID token.
    #[schema(min_length = 1, max_length = 1024, pattern = "^[ -~]+$", example = "c0de", required = false)]
    #[garde(length(chars, min = 1, max = 1024))]
    code: Option<String>,
    /// The verifier of a web app's `code` (PKCE, RFC 7636).
    #[schema(
        min_length = 43,
        max_length = 128,
        pattern = "^[A-Za-z0-9._~-]{43,128}$",
        example = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        required = false
    )]
    #[garde(length(chars, min = 43, max = 128))]
    code_verifier: Option<String>,
}

impl From<Evidence> for identities::Evidence {
    fn from(evidence: Evidence) -> identities::Evidence {
        let Evidence { issuer, nonce, id_token, code, code_verifier } = evidence;
        identities::Evidence { issuer, nonce, id_token, code, code_verifier }
    }
}
