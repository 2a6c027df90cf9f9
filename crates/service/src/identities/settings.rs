//! The issuers of OpenID Connect that an operator trusts, as a TOML file.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use serde::Deserialize;
use serde_json::json;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::base::failure::Failure;
use crate::base::jws;
use crate::outbound::HttpsUrl;

/// How long a signed client secret is valid, in seconds.
const SIGNED_FOR: i64 = 300;

/// The most issuers.
const MAX: usize = 16;

/// The file is not as it must be. Nothing of it is quoted but names.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotIssuers(String);

/// The issuers by the names that clients use.
#[derive(Clone, Default)]
pub struct IssuersSettings(pub(super) BTreeMap<String, IssuerSettings>);

/// What the operator says of an issuer.
#[derive(Clone)]
pub(super) struct IssuerSettings {
    /// The issuer's URL, exactly as its tokens have it.
    pub(super) issuer: String,
    /// Where the issuer describes itself.
    pub(super) discovery: HttpsUrl,
    /// The apps whose tokens are accepted.
    pub(super) audiences: Vec<String>,
    /// The app that is the web app, one of the audiences.
    pub(super) web_client: Option<String>,
    pub(super) secret: Option<ClientSecret>,
}

/// What shows the issuer that the server is the app. It cannot be printed.
#[derive(Clone)]
pub(super) enum ClientSecret {
    Text(Zeroizing<String>),
    /// A key that signs secrets, as Apple has it.
    Key {
        team: String,
        key_id: String,
        pair: Arc<EcdsaKeyPair>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IssuerTable {
    issuer: String,
    audiences: Vec<String>,
    web_client: Option<String>,
    client_secret: Option<String>,
    client_key: Option<WrittenKey>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenKey {
    team: String,
    key_id: String,
    /// PKCS #8 in PEM.
    private_key: String,
}

impl IssuersSettings {
    /// Reads the TOML file: a table for each issuer.
    pub fn read(text: &str) -> Result<IssuersSettings, NotIssuers> {
        let tables: BTreeMap<String, IssuerTable> = toml::from_str(text).map_err(|error| {
            // The error's own text quotes the line, which may hold a secret.
            let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
            NotIssuers(format!("line {}: not a table of an issuer", before.matches('\n').count() + 1))
        })?;
        if tables.len() > MAX {
            return Err(NotIssuers(format!("there are more than {MAX} issuers")));
        }
        let read = |(name, written): (String, IssuerTable)| match written.read(&name) {
            Ok(settings) => Ok((name, settings)),
            Err(reason) => Err(NotIssuers(format!("{name}: {reason}"))),
        };
        tables.into_iter().map(read).collect::<Result<_, _>>().map(IssuersSettings)
    }
}

impl IssuerTable {
    fn read(self, name: &str) -> Result<IssuerSettings, &'static str> {
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !(1..=32).contains(&name.len()) || !name.bytes().all(is_name) {
            return Err("a name has 1 to 32 lower-case letters, digits and hyphens");
        }
        let IssuerTable { issuer, audiences, web_client, client_secret, client_key } = self;
        let discovery = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let discovery = discovery.parse().map_err(|_| "`issuer` must be an https URL")?;
        if audiences.is_empty() || audiences.iter().any(String::is_empty) {
            return Err("`audiences` must name at least one app");
        }
        if web_client.as_ref().is_some_and(|client| !audiences.contains(client)) {
            return Err("`web_client` must be one of the audiences");
        }
        let secret = match (client_secret, client_key) {
            (None, None) => None,
            (Some(text), None) => Some(ClientSecret::Text(Zeroizing::new(text))),
            (None, Some(key)) => Some(key.read()?),
            (Some(_), Some(_)) => return Err("there must be a `client_secret` or a `client_key`, not both"),
        };
        if web_client.is_some() && secret.is_none() {
            return Err("`web_client` needs a `client_secret` or a `client_key`");
        }
        Ok(IssuerSettings { issuer, discovery, audiences, web_client, secret })
    }
}

impl WrittenKey {
    fn read(self) -> Result<ClientSecret, &'static str> {
        let pem = Zeroizing::new(self.private_key);
        let lines = pem.lines().map(str::trim).filter(|line| !line.starts_with("-----"));
        let text: Zeroizing<String> = Zeroizing::new(lines.collect());
        let document = STANDARD.decode(text.as_bytes()).map(Zeroizing::new).ok();
        let pair = document.and_then(|document| {
            let random = SystemRandom::new();
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &document, &random).ok()
        });
        let pair = Arc::new(pair.ok_or("`private_key` must be a key of P-256 as PKCS #8 in PEM")?);
        Ok(ClientSecret::Key { team: self.team, key_id: self.key_id, pair })
    }
}

impl ClientSecret {
    /// The `client_secret` of a request of an app.
    pub(super) fn text(&self, issuer: &str, app: &str, now: Timestamp) -> Result<Zeroizing<String>, Failure> {
        let (team, key_id, pair) = match self {
            ClientSecret::Text(text) => return Ok(text.clone()),
            ClientSecret::Key { team, key_id, pair } => (team, key_id, pair),
        };
        let now = now.as_second();
        let claims = json!({"iss": team, "iat": now, "exp": now + SIGNED_FOR, "aud": issuer, "sub": app});
        let sign = |text: &[u8]| Some(pair.sign(&SystemRandom::new(), text).ok()?.as_ref().to_vec());
        jws::signed(&json!({"alg": "ES256", "kid": key_id}), &claims, sign).map(Zeroizing::new)
    }
}

impl fmt::Debug for IssuersSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, KeyPair, UnparsedPublicKey};
    use serde_json::Value;

    use super::*;

    /// Apple's form: a key signs the secret for each request.
    #[test]
    fn a_key_signs_secrets() {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random);
        let lines = STANDARD
            .encode(&document)
            .as_bytes()
            .chunks(64)
            .fold(String::new(), |lines, line| lines + std::str::from_utf8(line).unwrap() + "\n");
        let text = format!(
            "[apple]\nissuer = \"https://appleid.apple.com\"\naudiences = [\"org.example.cards\"]\n\
             client_key = {{ team = \"ABCDE12345\", key_id = \"FGHIJ67890\", private_key = \"\"\"\n\
             -----BEGIN PRIVATE KEY-----\n{lines}-----END PRIVATE KEY-----\n\"\"\" }}\n"
        );
        let IssuersSettings(read) = IssuersSettings::read(&text).unwrap();
        let IssuerSettings { issuer, secret, .. } = &read["apple"];
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let token = secret.as_ref().unwrap().text(issuer, "org.example.cards", now).unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
        let json = |part: &str| serde_json::from_slice::<Value>(&decoded(part)).unwrap();
        assert_eq!(json(header), json!({"alg": "ES256", "kid": "FGHIJ67890"}));
        let second = now.as_second();
        let expected = json!({
            "iss": "ABCDE12345", "aud": "https://appleid.apple.com", "sub": "org.example.cards",
            "iat": second, "exp": second + 300,
        });
        assert_eq!(json(claims), expected);
        let public = pair.unwrap().public_key().as_ref().to_vec();
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public);
        key.verify(signed.as_bytes(), &decoded(signature)).unwrap();
    }

    #[test]
    fn issuers_are_read_and_no_secret_is_quoted() {
        let good = "[google]\nissuer = \"https://accounts.google.com\"\naudiences = [\"a\", \"b\"]\n\
                    web_client = \"b\"\nclient_secret = \"sesame\"\n";
        let IssuersSettings(read) = IssuersSettings::read(good).unwrap();
        let google = &read["google"];
        assert_eq!(google.discovery.host(), "accounts.google.com");
        assert_eq!(google.web_client.as_deref(), Some("b"));
        let wrong = [
            ("issuer = \"https://accounts.google.com\"", "issuer = \"http://accounts.google.com\""),
            ("[\"a\", \"b\"]", "[]"),
            ("web_client = \"b\"", "web_client = \"c\""),
            ("[google]", "[Google]"),
            ("client_secret = \"sesame\"", ""),
            ("client_secret = \"sesame\"", "client_secret = \"sesame\"\nextra = 1"),
            ("client_secret = \"sesame\"", "client_secret = \"sesame\" sesame"),
            (
                "client_secret = \"sesame\"",
                "client_key = { team = \"t\", key_id = \"k\", private_key = \"sesame\" }",
            ),
        ];
        for (from, to) in wrong {
            let error = IssuersSettings::read(&good.replace(from, to)).unwrap_err();
            assert!(!error.to_string().contains("sesame"), "{error}");
        }
    }
}
