//! Token keys sign access tokens. They are rotated, and deleted once their tokens have expired.

use ed25519_dalek::VerifyingKey;
use jiff::{SignedDuration, Timestamp};
use zeroize::Zeroizing;

use super::Kid;
use super::secret::{PUBLISHED_BEFORE_USE, Pair, Secret, later, signing};
use crate::base::entropy::{Entropy, draw};

/// How long an access token is valid, and so how long a retired key still verifies.
pub const ACCESS_TOKEN_LIFETIME: SignedDuration = SignedDuration::from_mins(15);

/// A key that signs only access tokens.
#[derive(Clone)]
pub struct TokenKey(pub(super) Pair);

impl TokenKey {
    pub fn kid(&self) -> &Kid {
        &self.0.kid
    }

    /// The secret half, for the token signer.
    pub(crate) fn seed(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(*self.0.seed.expose())
    }

    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.0.public
    }

    /// Whether tokens signed with the key may be unexpired, with a minute of tolerance for clock skew.
    fn verifies(&self, now: Timestamp) -> bool {
        self.0.retired_at.is_none_or(|retired_at| {
            now < later(later(retired_at, ACCESS_TOKEN_LIFETIME), PUBLISHED_BEFORE_USE)
        })
    }
}

/// All token keys, oldest first; at least one is not retired.
#[derive(Clone)]
pub struct TokenKeys(pub(super) Vec<TokenKey>);

impl TokenKeys {
    pub(super) fn first(entropy: &dyn Entropy, now: Timestamp) -> TokenKeys {
        TokenKeys(vec![TokenKey(Pair::new(Secret::new(draw(entropy)), now, None))])
    }

    pub fn signing(&self, now: Timestamp) -> Option<&TokenKey> {
        signing(&self.0, |key| &key.0, now)
    }

    /// The key with this id, if its tokens may be unexpired.
    pub fn verifying(&self, kid: &str, now: Timestamp) -> Option<&TokenKey> {
        self.0.iter().find(|key| key.kid().as_str() == kid && key.verifies(now))
    }

    /// The keys whose tokens may be unexpired, oldest first.
    pub(super) fn published(&self, now: Timestamp) -> impl Iterator<Item = &TokenKey> {
        self.0.iter().filter(move |key| key.verifies(now))
    }

    /// The keys after a rotation: the new key is published now, and the others retire when it starts to sign.
    /// Keys whose tokens have all expired are dropped.
    pub(super) fn rotated(&self, entropy: &dyn Entropy, now: Timestamp) -> TokenKeys {
        let retirement = later(now, PUBLISHED_BEFORE_USE);
        let mut keys: Vec<TokenKey> = self.published(now).cloned().collect();
        for TokenKey(pair) in &mut keys {
            pair.retired_at.get_or_insert(retirement);
        }
        keys.push(TokenKey(Pair::new(Secret::new(draw(entropy)), now, None)));
        TokenKeys(keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::entropy::SeededEntropy;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_767_225_600 + second).unwrap()
    }

    fn signing(keys: &TokenKeys, second: i64) -> Kid {
        keys.signing(at(second)).unwrap().kid().clone()
    }

    #[test]
    fn the_first_key_signs_at_once() {
        let keys = TokenKeys::first(&SeededEntropy::new(1), at(0));
        assert_eq!(signing(&keys, 0), keys.0[0].0.kid);
        assert_eq!(signing(&keys, 1_000_000), keys.0[0].0.kid);
    }

    #[test]
    fn a_new_key_is_published_for_a_minute_before_it_signs() {
        let entropy = SeededEntropy::new(1);
        let keys = TokenKeys::first(&entropy, at(0)).rotated(&entropy, at(1000));
        let [old, new] = [0, 1].map(|i| keys.0[i].0.kid.clone());
        assert!(keys.verifying(new.as_str(), at(1000)).is_some());
        assert_eq!(signing(&keys, 1000), old);
        assert_eq!(signing(&keys, 1059), old);
        assert_eq!(signing(&keys, 1060), new);
    }

    #[test]
    fn an_old_key_verifies_until_its_last_token_is_dead_and_is_then_forgotten() {
        let entropy = SeededEntropy::new(1);
        let keys = TokenKeys::first(&entropy, at(0)).rotated(&entropy, at(1000));
        let old = keys.0[0].0.kid.clone();
        let dead = 1060 + 15 * 60 + 60;
        assert!(keys.verifying(old.as_str(), at(dead - 1)).is_some());
        assert!(keys.verifying(old.as_str(), at(dead)).is_none());
        assert_eq!(keys.rotated(&entropy, at(dead - 1)).0.len(), 3);
        assert_eq!(keys.rotated(&entropy, at(dead)).0.len(), 2);
    }

    #[test]
    fn rotating_twice_within_a_minute_leaves_no_moment_without_a_key() {
        let entropy = SeededEntropy::new(1);
        let keys = TokenKeys::first(&entropy, at(0)).rotated(&entropy, at(100)).rotated(&entropy, at(120));
        let [first, second, third] = [0, 1, 2].map(|i| keys.0[i].0.kid.clone());
        assert_eq!([120, 159].map(|second| signing(&keys, second)), [first.clone(), first]);
        assert_eq!([160, 179].map(|second| signing(&keys, second)), [second.clone(), second]);
        assert_eq!(signing(&keys, 180), third);
    }

    #[test]
    fn an_unknown_id_selects_nothing() {
        let keys = TokenKeys::first(&SeededEntropy::new(1), at(0));
        assert!(keys.verifying("", at(0)).is_none());
        assert!(keys.verifying("kid", at(0)).is_none());
    }
}
