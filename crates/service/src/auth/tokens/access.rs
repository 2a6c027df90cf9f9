//! Access tokens and their claims: EdDSA JWTs valid for 15 minutes (RFC 9068).

use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

use super::{ACCESS_TOKEN_LIFETIME, provider};
use crate::auth::keys::TokenKeys;
use crate::base::entropy::Entropy;
use crate::base::failure::Failure;
use crate::base::ids::new_id;
use estimation_store::role::Role;

const TYPE: &str = "at+jwt";

/// Far longer than any token of ours.
const LONGEST: usize = 2048;

/// Cached verified tokens: some 30 MB.
const CACHED_TOKENS: usize = 32_768;

/// A signed access token. It cannot be printed.
pub struct AccessToken(String);

impl AccessToken {
    pub const LIFETIME: SignedDuration = ACCESS_TOKEN_LIFETIME;

    /// The token's text; only for the answer to its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn into_text(self) -> String {
        self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no access token can be signed")]
pub struct SigningFailed;

/// Why a token is not accepted. It quotes nothing from the token except its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TokenError {
    /// Not three parts of base64url and JSON, or claims missing or of the wrong type.
    #[error("not an access token")]
    Malformed,
    /// Signed with another algorithm, or unsigned.
    #[error("the token is not signed with EdDSA")]
    WrongAlgorithm,
    /// A token of another type, or a header with extra fields.
    #[error("the token is not of type {TYPE}")]
    WrongType,
    /// Signed by an unknown or expired key.
    #[error("the token's key is unknown")]
    UnknownKey,
    #[error("the token's signature is wrong")]
    BadSignature,
    #[error("the token has another issuer")]
    WrongIssuer,
    #[error("the token has another audience")]
    WrongAudience,
    #[error("the token expired at {at}")]
    Expired { at: Timestamp },
    #[error("the token is not valid before {from}")]
    NotYetValid { from: Timestamp },
}

/// The only three header fields accepted: no embedded key, key URL or critical extension.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnHeader {
    alg: String,
    typ: String,
    kid: String,
}

pub struct TokenIssuer {
    issuer: String,
    audience: String,
    keys: RwLock<Arc<TokenKeys>>,
    entropy: Arc<dyn Entropy>,
    validation: Validation,
    /// Tokens whose signature need not be checked again; their times always are. By the whole text: a hash of it that nobody can
    /// forge would cost a tenth of a command.
    verified: Cache<Box<str>, Claims>,
}

impl TokenIssuer {
    pub fn new(issuer: &str, audience: &str, keys: Arc<TokenKeys>, entropy: Arc<dyn Entropy>) -> TokenIssuer {
        provider::install();
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_issuer(&[issuer]);
        validation.set_audience(&[audience]);
        validation.set_required_spec_claims(&["iss", "aud", "sub", "exp"]);
        // The library would use the system clock and a leeway; `in_time` uses neither.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        TokenIssuer {
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            keys: RwLock::new(keys),
            entropy,
            validation,
            verified: Cache::new(CACHED_TOKENS),
        }
    }

    /// Issues a token valid from now for [`AccessToken::LIFETIME`], but no longer than its session.
    pub fn issue(&self, grant: &Grant, now: Timestamp) -> Result<AccessToken, SigningFailed> {
        let Grant { binding, generation, signed_in_at, session_end } = *grant;
        let TokenBinding { account, session, role } = binding;
        let keys = self.keys();
        let key = keys.signing(now).ok_or(SigningFailed)?;
        let claims = WireClaims {
            iss: self.issuer.clone(),
            aud: self.audience.clone(),
            sub: account,
            sid: session,
            role,
            generation,
            auth_time: signed_in_at.as_second(),
            iat: now.as_second(),
            nbf: None,
            exp: session_end
                .map_or(i64::MAX, Timestamp::as_second)
                .min(now.as_second() + AccessToken::LIFETIME.as_secs()),
            jti: new_id(now, &*self.entropy),
        };
        let header = Header {
            typ: Some(TYPE.to_owned()),
            kid: Some(key.kid().to_string()),
            ..Header::new(Algorithm::EdDSA)
        };
        jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ed_der(&*key.seed()))
            .map(AccessToken)
            .map_err(|_| SigningFailed)
    }

    /// Verifies signature, claims and times, without leeway: valid from `nbf`, if present, until before
    /// `exp`. Does not check whether the session is active.
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<Claims, TokenError> {
        if token.len() > LONGEST {
            return Err(TokenError::Malformed);
        }
        if let Some(claims) = self.verified.get(token) {
            return in_time(claims, now).inspect_err(|_| drop(self.verified.remove(token)));
        }
        let keys = self.keys();
        let claims = in_time(self.read(token, &keys, now)?, now)?;
        // If the keys were replaced meanwhile, do not cache: the cache was just cleared.
        let current = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, &keys) {
            self.verified.insert(token.into(), claims);
        }
        Ok(claims)
    }

    /// Replaces the keys after a rotation.
    pub fn replace_keys(&self, keys: Arc<TokenKeys>) {
        let mut current = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        *current = keys;
        self.verified.clear();
    }

    /// Drops cached tokens of an ended session.
    pub fn forget_session(&self, session: uuid::Uuid) {
        self.verified.retain(|_, claims| claims.session != session);
    }

    fn keys(&self) -> Arc<TokenKeys> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Verifies everything but the times. Of the unsigned header only the key id is used, to select one of
    /// our own keys.
    fn read(&self, token: &str, keys: &TokenKeys, now: Timestamp) -> Result<Claims, TokenError> {
        let header = header(token)?;
        let key = keys.verifying(&header.kid, now).ok_or(TokenError::UnknownKey)?;
        let key = DecodingKey::from_ed_der(key.verifying_key().as_bytes());
        let claims = jsonwebtoken::decode::<WireClaims>(token, &key, &self.validation)
            .map_err(|error| refusal(error.kind()))?
            .claims;
        claims.read().ok_or(TokenError::Malformed)
    }
}

fn header(token: &str) -> Result<OwnHeader, TokenError> {
    let part = token.split('.').next().unwrap_or_default();
    let json = URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed)?;
    let named: AlgorithmNamed = serde_json::from_slice(&json).map_err(|_| TokenError::Malformed)?;
    if named.alg != "EdDSA" {
        return Err(TokenError::WrongAlgorithm);
    }
    match serde_json::from_slice::<OwnHeader>(&json) {
        Ok(header) if header.alg == named.alg && header.typ == TYPE => Ok(header),
        _ => Err(TokenError::WrongType),
    }
}

#[derive(Deserialize)]
struct AlgorithmNamed {
    alg: String,
}

fn in_time(claims: Claims, now: Timestamp) -> Result<Claims, TokenError> {
    if let Some(from) = claims.not_before.filter(|&from| now < from) {
        return Err(TokenError::NotYetValid { from });
    }
    if now >= claims.expires_at {
        return Err(TokenError::Expired { at: claims.expires_at });
    }
    Ok(claims)
}

fn refusal(kind: &ErrorKind) -> TokenError {
    match kind {
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidAlgorithmName | ErrorKind::MissingAlgorithm => {
            TokenError::WrongAlgorithm
        }
        ErrorKind::InvalidSignature => TokenError::BadSignature,
        ErrorKind::InvalidIssuer => TokenError::WrongIssuer,
        ErrorKind::InvalidAudience => TokenError::WrongAudience,
        _ => TokenError::Malformed,
    }
}

impl From<TokenError> for Failure {
    fn from(error: TokenError) -> Failure {
        match error {
            TokenError::Expired { .. } => Failure::TokenExpired,
            _ => Failure::TokenInvalid,
        }
    }
}

impl From<SigningFailed> for Failure {
    fn from(error: SigningFailed) -> Failure {
        Failure::Defect(error.to_string())
    }
}

#[cfg(test)]
mod tests;

/// The claims that the session and the account must confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenBinding {
    pub account: Uuid,
    pub session: Uuid,
    pub role: Role,
}

/// The contents of a new access token.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    pub binding: TokenBinding,
    /// How often the session was refreshed before.
    pub generation: i64,
    /// When the player signed in.
    pub signed_in_at: Timestamp,
    /// The latest end of the session; `None` for no limit.
    pub session_end: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// `sub`.
    pub account: Uuid,
    /// `sid`.
    pub session: Uuid,
    pub role: Role,
    /// `generation`: the access tokens of one refresh token have the same.
    pub generation: i64,
    /// `auth_time`, in whole seconds: when the player signed in.
    pub signed_in_at: Timestamp,
    /// `jti`.
    pub token: Uuid,
    /// `iat`, in whole seconds.
    pub issued_at: Timestamp,
    /// `nbf`.
    pub not_before: Option<Timestamp>,
    /// `exp`.
    pub expires_at: Timestamp,
}

/// The JSON claims of a token (RFC 9068).
#[derive(Serialize, Deserialize)]
pub(super) struct WireClaims {
    pub(super) iss: String,
    pub(super) aud: String,
    pub(super) sub: Uuid,
    pub(super) sid: Uuid,
    pub(super) role: Role,
    pub(super) generation: i64,
    pub(super) auth_time: i64,
    pub(super) iat: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) nbf: Option<i64>,
    pub(super) exp: i64,
    pub(super) jti: Uuid,
}

impl WireClaims {
    /// Parses the times; `None` if one is out of range.
    pub(super) fn read(&self) -> Option<Claims> {
        let time = |second| Timestamp::from_second(second).ok();
        Some(Claims {
            account: self.sub,
            session: self.sid,
            role: self.role,
            generation: self.generation,
            signed_in_at: time(self.auth_time)?,
            token: self.jti,
            issued_at: time(self.iat)?,
            not_before: match self.nbf {
                Some(second) => Some(time(second)?),
                None => None,
            },
            expires_at: time(self.exp)?,
        })
    }
}
