//! Refresh tokens of issuers, and how they are revoked. The server keeps one to revoke the player's grant when the account is
//! deleted, and for nothing else.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use jiff::SignedDuration;
use zeroize::Zeroizing;

use super::Identities;
use crate::auth::keys::RefreshKey;
use crate::base::entropy::{Entropy, draw};
use crate::base::failure::{Failure, milliseconds};
use estimation_store::identities::{self, RevocationRow};
use estimation_store::{Connection, Server};

/// What the key is derived from.
const PURPOSE: &[u8] = b"estimation/identity-grant/v1";

const NONCE: usize = 12;

/// An issuer's refresh token. It cannot be printed.
#[derive(Clone)]
pub(super) struct GrantToken(pub(super) Zeroizing<String>);

impl GrantToken {
    /// Encrypts the token for the identity with this id; none only if the cipher fails.
    pub(super) fn seal(&self, key: &RefreshKey, identity: &str, entropy: &dyn Entropy) -> Option<Vec<u8>> {
        let nonce: [u8; NONCE] = draw(entropy);
        let payload = Payload { msg: self.0.as_bytes(), aad: identity.as_bytes() };
        let sealed = cipher(key).encrypt(&Nonce::from(nonce), payload).ok()?;
        Some([&nonce[..], &sealed].concat())
    }

    /// Decrypts the token of an identity; none if it was encrypted with another key, or for another identity.
    pub(super) fn open(key: &RefreshKey, identity: &str, sealed: &[u8]) -> Option<GrantToken> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload { msg: sealed, aad: identity.as_bytes() };
        let text = Zeroizing::new(cipher(key).decrypt(&Nonce::from(*nonce), payload).ok()?);
        Some(GrantToken(Zeroizing::new(std::str::from_utf8(&text).ok()?.to_owned())))
    }
}

fn cipher(key: &RefreshKey) -> ChaCha20Poly1305 {
    let key = Zeroizing::new(key.mac(PURPOSE));
    ChaCha20Poly1305::new(&Key::from(*key))
}

/// How long a node has for a grant before another one tries, in milliseconds. Each of its three requests takes at most ten
/// seconds.
const ATTEMPT: i64 = 60_000;

/// The pause after a failed attempt, in milliseconds.
const PAUSE: i64 = 10 * 60_000;

/// How long an attempt is repeated.
const PATIENCE: SignedDuration = SignedDuration::from_hours(24);

impl Identities {
    /// Revokes the grants that are due.
    pub(crate) async fn revoke_due(&self) -> Result<(), Failure> {
        if self.issuers.is_empty() {
            return Ok(());
        }
        loop {
            let now = milliseconds(self.clock.now());
            if !self.database.read(move |conn| identities::any_revocation_due(conn, now)).await? {
                return Ok(());
            }
            let take = move |conn: &mut Connection| identities::take_revocation(conn, now, now + ATTEMPT);
            let Some(grant) = self.database.write(Server, take).await? else { return Ok(()) };
            let id = grant.id;
            if self.revoke(&grant).await {
                self.database.write(Server, move |conn| identities::end_revocation(conn, id)).await?;
            } else {
                let at = milliseconds(self.clock.now()) + PAUSE;
                self.database.write(Server, move |conn| identities::retry_revocation(conn, id, at)).await?;
            }
        }
    }

    /// Revokes a grant. Returns whether there is nothing left to do.
    async fn revoke(&self, grant: &RevocationRow) -> bool {
        let now = self.clock.now();
        let issuer = self.issuers.values().find(|issuer| issuer.settings.issuer == grant.issuer);
        let token = GrantToken::open(&self.sessions.refresh_key(), &grant.id.to_string(), &grant.grant_token);
        let (Some(issuer), Some(token)) = (issuer, token) else {
            tracing::warn!(issuer = grant.issuer, "a grant cannot be revoked: its issuer or its key is gone");
            return true;
        };
        if issuer.revoke(&grant.audience, &token, now).await {
            return true;
        }
        let is_given_up = milliseconds(now) - grant.created_at.milliseconds() > PATIENCE.as_millis() as i64;
        if is_given_up {
            tracing::warn!(issuer = grant.issuer, "a grant could not be revoked for a day and is given up");
        }
        is_given_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::keys::KeyRing;
    use crate::base::entropy::SeededEntropy;

    #[test]
    fn a_grant_opens_for_its_identity_alone() {
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let [key, other] = [1, 2].map(|seed| KeyRing::create(&SeededEntropy::new(seed), now).refresh_key());
        let token = GrantToken(Zeroizing::new("a refresh token".to_owned()));
        let sealed = token.seal(&key, "one", &SeededEntropy::new(3)).unwrap();
        assert_eq!(*GrantToken::open(&key, "one", &sealed).unwrap().0, "a refresh token");
        assert!(!sealed.windows(7).any(|window| window == b"refresh"));
        assert!(GrantToken::open(&key, "two", &sealed).is_none());
        assert!(GrantToken::open(&other, "one", &sealed).is_none());
        assert!(GrantToken::open(&key, "one", &sealed[1..]).is_none());
        assert!(GrantToken::open(&key, "one", &[]).is_none());
    }
}
