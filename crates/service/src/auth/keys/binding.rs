//! Keyed hashes over what the database holds, so that a node can tell what a node has written. Their keys are derived from
//! a record key: all nodes have them without another secret, and they change when the record key is rotated.

use estimation_record::KID_TAG;
use estimation_record::hmac::{HmacKey, hmac_sha256};
use estimation_store::Binding;
use jiff::Timestamp;

use super::secret::Pair;
use super::{RecordKey, RecordKeys};

/// What a keyed hash covers. Each kind has a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The head of a game's log.
    Head,
    /// The head of a game that was adopted after keys were lost, and its entry in the public log.
    Adopted,
    /// The state of a game.
    State,
    /// An entry that waits for the public log.
    Entry,
    /// An act of a moderator.
    Act,
}

impl Bound {
    /// All kinds, each at its number.
    const ALL: [Bound; 5] = [Bound::Head, Bound::Adopted, Bound::State, Bound::Entry, Bound::Act];

    /// The label from which the key is derived; its last part is the version.
    const fn label(self) -> &'static str {
        match self {
            Bound::Head => "estimation/head-key/v1",
            Bound::Adopted => "estimation/adopted-head-key/v1",
            Bound::State => "estimation/state-key/v1",
            Bound::Entry => "estimation/entry-key/v1",
            Bound::Act => "estimation/act-key/v1",
        }
    }
}

/// What a binding is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingCheck {
    Sound,
    /// The keyed hash is not that of the bytes.
    Forged,
    /// This node does not have the key.
    UnknownKey,
}

/// The keys for keyed hashes, derived from one record key.
#[derive(Clone)]
pub(super) struct BindingKeys {
    /// Of the record key's id.
    tag: [u8; KID_TAG],
    /// In the order of [`Bound::ALL`].
    keys: [HmacKey; Bound::ALL.len()],
}

impl BindingKeys {
    pub(super) fn of(pair: &Pair) -> BindingKeys {
        let derived = |bound: Bound| HmacKey::new(&hmac_sha256(pair.seed.expose(), bound.label().as_bytes()));
        BindingKeys { tag: pair.kid.tag(), keys: Bound::ALL.map(derived) }
    }

    fn key(&self, bound: Bound) -> &HmacKey {
        &self.keys[bound as usize]
    }
}

impl RecordKeys {
    /// Binds bytes under the key that signs now. `None` if every record key is retired.
    pub fn bind(&self, bound: Bound, bytes: &[u8], now: Timestamp) -> Option<Binding> {
        let RecordKey { binding_keys: keys, .. } = self.signing(now)?;
        Some(Binding::new(keys.tag, keys.key(bound).mac(bytes)))
    }

    /// Checks a binding of bytes, also under a retired key.
    pub fn check(&self, bound: Bound, bytes: &[u8], binding: &Binding) -> BindingCheck {
        let mut all = self.iter().map(|key| &key.binding_keys);
        let Some(keys) = all.find(|keys| keys.tag == binding.key()) else {
            return BindingCheck::UnknownKey;
        };
        match keys.key(bound).is_mac_of(bytes, binding.mac()) {
            true => BindingCheck::Sound,
            false => BindingCheck::Forged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::entropy::SeededEntropy;

    #[test]
    fn a_retired_key_still_checks_and_another_key_or_kind_does_not() {
        let entropy = SeededEntropy::new(1);
        let [start, later, last] = [0, 1_000_000, 2_000_000].map(|at| Timestamp::from_second(at).unwrap());
        let keys = RecordKeys::first(&entropy, start);
        let old = keys.bind(Bound::State, b"state", start).unwrap();
        let keys = keys.rotated(&entropy, later);
        assert_eq!(keys.bind(Bound::State, b"state", later), Some(old));
        let new = keys.bind(Bound::State, b"state", last).unwrap();
        assert_ne!((old.key(), old.mac()), (new.key(), new.mac()));
        let check = |bytes: &[u8], binding| keys.check(Bound::State, bytes, &binding);
        assert_eq!(check(b"state", old), BindingCheck::Sound);
        assert_eq!(check(b"state", new), BindingCheck::Sound);
        assert_eq!(check(b"stat", new), BindingCheck::Forged);
        assert_eq!(
            check(b"state", Binding::new(new.key(), old.mac().try_into().unwrap())),
            BindingCheck::Forged
        );
        assert_eq!(
            check(b"state", Binding::new([0; 9], new.mac().try_into().unwrap())),
            BindingCheck::UnknownKey
        );
        assert_eq!(keys.check(Bound::Head, b"state", &new), BindingCheck::Forged);
    }
}
