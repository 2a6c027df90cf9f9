//! The key by which push services know the server (RFC 8292): an ECDSA key on P-256.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use zeroize::Zeroizing;

use super::secret::Secret;

/// What precedes the private key in its PKCS #8 form: the version of `ECPrivateKey`, then 32 bytes.
const BEFORE_SECRET: &[u8] = &[0x02, 0x01, 0x01, 0x04, 0x20];

#[derive(Clone)]
pub struct PushKey {
    pub(super) secret: Secret,
    /// The public key as base64url: an uncompressed point.
    pub(super) public: String,
    pair: Arc<EcdsaKeyPair>,
}

impl PushKey {
    /// A new key; none if the system has no entropy.
    pub(super) fn draw() -> Option<PushKey> {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).ok()?;
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).ok()?;
        let bytes = Zeroizing::new(document.as_ref().to_vec());
        let at = bytes.windows(BEFORE_SECRET.len()).position(|window| window == BEFORE_SECRET)?;
        let secret = bytes.get(at + BEFORE_SECRET.len()..)?.first_chunk()?;
        let public = URL_SAFE_NO_PAD.encode(pair.public_key().as_ref());
        Some(PushKey { secret: Secret::new(*secret), public, pair: Arc::new(pair) })
    }

    /// The key with these parts; none if they do not belong together.
    pub(super) fn read(secret: Secret, public: String) -> Option<PushKey> {
        let point = URL_SAFE_NO_PAD.decode(&public).ok()?;
        let pair = EcdsaKeyPair::from_private_key_and_public_key(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            secret.expose(),
            &point,
            &SystemRandom::new(),
        );
        Some(PushKey { secret, public, pair: Arc::new(pair.ok()?) })
    }

    /// The public key as base64url without padding: the `applicationServerKey` of browsers.
    pub fn public(&self) -> &str {
        &self.public
    }

    /// A signature as JWS has it (ES256); none if the system has no entropy.
    pub(crate) fn sign(&self, text: &[u8]) -> Option<Vec<u8>> {
        Some(self.pair.sign(&SystemRandom::new(), text).ok()?.as_ref().to_vec())
    }
}
