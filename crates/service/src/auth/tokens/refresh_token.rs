//! Refresh tokens: opaque, stored as a hash, each with one derived successor.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::auth::keys::RefreshKey;
use crate::base::entropy::{Entropy, draw};

const PREFIX: &str = "rt_";

/// A refresh token: `rt_` and 32 bytes as base64url without padding. It is wiped on drop, and cannot be
/// printed or serialised.
pub struct RefreshToken(Zeroizing<String>);

/// The text is not a refresh token. It is not quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a refresh token")]
pub struct NotARefreshToken;

impl RefreshToken {
    /// Draws a random token, the first of its family.
    pub fn draw(entropy: &dyn Entropy) -> RefreshToken {
        RefreshToken::of(&Zeroizing::new(draw(entropy)))
    }

    /// Parses a presented token.
    ///
    /// # Errors
    ///
    /// If the text is malformed; a well-formed token may still be unknown.
    pub fn read(text: &str) -> Result<RefreshToken, NotARefreshToken> {
        let digits = text.strip_prefix(PREFIX).ok_or(NotARefreshToken)?;
        let mut bytes = Zeroizing::new([0; 32]);
        match URL_SAFE_NO_PAD.decode_slice(digits, &mut *bytes) {
            Ok(32) => Ok(RefreshToken(Zeroizing::new(text.to_owned()))),
            _ => Err(NotARefreshToken),
        }
    }

    /// The token's text; only for the answer to its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The stored form: the SHA-256 of the text.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The token that replaces this one. It is deterministic, and unpredictable without the key.
    pub fn successor(&self, key: &RefreshKey) -> RefreshToken {
        RefreshToken::of(&Zeroizing::new(key.mac(self.0.as_bytes())))
    }

    fn of(bytes: &[u8; 32]) -> RefreshToken {
        let mut text = Zeroizing::new(String::with_capacity(PREFIX.len() + 43));
        text.push_str(PREFIX);
        text.push_str(&Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes)));
        RefreshToken(text)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::auth::keys::KeyRing;
    use crate::base::entropy::SeededEntropy;

    fn key(seed: u64) -> std::sync::Arc<RefreshKey> {
        KeyRing::create(&SeededEntropy::new(seed), Timestamp::UNIX_EPOCH).refresh_key()
    }

    #[test]
    fn a_successor_follows_from_the_token_and_the_key() {
        let token = RefreshToken::draw(&SeededEntropy::new(1));
        let successor = token.successor(&key(1));
        assert_eq!(successor.expose(), token.successor(&key(1)).expose());
        assert_ne!(successor.expose(), token.successor(&key(2)).expose());
        assert_ne!(successor.expose(), successor.successor(&key(1)).expose());
        assert_ne!(successor.hash(), token.hash());
        assert!(RefreshToken::read(successor.expose()).is_ok());
    }

    #[test]
    fn a_token_has_exactly_one_form() {
        let token = RefreshToken::draw(&SeededEntropy::new(1));
        let text = token.expose().to_owned();
        assert_eq!(text.len(), 46);
        assert_eq!(RefreshToken::read(&text).unwrap().hash(), token.hash());
        let all_zero = format!("rt_{}", "A".repeat(43));
        assert!(RefreshToken::read(&all_zero).is_ok());
        let stray_bits = format!("rt_{}B", "A".repeat(42));
        for wrong in
            [&text[3..], &text[..45], &format!("{text}="), &format!("{text}A"), &stray_bits, " rt_", ""]
        {
            assert!(RefreshToken::read(wrong).is_err(), "{wrong}");
        }
    }

    /// Computed in Python: `hashlib.sha256(b"rt_" + 43 * b"A").hexdigest()`.
    #[test]
    fn a_token_is_stored_as_the_hash_of_its_text() {
        let token = RefreshToken::of(&[0; 32]);
        assert_eq!(
            hex::encode(token.hash()),
            "619682011001d94f7385b7c459e6e3b08711d130160b5e9cf037095c78f7016f"
        );
    }
}
