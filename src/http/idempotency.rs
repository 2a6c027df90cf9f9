//! The header `Idempotency-Key`.

use actix_web::http::header::HeaderName;
use actix_web::{HttpMessage, HttpRequest};
use sha2::{Digest, Sha256};
use utoipa::IntoParams;

use super::problem::{Failure, Problem};
use estimation_service::games::idempotency::IdempotencyKey;

pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Marks an answer that repeats the first answer to the same request.
pub(super) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The longest key, in characters.
const KEY_LENGTH: usize = 255;

/// The header as the spec describes it.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "what arrives is read by once_key")]
pub(super) struct OnceHeader {
    /// Makes a repeat of the request get the first answer instead of a second effect.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 255, pattern = "^[!-~]{1,255}$")]
    idempotency_key: Option<String>,
}

#[derive(Clone, Copy)]
struct BodyHash([u8; 32]);

/// Stores the hash of the body of a request that has a key.
pub(super) fn keep_hash(request: &HttpRequest, body: &[u8]) {
    if request.headers().contains_key(IDEMPOTENCY_KEY) {
        request.extensions_mut().insert(BodyHash(Sha256::digest(body).into()));
    }
}

/// The key of a request whose body has been read: 1–255 visible ASCII characters.
pub(super) fn once_key(request: &HttpRequest) -> Result<Option<IdempotencyKey>, Problem> {
    let Some(value) = request.headers().get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let fits =
        |key: &&str| (1..=KEY_LENGTH).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
    let key = value.to_str().ok().filter(fits).ok_or_else(|| {
        let detail = format!("An idempotency key is 1 to {KEY_LENGTH} visible ASCII characters.");
        Problem::new(Failure::MalformedHeader { header: "Idempotency-Key" }, detail)
    })?;
    let nothing = || BodyHash(Sha256::digest([]).into());
    let BodyHash(body_hash) = request.extensions().get::<BodyHash>().copied().unwrap_or_else(nothing);
    Ok(Some(IdempotencyKey {
        method: request.method().to_string(),
        path: request.path().to_owned(),
        key: key.to_owned(),
        body_hash,
    }))
}
