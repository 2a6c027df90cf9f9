//! Signed JSON (RFC 7515), in its compact form.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;

use super::failure::Failure;

/// A header and claims, signed with a key that may fail.
pub(crate) fn signed(
    header: &impl Serialize,
    claims: &impl Serialize,
    sign: impl FnOnce(&[u8]) -> Option<Vec<u8>>,
) -> Result<String, Failure> {
    let part = |json: serde_json::Result<Vec<u8>>| {
        json.map(|json| URL_SAFE_NO_PAD.encode(json)).map_err(|error| Failure::Defect(error.to_string()))
    };
    let text = format!("{}.{}", part(serde_json::to_vec(header))?, part(serde_json::to_vec(claims))?);
    let signature =
        sign(text.as_bytes()).ok_or_else(|| Failure::Defect("a token cannot be signed".to_owned()))?;
    Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
}
