//! The public keys, as a JWK set (RFC 7517, RFC 8037).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::VerifyingKey;
use jiff::Timestamp;
use serde::Serialize;

use super::{Kid, RecordKeys, TokenKeys};

/// A JWK set. It contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Jwks {
    /// Token keys, oldest first, then record keys, oldest first.
    pub keys: Vec<Jwk>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Jwk {
    /// Always `OKP`.
    pub kty: &'static str,
    /// Always `Ed25519`.
    pub crv: &'static str,
    /// Always `EdDSA`.
    pub alg: &'static str,
    /// Always `sig`.
    #[serde(rename = "use")]
    pub usage: &'static str,
    /// The key's thumbprint (RFC 7638).
    pub kid: Kid,
    /// The 32 bytes of the key, base64url.
    pub x: String,
    /// `access-token` or `record`.
    #[serde(rename = "estimation:purpose")]
    pub purpose: &'static str,
    /// When a record key came into use.
    #[serde(rename = "estimation:created_at", skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// When a record key stopped signing.
    #[serde(rename = "estimation:retired_at", skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<Timestamp>,
}

impl Jwks {
    /// The token keys that may have signed unexpired tokens, and all record keys with their dates.
    pub(super) fn of(token_keys: &TokenKeys, record_keys: &RecordKeys, now: Timestamp) -> Jwks {
        let token_keys =
            token_keys.published(now).map(|key| Jwk::of("access-token", key.kid(), key.verifying_key()));
        let record_keys = record_keys.iter().map(|key| Jwk {
            created_at: Some(key.created_at()),
            retired_at: key.retired_at(),
            ..Jwk::of("record", key.kid(), key.verifying_key())
        });
        Jwks { keys: token_keys.chain(record_keys).collect() }
    }
}

impl Jwk {
    fn of(purpose: &'static str, kid: &Kid, key: &VerifyingKey) -> Jwk {
        Jwk {
            kty: "OKP",
            crv: "Ed25519",
            alg: "EdDSA",
            usage: "sig",
            kid: kid.clone(),
            x: URL_SAFE_NO_PAD.encode(key.as_bytes()),
            purpose,
            created_at: None,
            retired_at: None,
        }
    }
}
