//! The key ring and its JSON format.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use zeroize::Zeroizing;

use super::secret::{Pair, Secret};
use super::token_keys::{TokenKey, TokenKeys};
use super::{Jwks, KeyError, Kid, PushKey, RecordKey, RecordKeys, RefreshKey};
use crate::base::entropy::{Entropy, draw};

/// The version of the JSON format.
const FORMAT: u32 = 1;

/// All keys of the server. Cloning is cheap; a rotation changes only this copy.
#[derive(Clone)]
pub struct KeyRing {
    token_keys: Arc<TokenKeys>,
    record_keys: Arc<RecordKeys>,
    refresh_key: Arc<RefreshKey>,
    push_key: PushKey,
}

impl KeyRing {
    /// # Panics
    ///
    /// If the operating system has no entropy.
    pub fn create(entropy: &dyn Entropy, now: Timestamp) -> KeyRing {
        let Some(push_key) = PushKey::draw() else { panic!("the operating system gives no entropy") };
        KeyRing {
            token_keys: Arc::new(TokenKeys::first(entropy, now)),
            record_keys: Arc::new(RecordKeys::first(entropy, now)),
            refresh_key: Arc::new(RefreshKey(Secret::new(draw(entropy)))),
            push_key,
        }
    }

    /// Parses the JSON of the key file or the configuration.
    ///
    /// # Errors
    ///
    /// [`KeyError::Unreadable`], [`KeyError::Format`], and for unsafe rings [`KeyError::WrongKid`],
    /// [`KeyError::Twice`] and [`KeyError::NoKey`].
    pub fn from_json(text: &str) -> Result<KeyRing, KeyError> {
        let unreadable =
            |error: serde_json::Error| KeyError::Unreadable { line: error.line(), column: error.column() };
        let AnyFormat { format } = serde_json::from_str(text).map_err(unreadable)?;
        if format != FORMAT {
            return Err(KeyError::Format { found: format, known: FORMAT });
        }
        let ring: KeyFileContent = serde_json::from_str(text).map_err(unreadable)?;
        let token_keys = pairs(ring.token_keys, "token key")?;
        let record_keys = pairs(ring.record_keys, "record key")?;
        let mut kids: Vec<&Kid> = token_keys.iter().chain(&record_keys).map(|pair| &pair.kid).collect();
        kids.sort_by_key(|kid| kid.as_str());
        if let Some(twice) = kids.windows(2).find(|two| two[0] == two[1]) {
            return Err(KeyError::Twice { kid: twice[0].clone() });
        }
        Ok(KeyRing {
            token_keys: Arc::new(TokenKeys(token_keys.into_iter().map(TokenKey).collect())),
            record_keys: Arc::new(RecordKeys(record_keys.into_iter().map(RecordKey::new).collect())),
            refresh_key: Arc::new(RefreshKey(ring.refresh_key)),
            push_key: PushKey::read(ring.push_key.secret, ring.push_key.public).ok_or(KeyError::PushKey)?,
        })
    }

    /// The JSON that [`KeyRing::from_json`] reads, including secrets.
    pub(super) fn to_json(&self) -> serde_json::Result<Zeroizing<Vec<u8>>> {
        let ring = KeyFileContent {
            format: FORMAT,
            token_keys: self.token_keys.0.iter().map(|key| WrittenKey::of(&key.0)).collect(),
            record_keys: self.record_keys.0.iter().map(|key| WrittenKey::of(&key.pair)).collect(),
            refresh_key: self.refresh_key.0.clone(),
            push_key: WrittenPushKey {
                secret: self.push_key.secret.clone(),
                public: self.push_key.public.clone(),
            },
        };
        // Preallocated, so that growing leaves no partial copy of the keys.
        let mut text =
            Zeroizing::new(Vec::with_capacity(1024 + 512 * (ring.token_keys.len() + ring.record_keys.len())));
        serde_json::to_writer_pretty(&mut *text, &ring)?;
        text.push(b'\n');
        Ok(text)
    }

    pub fn token_keys(&self) -> Arc<TokenKeys> {
        self.token_keys.clone()
    }

    pub fn record_keys(&self) -> Arc<RecordKeys> {
        self.record_keys.clone()
    }

    pub fn refresh_key(&self) -> Arc<RefreshKey> {
        self.refresh_key.clone()
    }

    pub fn push_key(&self) -> &PushKey {
        &self.push_key
    }

    /// The public keys.
    pub fn jwks(&self, now: Timestamp) -> Jwks {
        Jwks::of(&self.token_keys, &self.record_keys, now)
    }

    /// Adds a token key that signs after one minute of publication. The others retire then; keys whose tokens
    /// have all expired are deleted. Returns the new key's id.
    pub fn rotate_token_key(&mut self, entropy: &dyn Entropy, now: Timestamp) -> Option<Kid> {
        self.token_keys = Arc::new(self.token_keys.rotated(entropy, now));
        self.token_keys.0.last().map(|key| key.kid().clone())
    }

    /// Adds a record key that signs after one minute of publication. The others retire then, and stay for verification. Returns the new key's id.
    pub fn rotate_record_key(&mut self, entropy: &dyn Entropy, now: Timestamp) -> Option<Kid> {
        self.record_keys = Arc::new(self.record_keys.rotated(entropy, now));
        self.record_keys.0.last().map(|key| key.kid().clone())
    }
}

fn pairs(keys: Vec<WrittenKey>, set: &'static str) -> Result<Vec<Pair>, KeyError> {
    let mut pairs = Vec::with_capacity(keys.len());
    for WrittenKey { kid, seed, created_at, retired_at } in keys {
        let pair = Pair::new(seed, created_at, retired_at);
        if pair.kid.as_str() != kid {
            return Err(KeyError::WrongKid { listed: kid, actual: pair.kid });
        }
        pairs.push(pair);
    }
    if pairs.iter().all(|pair| pair.retired_at.is_some()) {
        return Err(KeyError::NoKey { set });
    }
    pairs.sort_by_key(|pair| pair.created_at);
    Ok(pairs)
}

#[derive(Deserialize)]
struct AnyFormat {
    format: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFileContent {
    format: u32,
    token_keys: Vec<WrittenKey>,
    record_keys: Vec<WrittenKey>,
    #[serde(serialize_with = "write_secret")]
    refresh_key: Secret,
    push_key: WrittenPushKey,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPushKey {
    #[serde(serialize_with = "write_secret")]
    secret: Secret,
    public: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenKey {
    kid: String,
    #[serde(serialize_with = "write_secret")]
    seed: Secret,
    created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retired_at: Option<Timestamp>,
}

impl WrittenKey {
    fn of(pair: &Pair) -> WrittenKey {
        let Pair { kid, seed, created_at, retired_at, .. } = pair.clone();
        WrittenKey { kid: kid.to_string(), seed, created_at, retired_at }
    }
}

fn write_secret<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&secret.encode())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::base::entropy::SeededEntropy;

    fn now() -> Timestamp {
        "2026-01-01T00:00:00Z".parse().unwrap()
    }

    fn ring() -> KeyRing {
        KeyRing::create(&SeededEntropy::new(1), now())
    }

    fn as_json(ring: &KeyRing) -> Value {
        serde_json::from_slice(&ring.to_json().unwrap()).unwrap()
    }

    fn refusal(ring: &Value) -> KeyError {
        KeyRing::from_json(&ring.to_string()).err().unwrap()
    }

    #[test]
    fn a_ring_reads_back_as_it_was_written() {
        let mut ring = ring();
        ring.rotate_token_key(&SeededEntropy::new(2), now());
        ring.rotate_record_key(&SeededEntropy::new(3), now());
        let json = as_json(&ring);
        assert_eq!(json["token_keys"][0]["retired_at"], "2026-01-01T00:01:00Z");
        let read = KeyRing::from_json(&json.to_string()).unwrap();
        assert_eq!(as_json(&read), json);
        assert_eq!(read.jwks(now()), ring.jwks(now()));
    }

    #[test]
    fn unsafe_rings_are_refused() {
        let whole = as_json(&ring());
        let mut mixed = whole.clone();
        mixed["record_keys"][0] = mixed["token_keys"][0].clone();
        assert!(matches!(refusal(&mixed), KeyError::Twice { .. }));
        let mut misnamed = whole.clone();
        misnamed["token_keys"][0]["kid"] = json!("mine");
        assert!(matches!(refusal(&misnamed), KeyError::WrongKid { .. }));
        let mut retired = whole.clone();
        retired["record_keys"][0]["retired_at"] = json!("2026-01-01T00:00:00Z");
        assert!(matches!(refusal(&retired), KeyError::NoKey { set: "record key" }));
        let mut empty = whole.clone();
        empty["token_keys"] = json!([]);
        assert!(matches!(refusal(&empty), KeyError::NoKey { set: "token key" }));
        let mut newer = whole.clone();
        newer["format"] = json!(2);
        assert!(matches!(refusal(&newer), KeyError::Format { found: 2, known: 1 }));
        let mut unlike = whole.clone();
        unlike["push_key"]["secret"] = unlike["refresh_key"].clone();
        assert!(matches!(refusal(&unlike), KeyError::PushKey));
        let mut unknown = whole.clone();
        unknown["extra"] = json!(1);
        assert!(matches!(refusal(&unknown), KeyError::Unreadable { .. }));
    }

    #[test]
    fn an_error_never_quotes_a_key() {
        let mut broken = as_json(&ring());
        let seed = broken["token_keys"][0]["seed"].as_str().unwrap().to_owned();
        for value in [json!(seed[1..]), json!({ "is": seed }), json!([seed])] {
            broken["token_keys"][0]["seed"] = value;
            let error = refusal(&broken);
            assert!(matches!(error, KeyError::Unreadable { .. }));
            assert!(!format!("{error} {error:?}").contains(&seed[1..]));
        }
    }

    #[test]
    fn the_jwk_set_is_public_and_tells_the_keys_apart() {
        let ring = ring();
        let jwks = serde_json::to_value(ring.jwks(now())).unwrap();
        let [token, record] = [&jwks["keys"][0], &jwks["keys"][1]];
        assert_eq!(
            (&token["kty"], &token["crv"], &token["alg"], &token["use"]),
            (&json!("OKP"), &json!("Ed25519"), &json!("EdDSA"), &json!("sig"))
        );
        assert_eq!(token["estimation:purpose"], "access-token");
        assert_eq!(token.get("estimation:created_at"), None);
        assert_eq!(record["estimation:purpose"], "record");
        assert_eq!(record["estimation:created_at"], "2026-01-01T00:00:00Z");
        let secrets = as_json(&ring);
        for secret in [
            &secrets["token_keys"][0]["seed"],
            &secrets["record_keys"][0]["seed"],
            &secrets["refresh_key"],
            &secrets["push_key"]["secret"],
        ] {
            assert!(!jwks.to_string().contains(secret.as_str().unwrap()));
        }
    }
}
