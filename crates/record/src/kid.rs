//! Key ids.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::VerifyingKey;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

/// The length of [`Kid::tag`].
pub const KID_TAG: usize = 9;

/// A key id: the SHA-256 thumbprint of the public key (RFC 7638), which determines it uniquely.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kid(Arc<str>);

impl Kid {
    /// The id of a public key.
    pub fn of(public: &VerifyingKey) -> Kid {
        let x = URL_SAFE_NO_PAD.encode(public.as_bytes());
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        Kid(URL_SAFE_NO_PAD.encode(Sha256::digest(members)).into())
    }

    /// The first 9 bytes of the thumbprint, whose base64url is the beginning of the id's text.
    pub fn tag(&self) -> [u8; KID_TAG] {
        let tag = URL_SAFE_NO_PAD.decode(self.0.get(..KID_TAG / 3 * 4).unwrap_or_default());
        tag.ok().and_then(|tag| tag.try_into().ok()).unwrap_or_default()
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Kid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Kid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::SigningKey;

    use super::*;

    /// The key of RFC 8037, appendix A, and its thumbprint there.
    #[test]
    fn a_kid_is_the_thumbprint_of_the_public_key() {
        let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let key = SigningKey::from_bytes(&hex::decode(seed).unwrap().try_into().unwrap());
        let kid = Kid::of(&key.verifying_key());
        assert_eq!(kid.as_str(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        assert_eq!(URL_SAFE_NO_PAD.encode(kid.tag()), "kPrK_qmxVWaY");
    }
}
