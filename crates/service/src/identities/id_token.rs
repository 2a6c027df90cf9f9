//! ID tokens (OpenID Connect Core 1.0, 3.1.3.7), and the keys that sign them.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde_json::Value;

use super::nonce::Nonce;
use crate::auth::tokens::provider;
use crate::base::failure::Failure;

/// The longest token, in bytes.
pub(super) const LONGEST: usize = 4_096;

/// The longest subject, in ASCII characters.
const LONGEST_SUBJECT: usize = 255;

/// By how much the clocks of an issuer and of the server may differ.
const LEEWAY: SignedDuration = SignedDuration::from_secs(60);

/// The most keys of an issuer that are kept.
const MAX_KEYS: usize = 64;

estimation_engine::choices! {
    /// Why an ID token is not accepted. More reasons are added over time.
    pub enum TokenFault {
        /// Not three parts of base64url and JSON, or claims missing or of the wrong type.
        Malformed = "malformed",
        /// Not signed with RS256 or ES256.
        Algorithm = "algorithm",
        /// The issuer does not publish the key.
        UnknownKey = "unknown-key",
        /// The signature is wrong.
        Signature = "signature",
        /// It is from another issuer.
        Issuer = "issuer",
        /// It is for another app.
        Audience = "audience",
        /// It has another nonce.
        Nonce = "nonce",
        /// It has expired.
        Expired = "expired",
        /// It is not valid yet.
        NotYetValid = "not-yet-valid",
        /// The token that the issuer gave for the authorization code is of another player.
        Subject = "subject",
    }
}

impl Error for TokenFault {}

impl From<TokenFault> for Failure {
    fn from(fault: TokenFault) -> Failure {
        Failure::IdTokenInvalid { reason: fault.as_str() }
    }
}

impl fmt::Display for TokenFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a token must say.
pub(super) struct ExpectedClaims<'a> {
    pub(super) issuer: &'a str,
    pub(super) audiences: &'a [String],
    /// `None` for a token that the issuer itself just gave for an authorization code.
    pub(super) nonce: Option<&'a Nonce>,
}

/// Whom a token names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) subject: String,
    /// The app for which the token is.
    pub(super) audience: String,
}

/// The key that a token names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct KeyName {
    pub(super) kid: String,
    pub(super) algorithm: Algorithm,
}

/// The public keys of an issuer.
#[derive(Clone, Default)]
pub(super) struct IssuerKeys(HashMap<KeyName, DecodingKey>);

#[derive(Deserialize)]
struct WireHeader {
    alg: String,
    kid: Option<String>,
    crit: Option<Value>,
}

#[derive(Deserialize)]
struct WireClaims {
    iss: String,
    sub: String,
    aud: OneOrMore,
    azp: Option<String>,
    exp: f64,
    iat: f64,
    nbf: Option<f64>,
    nonce: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Deserialize)]
struct WireKeys {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct WireKey {
    kty: String,
    kid: String,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    crv: Option<String>,
    x: Option<String>,
    y: Option<String>,
    n: Option<String>,
    e: Option<String>,
}

impl IssuerKeys {
    /// Reads a JWK set (RFC 7517). Keys that cannot verify RS256 or ES256 are left out.
    pub(super) fn read(json: &[u8]) -> serde_json::Result<IssuerKeys> {
        provider::install();
        let WireKeys { keys } = serde_json::from_slice(json)?;
        let keys = keys.into_iter().filter_map(|key| serde_json::from_value::<WireKey>(key).ok());
        let mut known = HashMap::new();
        for (name, key) in keys.filter_map(WireKey::read).take(MAX_KEYS) {
            known.entry(name).or_insert(key);
        }
        Ok(IssuerKeys(known))
    }

    pub(super) fn get(&self, name: &KeyName) -> Option<&DecodingKey> {
        self.0.get(name)
    }
}

impl WireKey {
    fn read(self) -> Option<(KeyName, DecodingKey)> {
        if self.purpose.is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let (algorithm, name, key) = match self.kty.as_str() {
            "RSA" => {
                let key = DecodingKey::from_rsa_components(&self.n?, &self.e?).ok()?;
                (Algorithm::RS256, "RS256", key)
            }
            "EC" if self.crv.as_deref() == Some("P-256") => {
                let (x, y) = (self.x?, self.y?);
                let is_coordinate = |text: &str| URL_SAFE_NO_PAD.decode(text).is_ok_and(|it| it.len() == 32);
                if !is_coordinate(&x) || !is_coordinate(&y) {
                    return None;
                }
                (Algorithm::ES256, "ES256", DecodingKey::from_ec_components(&x, &y).ok()?)
            }
            _ => return None,
        };
        let is_for = self.alg.is_none_or(|alg| alg == name);
        is_for.then_some((KeyName { kid: self.kid, algorithm }, key))
    }
}

/// The key that a token names. Nothing else of the unverified token is read.
pub(super) fn key_name(token: &str) -> Result<KeyName, TokenFault> {
    let head = token.split('.').next().unwrap_or_default();
    let json = URL_SAFE_NO_PAD.decode(head).map_err(|_| TokenFault::Malformed)?;
    let header: WireHeader = serde_json::from_slice(&json).map_err(|_| TokenFault::Malformed)?;
    let algorithm = match header.alg.as_str() {
        "RS256" => Algorithm::RS256,
        "ES256" => Algorithm::ES256,
        _ => return Err(TokenFault::Algorithm),
    };
    // An extension that must be understood is not.
    if header.crit.is_some() {
        return Err(TokenFault::Malformed);
    }
    Ok(KeyName { kid: header.kid.ok_or(TokenFault::UnknownKey)?, algorithm })
}

/// Verifies a token with the key that it names.
pub(super) fn verified(
    token: &str,
    algorithm: Algorithm,
    key: &DecodingKey,
    expected: &ExpectedClaims<'_>,
    now: Timestamp,
) -> Result<Subject, TokenFault> {
    let mut validation = Validation::new(algorithm);
    // The library would use the system's clock, and takes any one of several audiences.
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    validation.required_spec_claims.clear();
    let claims = jsonwebtoken::decode::<WireClaims>(token, key, &validation)
        .map_err(|error| match error.kind() {
            ErrorKind::InvalidSignature => TokenFault::Signature,
            ErrorKind::InvalidAlgorithm => TokenFault::Algorithm,
            _ => TokenFault::Malformed,
        })?
        .claims;
    if claims.iss != expected.issuer {
        return Err(TokenFault::Issuer);
    }
    let audience = claims.audience(expected.audiences).ok_or(TokenFault::Audience)?;
    if let Some(nonce) = expected.nonce
        && !claims.nonce.as_deref().is_some_and(|claim| nonce.is(claim))
    {
        return Err(TokenFault::Nonce);
    }
    // JSON has no NaN, so any two of these compare.
    let (second, leeway) = (now.as_second() as f64, LEEWAY.as_secs() as f64);
    if claims.exp + leeway <= second {
        return Err(TokenFault::Expired);
    }
    if claims.iat - leeway > second || claims.nbf.is_some_and(|from| from - leeway > second) {
        return Err(TokenFault::NotYetValid);
    }
    let is_subject = (1..=LONGEST_SUBJECT).contains(&claims.sub.len()) && claims.sub.is_ascii();
    if !is_subject || claims.sub.bytes().any(|byte| byte.is_ascii_control()) {
        return Err(TokenFault::Malformed);
    }
    Ok(Subject { subject: claims.sub, audience })
}

impl WireClaims {
    /// The one of these audiences for which the token is; none if it is for none of them. A token for several must say
    /// which app asked for it.
    fn audience(&self, known: &[String]) -> Option<String> {
        let is_known = |audience: &&String| known.contains(audience);
        match &self.aud {
            OneOrMore::One(one) => Some(one).filter(is_known).cloned(),
            OneOrMore::More(more) => match more.as_slice() {
                [one] => Some(one).filter(is_known).cloned(),
                _ => self.azp.as_ref().filter(|azp| more.contains(azp)).filter(is_known).cloned(),
            },
        }
    }
}
