//! The public keys, as a JWK set (RFC 7517, RFC 8037).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::VerifyingKey;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Kid, RecordKeys, TokenKeys};
use estimation_record::verify::KeySet;

/// The purpose of record keys.
const RECORD: &str = "record";

/// A set of public keys (RFC 7517). It contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Jwks {
    /// Token keys, oldest first, then record keys, oldest first.
    #[schema(max_items = 1000)]
    pub keys: Vec<Jwk>,
}

/// A public Ed25519 key (RFC 8037).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Jwk {
    /// Always `OKP`.
    #[schema(min_length = 1, max_length = 8)]
    pub kty: &'static str,
    /// Always `Ed25519`.
    #[schema(min_length = 1, max_length = 16)]
    pub crv: &'static str,
    /// Always `EdDSA`.
    #[schema(min_length = 1, max_length = 16)]
    pub alg: &'static str,
    /// Always `sig`.
    #[serde(rename = "use")]
    #[schema(min_length = 1, max_length = 8)]
    pub usage: &'static str,
    /// The key's id: its thumbprint (RFC 7638).
    #[schema(value_type = String, min_length = 1, max_length = 64)]
    pub kid: Kid,
    /// The 32 bytes of the key, base64url.
    #[schema(min_length = 1, max_length = 64)]
    pub x: String,
    /// What the key signs: `access-token` or `record`.
    #[serde(rename = "estimation:purpose")]
    #[schema(min_length = 1, max_length = 32)]
    pub purpose: &'static str,
    /// When the record key was published; a later one than the first signs a minute after that. Absent for a token key.
    #[serde(rename = "estimation:created_at", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false, min_length = 20, max_length = 35)]
    pub created_at: Option<Timestamp>,
    /// When the record key stops signing, at most a minute ahead; absent before that is known, and for a token key.
    #[serde(rename = "estimation:retired_at", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false, min_length = 20, max_length = 35)]
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
            ..Jwk::of(RECORD, key.kid(), key.verifying_key())
        });
        Jwks { keys: token_keys.chain(record_keys).collect() }
    }

    /// The record keys alone, as a bundle has them.
    ///
    /// # Errors
    /// None: every key has a JSON form.
    pub(crate) fn record_keys(&self) -> serde_json::Result<KeySet> {
        let keys = self.keys.iter().filter(|key| key.purpose == RECORD);
        let keys = keys.map(|key| serde_json::from_value(serde_json::to_value(key)?));
        Ok(KeySet { keys: keys.collect::<Result<_, _>>()? })
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
